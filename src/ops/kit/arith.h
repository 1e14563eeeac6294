/* Arithmetic on single elements of tensors, as runtimes compute it. An uncertain result is SCALAR_UNKNOWN. `elem` is
   the element type of the operands and, except for comparisons, of the result. */
#pragma once

#include "ops/node/node.h"

struct scalar scalar_add(struct node *n, enum elem elem, struct scalar a, struct scalar b);
struct scalar scalar_sub(struct node *n, enum elem elem, struct scalar a, struct scalar b);
struct scalar scalar_mul(struct node *n, enum elem elem, struct scalar a, struct scalar b);
/* Of integers: the quotient truncated. */
struct scalar scalar_div(struct node *n, enum elem elem, struct scalar a, struct scalar b);
/* The remainder, with the sign of the divisor, or of the dividend if `like_c`. */
struct scalar scalar_mod(struct node *n, enum elem elem, struct scalar a, struct scalar b, bool like_c);
struct scalar scalar_pow(struct node *n, enum elem elem, struct scalar a, struct scalar b);
struct scalar scalar_max(struct node *n, enum elem elem, struct scalar a, struct scalar b);
struct scalar scalar_min(struct node *n, enum elem elem, struct scalar a, struct scalar b);

/* Rounding up, down, and to the nearest integer, halves to even. Only for floats. */
struct scalar scalar_ceil(struct node *n, struct scalar a);
struct scalar scalar_floor(struct node *n, struct scalar a);
struct scalar scalar_round(struct node *n, struct scalar a);

/* What Cast gives. */
struct scalar scalar_cast(struct node *n, enum elem from, enum elem to, struct scalar a);

/* 1, 0, or -1 if it is not certain. Comparisons with NaN are false. */
int scalar_equal(struct node *n, struct scalar a, struct scalar b);
int scalar_less(struct node *n, struct scalar a, struct scalar b);

/* Whether both are the same element, whatever its value; false if one is unknown. */
bool scalar_same(struct scalar a, struct scalar b);

/* A bool element from 1, 0 or -1. */
static inline struct scalar scalar_of_truth(int truth)
{
        return truth < 0 ? scalar_unknown() : scalar_int(dim_int(truth));
}

/* A number, or a symbolic value, as *ret / *ret_den, exactly; den is a power of two. False for other values. */
bool scalar_fraction(struct scalar a, struct dim *ret, int64_t *ret_den);
