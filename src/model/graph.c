#include "model/graph.h"

#include <string.h>

#define FIRST_OPS 16

/* -- operators -- */

void model_names_init(struct model_names *names, struct arena *arena, struct strings *strings)
{
        *names = (struct model_names){.arena = arena, .strings = strings, .slot_mask = FIRST_OPS - 1};
        names->slot = (const struct model_op **)arena_zalloc(arena, FIRST_OPS * sizeof(*names->slot));
}

/* The texts are interned, so equal texts have the same address. */
static uint32_t first_slot(const struct model_names *names, const char *domain, const char *type, const char *overload)
{
        uint64_t hash = (uintptr_t)type ^ (uint64_t)(uintptr_t)domain << 20 ^ (uint64_t)(uintptr_t)overload << 40;

        return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) & names->slot_mask;
}

/* A number for a text that is not empty. */
static inline size_t seen_number(const char *text, size_t length)
{
        const unsigned char *at = (const unsigned char *)text;

        return at[0] * 7U + at[length - 1] * 5U + at[length / 2] * 3U + length;
}

static size_t seen_place(const char *type, size_t length)
{
        return seen_number(type, length) % SEEN_OPS;
}

const struct model_op *model_op_seen(const struct model_names *names, const char *type, size_t length)
{
        const struct model_op *op = length ? names->seen[seen_place(type, length)] : NULL;

        return op && op->type_form.length == length && text_same_of(op->type, type, length) ? op : NULL;
}

static void put_op(struct model_names *names, const struct model_op *op)
{
        uint32_t at = first_slot(names, op->domain, op->type, op->overload);

        while (names->slot[at])
                at = (at + 1) & names->slot_mask;
        names->slot[at] = op;
}

static void grow_ops(struct model_names *names)
{
        const struct model_op **old = names->slot;
        const uint32_t count = names->slot_mask + 1;

        names->slot_mask = 2 * count - 1;
        names->slot = (const struct model_op **)arena_zalloc(names->arena, 2 * (size_t)count * sizeof(*names->slot));
        for (uint32_t i = 0; i < count; i++)
                if (old[i])
                        put_op(names, old[i]);
}

/* Remembers an operator that its type alone names. */
static const struct model_op *note_seen(struct model_names *names, const struct model_op *op)
{
        if (op->type[0] && !op->domain[0] && !op->overload[0])
                names->seen[seen_place(op->type, op->type_form.length)] = op;
        return op;
}

const struct model_op *model_op_of(struct model_names *names, const char *domain, const char *type,
                                   const char *overload)
{
        for (uint32_t at = first_slot(names, domain, type, overload); names->slot[at];
             at = (at + 1) & names->slot_mask) {
                const struct model_op *op = names->slot[at];

                if (op->type == type && op->domain == domain && op->overload == overload)
                        return note_seen(names, op);
        }
        struct model_op *made = arena_new_array(names->arena, struct model_op, 1);

        *made = (struct model_op){
                .domain = domain,
                .type = type,
                .overload = overload,
                .type_form = str_text_form(type),
                .number = names->n_op,
        };
        if (++names->n_op > names->slot_mask / 2)
                grow_ops(names);
        put_op(names, made);
        return note_seen(names, made);
}

const char *model_name_seen(const struct model_names *names, const char *text, size_t length)
{
        const char *name = length ? names->seen_name[seen_number(text, length) % SEEN_NAMES] : NULL;

        return name && str_text_form(name).length == length && text_same_of(name, text, length) ? name : NULL;
}

void model_name_note(struct model_names *names, const char *name)
{
        const size_t length = str_text_form(name).length;

        if (length)
                names->seen_name[seen_number(name, length) % SEEN_NAMES] = name;
}

/* -- nodes -- */

struct model_node *model_node_new(struct arena *arena, const struct model_op *op, const char *name, size_t n_input,
                                  size_t n_output, size_t n_attribute)
{
        const size_t n_value = n_input + n_output;
        const size_t head = n_attribute ? node_attributes_at(n_value)
                                        : offsetof(struct model_node, value) + n_value * sizeof(str_id);
        struct model_node *node = arena_alloc(arena, head + n_attribute * sizeof(struct model_attribute));

        /* No message of a model reaches 2 GiB, so the numbers fit. */
        node->op = op;
        node->name = name;
        node->next = NULL;
        node->n_input = (uint32_t)n_input;
        node->n_output = (uint32_t)n_output;
        node->n_attribute = (uint32_t)n_attribute;
        return node;
}

struct model_node *model_node_with(struct arena *arena, const struct model_node *node, size_t n_attribute)
{
        struct model_node *made =
                model_node_new(arena, node->op, node->name, node->n_input, node->n_output, n_attribute);

        memcpy(made->value, node->value, ((size_t)node->n_input + node->n_output) * sizeof(*node->value));
        return made;
}

static bool attribute_same(const struct model_attribute *a, const struct model_attribute *b,
                           bool (*held_same)(const struct model_attribute *a, const struct model_attribute *b))
{
        if (strcmp(a->name, b->name) != 0 || a->type != b->type)
                return false;
        if (a->held != HELD_SEVERAL || b->held != HELD_SEVERAL || a->count != b->count)
                return held_same(a, b);
        for (size_t i = 0; i < a->count; i++)
                if (!held_same(&a->several[i], &b->several[i]))
                        return false;
        return true;
}

bool node_attributes_same(const struct model_node *a, const struct model_node *b,
                          bool (*held_same)(const struct model_attribute *a, const struct model_attribute *b))
{
        if (a->n_attribute != b->n_attribute)
                return false;
        for (size_t i = 0; i < a->n_attribute; i++)
                if (!attribute_same(node_attribute(a, i), node_attribute(b, i), held_same))
                        return false;
        return true;
}

/* -- from protobuf-c -- */

static str_id intern(const struct model_names *names, const char *text)
{
        return text && text[0] ? str_intern_z(names->strings, text) : STR_EMPTY;
}

static const char *interned(const struct model_names *names, const char *text)
{
        return str_text(names->strings, intern(names, text));
}

struct model_node *model_node_of(struct model_names *names, const OnnxNode *proto)
{
        const struct model_op *op = model_op_of(names, interned(names, proto->domain), interned(names, proto->op_type),
                                                interned(names, proto->overload));
        const char *name = text_or_empty(proto->name);
        struct model_node *node = model_node_new(names->arena, op, str_keep(names->strings, name, text_form(name)),
                                                 proto->n_input, proto->n_output, proto->n_attribute);

        for (size_t i = 0; i < proto->n_input; i++)
                node->value[i] = intern(names, proto->input[i]);
        for (size_t o = 0; o < proto->n_output; o++)
                node->value[proto->n_input + o] = intern(names, proto->output[o]);
        for (size_t a = 0; a < proto->n_attribute; a++)
                model_attribute_of(names, proto->attribute[a], &node_attributes(node)[a]);
        return node;
}

static struct node_list nodes_of(struct model_names *names, OnnxNode *const *nodes, size_t count)
{
        struct node_list list = {0};

        for (size_t i = 0; i < count; i++)
                node_list_add(&list, model_node_of(names, nodes[i]));
        return list;
}

struct model_tensor *model_initializer_of(struct model_names *names, const OnnxTensor *proto)
{
        struct model_tensor *tensor = model_tensor_of(names->arena, proto);

        tensor->name = intern(names, proto->name);
        return tensor;
}

struct model_graph *model_graph_of(struct model_names *names, const OnnxGraph *proto)
{
        struct model_graph *graph = arena_new_array(names->arena, struct model_graph, 1);

        *graph = (struct model_graph){.proto = *proto, .nodes = nodes_of(names, proto->node, proto->n_node)};
        for (size_t i = 0; i < proto->n_initializer; i++)
                tensor_list_add(&graph->initializers, model_initializer_of(names, proto->initializer[i]));
        graph->proto.n_node = graph->proto.n_initializer = 0;
        graph->proto.node = NULL;
        graph->proto.initializer = NULL;
        return graph;
}

struct model_function *model_function_of(struct model_names *names, const OnnxFunction *proto)
{
        struct model_function *function = arena_new_array(names->arena, struct model_function, 1);

        *function = (struct model_function){
                .proto = *proto,
                .nodes = nodes_of(names, proto->node, proto->n_node),
                .defaults = arena_new_array(names->arena, struct model_attribute, proto->n_attribute_proto),
                .n_default = proto->n_attribute_proto,
        };
        for (size_t a = 0; a < function->n_default; a++)
                model_attribute_of(names, proto->attribute_proto[a], &function->defaults[a]);
        function->proto.n_node = function->proto.n_attribute_proto = 0;
        function->proto.node = NULL;
        function->proto.attribute_proto = NULL;
        return function;
}
