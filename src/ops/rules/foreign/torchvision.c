/* torchvision: the functions of torchvision.ops. */
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/foreign.h"

enum { INPUT, ROIS, SCALE, POOLED_HEIGHT, POOLED_WIDTH };

/* deform_conv2d: input [N, C, H, W], weight [out_channels, , kH, kW], offset and mask [N, , out_height, out_width]. */
enum ox_code infer_deform_conv2d(struct node *n)
{
        enum { WEIGHT = 1, OFFSET, MASK, BIAS, NUMBERS };
        struct size N = {0}, channels = {0}, height = {0}, width = {0};

        TRY(IN_SIZED(n, 0, &N, NULL, NULL, NULL));
        TRY(IN_SIZED(n, WEIGHT, &channels, NULL, NULL, NULL));
        TRY(IN_SIZED(n, OFFSET, &N, NULL, &height, &width));
        TRY(in_expect_tensor(n, MASK));
        TRY(IN_SIZED(n, BIAS, &channels));
        for (int i = NUMBERS; i < n->n_in; i++)
                TRY(in_expect_scalar(n, i));
        return OUT_SIZED(n, 0, &N, &channels, &height, &width);
}

/* nms: boxes [N, 4], scores [N]; "int64 tensor with the indices of the elements that have been kept". */
enum ox_code infer_nms(struct node *n)
{
        struct size N = {0}, four = size_int(4), kept = {0};

        TRY(IN_SIZED(n, 0, &N, &four));
        TRY(IN_SIZED(n, 1, &N));
        TRY(in_expect_scalar(n, 2));
        if (N.known)
                kept = (struct size){true, out_fresh_at_most(n, 0, 0, N.dim)};
        return OUT_SIZED(n, 0, &kept);
}

/* Images [N, C, H, W], regions [K, 5], of which one number is the image's; and the size to which they are resampled. */
static enum ox_code regions_read(struct node *n, struct size *regions, struct size *C, struct size *height,
                                 struct size *width)
{
        struct size five = size_int(5);

        TRY(IN_SIZED(n, INPUT, NULL, C, NULL, NULL));
        TRY(IN_SIZED(n, ROIS, regions, &five));
        for (int i = SCALE; i < n->n_in; i++)
                TRY(in_expect_scalar(n, i));
        TRY(in_size(n, POOLED_HEIGHT, height));
        return in_size(n, POOLED_WIDTH, width);
}

/* roi_align, roi_pool: [K, C, height, width], and the position of each largest element. */
enum ox_code infer_roi_pooled(struct node *n)
{
        struct size regions = {0}, C = {0}, height = {0}, width = {0};

        TRY(regions_read(n, &regions, &C, &height, &width));
        TRY(OUT_SIZED(n, 0, &regions, &C, &height, &width));
        return OUT_SIZED(n, 1, &regions, &C, &height, &width);
}

/* ps_roi_align, ps_roi_pool: [K, C / (height * width), height, width], and the channel of each element. */
enum ox_code infer_ps_roi(struct node *n)
{
        struct size regions = {0}, C = {0}, height = {0}, width = {0}, channels = {0}, parts;

        TRY(regions_read(n, &regions, &C, &height, &width));
        parts = size_product(n, height, width);
        if (C.known && parts.known && dim_is_int(parts.dim) && parts.dim.val > 0)
                TRY(size_part(n, C, parts.dim.val, INPUT, &channels));
        TRY(OUT_SIZED(n, 0, &regions, &channels, &height, &width));
        return OUT_SIZED(n, 1, &regions, &channels, &height, &width);
}
