/* Sizes of dimensions: that must agree, that elements give, that are made of others. */
#pragma once

#include "ops/node/node.h"

/* An axis of an input, where a size stands. */
struct place {
        int input, axis;
};
#define PLACE_ANY  ((struct place){-1, -1}) /* to be found by the size, if one axis alone has it */
#define PLACE_NONE ((struct place){-2, -1}) /* a size that stands nowhere as it is */

/* *dim and the size of an axis of an input of known rank are equal in a valid model: different integers are an
   error DIM_MISMATCH, which names both; else the equality is a fact, and *dim becomes the better known of the two. */
enum ox_code in_agree(struct node *n, struct dim *dim, int input, int axis);
/* The same where *dim comes from `origin`, which the message names too as long as it has that very size. */
enum ox_code in_agree_with(struct node *n, struct dim *dim, int input, int axis, struct place origin);
/* The same of a size that stands nowhere as it is; the message names `input`. */
enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int input);

/* The error of two sizes that should be equal, or broadcast. `place` may have axis -1: a size made of that input's. */
enum ox_code sizes_differ(struct node *n, struct dim expected, struct place origin, struct dim actual,
                          struct place place, const char *hint);

/* A size must be at least another, and be divided by `divisor`, for the model to run: a condition where that is not
   known, an error DIM_MISMATCH where it cannot be. `input` is the one that has it. */
enum ox_code size_at_least(struct node *n, struct dim size, struct dim least, int input);
enum ox_code size_divides(struct node *n, struct dim divisor, struct dim size, int input);
/* size // divisor of what it must divide. */
enum ox_code size_quotient(struct node *n, struct dim size, struct dim divisor, int input, struct dim *ret);

/* The size of an axis must be a multiple of `divisor`, 1 or more, which messages call `what`: error DIM_MISMATCH where
   it is known not to be. */
enum ox_code in_expect_multiple(struct node *n, int input, int axis, int64_t divisor, const char *what);

/* What two sizes give when they broadcast, as they must for the model to run: a condition where that is not known.
   False when they cannot. `input` is the one that has `b`. */
bool sizes_broadcast(struct node *n, struct dim a, struct dim b, int input, struct dim *ret);

/* The size of a dimension when contents give it as an element: an integer >= 0 or an expression proven >= 0. False for
   anything else; the caller takes a fresh symbol then. */
bool scalar_as_size(struct node *n, struct scalar s, struct dim *ret);

/* The size that an element gives where a negative one is an error of the model: unlike scalar_as_size(), an expression
   need not be proven not to be negative. False when nothing is known of the element. */
bool element_size(struct node *n, struct scalar element, struct dim *ret);

/* Whether a rank is within limits.rank; if not, a warning RANK_LIMIT names `input`, and the shape stays open. */
bool rank_allowed(struct node *n, size_t rank, int input);

/* A fresh symbol for axis `axis` of output `o`, known to be at most `most`; 0 of nothing. */
struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most);

/* The greater (lesser) of two, decided by what is proven wherever that can be. */
struct dim greater_dim(struct node *n, struct dim a, struct dim b);
struct dim lesser_dim(struct node *n, struct dim a, struct dim b);

/* Every dimension of a tensor of known rank, multiplied, over axes [first, end). */
struct dim dims_product(struct node *n, const struct dim *dims, int first, int end);
