/* Operators whose output shape is an operand: Reshape, Expand, Tile. */
#include "base/checked.h"
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/layout.h"

/* -- Reshape 1-25: the shape is an attribute in version 1, an input from 5 on -- */

struct reshape {
        int rank;
        struct dim *dim;
        int open, n_open; /* the last axis whose size only the element count can determine, and the number of such
                             axes */
        bool infers;      /* one of the elements is -1 */
};

static bool reshape_allows_zero(const struct node *n)
{
        return attr_int_or(n, "allowzero", 0) != 0;
}

/* Checks the target by itself: at most one -1, no element below -1, no 0 beside a -1 with allowzero (19). */
static enum ox_code reshape_check(struct node *n, const struct list *target, struct reshape *r)
{
        bool zero = false;
        struct dim element;

        for (size_t k = 0; k < target->count; k++) {
                if (!list_int(target, k, &element) || !dim_is_int(element))
                        continue;
                const int64_t size = element.val;

                if (size < -1)
                        return node_error(n, REASON_NEGATIVE_SIZE, 1,
                                          "element %zu of the shape must be -1 or more, got %lld", k, (long long)size);
                if (size == -1 && r->infers)
                        return node_error(n, REASON_SHAPE_AMBIGUOUS, 1,
                                          "the shape may have only one -1, element %zu is a second one", k);
                r->infers = r->infers || size == -1;
                zero = zero || size == 0;
        }
        if (r->infers && zero && reshape_allows_zero(n))
                return node_error(n, REASON_SHAPE_AMBIGUOUS, 1,
                                  "the shape has both 0 and -1, which allowzero=1 leaves undetermined");
        return OX_OK;
}

/* Whether one of the input's dimensions is the same expression, which must be a size then. */
static bool reshape_has_size(const struct node *n, struct dim dim)
{
        for (int d = 0; in_has_rank(n, 0) && d < in_rank(n, 0); d++)
                if (dim_same(in_dim(n, 0, d), dim))
                        return true;
        return false;
}

/* The size for one element of the target; sets *ret_open if the element leaves it open. An expression of unknown sign
   may be -1, unless another element is -1, or the expression is a size of the input. */
static enum ox_code reshape_size(struct node *n, const struct list *target, int axis, const struct reshape *r,
                                 struct dim *ret, bool *ret_open)
{
        struct dim element;

        *ret_open = !list_int(target, (size_t)axis, &element);
        if (*ret_open)
                return OX_OK;
        if (dim_is_int(element)) {
                *ret = element;
                *ret_open = element.val == -1;
                if (element.val != 0 || reshape_allows_zero(n))
                        return OX_OK;
                if (!in_has_rank(n, 0)) {
                        *ret_open = true;
                        return OX_OK;
                }
                if (axis >= in_rank(n, 0))
                        return node_error(n, REASON_AXIS_OUT_OF_RANGE, 1,
                                          "element %d of the shape is 0, which copies axis %d of %s, which has rank %d",
                                          axis, axis, node_input_text(n, 0), in_rank(n, 0));
                *ret = in_dim(n, 0, axis);
                return OX_OK;
        }
        *ret = dim_resolve(n->dims, element);
        *ret_open = !reshape_has_size(n, *ret) && !r->infers && !scalar_as_size(n, scalar_int(element), ret);
        return OX_OK;
}

/* The products of the input's sizes and of the known output sizes, without their common factors. These cancel wherever
   -1 is defined, because it is undefined if one of them is 0. */
static void reshape_products(struct node *n, const struct reshape *r, struct dim *ret_in, struct dim *ret_out)
{
        int rank = in_rank(n, 0);
        bool *used = arena_zalloc(n->arena, (size_t)(rank + 1) * sizeof(*used));

        *ret_in = *ret_out = dim_int(1);
        for (int d = 0; d < r->rank; d++) {
                int same = 0;

                if (r->n_open > 0 && d == r->open)
                        continue;
                while (same < rank && (used[same] || dim_is(r->dim[d], 0) || !dim_same(in_dim(n, 0, same), r->dim[d])))
                        same++;
                if (same < rank)
                        used[same] = true;
                else
                        *ret_out = dim_mul(n->dims, *ret_out, r->dim[d]);
        }
        for (int d = 0; d < rank; d++)
                if (!used[d])
                        *ret_in = dim_mul(n->dims, *ret_in, in_dim(n, 0, d));
}

static enum ox_code reshape_mismatch(struct node *n, struct dim in, struct dim out, bool is_open)
{
        const char *has = dim_text(n->dims, in);
        const char *wanted = arena_printf(n->arena, "%s%s", is_open ? "a multiple of " : "", dim_text(n->dims, out));

        return node_error_at(n, REASON_DIM_MISMATCH, 1, -1, has, wanted,
                             "%s: %s elements do not fit the requested shape, which needs %s", node_input_text(n, 0),
                             has, wanted);
}

/* Whether it is plain that both shapes have the same number of elements: the sizes with which they begin and end are
   the same, and between them stand numbers with one product. */
static bool reshape_is_plain(const struct node *n, const struct reshape *r)
{
        const struct dim *in = in_shape(n, 0);
        int first = 0, in_end = in_rank(n, 0), out_end = r->rank;
        int64_t in_count = 1, out_count = 1;
        uint32_t symbol;

        while (first < in_end && first < out_end && dim_same(in[first], r->dim[first]))
                first++;
        while (first < in_end && first < out_end && dim_same(in[in_end - 1], r->dim[out_end - 1])) {
                in_end--;
                out_end--;
        }
        for (int d = first; d < in_end; d++)
                if (!dim_is_int(in[d]))
                        return false;
        for (int d = first; d < out_end; d++)
                if (!dim_is_int(r->dim[d]))
                        return false;
        /* No product may overflow, and none of an expression grow past its limits. */
        for (int d = 0; d < in_rank(n, 0); d++)
                if (dim_is_int(in[d]) ? !mul_i64(in_count, in[d].val, &in_count)
                                      : !dim_as_symbol(n->dims, in[d], &symbol))
                        return false;
        for (int d = 0; d < r->rank; d++)
                if (dim_is_int(r->dim[d]) && !mul_i64(out_count, r->dim[d].val, &out_count))
                        return false;
        return in_count == out_count && in_count > 0;
}

/* Input and output have the same number of elements: that determines the one open size, or is a check if there is
   none. */
static enum ox_code reshape_solve(struct node *n, struct reshape *r)
{
        struct dim in, out;

        if (r->n_open == 0 && reshape_is_plain(n, r))
                return OX_OK;
        if (r->n_open == 0) {
                in = dims_product(n, in_dims(n, 0), 0, in_rank(n, 0));
                out = dims_product(n, r->dim, 0, r->rank);
                if (dim_proves_unequal(n->dims, in, out))
                        return reshape_mismatch(n, in, out, false);
                return dim_agree(n, &in, out, 1);
        }
        reshape_products(n, r, &in, &out);
        if (dim_is(out, 0)) {
                if (dim_is_int(in) && in.val != 0)
                        return reshape_mismatch(n, in, out, true);
                r->dim[r->open] = out_fresh(n, 0, r->open);
                return OX_OK;
        }
        if (dim_is_int(in) && dim_is_int(out) && in.val % out.val != 0)
                return reshape_mismatch(n, in, out, true);
        return size_quotient(n, in, out, 0, &r->dim[r->open]);
}

enum ox_code infer_Reshape(struct node *n)
{
        struct list target;
        struct reshape r = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, "shape", 1, false, &target));
        if (target.state != LIST_KNOWN || !rank_allowed(n, target.count, 1))
                return out_elem(n, 0, in_elem(n, 0));
        TRY(reshape_check(n, &target, &r));
        r.rank = (int)target.count;
        r.dim = arena_new_array(n->arena, struct dim, target.count);
        for (int d = 0; d < r.rank; d++) {
                bool open;

                TRY(reshape_size(n, &target, d, &r, &r.dim[d], &open));
                if (open) {
                        r.dim[d] = dim_int(-1);
                        r.open = d;
                        r.n_open++;
                }
        }
        if (r.n_open <= 1 && in_has_rank(n, 0))
                TRY(reshape_solve(n, &r));
        else
                for (int d = 0; d < r.rank; d++)
                        if (dim_is(r.dim[d], -1))
                                r.dim[d] = out_fresh(n, 0, d);
        return out_tensor(n, 0, in_elem(n, 0), r.rank, r.dim);
}

/* -- Expand 8-13 -- */

/* One output size. A size that is neither 1 nor the requested one is an error, so a size above 1 does not change even
   if the requested one is unknown. */
static enum ox_code expand_size(struct node *n, struct dim size, struct scalar wanted, int axis, struct dim *ret)
{
        struct dim target;

        if (element_size(n, wanted, &target)) {
                if (sizes_broadcast(n, size, target, 0, ret))
                        return OX_OK;
                return node_error_at(n, REASON_DIM_MISMATCH, 1, -1, dim_text(n->dims, size), dim_text(n->dims, target),
                                     "%s: size %s does not expand to %s on axis %d of the output",
                                     node_input_text(n, 0), dim_text(n->dims, size), dim_text(n->dims, target), axis);
        }
        *ret = dim_is_int(size) && size.val != 1 ? size : out_fresh(n, 0, axis);
        return OX_OK;
}

enum ox_code infer_Expand(struct node *n)
{
        struct list target;
        struct dim *dims;
        int in = in_rank(n, 0), wanted, rank;

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, NULL, 1, false, &target));
        TRY(list_of_sizes(n, &target, 1));
        if (target.state != LIST_KNOWN || !in_has_rank(n, 0) || !rank_allowed(n, target.count, 1))
                return out_elem(n, 0, in_elem(n, 0));
        wanted = (int)target.count;
        rank = in > wanted ? in : wanted;
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++) {
                int from = d - (rank - in), to = d - (rank - wanted);
                struct dim size = from >= 0 ? in_dim(n, 0, from) : dim_int(1);

                if (to < 0)
                        dims[d] = size;
                else
                        TRY(expand_size(n, size, list_at(&target, to), d, &dims[d]));
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

void content_Expand(struct node *n)
{
        struct element_map map;
        struct grid in;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) || !element_map_new(n, 0, &map))
                return;
        for (int d = 0; d < in.rank; d++) {
                int to = d + map.out.rank - in.rank;

                for (int64_t k = 0; in.dim[d] != 1 && k < map.out.dim[to]; k++)
                        map.offset[to][k] = k * in.stride[d];
        }
        element_map_apply(n, 0, &map, in_content(n, 0), scalar_unknown());
}

/* -- Tile 1-13 -- */

static struct dim tile_size(struct node *n, struct dim size, struct scalar repeats, int axis)
{
        struct dim factor;

        if (dim_is(size, 0))
                return size;
        return element_size(n, repeats, &factor) ? dim_mul(n->dims, size, factor) : out_fresh(n, 0, axis);
}

/* Tile-1 repeats one axis; `tiles` and `axis` are scalars of the input's own type. */
static enum ox_code tile_one_axis(struct node *n)
{
        struct list tiles, along;
        struct dim *dims;
        int64_t number;
        int axis;

        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(list_get(n, NULL, 1, true, &tiles));
        TRY(list_get(n, NULL, 2, true, &along));
        list_whole(n, &tiles);
        list_whole(n, &along);
        TRY(list_of_sizes(n, &tiles, 1));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        if (along.state != LIST_KNOWN || along.count != 1 || !scalar_is_number(list_at(&along, 0), &number))
                return out_rank(n, 0, in_elem(n, 0), in_rank(n, 0));
        TRY(axis_normalize(n, number, in_rank(n, 0), &axis));
        dims = in_dims(n, 0);
        if (tiles.state == LIST_KNOWN && tiles.count == 1)
                dims[axis] = tile_size(n, dims[axis], list_at(&tiles, 0), axis);
        else
                dims[axis] = out_fresh(n, 0, axis);
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}

/* From Tile-6 on there is one factor for each axis, so the number of factors is the rank. */
enum ox_code infer_Tile(struct node *n)
{
        struct list repeats;
        struct dim *dims;
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        if (n->row->since < 6)
                return tile_one_axis(n);
        TRY(list_get(n, NULL, 1, false, &repeats));
        TRY(list_of_sizes(n, &repeats, 1));
        if (!in_has_rank(n, 0)) {
                if (repeats.state != LIST_KNOWN || !rank_allowed(n, repeats.count, 1))
                        return out_elem(n, 0, in_elem(n, 0));
                return out_rank(n, 0, in_elem(n, 0), (int)repeats.count);
        }
        if (repeats.state != LIST_KNOWN)
                return out_rank(n, 0, in_elem(n, 0), rank);
        if (repeats.count != (size_t)rank)
                return node_error_at(n, REASON_RANK_MISMATCH, 1, 0, node_number(n, rank),
                                     node_number(n, (int64_t)repeats.count),
                                     "%s: repeats must have %d elements, one for each axis, got %zu",
                                     node_input_text(n, 0), rank, repeats.count);
        dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++) {
                struct scalar times = list_at(&repeats, d);

                /* Not even of nothing may there be less. */
                if (times.kind == SCALAR_INT)
                        TRY(size_at_least(n, times.d, dim_int(0), 1));
                dims[d] = tile_size(n, dims[d], times, d);
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

void content_Tile(struct node *n)
{
        struct element_map map;
        struct grid in;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) || !element_map_new(n, 0, &map))
                return;
        for (int d = 0; d < in.rank; d++)
                for (int64_t k = 0; k < map.out.dim[d]; k++)
                        map.offset[d][k] = k % in.dim[d] * in.stride[d];
        element_map_apply(n, 0, &map, in_content(n, 0), scalar_unknown());
}
