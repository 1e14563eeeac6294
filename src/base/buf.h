/* A growing text on an arena. */
#pragma once

#include "base/arena.h"

struct buf {
        struct arena *arena;
        char *text;
        size_t length, capacity;
};

void buf_init(struct buf *buf, struct arena *arena);
void buf_put(struct buf *buf, const char *text, size_t length);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_put_i64(struct buf *buf, int64_t value);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, ended by a NUL; valid until the next change. */
const char *buf_text(struct buf *buf);
