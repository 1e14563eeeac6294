/* Shared by the files that read messages: read.c, and those of nodes, attributes and tensors. */
#pragma once

#include "base/str.h"
#include "model/read.h"

/* A message's bytes that are still to be read. */
struct span {
        const uint8_t *at, *end;
};

/* Reads the head of the next field, whose content is complete; false if it is not a field. */
static inline bool next_head(struct span span, struct wire_head *ret)
{
        const size_t size = (size_t)(span.end - span.at);

        *ret = wire_head(span.at, size);
        return ret->result == WIRE_OK && (ret->type != WIRE_LENGTH || ret->value <= size - ret->size);
}

/* Bytes of a field with its head. */
static inline size_t field_size(const struct wire_head *head)
{
        return head->size + (head->type == WIRE_LENGTH ? (size_t)head->value : 0);
}

/* Whether a length is in more bytes than it needs: the skimmer writes it anew. */
static inline bool is_long(const uint8_t *field, const struct wire_head *head)
{
        return head->type == WIRE_LENGTH && head->size - head->tag_size > 1 && field[head->size - 1] == 0;
}

/* What a field of a length holds. */
static inline struct span content_of(const uint8_t *field, const struct wire_head *head)
{
        return (struct span){field + head->size, field + head->size + head->value};
}

/* Skips a field that nobody reads. */
static inline bool drop_field(struct reader *r, size_t size)
{
        r->dropped += size;
        return !r->is_kept;
}

#define TAG(number, wire) ((number) << 3 | (wire))

/* A field that was taken off a message, for readers of few kinds. */
struct field {
        uint32_t tag;
        uint64_t value;      /* of WIRE_VARINT */
        struct span content; /* of the other types */
        size_t size;         /* with its head */
};

/* False if it is no field, or a length is in more bytes than it needs. */
bool take_any_field(struct span *span, struct field *ret);

static inline bool take_other_field(struct span *span, struct field *ret)
{
        struct span rest = *span;
        struct field field;
        const bool is_taken = take_any_field(&rest, &field);

        *span = rest;
        *ret = field;
        return is_taken;
}

/* The same, at once for nearly all there are: those with a tag and a length, or a value, of one byte each. What is read
   stays in registers, as its address goes nowhere. */
static inline __attribute__((always_inline)) bool take_field(struct span *span, struct field *ret)
{
        const uint8_t *at = span->at;

        if (span->end - at < 2 || at[0] < 8 || ((at[0] & 0x85) | (at[1] & 0x80)) != 0 ||
            (at[0] & WIRE_LENGTH && at[1] > span->end - at - 2))
                return take_other_field(span, ret);
        ret->tag = at[0];
        ret->value = at[1];
        ret->size = at[0] & WIRE_LENGTH ? 2U + at[1] : 2U;
        ret->content = (struct span){at + 2, at + ret->size};
        span->at = ret->content.end;
        return true;
}

/* Varints that were checked, where they stand. */
struct varints {
        const uint8_t *at;
        size_t count, before; /* bytes of a tag before each of them */
};

/* Those that are packed into one field; false if they are none. */
bool read_packed_varints(struct span content, struct varints *ret);

/* Those that follow each other, each behind the byte at which `span` begins, a tag; it ends up behind the last. */
bool read_tagged_varints(struct span *span, struct varints *ret);

/* Reads the varint at `*at`, and moves `*at` past it. */
static inline uint64_t take_varint(const uint8_t **at)
{
        const uint8_t *from = *at;
        uint64_t value = 0;
        unsigned shift = 0;

        for (; *from >= 0x80; from++, shift += 7)
                value |= (uint64_t)(*from & 0x7f) << shift;
        *at = from + 1;
        return value | (uint64_t)*from << shift;
}

/* The next of them, of which one must be left. */
static inline uint64_t next_varint(struct varints *varints)
{
        varints->at += varints->before;
        varints->count--;
        return take_varint(&varints->at);
}

/* Writes them as an array of 4 or 8 bytes each. */
void put_varints(struct varints varints, size_t width, void *to);

static inline bool has_tag(const uint8_t *at, const uint8_t *tag, size_t size)
{
        return at[0] == tag[0] && (size == 1 || memcmp(at, tag, size) == 0);
}

/* Whether a name is one that the skimmer would keep. */
static inline bool is_name(const struct reader *r, struct span span)
{
        const size_t length = (size_t)(span.end - span.at);

        return length <= r->limits.name_most && utf8_is_clean((const char *)span.at, length);
}

/* Interns a name, which ends up as r->name too. */
bool read_name(struct reader *r, struct span span, char **ret);

/* A message within another one. `depth`: of messages that may nest in the one around it. */
bool read_child(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void **ret);

/* The bytes of a field: where they stand, if they stay, or a copy. */
ProtobufCBinaryData read_bytes(struct reader *r, struct span span);

/* A tensor within a message, with the name that it has there, which is not interned. `depth`: of messages that may nest
   in the tensor. */
bool read_tensor_within(struct reader *r, struct span span, uint32_t depth, struct span *ret_name,
                        struct model_tensor **ret);

/* The same of an initializer, whose name is interned. */
bool read_initializer_within(struct reader *r, struct span span, uint32_t depth, struct model_tensor **ret);

/* An attribute within a message. `depth`: of messages that may nest in the attribute. */
bool read_attribute_within(struct reader *r, struct span span, uint32_t depth, struct model_attribute *ret);

/* A node within a message. */
bool read_node_within(struct reader *r, struct span span, uint32_t depth, struct model_node **ret);
