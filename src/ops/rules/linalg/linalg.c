/* Products of matrices, and determinants. */
#include "ops/rules/linalg.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/scales.h"
#include "ops/kit/sizes.h"

/* Inputs `l` and `r` multiplied as numpy.matmul does: a vector on the left is a row, on the right a column, and the
   axis that this takes is gone from the result. */
static enum ox_code matmul(struct node *n, int l, int r)
{
        int a = in_rank(n, l), b = in_rank(n, r), rank;
        const struct dim *left, *right, *batch;
        struct dim *dims, inner;

        TRY(in_expect_tensor(n, l));
        TRY(in_expect_tensor(n, r));
        TRY(in_expect_rank_least(n, l, 1));
        TRY(in_expect_rank_least(n, r, 1));
        if (a == RANK_UNKNOWN || b == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        left = in_shape(n, l);
        right = in_shape(n, r);
        inner = left[a - 1];
        TRY(in_agree_with(n, &inner, r, b > 1 ? b - 2 : 0, (struct place){l, a - 1}));
        TRY(broadcast_shapes(n, &(struct broadcast_side){a > 2 ? a - 2 : 0, left, l},
                             &(struct broadcast_side){b > 2 ? b - 2 : 0, right, r}, &rank, &batch));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank + 2);
        for (int d = 0; d < rank; d++)
                dims[d] = batch[d];
        if (a > 1)
                dims[rank++] = left[a - 2];
        if (b > 1)
                dims[rank++] = right[b - 1];
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* MatMul 1-13, MatMulInteger 10 (the row tells the type, int32) */
enum ox_code infer_MatMul(struct node *n)
{
        return matmul(n, 0, 1);
}

/* QLinearMatMul 10, 21: scale and zero point stand behind either matrix; the result's zero point tells its type. */
enum ox_code infer_QLinearMatMul(struct node *n)
{
        TRY(scale_agree(n, 1, 2));
        TRY(scale_agree(n, 4, 5));
        TRY(scale_agree(n, 6, 7));
        return matmul(n, 0, 3);
}

/* One of Gemm's matrices: the size that the result takes from it, fresh where the rank is unknown, and the one that is
   summed over, at *ret_inner, if the rank is known. `outer` is the axis of the former, in the matrix and in the result.
 */
static enum ox_code gemm_operand(struct node *n, int i, int outer, const char *transposed, struct dim *ret_outer,
                                 struct place *ret_inner)
{
        int axis = attr_int_or(n, transposed, 0) != 0 ? 1 - outer : outer;

        TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank(n, i, 2));
        if (!in_has_rank(n, i)) {
                *ret_outer = out_fresh(n, 0, outer);
                return OX_OK;
        }
        *ret_outer = in_dim(n, i, axis);
        *ret_inner = (struct place){i, 1 - axis};
        return OX_OK;
}

/* C broadcasts into [M, N]; before 7 only with the attribute `broadcast`, and is of that shape itself without it. The
   result is [M, N] even so, and a C that is not is a warning: models of that age run. */
static enum ox_code gemm_addend(struct node *n, struct dim *dims)
{
        bool broadcast = op_find_attr(n->row, "broadcast") == NULL || attr_int_or(n, "broadcast", 0) != 0;

        if (!broadcast && in_has_rank(n, 2) && in_rank(n, 2) != 2)
                node_warn(n, REASON_RANK_MISMATCH, 2, "C has rank %d and must have rank 2 while broadcast is 0",
                          in_rank(n, 2));
        return broadcast_into(n, 2, dims, 2);
}

/* Gemm 1-13: [M, K] times [K, N] is [M, N]. */
enum ox_code infer_Gemm(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2), size;
        struct place inner = PLACE_NONE, other = PLACE_NONE;

        TRY(gemm_operand(n, 0, 0, "transA", &dims[0], &inner));
        TRY(gemm_operand(n, 1, 1, "transB", &dims[1], &other));
        if (inner.axis >= 0 && other.axis >= 0) {
                size = in_dim(n, inner.input, inner.axis);
                TRY(in_agree_with(n, &size, other.input, other.axis, inner));
        }
        if (in_given(n, 2))
                TRY(gemm_addend(n, dims));
        return out_tensor(n, 0, out_row_elem(n, 0), 2, dims);
}

/* Det 11-22: [*, M, M] gives [*]. */
enum ox_code infer_Det(struct node *n)
{
        int rank = in_rank(n, 0);
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        dims = in_dims(n, 0);
        TRY(in_agree_with(n, &dims[rank - 2], 0, rank - 1, (struct place){0, rank - 2}));
        return out_tensor(n, 0, out_row_elem(n, 0), rank - 2, dims);
}
