/* Protobuf's wire format, as far as a field's head: tag, and value or length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_I64 = 1, WIRE_LENGTH = 2, WIRE_I32 = 5 };

#define WIRE_TAG_BYTES    5  /* a tag is a uint32 */
#define WIRE_VARINT_BYTES 10 /* of 64 bits, 7 a byte */
#define WIRE_HEAD_BYTES   (WIRE_TAG_BYTES + WIRE_VARINT_BYTES)

struct wire_head {
        uint64_t value; /* the length of WIRE_LENGTH, the value of WIRE_VARINT */
        uint32_t number;
        uint8_t type;
        uint8_t tag_size;
        uint8_t size; /* of tag and length or value; what a length announces comes behind it */
};

/* SHORT: more bytes are needed. BAD: no bytes to come could make it a field. */
enum wire_result { WIRE_OK, WIRE_SHORT, WIRE_BAD };

/* Reads a varint of at most `most` bytes from `size` of them, *ret_size of which it takes. */
static inline enum wire_result wire_varint(const uint8_t *at, size_t size, size_t most, uint64_t *ret, size_t *ret_size)
{
        uint64_t value = 0;

        if (size > 0 && at[0] < 0x80) { /* most of them */
                *ret = at[0];
                *ret_size = 1;
                return WIRE_OK;
        }
        for (size_t i = 0; i < most; i++) {
                if (i == size)
                        return WIRE_SHORT;
                value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
                if (at[i] < 0x80) {
                        /* The tenth byte has room for one bit. */
                        if (i == WIRE_VARINT_BYTES - 1 && at[i] > 1)
                                return WIRE_BAD;
                        *ret = value;
                        *ret_size = i + 1;
                        return WIRE_OK;
                }
        }
        return WIRE_BAD;
}

/* Reads a field's head. Groups (types 3 and 4) are bad: ONNX has none, and protobuf-c reads none. */
static inline enum wire_result wire_head(const uint8_t *at, size_t size, struct wire_head *ret)
{
        uint64_t tag, value = 0;
        size_t tag_size, value_size;
        enum wire_result result = wire_varint(at, size, WIRE_TAG_BYTES, &tag, &tag_size);

        if (result != WIRE_OK)
                return result;
        if (tag > UINT32_MAX || tag < 8)
                return WIRE_BAD;
        switch (tag & 7) {
        case WIRE_VARINT:
        case WIRE_LENGTH:
                result = wire_varint(at + tag_size, size - tag_size, WIRE_VARINT_BYTES, &value, &value_size);
                if (result != WIRE_OK)
                        return result;
                break;
        case WIRE_I64:
                value_size = 8;
                break;
        case WIRE_I32:
                value_size = 4;
                break;
        default:
                return WIRE_BAD;
        }
        if (value_size > size - tag_size)
                return WIRE_SHORT;
        *ret = (struct wire_head){
                .value = value,
                .number = (uint32_t)(tag >> 3),
                .type = (uint8_t)(tag & 7),
                .tag_size = (uint8_t)tag_size,
                .size = (uint8_t)(tag_size + value_size),
        };
        return WIRE_OK;
}

/* The bytes that a varint takes. */
static inline size_t wire_width(uint64_t value)
{
        return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

/* Writes a varint of `width` bytes, padded when the value needs fewer. */
static inline void wire_put(uint8_t *at, uint64_t value, size_t width)
{
        for (size_t i = 0; i + 1 < width; i++, value >>= 7)
                at[i] = (uint8_t)(value | 0x80);
        at[width - 1] = (uint8_t)value;
}

/* Whether bytes are varints and nothing else. */
static inline bool wire_is_varints(const uint8_t *at, size_t size)
{
        size_t run = 0;

        for (size_t i = 0; i < size; i++) {
                run = at[i] < 0x80 ? 0 : run + 1;
                if (run == WIRE_VARINT_BYTES)
                        return false;
        }
        return run == 0;
}
