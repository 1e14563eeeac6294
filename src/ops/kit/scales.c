/* Scales and zero points of QuantizeLinear, DequantizeLinear, QLinearConv, QLinearMatMul, ConvInteger and the like. */
#include "ops/kit/scales.h"

#include "ops/kit/sizes.h"
#include "ops/node/input.h"

/* Whether the shape has one element: a scalar in the specification, but as often a vector of one element in real
   models. */
static bool is_single(const struct node *n, int i)
{
        return in_rank(n, i) == 0 || (in_rank(n, i) == 1 && dim_is(in_dim(n, i, 0), 1));
}

enum ox_code scale_agree(struct node *n, int scale, int zero)
{
        int rank = in_rank(n, scale);

        TRY(in_expect_tensor(n, scale));
        TRY(in_expect_tensor(n, zero));
        if (!in_has_rank(n, scale) || !in_has_rank(n, zero) || (is_single(n, scale) && is_single(n, zero)))
                return OX_OK;
        /* Beside a scalar, a vector of unknown length may have one element. */
        if (rank + in_rank(n, zero) == 1 && !dim_is_int(in_dim(n, rank == 1 ? scale : zero, 0)))
                return OX_OK;
        TRY(in_expect_rank(n, zero, rank));
        for (int d = 0; d < rank; d++) {
                struct dim size = in_dim(n, scale, d);

                TRY(in_agree(n, &size, zero, d));
        }
        return OX_OK;
}

bool scale_is_vector(const struct node *n, int i)
{
        return in_rank(n, i) == 1 && dim_is_int(in_dim(n, i, 0)) && !is_single(n, i);
}

enum ox_code per_channel_agree(struct node *n, int i, struct dim *channels)
{
        TRY(in_expect_tensor(n, i));
        if (in_rank(n, i) > 1)
                return in_expect_rank(n, i, 1);
        return scale_is_vector(n, i) ? in_agree(n, channels, i, 0) : OX_OK;
}
