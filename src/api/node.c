/* Nodes, built call by call. */
#include <stdio.h>
#include <string.h>

#include "api/internal.h"
#include "ops/table/registry.h"

/* What one call adds to a node. */
struct addition {
        struct ox_context *context;
        struct ox_node *node;
        const char *name, *domain;
        enum attr_type type; /* of an attribute */
        const void *at;      /* its value, or the values of a list */
        size_t count;
        struct ox_node *ret;
};

/* What happened to the node first stays with it. */
static enum ox_code add(struct addition *addition, enum ox_code (*run)(void *user))
{
        struct ox_node *node = addition->node;

        if (!node)
                return OX_INVALID_ARGUMENT;
        addition->context = node->context;
        TRY(node_fault(node->context, node));
        enum ox_code code = context_run_values(node->context, run, addition);

        if (code != OX_OK) {
                node->failed = code;
                snprintf(node->message, sizeof(node->message), "%s", node->context->error);
        }
        return code;
}

enum ox_code node_fault(struct ox_context *context, const struct ox_node *node)
{
        if (node && node->context == context) {
                context->error = node->failed == OX_OK ? "" : node->message;
                return node->failed;
        }
        context->error = node ? "the node is of another context" : "there is no node";
        return OX_INVALID_ARGUMENT;
}

/* A copy that protobuf-c's structs can have. */
static char *copy(const struct addition *a, const char *text)
{
        return arena_strndup(a->context->arena, text, strlen(text));
}

static enum ox_code run_new(void *user)
{
        struct addition *a = user;
        struct ox_node *node = arena_new_zero(a->context->arena, struct ox_node);

        TRY(context_check_text(a->context, "the operator", a->name));
        TRY(context_check_text(a->context, "the name of a domain", a->domain));
        if (!a->name[0])
                return context_fail(a->context, OX_INVALID_ARGUMENT, "a node needs an operator");
        node->context = a->context;
        shaped__onnx__v1__node_proto__init(&node->proto);
        node->proto.op_type = copy(a, a->name);
        node->proto.domain = copy(a, a->domain);
        node->proto.name = copy(a, "");
        a->ret = node;
        return OX_OK;
}

enum ox_code ox_node_new(struct ox_context *context, const char *domain, const char *op_type, struct ox_node **ret)
{
        struct addition a = {.context = context, .name = op_type, .domain = domain};
        enum ox_code code = context_run_values(context, run_new, &a);

        *ret = a.ret;
        return code;
}

static enum ox_code run_name(void *user)
{
        struct addition *a = user;

        TRY(context_check_text(a->context, "the name of a node", a->name));
        a->node->proto.name = copy(a, a->name);
        return OX_OK;
}

enum ox_code ox_node_name(struct ox_node *node, const char *name)
{
        struct addition a = {.node = node, .name = name};

        return add(&a, run_name);
}

/* One more name at the end of a list. */
static enum ox_code append(struct addition *a, char ***list, size_t *count)
{
        TRY(context_check_text(a->context, "the name of a value", a->name));
        if ((*count & (*count - 1)) == 0) /* the list has room for a power of two */
                *list = arena_grow(a->context->arena, *list, *count * sizeof(**list),
                                   (*count ? 2 * *count : 1) * sizeof(**list));
        (*list)[*count] = copy(a, a->name);
        (*count)++;
        return OX_OK;
}

static enum ox_code run_input(void *user)
{
        struct addition *a = user;

        return append(a, &a->node->proto.input, &a->node->proto.n_input);
}

static enum ox_code run_output(void *user)
{
        struct addition *a = user;

        return append(a, &a->node->proto.output, &a->node->proto.n_output);
}

enum ox_code ox_node_input(struct ox_node *node, const char *name)
{
        struct addition a = {.node = node, .name = name};

        return add(&a, run_input);
}

enum ox_code ox_node_output(struct ox_node *node, const char *name)
{
        struct addition a = {.node = node, .name = name};

        return add(&a, run_output);
}

/* -- attributes -- */

/* The elements of a value of integer sizes, every one of them a number. */
static enum ox_code read_numbers(struct addition *a, const struct value *value, OnnxTensor *t)
{
        struct arena *arena = a->context->arena;
        const struct content *content = content_read(value->content);
        enum elem elem = value->type.elem;

        switch (elem) {
        case ELEM_FLOAT:
                t->float_data = arena_new_array(arena, float, content->count);
                t->n_float_data = content->count;
                break;
        case ELEM_DOUBLE:
                t->double_data = arena_new_array(arena, double, content->count);
                t->n_double_data = content->count;
                break;
        case ELEM_INT64:
                t->int64_data = arena_new_array(arena, int64_t, content->count);
                t->n_int64_data = content->count;
                break;
        case ELEM_UINT32:
        case ELEM_UINT64:
                t->uint64_data = arena_new_array(arena, uint64_t, content->count);
                t->n_uint64_data = content->count;
                break;
        case ELEM_BOOL:
        case ELEM_INT8:
        case ELEM_INT16:
        case ELEM_INT32:
        case ELEM_UINT8:
        case ELEM_UINT16:
                t->int32_data = arena_new_array(arena, int32_t, content->count);
                t->n_int32_data = content->count;
                break;
        default: /* of other types the elements are taken for unknown */
                t->has_data_dropped = 1;
                t->data_dropped = 1;
                return OX_OK;
        }
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar *s = &content->at[i];
                int64_t number = 0;

                if (s->kind != SCALAR_FLOAT && !scalar_is_number(*s, &number))
                        return context_fail(a->context, OX_INVALID_ARGUMENT,
                                            "attribute %.100s: element %zu is no number", a->name, i);
                if (elem == ELEM_FLOAT)
                        t->float_data[i] = (float)s->f;
                else if (elem == ELEM_DOUBLE)
                        t->double_data[i] = s->f;
                else if (elem == ELEM_INT64)
                        t->int64_data[i] = number;
                else if (elem == ELEM_UINT32 || elem == ELEM_UINT64)
                        t->uint64_data[i] = (uint64_t)number;
                else
                        t->int32_data[i] = (int32_t)number;
        }
        return OX_OK;
}

static enum ox_code read_tensor(struct addition *a, OnnxTensor **ret)
{
        struct arena *arena = a->context->arena;
        OnnxTensor *t = arena_new_array(arena, OnnxTensor, 1);
        struct value value;

        TRY(value_import(a->context, a->name, a->at, &value));
        if (value.type.kind != TYPE_TENSOR || value.type.elem == ELEM_UNDEFINED || value.type.rank == RANK_UNKNOWN)
                return context_fail(a->context, OX_INVALID_ARGUMENT,
                                    "attribute %.100s is no tensor of known type and shape", a->name);
        shaped__onnx__v1__tensor_proto__init(t);
        t->has_data_type = 1;
        t->data_type = (int32_t)value.type.elem;
        t->n_dims = (size_t)value.type.rank;
        t->dims = arena_new_array(arena, int64_t, t->n_dims);
        for (size_t d = 0; d < t->n_dims; d++) {
                if (!dim_is_int(value.type.dim[d]))
                        return context_fail(a->context, OX_INVALID_ARGUMENT, "attribute %.100s: axis %zu is no integer",
                                            a->name, d);
                t->dims[d] = value.type.dim[d].val;
        }
        *ret = t;
        if (value.content)
                return read_numbers(a, &value, t);
        t->has_data_dropped = 1;
        t->data_dropped = 1;
        return OX_OK;
}

static ProtobufCBinaryData copy_bytes(const struct addition *a, const char *text)
{
        return (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)copy(a, text)};
}

static void *copy_list(const struct addition *a, size_t size)
{
        void *list = arena_array(a->context->arena, a->count, size);

        if (a->count)
                memcpy(list, a->at, a->count * size);
        return list;
}

static enum ox_code fill(struct addition *a, OnnxAttribute *to)
{
        const char *const *texts = a->at;

        switch (a->type) {
        case ATTR_INT:
                to->has_i = 1;
                memcpy(&to->i, a->at, sizeof(to->i));
                return OX_OK;
        case ATTR_FLOAT:
                to->has_f = 1;
                memcpy(&to->f, a->at, sizeof(to->f));
                return OX_OK;
        case ATTR_STRING:
                to->has_s = 1;
                to->s = copy_bytes(a, a->at);
                return OX_OK;
        case ATTR_INTS:
                to->n_ints = a->count;
                to->ints = copy_list(a, sizeof(*to->ints));
                return OX_OK;
        case ATTR_FLOATS:
                to->n_floats = a->count;
                to->floats = copy_list(a, sizeof(*to->floats));
                return OX_OK;
        case ATTR_STRINGS:
                to->n_strings = a->count;
                to->strings = arena_new_array(a->context->arena, ProtobufCBinaryData, a->count);
                for (size_t i = 0; i < a->count; i++)
                        to->strings[i] = copy_bytes(a, texts[i]);
                return OX_OK;
        default:
                return read_tensor(a, &to->t);
        }
}

static OnnxAttribute *attribute_slot(struct addition *a)
{
        OnnxNode *node = &a->node->proto;
        size_t at = 0;

        while (at < node->n_attribute && strcmp(node->attribute[at]->name, a->name) != 0)
                at++;
        if (at < node->n_attribute)
                return node->attribute[at];
        node->attribute = arena_grow(a->context->arena, node->attribute, at * sizeof(*node->attribute),
                                     (at + 1) * sizeof(*node->attribute));
        node->attribute[at] = arena_new_array(a->context->arena, OnnxAttribute, 1);
        node->n_attribute++;
        return node->attribute[at];
}

static enum ox_code run_attribute(void *user)
{
        struct addition *a = user;
        OnnxAttribute attribute;

        TRY(context_check_text(a->context, "the name of an attribute", a->name));
        shaped__onnx__v1__attribute_proto__init(&attribute);
        attribute.name = copy(a, a->name);
        attribute.has_type = 1;
        attribute.type = (int32_t)a->type;
        TRY(fill(a, &attribute));
        *attribute_slot(a) = attribute;
        return OX_OK;
}

static enum ox_code add_attribute(struct ox_node *node, const char *name, enum attr_type type, const void *at,
                                  size_t count)
{
        struct addition a = {.node = node, .name = name, .type = type, .at = at, .count = count};

        return add(&a, run_attribute);
}

enum ox_code ox_node_int(struct ox_node *node, const char *name, int64_t value)
{
        return add_attribute(node, name, ATTR_INT, &value, 1);
}

enum ox_code ox_node_float(struct ox_node *node, const char *name, float value)
{
        return add_attribute(node, name, ATTR_FLOAT, &value, 1);
}

enum ox_code ox_node_string(struct ox_node *node, const char *name, const char *value)
{
        return add_attribute(node, name, ATTR_STRING, value, 1);
}

enum ox_code ox_node_ints(struct ox_node *node, const char *name, const int64_t *values, size_t count)
{
        return add_attribute(node, name, ATTR_INTS, values, count);
}

enum ox_code ox_node_floats(struct ox_node *node, const char *name, const float *values, size_t count)
{
        return add_attribute(node, name, ATTR_FLOATS, values, count);
}

enum ox_code ox_node_strings(struct ox_node *node, const char *name, const char *const *values, size_t count)
{
        return add_attribute(node, name, ATTR_STRINGS, values, count);
}

enum ox_code ox_node_tensor(struct ox_node *node, const char *name, const struct ox_value *value)
{
        return add_attribute(node, name, ATTR_TENSOR, value, 1);
}
