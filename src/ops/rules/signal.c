/* Fourier transforms. */
#include "ops/rules/signal.h"
#include "ops/kit/axes.h"
#include "ops/kit/sizes.h"

/* A scalar that is a positive integer. */
static enum ox_code positive_scalar(struct node *n, int i, struct dim *ret, bool *ret_known)
{
        const struct content *content = in_content(n, i);

        *ret_known = false;
        TRY(in_expect_scalar(n, i));
        if (!content || content->count != 1 || content_at(content, 0).kind != SCALAR_INT)
                return OX_OK;
        *ret = dim_resolve(n->dims, content_at(content, 0).d);
        if (dim_is_int(*ret) && ret->val <= 0)
                return node_error_at(n, REASON_ATTRIBUTE_VALUE, i, -1, "1 or more", node_number(n, ret->val),
                                     "%s must be 1 or more, got %lld", node_input_name(n, i), (long long)ret->val);
        *ret_known = true;
        return OX_OK;
}

/* The number of values of a transform of `length` samples that are kept. */
static struct dim half(struct node *n, struct dim length)
{
        return dim_add(n->dims, dim_floordiv(n->dims, length, dim_int(2)), dim_int(1));
}

static const char *output_name(const struct node *n)
{
        return n->n_out > 0 ? out_name(n, 0) : "";
}

/* -- DFT -- */

/* The axis is an attribute in version 17, with the default 1, and an input in version 20, with the signal's last axis
   as the default. The last axis of the tensor holds real and imaginary parts and is not transformed, so with two axes
   the default is the first. */
static enum ox_code dft_axis(struct node *n, int rank, int *ret, bool *ret_known)
{
        int64_t axis = -2;

        *ret_known = true;
        if (n->row->since < 20)
                axis = attr_int_or(n, "axis", 1);
        else if (in_given(n, 2))
                *ret_known = in_int(n, 2, &axis) || rank == 2;
        if (!*ret_known)
                return OX_OK;
        TRY(axis_normalize(n, axis, rank, ret));
        if (*ret == rank - 1)
                return node_error(n, REASON_AXIS_OUT_OF_RANGE, -1,
                                  "axis must not be the last one, %d, which holds real and imaginary parts, got %lld",
                                  rank - 1, (long long)axis);
        return OX_OK;
}

/* The length of the transform without dft_length: that of the signal. For the inverse of a one-sided transform it is
   that of the real signal, which is taken to be even. */
static struct dim dft_length(struct node *n, struct dim from, bool onesided, bool inverse)
{
        if (!onesided || !inverse)
                return from;
        return dim_mul(n->dims, dim_int(2), dim_sub(n->dims, from, dim_int(1)));
}

/* The last axis holds real and imaginary parts; its size is 1 in a real tensor. A one-sided transform takes real to
   complex, and its inverse complex to real. */
static enum ox_code dft_parts(struct node *n, struct dim parts, bool onesided, bool inverse)
{
        if (dim_is_int(parts) && parts.val != 1 && parts.val != 2)
                return node_error_at(n, REASON_DIM_MISMATCH, 0, in_rank(n, 0) - 1, "1 or 2", node_number(n, parts.val),
                                     "%s: the last axis must have size 1 (real) or 2 (complex), got %lld",
                                     node_input_text(n, 0), (long long)parts.val);
        if (onesided && dim_is_int(parts) && parts.val != (inverse ? 2 : 1))
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, 0, "onesided=1 takes a %s input here",
                                  inverse ? "complex" : "real");
        return OX_OK;
}

/* DFT 17, 20: the output has dft_length values; with onesided, unless it is the inverse, half of them. */
enum ox_code infer_DFT(struct node *n)
{
        bool onesided = attr_int_or(n, "onesided", 0) != 0, inverse = attr_int_or(n, "inverse", 0) != 0;
        bool axis_known, length_known;
        int rank = in_rank(n, 0), axis;
        struct dim *dims, length = dim_int(0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(positive_scalar(n, 1, &length, &length_known));
        TRY(in_expect_scalar(n, 2));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        TRY(dft_axis(n, rank, &axis, &axis_known));
        dims = in_dims(n, 0);
        TRY(dft_parts(n, dims[rank - 1], onesided, inverse));
        if (axis_known) {
                if (!in_given(n, 1))
                        length = dft_length(n, dims[axis], onesided, inverse);
                else if (!length_known)
                        length = out_fresh_named(n, 0, axis, "DFT_%s_axis", output_name(n));
                dims[axis] = onesided && !inverse ? half(n, length) : length;
        } else if (onesided || in_given(n, 1)) {
                for (int d = 0; d < rank - 1; d++)
                        dims[d] = out_fresh_named(n, 0, d, "DFT_%s_axis_%d", output_name(n), d);
        }
        dims[rank - 1] = dim_int(onesided && inverse ? 1 : 2);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* -- STFT 17: [batch, length, 1 or 2] gives [batch, frames, bins, 2]. A real signal may omit its last axis: runtimes
   accept [batch, length], and no other reading of such a signal is defined -- */

/* The length of a frame, from frame_length or the window, which must agree if both are given. */
static enum ox_code stft_frame(struct node *n, struct dim *ret, bool *ret_known)
{
        bool has_window = in_given(n, 2) && in_has_rank(n, 2);

        *ret_known = false;
        TRY(in_expect_tensor(n, 2));
        TRY(in_expect_rank(n, 2, 1));
        if (has_window && dim_is(in_dim(n, 2, 0), 0))
                return node_error_at(n, REASON_DIM_MISMATCH, 2, 0, "1 or more", "0",
                                     "%s: the window must have elements", node_input_text(n, 2));
        if (in_given(n, 3))
                TRY(positive_scalar(n, 3, ret, ret_known));
        if (has_window && *ret_known)
                return in_agree(n, ret, 2, 0);
        if (has_window) {
                *ret = in_dim(n, 2, 0);
                *ret_known = true;
        }
        return OX_OK;
}

/* The number of frames that fit into the signal. */
static enum ox_code stft_frames(struct node *n, struct dim frame, bool frame_known, struct dim *ret)
{
        struct dim step, length;
        bool known;

        TRY(positive_scalar(n, 1, &step, &known));
        if (!known || !frame_known || !in_has_rank(n, 0)) {
                *ret = out_fresh_named(n, 0, 1, "STFT_%s_frames", output_name(n));
                return OX_OK;
        }
        length = in_dim(n, 0, 1);
        if (dim_is_int(length) && dim_is_int(frame) && frame.val > length.val)
                return node_error_at(
                        n, REASON_DIM_MISMATCH, 0, 1, arena_printf(n->arena, "%lld or more", (long long)frame.val),
                        node_number(n, length.val), "%s: axis 1 must be at least the length of a frame, %lld, got %lld",
                        node_input_text(n, 0), (long long)frame.val, (long long)length.val);
        *ret = dim_add(n->dims, dim_floordiv(n->dims, dim_sub(n->dims, length, frame), step), dim_int(1));
        return OX_OK;
}

/* STFT 17: onesided, 1 by default, is for real signals. The text leaves the bins of a complex signal open if onesided
   is omitted. */
static struct dim stft_bins(struct node *n, struct dim frame, bool known)
{
        bool complex = in_rank(n, 0) == 3 && dim_is(in_dim(n, 0, 2), 2);

        if (known && attr_int_or(n, "onesided", 1) == 0)
                return frame;
        if (known && (!complex || dim_same(frame, half(n, frame))))
                return half(n, frame);
        return out_fresh_named(n, 0, 2, "STFT_%s_bins", output_name(n));
}

enum ox_code infer_STFT(struct node *n)
{
        bool onesided = attr_given(n, "onesided") && attr_int_or(n, "onesided", 1) != 0, known;
        struct dim *dims = arena_new_array(n->arena, struct dim, 4), frame = dim_int(0);

        TRY(in_expect_tensor(n, 0));
        if (in_rank(n, 0) != 2)
                TRY(in_expect_rank(n, 0, 3));
        TRY(stft_frame(n, &frame, &known));
        TRY(stft_frames(n, frame, known, &dims[1]));
        if (in_has_rank(n, 0)) {
                if (in_rank(n, 0) == 3)
                        TRY(dft_parts(n, in_dim(n, 0, 2), onesided, false));
                dims[0] = in_dim(n, 0, 0);
        } else {
                dims[0] = out_fresh_named(n, 0, 0, "STFT_%s_batch", output_name(n));
        }
        dims[2] = stft_bins(n, frame, known);
        dims[3] = dim_int(2);
        return out_tensor(n, 0, in_elem(n, 0), 4, dims);
}

/* DFT 1, IDFT 1 of com.microsoft.experimental: [batch_idx][n_fft], or [batch_idx][signal_dim1] ... with 1 or 2 behind
   for the parts, which are always 2 in the output; with onesided, the axis has floor(n_fft / 2) + 1 values. Axes are
   counted after the batch. */
enum ox_code infer_experimental_DFT(struct node *n)
{
        bool onesided = op_find_attr(n->row, "onesided") && attr_int_or(n, "onesided", 0) != 0;
        int rank = in_rank(n, 0), axes = rank > 2 ? rank - 2 : 1;
        int64_t axis = attr_int_or(n, "axis", 0);
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        if (axis < 0 || axis >= axes)
                return node_error(n, REASON_AXIS_OUT_OF_RANGE, -1, "axis must be in [0, %d], got %lld", axes - 1,
                                  (long long)axis);
        dims = arena_new_array(n->arena, struct dim, (size_t)axes + 2);
        for (int d = 0; d <= axes; d++)
                dims[d] = in_dim(n, 0, d);
        if (rank > 2)
                TRY(dft_parts(n, in_dim(n, 0, rank - 1), false, false));
        if (onesided)
                dims[axis + 1] = half(n, dims[axis + 1]);
        dims[axes + 1] = dim_int(2);
        return out_tensor(n, 0, out_row_elem(n, 0), axes + 2, dims);
}
