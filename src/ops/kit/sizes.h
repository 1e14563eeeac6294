/* Sizes that must agree, sizes from elements, and computed sizes. */
#pragma once

#include "ops/node/node.h"

/* An axis of an input: the place of a size. */
struct place {
        int input, axis;
};
#define PLACE_ANY  ((struct place){-1, -1}) /* found by the size, if only one axis has it */
#define PLACE_NONE ((struct place){-2, -1}) /* a computed size, which is not that of an axis */

/* *dim and the size of an axis of an input of known rank must be equal: different integers are an error DIM_MISMATCH,
   which names both. Otherwise the equality becomes a fact, and *dim the more exact of the two. */
enum ox_code in_agree(struct node *n, struct dim *dim, int input, int axis);
/* The same if *dim comes from `origin`, which the message also names if it has exactly that size. */
enum ox_code in_agree_with(struct node *n, struct dim *dim, int input, int axis, struct place origin);
/* The same for a computed size; the message names `input`. */
enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int input);

/* The error for two sizes that should be equal, or broadcast. A `place` with axis -1 is a size computed from that
   input. */
enum ox_code sizes_differ(struct node *n, struct dim expected, struct place origin, struct dim actual,
                          struct place place, const char *hint);

/* For the model to run, a size must be at least another, or a multiple of `divisor`: reported as a condition if it is
   not known, an error DIM_MISMATCH if it is impossible. The size belongs to `input`. */
enum ox_code size_at_least(struct node *n, struct dim size, struct dim least, int input);
enum ox_code size_divides(struct node *n, struct dim divisor, struct dim size, int input);
/* size // divisor, where the divisor must divide the size. */
enum ox_code size_quotient(struct node *n, struct dim size, struct dim divisor, int input, struct dim *ret);

/* The size of an axis must be a multiple of `divisor`, 1 or more, which messages call `what`: error DIM_MISMATCH if it
   is known not to be. */
enum ox_code in_expect_multiple(struct node *n, int input, int axis, int64_t divisor, const char *what);

/* The broadcast of two sizes, which must broadcast for the model to run: a condition if that is not known. False if
   they cannot. `b` belongs to `input`. */
bool sizes_broadcast(struct node *n, struct dim a, struct dim b, int input, struct dim *ret);

/* An element as the size of a dimension: an integer >= 0 or an expression proven >= 0. False for anything else, for
   which the caller takes a fresh symbol. */
bool scalar_as_size(struct node *n, struct scalar s, struct dim *ret);

/* An element as a size where a negative one is an error of the model: unlike in scalar_as_size(), an expression need
   not be proven >= 0. False if the element is unknown. */
bool element_size(struct node *n, struct scalar element, struct dim *ret);

/* Whether a rank is within limits.rank; otherwise a warning RANK_LIMIT names `input`, and the shape stays unknown. */
bool rank_allowed(struct node *n, size_t rank, int input);

/* A fresh symbol for axis `axis` of output `o`, known to be at most `most`; 0 if `most` is 0. */
struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most);

/* Adds the facts about a fresh symbol that it is one of two sizes, or between them. */
void size_between(struct node *n, struct dim size, struct dim a, struct dim b);

/* The maximum (minimum) of two, decided by a proof if there is one. */
struct dim greater_dim(struct node *n, struct dim a, struct dim b);
struct dim lesser_dim(struct node *n, struct dim a, struct dim b);

/* The product of the dimensions [first, end) of a tensor of known rank. */
struct dim dims_product(struct node *n, const struct dim *dims, int first, int end);
