/* Rules that several operator families share. */
#pragma once

#include "ops/node.h"

/* Shape of inputs [first, first + count) broadcast together (numpy, multidirectional; Broadcasting.md). Inputs of
   unknown rank make the result unknown: *ret_rank is RANK_UNKNOWN then. Error DIM_MISMATCH names the later input. */
enum ox_code broadcast_inputs(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims);

/* Two shapes broadcast; `input` is named in the error. A shape that is one of the two already is that one. */
enum ox_code broadcast_shapes(struct node *n, int a_rank, const struct dim *a, int b_rank, const struct dim *b,
                              int input, int *ret_rank, const struct dim **ret_dims);

/* Input `input` broadcasts into a shape (unidirectional broadcasting): its sizes are those of the shape or 1, so that
   an integer other than 1 tells the shape's. Errors RANK_MISMATCH, DIM_MISMATCH. */
enum ox_code broadcast_into(struct node *n, int rank, struct dim *dims, int input);

/* The one shape that inputs [first, first + count) share; inputs of unknown rank take part in nothing. */
enum ox_code same_shapes(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims);

/* Two inputs by the attributes `broadcast` and `axis` of operator sets before 7: equal shapes, or the second one is a
   single element or a run of the first one's sizes, which then are the result's. They are so by the text whatever
   `broadcast` says; that it is missing is a warning. A size of 1 or a symbol in the second shape tells nothing of the
   first, nor does its rank, for models that forget `broadcast` run. */
enum ox_code broadcast_legacy(struct node *n, int *ret_rank, const struct dim **ret_dims);

/* Contents of a broadcasting operator, element by element: `f` gets one element of each input. Sets the contents of
   output 0 when every input has contents and the output's shape is known and small. */
typedef struct scalar (*scalar_fn)(struct node *n, const struct scalar *args, int count);
void content_broadcast(struct node *n, scalar_fn f);

/* The same, with SCALAR_UNKNOWN for elements of inputs that have no contents or are not given. */
void content_broadcast_partial(struct node *n, scalar_fn f);

/* A scale and its zero point, which may be left out, have the same shape; what has one element may be a scalar or a
   vector. Errors RANK_MISMATCH, DIM_MISMATCH. */
enum ox_code scale_agree(struct node *n, int scale, int zero);
/* A scale or zero point is one element, or a vector of one for each of `*channels`, which become the better known. */
enum ox_code per_channel_agree(struct node *n, int i, struct dim *channels);

/* One output dimension of a sliding window over `size` (Conv, pools): the formulas of the specification, symbolic. */
struct window {
        struct dim size;            /* of the axis, before padding */
        struct dim kernel;          /* as given, before dilation */
        int64_t stride, dilation;   /* > 0 */
        int64_t pad_begin, pad_end; /* explicit pads */
        enum window_pad { WINDOW_NOTSET, WINDOW_VALID, WINDOW_SAME_UPPER, WINDOW_SAME_LOWER } auto_pad;
        bool ceil_mode;
        bool drop_last_in_padding; /* a last window that begins in the end padding is not counted */
};
/* Error KERNEL_EXCEEDS_INPUT when the size is known and no window fits. */
enum ox_code window_output(struct node *n, const struct window *w, int axis, struct dim *ret);
