#include "rpc/node_proto.h"

#include <string.h>

/* -- types -- */

static enum ox_code fail_elem(struct builder *b, struct build_subject subject, int elem)
{
        return build_fail(b, OX_INVALID_ARGUMENT, subject, "elem_type must be a number of TensorProto.DataType, got %d",
                          elem);
}

static void take_shape(struct builder *b, const OnnxShape *given, struct ox_value *ret)
{
        struct ox_shape *shape = arena_new_array(b->arena, struct ox_shape, 1);
        struct ox_dim *dims = arena_new_array(b->arena, struct ox_dim, given->n_dim);

        for (size_t d = 0; d < given->n_dim; d++) {
                const OnnxDim *dim = given->dim[d];

                if (dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
                        dims[d] = (struct ox_dim){.value = dim->dim_value};
                else if (dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
                        dims[d] = (struct ox_dim){.text = dim->dim_param};
                else
                        dims[d] = (struct ox_dim){.text = ""};
        }
        *shape = (struct ox_shape){.rank = given->n_dim, .dims = dims};
        ret->shape = shape;
}

/* "tensor(float)" of "tensor" and "float". */
static const char *text_of_type(struct builder *b, const char *kind, const char *of)
{
        size_t kind_length = strlen(kind), of_length = strlen(of);
        char *text = arena_alloc(b->arena, kind_length + of_length + sizeof("()"));

        memcpy(text, kind, kind_length);
        text[kind_length] = '(';
        memcpy(text + kind_length + 1, of, of_length);
        memcpy(text + kind_length + 1 + of_length, ")", sizeof(")"));
        return text;
}

/* A tensor, sparse or not. Without an element type its shape alone is known. */
static enum ox_code take_tensor(struct builder *b, struct build_subject subject, const char *kind, int elem,
                                const OnnxShape *shape, struct ox_value *ret)
{
        if (elem && !elem_name(elem))
                return fail_elem(b, subject, elem);
        if (elem)
                ret->type = text_of_type(b, kind, elem_name(elem));
        if (shape)
                take_shape(b, shape, ret);
        return OX_OK;
}

static enum ox_code take_type(struct builder *b, struct build_subject subject, const OnnxType *given, int depth,
                              struct ox_value *ret);

/* A sequence or optional. Types are written from inside out, so a type with an unknown innermost type is unknown. */
static enum ox_code take_around(struct builder *b, struct build_subject subject, const char *kind, const OnnxType *of,
                                int depth, struct ox_value *ret)
{
        struct ox_value *element = arena_new_zero(b->arena, struct ox_value);

        if (depth == TYPE_DEPTH)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "the type nests deeper than %d levels", TYPE_DEPTH);
        element->type = "";
        if (of)
                TRY(take_type(b, subject, of, depth + 1, element));
        if (!element->type[0])
                return OX_OK;
        ret->type = text_of_type(b, kind, element->type);
        ret->element = element;
        return OX_OK;
}

static enum ox_code take_map(struct builder *b, struct build_subject subject, int key, const OnnxType *of, int depth,
                             struct ox_value *ret)
{
        struct ox_value value = {.type = ""};

        if (depth == TYPE_DEPTH)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "the type nests deeper than %d levels", TYPE_DEPTH);
        if (key && !elem_name(key))
                return fail_elem(b, subject, key);
        if (of)
                TRY(take_type(b, subject, of, depth + 1, &value));
        if (key && value.type[0])
                ret->type = arena_printf(b->arena, "map(%s,%s)", elem_name(key), value.type);
        return OX_OK;
}

static enum ox_code take_type(struct builder *b, struct build_subject subject, const OnnxType *given, int depth,
                              struct ox_value *ret)
{
        switch (given->value_case) {
        case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE:
                return take_tensor(b, subject, "tensor", given->tensor_type->elem_type, given->tensor_type->shape, ret);
        case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
                return take_tensor(b, subject, "sparse_tensor", given->sparse_tensor_type->elem_type,
                                   given->sparse_tensor_type->shape, ret);
        case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
                return take_around(b, subject, "seq", given->sequence_type->elem_type, depth, ret);
        case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
                return take_around(b, subject, "optional", given->optional_type->elem_type, depth, ret);
        case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_MAP_TYPE:
                return take_map(b, subject, given->map_type->key_type, given->map_type->value_type, depth, ret);
        default:
                return OX_OK;
        }
}

/* -- inputs -- */

/* The position of each name among the inputs plus 1, by its handle; 0: none. */
struct places {
        uint32_t *at;
        struct infer_input *inputs;
        size_t count;
};

static enum ox_code place_inputs(struct builder *b, const Shaped__V1__InferNodeRequest *given, struct places *places)
{
        for (size_t i = 0; i < given->n_inputs; i++)
                str_intern_z(b->strings, text_or_empty(given->inputs[i]->name));
        for (size_t i = 0; i < given->n_contents; i++)
                str_intern_z(b->strings, text_or_empty(given->contents[i]->name));
        places->at = arena_zalloc(b->arena, str_count(b->strings) * sizeof(*places->at));
        places->inputs = arena_new_array(b->arena, struct infer_input, given->n_inputs + given->n_contents);
        for (size_t i = 0; i < given->n_inputs; i++) {
                const char *name = text_or_empty(given->inputs[i]->name);
                uint32_t *at = &places->at[str_intern_z(b->strings, name)];

                if (!name[0])
                        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"inputs", ""},
                                          "an input has an empty name");
                if (*at)
                        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"inputs", ""},
                                          "'%.60s' is given twice", name);
                TRY(build_check_text(b, "the name of an input", name));
                *at = (uint32_t)++places->count;
                places->inputs[i] = (struct infer_input){.name = name};
        }
        return OX_OK;
}

/* A name that is a dimension by itself in one input is a symbol in all, so all inputs are read before the first is
   built. */
static enum ox_code take_inputs(struct builder *b, const Shaped__V1__InferNodeRequest *given, struct places *places)
{
        struct ox_value *values = arena_new_array(b->arena, struct ox_value, given->n_inputs);
        struct infer_input *inputs;

        TRY(place_inputs(b, given, places));
        inputs = places->inputs;
        for (size_t i = 0; i < given->n_inputs; i++) {
                const struct build_subject subject = {"input", inputs[i].name};

                values[i] = (struct ox_value){.type = ""};
                if (given->inputs[i]->type)
                        TRY(take_type(b, subject, given->inputs[i]->type, 0, &values[i]));
                build_names(b, &values[i]);
        }
        for (size_t i = 0; i < given->n_inputs; i++)
                TRY(build_value(b, (struct build_subject){"input", inputs[i].name}, &values[i], &inputs[i].value,
                                &inputs[i].dropped));
        return OX_OK;
}

/* A tensor of the request gives an input its contents, even if `inputs` lacks the type. */
static enum ox_code take_contents(struct builder *b, const Shaped__V1__InferNodeRequest *given, struct places *places)
{
        for (size_t i = 0; i < given->n_contents; i++) {
                const char *name = text_or_empty(given->contents[i]->name);
                str_id id = str_intern_z(b->strings, name); /* as place_inputs() had it */
                struct infer_input *input;

                TRY(build_check_text(b, "the name of an input", name));
                if (!name[0])
                        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"contents", ""},
                                          "a tensor must have the name of an input");
                if (!places->at[id]) {
                        places->inputs[places->count] =
                                (struct infer_input){.name = name, .value = {.type = type_unknown}};
                        places->at[id] = (uint32_t)++places->count;
                }
                input = &places->inputs[places->at[id] - 1];
                TRY(build_given_tensor(b, (struct build_subject){"contents of input", name}, given->contents[i],
                                       &input->value, &input->dropped));
        }
        return OX_OK;
}

/* -- the node -- */

#define ATTRIBUTES_MOST 256 /* each is held against all others; no operator has as many */

static enum ox_code take_attributes(struct builder *b, const OnnxNode *given, OnnxNode *ret)
{
        const struct build_subject subject = {"node.attribute", ""};

        if (given->n_attribute > ATTRIBUTES_MOST)
                return build_fail(b, OX_RESOURCE_EXHAUSTED, subject, "%zu are more than %d", given->n_attribute,
                                  ATTRIBUTES_MOST);
        for (size_t i = 0; i < given->n_attribute; i++) {
                OnnxAttribute *attribute = given->attribute[i];

                if (!attribute->name || !attribute->name[0])
                        return build_fail(b, OX_INVALID_ARGUMENT, subject, "an attribute has no name");
                for (size_t before = 0; before < i; before++)
                        if (strcmp(given->attribute[before]->name, attribute->name) == 0)
                                return build_fail(b, OX_INVALID_ARGUMENT, subject, "'%.60s' is given twice",
                                                  attribute->name);
                TRY(build_attribute(b, ret, attribute));
        }
        return OX_OK;
}

static enum ox_code take_node(struct builder *b, const OnnxNode *given, OnnxNode *ret)
{
        TRY(build_node(b, text_or_empty(given->domain), text_or_empty(given->op_type), text_or_empty(given->name),
                       ret));
        for (size_t i = 0; i < given->n_input; i++)
                TRY(build_node_input(b, ret, given->input[i]));
        for (size_t i = 0; i < given->n_output; i++)
                TRY(build_node_output(b, ret, given->output[i]));
        return take_attributes(b, given, ret);
}

#define IMPORTS_MOST 256 /* each is held against all others */

static enum ox_code take_opsets(struct builder *b, const Shaped__V1__InferNodeRequest *given,
                                struct infer_node_request *request)
{
        struct result_opset *list = arena_new_array(b->arena, struct result_opset, given->n_opset_imports);

        if (given->n_opset_imports > IMPORTS_MOST)
                return build_fail(b, OX_RESOURCE_EXHAUSTED, (struct build_subject){"opset_imports", ""},
                                  "%zu are more than %d", given->n_opset_imports, IMPORTS_MOST);
        request->opset = list;
        for (; request->n_opset < given->n_opset_imports; request->n_opset++) {
                const OnnxOpsetId *import = given->opset_imports[request->n_opset];
                struct result_opset *opset = &list[request->n_opset];

                TRY(build_opset(b, text_or_empty(import->domain), import->version, opset));
                for (size_t i = 0; i < request->n_opset; i++)
                        if (strcmp(list[i].domain, opset->domain) == 0)
                                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"opset_imports", ""},
                                                  "domain '%.60s' is given twice", opset->domain);
        }
        return OX_OK;
}

static enum ox_code take_request(struct builder *b, const Shaped__V1__InferNodeRequest *given,
                                 struct infer_node_request *request)
{
        OnnxNode *node = arena_new_array(b->arena, OnnxNode, 1);
        struct places places = {.count = 0};

        if (!given->node)
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"the request", ""}, "node is missing");
        TRY(take_node(b, given->node, node));
        request->node = node;
        TRY(take_opsets(b, given, request));
        TRY(take_inputs(b, given, &places));
        TRY(take_contents(b, given, &places));
        request->input = places.inputs;
        request->n_input = places.count;
        return build_check_request(b, request);
}

enum ox_code node_proto_read(void *user)
{
        struct node_proto *n = user;
        struct builder b;

        builder_init(&b, ox_context_arena(n->context), n->request.strings, n->request.dims,
                     ox_context_limits(n->context));
        enum ox_code code = take_request(&b, n->given, &n->request);

        n->error = b.error;
        return code;
}
