/* Sizes of dimensions: that must agree, that elements give, that are made of others. */
#pragma once

#include "ops/node/node.h"

/* *dim and `other` are equal in a valid model: different integers are an error DIM_MISMATCH, which names input `i` and
   both; else the equality is a fact, and *dim becomes the better known of the two. */
enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int i);

/* The size of a dimension when contents give it as an element: an integer >= 0 or an expression proven >= 0. False for
   anything else; the caller takes a fresh symbol then. */
bool scalar_as_size(struct node *n, struct scalar s, struct dim *ret);

/* The size that an element gives where a negative one is an error of the model: unlike scalar_as_size(), an expression
   need not be proven not to be negative. False when nothing is known of the element. */
bool element_size(struct node *n, struct scalar element, struct dim *ret);

/* Whether a rank is within limits.rank; if not, a warning RANK_LIMIT names `input`, and the shape stays open. */
bool rank_allowed(struct node *n, size_t rank, int input);

/* A fresh symbol for axis `axis` of output `o`, known to be at most `most` (where that is an integer); 0 of nothing. */
struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most);

/* The greater (lesser) of two, decided by what is proven wherever that can be. */
struct dim greater_dim(struct node *n, struct dim a, struct dim b);
struct dim lesser_dim(struct node *n, struct dim a, struct dim b);

/* Every dimension of a tensor of known rank, multiplied, over axes [first, end). */
struct dim dims_product(struct node *n, const struct dim *dims, int first, int end);
