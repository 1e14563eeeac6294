/* Attributes of a node, from JSON to protobuf-c's structs. */
#include <math.h>
#include <string.h>

#include "rest/node_read.h"

/* A number, or the text of one that JSON cannot write. */
static bool number_of(json_t *json, double *ret)
{
        const char *text = json_string_value(json);

        if (json_is_number(json))
                *ret = json_number_value(json);
        else if (text && strcmp(text, "NaN") == 0)
                *ret = NAN;
        else if (text && (strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0))
                *ret = text[0] == '-' ? -INFINITY : INFINITY;
        else
                return false;
        return true;
}

static ProtobufCBinaryData bytes_of(json_t *json)
{
        return (ProtobufCBinaryData){.len = json_string_length(json),
                                     .data = (uint8_t *)(uintptr_t)json_string_value(json)};
}

/* -- tensors -- */

static enum ox_code read_ints(struct reader *r, const char *what, json_t *json, int64_t **ret, size_t *ret_count)
{
        if (!json_is_array(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s is no list", what);
        *ret_count = json_array_size(json);
        *ret = arena_new_array(r->arena, int64_t, *ret_count);
        for (size_t i = 0; i < *ret_count; i++) {
                if (!json_is_integer(json_array_get(json, i)))
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s has an element that is no integer", what);
                (*ret)[i] = json_integer_value(json_array_get(json, i));
        }
        return OX_OK;
}

static enum ox_code read_elements(struct reader *r, const char *what, enum elem elem, json_t *json, int64_t **ret,
                                  size_t *ret_count)
{
        *ret_count = json_array_size(json);
        *ret = arena_new_array(r->arena, int64_t, *ret_count);
        for (size_t i = 0; i < *ret_count; i++)
                TRY(read_element_int(r, what, elem, json_array_get(json, i), &(*ret)[i]));
        return OX_OK;
}

static enum ox_code read_numbers(struct reader *r, const char *what, json_t *json, double **ret, size_t *ret_count)
{
        *ret_count = json_array_size(json);
        *ret = arena_new_array(r->arena, double, *ret_count);
        for (size_t i = 0; i < *ret_count; i++)
                if (!number_of(json_array_get(json, i), &(*ret)[i]))
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s has an element that is no number", what);
        return OX_OK;
}

static enum ox_code read_strings(struct reader *r, const char *what, json_t *json, ProtobufCBinaryData **ret,
                                 size_t *ret_count)
{
        *ret_count = json_array_size(json);
        *ret = arena_new_array(r->arena, ProtobufCBinaryData, *ret_count);
        for (size_t i = 0; i < *ret_count; i++) {
                if (!json_is_string(json_array_get(json, i)))
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s has an element that is no text", what);
                (*ret)[i] = bytes_of(json_array_get(json, i));
        }
        return OX_OK;
}

static float *narrow(struct reader *r, const double *numbers, size_t count)
{
        float *floats = arena_new_array(r->arena, float, count);

        for (size_t i = 0; i < count; i++)
                floats[i] = (float)numbers[i];
        return floats;
}

/* The field that each element type is stored in is onnx.proto's. What has none that JSON could write plainly (halves,
   complex numbers) counts as dropped: its shape is known, its elements are not. */
static enum ox_code read_tensor_data(struct reader *r, const char *what, json_t *content, OnnxTensor *t)
{
        int64_t *ints;
        double *numbers;
        size_t count;

        switch ((enum elem)t->data_type) {
        case ELEM_FLOAT:
                TRY(read_numbers(r, what, content, &numbers, &t->n_float_data));
                t->float_data = narrow(r, numbers, t->n_float_data);
                return OX_OK;
        case ELEM_DOUBLE:
                return read_numbers(r, what, content, &t->double_data, &t->n_double_data);
        case ELEM_INT64:
                return read_elements(r, what, ELEM_INT64, content, &t->int64_data, &t->n_int64_data);
        case ELEM_STRING:
                return read_strings(r, what, content, &t->string_data, &t->n_string_data);
        case ELEM_UINT32:
        case ELEM_UINT64:
                TRY(read_elements(r, what, (enum elem)t->data_type, content, &ints, &count));
                t->n_uint64_data = count;
                t->uint64_data = arena_new_array(r->arena, uint64_t, count);
                for (size_t i = 0; i < count; i++)
                        t->uint64_data[i] = (uint64_t)ints[i];
                return OX_OK;
        case ELEM_INT32:
        case ELEM_INT16:
        case ELEM_INT8:
        case ELEM_UINT16:
        case ELEM_UINT8:
        case ELEM_BOOL:
                TRY(read_elements(r, what, (enum elem)t->data_type, content, &ints, &count));
                t->n_int32_data = count;
                t->int32_data = arena_new_array(r->arena, int32_t, count);
                for (size_t i = 0; i < count; i++)
                        t->int32_data[i] = (int32_t)ints[i];
                return OX_OK;
        default:
                t->has_data_dropped = 1;
                t->data_dropped = 1;
                return OX_OK;
        }
}

static enum ox_code read_tensor(struct reader *r, const char *name, json_t *json, OnnxTensor **ret)
{
        static const char *const members[] = {"type", "shape", "content", NULL};
        const char *what = arena_printf(r->arena, "attribute %.100s", name), *type_text;
        OnnxTensor *t = arena_new_array(r->arena, OnnxTensor, 1);
        json_t *content = json_object_get(json, "content");
        struct type type;

        TRY(read_members(r, what, json, members));
        TRY(read_text(r, what, json_object_get(json, "type"), &type_text));
        if (!type_parse(r->arena, type_text, strlen(type_text), &type) || type.kind != TYPE_TENSOR)
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: '%.60s' is no type of a tensor", what, type_text);
        shaped__onnx__v1__tensor_proto__init(t);
        t->has_data_type = 1;
        t->data_type = (int32_t)type.elem;
        TRY(read_ints(r, what, json_object_get(json, "shape"), &t->dims, &t->n_dims));
        *ret = t;
        if (!json_is_array(content))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: content is no list", what);
        return read_tensor_data(r, what, content, t);
}

/* -- types -- */

/* The shape that a type's JSON has; NULL where it has none. */
static enum ox_code read_type_shape(struct reader *r, const char *what, json_t *json, OnnxShape **ret)
{
        OnnxShape *shape = arena_new_array(r->arena, OnnxShape, 1);

        if (!json)
                return OX_OK;
        if (!json_is_array(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: shape is no list", what);
        shaped__onnx__v1__tensor_shape_proto__init(shape);
        shape->n_dim = json_array_size(json);
        shape->dim = arena_new_array(r->arena, OnnxDim *, shape->n_dim);
        for (size_t d = 0; d < shape->n_dim; d++) {
                OnnxDim *dim = shape->dim[d] = arena_new_array(r->arena, OnnxDim, 1);
                json_t *size = json_array_get(json, d);

                shaped__onnx__v1__tensor_shape_proto__dimension__init(dim);
                if (json_is_integer(size)) {
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                        dim->dim_value = json_integer_value(size);
                } else if (json_is_string(size)) {
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
                        dim->dim_param = arena_strndup(r->arena, json_string_value(size), json_string_length(size));
                } else if (!json_is_null(size)) {
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s: axis %zu is no size", what, d);
                }
        }
        *ret = shape;
        return OX_OK;
}

static enum ox_code read_type(struct reader *r, const char *what, const struct type *outer, json_t *json,
                              OnnxType **ret);

/* `json` is NULL where the type's name alone tells it. */
static enum ox_code build_type(struct reader *r, const char *what, const struct type *type, json_t *json, OnnxType *t)
{
        json_t *element = json_object_get(json, "element");

        shaped__onnx__v1__type_proto__init(t);
        switch (type->kind) {
        case TYPE_TENSOR:
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE;
                t->tensor_type = arena_new_array(r->arena, Shaped__Onnx__V1__TypeProto__Tensor, 1);
                shaped__onnx__v1__type_proto__tensor__init(t->tensor_type);
                t->tensor_type->has_elem_type = 1;
                t->tensor_type->elem_type = (int32_t)type->elem;
                return read_type_shape(r, what, json_object_get(json, "shape"), &t->tensor_type->shape);
        case TYPE_SEQUENCE:
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
                t->sequence_type = arena_new_array(r->arena, Shaped__Onnx__V1__TypeProto__Sequence, 1);
                shaped__onnx__v1__type_proto__sequence__init(t->sequence_type);
                return read_type(r, what, type->of, element, &t->sequence_type->elem_type);
        case TYPE_OPTIONAL:
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
                t->optional_type = arena_new_array(r->arena, Shaped__Onnx__V1__TypeProto__Optional, 1);
                shaped__onnx__v1__type_proto__optional__init(t->optional_type);
                return read_type(r, what, type->of, element, &t->optional_type->elem_type);
        default:
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: only a tensor, sequence or optional is a type here",
                                 what);
        }
}

/* A type as an input's is written: its name, the shape of a tensor, and, of a sequence or optional, what its element is
   beyond the name. `outer` is the type that the name of what it is an element of tells; type_parse() bounds how deep
   that nests, and no element goes deeper. */
static enum ox_code read_type(struct reader *r, const char *what, const struct type *outer, json_t *json,
                              OnnxType **ret)
{
        static const char *const members[] = {"type", "shape", "element", NULL};
        struct type type = outer ? *outer : type_unknown;
        const char *text = "";

        if (json)
                TRY(read_members(r, what, json, members));
        TRY(read_text(r, what, json_object_get(json, "type"), &text));
        if (text[0] && !type_parse(r->arena, text, strlen(text), &type))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: '%.60s' is no type", what, text);
        if (outer && !type_kinds_agree(outer, &type))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: type and element contradict each other", what);
        if (json_object_get(json, "shape") && type.kind != TYPE_TENSOR)
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: it has a shape, and is no tensor", what);
        if (json_object_get(json, "element") && type.kind != TYPE_SEQUENCE && type.kind != TYPE_OPTIONAL)
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: it has an element, and is no sequence or optional", what);
        *ret = arena_new_array(r->arena, OnnxType, 1);
        return build_type(r, what, &type, json, *ret);
}

/* -- the kind of attribute -- */

static enum attr_type type_of_list(json_t *json)
{
        enum attr_type type = ATTR_INTS;
        json_t *item;
        size_t i;

        json_array_foreach(json, i, item)
        {
                if (json_is_string(item))
                        return ATTR_STRINGS;
                if (!json_is_integer(item))
                        type = ATTR_FLOATS;
        }
        return type;
}

static enum attr_type type_as_written(json_t *json)
{
        if (json_is_integer(json) || json_is_boolean(json))
                return ATTR_INT;
        if (json_is_real(json))
                return ATTR_FLOAT;
        if (json_is_string(json))
                return ATTR_STRING;
        if (json_is_array(json))
                return type_of_list(json);
        if (json_object_get(json, "tensor"))
                return ATTR_TENSOR;
        return json_object_get(json, "type") ? ATTR_TYPE_PROTO : ATTR_UNDEFINED;
}

static enum attr_type type_of_attribute(json_t *json, const struct op_attr *known)
{
        enum attr_type written = type_as_written(json);
        double number;

        if (!known)
                return written;
        if (known->type == ATTR_FLOAT && number_of(json, &number))
                return ATTR_FLOAT;
        if (json_is_array(json) && json_array_size(json) == 0 &&
            (known->type == ATTR_FLOATS || known->type == ATTR_INTS || known->type == ATTR_STRINGS))
                return known->type;
        if (known->type == ATTR_FLOATS && (written == ATTR_INTS || written == ATTR_STRINGS))
                return ATTR_FLOATS;
        return written;
}

enum ox_code read_attribute(struct reader *r, const char *name, json_t *json, const struct op_attr *known,
                            OnnxAttribute *a)
{
        enum attr_type type = type_of_attribute(json, known);
        double number = 0, *numbers;

        a->type = (int32_t)type;
        switch (type) {
        case ATTR_INT:
                a->has_i = 1;
                a->i = json_is_true(json) ? 1 : json_integer_value(json);
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
                return read_ints(r, name, json, &a->ints, &a->n_ints);
        case ATTR_FLOATS:
                TRY(read_numbers(r, name, json, &numbers, &a->n_floats));
                a->floats = narrow(r, numbers, a->n_floats);
                return OX_OK;
        case ATTR_STRINGS:
                return read_strings(r, name, json, &a->strings, &a->n_strings);
        case ATTR_TENSOR:
                return read_tensor(r, name, json_object_get(json, "tensor"), &a->t);
        case ATTR_TYPE_PROTO:
                return read_type(r, arena_printf(r->arena, "attribute %.100s", name), NULL, json, &a->tp);
        default:
                return read_fail(r, OX_INVALID_ARGUMENT,
                                 "attribute %.100s is none of an integer, a number, a text, a list of one of these, a "
                                 "tensor or a type",
                                 name);
        }
}
