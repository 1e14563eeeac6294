#include "base/limits.h"

void ox_limits_default(struct ox_limits *limits)
{
#define LIMIT(name, value, unit, help) limits->name = value;
#include "base/limits.def"
#undef LIMIT
}
