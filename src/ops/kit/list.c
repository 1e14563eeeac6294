#include "ops/kit/list.h"

#include "ops/node/attr.h"
#include "ops/node/input.h"

static void list_of_numbers(struct node *n, const int64_t *numbers, size_t count, struct list *ret)
{
        struct scalar *at = arena_new_array(n->arena, struct scalar, count);

        for (size_t k = 0; k < count; k++)
                at[k] = scalar_int(dim_int(numbers[k]));
        *ret = (struct list){.state = LIST_KNOWN, .count = count, .at = at};
}

/* Nothing is known of the elements, but how many there are. */
static void list_of_unknowns(struct node *n, size_t count, struct list *ret)
{
        struct scalar *at = arena_new_array(n->arena, struct scalar, count);

        for (size_t k = 0; k < count; k++)
                at[k] = scalar_unknown();
        *ret = (struct list){.state = LIST_KNOWN, .count = count, .at = at};
}

enum ox_code list_get(struct node *n, const char *attribute, int i, bool scalar_too, struct list *ret)
{
        const struct content *content;
        const int64_t *numbers;
        size_t count;
        int64_t length;

        *ret = (struct list){.state = LIST_ABSENT};
        if (attribute && op_find_attr(n->row, attribute)) {
                if (attr_ints(n, attribute, &numbers, &count))
                        list_of_numbers(n, numbers, count, ret);
                return OX_OK;
        }
        if (!in_given(n, i))
                return OX_OK;
        TRY(in_expect_tensor(n, i));
        if (!scalar_too || in_rank(n, i) != 0)
                TRY(in_expect_rank(n, i, 1));
        content = in_content(n, i);
        ret->state = LIST_UNKNOWN;
        if (content)
                *ret = (struct list){.state = LIST_KNOWN, .count = content->count, .at = content->at};
        else if (in_length(n, i, scalar_too, &length) && length <= n->limits->content_elements)
                list_of_unknowns(n, (size_t)length, ret);
        return OX_OK;
}

void list_whole(struct node *n, struct list *list)
{
        struct scalar *at = arena_new_array(n->arena, struct scalar, list->count);

        if (list->state != LIST_KNOWN)
                return;
        for (size_t k = 0; k < list->count; k++) {
                double number = list->at[k].kind == SCALAR_FLOAT ? list->at[k].f : 0.5;
                bool whole = number > -0x1p53 && number < 0x1p53 && number == (double)(int64_t)number;

                at[k] = whole ? scalar_int(dim_int((int64_t)number)) : list->at[k];
        }
        list->at = at;
}

enum ox_code list_of_sizes(struct node *n, const struct list *list, int input)
{
        int64_t number;

        for (size_t k = 0; list->state == LIST_KNOWN && k < list->count; k++)
                if (scalar_is_number(list->at[k], &number) && number < 0)
                        return node_error_at(n, REASON_NEGATIVE_SIZE, input, -1, "0 or more", node_number(n, number),
                                             "size %zu must be 0 or more, got %lld", k, (long long)number);
        return OX_OK;
}

bool list_numbers(struct node *n, const struct list *list, const int64_t **ret)
{
        int64_t *numbers;

        if (list->state != LIST_KNOWN)
                return false;
        numbers = arena_new_array(n->arena, int64_t, list->count);
        for (size_t k = 0; k < list->count; k++)
                if (!scalar_is_number(list->at[k], &numbers[k]))
                        return false;
        *ret = numbers;
        return true;
}
