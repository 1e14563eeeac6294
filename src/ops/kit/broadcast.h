/* Shapes that broadcast together, or must be equal, and the elements of them. */
#pragma once

#include "ops/node/node.h"

/* Shape of inputs [first, first + count) broadcast together (numpy, multidirectional; Broadcasting.md). Inputs of
   unknown rank make the result unknown: *ret_rank is RANK_UNKNOWN then. Error DIM_MISMATCH names the later input. */
enum ox_code broadcast_inputs(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims);

/* A shape that broadcasts: of an input, or of its first axes; `input` -1: of those before the other one, broadcast. */
struct broadcast_side {
        int rank;
        const struct dim *dim;
        int input;
};

/* Two shapes broadcast; the error DIM_MISMATCH names both axes. A shape that is one of the two already is that one. */
enum ox_code broadcast_shapes(struct node *n, const struct broadcast_side *left, const struct broadcast_side *right,
                              int *ret_rank, const struct dim **ret_dims);

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
