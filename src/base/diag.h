/* What an inference has to say about a model: one entry a fault, which costs the faulty node's outputs and no more. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/code.h"

enum ox_severity { OX_ERROR, OX_WARNING, OX_INFO };

/* Texts live on the arena (or are static) and are never NULL; "" where nothing applies. */
struct diag {
        enum ox_severity severity;
        enum ox_code code;
        const char *reason; /* a stable word such as DIM_MISMATCH */
        const char *scope;  /* "" is the main graph */
        const char *node;   /* the node's name */
        int64_t node_index; /* -1: no node */
        const char *op;
        int input;         /* the input's position, -1: none */
        const char *value; /* the value's name */
        const char *message;
};

struct diags {
        struct diag *at;
        size_t count, capacity;
        size_t errors, warnings;
        size_t dropped; /* past the number that is kept */
};

/* Adds a copy of `diag` (its texts are not copied). Past 10,000 entries only the counts go on. */
void diags_add(struct diags *diags, struct arena *arena, const struct diag *diag);
