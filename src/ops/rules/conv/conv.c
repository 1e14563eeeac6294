/* Convolutions: Conv, ConvInteger, QLinearConv, DeformConv, ConvTranspose, Col2Im, CausalConvWithState. */
#include "ops/rules/conv.h"
#include "ops/kit/list.h"
#include "ops/kit/scales.h"
#include "ops/kit/sizes.h"
#include "ops/kit/window.h"

/* The positions of an operator's inputs. */
struct conv {
        int x, w, bias; /* bias -1: none */
        bool transposed;
        bool channels_last; /* in X and in the output; filters stay as they are */
};

/* The axis of the channels, and the first spatial axis, of a shape of `rank` axes. */
static int channel_axis(const struct conv *c, int rank)
{
        return c->channels_last ? rank - 1 : 1;
}

static int spatial_axis(const struct conv *c, int axis)
{
        return axis + (c->channels_last ? 1 : 2);
}

/* A bias has one element for each of the `*dim` output channels. */
static enum ox_code bias_agree(struct node *n, int bias, struct dim *dim)
{
        if (bias < 0)
                return OX_OK;
        TRY(in_expect_rank(n, bias, 1));
        return in_has_rank(n, bias) ? in_agree(n, dim, bias, 0) : OX_OK;
}

/* Channels: X has `group` times as many as a filter of W; the output has W[0] (transposed: W[1] * group). */
static enum ox_code channels(struct node *n, const struct conv *c, int rank, struct dim *ret)
{
        int in_axis = c->transposed ? 0 : 1, out_axis = c->transposed ? 1 : 0, axis = channel_axis(c, rank);
        struct dim in, out;
        int64_t group = attr_int_or(n, "group", 1);

        if (in_has_rank(n, c->x))
                TRY(in_expect_multiple(n, c->x, axis, group, "group"));
        if (!in_has_rank(n, c->w)) {
                *ret = out_fresh(n, 0, axis);
                return bias_agree(n, c->bias, ret);
        }
        in = in_dim(n, c->w, in_axis);
        out = in_dim(n, c->w, out_axis);
        if (c->transposed) {
                out = dim_mul(n->dims, out, dim_int(group));
        } else {
                in = dim_mul(n->dims, in, dim_int(group));
                TRY(in_expect_multiple(n, c->w, out_axis, group, "group"));
        }
        if (in_has_rank(n, c->x))
                TRY(in_agree_with(n, &in, c->x, axis, group == 1 ? (struct place){c->w, in_axis} : PLACE_NONE));
        *ret = out;
        return bias_agree(n, c->bias, ret);
}

/* stride * (size - 1) + output_padding + ((kernel - 1) * dilation + 1) - pads; with auto_pad SAME_* the output is
   size * stride (the text of ConvTranspose-11; output_padding does not count then). */
static enum ox_code transposed_size(struct node *n, const struct window *w, int64_t output_padding, struct dim *ret)
{
        struct dim_table *t = n->dims;
        struct dim stride = dim_int(w->stride);

        if (w->auto_pad == WINDOW_SAME_UPPER || w->auto_pad == WINDOW_SAME_LOWER) {
                *ret = dim_mul(t, w->size, stride);
                return OX_OK;
        }
        struct dim size = dim_mul(t, stride, dim_sub(t, w->size, dim_int(1)));

        size = dim_add(t, size, dim_mul(t, dim_sub(t, w->kernel, dim_int(1)), dim_int(w->dilation)));
        size = dim_add(t, size, dim_add(t, dim_int(1), dim_int(output_padding)));
        if (w->auto_pad == WINDOW_NOTSET)
                size = dim_sub(t, size, dim_add(t, dim_int(w->pad_begin), dim_int(w->pad_end)));
        *ret = size;
        return OX_OK;
}

/* ConvTranspose's own attributes, each with one value an axis; NULL: omitted. */
struct transposed {
        const int64_t *output_padding, *output_shape;
};

static enum ox_code transposed_read(struct node *n, size_t spatial, struct transposed *ret)
{
        const char *const names[] = {"output_padding", "output_shape"};
        const int64_t **lists[] = {&ret->output_padding, &ret->output_shape};

        for (int i = 0; i < 2; i++) {
                size_t count;

                *lists[i] = NULL;
                if (!attr_given(n, names[i]) || !attr_ints(n, names[i], lists[i], &count) || count == 0) {
                        *lists[i] = NULL;
                        continue;
                }
                /* The text allows both: the sizes of all axes, or of those after batch and channels. */
                if (i == 1 && count == spatial + 2)
                        *lists[i] += 2;
                else if (count != spatial)
                        return node_error(n, REASON_ATTRIBUTE_LENGTH, -1, "%s must have %zu elements, got %zu",
                                          names[i], spatial, count);
        }
        return OX_OK;
}

/* The rank of X, or of W, which is the same, or the one that kernel_shape implies; RANK_UNKNOWN if none is known. */
static enum ox_code conv_rank(struct node *n, const struct conv *c, int *ret)
{
        int spatial;

        TRY(in_expect_rank_least(n, c->x, 3));
        TRY(in_expect_rank_least(n, c->w, 3));
        *ret = in_has_rank(n, c->x) ? in_rank(n, c->x) : in_rank(n, c->w);
        if (*ret == RANK_UNKNOWN && windows_spatial(n, &spatial))
                *ret = spatial + 2;
        return *ret == RANK_UNKNOWN ? OX_OK : in_expect_rank(n, c->w, *ret);
}

static enum ox_code conv_axis(struct node *n, const struct conv *c, const struct windows *w,
                              const struct transposed *transposed, int axis, struct dim *ret)
{
        struct dim kernel;
        int place = spatial_axis(c, axis);

        if (c->transposed && transposed->output_shape) {
                *ret = dim_int(transposed->output_shape[axis]);
                return OX_OK;
        }
        bool same = w->auto_pad == WINDOW_SAME_UPPER || w->auto_pad == WINDOW_SAME_LOWER;
        int64_t extra = c->transposed && transposed->output_padding ? transposed->output_padding[axis] : 0;

        if (n->row->since >= 11 && extra > 0 && extra >= w->stride[axis] && extra >= w->dilation[axis])
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "output_padding %lld of axis %d must be less than stride %lld or dilation %lld",
                                  (long long)extra, axis, (long long)w->stride[axis], (long long)w->dilation[axis]);
        if (!in_has_rank(n, c->x) || (!in_has_rank(n, c->w) && !w->kernel && !same)) {
                *ret = out_fresh(n, 0, place);
                return OX_OK;
        }
        kernel = in_has_rank(n, c->w) ? in_dim(n, c->w, axis + 2) : dim_int(w->kernel ? w->kernel[axis] : 1);
        if (w->kernel)
                TRY(dim_agree(n, &kernel, dim_int(w->kernel[axis]), c->w));
        struct window window = windows_axis(w, axis, in_dim(n, c->x, place), kernel);

        if (c->transposed)
                return transposed_size(n, &window, extra, ret);
        return window_output(n, &window, place, ret);
}

static enum ox_code conv(struct node *n, const struct conv *c)
{
        enum elem elem = out_row_elem(n, 0);
        struct transposed transposed = {0};
        struct windows w;
        int rank;

        TRY(in_expect_tensor(n, c->x));
        TRY(in_expect_tensor(n, c->w));
        TRY(conv_rank(n, c, &rank));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, elem);
        TRY(windows_read(n, rank - 2, &w));
        if (c->transposed)
                TRY(transposed_read(n, (size_t)rank - 2, &transposed));
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        dims[0] = in_has_rank(n, c->x) ? in_dim(n, c->x, 0) : out_fresh(n, 0, 0);
        TRY(channels(n, c, rank, &dims[channel_axis(c, rank)]));
        for (int axis = 0; axis < rank - 2; axis++)
                TRY(conv_axis(n, c, &w, &transposed, axis, &dims[spatial_axis(c, axis)]));
        return out_tensor(n, 0, elem, rank, dims);
}

/* Conv 1, 11, 22 */
enum ox_code infer_Conv(struct node *n)
{
        return conv(n, &(struct conv){.x = 0, .w = 1, .bias = 2});
}

/* NhwcConv 1 of com.microsoft: X and Y are [N, H, W, C], and W is as in Conv. */
enum ox_code infer_NhwcConv(struct node *n)
{
        return conv(n, &(struct conv){.x = 0, .w = 1, .bias = 2, .channels_last = true});
}

/* A copy of the dimensions of a type of known rank. */
static struct dim *copy_dims(struct node *n, const struct type *type)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++)
                dims[d] = type->dim[d];
        return dims;
}

/* A convolution with input 3, of the output's shape, added to it. */
static enum ox_code fused_conv(struct node *n, const struct conv *c)
{
        TRY(conv(n, c));
        const struct type made = n->out[0].type;

        if (!in_has_rank(n, 3))
                return OX_OK;
        if (made.rank == RANK_UNKNOWN)
                return out_like(n, 0, made.elem, 3);
        TRY(in_expect_rank(n, 3, made.rank));
        struct dim *dims = copy_dims(n, &made);

        for (int d = 0; d < made.rank; d++)
                TRY(in_agree(n, &dims[d], 3, d));
        return out_tensor(n, 0, made.elem, made.rank, dims);
}

/* FusedConv 1 of com.microsoft, Conv 1 of com.microsoft.nchwc: Conv and an activation; Z, which is added before the
   activation, has the output's shape. */
enum ox_code infer_FusedConv(struct node *n)
{
        return fused_conv(n, &(struct conv){.x = 0, .w = 1, .bias = 2});
}

/* NhwcFusedConv 1 of com.microsoft: everything except the filters has channels last. */
enum ox_code infer_NhwcFusedConv(struct node *n)
{
        return fused_conv(n, &(struct conv){.x = 0, .w = 1, .bias = 2, .channels_last = true});
}

/* Sets the output. Scales and zero points of the filters, inputs `first` to `last`, agree with its channels. */
static enum ox_code conv_per_channel(struct node *n, const struct conv *c, int first, int last)
{
        const struct type made = n->out[0].type;

        if (made.rank == RANK_UNKNOWN)
                return OX_OK;
        struct dim *dims = copy_dims(n, &made);

        for (int i = first; i <= last; i++)
                TRY(per_channel_agree(n, i, &dims[channel_axis(c, made.rank)]));
        return out_tensor(n, 0, made.elem, made.rank, dims);
}

/* ConvInteger 10: x has one zero point, w may have one for each channel. */
enum ox_code infer_ConvInteger(struct node *n)
{
        const struct conv c = {.x = 0, .w = 1, .bias = -1};

        TRY(in_expect_scalar(n, 2));
        TRY(conv(n, &c));
        return conv_per_channel(n, &c, 3, 3);
}

/* An offset or mask of DeformConv has the batch and spatial sizes of the output. */
static enum ox_code deform_agree(struct node *n, int i, int rank, struct dim *dims)
{
        TRY(in_expect_rank(n, i, rank));
        for (int d = 0; in_has_rank(n, i) && d < rank; d++)
                if (d != 1)
                        TRY(in_agree(n, &dims[d], i, d));
        return OX_OK;
}

/* DeformConv 19, 22: sizes as Conv's. For each element of the kernel and each group of offsets, the offset has one
   number for each spatial axis, and the mask has one number. The text says so for two spatial axes; for more it gives
   the mask as many as the offset. */
enum ox_code infer_DeformConv(struct node *n)
{
        int64_t group = attr_int_or(n, "offset_group", 1);

        TRY(conv(n, &(struct conv){.x = 0, .w = 1, .bias = 3}));
        const struct type made = n->out[0].type;

        if (made.rank == RANK_UNKNOWN)
                return OX_OK;
        struct dim *dims = copy_dims(n, &made);

        TRY(deform_agree(n, 2, made.rank, dims));
        TRY(deform_agree(n, 4, made.rank, dims));
        if (in_has_rank(n, 0))
                TRY(in_expect_multiple(n, 0, 1, group, "group"));
        if (in_has_rank(n, 1) && in_has_rank(n, 2)) {
                struct dim elements = dim_mul(n->dims, dim_int(group), dims_product(n, in_dims(n, 1), 2, made.rank));
                struct dim numbers = dim_mul(n->dims, elements, dim_int(made.rank - 2));

                TRY(in_agree(n, &numbers, 2, 1));
                if (in_has_rank(n, 4) && made.rank == 4)
                        TRY(in_agree(n, &elements, 4, 1));
        }
        return out_tensor(n, 0, made.elem, made.rank, dims);
}

/* QLinearConv 10, and 1 of com.microsoft, which can have channels last: x and w are each followed by scale and zero
   point, those of w possibly one for each channel; then come those of y. */
enum ox_code infer_QLinearConv(struct node *n)
{
        static const int single[] = {1, 2, 6, 7};
        const struct conv c = {.x = 0, .w = 3, .bias = 8, .channels_last = attr_int_or(n, "channels_last", 0) != 0};

        for (size_t k = 0; k < sizeof(single) / sizeof(single[0]); k++)
                TRY(in_expect_scalar(n, single[k]));
        TRY(scale_agree(n, 4, 5));
        TRY(conv(n, &c));
        return conv_per_channel(n, &c, 4, 5);
}

/* ConvTranspose 1, 11, 22 */
enum ox_code infer_ConvTranspose(struct node *n)
{
        return conv(n, &(struct conv){.x = 0, .w = 1, .bias = 2, .transposed = true});
}

/* ConvTransposeWithDynamicPads 1 of com.microsoft, whose text has only a signature: batch and channels are
   ConvTranspose's, and the other sizes depend on the contents of Pads. */
enum ox_code infer_ConvTransposeWithDynamicPads(struct node *n)
{
        const struct conv c = {.x = 0, .w = 1, .bias = 3, .transposed = true};
        enum elem elem = out_row_elem(n, 0);
        int rank;

        TRY(in_expect_tensor(n, c.x));
        TRY(in_expect_tensor(n, c.w));
        TRY(conv_rank(n, &c, &rank));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, elem);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        dims[0] = in_has_rank(n, c.x) ? in_dim(n, c.x, 0) : out_fresh(n, 0, 0);
        TRY(channels(n, &c, rank, &dims[1]));
        for (int d = 2; d < rank; d++)
                dims[d] = out_fresh(n, 0, d);
        return out_tensor(n, 0, elem, rank, dims);
}

/* The sizes of a block, 1 or more, and their product; *ret_known tells whether all are known. */
static enum ox_code block_sizes(struct node *n, const struct list *block, struct dim *sizes, struct dim *product,
                                bool *ret_known)
{
        *ret_known = block->state == LIST_KNOWN;
        *product = dim_int(1);
        for (size_t k = 0; k < block->count && block->state == LIST_KNOWN; k++) {
                int64_t size;

                if (scalar_is_number(list_at(block, k), &size) && size < 1)
                        return node_error_at(n, REASON_SIZE_OUT_OF_RANGE, 2, -1, "1 or more", node_number(n, size),
                                             "element %zu of block_shape must be 1 or more, got %lld", k,
                                             (long long)size);
                if (!element_size(n, list_at(block, k), &sizes[k]))
                        *ret_known = false;
                else
                        *product = dim_mul(n->dims, *product, sizes[k]);
        }
        return OX_OK;
}

/* The number of blocks of Col2Im is the number of places that a window of their shape has on the image `dims`. */
static enum ox_code blocks_agree(struct node *n, int spatial, const struct dim *dims, const struct dim *sizes)
{
        struct dim places = dim_int(1), along;
        struct windows w;

        TRY(windows_read(n, spatial, &w));
        for (int axis = 0; axis < spatial; axis++) {
                struct window window = windows_axis(&w, axis, dims[axis], sizes[axis]);

                TRY(window_output(n, &window, -1, &along));
                places = dim_mul(n->dims, places, along);
        }
        return in_has_rank(n, 0) ? in_agree(n, &places, 0, 2) : OX_OK;
}

/* Col2Im 18: [N, C * product of block, L] gathered into [N, C, image...]. */
enum ox_code infer_Col2Im(struct node *n)
{
        struct list image, block;
        struct dim product;

        TRY(in_expect_rank(n, 0, 3));
        TRY(list_get(n, NULL, 1, false, &image));
        TRY(list_get(n, NULL, 2, false, &block));
        if (image.state == LIST_KNOWN && block.state == LIST_KNOWN && image.count != block.count)
                return node_error_at(n, REASON_LENGTH_MISMATCH, 2, 0, node_number(n, (int64_t)image.count),
                                     node_number(n, (int64_t)block.count),
                                     "block_shape must have as many elements as image_shape, %zu, got %zu", image.count,
                                     block.count);
        size_t spatial = image.state == LIST_KNOWN ? image.count : block.count;

        if ((image.state != LIST_KNOWN && block.state != LIST_KNOWN) || !rank_allowed(n, spatial + 2, 1))
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, spatial + 2);
        struct dim *sizes = arena_new_array(n->arena, struct dim, spatial);
        bool block_known, image_known = image.state == LIST_KNOWN;

        TRY(block_sizes(n, &block, sizes, &product, &block_known));

        dims[0] = in_has_rank(n, 0) ? in_dim(n, 0, 0) : out_fresh(n, 0, 0);
        if (block_known && in_has_rank(n, 0))
                TRY(size_quotient(n, in_dim(n, 0, 1), product, 0, &dims[1]));
        else
                dims[1] = out_fresh(n, 0, 1);
        for (size_t d = 0; d < spatial; d++)
                if (image.state != LIST_KNOWN || !element_size(n, list_at(&image, d), &dims[d + 2])) {
                        dims[d + 2] = out_fresh(n, 0, (int)d + 2);
                        image_known = false;
                }
        if (image_known && block_known)
                TRY(blocks_agree(n, (int)spatial, dims + 2, sizes));
        return out_tensor(n, 0, in_elem(n, 0), (int)spatial + 2, dims);
}

/* CausalConvWithState 27: input [B, C, L], weight [C, 1, k]; the state has the last k - 1 positions. */
enum ox_code infer_CausalConvWithState(struct node *n)
{
        struct dim one = dim_int(1), channels;
        struct dim *dims = arena_new_array(n->arena, struct dim, 3), *state = arena_new_array(n->arena, struct dim, 3);

        for (int i = 0; i < 4; i++)
                TRY(in_expect_rank(n, i, i == 2 ? 1 : 3));
        for (int d = 0; d < 3; d++)
                dims[d] = in_has_rank(n, 0) ? in_dim(n, 0, d) : out_fresh(n, 0, d);
        channels = dims[1];
        state[2] = out_fresh(n, 1, 2);
        if (in_has_rank(n, 1)) {
                struct dim kernel = in_dim(n, 1, 2);

                TRY(in_agree(n, &channels, 1, 0));
                TRY(in_agree(n, &one, 1, 1));
                if (dim_is(kernel, 0))
                        return node_error(n, REASON_SIZE_OUT_OF_RANGE, 1,
                                          "axis 2 of the weight must be 1 or more, got 0");
                state[2] = dim_sub(n->dims, kernel, dim_int(1));
        }
        if (in_has_rank(n, 2))
                TRY(in_agree(n, &channels, 2, 0));
        dims[1] = channels;
        state[0] = dims[0];
        state[1] = channels;
        for (int d = 0; in_has_rank(n, 3) && d < 3; d++)
                TRY(in_agree(n, &state[d], 3, d));
        dims[0] = state[0];
        dims[1] = state[1];
        TRY(out_tensor(n, 0, in_elem(n, 0), 3, dims));
        return out_tensor(n, 1, in_elem(n, 0), 3, state);
}
