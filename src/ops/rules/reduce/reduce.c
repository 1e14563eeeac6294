/* Operators that fold axes or work along one: Reduce*, ArgMax, ArgMin, TopK, cumulative sums, Softmax and its
   variants. */
#include "ops/rules/reduce.h"
#include "ops/kit/axes.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"

/* -- Reduce* -- */

/* The axes that a Reduce* folds. */
struct folded {
        bool known, all, none; /* all axes, or none (noop_with_empty_axes), for any rank */
        int count;             /* the number of unknown axes, -1 if it is unknown too */
        const int64_t *axes;
        size_t axes_count;
};

/* `axes` is an attribute at first and an input since 18 (ReduceSum since 13). If omitted or empty it means all axes, or
   none with noop_with_empty_axes. */
static enum ox_code folded_axes(struct node *n, struct folded *ret)
{
        bool noop = attr_int_or(n, "noop_with_empty_axes", 0) != 0;
        struct list list;

        *ret = (struct folded){.count = -1};
        TRY(list_get(n, "axes", 1, true, &list));
        if (list.state == LIST_UNKNOWN)
                return OX_OK;
        if (list.state == LIST_ABSENT || list.count == 0) {
                ret->known = true;
                ret->all = !noop;
                ret->none = noop;
                return OX_OK;
        }
        if (list_numbers(n, &list, &ret->axes)) {
                ret->known = true;
                ret->axes_count = list.count;
                return OX_OK;
        }
        /* Two of several unknown axes may be the same one, which is folded once. */
        ret->count = in_has_rank(n, 0) && list.count == 1 ? 1 : -1;
        return OX_OK;
}

/* Unknown axes are folded: with keepdims each size becomes 1 or does not change. */
static enum ox_code reduce_some(struct node *n, const struct folded *folded, bool keep)
{
        enum elem elem = out_row_elem(n, 0);
        int rank = in_rank(n, 0);
        struct dim *dims;

        if (!keep && rank == 0)
                return out_tensor(n, 0, elem, 0, NULL);
        if (!keep)
                return folded->count < 0 ? out_elem(n, 0, elem) : out_rank(n, 0, elem, rank - folded->count);
        dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++) {
                if (folded->count == rank)
                        dims[d] = dim_int(1);
                else if (!dim_is(dims[d], 1))
                        dims[d] = out_fresh(n, 0, d);
        }
        return out_tensor(n, 0, elem, rank, dims);
}

/* The flags of the folded axes of a known rank. */
static enum ox_code folded_flags(struct node *n, const struct folded *folded, int rank, bool *ret)
{
        for (int d = 0; d < rank; d++)
                ret[d] = folded->all;
        if (folded->all || folded->none)
                return OX_OK;
        for (size_t i = 0; i < folded->axes_count; i++) {
                int axis;

                TRY(axis_normalize(n, folded->axes[i], rank, &axis));
                /* The text does not mention it, and runtimes fold it once. */
                if (ret[axis])
                        node_warn(n, REASON_DUPLICATE_AXIS, -1, "axis %d is given twice; it is reduced once", axis);
                ret[axis] = true;
        }
        return OX_OK;
}

/* ReduceL1, ReduceL2, ReduceLogSum, ReduceLogSumExp, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSum,
   ReduceSumSquare, all versions. */
enum ox_code infer_reduce(struct node *n)
{
        bool keep = attr_int_or(n, "keepdims", 1) != 0, *is;
        enum elem elem = out_row_elem(n, 0);
        int rank = in_rank(n, 0), to = 0;
        struct folded folded;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(folded_axes(n, &folded));
        if (rank == RANK_UNKNOWN)
                return folded.all && !keep ? out_tensor(n, 0, elem, 0, NULL) : out_elem(n, 0, elem);
        if (!folded.known)
                return reduce_some(n, &folded, keep);
        is = arena_new_array(n->arena, bool, (size_t)rank);
        TRY(folded_flags(n, &folded, rank, is));
        dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++) {
                if (!is[d])
                        dims[to++] = dims[d];
                else if (keep)
                        dims[to++] = dim_int(1);
        }
        return out_tensor(n, 0, elem, to, dims);
}

/* QLinearReduceMean 1 of com.microsoft: scale and zero point of the data and of the result have one element each. */
enum ox_code infer_QLinearReduceMean(struct node *n)
{
        for (int i = 1; i <= 4; i++)
                TRY(in_expect_scalar(n, i));
        return infer_reduce(n);
}

/* ReduceSumInteger 1 of com.microsoft: uint32 of uint8, int32 of int8. */
enum ox_code infer_ReduceSumInteger(struct node *n)
{
        TRY(infer_reduce(n));
        struct type made = n->out[0].type;

        if (in_elem(n, 0) == ELEM_UINT8)
                made.elem = ELEM_UINT32;
        else if (in_elem(n, 0) == ELEM_INT8)
                made.elem = ELEM_INT32;
        return out_type(n, 0, &made);
}

/* -- ArgMax, ArgMin 1-13 -- */

enum ox_code infer_arg_extreme(struct node *n)
{
        bool keep = attr_int_or(n, "keepdims", 1) != 0;
        int rank = in_rank(n, 0), axis, to = 0;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, ELEM_INT64);
        TRY(attr_axis(n, "axis", 0, rank, &axis));
        dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++) {
                if (d != axis)
                        dims[to++] = dims[d];
                else if (keep)
                        dims[to++] = dim_int(1);
        }
        return out_tensor(n, 0, ELEM_INT64, to, dims);
}

/* -- operators that keep the shape -- */

/* CumSum 11-14, CumProd 26: the axis is a scalar input. */
enum ox_code infer_cumulative(struct node *n)
{
        int64_t number;
        int axis;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        if (in_has_rank(n, 0) && in_int(n, 1, &number))
                TRY(axis_normalize(n, number, in_rank(n, 0), &axis));
        return out_like(n, 0, in_elem(n, 0), 0);
}

/* Softmax, LogSoftmax, Hardmax 1-13. Before 13 the axes from `axis` on are merged for the computation; the shape is the
   same. */
enum ox_code infer_Softmax(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 0));
        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", n->row->since < 13 ? 1 : -1, in_rank(n, 0), &axis));
        return out_like(n, 0, in_elem(n, 0), 0);
}

/* -- TopK 1-24: `k` is an attribute at first and a vector of one element since 10 -- */

static enum ox_code topk_count(struct node *n, struct scalar *ret)
{
        int64_t number;

        *ret = scalar_unknown();
        if (n->row->since == 1 && attr_int(n, "k", &number))
                *ret = scalar_int(dim_int(number));
        else if (in_content(n, 1) && in_content(n, 1)->count == 1)
                *ret = content_at(in_content(n, 1), 0);
        /* Since 10 the text requires a positive K; runtimes accept 0 and give no elements. */
        if (scalar_is_number(*ret, &number) && number < (n->row->since == 1))
                return node_error(n, REASON_ATTRIBUTE_VALUE, 1, "k must be at least %d, got %lld", n->row->since == 1,
                                  (long long)number);
        return OX_OK;
}

static enum ox_code topk_size(struct node *n, int axis, struct scalar k, struct dim from, struct dim *ret)
{
        if (k.kind != SCALAR_INT) {
                *ret = out_fresh_named(n, 0, axis, "TopK_%s_k", out_name(n, 0));
                dim_assume_most(n->dims, *ret, from);
                return OX_OK;
        }
        *ret = dim_resolve(n->dims, k.d);
        if (!dim_is_int(*ret) || !dim_is_int(from))
                return size_at_least(n, from, *ret, 0);
        if (ret->val > from.val)
                return node_error_at(
                        n, REASON_ATTRIBUTE_VALUE, 1, -1, arena_printf(n->arena, "%lld or less", (long long)from.val),
                        node_number(n, ret->val), "%s: k must be at most the size of axis %d, %lld, got %lld",
                        node_input_text(n, 0), axis, (long long)from.val, (long long)ret->val);
        return OX_OK;
}

/* The sizes of both outputs are the same dimension. A valid K is positive, so an expression is used as the size even if
   its sign is not proven. */
enum ox_code infer_TopK(struct node *n)
{
        int rank = in_rank(n, 0), axis;
        struct scalar k;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(topk_count(n, &k));
        if (rank == RANK_UNKNOWN) {
                TRY(out_elem(n, 0, in_elem(n, 0)));
                return out_elem(n, 1, ELEM_INT64);
        }
        TRY(attr_axis(n, "axis", -1, rank, &axis));
        dims = in_dims(n, 0);
        TRY(topk_size(n, axis, k, dims[axis], &dims[axis]));
        TRY(out_tensor(n, 0, in_elem(n, 0), rank, dims));
        return out_tensor(n, 1, ELEM_INT64, rank, dims);
}
