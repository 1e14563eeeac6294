#include "ops/elements.h"

#include "base/checked.h"

bool grid_of(struct node *n, const struct type *type, struct grid *ret)
{
        struct grid g = {.rank = type->rank, .count = 1};
        bool empty = false;

        if (type->kind != TYPE_TENSOR || type->rank == RANK_UNKNOWN)
                return false;
        g.dim = arena_new_array(n->arena, int64_t, (size_t)g.rank);
        g.stride = arena_new_array(n->arena, int64_t, (size_t)g.rank);
        for (int d = 0; d < g.rank; d++) {
                struct dim size = dim_resolve(n->dims, type->dim[d]);

                if (!dim_is_int(size) || size.val < 0)
                        return false;
                g.dim[d] = size.val;
                empty = empty || size.val == 0;
        }
        if (empty)
                g.count = 0;
        for (int d = g.rank - 1; d >= 0; d--) {
                g.stride[d] = g.count;
                if (!empty && (!mul_i64(g.count, g.dim[d], &g.count) || g.count > n->limits->content_elements))
                        return false;
        }
        *ret = g;
        return true;
}

int64_t grid_span(const struct grid *grid, int first, int end)
{
        int64_t span = 1;

        for (int d = first; d < end; d++)
                if (!mul_i64(span, grid->dim[d], &span))
                        return 0;
        return span;
}

int64_t *grid_start(struct node *n, const struct grid *grid)
{
        return arena_zalloc(n->arena, (size_t)(grid->rank + 1) * sizeof(int64_t));
}

void grid_next(const struct grid *grid, int64_t *at)
{
        for (int d = grid->rank - 1; d >= 0; d--) {
                if (++at[d] < grid->dim[d])
                        return;
                at[d] = 0;
        }
}

bool element_map_new(struct node *n, int o, struct element_map *ret)
{
        struct scalar *none;

        if (!out_wanted(n, o) || !grid_of(n, &n->out[o].type, &ret->out))
                return false;
        if (ret->out.count == 0) {
                out_content(n, o, content_new(n->arena, 0, &none));
                return false;
        }
        ret->offset = arena_new_array(n->arena, int64_t *, (size_t)ret->out.rank);
        for (int d = 0; d < ret->out.rank; d++)
                ret->offset[d] = arena_zalloc(n->arena, (size_t)ret->out.dim[d] * sizeof(int64_t));
        return true;
}

/* The source position of one output position, ELEMENT_FILL for none. */
static int64_t element_map_find(const struct element_map *map, const int64_t *at)
{
        int64_t found = 0;

        for (int d = 0; d < map->out.rank; d++) {
                int64_t offset = map->offset[d][at[d]];

                if (offset == ELEMENT_FILL)
                        return ELEMENT_FILL;
                found += offset;
        }
        return found;
}

void element_map_apply(struct node *n, int o, const struct element_map *map, const struct content *source,
                       struct scalar fill)
{
        int64_t *at = grid_start(n, &map->out);
        struct scalar *to;
        struct content *content = content_new(n->arena, (size_t)map->out.count, &to);

        for (int64_t k = 0; k < map->out.count; k++, grid_next(&map->out, at)) {
                int64_t found = element_map_find(map, at);

                to[k] = fill;
                if (found != ELEMENT_FILL)
                        to[k] = (size_t)found < source->count ? source->at[found] : scalar_unknown();
        }
        out_content(n, o, content);
}

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
        if (attribute != NULL && op_find_attr(n->row, attribute) != NULL) {
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
        if (content != NULL)
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
                        return node_error(n, OX_INVALID_ARGUMENT, "NEGATIVE_SIZE", input, "size %zu is %lld", k,
                                          (long long)number);
        return OX_OK;
}

/* More axes than the limit of ranks fail anyhow once the rank is known, so that comparing all has a bound. */
enum ox_code axes_distinct(struct node *n, const int64_t *axes, size_t count, int input)
{
        for (size_t k = 0; k < count && count <= (size_t)n->limits->rank; k++)
                for (size_t j = 0; j < k; j++)
                        if (axes[j] == axes[k])
                                return node_error(n, OX_INVALID_ARGUMENT, "DUPLICATE_AXIS", input,
                                                  "axis %lld is given twice", (long long)axes[k]);
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

bool element_size(struct node *n, struct scalar element, struct dim *ret)
{
        if (element.kind != SCALAR_INT)
                return false;
        *ret = dim_resolve(n->dims, element.d);
        return true;
}

bool rank_allowed(struct node *n, size_t rank, int input)
{
        if (rank <= (size_t)n->limits->rank)
                return true;
        node_warn(n, "RANK_LIMIT", input, "a rank of %zu is more than the limit of %lld, so the shape is left open",
                  rank, (long long)n->limits->rank);
        return false;
}

bool index_normalize(int64_t index, int64_t size, int64_t *ret)
{
        if (index < 0)
                index += size;
        if (index < 0 || index >= size)
                return false;
        *ret = index;
        return true;
}

struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most)
{
        struct dim fresh;

        if (dim_is(most, 0))
                return most;
        fresh = out_fresh(n, o, axis);

        if (dim_is_int(most) && most.val >= 0)
                dim_assume_le(n->dims, fresh, most.val);
        return fresh;
}

struct dim greater_dim(struct node *n, struct dim a, struct dim b)
{
        if (dim_proves_ge(n->dims, a, b))
                return a;
        if (dim_proves_ge(n->dims, b, a))
                return b;
        return dim_max(n->dims, a, b);
}

struct dim lesser_dim(struct node *n, struct dim a, struct dim b)
{
        if (dim_proves_ge(n->dims, a, b))
                return b;
        if (dim_proves_ge(n->dims, b, a))
                return a;
        return dim_min(n->dims, a, b);
}

struct dim dims_product(struct node *n, const struct dim *dims, int first, int end)
{
        struct dim product = dim_int(1);

        for (int d = first; d < end; d++)
                product = dim_mul(n->dims, product, dims[d]);
        return product;
}
