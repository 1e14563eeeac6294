#include "model/wire.h"

/* Reads a varint of at most `most` bytes from `size` of them, *ret_size of which it takes. */
static enum wire_result wire_varint(const uint8_t *at, size_t size, size_t most, uint64_t *ret, size_t *ret_size)
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

struct wire_head wire_any_head(const uint8_t *at, size_t size)
{
        uint64_t tag, value = 0;
        size_t tag_size, value_size;
        enum wire_result result = wire_varint(at, size, WIRE_TAG_BYTES, &tag, &tag_size);

        if (result != WIRE_OK)
                return (struct wire_head){.result = result};
        if (tag > UINT32_MAX || tag < 8)
                return (struct wire_head){.result = WIRE_BAD};
        switch (tag & 7) {
        case WIRE_VARINT:
        case WIRE_LENGTH:
                result = wire_varint(at + tag_size, size - tag_size, WIRE_VARINT_BYTES, &value, &value_size);
                if (result != WIRE_OK)
                        return (struct wire_head){.result = result};
                break;
        case WIRE_I64:
                value_size = 8;
                break;
        case WIRE_I32:
                value_size = 4;
                break;
        default:
                return (struct wire_head){.result = WIRE_BAD};
        }
        if (value_size > size - tag_size)
                return (struct wire_head){.result = WIRE_SHORT};
        return (struct wire_head){
                .value = value,
                .number = (uint32_t)(tag >> 3),
                .result = WIRE_OK,
                .type = (uint8_t)(tag & 7),
                .tag_size = (uint8_t)tag_size,
                .size = (uint8_t)(tag_size + value_size),
        };
}
