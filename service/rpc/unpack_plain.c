/* Reads the messages of clients in one pass: nearly all of them have each field once, and no unknown ones. protobuf-c,
   which reads a message twice and allocates piece by piece, reads the others. */
#include <string.h>

#include "engine.h"
#include "rpc/messages.h"

struct unpacking {
        struct arena *arena;
        int64_t most_depth;
};

/* The bytes of a field, after its head. */
struct wire_field {
        struct wire_head head;
        const uint8_t *at;
};

static ProtobufCMessage *unpack_message(const struct unpacking *r, const ProtobufCMessageDescriptor *type,
                                        const uint8_t *at, size_t size, int64_t depth);

/* -- one value -- */

static enum wire_type wire_type_of(ProtobufCType type)
{
        switch (type) {
        case PROTOBUF_C_TYPE_SFIXED32:
        case PROTOBUF_C_TYPE_FIXED32:
        case PROTOBUF_C_TYPE_FLOAT:
                return WIRE_I32;
        case PROTOBUF_C_TYPE_SFIXED64:
        case PROTOBUF_C_TYPE_FIXED64:
        case PROTOBUF_C_TYPE_DOUBLE:
                return WIRE_I64;
        case PROTOBUF_C_TYPE_STRING:
        case PROTOBUF_C_TYPE_BYTES:
        case PROTOBUF_C_TYPE_MESSAGE:
                return WIRE_LENGTH;
        default:
                return WIRE_VARINT;
        }
}

static size_t size_of(ProtobufCType type)
{
        switch (type) {
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_SINT64:
        case PROTOBUF_C_TYPE_SFIXED64:
        case PROTOBUF_C_TYPE_FIXED64:
        case PROTOBUF_C_TYPE_DOUBLE:
                return 8;
        case PROTOBUF_C_TYPE_STRING:
        case PROTOBUF_C_TYPE_MESSAGE:
                return sizeof(void *);
        case PROTOBUF_C_TYPE_BYTES:
                return sizeof(ProtobufCBinaryData);
        case PROTOBUF_C_TYPE_BOOL:
                return sizeof(protobuf_c_boolean);
        default:
                return 4;
        }
}

static void put_varint(ProtobufCType type, uint64_t value, void *to)
{
        switch (type) {
        case PROTOBUF_C_TYPE_SINT32:
                *(uint32_t *)to = (uint32_t)value >> 1 ^ (0 - ((uint32_t)value & 1));
                return;
        case PROTOBUF_C_TYPE_SINT64:
                *(uint64_t *)to = value >> 1 ^ (0 - (value & 1));
                return;
        case PROTOBUF_C_TYPE_BOOL:
                *(protobuf_c_boolean *)to = value != 0;
                return;
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_UINT64:
                *(uint64_t *)to = value;
                return;
        default:
                *(uint32_t *)to = (uint32_t)value;
        }
}

/* A value of the wire type WIRE_LENGTH. */
static bool put_bytes(const struct unpacking *r, const ProtobufCFieldDescriptor *field, const struct wire_field *given,
                      int64_t depth, void *to)
{
        size_t size = (size_t)given->head.value;

        if (field->type == PROTOBUF_C_TYPE_STRING) {
                *(char **)to = arena_strndup(r->arena, (const char *)given->at, size);
                return utf8_is_clean((const char *)given->at, size);
        }
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
                *(ProtobufCMessage **)to = unpack_message(r, field->descriptor, given->at, size, depth + 1);
                return *(ProtobufCMessage **)to;
        }
        ProtobufCBinaryData *data = to;

        data->len = size;
        data->data = size ? memcpy(arena_alloc(r->arena, size), given->at, size) : NULL;
        return true;
}

static bool put_value(const struct unpacking *r, const ProtobufCFieldDescriptor *field, const struct wire_field *given,
                      int64_t depth, void *to)
{
        if (given->head.type != wire_type_of(field->type))
                return false;
        if (given->head.type == WIRE_LENGTH)
                return put_bytes(r, field, given, depth, to);
        if (given->head.type == WIRE_VARINT)
                put_varint(field->type, given->head.value, to);
        else
                memcpy(to, given->at - size_of(field->type), size_of(field->type));
        return true;
}

/* -- fields -- */

/* Room for more values at the end of a list, which has room for a power of two. */
static void *make_room(const struct unpacking *r, const ProtobufCFieldDescriptor *field, ProtobufCMessage *message,
                       size_t more)
{
        char **list = (char **)((char *)message + field->offset);
        size_t *count = (size_t *)((char *)message + field->quantifier_offset), each = size_of(field->type);
        size_t before = *count, room = 1;

        *count += more;
        if (more == 1 && (before & (before - 1)) != 0)
                return *list + before * each;
        while (room < before)
                room *= 2;
        if (before && *count <= room)
                return *list + before * each;
        while (room < *count)
                room *= 2;
        *list = arena_grow(r->arena, *list, before * each, room * each);
        return *list + before * each;
}

static bool put_packed_varints(const struct unpacking *r, const ProtobufCFieldDescriptor *field,
                               const struct wire_field *given, ProtobufCMessage *message)
{
        size_t size = (size_t)given->head.value, count = 0, each = size_of(field->type);
        const uint8_t *at = given->at, *end = at + size;

        if (!wire_is_varints(at, size))
                return false;
        for (size_t i = 0; i < size; i++)
                count += at[i] < 0x80;
        char *to = make_room(r, field, message, count);

        for (; at < end; to += each) {
                uint64_t value = 0;
                unsigned shift = 0;

                for (; *at >= 0x80; at++, shift += 7)
                        value |= (uint64_t)(*at & 0x7f) << shift;
                value |= (uint64_t)*at++ << shift;
                put_varint(field->type, value, to);
        }
        return true;
}

static bool put_packed(const struct unpacking *r, const ProtobufCFieldDescriptor *field, const struct wire_field *given,
                       ProtobufCMessage *message)
{
        size_t size = (size_t)given->head.value, each = size_of(field->type);

        if (wire_type_of(field->type) == WIRE_VARINT)
                return put_packed_varints(r, field, given, message);
        if (size % each)
                return false;
        if (size)
                memcpy(make_room(r, field, message, size / each), given->at, size);
        return true;
}

/* Marks a field as present. False if it was already, and values have to be merged. */
static bool mark(const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
        void *quantifier = (char *)message + field->quantifier_offset;

        if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
                uint32_t *which = quantifier;
                bool is_first = !*which;

                *which = field->id;
                return is_first;
        }
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
                return !*(void **)((char *)message + field->offset);
        if (field->quantifier_offset && field->type != PROTOBUF_C_TYPE_STRING)
                *(protobuf_c_boolean *)quantifier = 1;
        return true;
}

static bool put_field(const struct unpacking *r, const ProtobufCFieldDescriptor *field, const struct wire_field *given,
                      int64_t depth, ProtobufCMessage *message)
{
        if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
                return mark(field, message) && put_value(r, field, given, depth, (char *)message + field->offset);
        if (field->label != PROTOBUF_C_LABEL_REPEATED)
                return false;
        if (given->head.type == WIRE_LENGTH && wire_type_of(field->type) != WIRE_LENGTH)
                return put_packed(r, field, given, message);
        return put_value(r, field, given, depth, make_room(r, field, message, 1));
}

/* Fields stand in the order of their numbers, which nearly always count up from 1. */
static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessageDescriptor *type, uint32_t number)
{
        if (number - 1 < type->n_fields && type->fields[number - 1].id == number)
                return &type->fields[number - 1];
        return protobuf_c_message_descriptor_get_field(type, number);
}

static ProtobufCMessage *unpack_message(const struct unpacking *r, const ProtobufCMessageDescriptor *type,
                                        const uint8_t *at, size_t size, int64_t depth)
{
        if (depth > r->most_depth)
                return NULL;
        ProtobufCMessage *message = arena_alloc(r->arena, type->sizeof_message);

        type->message_init(message);
        for (size_t used = 0; used < size;) {
                struct wire_field given = {.head = wire_head(at + used, size - used)};

                if (given.head.result != WIRE_OK)
                        return NULL;
                used += given.head.size;
                given.at = at + used;
                if (given.head.type == WIRE_LENGTH) {
                        if (given.head.value > size - used)
                                return NULL;
                        used += given.head.value;
                }
                const ProtobufCFieldDescriptor *field = field_of(type, given.head.number);

                if (!field || !put_field(r, field, &given, depth, message))
                        return NULL;
        }
        return message;
}

ProtobufCMessage *message_unpack_plain(struct arena *arena, const struct ox_limits *limits,
                                       const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size)
{
        const struct unpacking r = {arena, limits->message_depth};
        const bool is_as_in_memory = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* what fixed fields hold */

        return is_as_in_memory ? unpack_message(&r, type, bytes, size, 1) : NULL;
}
