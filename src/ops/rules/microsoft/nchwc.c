/* Images of blocked channels (com.microsoft.nchwc): (N, C, H, W), where C includes the padding of the last block. */
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* Channels in whole blocks. A block has 8 or 16, which no file says; if that matters, the filters of the following
   convolution determine it. */
static struct size blocked_channels(struct node *n, struct size channels)
{
        static const int64_t blocks[] = {8, 16};
        struct dim padded[2];

        if (!channels.known)
                return channels;
        for (int k = 0; k < 2; k++)
                padded[k] =
                        dim_mul(n->dims, dim_ceildiv(n->dims, channels.dim, dim_int(blocks[k])), dim_int(blocks[k]));
        return (struct size){.known = dim_same(padded[0], padded[1]), .dim = padded[0]};
}

/* ReorderInput 1: (N, C, H, W), with channels_last (N, H, W, C), to (N, blocked C, H, W). */
enum ox_code infer_ReorderInput(struct node *n)
{
        struct size N = {0}, C = {0}, H = {0}, W = {0}, blocked;

        if (attr_int_or(n, "channels_last", 0) != 0)
                TRY(IN_SIZED(n, 0, &N, &H, &W, &C));
        else
                TRY(IN_SIZED(n, 0, &N, &C, &H, &W));
        blocked = blocked_channels(n, C);
        return OUT_SIZED(n, 0, &N, &blocked, &H, &W);
}

/* ReorderOutput 1: (N, blocked C, H, W) to (N, channels, H, W), with channels_last to (N, H, W, channels). */
enum ox_code infer_ReorderOutput(struct node *n)
{
        struct size N = {0}, H = {0}, W = {0}, channels = {0};

        if (attr_int_or(n, "channels", 0) > 0)
                channels = size_int(attr_int_or(n, "channels", 0));
        TRY(IN_SIZED(n, 0, &N, NULL, &H, &W));
        if (attr_int_or(n, "channels_last", 0) != 0)
                return OUT_SIZED(n, 0, &N, &H, &W, &channels);
        return OUT_SIZED(n, 0, &N, &channels, &H, &W);
}

/* Upsample 1: multiplies each axis by an integer, which is 1 for batch and channels. */
enum ox_code infer_com_microsoft_nchwc_Upsample(struct node *n)
{
        const int64_t *scales;
        size_t count;
        struct size shape[4] = {{0}};

        TRY(IN_SIZED(n, 0, &shape[0], &shape[1], &shape[2], &shape[3]));
        if (attr_ints(n, "scales", &scales, &count))
                for (int d = 0; d < 4; d++)
                        shape[d] = size_times(n, scales[d], shape[d]);
        else
                shape[2] = shape[3] = (struct size){0};
        return OUT_SIZED(n, 0, &shape[0], &shape[1], &shape[2], &shape[3]);
}
