/* Nodes, built call by call. */
#include <stdio.h>
#include <string.h>

#include "api/internal.h"

/* The parameters of a call that adds to a node. */
struct addition {
        struct ox_context *context;
        struct ox_node *node;
        const char *name, *domain;
        enum attr_type type; /* of an attribute */
        const void *at;      /* its value, or the values of a list */
        size_t count;
        struct ox_node *ret;
};

/* The first error of a node is kept. */
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
        context->error = node ? "the node belongs to another context" : "the node is NULL";
        return OX_INVALID_ARGUMENT;
}

/* A copy for protobuf-c's structs. */
static char *copy(const struct addition *a, const char *text)
{
        return arena_strndup(a->context->arena, text, strlen(text));
}

static enum ox_code run_new(void *user)
{
        struct addition *a = user;
        struct ox_node *node = arena_new_zero(a->context->arena, struct ox_node);
        enum ox_code code =
                build_node(&a->context->builder, copy(a, a->domain), copy(a, a->name), copy(a, ""), &node->proto);

        node->context = a->context;
        a->ret = code == OX_OK ? node : NULL;
        return context_built(a->context, code);
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

static enum ox_code run_input(void *user)
{
        struct addition *a = user;

        return context_built(a->context, build_node_input(&a->context->builder, &a->node->proto, copy(a, a->name)));
}

static enum ox_code run_output(void *user)
{
        struct addition *a = user;

        return context_built(a->context, build_node_output(&a->context->builder, &a->node->proto, copy(a, a->name)));
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
        struct builder *b = &a->context->builder;
        const struct build_subject subject = {"attribute", a->name};
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
        case ATTR_TYPE_PROTO:
                return context_built(a->context, build_type(b, subject, a->at, &to->tp));
        default:
                return context_built(a->context, build_tensor(b, subject, a->at, &to->t));
        }
}

static OnnxAttribute *find_attribute(const OnnxNode *node, const char *name)
{
        for (size_t i = 0; i < node->n_attribute; i++)
                if (strcmp(node->attribute[i]->name, name) == 0)
                        return node->attribute[i];
        return NULL;
}

static enum ox_code run_attribute(void *user)
{
        struct addition *a = user;
        OnnxAttribute *attribute = arena_new_array(a->context->arena, OnnxAttribute, 1),
                      *known = find_attribute(&a->node->proto, a->name);

        shaped__onnx__v1__attribute_proto__init(attribute);
        attribute->name = copy(a, a->name);
        attribute->has_type = 1;
        attribute->type = (int32_t)a->type;
        TRY(fill(a, attribute));
        if (!known)
                return context_built(a->context, build_attribute(&a->context->builder, &a->node->proto, attribute));
        *known = *attribute;
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

enum ox_code ox_node_type(struct ox_node *node, const char *name, const struct ox_value *type)
{
        return add_attribute(node, name, ATTR_TYPE_PROTO, type, 1);
}
