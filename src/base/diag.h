/* What an inference has to say about a model: one entry a fault, which costs the faulty node's outputs and no more. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"

struct diags {
        struct ox_diag *at;
        size_t count, capacity;
        size_t errors, warnings;
        size_t dropped; /* past the number that is kept */
};

/* Adds a copy of `diag` (its texts are not copied). Past 10,000 entries only the counts go on. */
void diags_add(struct diags *diags, struct arena *arena, const struct ox_diag *diag);
