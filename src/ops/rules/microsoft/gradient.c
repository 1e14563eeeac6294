/* Gradients of com.microsoft: that with regard to an input has the input's shape. */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/list.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* The output has the shape that inputs [first, first + count) share. */
static enum ox_code out_shared(struct node *n, int o, int first, int count)
{
        const struct dim *dims;
        int rank;

        TRY(same_shapes(n, first, count, &rank, &dims));
        return rank == RANK_UNKNOWN ? OX_OK : out_tensor(n, o, out_row_elem(n, o), rank, dims);
}

static enum ox_code inputs_are_tensors(struct node *n)
{
        for (int i = 0; i < n->n_in; i++)
                TRY(in_expect_tensor(n, i));
        return OX_OK;
}

static enum ox_code expect_axis(struct node *n)
{
        int axis;

        if (op_find_attr(n->row, "axis") && in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        return OX_OK;
}

/* ReluGrad 1, GeluGrad 1, SoftmaxGrad 1 and the like: the gradient of what an operator gave, and either that or what it
   was given, which have one shape. */
enum ox_code infer_elementwise_gradient(struct node *n)
{
        TRY(inputs_are_tensors(n));
        TRY(expect_axis(n));
        return out_shared(n, 0, 0, 2);
}

/* BiasGeluGrad_dX 1, BiasFastGeluGrad_dX 1: B is the bias of BiasGelu, a vector along the last axis. */
enum ox_code infer_bias_gradient(struct node *n)
{
        const struct dim *shared;
        struct dim *dims;
        int rank;

        TRY(inputs_are_tensors(n));
        TRY(in_expect_rank(n, 2, 1));
        TRY(same_shapes(n, 0, 2, &rank, &shared));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++)
                dims[d] = shared[d];
        if (rank > 0 && in_has_rank(n, 2))
                TRY(in_agree(n, &dims[rank - 1], 2, 0));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* DropoutGrad 1, FakeQuantGrad 1: the mask has the gradient's shape. BitmaskDropoutGrad 1: the text does not say how
   the bits of the mask are laid out. */
enum ox_code infer_dropout_gradient(struct node *n)
{
        bool of_bits = in_elem(n, 1) == ELEM_UINT32;

        TRY(inputs_are_tensors(n));
        TRY(in_expect_scalar(n, 2));
        TRY(in_expect_scalar(n, 3));
        return out_shared(n, 0, 0, of_bits ? 1 : 2);
}

/* SoftmaxDropoutGrad 1: the gradient, the mask and what softmax gave have one shape. */
enum ox_code infer_SoftmaxDropoutGrad(struct node *n)
{
        TRY(inputs_are_tensors(n));
        TRY(in_expect_scalar(n, 3));
        TRY(expect_axis(n));
        return out_shared(n, 0, 0, 3);
}

/* SoftmaxCrossEntropyGrad 1, BinaryCrossEntropyGrad 1: labels are "one-hot, with the same shape as logits". */
enum ox_code infer_entropy_gradient(struct node *n)
{
        TRY(inputs_are_tensors(n));
        return out_shared(n, 0, 1, 2);
}

/* LayerNormalizationGrad 1, SimplifiedLayerNormalizationGrad 1, InvertibleLayerNormalizationGrad 1,
   BatchNormalizationGrad 1: the gradient of the data has the shape of both first inputs; scale and bias are shaped
   alike. */
enum ox_code infer_norm_gradient(struct node *n)
{
        TRY(inputs_are_tensors(n));
        TRY(expect_axis(n));
        TRY(out_shared(n, 0, 0, 2));
        for (int o = 1; o < n->n_out; o++)
                TRY(out_like(n, o, out_row_elem(n, o), 2));
        return OX_OK;
}

/* ConvGrad 1, ConvTransposeGrad 1: the bias has an element for each channel of what the convolution gave. */
enum ox_code infer_conv_gradient(struct node *n)
{
        struct dim *channels = arena_new_array(n->arena, struct dim, 1);
        int rank = in_rank(n, 0);

        TRY(inputs_are_tensors(n));
        for (int i = 0; i < 3; i++)
                TRY(in_expect_rank_least(n, i, 2));
        for (int i = 1; i < 3 && rank != RANK_UNKNOWN; i++)
                TRY(in_expect_rank(n, i, rank));
        if (rank != RANK_UNKNOWN && in_has_rank(n, 1)) {
                struct dim batch = in_dim(n, 0, 0);

                TRY(in_agree(n, &batch, 1, 0));
        }
        TRY(out_like(n, 0, out_row_elem(n, 0), 1));
        TRY(out_like(n, 1, out_row_elem(n, 1), 2));
        channels[0] = rank == RANK_UNKNOWN ? out_fresh(n, 2, 0) : in_dim(n, 0, 1);
        return out_tensor(n, 2, out_row_elem(n, 2), 1, channels);
}

/* DivGrad 1 */
enum ox_code infer_DivGrad(struct node *n)
{
        TRY(inputs_are_tensors(n));
        TRY(out_like(n, 0, out_row_elem(n, 0), 1));
        return out_like(n, 1, out_row_elem(n, 1), 2);
}

/* ResizeGrad 1 */
enum ox_code infer_ResizeGrad(struct node *n)
{
        TRY(inputs_are_tensors(n));
        return out_like(n, 0, out_row_elem(n, 0), 1);
}

/* GatherGrad 1, GatherElementsGrad 1, GatherNDGrad 1, SliceGrad 1: the elements of `shape` are the shape of the data.
 */
enum ox_code infer_shaped_gradient(struct node *n)
{
        int i = text_same(op_in_param(n->row, 0)->name, "shape") ? 0 : 1;
        struct list sizes;
        struct dim *dims;

        TRY(inputs_are_tensors(n));
        TRY(list_get(n, NULL, i, false, &sizes));
        if (sizes.state != LIST_KNOWN || !rank_allowed(n, sizes.count, i))
                return OX_OK;
        TRY(list_of_sizes(n, &sizes, i));
        dims = arena_new_array(n->arena, struct dim, sizes.count);
        for (int d = 0; d < (int)sizes.count; d++)
                if (!element_size(n, list_at(&sizes, (size_t)d), &dims[d]))
                        dims[d] = out_fresh(n, 0, d);
        return out_tensor(n, 0, out_row_elem(n, 0), (int)sizes.count, dims);
}

/* -- GRUGrad 1, LSTMGrad 1: gradients of what the texts of GRU-14 and LSTM-14 give, with time first -- */

struct recurrence {
        int gates;
        struct size directions, time, batch, input, hidden, gated;
};

/* X, W and R are inputs 0 to 2; `state` is the initial state, which `lengths` stands before. */
static enum ox_code recurrence_read(struct node *n, int lengths, int state, struct recurrence *r)
{
        int64_t hidden;

        r->directions = size_int(attr_is(n, "direction", "bidirectional") ? 2 : 1);
        if (attr_int(n, "hidden_size", &hidden))
                r->hidden = size_int(hidden);
        TRY(IN_SIZED(n, 0, &r->time, &r->batch, &r->input));
        TRY(IN_SIZED(n, 1, &r->directions, &r->gated, &r->input));
        TRY(IN_SIZED(n, 2, &r->directions, &r->gated, &r->hidden));
        TRY(IN_SIZED(n, lengths, &r->batch));
        TRY(IN_SIZED(n, state, &r->directions, &r->batch, &r->hidden));
        if (r->hidden.known)
                TRY(size_is(n, &r->gated, size_times(n, r->gates, r->hidden), 2));
        return OX_OK;
}

/* The gradients of X, W, R, B and the initial state, which begin the outputs. */
static enum ox_code out_recurrence(struct node *n, struct recurrence *r)
{
        struct size biases = size_times(n, 2, r->gated);

        TRY(OUT_SIZED(n, 0, &r->time, &r->batch, &r->input));
        TRY(OUT_SIZED(n, 1, &r->directions, &r->gated, &r->input));
        TRY(OUT_SIZED(n, 2, &r->directions, &r->gated, &r->hidden));
        TRY(OUT_SIZED(n, 3, &r->directions, &biases));
        return OUT_SIZED(n, 4, &r->directions, &r->batch, &r->hidden);
}

enum ox_code infer_GRUGrad(struct node *n)
{
        enum { B = 3, LENGTHS, STATE };
        struct recurrence r = {.gates = 3};

        TRY(in_expect_rank(n, B, 2));
        TRY(recurrence_read(n, LENGTHS, STATE, &r));
        return out_recurrence(n, &r);
}

enum ox_code infer_LSTMGrad(struct node *n)
{
        enum { LENGTHS = 3, STATE, CELL };
        struct recurrence r = {.gates = 4};
        struct size peepholes;

        TRY(recurrence_read(n, LENGTHS, STATE, &r));
        TRY(IN_SIZED(n, CELL, &r.directions, &r.batch, &r.hidden));
        TRY(out_recurrence(n, &r));
        TRY(OUT_SIZED(n, 5, &r.directions, &r.batch, &r.hidden));
        peepholes = size_times(n, 3, r.hidden);
        return OUT_SIZED(n, 6, &r.directions, &peepholes);
}

/* -- BroadcastGradientArgs 1 -- */

/* The size of a shape at axis `axis` of the broadcast shape, whose rank is `rank`: 1 where the shape has fewer axes. */
static struct scalar size_of(const struct node *n, const struct list *shape, int rank, int axis)
{
        int at = axis - (rank - (int)shape->count);
        struct scalar s = at < 0 ? scalar_int(dim_int(1)) : list_at(shape, (size_t)at);

        if (s.kind == SCALAR_INT)
                s.d = dim_resolve(n->dims, s.d);
        return s;
}

/* Whether a gradient of the size `other` must be summed over an axis where the input has `own`; false if that is not
   known. */
static bool axis_summed(struct scalar own, struct scalar other, bool *ret)
{
        int64_t a, b;

        *ret = false;
        if (own.kind != SCALAR_INT || other.kind != SCALAR_INT)
                return false;
        if (dim_same(own.d, other.d))
                return true;
        if (!scalar_is_number(own, &a))
                return scalar_is_number(other, &b) && b == 1;
        if (a != 1)
                return true;
        *ret = true;
        return scalar_is_number(other, &b);
}

/* The axes over which to sum for each input, "last to first"; NULL where some are not known. */
static enum ox_code summed_axes(struct node *n, const struct content *ret[2])
{
        struct list shape[2];
        int rank;

        ret[0] = ret[1] = NULL;
        for (int i = 0; i < 2; i++)
                TRY(list_get(n, NULL, i, false, &shape[i]));
        if (shape[0].state != LIST_KNOWN || shape[1].state != LIST_KNOWN || !rank_allowed(n, shape[0].count, 0) ||
            !rank_allowed(n, shape[1].count, 1))
                return OX_OK;
        rank = (int)(shape[0].count > shape[1].count ? shape[0].count : shape[1].count);
        for (int i = 0; i < 2; i++) {
                bool *summed = arena_new_array(n->arena, bool, (size_t)rank), known = true;
                struct content *axes;
                int count = 0;

                for (int d = 0; d < rank && known; d++) {
                        known = axis_summed(size_of(n, &shape[i], rank, d), size_of(n, &shape[1 - i], rank, d),
                                            &summed[d]);
                        count += known && summed[d];
                }
                if (!known)
                        continue;
                axes = content_new(n->arena, (size_t)count);
                for (int d = rank - 1, k = 0; d >= 0; d--)
                        if (summed[d])
                                content_set(axes, (size_t)k++, scalar_int(dim_int(d)));
                ret[i] = axes;
        }
        return OX_OK;
}

/* Both outputs are vectors, whose lengths hang on the elements of the shapes. */
enum ox_code infer_BroadcastGradientArgs(struct node *n)
{
        const struct content *axes[2];

        TRY(summed_axes(n, axes));
        for (int o = 0; o < 2; o++) {
                struct dim *length = arena_new_array(n->arena, struct dim, 1);

                length[0] = axes[o] ? dim_int((int64_t)axes[o]->count) : out_fresh(n, o, 0);
                TRY(out_tensor(n, o, ELEM_INT64, 1, length));
        }
        return OX_OK;
}

void content_BroadcastGradientArgs(struct node *n)
{
        const struct content *axes[2];

        if (summed_axes(n, axes) != OX_OK)
                return;
        for (int o = 0; o < 2; o++)
                if (axes[o])
                        out_content(n, o, axes[o]);
}
