/* Shapes that broadcast together, or must be equal, and the elements of them. */
#pragma once

#include "ops/node/node.h"

/* The broadcast shape of inputs [first, first + count) (numpy, multidirectional; Broadcasting.md). *ret_rank is
   RANK_UNKNOWN if an input has unknown rank. Error DIM_MISMATCH names the later input. */
enum ox_code broadcast_inputs(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims);

/* A shape to broadcast: that of an input, or its first axes; `input` -1: the broadcast of earlier inputs. */
struct broadcast_side {
        int rank;
        const struct dim *dim;
        int input;
};

/* Broadcasts two shapes; the error DIM_MISMATCH names both axes. A result that equals one of the two shares its
   dimensions. */
enum ox_code broadcast_shapes(struct node *n, const struct broadcast_side *left, const struct broadcast_side *right,
                              int *ret_rank, const struct dim **ret_dims);

/* Input `input` broadcasts into a shape (unidirectional broadcasting): its sizes are those of the shape or 1, so an
   integer other than 1 determines the size of the shape. Errors RANK_MISMATCH, DIM_MISMATCH. */
enum ox_code broadcast_into(struct node *n, int rank, struct dim *dims, int input);

/* The shape that inputs [first, first + count) share; inputs of unknown rank are ignored. */
enum ox_code same_shapes(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims);

/* Two inputs by the attributes `broadcast` and `axis` of operator sets before 7: equal shapes, or the second one is a
   single element or equals a run of the first one's sizes, and the result has the first shape. By the text the second
   case needs `broadcast`; without it there is only a warning, since runtimes run such models. Therefore a size of 1, a
   symbol or the rank of the second shape determines nothing about the first. */
enum ox_code broadcast_legacy(struct node *n, int *ret_rank, const struct dim **ret_dims);

/* Contents of a broadcasting operator, element by element: `f` gets one element of each input. Sets the contents of
   output 0 if every input has contents and the output's shape is known and small. */
typedef struct scalar (*scalar_fn)(struct node *n, const struct scalar *args, int count);
void content_broadcast(struct node *n, scalar_fn f);

/* The same, with SCALAR_UNKNOWN for elements of inputs that have no contents or are omitted. */
void content_broadcast_partial(struct node *n, scalar_fn f);
