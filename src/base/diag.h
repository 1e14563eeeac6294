/* The diagnostics of a model, one entry for each fault. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fault.h"

struct diags {
        struct ox_diag *at;
        size_t count, capacity;
        size_t errors, warnings;
        size_t dropped; /* past the kept ones */
};

/* Whether a further entry would only be counted, so that its message need not be formatted. */
bool diags_full(const struct diags *diags);

/* Adds a copy of `diag`, without copying its texts. Past DIAGS_KEPT entries only the counts increase. */
void diags_add(struct diags *diags, struct arena *arena, const struct ox_diag *diag);

/* The last entry, which is kept even past DIAGS_KEPT. */
void diags_end(struct diags *diags, struct arena *arena, const struct ox_diag *diag);
