/* Writes protobuf messages, field by field. What it writes stays in one block until it is handed on, which may be done
   wherever no message is open. Field numbers are below 2048. */
#pragma once

#include <string.h>

#include "base/digits.h"
#include "base/str.h"
#include "render/float_text.h"
#include "render/render.h"
#include "render/values.h"

#define MESSAGE_BLOCK_BYTES ((size_t)8 * 1024) /* after which it is worth while to hand on what there is */
#define MESSAGE_ROOM        ((size_t)2 * 1024) /* that there is between two fields of the outermost message */

/* What is being written, and where it goes in the end. */
struct message_target {
        char *block, *end;
        char *full; /* the block is, where the next byte goes to here or behind it */
        struct arena *arena;
        struct dim_table *dims;
        bool is_inner; /* all of it stands in a message that is open until the end */
        ox_write write;
        void *user;
};

/* A writer copies it while it writes many fields, and copies it back: so the compiler can keep it in registers, for all
   that takes it is inlined whatever the compiler thinks of it, and knows the tags of fields then. It has two words,
   which functions that are not inlined take and return in registers as well. */
struct message_out {
        char *at; /* where the next byte goes */
        struct message_target *target;
};

#define MESSAGE_INLINE static inline __attribute__((always_inline))

/* `dims` prints dimensions; NULL where no type is written. */
void message_begin(struct message_out *out, struct arena *arena, struct dim_table *dims, ox_write write, void *user);

/* Hands on what was written since the last time. */
void message_flush(struct message_out *out);

/* What message_pause() does where the block is full. */
struct message_out message_paused(struct message_out out);

/* Between two fields of the outermost message: sees to it that there is MESSAGE_ROOM for what comes next, mostly by
   handing on what there is. */
MESSAGE_INLINE void message_pause(struct message_out *out)
{
        if (__builtin_expect(out->at >= out->target->full, 0))
                *out = message_paused(*out);
}

/* The same with room for `size` more bytes. */
struct message_out message_grown(struct message_out out, size_t size);

MESSAGE_INLINE void message_need(struct message_out *out, size_t size)
{
        if (__builtin_expect(size > (size_t)(out->target->end - out->at), 0))
                *out = message_grown(*out, size);
}

enum { MESSAGE_WIRE_VARINT = 0, MESSAGE_WIRE_64 = 1, MESSAGE_WIRE_BYTES = 2, MESSAGE_WIRE_32 = 5 };

#define MESSAGE_VARINT_MOST 10
#define MESSAGE_TAG_MOST    2
#define MESSAGE_HEAD_MOST                                                                                              \
        (MESSAGE_TAG_MOST + MESSAGE_VARINT_MOST) /* number and wire type of a field, and its length or value */

MESSAGE_INLINE char *message_put_varint(char *at, uint64_t value)
{
        for (; value > 0x7f; value >>= 7)
                *at++ = (char)(value | 0x80);
        *at++ = (char)value;
        return at;
}

MESSAGE_INLINE char *message_put_tag(char *at, unsigned field, unsigned wire)
{
        return message_put_varint(at, field << 3 | wire);
}

/* The same as message_number() where there is room. */
MESSAGE_INLINE char *message_put_number(char *at, unsigned field, uint64_t value)
{
        return message_put_varint(message_put_tag(at, field, MESSAGE_WIRE_VARINT), value);
}

MESSAGE_INLINE void message_number(struct message_out *out, unsigned field, uint64_t value)
{
        message_need(out, MESSAGE_HEAD_MOST);
        out->at = message_put_number(out->at, field, value);
}

#define MESSAGE_SHORT 64 /* bytes of a text that is copied without a call */

/* The same as message_bytes() for at most MESSAGE_SHORT bytes, where there is room. */
MESSAGE_INLINE char *message_put_short(char *at, unsigned field, const char *bytes, size_t length)
{
        at = message_put_tag(at, field, MESSAGE_WIRE_BYTES);
        *at++ = (char)length;
        return text_copy(at, bytes, length);
}

/* The same as message_bytes() for more, with `room` left behind it. */
struct message_out message_long(struct message_out out, unsigned field, const char *bytes, size_t length, size_t room);

MESSAGE_INLINE void message_bytes(struct message_out *out, unsigned field, const char *bytes, size_t length)
{
        if (__builtin_expect(length > MESSAGE_SHORT, 0)) {
                *out = message_long(*out, field, bytes, length, 0);
                return;
        }
        message_need(out, MESSAGE_SHORT + MESSAGE_HEAD_MOST);
        out->at = message_put_short(out->at, field, bytes, length);
}

MESSAGE_INLINE void message_text(struct message_out *out, unsigned field, const char *text)
{
        message_bytes(out, field, text, strlen(text));
}

_Static_assert(FLOAT_TEXT <= 127 && NUMBER_MOST <= 127, "the lengths of numbers are one byte");

/* Begins the text of a number, for which there is room. */
MESSAGE_INLINE char *message_text_begin(const struct message_out *out, unsigned field)
{
        return message_put_tag(out->at, field, MESSAGE_WIRE_BYTES) + 1;
}

MESSAGE_INLINE void message_text_end(struct message_out *out, char *text, char *end)
{
        text[-1] = (char)(end - text);
        out->at = end;
}

/* A number as a text. */
MESSAGE_INLINE void message_number_text(struct message_out *out, unsigned field, int64_t value)
{
        message_need(out, MESSAGE_TAG_MOST + 1 + NUMBER_MOST);
        char *text = message_text_begin(out, field);

        message_text_end(out, text, number_put(text, value));
}

MESSAGE_INLINE void message_float_text(struct message_out *out, unsigned field, double value, bool narrow)
{
        message_need(out, MESSAGE_TAG_MOST + 1 + FLOAT_TEXT);
        char *text = message_text_begin(out, field);

        message_text_end(out, text, float_put(text, value, narrow));
}

/* The lowest `size` bytes of a number, the lowest first. */
MESSAGE_INLINE void message_fixed(struct message_out *out, unsigned field, unsigned wire, uint64_t bits, size_t size)
{
        message_need(out, MESSAGE_TAG_MOST + size);
        out->at = message_put_tag(out->at, field, wire);
        for (size_t i = 0; i < size; i++)
                *out->at++ = (char)(bits >> (8 * i));
}

MESSAGE_INLINE void message_float(struct message_out *out, unsigned field, float value)
{
        uint32_t bits;

        memcpy(&bits, &value, sizeof(bits));
        message_fixed(out, field, MESSAGE_WIRE_32, bits, sizeof(bits));
}

MESSAGE_INLINE void message_double(struct message_out *out, unsigned field, double value)
{
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        message_fixed(out, field, MESSAGE_WIRE_64, bits, sizeof(bits));
}

/* A number, left out when it is -1. */
MESSAGE_INLINE void message_number_some(struct message_out *out, unsigned field, int64_t value)
{
        if (value != -1)
                message_number(out, field, (uint64_t)value);
}

#define MESSAGE_OPEN_MOST (MESSAGE_TAG_MOST + 1)

/* The same as message_open() where there is room; returns where the message begins. */
MESSAGE_INLINE char *message_put_open(char *at, unsigned field)
{
        return message_put_tag(at, field, MESSAGE_WIRE_BYTES) + 1; /* the length, which is one byte for most */
}

/* Begins a message that is the value of a field. What it returns belongs to its end. */
MESSAGE_INLINE size_t message_open(struct message_out *out, unsigned field)
{
        message_need(out, MESSAGE_OPEN_MOST);
        out->at = message_put_open(out->at, field);
        return (size_t)(out->at - out->target->block);
}

/* What message_close() does for a longer message. */
struct message_out message_closed_long(struct message_out out, size_t begin);

MESSAGE_INLINE void message_close(struct message_out *out, size_t begin)
{
        size_t length = (size_t)(out->at - out->target->block) - begin;

        if (length <= 0x7f)
                out->target->block[begin - 1] = (char)length;
        else
                *out = message_closed_long(*out, begin);
}

/* A TypeProto as the message of a field; an unknown type is left out. */
void message_type(struct message_out *out, unsigned field, const struct type *type);

/* What message_type_again() does for one that is not kept. */
struct message_out message_type_new(struct message_out out, struct kept_types *types, unsigned field,
                                    const struct type *type);

/* The same as it was written before, always as the same field. */
MESSAGE_INLINE void message_type_again(struct message_out *out, struct kept_types *types, unsigned field,
                                       const struct type *type)
{
        const struct kept_type *kept = kept_find(types, type);

        if (kept) {
                message_need(out, KEPT_TYPE_BYTES);
                out->at = kept_copy(out->at, kept);
        } else {
                *out = message_type_new(*out, types, field, type);
        }
}

/* A TensorShapeProto of what a model declares: a dimension that it leaves open has neither number nor name. */
void message_declared(struct message_out *out, unsigned field, const struct declared_shape *declared);
