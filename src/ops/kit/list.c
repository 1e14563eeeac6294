#include "ops/kit/list.h"

#include "ops/node/attr.h"
#include "ops/node/input.h"

static void list_of_numbers(struct node *n, const int64_t *numbers, size_t count, struct list *ret)
{
        struct content *content = content_new(n->arena, count);

        for (size_t k = 0; k < count; k++)
                content_set(content, k, scalar_int(dim_int(numbers[k])));
        *ret = list_of(content);
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
                *ret = list_of(content);
        else if (in_length(n, i, scalar_too, &length) && length <= n->limits->content_elements)
                *ret = (struct list){.state = LIST_KNOWN, .count = (size_t)length};
        return OX_OK;
}

void list_whole(struct node *n, struct list *list)
{
        struct content *content = content_new(n->arena, list->count);

        if (list->state != LIST_KNOWN)
                return;
        for (size_t k = 0; k < list->count; k++) {
                struct scalar s = list_at(list, k);
                double number = s.kind == SCALAR_FLOAT ? s.f : 0.5;
                bool whole = number > -0x1p53 && number < 0x1p53 && number == (double)(int64_t)number;

                content_set(content, k, whole ? scalar_int(dim_int((int64_t)number)) : s);
        }
        list->elements = content;
}

enum ox_code list_of_sizes(struct node *n, const struct list *list, int input)
{
        int64_t number;

        for (size_t k = 0; list->state == LIST_KNOWN && k < list->count; k++)
                if (scalar_is_number(list_at(list, k), &number) && number < 0)
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
                if (!scalar_is_number(list_at(list, k), &numbers[k]))
                        return false;
        *ret = numbers;
        return true;
}
