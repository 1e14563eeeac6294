#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/str.h"

void buf_init(struct buf *buf, struct arena *arena)
{
        *buf = (struct buf){.arena = arena};
}

void buf_grow(struct buf *buf, size_t more)
{
        size_t wanted = buf->length + more + 1, capacity = buf->capacity ? buf->capacity : 64;

        while (capacity < wanted)
                capacity *= 2;
        buf->text = arena_grow(buf->arena, buf->text, buf->capacity, capacity);
        buf->capacity = capacity;
}

void buf_put(struct buf *buf, const char *text, size_t length)
{
        buf_reserve(buf, length);
        text_copy(buf->text + buf->length, text, length);
        buf->length += length;
}

void buf_puts(struct buf *buf, const char *text)
{
        buf_put(buf, text, strlen(text));
}

void buf_put_i64(struct buf *buf, int64_t value)
{
        buf_reserve(buf, NUMBER_MOST);
        buf->length = (size_t)(number_put(buf->text + buf->length, value) - buf->text);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
        va_list args, again;

        va_start(args, format);
        va_copy(again, args);
        int length = vsnprintf(NULL, 0, format, args);

        va_end(args);
        if (length > 0) {
                buf_reserve(buf, (size_t)length);
                vsnprintf(buf->text + buf->length, (size_t)length + 1, format, again);
                buf->length += (size_t)length;
        }
        va_end(again);
}

const char *buf_text(struct buf *buf)
{
        buf_reserve(buf, 0);
        buf->text[buf->length] = '\0';
        return buf->text;
}
