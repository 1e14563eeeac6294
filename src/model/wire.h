/* The heads of fields in protobuf's wire format: tag, and value or length. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_I64 = 1, WIRE_LENGTH = 2, WIRE_I32 = 5 };

#define WIRE_TAG_BYTES    5  /* a tag is a uint32 */
#define WIRE_VARINT_BYTES 10 /* of 64 bits, 7 a byte */
#define WIRE_HEAD_BYTES   (WIRE_TAG_BYTES + WIRE_VARINT_BYTES)

/* SHORT: more bytes are needed. BAD: no further bytes can make it a field. */
enum wire_result { WIRE_OK, WIRE_SHORT, WIRE_BAD };

/* Small enough to be handed on in registers. */
struct wire_head {
        uint64_t value; /* the length of WIRE_LENGTH, the value of WIRE_VARINT */
        uint32_t number;
        uint8_t result; /* an enum wire_result; the other members are valid only after WIRE_OK */
        uint8_t type;
        uint8_t tag_size;
        uint8_t size; /* of tag and length or value; the content follows */
};

static_assert((WIRE_VARINT & 5) == 0 && (WIRE_LENGTH & 5) == 0 && (WIRE_I64 & 5) != 0 && (WIRE_I32 & 5) != 0,
              "as tested below");

/* Reads any field's head from `size` bytes. Groups (types 3 and 4) are BAD: ONNX has none, and protobuf-c does not read
   them. */
struct wire_head wire_any_head(const uint8_t *at, size_t size);

/* The same, at once for nearly all there are: a number below 16 with a length or a value below 16,384, or a number from
   there to 2,047 and one below 128. */
static inline struct wire_head wire_head(const uint8_t *at, size_t size)
{
        if (size >= 2 && at[0] >= 8 && (at[0] | at[1]) < 0x80 && (at[0] & 5) == 0)
                return (struct wire_head){at[1], at[0] >> 3, WIRE_OK, at[0] & 7, 1, 2};
        if (size >= 3 && at[0] - 8U < 0x78 && at[2] < 0x80 && (at[0] & 5) == 0)
                return (struct wire_head){(at[1] & 0x7fU) | (uint32_t)at[2] << 7, at[0] >> 3, WIRE_OK, at[0] & 7, 1, 3};
        if (size >= 3 && at[0] >= 0x80 && at[1] - 1U < 0x7f && at[2] < 0x80 && (at[0] & 5) == 0)
                return (struct wire_head){at[2], (at[0] & 0x7fU) >> 3 | (uint32_t)at[1] << 4, WIRE_OK, at[0] & 7, 2, 3};
        return wire_any_head(at, size);
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

/* Whether bytes consist of complete varints. */
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
