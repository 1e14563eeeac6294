/* The reasons of diagnostics: the stable words of reasons.def. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/code.h"

enum reason {
#define REASON(word, code, about, sentence) REASON_##word,
#include "base/reasons.def"
#undef REASON
        REASON_COUNT,
};

/* "DIM_MISMATCH" and the like; static. */
const char *reason_word(enum reason reason);
/* The code of a reason; OX_OK if it is not a fault. Inline, so that compilers see that an error is not OX_OK. */
static inline enum ox_code reason_code(enum reason reason)
{
        switch (reason) {
#define REASON(word, code, about, sentence)                                                                            \
        case REASON_##word:                                                                                            \
                return OX_##code;
#include "base/reasons.def"
#undef REASON
        case REASON_COUNT:
                break;
        }
        return OX_INTERNAL;
}

/* Whether the shapes of a node's inputs help to understand the fault. */
bool reason_has_shapes(enum reason reason);
