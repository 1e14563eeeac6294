/* The limits that keep a hostile request from costing more than it may. Part of shape.h. */
#pragma once

#include <stdint.h>

/* Filled with the defaults of limits.def by ox_limits_default(); plain data, copied freely. */
struct ox_limits {
#define LIMIT(name, value, unit, help) int64_t name;
#include "base/limits.def"
#undef LIMIT
};

#pragma GCC visibility push(default)

void ox_limits_default(struct ox_limits *limits);

#pragma GCC visibility pop
