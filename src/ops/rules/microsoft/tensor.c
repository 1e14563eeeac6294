/* Operators of com.microsoft that slice and compare tensors, and operators on matrices and spectra. */
#include "ops/kit/axes.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* CDist 1: A (M, N), B (K, N), and C has the distance of each pair, (M, K). */
enum ox_code infer_CDist(struct node *n)
{
        struct size M = {0}, N = {0}, K = {0};

        TRY(IN_SIZED(n, 0, &M, &N));
        TRY(IN_SIZED(n, 1, &K, &N));
        return OUT_SIZED(n, 0, &M, &K);
}

/* DynamicTimeWarping 1: the input is M x N, or 1 x M x N; the path is [2, x] with max(M, N) <= x < M + N. */
enum ox_code infer_DynamicTimeWarping(struct node *n)
{
        struct size one = size_int(1), two = size_int(2), M = {0}, N = {0}, path = {0};
        struct dim most;

        TRY(in_expect_tensor(n, 0));
        if (in_rank(n, 0) == 3)
                TRY(IN_SIZED(n, 0, &one, &M, &N));
        else if (in_has_rank(n, 0) && in_rank(n, 0) != 2)
                return in_rank_fault(n, 0, "2 or 3");
        else
                TRY(IN_SIZED(n, 0, &M, &N));
        if (M.known && N.known) {
                most = dim_sub(n->dims, dim_add(n->dims, M.dim, N.dim), dim_int(1));
                path = (struct size){.known = true, .dim = most};
                if (!dim_is(M.dim, 1) && !dim_is(N.dim, 1))
                        path.dim = out_fresh_at_most(n, 0, 1, dim_max(n->dims, most, dim_int(0)));
        }
        return OUT_SIZED(n, 0, &two, &path);
}

/* ExpandDims 1: the axis is one of the output. */
enum ox_code infer_ExpandDims(struct node *n)
{
        int rank = in_rank(n, 0), axis;
        int64_t number;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        if (!in_int(n, 1, &number))
                return out_rank(n, 0, out_row_elem(n, 0), rank + 1);
        TRY(axis_normalize(n, number, rank + 1, &axis));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);

        for (int d = 0; d <= rank; d++)
                dims[d] = d == axis ? dim_int(1) : in_dim(n, 0, d < axis ? d : d - 1);
        return out_tensor(n, 0, out_row_elem(n, 0), rank + 1, dims);
}

/* Inverse 1: "every matrix in the batch must be invertible", so the last two axes are equal. */
enum ox_code infer_Inverse(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        struct dim *dims = in_dims(n, 0);

        TRY(in_agree_with(n, &dims[rank - 2], 0, rank - 1, (struct place){0, rank - 2}));
        dims[rank - 1] = dims[rank - 2];
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* IsAllFinite 1: "the output scalar". */
enum ox_code infer_IsAllFinite(struct node *n)
{
        for (int i = 0; i < n->n_in; i++)
                TRY(in_expect_tensor(n, i));
        return out_tensor(n, 0, out_row_elem(n, 0), 0, NULL);
}

/* Rfft 1: n samples become n // 2 + 1 complex numbers, whose parts are a new last axis. The text says so for a signal
   of one axis, the last. */
enum ox_code infer_Rfft(struct node *n)
{
        int64_t axes = attr_int_or(n, "signal_ndim", 0);
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, axes > INT32_MAX ? INT32_MAX : axes > 1 ? (int)axes : 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);

        for (int d = 0; d < rank; d++)
                dims[d] = axes > 0 && d < rank - axes ? in_dim(n, 0, d) : out_fresh(n, 0, d);
        if (axes == 1)
                dims[rank - 1] =
                        dim_add(n->dims, dim_floordiv(n->dims, in_dim(n, 0, rank - 1), dim_int(2)), dim_int(1));
        dims[rank] = dim_int(2);
        return out_tensor(n, 0, out_row_elem(n, 0), rank + 1, dims);
}

/* Irfft 1: the inverse of Rfft, of which "n is an even number". */
enum ox_code infer_Irfft(struct node *n)
{
        int64_t axes = attr_int_or(n, "signal_ndim", 1);
        int rank = in_rank(n, 0);
        struct dim two = dim_int(2);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, axes > INT32_MAX - 1 ? INT32_MAX : (int)axes + 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(in_agree(n, &two, 0, rank - 1));
        struct dim *dims = in_dims(n, 0);

        for (int d = rank - 1 - (int)axes; d < rank - 1; d++)
                if (axes > 1)
                        dims[d] = out_fresh(n, 0, d);
                else
                        dims[d] = dim_mul(n->dims, two, dim_sub(n->dims, dims[d], dim_int(1)));
        return out_tensor(n, 0, out_row_elem(n, 0), rank - 1, dims);
}

/* SparseToDenseMatMul 1: A is a matrix, (M, K), or with transA (K, M). B is "N-dimensional"; the text does not define
   the result for more than two axes. */
enum ox_code infer_SparseToDenseMatMul(struct node *n)
{
        struct size M = {0}, K = {0}, N = {0};
        bool a = attr_int_or(n, "transA", 0) != 0, b = attr_int_or(n, "transB", 0) != 0;

        TRY(IN_SIZED(n, 0, a ? &K : &M, a ? &M : &K));
        TRY(in_expect_tensor(n, 1));
        if (in_rank(n, 1) != 2)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(IN_SIZED(n, 1, b ? &N : &K, b ? &K : &N));
        return OUT_SIZED(n, 0, &M, &N);
}

/* UnfoldTensor 1: (sizedim - size) / step + 1 slices, and a new axis of `size`. The text gives `dim` and `step` no
   defaults; runtime 1.30 takes the last axis, and 1. */
enum ox_code infer_UnfoldTensor(struct node *n)
{
        struct dim size = dim_int(attr_int_or(n, "size", 0)), step = dim_int(attr_int_or(n, "step", 1)), *dims;
        int rank = in_rank(n, 0), axis;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(attr_axis(n, "dim", -1, rank, &axis));
        TRY(size_at_least(n, in_dim(n, 0, axis), size, 0));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, 0, d);
        dims[axis] = dim_floordiv(n->dims, dim_sub(n->dims, dims[axis], size), step);
        dims[axis] = dim_add(n->dims, dims[axis], dim_int(1));
        dims[rank] = size;
        return out_tensor(n, 0, out_row_elem(n, 0), rank + 1, dims);
}
