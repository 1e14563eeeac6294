/* Losses of classifiers and their gradients: scores [N, C, D1 ... Dk] against the target [N, D1 ... Dk], with a weight
   for each of the C classes. */
#include "ops/rules/loss.h"
#include "ops/kit/sizes.h"

#include <string.h>

/* The shape of the target, from the scores, which are input `first`, and from the target; unknown if neither has a
   known rank. */
static enum ox_code loss_shape(struct node *n, int first, int *ret_rank, struct dim **ret_dims)
{
        int scores = first, target = first + 1, weight = first + 2, rank = in_rank(n, scores);

        for (int i = scores; i <= weight; i++)
                TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank_least(n, scores, 2));
        TRY(in_expect_rank_least(n, target, 1));
        TRY(in_expect_rank(n, weight, 1));
        *ret_rank = in_rank(n, target);
        *ret_dims = in_has_rank(n, target) ? in_dims(n, target) : NULL;
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        TRY(in_expect_rank(n, target, rank - 1));
        if (!*ret_dims) {
                *ret_dims = in_dims(n, scores);
                for (int d = 1; d < rank - 1; d++)
                        (*ret_dims)[d] = in_dim(n, scores, d + 1);
        }
        *ret_rank = rank - 1;
        for (int d = 0; d < rank - 1; d++)
                TRY(dim_agree(n, &(*ret_dims)[d], in_dim(n, scores, d == 0 ? 0 : d + 1), target));
        if (in_has_rank(n, weight)) {
                struct dim classes = in_dim(n, scores, 1);

                TRY(in_agree(n, &classes, weight, 0));
        }
        return OX_OK;
}

/* Unless `reduction` is none, the loss is a scalar. */
static enum ox_code out_loss(struct node *n, enum elem elem)
{
        bool reduced = !attr_is(n, "reduction", "none");
        struct dim *dims;
        int rank;

        TRY(loss_shape(n, 0, &rank, &dims));
        if (reduced)
                return out_tensor(n, 0, elem, 0, NULL);
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, elem);
        return out_tensor(n, 0, elem, rank, dims);
}

/* NegativeLogLikelihoodLoss 12-22; SoftmaxCrossEntropyLoss 12-13, whose second output is the logarithm of the
   softmax. */
enum ox_code infer_loss(struct node *n)
{
        TRY(out_loss(n, in_elem(n, 0)));
        return out_like(n, 1, in_elem(n, 0), 0);
}

/* The number of the element type that the attribute output_type may name. */
static enum elem output_elem(const struct node *n, int scores)
{
        return op_find_attr(n->row, "output_type") ? attr_elem(n, "output_type", in_elem(n, scores))
                                                   : in_elem(n, scores);
}

/* SoftmaxCrossEntropyLossInternal 1, NegativeLogLikelihoodLossInternal 1, NegativeLogLikelihoodLossInternal2 1 of
   com.microsoft: the class to ignore is a scalar input. */
enum ox_code infer_internal_loss(struct node *n)
{
        TRY(in_expect_scalar(n, 3));
        TRY(out_loss(n, output_elem(n, 0)));
        return out_like(n, 1, output_elem(n, 0), 0);
}

/* SoftmaxCrossEntropyLossGrad 1, SoftmaxCrossEntropyLossInternalGrad 1 of com.microsoft: the gradient of the scores,
   whose shape is that of the logarithm of their softmax, input 1. */
enum ox_code infer_loss_gradient(struct node *n)
{
        struct dim *dims;
        int rank;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 4));
        TRY(loss_shape(n, 1, &rank, &dims));
        return out_like(n, 0, output_elem(n, 1), 1);
}
