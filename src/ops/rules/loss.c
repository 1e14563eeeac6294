/* Losses of classifiers: [N, C, D1 ... Dk] against [N, D1 ... Dk], with a weight for each of the C classes. */
#include "ops/rules/loss.h"
#include "ops/kit/sizes.h"

#include <string.h>

/* The shape of the target, from both inputs; unknown if neither has a known rank. */
static enum ox_code loss_shape(struct node *n, int *ret_rank, struct dim **ret_dims)
{
        int rank = in_rank(n, 0);

        for (int i = 0; i < 3; i++)
                TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank_least(n, 1, 1));
        TRY(in_expect_rank(n, 2, 1));
        *ret_rank = in_rank(n, 1);
        *ret_dims = in_has_rank(n, 1) ? in_dims(n, 1) : NULL;
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        TRY(in_expect_rank(n, 1, rank - 1));
        if (!*ret_dims) {
                *ret_dims = in_dims(n, 0);
                for (int d = 1; d < rank - 1; d++)
                        (*ret_dims)[d] = in_dim(n, 0, d + 1);
        }
        *ret_rank = rank - 1;
        for (int d = 0; d < rank - 1; d++)
                TRY(dim_agree(n, &(*ret_dims)[d], in_dim(n, 0, d == 0 ? 0 : d + 1), 1));
        if (in_has_rank(n, 2)) {
                struct dim classes = in_dim(n, 0, 1);

                TRY(in_agree(n, &classes, 2, 0));
        }
        return OX_OK;
}

/* NegativeLogLikelihoodLoss 12-22; SoftmaxCrossEntropyLoss 12-13, whose second output is the logarithm of the softmax.
   Unless `reduction` is none, the loss is a scalar. */
enum ox_code infer_loss(struct node *n)
{
        bool reduced = !attr_is(n, "reduction", "none");
        struct dim *dims;
        int rank;

        TRY(loss_shape(n, &rank, &dims));
        TRY(out_like(n, 1, in_elem(n, 0), 0));
        if (reduced)
                return out_tensor(n, 0, in_elem(n, 0), 0, NULL);
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}
