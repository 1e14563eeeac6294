/* Conditions about one size alone: at which numbers all of them hold. Small numbers are tried one by one. Above them
   conditions repeat with the least common multiple of all divisors in them, so that one proof decides all numbers of
   one remainder: the size is written as period * k + start, and each condition then holds for every k, or for none, or
   nobody knows. */
#pragma once

#include "base/bounds.h"
#include "infer/internal.h"

struct trial {
        struct dim_table *dims;
        uint32_t symbol;
        struct dim size;                 /* the symbol, as a dimension */
        struct dim_condition *condition; /* about the size alone */
        size_t n_condition;
        int64_t period;            /* what trial_prove() fills, as all below */
        bool goes_on[SIZES_TRIED]; /* by remainder: all numbers from SIZES_TRIED on hold */
        bool is_proven;            /* of all of them is known whether they hold */
};

enum outcome { NEVER, ALWAYS, NOBODY_KNOWS };

/* What is proven of a condition by all that is known of the sizes in it. */
enum outcome trial_decide(struct dim_table *dims, const struct dim_condition *c);

/* Whether a condition holds where `look_up`, as dim_eval() takes it, gives its symbols numbers; nobody knows where it
   is not defined, or a symbol has none. */
enum outcome trial_holds(const struct dim_table *dims, const struct dim_condition *c,
                         bool (*look_up)(void *user, uint32_t symbol, int64_t *ret), void *user);

/* Whether all conditions hold at a number; nobody knows where one is not defined. */
enum outcome trial_at(const struct trial *t, int64_t value);

/* Decides all numbers from SIZES_TRIED on. */
void trial_prove(struct trial *t);
