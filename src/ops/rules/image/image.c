/* Images: grids and decoding. Resize and Upsample are in resize.c, NonMaxSuppression is in nms.c. */
#include "ops/rules/image.h"
#include "ops/kit/list.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"

/* GridSample (16, 20, 22): X [N, C, D1, ..., Dr], sampled at the positions of grid [N, o1, ..., or, r], gives [N, C,
   o1, ..., or]. */
enum ox_code infer_GridSample(struct node *n)
{
        int rank = in_has_rank(n, 0) ? in_rank(n, 0) : in_rank(n, 1);

        for (int i = 0; i < 2; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank_least(n, i, 3));
        }
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        TRY(in_expect_rank(n, 1, rank));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        dims[0] = in_has_rank(n, 0) ? in_dim(n, 0, 0) : out_fresh(n, 0, 0);
        dims[1] = in_has_rank(n, 0) ? in_dim(n, 0, 1) : out_fresh(n, 0, 1);
        if (in_has_rank(n, 1)) {
                struct dim coordinates = dim_int(rank - 2);

                TRY(in_agree(n, &dims[0], 1, 0));
                TRY(in_agree(n, &coordinates, 1, rank - 1));
        }
        for (int d = 2; d < rank; d++)
                dims[d] = in_has_rank(n, 1) ? in_dim(n, 1, d - 1) : out_fresh(n, 0, d);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* GridSample 1 of com.microsoft: only for images. */
enum ox_code infer_com_microsoft_GridSample(struct node *n)
{
        TRY(in_expect_rank(n, 0, 4));
        TRY(in_expect_rank(n, 1, 4));
        return infer_GridSample(n);
}

/* CropAndResize 1 of com.microsoft: X (N, C, H, W), rois (num_rois, 4), batch_indices (num_rois); crop_size holds the
   height and the width. */
enum ox_code infer_CropAndResize(struct node *n)
{
        enum { X, ROIS, BATCH_INDICES, CROP_SIZE };
        struct size rois = {0}, four = size_int(4), two = size_int(2), C = {0}, sizes[2] = {{0}};
        const struct content *crop;

        TRY(IN_SIZED(n, X, NULL, &C, NULL, NULL));
        TRY(IN_SIZED(n, ROIS, &rois, &four));
        TRY(IN_SIZED(n, BATCH_INDICES, &rois));
        TRY(IN_SIZED(n, CROP_SIZE, &two));
        crop = in_content(n, CROP_SIZE);
        for (size_t k = 0; crop && crop->count == 2 && k < 2; k++)
                sizes[k].known = element_size(n, content_at(crop, k), &sizes[k].dim);
        return OUT_SIZED(n, 0, &rois, &C, &sizes[0], &sizes[1]);
}

/* The number of spatial axes, 2 or 3, of AffineGrid's size [N, C, ...] or theta [N, r, r + 1]; 0: unknown. */
static enum ox_code affine_spatial(struct node *n, const struct list *size, int *ret)
{
        *ret = 0;
        if (size->state == LIST_KNOWN) {
                if (size->count != 4 && size->count != 5)
                        return node_error_at(n, REASON_LENGTH_MISMATCH, 1, 0, "4 or 5",
                                             node_number(n, (int64_t)size->count),
                                             "size must have 4 or 5 elements, got %zu", size->count);
                *ret = (int)size->count - 2;
        }
        TRY(in_expect_rank(n, 0, 3));
        if (!in_has_rank(n, 0))
                return OX_OK;
        struct dim rows = in_dim(n, 0, 1);

        if (*ret == 0 && (dim_is(rows, 2) || dim_is(rows, 3)))
                *ret = (int)rows.val;
        if (*ret == 0)
                return OX_OK;
        struct dim wanted[] = {dim_int(*ret), dim_int(*ret + 1)};

        for (int d = 0; d < 2; d++)
                TRY(in_agree(n, &wanted[d], 0, d + 1));
        return OX_OK;
}

/* AffineGrid (20): theta [N, 2, 3] and size [N, C, H, W] give [N, H, W, 2], and in three dimensions likewise. */
enum ox_code infer_AffineGrid(struct node *n)
{
        struct list size;
        struct dim batch;
        int spatial;

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, NULL, 1, false, &size));
        TRY(affine_spatial(n, &size, &spatial));
        if (spatial == 0)
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)spatial + 2);
        bool known = size.state == LIST_KNOWN && element_size(n, list_at(&size, 0), &batch);

        dims[0] = in_has_rank(n, 0) ? in_dim(n, 0, 0) : known ? batch : out_fresh(n, 0, 0);
        if (known && in_has_rank(n, 0))
                TRY(dim_agree(n, &dims[0], batch, 1));
        for (int d = 0; d < spatial; d++)
                if (size.state != LIST_KNOWN || !element_size(n, list_at(&size, d + 2), &dims[d + 1]))
                        dims[d + 1] = out_fresh(n, 0, d + 1);
        dims[spatial + 1] = dim_int(spatial);
        return out_tensor(n, 0, in_elem(n, 0), spatial + 2, dims);
}

/* ImageDecoder (20): [height, width, channels], which depend on data: even pixel_format does not determine the
   channels, because an image that cannot be decoded gives an empty tensor. */
enum ox_code infer_ImageDecoder(struct node *n)
{
        bool gray = attr_is(n, "pixel_format", "Grayscale");

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank(n, 0, 1));
        struct dim *dims = arena_new_array(n->arena, struct dim, 3);

        dims[0] = out_fresh(n, 0, 0);
        dims[1] = out_fresh(n, 0, 1);
        dims[2] = out_fresh_at_most(n, 0, 2, dim_int(gray ? 1 : 3));
        return out_tensor(n, 0, ELEM_UINT8, 3, dims);
}
