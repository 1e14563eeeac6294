/* Builds protobuf messages byte by byte, also ones that no serializer would write. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/wire.h"

struct bytes {
        uint8_t *at;
        size_t size, capacity;
};

static inline void put_raw(struct bytes *b, const void *bytes, size_t size)
{
        if (size > b->capacity - b->size || b->at == NULL) {
                b->capacity = 2 * b->capacity + size + 1;
                b->at = realloc(b->at, b->capacity);
                if (b->at == NULL)
                        abort();
        }
        if (size > 0)
                memcpy(b->at + b->size, bytes, size);
        b->size += size;
}

static inline void put_varint(struct bytes *b, uint64_t value)
{
        uint8_t varint[WIRE_VARINT_BYTES];
        size_t width = wire_width(value);

        wire_put(varint, value, width);
        put_raw(b, varint, width);
}

static inline void put_tag(struct bytes *b, uint32_t number, enum wire_type type)
{
        put_varint(b, (uint64_t)number << 3 | type);
}

static inline void put_int(struct bytes *b, uint32_t number, int64_t value)
{
        put_tag(b, number, WIRE_VARINT);
        put_varint(b, (uint64_t)value);
}

static inline void put_fixed32(struct bytes *b, uint32_t number, uint32_t value)
{
        put_tag(b, number, WIRE_I32);
        put_raw(b, &value, sizeof(value));
}

static inline void put_fixed64(struct bytes *b, uint32_t number, uint64_t value)
{
        put_tag(b, number, WIRE_I64);
        put_raw(b, &value, sizeof(value));
}

static inline void put_bytes(struct bytes *b, uint32_t number, const void *bytes, size_t size)
{
        put_tag(b, number, WIRE_LENGTH);
        put_varint(b, size);
        put_raw(b, bytes, size);
}

static inline void put_text(struct bytes *b, uint32_t number, const char *text)
{
        put_bytes(b, number, text, strlen(text));
}

/* A field of `size` equal bytes. */
static inline void put_filled(struct bytes *b, uint32_t number, uint8_t byte, size_t size)
{
        uint8_t *filled = malloc(size + 1);

        if (filled == NULL)
                abort();
        memset(filled, byte, size);
        put_bytes(b, number, filled, size);
        free(filled);
}

static inline void drop_bytes(struct bytes *b)
{
        free(b->at);
        *b = (struct bytes){0};
}

/* The message becomes a field of another, and is gone itself. */
static inline void put_message(struct bytes *b, uint32_t number, struct bytes *message)
{
        put_bytes(b, number, message->at, message->size);
        drop_bytes(message);
}

/* The message becomes field `number` of a message that takes its place. */
static inline void wrap(struct bytes *b, uint32_t number)
{
        struct bytes outer = {0};

        put_message(&outer, number, b);
        *b = outer;
}
