/* The allowed values of an attribute, in words. */
#pragma once

#include "base/buf.h"
#include "ops/table/registry.h"

/* The words after "must be": "one of NOTSET, VALID", "at least 1", "in [0, 1]", "the number of an element type of T".
   Empty if the values are not bounded. */
void op_allowed_print(struct buf *buf, const struct op_attr *attr);

/* Whether the values are bounded, not only the length of a list. */
bool op_allowed_bounds_values(const struct op_attr *attr);
