/* Messages as canonical JSON, by walking protobuf-c's descriptors. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "google/protobuf/any.pb-c.h"
#include "google/rpc/error_details.pb-c.h"
#include "rpc/base64.h"
#include "rpc/json_name.h"
#include "rpc/messages.h"
#include "shaped.pb-c.h"

struct writer {
        struct json_out *out;
        struct arena *arena;
};

static void put_members(const struct writer *w, const ProtobufCMessage *message);

static void put_bytes(const struct writer *w, const ProtobufCBinaryData *bytes)
{
        char *text = arena_alloc(w->arena, BASE64_ENCODED(bytes->len) + 1);

        text[base64_encode(text, bytes->data, bytes->len, true)] = '\0';
        json_text(w->out, text);
}

/* 64-bit integers are written as texts, because JavaScript's numbers have fewer bits. */
static void put_wide(const struct writer *w, bool is_signed, uint64_t value)
{
        char digits[24];

        if (is_signed)
                snprintf(digits, sizeof(digits), "%lld", (long long)(int64_t)value);
        else
                snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
        json_text(w->out, digits);
}

static void put_enum(const struct writer *w, const ProtobufCEnumDescriptor *type, int32_t value)
{
        const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(type, value);

        if (known)
                json_text(w->out, known->name);
        else
                json_int(w->out, value);
}

/* -- Any -- */

static const ProtobufCMessageDescriptor *type_of(const char *url)
{
        static const ProtobufCMessageDescriptor *const known[] = {
                &shaped__v1__diagnostic__descriptor,
                &google__rpc__error_info__descriptor,
                &google__rpc__bad_request__descriptor,
        };
        const char *name = strrchr(url, '/');

        for (size_t i = 0; name && i < sizeof(known) / sizeof(known[0]); i++)
                if (strcmp(name + 1, known[i]->name) == 0)
                        return known[i];
        return NULL;
}

/* {"@type": ..., and the members of the message}, or its bytes as "value". */
static void put_any(const struct writer *w, const Google__Protobuf__Any *any)
{
        const ProtobufCMessageDescriptor *type = type_of(any->type_url);
        ProtobufCMessage *inner = NULL;
        ProtobufCAllocator allocator;

        arena_allocator(w->arena, &allocator);
        if (type)
                inner = protobuf_c_message_unpack(type, &allocator, any->value.len, any->value.data);
        json_open(w->out, '{');
        json_put_text(w->out, "@type", any->type_url);
        if (inner) {
                put_members(w, inner);
        } else {
                json_key(w->out, "value");
                put_bytes(w, &any->value);
        }
        json_close(w->out, '}');
}

static void put_message(const struct writer *w, const ProtobufCMessage *message)
{
        if (message->descriptor == &google__protobuf__any__descriptor) {
                put_any(w, (const Google__Protobuf__Any *)message);
                return;
        }
        json_open(w->out, '{');
        put_members(w, message);
        json_close(w->out, '}');
}

/* -- fields -- */

/* One value of a field, as protobuf-c keeps it at `at`. */
static void put_value(const struct writer *w, const ProtobufCFieldDescriptor *field, const void *at)
{
        switch (field->type) {
        case PROTOBUF_C_TYPE_INT32:
        case PROTOBUF_C_TYPE_SINT32:
        case PROTOBUF_C_TYPE_SFIXED32:
                json_int(w->out, *(const int32_t *)at);
                break;
        case PROTOBUF_C_TYPE_UINT32:
        case PROTOBUF_C_TYPE_FIXED32:
                json_int(w->out, *(const uint32_t *)at);
                break;
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_SINT64:
        case PROTOBUF_C_TYPE_SFIXED64:
                put_wide(w, true, *(const uint64_t *)at);
                break;
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_FIXED64:
                put_wide(w, false, *(const uint64_t *)at);
                break;
        case PROTOBUF_C_TYPE_FLOAT:
                json_float(w->out, *(const float *)at, true);
                break;
        case PROTOBUF_C_TYPE_DOUBLE:
                json_float(w->out, *(const double *)at, false);
                break;
        case PROTOBUF_C_TYPE_BOOL:
                json_bool(w->out, *(const protobuf_c_boolean *)at);
                break;
        case PROTOBUF_C_TYPE_ENUM:
                put_enum(w, field->descriptor, *(const int32_t *)at);
                break;
        case PROTOBUF_C_TYPE_STRING:
                json_text(w->out, text_or_empty(*(const char *const *)at));
                break;
        case PROTOBUF_C_TYPE_BYTES:
                put_bytes(w, at);
                break;
        case PROTOBUF_C_TYPE_MESSAGE:
                put_message(w, *(const ProtobufCMessage *const *)at);
                break;
        }
}

/* A singular field of proto3 is present if it is not zero or empty. */
static bool is_not_default(const ProtobufCFieldDescriptor *field, const void *at)
{
        static const char zero[sizeof(uint64_t)];

        if (field->type == PROTOBUF_C_TYPE_STRING)
                return text_or_empty(*(const char *const *)at)[0] != '\0';
        if (field->type == PROTOBUF_C_TYPE_BYTES)
                return ((const ProtobufCBinaryData *)at)->len != 0;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
                return *(const ProtobufCMessage *const *)at != NULL;
        return memcmp(at, zero, json_scalar_size(field)) != 0;
}

static bool is_present(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
        const char *base = (const char *)message;
        const void *at = base + field->offset;

        if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
                return *(const uint32_t *)(base + field->quantifier_offset) == field->id;
        if (field->label == PROTOBUF_C_LABEL_NONE)
                return is_not_default(field, at);
        if (field->label == PROTOBUF_C_LABEL_OPTIONAL &&
            (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE))
                return *(const void *const *)at != NULL;
        return *(const protobuf_c_boolean *)(base + field->quantifier_offset);
}

static void put_key(const struct writer *w, const ProtobufCFieldDescriptor *field)
{
        char name[JSON_NAME_BYTES];

        json_key(w->out, json_name(field, name));
}

static void put_list(const struct writer *w, const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
        const char *base = (const char *)message;
        size_t count = *(const size_t *)(base + field->quantifier_offset), size = json_element_size(field);
        const char *at = *(const char *const *)(base + field->offset);

        if (count == 0)
                return;
        put_key(w, field);
        json_open(w->out, '[');
        for (size_t i = 0; i < count; i++) {
                json_item(w->out);
                put_value(w, field, at + i * size);
        }
        json_close(w->out, ']');
}

static void put_members(const struct writer *w, const ProtobufCMessage *message)
{
        for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
                const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];

                if (field->label == PROTOBUF_C_LABEL_REPEATED) {
                        put_list(w, message, field);
                } else if (is_present(message, field)) {
                        put_key(w, field);
                        put_value(w, field, (const char *)message + field->offset);
                }
        }
}

void message_to_json(struct json_out *out, struct arena *arena, const ProtobufCMessage *message)
{
        const struct writer writer = {out, arena};

        put_message(&writer, message);
}
