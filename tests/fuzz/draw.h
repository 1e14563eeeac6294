/* Choices that the bytes of a fuzz input make. Past their end the choices go on from a number that all bytes decide, so
   that a short input says as much as a long one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct draw {
        const uint8_t *at, *end;
        uint64_t state;
};

static inline uint64_t bytes_hash(const uint8_t *data, size_t size)
{
        uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

        for (size_t i = 0; i < size; i++)
                hash = (hash ^ data[i]) * UINT64_C(1099511628211);
        return hash;
}

static inline struct draw draw_new(const uint8_t *data, size_t size)
{
        return (struct draw){.at = data, .end = data + size, .state = bytes_hash(data, size) | 1};
}

static inline uint8_t draw_byte(struct draw *d)
{
        if (d->at < d->end)
                return *d->at++;
        d->state ^= d->state >> 12;
        d->state ^= d->state << 25;
        d->state ^= d->state >> 27;
        return (uint8_t)(d->state * UINT64_C(2685821657736338717) >> 56);
}

/* In [0, limit); limit > 0. */
static inline size_t draw_below(struct draw *d, size_t limit)
{
        size_t value = draw_byte(d);

        if (limit > 256)
                value = value << 8 | draw_byte(d);
        return value % limit;
}

/* True once in `of` times. */
static inline bool draw_once_in(struct draw *d, size_t of)
{
        return draw_below(d, of) == of - 1;
}

#define DRAW_FROM(d, list) ((list)[draw_below((d), sizeof(list) / sizeof((list)[0]))])

/* What must hold; libFuzzer and the tests take an abort() for the fault that it is. */
#define HOLD(is_true, ...)                                                                                             \
        do {                                                                                                           \
                if (!(is_true)) {                                                                                      \
                        fprintf(stderr, "does not hold: " __VA_ARGS__);                                                \
                        fputc('\n', stderr);                                                                           \
                        abort();                                                                                       \
                }                                                                                                      \
        } while (0)
