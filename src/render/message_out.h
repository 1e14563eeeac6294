/* Writes protobuf messages, field by field. What it writes stays in one block until it is handed on, which may be done
   wherever no message is open. Field numbers are below 2048. */
#pragma once

#include <string.h>

#include "render/render.h"

#define MESSAGE_BLOCK_BYTES ((size_t)8 * 1024) /* after which it is worth while to hand on what there is */

struct message_out {
        struct arena *arena;
        struct dim_table *dims;
        char *block;
        size_t length, capacity;
        bool is_inner; /* all of it stands in a message that is open until the end */
        ox_write write;
        void *user;
};

/* `dims` prints dimensions; NULL where no type is written. */
void message_begin(struct message_out *out, struct arena *arena, struct dim_table *dims, ox_write write, void *user);

/* Hands on what was written since the last time. */
void message_flush(struct message_out *out);

/* The same where the block is full, between two fields of the outermost message. */
static inline void message_pause(struct message_out *out)
{
        if (out->length >= MESSAGE_BLOCK_BYTES && !out->is_inner)
                message_flush(out);
}

/* Makes room for `size` more bytes. */
void message_grow(struct message_out *out, size_t size);

/* Where the next bytes go; there is room for `size` of them. */
static inline char *message_room(struct message_out *out, size_t size)
{
        if (size > out->capacity - out->length)
                message_grow(out, size);
        return out->block + out->length;
}

enum { MESSAGE_WIRE_VARINT = 0, MESSAGE_WIRE_64 = 1, MESSAGE_WIRE_BYTES = 2, MESSAGE_WIRE_32 = 5 };

#define MESSAGE_VARINT_MOST 10
#define MESSAGE_TAG_MOST    2
#define MESSAGE_HEAD_MOST                                                                                              \
        (MESSAGE_TAG_MOST + MESSAGE_VARINT_MOST) /* number and wire type of a field, and its length or value */

static inline char *message_put_varint(char *at, uint64_t value)
{
        for (; value > 0x7f; value >>= 7)
                *at++ = (char)(value | 0x80);
        *at++ = (char)value;
        return at;
}

static inline char *message_put_tag(char *at, unsigned field, unsigned wire)
{
        return message_put_varint(at, field << 3 | wire);
}

static inline void message_number(struct message_out *out, unsigned field, uint64_t value)
{
        char *at = message_put_tag(message_room(out, MESSAGE_HEAD_MOST), field, MESSAGE_WIRE_VARINT);

        out->length = (size_t)(message_put_varint(at, value) - out->block);
}

static inline void message_bytes(struct message_out *out, unsigned field, const char *bytes, size_t length)
{
        char *at = message_put_tag(message_room(out, length + MESSAGE_HEAD_MOST), field, MESSAGE_WIRE_BYTES);

        at = message_put_varint(at, length);
        memcpy(at, bytes, length);
        out->length = (size_t)(at + length - out->block);
}

static inline void message_text(struct message_out *out, unsigned field, const char *text)
{
        message_bytes(out, field, text, strlen(text));
}

/* The lowest `size` bytes of a number, the lowest first. */
static inline void message_fixed(struct message_out *out, unsigned field, unsigned wire, uint64_t bits, size_t size)
{
        char *at = message_put_tag(message_room(out, MESSAGE_TAG_MOST + size), field, wire);

        for (size_t i = 0; i < size; i++)
                *at++ = (char)(bits >> (8 * i));
        out->length = (size_t)(at - out->block);
}

static inline void message_float(struct message_out *out, unsigned field, float value)
{
        uint32_t bits;

        memcpy(&bits, &value, sizeof(bits));
        message_fixed(out, field, MESSAGE_WIRE_32, bits, sizeof(bits));
}

static inline void message_double(struct message_out *out, unsigned field, double value)
{
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        message_fixed(out, field, MESSAGE_WIRE_64, bits, sizeof(bits));
}

/* The same, left out when empty or -1. */
static inline void message_text_some(struct message_out *out, unsigned field, const char *text)
{
        if (text[0])
                message_text(out, field, text);
}

static inline void message_number_some(struct message_out *out, unsigned field, int64_t value)
{
        if (value != -1)
                message_number(out, field, (uint64_t)value);
}

/* Begins a message that is the value of a field. What it returns belongs to its end. */
static inline size_t message_open(struct message_out *out, unsigned field)
{
        char *at = message_put_tag(message_room(out, MESSAGE_TAG_MOST + 1), field, MESSAGE_WIRE_BYTES);

        out->length = (size_t)(at + 1 - out->block); /* one byte for the length, which is enough for most */
        return out->length;
}

/* What message_close() does for a longer message. */
void message_close_long(struct message_out *out, size_t begin);

static inline void message_close(struct message_out *out, size_t begin)
{
        size_t length = out->length - begin;

        if (length <= 0x7f)
                out->block[begin - 1] = (char)length;
        else
                message_close_long(out, begin);
}

/* A TensorShapeProto and a TypeProto as the message of a field; an unknown type is left out. */
void message_shape(struct message_out *out, unsigned field, int rank, const struct dim *dim);
void message_type(struct message_out *out, unsigned field, const struct type *type);

/* A TensorShapeProto of what a model declares: a dimension that it leaves open has neither number nor name. */
void message_declared(struct message_out *out, unsigned field, const struct declared_shape *declared);
