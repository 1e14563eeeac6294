/* Normalisations, and Dropout: the output has the input's shape; operators differ in the statistics beside it. */
#include "ops/rules/norm.h"
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/sizes.h"

/* The first output has the shape of the first input, and the element type of the row. */
static enum ox_code normalized(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* The same if scales and statistics determine the number of channels. */
static enum ox_code normalized_channels(struct node *n, struct dim channels)
{
        TRY(in_expect_tensor(n, 0));
        if (in_rank(n, 0) < 2)
                return normalized(n);
        if (dim_same(in_dim(n, 0, 1), channels))
                return out_tensor(n, 0, out_row_elem(n, 0), in_rank(n, 0), in_shape(n, 0));
        struct dim *dims = in_dims(n, 0);

        dims[1] = channels;
        return out_tensor(n, 0, out_row_elem(n, 0), in_rank(n, 0), dims);
}

/* Inputs [1, end) are vectors of the same size. *size becomes the most exact one; *known is false while none is
   known. */
static enum ox_code vectors_agree(struct node *n, int end, bool *known, struct dim *size)
{
        for (int i = 1; i < end; i++) {
                TRY(in_expect_rank(n, i, 1));
                if (!in_has_rank(n, i))
                        continue;
                if (*known)
                        TRY(in_agree(n, size, i, 0));
                else
                        *size = in_dim(n, i, 0);
                *known = true;
        }
        return OX_OK;
}

/* LRN 1, 13 */
enum ox_code infer_LRN(struct node *n)
{
        return normalized(n);
}

/* InstanceNormalization 1, 6, 22: scale and B have one element for each channel. */
enum ox_code infer_InstanceNormalization(struct node *n)
{
        bool known = in_has_rank(n, 0);
        struct dim channels = dim_int(0);

        TRY(in_expect_rank_least(n, 0, 2));
        if (known)
                channels = in_dim(n, 0, 1);
        TRY(vectors_agree(n, 3, &known, &channels));
        return normalized_channels(n, channels);
}

/* GroupNormalization: scale and bias have one element for each channel in 21, for each group in 18. */
enum ox_code infer_GroupNormalization(struct node *n)
{
        int64_t groups = attr_int_or(n, "num_groups", 1);
        bool known = true;

        TRY(in_expect_rank_least(n, 0, 2));
        struct dim channels = in_has_rank(n, 0) ? in_dim(n, 0, 1) : dim_int(0), size = dim_int(groups);

        if (in_has_rank(n, 0))
                TRY(in_expect_multiple(n, 0, 1, groups, "num_groups"));
        if (n->row->since >= 21) {
                known = in_has_rank(n, 0);
                size = channels;
        }
        TRY(vectors_agree(n, 3, &known, &size));
        return normalized_channels(n, n->row->since >= 21 ? size : channels);
}

/* MeanVarianceNormalization 9, 13: the default of the axes is for images. */
enum ox_code infer_MeanVarianceNormalization(struct node *n)
{
        const int64_t *axes;
        size_t count;

        if (in_has_rank(n, 0) && attr_given(n, "axes") && attr_ints(n, "axes", &axes, &count)) {
                bool *is_axis = arena_new_array(n->arena, bool, (size_t)in_rank(n, 0));

                TRY(axes_normalize(n, axes, count, in_rank(n, 0), is_axis));
        }
        return normalized(n);
}

/* Whether an input of known rank says nothing of the sizes of the first one that these are not already. */
static bool scale_fits(const struct node *n, int i)
{
        const int rank = in_rank(n, i), lead = in_rank(n, 0) - rank;

        for (int d = 0; d < rank && lead >= 0; d++) {
                const struct dim size = in_dim(n, i, d);

                if (dim_is_int(size) && size.val != 1 && !dim_same(in_dim(n, 0, lead + d), size))
                        return false;
        }
        return lead >= 0;
}

/* Inputs [1, end) broadcast to the first one, as the scale and bias of LayerNormalization and RMSNormalization do. */
static enum ox_code scales_agree(struct node *n, int end)
{
        if (!in_has_rank(n, 0))
                return OX_OK;
        for (int i = 1; i < end; i++)
                if (in_has_rank(n, i) && !scale_fits(n, i))
                        TRY(broadcast_into(n, in_rank(n, 0), in_dims(n, 0), i));
        return OX_OK;
}

/* RMSNormalization 23: the output has the element type of scale. */
enum ox_code infer_RMSNormalization(struct node *n)
{
        int axis;

        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", -1, in_rank(n, 0), &axis));
        TRY(scales_agree(n, 2));
        return normalized(n);
}

/* LpNormalization 1, 22: along one axis; as the order "only 1 or 2 are supported". */
enum ox_code infer_LpNormalization(struct node *n)
{
        int axis;

        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", -1, in_rank(n, 0), &axis));
        return normalized(n);
}

/* BatchNormalization 1, 6, 7, 9, 14, 15: scale, B, mean and var have one element for each channel, and so have the
   statistics that training gives; an X of one axis has one channel. */
static enum ox_code batch_by_channel(struct node *n)
{
        struct dim channels = dim_int(1);
        bool known = in_has_rank(n, 0);

        if (in_rank(n, 0) > 1)
                channels = in_dim(n, 0, 1);
        TRY(vectors_agree(n, 5, &known, &channels));
        TRY(normalized_channels(n, channels));
        for (int o = 1; o < n->n_out; o++) {
                struct dim *dims = arena_new_array(n->arena, struct dim, 1);

                dims[0] = known ? channels : out_fresh(n, o, 0);
                TRY(out_tensor(n, o, out_row_elem(n, o), 1, dims));
        }
        return OX_OK;
}

/* With `spatial` 0, up to version 8, they have one for each element of a sample: the shape after the batch axis.
   Version 7 says so. Earlier texts have vectors, but runtimes do as version 7 says, so the shape of the given mean is
   used. */
static enum ox_code batch_by_element(struct node *n)
{
        TRY(normalized(n));
        for (int o = 1; o < n->n_out; o++) {
                if (n->row->since < 7)
                        TRY(out_like(n, o, out_row_elem(n, o), 3));
                else if (in_has_rank(n, 0))
                        TRY(out_tensor(n, o, out_row_elem(n, o), in_rank(n, 0) - 1, in_dims(n, 0) + 1));
        }
        return OX_OK;
}

/* BatchNormalization 1, 6, 7, 9, 14, 15; the last two say that "extra outputs are invalid" unless it trains. */
enum ox_code infer_BatchNormalization(struct node *n)
{
        TRY(in_expect_rank_least(n, 0, 1));
        if (op_find_attr(n->row, "training_mode") && attr_int_or(n, "training_mode", 0) == 0 &&
            (out_wanted(n, 1) || out_wanted(n, 2)))
                return node_error(n, REASON_OUTPUT_COUNT, -1,
                                  "the number of outputs must be 1 while training_mode is 0, got %d", n->n_out);
        if (op_find_attr(n->row, "spatial") && attr_int_or(n, "spatial", 1) == 0)
                return batch_by_element(n);
        return batch_by_channel(n);
}

/* A statistic of LayerNormalization: the axes before `axis` are kept, the others are 1. stash_type is its element
   type. */
static enum ox_code out_statistic(struct node *n, int o)
{
        int64_t stash = attr_int_or(n, "stash_type", ELEM_FLOAT);
        enum elem elem = elem_is_valid(stash) ? (enum elem)stash : ELEM_UNDEFINED;
        int axis;

        if (!in_has_rank(n, 0))
                return out_elem(n, o, elem);
        TRY(attr_axis(n, "axis", -1, in_rank(n, 0), &axis));
        if (!out_wanted(n, o))
                return OX_OK;
        struct dim *dims = in_dims(n, 0);

        for (int d = axis; d < in_rank(n, 0); d++)
                dims[d] = dim_int(1);
        return out_tensor(n, o, elem, in_rank(n, 0), dims);
}

/* LayerNormalization 17: Mean and InvStdDev beside Y. */
enum ox_code infer_LayerNormalization(struct node *n)
{
        TRY(scales_agree(n, 3));
        TRY(normalized(n));
        TRY(out_statistic(n, 1));
        return out_statistic(n, 2);
}

/* SimplifiedLayerNormalization 1, which ONNX Runtime adds to ai.onnx: as RMSNormalization, with a second output, the
   inverse of the root mean square, shaped as LayerNormalization's InvStdDev. */
enum ox_code infer_SimplifiedLayerNormalization(struct node *n)
{
        TRY(infer_RMSNormalization(n));
        return out_statistic(n, 1);
}

/* Dropout 1, 6, 7, 10, 12, 13, 22: the mask has the shape of the data; it is bool from 10 on. The scalars ratio and
   training_mode are inputs from 12 on. */
enum ox_code infer_Dropout(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(out_like(n, 1, out_row_elem(n, 1), 0));
        return out_like(n, 0, in_elem(n, 0), 0);
}
