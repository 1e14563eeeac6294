/* The value of an expression's text for given numbers: what the API says of the spelling, and nothing of how dimensions
   are kept. */
#pragma once

#include "dim/dim.h"

struct text {
        const char *at;
        size_t size;
};

/* Gives the number that a name stands for. */
typedef bool (*text_number)(void *user, const char *name, size_t length, int64_t *ret);

/* False for what does not read, has no value (a zero divisor, sizes that do not broadcast, a fraction) or overflows on
   the way. */
bool text_value(const struct text *text, text_number number, void *user, int64_t *ret);
