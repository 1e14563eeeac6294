/* Conditions about several sizes that can be few numbers each. */
#pragma once

#include "infer/internal.h"

/* Whether no numbers fulfil all of the conditions, as far as those show that are about nothing but sizes which some of
   them, or what is known, leave few numbers: the factors of a product that is a number, what broadcasts with a number,
   what is bounded. *tries is what may still be tried, and goes down. */
bool joint_leaves_nothing(struct infer *f, const struct dim_condition *condition, size_t count, int64_t *tries);
