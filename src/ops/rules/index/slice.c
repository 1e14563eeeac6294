/* Slice, versions 1 (attributes) and 10-13 (inputs), and the experimental DynamicSlice 1, which has inputs without
   steps. */
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/index.h"

/* The operands for one axis. */
struct slice_axis {
        bool sliced;
        struct scalar start, end, step;
};

struct slice {
        int rank;
        bool axes_known; /* false: any axis may be sliced */
        struct slice_axis *axis;
};

/* -- the operands -- */

/* Starts, ends and steps have one element for each axis; otherwise error LENGTH_MISMATCH. */
static enum ox_code slice_expect_length(struct node *n, const struct list *list, size_t count, const char *what)
{
        if (list->state != LIST_KNOWN || list->count == count)
                return OX_OK;
        return node_error_at(n, REASON_LENGTH_MISMATCH, -1, -1, node_number(n, (int64_t)count),
                             node_number(n, (int64_t)list->count),
                             "%s must have as many elements as starts, %zu, got %zu", what, count, list->count);
}

/* Element `k` of a list; `otherwise` if the list is omitted. */
static struct scalar slice_element(const struct list *list, size_t k, struct scalar otherwise)
{
        if (list->state == LIST_KNOWN)
                return list_at(list, k);
        return list->state == LIST_ABSENT ? otherwise : scalar_unknown();
}

/* The sliced axes, in the order of the starts; *ret_known is false if one is unknown. Slice-1 does not define negative
   axes, so they count as unknown. */
static enum ox_code slice_axes(struct node *n, const struct list *axes, size_t count, int rank, const int64_t **ret,
                               bool *ret_known)
{
        int64_t *numbers;
        bool *seen;

        *ret_known = false;
        if (axes->state == LIST_ABSENT) {
                numbers = arena_new_array(n->arena, int64_t, count);
                for (size_t k = 0; k < count; k++)
                        numbers[k] = (int64_t)k;
                *ret = numbers;
        } else if (!list_numbers(n, axes, ret)) {
                return OX_OK;
        }
        for (size_t k = 0; k < count; k++)
                if ((*ret)[k] < 0 && n->row->since < 10)
                        return axes_distinct(n, *ret, count, -1);
        seen = arena_zalloc(n->arena, (size_t)(rank + 1) * sizeof(*seen));
        TRY(axes_normalize(n, *ret, count, rank, seen));
        *ret_known = true;
        return OX_OK;
}

/* The number of starts; false if no operand determines it. */
static bool slice_count(const struct list *starts, const struct list *ends, const struct list *axes, size_t *ret)
{
        const struct list *known = starts->state == LIST_KNOWN ? starts : ends->state == LIST_KNOWN ? ends : axes;

        *ret = known->count;
        return known->state == LIST_KNOWN;
}

/* Reads the operands, and checks what must hold for all slices. */
struct slice_lists {
        struct list starts, ends, axes, steps;
        size_t count;
        bool counted; /* whether an operand determines `count` */
};

static enum ox_code slice_lists(struct node *n, struct slice_lists *ret)
{
        int64_t step;

        *ret = (struct slice_lists){.steps = {.state = LIST_ABSENT}};
        TRY(list_get(n, "starts", 1, false, &ret->starts));
        TRY(list_get(n, "ends", 2, false, &ret->ends));
        TRY(list_get(n, "axes", 3, false, &ret->axes));
        if (n->row->since >= 10)
                TRY(list_get(n, NULL, 4, false, &ret->steps));
        for (size_t k = 0; ret->steps.state == LIST_KNOWN && k < ret->steps.count; k++)
                if (scalar_is_number(list_at(&ret->steps, k), &step) && step == 0)
                        return node_error(n, REASON_STEP_ZERO, 4, "element %zu of steps must not be 0", k);
        ret->counted = slice_count(&ret->starts, &ret->ends, &ret->axes, &ret->count);
        if (!ret->counted)
                return OX_OK;
        TRY(slice_expect_length(n, &ret->ends, ret->count, "ends"));
        TRY(slice_expect_length(n, &ret->axes, ret->count, "axes"));
        return slice_expect_length(n, &ret->steps, ret->count, "steps");
}

static enum ox_code slice_parse(struct node *n, const struct slice_lists *lists, struct slice *ret)
{
        struct scalar one = scalar_int(dim_int(1));
        const int64_t *numbers = NULL;

        ret->rank = in_rank(n, 0);
        ret->axes_known = false;
        ret->axis = arena_zalloc(n->arena, (size_t)(ret->rank + 1) * sizeof(*ret->axis));
        if (!lists->counted)
                return OX_OK;
        TRY(slice_axes(n, &lists->axes, lists->count, ret->rank, &numbers, &ret->axes_known));
        for (size_t k = 0; ret->axes_known && k < lists->count; k++) {
                int64_t axis = numbers[k] < 0 ? numbers[k] + ret->rank : numbers[k];

                ret->axis[axis] = (struct slice_axis){.sliced = true,
                                                      .start = slice_element(&lists->starts, k, scalar_unknown()),
                                                      .end = slice_element(&lists->ends, k, scalar_unknown()),
                                                      .step = slice_element(&lists->steps, k, one)};
        }
        return OX_OK;
}

/* -- in numbers -- */

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
        return value > high ? high : value < low ? low : value;
}

/* The position where slicing begins, clamped to [0, size] forwards and to [0, size - 1] backwards; -1 backwards in an
   empty axis. */
static int64_t slice_first(int64_t size, int64_t start, int64_t step)
{
        return clamp(start < 0 ? start + size : start, 0, step > 0 ? size : size - 1);
}

static int64_t slice_length(int64_t size, int64_t start, int64_t end, int64_t step)
{
        int64_t first = slice_first(size, start, step), distance;

        end = end < 0 ? end + size : end;
        distance = step > 0 ? clamp(end, 0, size) - first : first - clamp(end, -1, size - 1);
        if (distance <= 0)
                return 0;
        if (step == INT64_MIN)
                return 1;
        return (distance - 1) / (step > 0 ? step : -step) + 1;
}

/* -- in expressions -- */

/* A start or end as a position from the front of the axis, before it is clamped. */
struct bound {
        enum { BOUND_BELOW_ALL, BOUND_AT, BOUND_ABOVE_ALL } kind;
        struct dim at;
};

/* False if the sign is unknown, which says from which end of the axis the position counts. On an axis of unknown size,
   numbers of at least INT32_MAX, or below its negative, mean "to the end", as the specification recommends. */
static bool slice_bound(struct node *n, struct dim size, struct scalar value, struct bound *ret)
{
        int64_t number;

        *ret = (struct bound){.kind = BOUND_AT};
        if (value.kind != SCALAR_INT)
                return false;
        ret->at = value.d;
        if (scalar_is_number(value, &number)) {
                int64_t most = dim_is_int(size) ? size.val : INT32_MAX;

                if (number >= most)
                        ret->kind = BOUND_ABOVE_ALL;
                else if (number < -most)
                        ret->kind = BOUND_BELOW_ALL;
                else if (number < 0)
                        ret->at = dim_add(n->dims, size, value.d);
                return true;
        }
        if (dim_proves_ge(n->dims, value.d, dim_int(0)))
                return true;
        if (dim_proves_ge(n->dims, dim_int(-1), value.d)) {
                ret->at = dim_add(n->dims, size, value.d);
                return true;
        }
        /* -seq counts from the back unless it is 0, which would take only an empty tensor. */
        struct dim back = dim_sub(n->dims, dim_int(0), value.d);

        if (dim_proves_ge(n->dims, back, dim_int(0)) && dim_presume_some(n->dims, back)) {
                ret->at = dim_add(n->dims, size, value.d);
                return true;
        }
        /* A size is not negative, even if that is not proven. size - 1 is negative only for an empty axis, where both
           readings give an empty slice. */
        return dim_same(value.d, size) || dim_same(value.d, dim_sub(n->dims, size, dim_int(1)));
}

/* The operands of a minimum, without those that are never less than another one. */
struct terms {
        struct dim at[4];
        int count;
};

static void terms_add(struct node *n, struct terms *terms, struct dim term)
{
        int kept = 0;

        for (int k = 0; k < terms->count; k++)
                if (dim_proves_ge(n->dims, term, terms->at[k]))
                        return;
        for (int k = 0; k < terms->count; k++)
                if (!dim_proves_ge(n->dims, terms->at[k], term))
                        terms->at[kept++] = terms->at[k];
        terms->count = kept;
        terms->at[terms->count++] = term;
}

/* max(ceil(least term / step), 0): rounding is monotonic, so the minimum can be divided. The size of an axis that is
   kept whole is not negative, even if that is not proven. */
static struct dim terms_length(struct node *n, const struct terms *terms, struct dim size, int64_t step)
{
        struct dim least = terms->at[0];

        for (int k = 1; k < terms->count; k++)
                least = dim_min(n->dims, least, terms->at[k]);
        if (step != 1)
                least = dim_ceildiv(n->dims, least, dim_int(step));
        return dim_same(least, size) ? size : greater_dim(n, least, dim_int(0));
}

/* Forwards: min(end, size) - max(start, 0). The start's upper and the end's lower clamp do not matter, because past
   them the difference is not positive anyway. */
static struct dim slice_forward(struct node *n, struct dim size, const struct bound *start, const struct bound *end,
                                int64_t step)
{
        struct terms terms = {.count = 0};
        struct dim last[2] = {size, end->at};

        if (start->kind == BOUND_ABOVE_ALL || end->kind == BOUND_BELOW_ALL)
                return dim_int(0);
        for (int k = 0; k < (end->kind == BOUND_AT ? 2 : 1); k++) {
                bool front = start->kind == BOUND_BELOW_ALL || dim_proves_ge(n->dims, dim_int(0), start->at);

                if (!front)
                        terms_add(n, &terms, dim_sub(n->dims, last[k], start->at));
                if (front || !dim_proves_ge(n->dims, start->at, dim_int(0)))
                        terms_add(n, &terms, last[k]);
        }
        return terms_length(n, &terms, size, step);
}

/* Backwards: min(max(start, 0), size - 1) - max(end, -1); the end's upper clamp does not matter. */
static struct dim slice_backward(struct node *n, struct dim size, const struct bound *start, const struct bound *end,
                                 int64_t step)
{
        struct terms terms = {.count = 0};
        struct dim first[2] = {dim_sub(n->dims, size, dim_int(1)), dim_int(0)};

        if (end->kind == BOUND_ABOVE_ALL)
                return dim_int(0);
        if (start->kind == BOUND_AT)
                first[1] = greater_dim(n, start->at, dim_int(0));
        for (int k = 0; k < (start->kind == BOUND_ABOVE_ALL ? 1 : 2); k++) {
                bool all = end->kind == BOUND_BELOW_ALL || dim_proves_ge(n->dims, dim_int(-1), end->at);

                if (!all)
                        terms_add(n, &terms, dim_sub(n->dims, first[k], end->at));
                if (all || !dim_proves_ge(n->dims, end->at, dim_int(-1)))
                        terms_add(n, &terms, dim_add(n->dims, first[k], dim_int(1)));
        }
        return terms_length(n, &terms, size, step == INT64_MIN ? INT64_MAX : -step);
}

/* -- the rules -- */

/* The size of one axis after slicing. */
static enum ox_code slice_size(struct node *n, const struct slice_axis *axis, int d, struct dim *dim)
{
        int64_t start, end, step;
        struct bound from, to;
        struct dim size = *dim;

        if (dim_is(size, 0))
                return OX_OK;
        if (!scalar_is_number(axis->step, &step) || axis->start.kind != SCALAR_INT || axis->end.kind != SCALAR_INT) {
                *dim = out_fresh_at_most(n, 0, d, size);
                return OX_OK;
        }
        if (dim_is_int(size) && scalar_is_number(axis->start, &start) && scalar_is_number(axis->end, &end))
                *dim = dim_int(slice_length(size.val, start, end, step));
        else if (!slice_bound(n, size, axis->start, &from) || !slice_bound(n, size, axis->end, &to))
                *dim = out_fresh_at_most(n, 0, d, size);
        else if (step > 0)
                *dim = slice_forward(n, size, &from, &to, step);
        else
                *dim = slice_backward(n, size, &from, &to, step);
        return OX_OK;
}

/* Slice (1, 10, 11, 13). Only the sliced axes change, so the other axes are known even if starts and ends are not. */
enum ox_code infer_Slice(struct node *n)
{
        struct slice_lists lists;
        struct slice slice;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(slice_lists(n, &lists));
        if (!in_has_rank(n, 0)) {
                const int64_t *axes;

                if (lists.axes.state == LIST_KNOWN && list_numbers(n, &lists.axes, &axes))
                        TRY(axes_distinct(n, axes, lists.axes.count, 3));
                return out_elem(n, 0, in_elem(n, 0));
        }
        TRY(slice_parse(n, &lists, &slice));
        dims = in_dims(n, 0);
        for (int d = 0; d < slice.rank; d++) {
                if (!slice.axes_known)
                        dims[d] = out_fresh_at_most(n, 0, d, dims[d]);
                else if (slice.axis[d].sliced)
                        TRY(slice_size(n, &slice.axis[d], d, &dims[d]));
        }
        return out_tensor(n, 0, in_elem(n, 0), slice.rank, dims);
}

void content_Slice(struct node *n)
{
        struct slice_lists lists;
        struct slice slice;
        struct element_map map;
        struct grid in;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) || !element_map_new(n, 0, &map) ||
            slice_lists(n, &lists) != OX_OK || slice_parse(n, &lists, &slice) != OX_OK || !slice.axes_known)
                return;
        for (int d = 0; d < in.rank; d++) {
                int64_t first = 0, step = 1;

                if (slice.axis[d].sliced) {
                        if (!scalar_is_number(slice.axis[d].start, &first) ||
                            !scalar_is_number(slice.axis[d].step, &step))
                                return;
                        first = slice_first(in.dim[d], first, step);
                }
                for (int64_t k = 0; k < map.out.dim[d]; k++) /* a step past the last one may overflow */
                        map.offset[d][k] = (first + k * step) * in.stride[d];
        }
        element_map_apply(n, 0, &map, in_content(n, 0), scalar_unknown());
}
