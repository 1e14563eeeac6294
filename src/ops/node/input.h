/* The inputs of a node, as a rule sees them. */
#pragma once

#include "ops/node/node.h"

bool in_given(const struct node *n, int i);
/* Given and a tensor, as far as is known (an unknown type counts as a tensor of unknown everything). A value of another
   kind (sequence, optional, map) is an error TYPE_MISMATCH. */
enum ox_code in_expect_tensor(struct node *n, int i);
/* &type_unknown for what is not given. */
const struct type *in_type(const struct node *n, int i);
enum elem in_elem(const struct node *n, int i); /* ELEM_UNDEFINED: unknown */
int in_rank(const struct node *n, int i);       /* RANK_UNKNOWN: unknown, or not given */
bool in_has_rank(const struct node *n, int i);
/* `axis` in [0, rank). Bound symbols are replaced. */
struct dim in_dim(const struct node *n, int i, int axis);
/* The shape, rank dimensions. The rank must be known. */
const struct dim *in_shape(const struct node *n, int i);
/* A copy of it that the caller may change. */
struct dim *in_dims(const struct node *n, int i);
/* Whether elements are known, which does not fetch them: they may be those of weights. */
bool in_has_content(const struct node *n, int i);
/* Known elements, NULL when there are none; single ones may still be SCALAR_UNKNOWN. */
const struct content *in_content(const struct node *n, int i);
/* The only element as a number; false when unknown or not one element. */
bool in_int(const struct node *n, int i, int64_t *ret);
/* The number of elements of a rank-1 (or, with `scalar_too`, rank-0) input when it is an integer. */
bool in_length(const struct node *n, int i, bool scalar_too, int64_t *ret);

/* Errors RANK_MISMATCH when the rank is known and is not `rank` (is below `least`, above `most`). Unknown ranks pass.
 */
enum ox_code in_expect_rank(struct node *n, int i, int rank);
/* The error of a known rank that is not `expected`, "3 or 4". */
enum ox_code in_rank_fault(struct node *n, int i, const char *expected);
enum ox_code in_expect_rank_least(struct node *n, int i, int least);
enum ox_code in_expect_rank_most(struct node *n, int i, int most);

/* An input of one element: a scalar by the specification, and as often a vector of one in models that run. Errors
   TYPE_MISMATCH for what is no tensor, RANK_MISMATCH, and LENGTH_MISMATCH for another number of elements. */
enum ox_code in_expect_scalar(struct node *n, int i);

/* Error TYPE_MISMATCH when both element types are known and differ. */
enum ox_code in_expect_same_elem(struct node *n, int i, int j);
