/* Products of matrices, and determinants. */
#include "ops/rules/linalg.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/scales.h"
#include "ops/kit/sizes.h"

/* A factor of a product, an input of known rank: the axes of its rows and columns, -1 if a vector has none, and its
   first batch axis. */
struct factor {
        int input, rows, columns, batch;
};

/* A vector on the left is a row, on the right a column. */
static struct factor factor_of(const struct node *n, int i, bool left)
{
        int rank = in_rank(n, i);

        if (rank > 1)
                return (struct factor){.input = i, .rows = rank - 2, .columns = rank - 1};
        return (struct factor){.input = i, .rows = left ? -1 : 0, .columns = left ? 0 : -1};
}

/* The number of batch axes. */
static int batch_rank(const struct node *n, const struct factor *f)
{
        return in_rank(n, f->input) > 2 ? in_rank(n, f->input) - 2 : 0;
}

/* The batch axes of both factors, broadcast, if those of one factor begin after its first axis: both have the same
   number then. */
static enum ox_code shifted_batch(struct node *n, const struct factor *l, const struct factor *r, struct dim *dims)
{
        for (int d = 0; d < batch_rank(n, l); d++) {
                struct place left = {l->input, l->batch + d}, right = {r->input, r->batch + d};
                struct dim a = in_dim(n, left.input, left.axis), b = in_dim(n, right.input, right.axis);

                if (!dim_broadcast(n->dims, a, b, &dims[d]))
                        return sizes_differ(n, a, left, b, right, NULL);
        }
        return OX_OK;
}

/* Whether the right factor is a matrix, as weights are, and the left one has its columns last: the result's shape is
   that of the left one with other columns. */
static bool is_by_matrix(const struct node *n, const struct factor *l, const struct factor *r)
{
        return l->batch == 0 && r->batch == 0 && in_rank(n, r->input) == 2 && l->rows >= 0 &&
               l->columns == in_rank(n, l->input) - 1;
}

static enum ox_code multiply_by_matrix(struct node *n, const struct factor *l, const struct factor *r)
{
        const int rank = in_rank(n, l->input);
        const struct dim *shape = in_shape(n, l->input), columns = in_dim(n, r->input, r->columns);
        struct dim *dims;

        if (dim_same(shape[rank - 1], columns))
                return out_tensor(n, 0, out_row_elem(n, 0), rank, shape);
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++)
                dims[d] = d < rank - 1 ? shape[d] : columns;
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* Multiplies two factors as numpy.matmul does: the axis that makes a vector a matrix is removed from the result. */
static enum ox_code multiply(struct node *n, const struct factor *l, const struct factor *r)
{
        int rank = batch_rank(n, l);
        const struct dim *batch = NULL;
        struct dim *dims, inner = in_dim(n, l->input, l->columns);

        TRY(in_agree_with(n, &inner, r->input, r->rows, (struct place){l->input, l->columns}));
        if (is_by_matrix(n, l, r))
                return multiply_by_matrix(n, l, r);
        if (l->batch == 0 && r->batch == 0)
                TRY(broadcast_shapes(n, &(struct broadcast_side){rank, in_shape(n, l->input), l->input},
                                     &(struct broadcast_side){batch_rank(n, r), in_shape(n, r->input), r->input}, &rank,
                                     &batch));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank + 2);
        if (!batch)
                TRY(shifted_batch(n, l, r, dims));
        for (int d = 0; batch && d < rank; d++)
                dims[d] = batch[d];
        if (l->rows >= 0)
                dims[rank++] = in_dim(n, l->input, l->rows);
        if (r->columns >= 0)
                dims[rank++] = in_dim(n, r->input, r->columns);
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

static enum ox_code expect_factors(struct node *n, int l, int r)
{
        TRY(in_expect_tensor(n, l));
        TRY(in_expect_tensor(n, r));
        TRY(in_expect_rank_least(n, l, 1));
        return in_expect_rank_least(n, r, 1);
}

static enum ox_code matmul(struct node *n, int l, int r)
{
        TRY(expect_factors(n, l, r));
        if (!in_has_rank(n, l) || !in_has_rank(n, r))
                return out_elem(n, 0, out_row_elem(n, 0));
        struct factor left = factor_of(n, l, true), right = factor_of(n, r, false);

        return multiply(n, &left, &right);
}

/* FusedMatMul's transpositions: with transBatch the first axis becomes the rows, and the axes after it are batch axes;
   with trans rows and columns are swapped, which does not apply to a vector. */
static void transpose(struct node *n, struct factor *f, const char *trans, bool trans_batch)
{
        int rows;

        if (trans_batch) {
                f->rows = 0;
                f->batch = 1;
        }
        if (attr_int_or(n, trans, 0) == 0 || in_rank(n, f->input) < 2)
                return;
        rows = f->rows;
        f->rows = f->columns;
        f->columns = rows;
}

/* FusedMatMul 1, FusedMatMulActivation 1, TransposeMatMul 1 of com.microsoft. With transBatchA or transBatchB both have
   the same rank, at least 3. */
enum ox_code infer_FusedMatMul(struct node *n)
{
        bool batch_a = attr_int_or(n, "transBatchA", 0) != 0, batch_b = attr_int_or(n, "transBatchB", 0) != 0;

        TRY(expect_factors(n, 0, 1));
        if (batch_a || batch_b) {
                TRY(in_expect_rank_least(n, 0, 3));
                TRY(in_expect_rank_least(n, 1, 3));
                if (in_has_rank(n, 0))
                        TRY(in_expect_rank(n, 1, in_rank(n, 0)));
        }
        if (!in_has_rank(n, 0) || !in_has_rank(n, 1))
                return out_elem(n, 0, out_row_elem(n, 0));
        struct factor a = factor_of(n, 0, true), b = factor_of(n, 1, false);

        transpose(n, &a, "transA", batch_a);
        transpose(n, &b, "transB", batch_b);
        return multiply(n, &a, &b);
}

/* MatMul 1-13, MatMulInteger 10 (the row gives the type, int32); DynamicQuantizeMatMul 1, GemmFastGelu 1 and
   MatMulIntegerToFloat 1 of com.microsoft. */
enum ox_code infer_MatMul(struct node *n)
{
        return matmul(n, 0, 1);
}

/* MatMulInteger16 1 of com.microsoft: uint32 of two matrices of uint16, else int32. */
enum ox_code infer_MatMulInteger16(struct node *n)
{
        enum elem a = in_elem(n, 0), b = in_elem(n, 1);

        TRY(matmul(n, 0, 1));
        struct type made = n->out[0].type;

        if (a == ELEM_UINT16 && b == ELEM_UINT16)
                made.elem = ELEM_UINT32;
        else if (a == ELEM_INT16 || b == ELEM_INT16)
                made.elem = ELEM_INT32;
        return out_type(n, 0, &made);
}

/* QLinearMatMul 10, 21: each matrix is followed by scale and zero point; the result has the type of its zero point. */
enum ox_code infer_QLinearMatMul(struct node *n)
{
        TRY(scale_agree(n, 1, 2));
        TRY(scale_agree(n, 4, 5));
        TRY(scale_agree(n, 6, 7));
        return matmul(n, 0, 3);
}

/* One of Gemm's matrices. Returns the size that the result takes from axis `outer`, which is the same axis in the
   result; fresh if the rank is unknown. Sets *ret_inner to the size that is summed over, if the rank is known. */
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

/* C broadcasts to [M, N]; before 7 only with the attribute `broadcast`, and without it C must have that shape. The
   result is [M, N] in any case, so another C is only a warning: runtimes run such old models. */
static enum ox_code gemm_addend(struct node *n, int c, struct dim *dims)
{
        bool broadcast = !op_find_attr(n->row, "broadcast") || attr_int_or(n, "broadcast", 0) != 0;

        if (!broadcast && in_has_rank(n, c) && in_rank(n, c) != 2)
                node_warn(n, REASON_RANK_MISMATCH, c, "%s: expected rank 2 while broadcast is 0, got %d",
                          node_input_text(n, c), in_rank(n, c));
        return broadcast_into(n, 2, dims, c);
}

/* [M, K], input 0, times [K, N], input `b`, gives [M, N]. */
static enum ox_code gemm(struct node *n, int b, struct dim *ret)
{
        struct place inner = PLACE_NONE, other = PLACE_NONE;
        struct dim size;

        TRY(gemm_operand(n, 0, 0, "transA", &ret[0], &inner));
        TRY(gemm_operand(n, b, 1, "transB", &ret[1], &other));
        if (inner.axis >= 0 && other.axis >= 0) {
                size = in_dim(n, inner.input, inner.axis);
                TRY(in_agree_with(n, &size, other.input, other.axis, inner));
        }
        return OX_OK;
}

/* Gemm 1-13, FusedGemm 1 of com.microsoft */
enum ox_code infer_Gemm(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);

        TRY(gemm(n, 1, dims));
        if (in_given(n, 2))
                TRY(gemm_addend(n, 2, dims));
        return out_tensor(n, 0, out_row_elem(n, 0), 2, dims);
}

/* GemmFloat8 1 of com.microsoft: the text does not give C's shape. */
enum ox_code infer_GemmFloat8(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);

        TRY(gemm(n, 1, dims));
        return out_tensor(n, 0, out_row_elem(n, 0), 2, dims);
}

/* QGemm 1 of com.microsoft: A and B are each followed by scale and zero point, those of B possibly one for each column.
   Y has the type of its zero point, or float if its scale is omitted. */
enum ox_code infer_QGemm(struct node *n)
{
        enum { A_SCALE = 1, A_ZERO, B, B_SCALE, B_ZERO, C, Y_SCALE, Y_ZERO };
        static const int single[] = {A_SCALE, A_ZERO, Y_SCALE, Y_ZERO};
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);
        enum elem elem = in_elem(n, Y_ZERO);

        for (size_t k = 0; k < sizeof(single) / sizeof(single[0]); k++)
                TRY(in_expect_scalar(n, single[k]));
        TRY(gemm(n, B, dims));
        if (in_given(n, C))
                TRY(gemm_addend(n, C, dims));
        TRY(per_channel_agree(n, B_SCALE, &dims[1]));
        TRY(per_channel_agree(n, B_ZERO, &dims[1]));
        if (!in_given(n, Y_SCALE) && !in_given(n, Y_ZERO))
                elem = ELEM_FLOAT;
        return out_tensor(n, 0, elem, 2, dims);
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
