#include "ops/kit/elements.h"

#include "base/checked.h"
#include "ops/node/output.h"

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
        if (!out_wanted(n, o) || !grid_of(n, &n->out[o].type, &ret->out))
                return false;
        if (ret->out.count == 0) {
                out_content(n, o, content_new(n->arena, 0));
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
        struct content *content = content_new(n->arena, (size_t)map->out.count);

        for (int64_t k = 0; k < map->out.count; k++, grid_next(&map->out, at)) {
                int64_t found = element_map_find(map, at);

                struct scalar s = fill;

                if (found != ELEMENT_FILL)
                        s = (size_t)found < source->count ? content_at(source, (size_t)found) : scalar_unknown();
                content_set(content, (size_t)k, s);
        }
        out_content(n, o, content);
}
