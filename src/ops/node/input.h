/* The inputs of a node, as a rule sees them. */
#pragma once

#include "ops/node/node.h"

static inline bool in_given(const struct node *n, int i)
{
        return i >= 0 && i < n->n_in && n->in[i];
}

/* &type_unknown for an omitted input. */
static inline const struct type *in_type(const struct node *n, int i)
{
        return in_given(n, i) ? &n->in[i]->type : &type_unknown;
}

/* ELEM_UNDEFINED: unknown */
static inline enum elem in_elem(const struct node *n, int i)
{
        const struct type *type = in_type(n, i);

        return type_is_tensor(type) ? type->elem : ELEM_UNDEFINED;
}

/* RANK_UNKNOWN: unknown or omitted */
static inline int in_rank(const struct node *n, int i)
{
        const struct type *type = in_type(n, i);

        return type_is_tensor(type) ? type->rank : RANK_UNKNOWN;
}

static inline bool in_has_rank(const struct node *n, int i)
{
        return in_rank(n, i) != RANK_UNKNOWN;
}

/* Given and a tensor, as far as is known (an unknown type counts as a tensor of unknown everything). A value of another
   kind (sequence, optional, map) is an error TYPE_MISMATCH: in_tensor_fault(). */
enum ox_code in_tensor_fault(struct node *n, int i);
static inline enum ox_code in_expect_tensor(struct node *n, int i)
{
        const struct type *type = in_type(n, i);

        return type_is_tensor(type) || type->kind == TYPE_UNKNOWN ? OX_OK : in_tensor_fault(n, i);
}
/* `axis` in [0, rank). Bound symbols are replaced. */
struct dim in_dim(const struct node *n, int i, int axis);
/* The shape, rank dimensions. The rank must be known. */
const struct dim *in_shape_resolved(const struct node *n, int i);
static inline const struct dim *in_shape(const struct node *n, int i)
{
        return dim_is_any_bound(n->dims) ? in_shape_resolved(n, i) : in_type(n, i)->dim;
}
/* A copy that the caller may change. */
struct dim *in_dims(const struct node *n, int i);
/* Whether elements are known, without fetching them, since they may be weights. */
bool in_has_content(const struct node *n, int i);
/* Known elements, NULL if unknown; single ones may still be SCALAR_UNKNOWN. */
const struct content *in_content(const struct node *n, int i);
/* The only element as a number; false if it is unknown, or if there is more or less than one. */
bool in_int(const struct node *n, int i, int64_t *ret);
/* The number of elements of an input of rank 1 (or, with `scalar_too`, 0), if it is an integer. */
bool in_length(const struct node *n, int i, bool scalar_too, int64_t *ret);

/* Error RANK_MISMATCH if the rank is known and is not `rank` (or below `least`, or above `most`). Unknown ranks
   pass. */
enum ox_code in_expect_rank(struct node *n, int i, int rank);
/* The error of a known rank that is not `expected`, "3 or 4". */
enum ox_code in_rank_fault(struct node *n, int i, const char *expected);
enum ox_code in_expect_rank_least(struct node *n, int i, int least);
enum ox_code in_expect_rank_most(struct node *n, int i, int most);

/* An input of one element: a scalar in the specification, but as often a vector of one element in real models. Errors
   TYPE_MISMATCH if it is not a tensor, RANK_MISMATCH, and LENGTH_MISMATCH for another number of elements. */
enum ox_code in_expect_scalar(struct node *n, int i);

/* Error TYPE_MISMATCH if both element types are known and differ. */
enum ox_code in_expect_same_elem(struct node *n, int i, int j);
