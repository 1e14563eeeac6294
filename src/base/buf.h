/* A growing text on an arena. */
#pragma once

#include "base/arena.h"

struct buf {
        struct arena *arena;
        char *text;
        size_t length, capacity;
};

void buf_init(struct buf *buf, struct arena *arena);
/* Room for `more` bytes and a NUL. */
void buf_grow(struct buf *buf, size_t more);

static inline void buf_reserve(struct buf *buf, size_t more)
{
        if (__builtin_expect(buf->capacity - buf->length <= more, 0))
                buf_grow(buf, more);
}

void buf_put(struct buf *buf, const char *text, size_t length);
void buf_puts(struct buf *buf, const char *text);
void buf_put_i64(struct buf *buf, int64_t value);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void buf_putc(struct buf *buf, char c)
{
        buf_reserve(buf, 1);
        buf->text[buf->length++] = c;
}

/* The text, ended by a NUL; valid until the next change. */
const char *buf_text(struct buf *buf);
