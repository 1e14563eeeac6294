/* Operators of com.microsoft that add a bias and do something more. */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* BiasGelu 1: B is "a 1D tensor", one element for each of the last axis of A. FastGelu 1: the same for `bias`, which is
   optional. */
enum ox_code infer_bias_gelu(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank(n, 1, 1));
        if (rank <= 0 || !in_has_rank(n, 1))
                return out_like(n, 0, out_row_elem(n, 0), 0);
        struct dim *dims = in_dims(n, 0);

        TRY(in_agree(n, &dims[rank - 1], 1, 0));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* BiasAdd 1: X and skip (N, S, C), bias (C). */
enum ox_code infer_BiasAdd(struct node *n)
{
        struct size N = {0}, S = {0}, C = {0};

        TRY(IN_SIZED(n, 0, &N, &S, &C));
        TRY(IN_SIZED(n, 1, &C));
        TRY(IN_SIZED(n, 2, &N, &S, &C));
        return OUT_SIZED(n, 0, &N, &S, &C);
}

/* BiasSplitGelu 1: X (N, S, D), bias (D), Y (N, S, D/2). */
enum ox_code infer_BiasSplitGelu(struct node *n)
{
        struct size N = {0}, S = {0}, D = {0}, half;

        TRY(IN_SIZED(n, 0, &N, &S, &D));
        TRY(IN_SIZED(n, 1, &D));
        TRY(size_part(n, D, 2, 0, &half));
        return OUT_SIZED(n, 0, &N, &S, &half);
}

/* BiasSoftmax 1: the bias broadcasts in a simple way, and softmax keeps the shape of data. */
enum ox_code infer_BiasSoftmax(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        if (in_has_rank(n, 0) && attr_given(n, "axis"))
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* The bias of a dropout has the length of the last axis of data, or data's shape. */
static enum ox_code agree_dropout_bias(struct node *n, int rank, struct dim *dims)
{
        if (!in_has_rank(n, 1))
                return OX_OK;
        if (in_rank(n, 1) == 1)
                return in_agree(n, &dims[rank - 1], 1, 0);
        TRY(in_expect_rank(n, 1, rank));
        for (int d = 0; d < rank; d++)
                TRY(in_agree(n, &dims[d], 1, d));
        return OX_OK;
}

enum { DROPOUT_RESIDUAL = 2, DROPOUT_RATIO, DROPOUT_TRAINING };

/* BiasDropout 1, BitmaskBiasDropout 1: data, residual and output have one shape. The mask of the first is Dropout's;
   the text does not say how the bits of the second are laid out. */
enum ox_code infer_BiasDropout(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_scalar(n, DROPOUT_RATIO));
        TRY(in_expect_scalar(n, DROPOUT_TRAINING));
        TRY(in_expect_rank_least(n, 0, 1));
        if (!in_has_rank(n, 0))
                return out_like(n, 0, out_row_elem(n, 0), in_has_rank(n, DROPOUT_RESIDUAL) ? DROPOUT_RESIDUAL : 0);
        struct dim *dims = in_dims(n, 0);

        TRY(agree_dropout_bias(n, rank, dims));
        TRY(in_expect_rank(n, DROPOUT_RESIDUAL, rank));
        for (int d = 0; d < rank && in_has_rank(n, DROPOUT_RESIDUAL); d++)
                TRY(in_agree(n, &dims[d], DROPOUT_RESIDUAL, d));
        if (out_row_elem(n, 1) == ELEM_BOOL)
                TRY(out_tensor(n, 1, ELEM_BOOL, rank, dims));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* BitmaskDropout 1: the output has the shape of data; the text does not say how the bits of the mask are laid out. */
enum ox_code infer_BitmaskDropout(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_scalar(n, 2));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}
