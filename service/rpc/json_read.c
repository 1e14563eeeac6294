/* Messages from JSON, by walking protobuf-c's descriptors. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/base64.h"
#include "rpc/fault.h"
#include "rpc/json_name.h"

struct reader {
        struct arena *arena;
        struct message_fault *fault;
};

static enum ox_code read_message(const struct reader *r, const ProtobufCMessageDescriptor *type,
                                 const struct json *json, ProtobufCMessage **ret);

/* -- numbers: digits, or a text of them -- */

static enum ox_code fail_integer(const struct reader *r, const char *wanted)
{
        return message_fail(r->fault, "must be an integer of %s", wanted);
}

/* A whole number as a double has it: 1.0 and 1e3 are integers as well. */
static bool whole(double f, double least, double past)
{
        return f >= least && f < past && f == trunc(f);
}

static enum ox_code read_signed(const struct reader *r, const struct json *json, int64_t *ret)
{
        char *end = NULL;

        errno = 0;
        if (json->kind == JSON_IS_INTEGER)
                *ret = json->i;
        else if (json->kind == JSON_IS_REAL && whole(json->f, -0x1p63, 0x1p63))
                *ret = (int64_t)json->f;
        else if (json->kind == JSON_IS_TEXT && json->text[strspn(json->text, "-0123456789")] == '\0' && json->count)
                *ret = strtoll(json->text, &end, 10);
        else
                return fail_integer(r, "64 bits");
        return errno || (end && *end) ? fail_integer(r, "64 bits") : OX_OK;
}

static enum ox_code read_unsigned(const struct reader *r, const struct json *json, uint64_t *ret)
{
        char *end = NULL;

        errno = 0;
        if (json->kind == JSON_IS_INTEGER && json->i >= 0)
                *ret = (uint64_t)json->i;
        else if (json->kind == JSON_IS_REAL && whole(json->f, 0, 0x1p64))
                *ret = (uint64_t)json->f;
        else if (json->kind == JSON_IS_TEXT && json->text[strspn(json->text, "0123456789")] == '\0' && json->count)
                *ret = strtoull(json->text, &end, 10);
        else
                return fail_integer(r, "64 bits, 0 or more");
        return errno || (end && *end) ? fail_integer(r, "64 bits, 0 or more") : OX_OK;
}

static enum ox_code read_narrow(const struct reader *r, const struct json *json, int64_t least, int64_t most, void *ret)
{
        int64_t value = 0;

        if (read_signed(r, json, &value) != OX_OK || value < least || value > most)
                return fail_integer(r, least < 0 ? "32 bits" : "32 bits, 0 or more");
        *(uint32_t *)ret = (uint32_t)value;
        return OX_OK;
}

static enum ox_code read_float(const struct reader *r, const struct json *json, double *ret)
{
        static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
        const double numbers[] = {NAN, INFINITY, -INFINITY};
        char *end;

        if (json->kind == JSON_IS_INTEGER || json->kind == JSON_IS_REAL) {
                *ret = json->kind == JSON_IS_REAL ? json->f : (double)json->i;
                return OX_OK;
        }
        if (json->kind != JSON_IS_TEXT)
                return message_fail(r->fault, "must be a number");
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                if (strcmp(json->text, words[i]) == 0) {
                        *ret = numbers[i];
                        return OX_OK;
                }
        }
        *ret = strtod(json->text, &end);
        if (*end || json->count == 0 || json->text[strspn(json->text, "+-.0123456789eE")] || !isfinite(*ret))
                return message_fail(r->fault, "must be a number, NaN, Infinity or -Infinity");
        return OX_OK;
}

static enum ox_code read_narrow_float(const struct reader *r, const struct json *json, float *ret)
{
        double wide = 0;

        TRY(read_float(r, json, &wide));
        *ret = (float)wide;
        if (isfinite(wide) && !isfinite(*ret))
                return message_fail(r->fault, "must be a number that a float can hold");
        return OX_OK;
}

/* -- other values -- */

static enum ox_code read_bool(const struct reader *r, const struct json *json, protobuf_c_boolean *ret)
{
        if (json->kind != JSON_IS_BOOL)
                return message_fail(r->fault, "must be true or false");
        *ret = json->i != 0;
        return OX_OK;
}

static enum ox_code read_enum(const struct reader *r, const ProtobufCEnumDescriptor *type, const struct json *json,
                              int32_t *ret)
{
        const ProtobufCEnumValue *known = NULL;

        if (json->kind == JSON_IS_TEXT)
                known = protobuf_c_enum_descriptor_get_value_by_name(type, json->text);
        else if (json->kind == JSON_IS_INTEGER && json->i >= INT32_MIN && json->i <= INT32_MAX)
                known = protobuf_c_enum_descriptor_get_value(type, (int)json->i);
        if (!known)
                return message_fail(r->fault, "must be a name of the enum %s, like %s", type->short_name,
                                    type->values[0].name);
        *ret = known->value;
        return OX_OK;
}

static enum ox_code read_text(const struct reader *r, const struct json *json, const char **ret)
{
        if (json->kind != JSON_IS_TEXT)
                return message_fail(r->fault, "must be a string");
        *ret = json->text;
        return OX_OK;
}

static enum ox_code read_bytes(const struct reader *r, const struct json *json, ProtobufCBinaryData *ret)
{
        struct base64_decoder decoder = {.n_bits = 0};

        if (json->kind != JSON_IS_TEXT)
                return message_fail(r->fault, "must be a base64 string");
        ret->data = arena_alloc(r->arena, json->count + 1);
        if (!base64_decode(&decoder, json->text, json->count, ret->data, &ret->len) || !base64_may_end(&decoder))
                return message_fail(r->fault, "must be a base64 string");
        return OX_OK;
}

/* -- fields -- */

static enum ox_code read_value(const struct reader *r, const ProtobufCFieldDescriptor *field, const struct json *json,
                               void *at)
{
        switch (field->type) {
        case PROTOBUF_C_TYPE_INT32:
        case PROTOBUF_C_TYPE_SINT32:
        case PROTOBUF_C_TYPE_SFIXED32:
                return read_narrow(r, json, INT32_MIN, INT32_MAX, at);
        case PROTOBUF_C_TYPE_UINT32:
        case PROTOBUF_C_TYPE_FIXED32:
                return read_narrow(r, json, 0, UINT32_MAX, at);
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_SINT64:
        case PROTOBUF_C_TYPE_SFIXED64:
                return read_signed(r, json, at);
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_FIXED64:
                return read_unsigned(r, json, at);
        case PROTOBUF_C_TYPE_FLOAT:
                return read_narrow_float(r, json, at);
        case PROTOBUF_C_TYPE_DOUBLE:
                return read_float(r, json, at);
        case PROTOBUF_C_TYPE_BOOL:
                return read_bool(r, json, at);
        case PROTOBUF_C_TYPE_ENUM:
                return read_enum(r, field->descriptor, json, at);
        case PROTOBUF_C_TYPE_STRING:
                return read_text(r, json, at);
        case PROTOBUF_C_TYPE_BYTES:
                return read_bytes(r, json, at);
        case PROTOBUF_C_TYPE_MESSAGE:
                return read_message(r, field->descriptor, json, at);
        }
        return OX_INTERNAL;
}

static enum ox_code read_list(const struct reader *r, const ProtobufCFieldDescriptor *field, const struct json *json,
                              ProtobufCMessage *message)
{
        char *base = (char *)message, *at;
        size_t size = json_element_size(field), i = 0;

        if (json->kind != JSON_IS_LIST)
                return message_fail_at(r->fault, field->name, "must be a list");
        at = arena_zalloc(r->arena, json->count * size + 1);
        *(size_t *)(base + field->quantifier_offset) = json->count;
        *(void **)(base + field->offset) = at;
        for (const struct json *item = json->first; i < json->count; item = item->next, i++) {
                enum ox_code code = read_value(r, field, item, at + i * size);

                if (code == OX_OK)
                        continue;
                message_fault_within_element(r->fault, field->name, i);
                return code;
        }
        return OX_OK;
}

static enum ox_code read_single(const struct reader *r, const ProtobufCFieldDescriptor *field, const struct json *json,
                                ProtobufCMessage *message)
{
        char *base = (char *)message;
        uint32_t *chosen = (uint32_t *)(base + field->quantifier_offset);

        if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
                if (*chosen)
                        return message_fail_at(r->fault, field->name, "another field stands in its place already");
                *chosen = field->id;
        } else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->type != PROTOBUF_C_TYPE_STRING &&
                   field->type != PROTOBUF_C_TYPE_MESSAGE) {
                *(protobuf_c_boolean *)chosen = true;
        }
        enum ox_code code = read_value(r, field, json, base + field->offset);

        if (code != OX_OK)
                message_fault_within(r->fault, field->name);
        return code;
}

static const ProtobufCFieldDescriptor *find(const ProtobufCMessageDescriptor *type, const char *name)
{
        for (unsigned i = 0; i < type->n_fields; i++)
                if (json_names(&type->fields[i], name))
                        return &type->fields[i];
        return NULL;
}

static enum ox_code read_message(const struct reader *r, const ProtobufCMessageDescriptor *type,
                                 const struct json *json, ProtobufCMessage **ret)
{
        bool *seen = arena_zalloc(r->arena, type->n_fields + 1);
        const struct json *member;

        if (json->kind != JSON_IS_OBJECT)
                return message_fail(r->fault, "must be an object, a message of the type %s", type->name);
        *ret = arena_alloc(r->arena, type->sizeof_message);
        protobuf_c_message_init(type, *ret);
        member = json->first;
        for (uint32_t i = 0; i < json->count; i++, member = member->next) {
                const ProtobufCFieldDescriptor *field = find(type, member->name);

                if (!field)
                        return message_fail(r->fault, "%s has no field '%.60s'", type->name, member->name);
                if (member->kind == JSON_IS_NULL)
                        continue;
                if (seen[field - type->fields])
                        return message_fail_at(r->fault, field->name, "stands twice, in both spellings");
                seen[field - type->fields] = true;
                TRY(field->label == PROTOBUF_C_LABEL_REPEATED ? read_list(r, field, member, *ret)
                                                              : read_single(r, field, member, *ret));
        }
        return OX_OK;
}

enum ox_code message_from_json(struct arena *arena, const ProtobufCMessageDescriptor *type, const struct json *json,
                               ProtobufCMessage **ret, struct message_fault *fault)
{
        const struct reader reader = {arena, fault};

        *ret = NULL;
        *fault = (struct message_fault){.field = ""};
        return read_message(&reader, type, json, ret);
}
