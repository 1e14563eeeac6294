#include "build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/node/tensor.h"
#include "ops/table/registry.h"

struct builder {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const char *input; /* the name of the one that is being built */
        const char *error;
};

static bool fail(struct builder *b, const char *what, const char *text)
{
        if (b->error == NULL)
                b->error = arena_printf(b->arena, "%s: %s", what, text);
        return false;
}

static bool is_integer(const char *text)
{
        return *text != '\0' && text[strspn(text, "+-0123456789")] == '\0';
}

static bool build_dim(struct builder *b, const char *text, int axis, struct dim *ret)
{
        struct dim_origin origin = {.value = b->input, .axis = axis};

        /* INT64_MIN is an integer, but as an expression it would be a minus before one that is too large. */
        if (is_integer(text)) {
                *ret = dim_int(strtoll(text, NULL, 10));
                return true;
        }
        return dim_parse(b->dims, text, strlen(text), NULL, NULL, &origin, true, ret) || fail(b, "no dimension", text);
}

static bool build_elem(struct builder *b, const char *text, enum elem *ret)
{
        *ret = ELEM_UNDEFINED;
        return strcmp(text, "?") == 0 || elem_by_name(text, strlen(text), ret) || fail(b, "no element type", text);
}

static bool build_scalar(struct builder *b, enum elem elem, const char *text, struct scalar *ret)
{
        char *end;
        double number;

        if (strcmp(text, "?") == 0) {
                *ret = scalar_unknown();
                return true;
        }
        if (elem_is_float(elem)) {
                number = strtod(text, &end);
                *ret = scalar_float(float_round(elem, number));
                return *end == '\0' || fail(b, "no number", text);
        }
        ret->kind = SCALAR_INT;
        ret->den = 1;
        return build_dim(b, text, -1, &ret->d);
}

static bool build_content(struct builder *b, const struct case_value *from, enum elem elem, struct value *ret)
{
        struct scalar *at;

        ret->content = content_new(b->arena, from->n_content, &at);
        for (size_t i = 0; i < from->n_content; i++) {
                at[i] = (struct scalar){.kind = SCALAR_UNKNOWN};
                if (!build_scalar(b, elem, from->content[i], &at[i]))
                        return false;
        }
        return true;
}

static bool build_value(struct builder *b, const struct case_value *from, struct value *ret);

static bool build_shape(struct builder *b, const struct case_value *from, struct type *ret)
{
        struct dim *dims;

        ret->rank = from->rank < 0 ? RANK_UNKNOWN : from->rank;
        if (from->rank <= 0)
                return true;
        dims = arena_new_array(b->arena, struct dim, (size_t)from->rank);
        for (int i = 0; i < from->rank; i++)
                if (!build_dim(b, from->dim[i], i, &dims[i]))
                        return false;
        ret->dim = dims;
        return true;
}

static struct dim no_symbol(void *user, int axis)
{
        struct builder *b = user;

        return dim_fresh(b->dims, "each", &(struct dim_origin){.axis = axis});
}

static bool build_sequence(struct builder *b, const struct case_value *from, struct value *ret)
{
        const struct type **elements = arena_new_array(b->arena, const struct type *, from->n_each);
        struct type *of = arena_new_zero(b->arena, struct type);
        struct value each;

        for (size_t i = 0; i < from->n_each; i++) {
                struct type *type = arena_new_zero(b->arena, struct type);

                if (!build_value(b, &from->each[i], &each))
                        return false;
                *type = each.type;
                *of = i == 0 ? *type : type_join(b->arena, b->dims, of, type, no_symbol, b);
                elements[i] = type;
        }
        if (from->each == NULL) {
                if (!build_value(b, from->of, &each))
                        return false;
                *of = each.type;
        } else {
                ret->elements = elements;
        }
        ret->type = type_sequence(of);
        ret->has_length = from->length != NULL;
        return !ret->has_length || build_dim(b, from->length, -1, &ret->length);
}

static bool build_value(struct builder *b, const struct case_value *from, struct value *ret)
{
        struct type *of = arena_new_zero(b->arena, struct type);
        struct value inner;

        *ret = (struct value){.type = type_unknown};
        if (from->kind == CASE_SEQUENCE)
                return build_sequence(b, from, ret);
        if (from->kind == CASE_TENSOR || from->kind == CASE_SPARSE) {
                ret->type.kind = from->kind == CASE_TENSOR ? TYPE_TENSOR : TYPE_SPARSE_TENSOR;
                if (!build_elem(b, from->elem, &ret->type.elem) || !build_shape(b, from, &ret->type))
                        return false;
                return !from->has_content || build_content(b, from, ret->type.elem, ret);
        }
        if (from->kind != CASE_OPTIONAL && from->kind != CASE_MAP)
                return true;
        if (!build_value(b, from->of, &inner))
                return false;
        *of = inner.type;
        ret->type.kind = from->kind == CASE_OPTIONAL ? TYPE_OPTIONAL : TYPE_MAP;
        ret->type.of = of;
        ret->has_length = from->length != NULL;
        if (ret->has_length)
                return build_dim(b, from->length, -1, &ret->length);
        return from->kind == CASE_OPTIONAL || build_elem(b, from->elem, &ret->type.elem);
}

/* -- attributes -- */

static ProtobufCBinaryData bytes_of(const char *text)
{
        return (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)(uintptr_t)text};
}

static bool is_number(const char *text)
{
        char *end;

        strtod(text, &end);
        return *text != '\0' && *end == '\0';
}

/* The schema knows the type of an attribute; one that is not in it is of the type that it looks like. */
static enum attr_type guess_type(const struct case_attr *attr)
{
        const char *first = attr->is_list ? (attr->n_item > 0 ? attr->item[0] : "0") : attr->text;
        bool quoted = attr->quoted || attr->items_quoted;

        if (attr->value != NULL)
                return attr->value->has_content ? ATTR_TENSOR : ATTR_TYPE_PROTO;
        if (!quoted && is_integer(first))
                return attr->is_list ? ATTR_INTS : ATTR_INT;
        if (!quoted && is_number(first))
                return attr->is_list ? ATTR_FLOATS : ATTR_FLOAT;
        return attr->is_list ? ATTR_STRINGS : ATTR_STRING;
}

/* A schema's type holds only where the row writes something of that kind, so that rows can get the type wrong too. */
static enum attr_type type_of_attr(const struct case_attr *attr, const struct op_row *op)
{
        const struct op_attr *known = op == NULL ? NULL : op_find_attr(op, attr->name);
        enum attr_type guessed = guess_type(attr);

        if (known == NULL)
                return guessed;
        if (attr->is_list && attr->n_item == 0 &&
            (known->type == ATTR_FLOATS || known->type == ATTR_INTS || known->type == ATTR_STRINGS))
                return known->type;
        if (guessed == ATTR_INT && known->type == ATTR_FLOAT)
                return ATTR_FLOAT;
        if (guessed == ATTR_INTS && known->type == ATTR_FLOATS)
                return ATTR_FLOATS;
        return guessed;
}

static void build_tensor_data(struct builder *b, const struct case_value *from, enum elem elem, OnnxTensor *t)
{
        size_t n = from->n_content;

        if (elem == ELEM_FLOAT) {
                t->n_float_data = n;
                t->float_data = arena_new_array(b->arena, float, n);
        } else if (elem == ELEM_DOUBLE) {
                t->n_double_data = n;
                t->double_data = arena_new_array(b->arena, double, n);
        } else if (elem == ELEM_INT64) {
                t->n_int64_data = n;
                t->int64_data = arena_new_array(b->arena, int64_t, n);
        } else if (elem == ELEM_STRING) {
                t->n_string_data = n;
                t->string_data = arena_new_array(b->arena, ProtobufCBinaryData, n);
        } else {
                t->n_int32_data = n;
                t->int32_data = arena_new_array(b->arena, int32_t, n);
        }
        for (size_t i = 0; i < n; i++) {
                const char *text = from->content[i];

                if (elem == ELEM_FLOAT)
                        t->float_data[i] = strtof(text, NULL);
                else if (elem == ELEM_DOUBLE)
                        t->double_data[i] = strtod(text, NULL);
                else if (elem == ELEM_INT64)
                        t->int64_data[i] = strtoll(text, NULL, 10);
                else if (elem == ELEM_STRING)
                        t->string_data[i] = bytes_of(text);
                else
                        t->int32_data[i] = (int32_t)strtol(text, NULL, 10);
        }
}

static bool build_tensor(struct builder *b, const struct case_value *from, OnnxTensor **ret)
{
        OnnxTensor *t = arena_new_array(b->arena, OnnxTensor, 1);
        enum elem elem;

        shaped__onnx__v1__tensor_proto__init(t);
        if (!build_elem(b, from->elem, &elem))
                return false;
        t->has_data_type = 1;
        t->data_type = (int32_t)elem;
        t->n_dims = (size_t)(from->rank < 0 ? 0 : from->rank);
        t->dims = arena_new_array(b->arena, int64_t, t->n_dims);
        for (size_t i = 0; i < t->n_dims; i++)
                t->dims[i] = strtoll(from->dim[i], NULL, 10);
        build_tensor_data(b, from, elem, t);
        *ret = t;
        return true;
}

static bool build_type(struct builder *b, const struct case_value *from, OnnxType *t);

/* The shape that an attribute's type has; NULL: none. */
static OnnxShape *build_type_shape(struct builder *b, const struct case_value *from)
{
        OnnxShape *shape = arena_new_array(b->arena, OnnxShape, 1);

        if (from->rank < 0)
                return NULL;
        shaped__onnx__v1__tensor_shape_proto__init(shape);
        shape->n_dim = (size_t)from->rank;
        shape->dim = arena_new_array(b->arena, OnnxDim *, shape->n_dim);
        for (size_t i = 0; i < shape->n_dim; i++) {
                OnnxDim *dim = shape->dim[i] = arena_new_array(b->arena, OnnxDim, 1);

                shaped__onnx__v1__tensor_shape_proto__dimension__init(dim);
                if (is_integer(from->dim[i])) {
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                        dim->dim_value = strtoll(from->dim[i], NULL, 10);
                } else {
                        dim->value_case = SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
                        dim->dim_param = arena_strndup(b->arena, from->dim[i], strlen(from->dim[i]));
                }
        }
        return shape;
}

static OnnxType *build_inner_type(struct builder *b, const struct case_value *from)
{
        OnnxType *t = arena_new_array(b->arena, OnnxType, 1);

        return build_type(b, from, t) ? t : NULL;
}

static bool build_type(struct builder *b, const struct case_value *from, OnnxType *t)
{
        enum elem elem = ELEM_UNDEFINED;

        shaped__onnx__v1__type_proto__init(t);
        if (from->elem != NULL && !build_elem(b, from->elem, &elem))
                return false;
        if (from->kind == CASE_TENSOR) {
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE;
                t->tensor_type = arena_new_array(b->arena, Shaped__Onnx__V1__TypeProto__Tensor, 1);
                shaped__onnx__v1__type_proto__tensor__init(t->tensor_type);
                t->tensor_type->has_elem_type = 1;
                t->tensor_type->elem_type = (int32_t)elem;
                t->tensor_type->shape = build_type_shape(b, from);
                return true;
        }
        if (from->kind == CASE_SEQUENCE) {
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
                t->sequence_type = arena_new_array(b->arena, Shaped__Onnx__V1__TypeProto__Sequence, 1);
                shaped__onnx__v1__type_proto__sequence__init(t->sequence_type);
                t->sequence_type->elem_type = build_inner_type(b, from->of);
                return t->sequence_type->elem_type != NULL;
        }
        if (from->kind == CASE_OPTIONAL) {
                t->value_case = SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
                t->optional_type = arena_new_array(b->arena, Shaped__Onnx__V1__TypeProto__Optional, 1);
                shaped__onnx__v1__type_proto__optional__init(t->optional_type);
                t->optional_type->elem_type = build_inner_type(b, from->of);
                return t->optional_type->elem_type != NULL;
        }
        return fail(b, "no type of an attribute", "map, sparse or unknown");
}

static void build_list(struct builder *b, const struct case_attr *from, OnnxAttribute *a)
{
        size_t n = from->n_item;

        if (a->type == ATTR_INTS) {
                a->n_ints = n;
                a->ints = arena_new_array(b->arena, int64_t, n);
        } else if (a->type == ATTR_FLOATS) {
                a->n_floats = n;
                a->floats = arena_new_array(b->arena, float, n);
        } else {
                a->n_strings = n;
                a->strings = arena_new_array(b->arena, ProtobufCBinaryData, n);
        }
        for (size_t i = 0; i < n; i++) {
                if (a->type == ATTR_INTS)
                        a->ints[i] = strtoll(from->item[i], NULL, 10);
                else if (a->type == ATTR_FLOATS)
                        a->floats[i] = strtof(from->item[i], NULL);
                else
                        a->strings[i] = bytes_of(from->item[i]);
        }
}

static bool build_attr(struct builder *b, const struct case_attr *from, const struct op_row *op, OnnxAttribute *a)
{
        shaped__onnx__v1__attribute_proto__init(a);
        a->name = arena_strndup(b->arena, from->name, strlen(from->name));
        a->has_type = 1;
        a->type = (int32_t)type_of_attr(from, op);
        switch ((enum attr_type)a->type) {
        case ATTR_INT:
                a->has_i = 1;
                a->i = strtoll(from->text, NULL, 10);
                return true;
        case ATTR_FLOAT:
                a->has_f = 1;
                a->f = strtof(from->text, NULL);
                return true;
        case ATTR_STRING:
                a->has_s = 1;
                a->s = bytes_of(from->text);
                return true;
        case ATTR_TENSOR:
                return build_tensor(b, from->value, &a->t);
        case ATTR_TYPE_PROTO:
                a->tp = build_inner_type(b, from->value);
                return a->tp != NULL;
        default:
                build_list(b, from, a);
                return true;
        }
}

static void build_names(struct builder *b, const struct case_value *from, size_t count, char letter, char ***ret)
{
        char **names = arena_new_array(b->arena, char *, count);

        for (size_t i = 0; i < count; i++)
                names[i] = from != NULL && from[i].kind == CASE_LEFT_OUT ? arena_strndup(b->arena, "", 0)
                                                                         : arena_printf(b->arena, "%c%zu", letter, i);
        *ret = names;
}

static bool build_node(struct builder *b, const struct case_row *row, const char *op, int opset, OnnxNode *node)
{
        const struct op_row *schema = op_find(row->domain, op, opset, NULL);

        shaped__onnx__v1__node_proto__init(node);
        node->name = arena_printf(b->arena, "n");
        node->op_type = arena_strndup(b->arena, op, strlen(op));
        node->domain = arena_strndup(b->arena, row->domain, strlen(row->domain));
        node->n_input = row->n_in;
        build_names(b, row->in, row->n_in, 'x', &node->input);
        node->n_output = row->no_outputs ? 0 : row->n_out > 0 ? row->n_out : 1;
        build_names(b, row->n_out > 0 ? row->out : NULL, node->n_output, 'y', &node->output);
        node->n_attribute = row->n_attr;
        node->attribute = arena_new_array(b->arena, OnnxAttribute *, row->n_attr);
        for (size_t i = 0; i < row->n_attr; i++) {
                node->attribute[i] = arena_new_array(b->arena, OnnxAttribute, 1);
                if (!build_attr(b, &row->attr[i], schema, node->attribute[i]))
                        return false;
        }
        return true;
}

bool case_build(struct ox_context *context, const struct case_row *row, const char *op, int opset,
                struct infer_node_request *request, const char **ret_error)
{
        struct builder b = {.arena = ox_context_arena(context), .strings = request->strings, .dims = request->dims};
        OnnxNode *node = arena_new_array(b.arena, OnnxNode, 1);
        struct result_opset *import = arena_new_array(b.arena, struct result_opset, 1);
        struct infer_input *inputs = arena_new_array(b.arena, struct infer_input, row->n_in);
        size_t count = 0;

        if (!build_node(&b, row, op, opset, node)) {
                *ret_error = b.error;
                return false;
        }
        for (size_t i = 0; i < row->n_in; i++) {
                if (row->in[i].kind == CASE_LEFT_OUT || row->in[i].kind == CASE_ABSENT)
                        continue;
                b.input = inputs[count].name = node->input[i];
                if (!build_value(&b, &row->in[i], &inputs[count++].value)) {
                        *ret_error = b.error;
                        return false;
                }
        }
        *import = (struct result_opset){.domain = row->domain, .version = opset};
        request->node = node;
        request->opset = import;
        request->n_opset = 1;
        request->input = inputs;
        request->n_input = count;
        return true;
}
