/* One fault of a model, as it is told. Part of shape.h. */
#pragma once

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
        int input;         /* the input's position, -1: none */
        const char *value; /* the value's name */
        const char *message;
};
