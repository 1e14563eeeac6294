/* Normalisations of com.microsoft. */
#include "ops/kit/broadcast.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* Inputs [first, end) are vectors along axis `axis` of a shape of known rank. */
static enum ox_code vectors_along(struct node *n, int first, int end, struct dim *dims, int axis)
{
        for (int i = first; i < end; i++) {
                TRY(in_expect_rank(n, i, 1));
                if (in_has_rank(n, i))
                        TRY(in_agree(n, &dims[axis], i, 0));
        }
        return OX_OK;
}

/* SkipLayerNormalization 1: input (batch_size, sequence_length, hidden_size); skip has its shape, or lacks the batch or
   has 1 there; gamma, beta and bias are (hidden_size). SkipSimplifiedLayerNormalization 1, without beta: also
   (token_count, hidden_size), which runtimes take of both. The text gives mean and inv_std_var no shape; runtimes give
   them the input's with 1 for the last axis. */
enum ox_code infer_skip_norm(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank_most(n, 0, 3));
        TRY(in_expect_rank_most(n, 1, 3));
        for (int i = 2; i < n->n_in; i++)
                TRY(in_expect_rank(n, i, 1));
        if (!in_has_rank(n, 0))
                return OX_OK;
        struct dim *dims = in_dims(n, 0), *statistics = arena_new_array(n->arena, struct dim, (size_t)rank);

        if (in_has_rank(n, 1))
                TRY(broadcast_into(n, rank, dims, 1));
        TRY(vectors_along(n, 2, n->n_in, dims, rank - 1));
        for (int d = 0; d < rank; d++)
                statistics[d] = d == rank - 1 ? dim_int(1) : dims[d];
        TRY(out_tensor(n, 0, out_row_elem(n, 0), rank, dims));
        TRY(out_tensor(n, 1, out_row_elem(n, 1), rank, statistics));
        TRY(out_tensor(n, 2, out_row_elem(n, 2), rank, statistics));
        return out_tensor(n, 3, out_row_elem(n, 3), rank, dims);
}

enum { GROUP_SKIP = 3, GROUP_BIAS };

/* The skip tensor of SkipGroupNorm is (N x H x W x C), (N x 1 x 1 x C) or (N x C). */
static enum ox_code agree_skip(struct node *n, struct size *shape, int channel)
{
        int rank = in_rank(n, GROUP_SKIP);

        TRY(in_expect_tensor(n, GROUP_SKIP));
        if (!in_has_rank(n, GROUP_SKIP))
                return OX_OK;
        if (rank == 2)
                return IN_SIZED(n, GROUP_SKIP, &shape[0], &shape[channel]);
        TRY(in_expect_rank(n, GROUP_SKIP, 4));
        for (int d = 0; d < 4; d++) {
                if (d == 0 || d == channel)
                        TRY(size_at(n, &shape[d], GROUP_SKIP, d));
                else
                        TRY(size_at_or_one(n, &shape[d], GROUP_SKIP, d));
        }
        return OX_OK;
}

/* GroupNorm 1, SkipGroupNorm 1: X is (N x H x W x C) with channels_last, else (N x C x H x W); gamma, beta and bias are
   (C). Y, and the sum S, have X's shape. */
enum ox_code infer_GroupNorm(struct node *n)
{
        struct size shape[4] = {{0}}, part;
        int channel = attr_int_or(n, "channels_last", 1) != 0 ? 3 : 1;

        TRY(IN_SIZED(n, 0, &shape[0], &shape[1], &shape[2], &shape[3]));
        TRY(IN_SIZED(n, 1, &shape[channel]));
        TRY(IN_SIZED(n, 2, &shape[channel]));
        if (n->n_in > GROUP_SKIP)
                TRY(agree_skip(n, shape, channel));
        TRY(IN_SIZED(n, GROUP_BIAS, &shape[channel]));
        TRY(size_part(n, shape[channel], attr_int_or(n, "groups", 1), 0, &part));
        TRY(OUT_SIZED(n, 0, &shape[0], &shape[1], &shape[2], &shape[3]));
        return OUT_SIZED(n, 1, &shape[0], &shape[1], &shape[2], &shape[3]);
}
