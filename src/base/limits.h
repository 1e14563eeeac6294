/* The limits that keep a hostile request from costing more than it may. Part of shape.h. */
#pragma once

#include <stdint.h>

/* Plain data, which may be copied. ox_limits_default() fills it with the defaults of limits.def. */
struct ox_limits {
#define LIMIT(name, value, unit, help) int64_t name;
#include "base/limits.def"
#undef LIMIT
};

#pragma GCC visibility push(default)

void ox_limits_default(struct ox_limits *limits);

#pragma GCC visibility pop
