/* Attributes of a node: numbers, texts, lists, tensors and types. */
#include <math.h>
#include <string.h>

#include "rest/node_read.h"

/* A number, or a text for one that JSON cannot express. */
static bool number_of(const struct json *json, double *ret)
{
        if (json->kind == JSON_IS_REAL)
                *ret = json->f;
        else if (json->kind == JSON_IS_INTEGER)
                *ret = (double)json->i;
        else
                return json->kind == JSON_IS_TEXT && build_special(json->text, ret);
        return true;
}

static ProtobufCBinaryData bytes_of(const struct json *json)
{
        return (ProtobufCBinaryData){.len = json->count, .data = (uint8_t *)(uintptr_t)json->text};
}

/* -- lists -- */

static enum ox_code fail_element(struct builder *b, struct build_subject subject, size_t i, const char *expected,
                                 const struct json *got)
{
        return build_fail(b, OX_INVALID_ARGUMENT, subject, "element %zu must be %s, got %s", i, expected,
                          json_describe(b, got));
}

static enum ox_code read_ints(struct builder *b, struct build_subject subject, const struct json *json,
                              OnnxAttribute *a)
{
        a->ints = arena_new_array(b->arena, int64_t, json->count);
        for (const struct json *item = json->first; item; item = item->next) {
                if (item->kind != JSON_IS_INTEGER)
                        return fail_element(b, subject, a->n_ints, "an integer", item);
                a->ints[a->n_ints++] = item->i;
        }
        return OX_OK;
}

static enum ox_code read_floats(struct builder *b, struct build_subject subject, const struct json *json,
                                OnnxAttribute *a)
{
        double number;

        a->floats = arena_new_array(b->arena, float, json->count);
        for (const struct json *item = json->first; item; item = item->next) {
                if (!number_of(item, &number))
                        return fail_element(b, subject, a->n_floats, "a number", item);
                a->floats[a->n_floats++] = (float)number;
        }
        return OX_OK;
}

static enum ox_code read_strings(struct builder *b, struct build_subject subject, const struct json *json,
                                 OnnxAttribute *a)
{
        a->strings = arena_new_array(b->arena, ProtobufCBinaryData, json->count);
        for (const struct json *item = json->first; item; item = item->next) {
                if (item->kind != JSON_IS_TEXT)
                        return fail_element(b, subject, a->n_strings, "a string", item);
                a->strings[a->n_strings++] = bytes_of(item);
        }
        return OX_OK;
}

/* -- the kind of attribute -- */

static const struct json *tensor_of(const struct json *json)
{
        return json->kind == JSON_IS_OBJECT && json->count == 1 && strcmp(json->first->name, "tensor") == 0
                       ? json->first
                       : NULL;
}

static enum attr_type type_of_list(const struct json *list)
{
        enum attr_type type = ATTR_INTS;

        for (const struct json *item = list->first; item; item = item->next) {
                if (item->kind == JSON_IS_TEXT)
                        return ATTR_STRINGS;
                if (item->kind != JSON_IS_INTEGER)
                        type = ATTR_FLOATS;
        }
        return type;
}

static enum attr_type type_as_written(const struct json *json)
{
        switch (json->kind) {
        case JSON_IS_BOOL:
        case JSON_IS_INTEGER:
                return ATTR_INT;
        case JSON_IS_REAL:
                return ATTR_FLOAT;
        case JSON_IS_TEXT:
                return ATTR_STRING;
        case JSON_IS_LIST:
                return type_of_list(json);
        case JSON_IS_OBJECT:
                return tensor_of(json) ? ATTR_TENSOR : ATTR_TYPE_PROTO;
        default:
                return ATTR_UNDEFINED;
        }
}

static enum attr_type type_of_attribute(const struct json *json, const struct op_attr *known)
{
        enum attr_type written = type_as_written(json);
        double number;

        if (!known)
                return written;
        if (known->type == ATTR_FLOAT && number_of(json, &number))
                return ATTR_FLOAT;
        if (json->kind == JSON_IS_LIST && !json->count &&
            (known->type == ATTR_FLOATS || known->type == ATTR_INTS || known->type == ATTR_STRINGS))
                return known->type;
        if (known->type == ATTR_FLOATS && (written == ATTR_INTS || written == ATTR_STRINGS))
                return ATTR_FLOATS;
        return written;
}

/* -- tensors and types -- */

static enum ox_code read_tensor(struct builder *b, struct build_subject subject, const struct json *json,
                                OnnxTensor **ret)
{
        struct ox_value given;

        TRY(read_value(b, subject, json, SIZE_MAX, &given));
        if (!given.content)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "a tensor needs content");
        return build_tensor(b, subject, &given, ret);
}

static enum ox_code read_type(struct builder *b, struct build_subject subject, const struct json *json, OnnxType **ret)
{
        struct ox_value given;

        TRY(read_value(b, subject, json, SIZE_MAX, &given));
        return build_type(b, subject, &given, ret);
}

enum ox_code read_attribute(struct builder *b, const struct json *json, const struct op_attr *known, OnnxAttribute *a)
{
        const struct build_subject subject = {"attribute", json->name};
        enum attr_type type = type_of_attribute(json, known);
        double number = 0;

        shaped__onnx__v1__attribute_proto__init(a);
        a->name = (char *)(uintptr_t)json->name;
        a->has_type = 1;
        a->type = (int32_t)type;
        switch (type) {
        case ATTR_INT:
                a->has_i = 1;
                a->i = json->i;
                return OX_OK;
        case ATTR_FLOAT:
                number_of(json, &number);
                a->has_f = 1;
                a->f = (float)number;
                return OX_OK;
        case ATTR_STRING:
                a->has_s = 1;
                a->s = bytes_of(json);
                return OX_OK;
        case ATTR_INTS:
                return read_ints(b, subject, json, a);
        case ATTR_FLOATS:
                return read_floats(b, subject, json, a);
        case ATTR_STRINGS:
                return read_strings(b, subject, json, a);
        case ATTR_TENSOR:
                return read_tensor(b, subject, tensor_of(json), &a->t);
        case ATTR_TYPE_PROTO:
                return read_type(b, subject, json, &a->tp);
        default:
                return build_fail(
                        b, OX_INVALID_ARGUMENT, subject,
                        "expected an integer, a number, a string, a list of one of these, {\"tensor\": ...} or "
                        "a type, got %s",
                        json_describe(b, json));
        }
}
