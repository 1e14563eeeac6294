/* Builds values from descriptions by callers: types, shapes, contents, elements. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/build.h"
#include "base/checked.h"

void builder_init(struct builder *b, struct arena *arena, struct strings *strings, struct dim_table *dims,
                  const struct ox_limits *limits)
{
        *b = (struct builder){.arena = arena, .strings = strings, .dims = dims, .limits = limits, .error = ""};
}

enum ox_code build_fail(struct builder *b, enum ox_code code, struct build_subject subject, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        b->error = arena_printf(b->arena, "%s%s%.100s: %s", subject.kind, subject.name[0] ? " " : "", subject.name,
                                arena_vprintf(b->arena, format, args));
        va_end(args);
        return code;
}

enum ox_code build_check_unread(struct builder *b, const char *what, const char *text)
{
        const struct build_subject subject = {what, ""};
        size_t length = strlen(text);

        if (length > (size_t)b->limits->name_bytes)
                return build_fail(b, OX_RESOURCE_EXHAUSTED, subject,
                                  "%zu bytes are more than the limit name_bytes, %" PRId64, length,
                                  b->limits->name_bytes);
        if (!b->has_clean && !utf8_is_clean(text, length))
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "the text is not UTF-8");
        return OX_OK;
}

/* A value that is being built. */
struct building {
        struct builder *b;
        struct build_subject subject;
        const char *name; /* the subject's name, living as long as the table of dimensions; NULL until it is needed */
};

/* -- names -- */

/* An unknown size, which differs from all others. */
static bool is_unnamed(const char *text)
{
        return !text[0] || (text[0] == '?' && !text[1]);
}

static void note_shape(struct builder *b, const struct ox_shape *shape)
{
        for (size_t d = 0; shape && d < shape->rank; d++) {
                const char *text = shape->dims[d].text;

                if (text && !is_unnamed(text))
                        dim_reserve(b->dims, str_intern_z(b->strings, text));
        }
}

void build_names(struct builder *b, const struct ox_value *given)
{
        for (int depth = 0; given && depth < TYPE_DEPTH; depth++) {
                note_shape(b, given->shape);
                for (size_t i = 0; i < given->n_elements; i++)
                        note_shape(b, given->elements[i].shape);
                given = given->element;
        }
}

/* A name is a symbol in expressions if it is a dimension by itself somewhere, which build_names() has reserved, or if
   the engine made it. */
static bool is_symbol(void *user, str_id name)
{
        struct builder *b = user;
        uint32_t index;
        struct dim d;

        if (dim_is_reserved(b->dims, name))
                return true;
        return dim_find_name(b->dims, name, &d) && dim_as_symbol(b->dims, d, &index) &&
               dim_symbol_at(b->dims, index)->anonymous;
}

/* -- sizes -- */

static const char *kept_name(struct building *v)
{
        struct strings *strings = v->b->strings;

        if (!v->name)
                v->name = str_text(strings, str_intern_z(strings, v->subject.name));
        return v->name;
}

/* A name that a symbol has now means that symbol. */
static struct dim dim_of_text(struct builder *b, const char *text, size_t length, const struct dim_origin *origin)
{
        struct dim d;
        str_id name;

        if (str_find(b->strings, text, length, &name)) {
                if (dim_find_name(b->dims, name, &d))
                        return d;
                if (dim_is_reserved(b->dims, name) && dim_is_identifier(text, length))
                        return dim_named(b->dims, name, origin, true);
        }
        return dim_read(b->dims, text, length, is_symbol, b, origin);
}

enum ox_code build_dim(struct builder *b, const struct ox_dim *given, struct dim *ret)
{
        static const struct dim_origin nowhere = {.axis = -1};

        *ret = dim_int(given->value);
        if (!given->text)
                return OX_OK;
        TRY(build_check_text(b, "a dimension", given->text));
        if (is_unnamed(given->text))
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"a dimension", ""},
                                  "expected a name or an expression, got '%s'", given->text);
        *ret = dim_of_text(b, given->text, strlen(given->text), &nowhere);
        return OX_OK;
}

static enum ox_code read_text(struct building *v, const char *text, int axis, struct dim *ret)
{
        struct builder *b = v->b;
        const struct dim_origin origin = {.value = kept_name(v), .axis = axis};
        size_t length = strlen(text);

        TRY(build_check_text(b, "a size or element", text));
        if (is_unnamed(text))
                *ret = dim_fresh_input(b->dims,
                                       axis < 0 ? arena_printf(b->arena, "%s_length", v->name)
                                                : arena_printf(b->arena, "%s_%d", v->name, axis),
                                       &origin);
        else
                *ret = dim_of_text(b, text, length, &origin);
        return OX_OK;
}

/* A size, or with axis -1 a length. */
static enum ox_code read_size(struct building *v, const struct ox_dim *given, int axis, struct dim *ret)
{
        *ret = dim_int(given->value);
        if (given->text)
                TRY(read_text(v, given->text, axis, ret));
        if (!dim_is_int(*ret) || ret->val >= 0) /* a text may also be a number */
                return OX_OK;
        if (axis < 0)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "the length must be 0 or more, got %" PRId64,
                                  ret->val);
        return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "axis %d must be 0 or more, got %" PRId64, axis,
                          ret->val);
}

static enum ox_code read_shape(struct building *v, const struct ox_shape *given, struct type *ret)
{
        struct dim *dims;

        if (given->rank > (size_t)v->b->limits->rank)
                return build_fail(v->b, OX_RESOURCE_EXHAUSTED, v->subject,
                                  "the rank is %zu, more than the limit rank, %" PRId64, given->rank,
                                  v->b->limits->rank);
        dims = arena_new_array(v->b->arena, struct dim, given->rank);
        for (size_t d = 0; d < given->rank; d++)
                TRY(read_size(v, &given->dims[d], (int)d, &dims[d]));
        ret->rank = (int)given->rank;
        ret->dim = dims;
        return OX_OK;
}

enum ox_code build_shape(struct builder *b, struct build_subject subject, const struct ox_shape *given,
                         struct type *ret)
{
        struct building v = {.b = b, .subject = subject};

        return read_shape(&v, given, ret);
}

/* -- types -- */

enum ox_code build_fail_type(struct builder *b, struct build_subject subject, const char *text)
{
        const char *meant = type_meant(b->arena, text);

        if (meant)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "unknown type '%s'; did you mean '%s'?", text,
                                  meant);
        return build_fail(b, OX_INVALID_ARGUMENT, subject,
                          "unknown type '%.100s'; types are written as \"tensor(float)\" or \"seq(tensor(int64))\"",
                          text);
}

/* Builds a type. `outer`, for an element, is the part that the type around it already determines. */
static enum ox_code read_type(struct building *v, const struct type *outer, const struct ox_value *given,
                              struct type *ret)
{
        const char *text = given->type;

        *ret = outer ? *outer : type_unknown;
        if (text && text[0] && !type_parse(v->b->arena, text, strlen(text), ret))
                return build_fail_type(v->b, v->subject, text);
        if (outer && !type_kinds_agree(outer, ret))
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "the element's type '%.100s' contradicts the type around it", text);
        if (given->shape && ret->kind == TYPE_UNKNOWN)
                *ret = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
        if ((given->element || given->elements) && ret->kind != TYPE_SEQUENCE && ret->kind != TYPE_OPTIONAL)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "only a sequence or optional has an element");
        if (given->elements && ret->kind != TYPE_SEQUENCE)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "only a sequence has elements one by one");
        return OX_OK;
}

/* The tensor within sequences and optionals, which are copied on the way; NULL if there is none. */
static struct type *tensor_within(struct builder *b, struct type *type)
{
        while (type->kind == TYPE_SEQUENCE || type->kind == TYPE_OPTIONAL) {
                struct type *of = arena_new_array(b->arena, struct type, 1);

                *of = *type->of;
                type->of = of;
                type = of;
        }
        return type_is_tensor(type) ? type : NULL;
}

/* -- contents -- */

bool build_special(const char *text, double *ret)
{
        *ret = strcmp(text, "NaN") == 0         ? NAN
               : strcmp(text, "Infinity") == 0  ? INFINITY
               : strcmp(text, "-Infinity") == 0 ? -INFINITY
                                                : 0;
        return *ret != 0;
}

static enum ox_code read_element_text(struct building *v, enum elem elem, const char *text, struct scalar *ret)
{
        bool is_float = elem_is_float(elem);
        double special;
        struct dim d;

        if (!text || is_unnamed(text))
                return OX_OK;
        if (is_float && build_special(text, &special)) {
                *ret = scalar_float(special);
                return OX_OK;
        }
        TRY(read_text(v, text, -1, &d));
        *ret = (struct scalar){.kind = is_float ? SCALAR_RATIO : SCALAR_INT, .d = d, .den = 1};
        return OX_OK;
}

static enum ox_code read_element(struct building *v, enum elem elem, const struct ox_element *given, struct scalar *ret)
{
        int64_t lower, upper;

        *ret = scalar_unknown();
        switch (given->kind) {
        case OX_ELEMENT_UNKNOWN:
                return OX_OK;
        case OX_ELEMENT_INT:
                if (elem_is_float(elem))
                        *ret = scalar_float(float_round(elem, (double)given->i));
                else if (elem_int_range(elem, &lower, &upper) && given->i >= lower && given->i <= upper)
                        *ret = scalar_int(dim_int(given->i));
                else
                        return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                          "content must be in the range of %s, got %" PRId64, elem_name((int)elem),
                                          given->i);
                return OX_OK;
        case OX_ELEMENT_FLOAT:
                if (!elem_is_float(elem))
                        return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                          "content must be integers of type %s, got %g", elem_name((int)elem),
                                          given->f);
                *ret = scalar_float(float_round(elem, given->f));
                return OX_OK;
        case OX_ELEMENT_TEXT:
                return read_element_text(v, elem, given->text, ret);
        }
        return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                          "an element has kind %d, which is not one of enum ox_element_kind", (int)given->kind);
}

/* The number of elements that a shape in integers has. */
static bool count_elements(const struct type *type, size_t *ret)
{
        int64_t count = 1;

        if (type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++)
                if (!dim_is_int(type->dim[d]) || !mul_i64(count, type->dim[d].val, &count))
                        return false;
        *ret = (size_t)count;
        return true;
}

static enum ox_code read_content(struct building *v, const struct ox_value *given, struct value *ret,
                                 size_t *ret_dropped)
{
        const struct type *type = &ret->type;
        struct scalar element;
        size_t expected;

        if (type->kind != TYPE_TENSOR || type->elem == ELEM_UNDEFINED)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "only a tensor of known element type has content");
        if (!count_elements(type, &expected))
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "content needs a shape of integers");
        if (expected != given->n_content)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "content has %zu elements, but the shape has %zu", given->n_content, expected);
        if (!elem_is_float(type->elem) && !elem_is_integer(type->elem) && type->elem != ELEM_BOOL)
                return OX_OK; /* texts and complex numbers decide no shape */
        if (given->n_content > (size_t)v->b->limits->content_elements) {
                *ret_dropped = given->n_content;
                return OX_OK;
        }
        struct content *content = content_new(v->b->arena, given->n_content);

        for (size_t i = 0; i < given->n_content; i++) {
                TRY(read_element(v, type->elem, &given->content[i], &element));
                content_set(content, i, element);
        }
        ret->content = content;
        return OX_OK;
}

/* -- values -- */

static struct dim differing_size(void *user, int axis)
{
        struct building *v = user;
        const struct dim_origin origin = {.value = kept_name(v), .axis = axis};

        return dim_fresh_input(v->b->dims, arena_printf(v->b->arena, "%s_%d", v->name, axis), &origin);
}

static enum ox_code read_value(struct building *v, const struct type *outer, const struct ox_value *given,
                               struct value *ret, size_t *ret_dropped);

/* The type of one element; other properties of it have no place in a sequence or optional. */
static enum ox_code read_element_type(struct building *v, const struct type *outer, const struct ox_value *given,
                                      const struct type **ret)
{
        struct type *of = arena_new_array(v->b->arena, struct type, 1);
        struct value element;
        size_t dropped = 0;

        TRY(read_value(v, outer, given, &element, &dropped));
        *of = element.type;
        *ret = of;
        return OX_OK;
}

/* Elements one by one; type.of is their joined type. */
static enum ox_code read_elements(struct building *v, const struct ox_value *given, struct value *ret)
{
        struct elements *elements = elements_new(v->b->arena, given->n_elements);
        struct type *joined = arena_new_array(v->b->arena, struct type, 1);

        for (size_t i = 0; i < given->n_elements; i++) {
                const struct type *type;

                TRY(read_element_type(v, ret->type.of, &given->elements[i], &type));
                *joined = i ? type_join(v->b->arena, v->b->dims, joined, type, differing_size, v) : *type;
                elements_add(v->b->arena, elements, i, type);
        }
        if (given->n_elements)
                ret->type.of = joined;
        value_hold(v->b->arena, ret,
                   &(struct members){.has_length = true,
                                     .length = dim_int((int64_t)given->n_elements),
                                     .elements = given->n_elements ? elements : NULL});
        return OX_OK;
}

static enum ox_code read_length(struct building *v, const struct ox_value *given, struct value *ret)
{
        struct members members = *value_members(ret);
        struct dim length;

        if (ret->type.kind != TYPE_SEQUENCE && ret->type.kind != TYPE_OPTIONAL)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "only a sequence or optional has a length");
        TRY(read_size(v, given->length, -1, &length));
        if (ret->type.kind == TYPE_OPTIONAL && dim_is_int(length) && length.val > 1)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "the length of an optional must be 0 or 1, got %" PRId64, length.val);
        if (given->elements && !dim_same(length, ret->members->length))
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject, "the length contradicts the %zu elements",
                                  given->n_elements);
        members.has_length = true;
        members.length = length;
        value_hold(v->b->arena, ret, &members);
        return OX_OK;
}

/* Each level removes one level of the type around it, so values nest no deeper than types. */
static enum ox_code read_value(struct building *v, const struct type *outer, const struct ox_value *given,
                               struct value *ret, size_t *ret_dropped)
{
        struct type *tensor;

        *ret = (struct value){.type = type_unknown};
        TRY(read_type(v, outer, given, &ret->type));
        if (given->shape) {
                tensor = tensor_within(v->b, &ret->type);
                if (!tensor)
                        return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                          "%s holds no tensor that could have a shape", given->type);
                TRY(read_shape(v, given->shape, tensor));
        }
        if (given->content)
                TRY(read_content(v, given, ret, ret_dropped));
        if (given->element)
                TRY(read_element_type(v, ret->type.of, given->element, &ret->type.of));
        if (given->elements)
                TRY(read_elements(v, given, ret));
        return given->length ? read_length(v, given, ret) : OX_OK;
}

enum ox_code build_value(struct builder *b, struct build_subject subject, const struct ox_value *given,
                         struct value *ret, size_t *ret_dropped)
{
        struct building v = {.b = b, .subject = subject};

        *ret_dropped = 0;
        return read_value(&v, NULL, given, ret, ret_dropped);
}

/* -- types of attributes -- */

static enum ox_code write_type(struct building *v, const struct type *outer, const struct ox_value *given,
                               const struct ox_shape *shape, OnnxType **ret);

static enum ox_code write_shape(struct builder *b, const struct ox_shape *given, OnnxShape **ret)
{
        OnnxShape *shape = arena_new_array(b->arena, OnnxShape, 1);

        shaped__onnx__v1__tensor_shape_proto__init(shape);
        shape->n_dim = given->rank;
        shape->dim = arena_new_array(b->arena, OnnxDim *, given->rank);
        for (size_t d = 0; d < given->rank; d++) {
                OnnxDim *dim = shape->dim[d] = arena_new_array(b->arena, OnnxDim, 1);
                const char *text = given->dims[d].text;

                shaped__onnx__v1__tensor_shape_proto__dimension__init(dim);
                if (text && is_unnamed(text))
                        continue;
                if (text) {
                        TRY(build_check_text(b, "a size", text));
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
                        dim->dim_param = arena_strndup(b->arena, text, strlen(text));
                } else {
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                        dim->dim_value = given->dims[d].value;
                }
        }
        *ret = shape;
        return OX_OK;
}

static enum ox_code write_tensor_type(struct building *v, const struct type *type, const struct ox_shape *shape,
                                      OnnxType *to)
{
        Shaped__Onnx__V1__TypeProto__Tensor *tensor =
                arena_new_array(v->b->arena, Shaped__Onnx__V1__TypeProto__Tensor, 1);

        shaped__onnx__v1__type_proto__tensor__init(tensor);
        tensor->has_elem_type = 1;
        tensor->elem_type = (int32_t)type->elem;
        to->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE;
        to->tensor_type = tensor;
        return shape ? write_shape(v->b, shape, &tensor->shape) : OX_OK;
}

static enum ox_code write_sequence_type(struct building *v, const struct type *type, const struct ox_value *element,
                                        const struct ox_shape *shape, OnnxType *to)
{
        to->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
        to->sequence_type = arena_new_array(v->b->arena, Shaped__Onnx__V1__TypeProto__Sequence, 1);
        shaped__onnx__v1__type_proto__sequence__init(to->sequence_type);
        return write_type(v, type->of, element, shape, &to->sequence_type->elem_type);
}

static enum ox_code write_optional_type(struct building *v, const struct type *type, const struct ox_value *element,
                                        const struct ox_shape *shape, OnnxType *to)
{
        to->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
        to->optional_type = arena_new_array(v->b->arena, Shaped__Onnx__V1__TypeProto__Optional, 1);
        shaped__onnx__v1__type_proto__optional__init(to->optional_type);
        return write_type(v, type->of, element, shape, &to->optional_type->elem_type);
}

/* `shape` is that of the tensor within, from a level above; NULL: none was given there. */
static enum ox_code write_type(struct building *v, const struct type *outer, const struct ox_value *given,
                               const struct ox_shape *shape, OnnxType **ret)
{
        static const struct ox_value nothing;
        struct type type;
        OnnxType *to = arena_new_array(v->b->arena, OnnxType, 1);

        given = given ? given : &nothing;
        TRY(read_type(v, outer, given, &type));
        if (given->content || given->length || given->elements)
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "a type has neither content nor length nor elements one by one");
        shape = given->shape ? given->shape : shape;
        shaped__onnx__v1__type_proto__init(to);
        *ret = to;
        switch (type.kind) {
        case TYPE_TENSOR:
                return write_tensor_type(v, &type, shape, to);
        case TYPE_SEQUENCE:
                return write_sequence_type(v, &type, given->element, shape, to);
        case TYPE_OPTIONAL:
                return write_optional_type(v, &type, given->element, shape, to);
        default:
                return build_fail(v->b, OX_INVALID_ARGUMENT, v->subject,
                                  "the type of an attribute must be a tensor, sequence or optional");
        }
}

enum ox_code build_type(struct builder *b, struct build_subject subject, const struct ox_value *given, OnnxType **ret)
{
        struct building v = {.b = b, .subject = subject};

        return write_type(&v, NULL, given, NULL, ret);
}
