/* Reads messages from bytes. protobuf-c recurses as deep as they nest and ends texts at their first NUL, so messages
   are checked before it reads them. */
#include <stdarg.h>
#include <stdio.h>

#include "engine.h"
#include "rpc/fault.h"

struct check {
        const struct ox_limits *limits;
        struct message_fault *fault;
};

static enum ox_code check_message(const struct check *check, const ProtobufCMessageDescriptor *type, const uint8_t *at,
                                  size_t size, int64_t depth);

static enum ox_code check_text(const struct check *check, const ProtobufCFieldDescriptor *field, const uint8_t *at,
                               size_t size)
{
        if (utf8_is_clean((const char *)at, size))
                return OX_OK;
        return message_fail_at(check->fault, field->name, "the text is not UTF-8, or holds a NUL");
}

/* Checks the content of a field of the wire type WIRE_LENGTH. */
static enum ox_code check_length(const struct check *check, const ProtobufCFieldDescriptor *field, const uint8_t *at,
                                 size_t size, int64_t depth)
{
        if (field->type == PROTOBUF_C_TYPE_STRING)
                return check_text(check, field, at, size);
        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
                return OX_OK;
        enum ox_code code = check_message(check, field->descriptor, at, size, depth + 1);

        if (code != OX_OK)
                message_fault_within(check->fault, field->name);
        return code;
}

static enum ox_code check_message(const struct check *check, const ProtobufCMessageDescriptor *type, const uint8_t *at,
                                  size_t size, int64_t depth)
{
        if (depth > check->limits->message_depth) {
                message_fail(check->fault, "messages nest deeper than the limit message_depth, %lld",
                             (long long)check->limits->message_depth);
                return OX_RESOURCE_EXHAUSTED;
        }
        for (size_t used = 0; used < size;) {
                struct wire_head head = wire_head(at + used, size - used);

                if (head.result != WIRE_OK ||
                    (head.type == WIRE_LENGTH && head.value > (uint64_t)(size - used - head.size)))
                        return message_fail(check->fault, "the bytes are not a message of the type %s", type->name);
                used += head.size;
                if (head.type != WIRE_LENGTH)
                        continue;
                const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, head.number);

                if (field)
                        TRY(check_length(check, field, at + used, head.value, depth));
                used += head.value;
        }
        return OX_OK;
}

enum ox_code message_unpack(struct arena *arena, const struct ox_limits *limits, const ProtobufCMessageDescriptor *type,
                            const uint8_t *bytes, size_t size, ProtobufCMessage **ret, struct message_fault *fault)
{
        const struct check check = {limits, fault};
        ProtobufCAllocator allocator;

        *fault = (struct message_fault){.field = ""};
        *ret = message_unpack_plain(arena, limits, type, bytes, size);
        if (*ret)
                return OX_OK;
        TRY(check_message(&check, type, bytes, size, 1));
        arena_allocator(arena, &allocator);
        *ret = protobuf_c_message_unpack(type, &allocator, size, bytes);
        if (*ret)
                return OX_OK;
        return message_fail(fault, "the bytes are not a message of the type %s, or take more memory than there is",
                            type->name);
}
