/* One fault of a model, as it is reported. Part of shape.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/code.h"

enum ox_severity { OX_ERROR, OX_WARNING, OX_INFO };

/* Texts live on the arena (or are static) and are never NULL; "" where nothing applies. */
struct ox_diag {
        enum ox_severity severity;
        enum ox_code code;
        const char *reason; /* a stable word such as DIM_MISMATCH */
        const char *scope;  /* "" is the main graph */
        const char *node;   /* the node's name */
        int64_t node_index; /* -1: no node */
        const char *op;
        int input;            /* the input's position, -1: none */
        const char *value;    /* the value's name */
        const char *message;  /* a sentence, which leaves out the node and its operator */
        int axis;             /* of that input, -1: none */
        const char *expected; /* the expected size, rank or the like, */
        const char *actual;   /* and the actual one; both as whole expressions */
        const char *hint;     /* how it may be fixed */
        /* Shapes of the node's first inputs, where they help: "[N, 768]", "?" for an unknown rank, "" for an omitted
           input. NULL and 0: none. */
        const char *const *shapes;
        size_t n_shapes;
};
