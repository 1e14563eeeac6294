/* Pools: MaxPool, AveragePool, LpPool, their global forms, MaxUnpool, and pools of regions. */
#include "ops/kit/broadcast.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/kit/window.h"
#include "ops/rules/conv.h"

/* The differences between kinds of pools. */
struct pool {
        bool channels_last; /* otherwise they come after the batch */
        bool drop_last;     /* with ceil_mode, a window that would begin in the padding after the data does not count */
        bool valid_ceils;   /* ceil_mode applies with auto_pad VALID too, although the text's formula for it has none */
};

/* *ret_rank is RANK_UNKNOWN if neither X nor kernel_shape determines it. */
static enum ox_code pool_shape(struct node *n, const struct pool *p, int *ret_rank, struct dim **ret_dims)
{
        bool ceil_mode = op_find_attr(n->row, "ceil_mode") && attr_int_or(n, "ceil_mode", 0) != 0;
        int spatial, rank = in_rank(n, 0), first = p->channels_last ? 1 : 2;
        struct windows w;

        *ret_rank = RANK_UNKNOWN;
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 3));
        if (rank == RANK_UNKNOWN && windows_spatial(n, &spatial))
                rank = spatial + 2;
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        TRY(windows_read(n, rank - 2, &w));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++) {
                bool slides = d >= first && d < first + w.spatial;

                /* Only LpPool-1 may have no kernel, and its text does not say what is pooled then. */
                if (!in_has_rank(n, 0) || (slides && !w.kernel)) {
                        dims[d] = out_fresh(n, 0, d);
                        continue;
                }
                dims[d] = in_dim(n, 0, d);
                if (!slides)
                        continue;
                struct window window = windows_axis(&w, d - first, dims[d], dim_int(w.kernel[d - first]));

                window.ceil_mode = ceil_mode;
                window.drop_last_in_padding = p->drop_last;
                if (p->valid_ceils && window.auto_pad == WINDOW_VALID)
                        window.auto_pad = WINDOW_NOTSET; /* VALID excludes pads */
                TRY(window_output(n, &window, d, &dims[d]));
        }
        *ret_rank = rank;
        *ret_dims = dims;
        return OX_OK;
}

static enum ox_code pool(struct node *n, const struct pool *p)
{
        struct dim *dims;
        int rank;

        TRY(pool_shape(n, p, &rank, &dims));
        if (rank == RANK_UNKNOWN) {
                out_elem(n, 1, ELEM_INT64);
                return out_elem(n, 0, in_elem(n, 0));
        }
        TRY(out_tensor(n, 1, ELEM_INT64, rank, dims));
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* MaxPool 1, 8, 10, 11, 12, 22 (Indices from 8 on), AveragePool 1, 7, 10, 11, 19, 22, LpPool 1, 2, 11, 18, 22. Version
   22 of MaxPool and AveragePool does not count a last window in the padding; LpPool's formulas, and those of earlier
   versions, do. MaxpoolWithMask 1 of com.microsoft, whose text has only a signature, was measured to be MaxPool. */
enum ox_code infer_pool(struct node *n)
{
        return pool(n, &(struct pool){.drop_last = n->row->since >= 22 && !op_find_attr(n->row, "p")});
}

/* MaxPool 1, AveragePool 1 of com.microsoft.nchwc, which do not count a last window in the padding and apply ceil_mode
   with VALID. */
enum ox_code infer_blocked_pool(struct node *n)
{
        return pool(n, &(struct pool){.drop_last = true, .valid_ceils = true});
}

/* NhwcMaxPool 1 of com.microsoft: MaxPool with channels last. It has no text; runtime 1.30 does not count a last window
   in the padding, and applies ceil_mode with VALID. */
enum ox_code infer_NhwcMaxPool(struct node *n)
{
        return pool(n, &(struct pool){.channels_last = true, .drop_last = true, .valid_ceils = true});
}

/* MaxPool, AveragePool of com.ms.internal.nhwc, whose versions are those of ai.onnx: from 22 on they do not
   count a last window in the padding. */
enum ox_code infer_nhwc_pool(struct node *n)
{
        return pool(n, &(struct pool){.channels_last = true, .drop_last = n->opset >= 22});
}

/* Scale and zero point of X and of the output have one element each. */
static enum ox_code expect_single_scales(struct node *n)
{
        for (int i = 1; i <= 4; i++)
                TRY(in_expect_scalar(n, i));
        return OX_OK;
}

/* QLinearAveragePool 1 of com.microsoft: the formulas of the text count a last window in the padding, and ignore
   ceil_mode with VALID; runtime 1.30, the only one with this operator, does neither. */
enum ox_code infer_QLinearAveragePool(struct node *n)
{
        bool channels_last = attr_int_or(n, "channels_last", 0) != 0;

        TRY(expect_single_scales(n));
        return pool(n, &(struct pool){.channels_last = channels_last, .drop_last = true, .valid_ceils = true});
}

static enum ox_code global_pool(struct node *n, bool channels_last)
{
        int rank = in_rank(n, 0), first = channels_last ? 1 : 2;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = in_dims(n, 0);

        for (int d = first; d < first + rank - 2; d++)
                dims[d] = dim_int(1);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* GlobalAveragePool 1, 22, GlobalMaxPool 1, 22, GlobalLpPool 1, 2, 22: one element for each axis after batch and
   channels. */
enum ox_code infer_global_pool(struct node *n)
{
        return global_pool(n, false);
}

/* GlobalAveragePool, GlobalMaxPool of com.ms.internal.nhwc */
enum ox_code infer_nhwc_global_pool(struct node *n)
{
        return global_pool(n, true);
}

/* QLinearGlobalAveragePool 1 of com.microsoft */
enum ox_code infer_QLinearGlobalAveragePool(struct node *n)
{
        TRY(expect_single_scales(n));
        return global_pool(n, attr_int_or(n, "channels_last", 0) != 0);
}

/* The whole shape from the elements of input `i`, with `rank` axes if that is known; unknown elements become fresh
   symbols. */
static enum ox_code shape_from_elements(struct node *n, int i, int rank)
{
        struct list sizes;

        TRY(list_get(n, NULL, i, false, &sizes));
        if (sizes.state != LIST_KNOWN)
                return rank == RANK_UNKNOWN ? out_elem(n, 0, in_elem(n, 0)) : out_rank(n, 0, in_elem(n, 0), rank);
        if (rank != RANK_UNKNOWN && sizes.count != (size_t)rank)
                return node_error_at(
                        n, REASON_LENGTH_MISMATCH, i, 0, node_number(n, rank), node_number(n, (int64_t)sizes.count),
                        "output_shape must have %d elements, one for each axis, got %zu", rank, sizes.count);
        if (!rank_allowed(n, sizes.count, i))
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, sizes.count);

        for (size_t d = 0; d < sizes.count; d++)
                if (!element_size(n, list_at(&sizes, d), &dims[d]))
                        dims[d] = out_fresh(n, 0, (int)d);
        return out_tensor(n, 0, in_elem(n, 0), (int)sizes.count, dims);
}

/* MaxUnpool 9, 11, 22: (size - 1) * stride + kernel - pads, unless output_shape is given. X and I have the same
   shape. */
enum ox_code infer_MaxUnpool(struct node *n)
{
        int rank, spatial;
        const struct dim *shape;
        struct windows w;

        TRY(in_expect_rank_least(n, 0, 3));
        TRY(in_expect_rank_least(n, 1, 3));
        TRY(same_shapes(n, 0, 2, &rank, &shape));
        if (rank == RANK_UNKNOWN && windows_spatial(n, &spatial))
                rank = spatial + 2;
        if (in_given(n, 2))
                return shape_from_elements(n, 2, rank);
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        TRY(windows_read(n, rank - 2, &w));
        if (!w.kernel || (!in_has_rank(n, 0) && !in_has_rank(n, 1)))
                return out_rank(n, 0, in_elem(n, 0), rank);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++) {
                dims[d] = shape[d];
                if (d < 2)
                        continue;
                struct dim size = dim_mul(n->dims, dim_sub(n->dims, shape[d], dim_int(1)), dim_int(w.stride[d - 2]));

                size = dim_add(n->dims, size, dim_int(w.kernel[d - 2]));
                dims[d] = dim_sub(n->dims, size,
                                  dim_add(n->dims, dim_int(w.pad[d - 2]), dim_int(w.pad[d - 2 + w.spatial])));
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* Pools of regions give [regions, channels, height, width] for X [N, C, H, W], with `numbers` for each region. */
static enum ox_code regions(struct node *n, int64_t numbers, int64_t height, int64_t width)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 4);

        TRY(in_expect_rank(n, 0, 4));
        TRY(in_expect_rank(n, 1, 2));
        dims[0] = in_has_rank(n, 1) ? in_dim(n, 1, 0) : out_fresh(n, 0, 0);
        if (in_has_rank(n, 1)) {
                struct dim row = dim_int(numbers);

                TRY(in_agree(n, &row, 1, 1));
        }
        if (in_rank(n, 2) == 1)
                TRY(in_agree(n, &dims[0], 2, 0));
        dims[1] = in_has_rank(n, 0) ? in_dim(n, 0, 1) : out_fresh(n, 0, 1);
        dims[2] = dim_int(height);
        dims[3] = dim_int(width);
        return out_tensor(n, 0, in_elem(n, 0), 4, dims);
}

/* MaxRoiPool 1, 22 */
enum ox_code infer_MaxRoiPool(struct node *n)
{
        const int64_t *pooled;
        size_t count; /* the row requires 2 */

        if (!attr_ints(n, "pooled_shape", &pooled, &count))
                return out_rank(n, 0, in_elem(n, 0), 4);
        return regions(n, 5, pooled[0], pooled[1]);
}

/* RoiAlign 10, 16, 22 */
enum ox_code infer_RoiAlign(struct node *n)
{
        TRY(in_expect_rank(n, 2, 1));
        return regions(n, 4, attr_int_or(n, "output_height", 1), attr_int_or(n, "output_width", 1));
}
