/* What an attribute may hold, in words. */
#pragma once

#include "base/buf.h"
#include "ops/table/registry.h"

/* What stands behind "must be": "one of NOTSET, VALID", "at least 1", "in [0, 1]", "the number of an element type of
   T". Nothing where the values are not bounded. */
void op_allowed_print(struct buf *buf, const struct op_attr *attr);

/* Whether values are bounded, rather than the length of a list alone. */
bool op_allowed_bounds_values(const struct op_attr *attr);
