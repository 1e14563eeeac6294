/* What an inference has to say about a model: one entry a fault, which costs the faulty node's outputs and no more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"

struct diags {
        struct ox_diag *at;
        size_t count, capacity;
        size_t errors, warnings;
        size_t dropped; /* past the number that is kept */
};

/* Whether a further entry would only be counted, so that its message need not be written. */
bool diags_full(const struct diags *diags);

/* Adds a copy of `diag` (its texts are not copied). Past DIAGS_KEPT entries only the counts go on. */
void diags_add(struct diags *diags, struct arena *arena, const struct ox_diag *diag);

/* The last entry, which is kept however many there are. */
void diags_end(struct diags *diags, struct arena *arena, const struct ox_diag *diag);
