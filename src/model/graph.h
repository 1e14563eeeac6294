/* A model as inference reads it: protobuf-c's structs, but for nodes and initializers, of which there are many. These
   are small, and their names are interned once, while they are read. */
#pragma once

#include <assert.h>
#include <stddef.h>

#include "base/str.h"
#include "model/attribute.h"
#include "model/onnx.h"
#include "model/tensor.h"

/* An operator as nodes name it: domain, op_type and overload, kept once for all nodes that say the same. */
struct model_op {
        const char *domain, *type, *overload; /* as they are written; "" where they are left out */
        struct text_form type_form;
        uint32_t number; /* counts up from 0, so that it can index arrays */
};

/* A NodeProto. Behind it stand the names of its inputs, those of its outputs, and its attributes. */
struct model_node {
        const struct model_op *op;
        const char *name; /* "", with its form before it: str_text_form() */
        struct model_node *next;
        uint32_t n_input, n_output, n_attribute;
        str_id value[];
};

static inline str_id node_input(const struct model_node *node, size_t i)
{
        return node->value[i];
}

static inline str_id node_output(const struct model_node *node, size_t o)
{
        return node->value[node->n_input + o];
}

/* Where the attributes of a node with so many inputs and outputs begin, in bytes. */
static inline size_t node_attributes_at(size_t n_value)
{
        const size_t unit = _Alignof(struct model_attribute);

        return (offsetof(struct model_node, value) + n_value * sizeof(str_id) + unit - 1) / unit * unit;
}

static inline struct model_attribute *node_attributes(const struct model_node *node)
{
        const size_t at = node_attributes_at((size_t)node->n_input + node->n_output);

        return (struct model_attribute *)(uintptr_t)((const char *)node + at);
}

static inline const struct model_attribute *node_attribute(const struct model_node *node, size_t a)
{
        return &node_attributes(node)[a];
}

/* Whether two nodes have attributes of the same names and types, in order, whose values `held_same` finds to be the
   same: each by itself where an attribute has several. */
bool node_attributes_same(const struct model_node *a, const struct model_node *b,
                          bool (*held_same)(const struct model_attribute *a, const struct model_attribute *b));

/* The nodes of a graph or a function, in their order. */
struct node_list {
        struct model_node *first, *last;
        size_t count;
};

/* A graph and a function of a model that was read: each that a pointer to protobuf-c's struct leads to is one of these,
   and the struct's own lists of nodes, initializers and attributes' defaults are empty. */
struct model_graph {
        OnnxGraph proto;
        struct node_list nodes;
        struct tensor_list initializers;
};

struct model_function {
        OnnxFunction proto;
        struct node_list nodes;
        struct model_attribute *defaults; /* of attributes */
        size_t n_default;
};

static_assert(offsetof(struct model_graph, proto) == 0 && offsetof(struct model_function, proto) == 0,
              "a graph and a function of a model are found by protobuf-c's struct");

static inline const struct node_list *graph_nodes(const OnnxGraph *graph)
{
        return &((const struct model_graph *)graph)->nodes;
}

static inline const struct tensor_list *graph_initializers(const OnnxGraph *graph)
{
        return &((const struct model_graph *)graph)->initializers;
}

static inline const struct node_list *function_nodes(const OnnxFunction *function)
{
        return &((const struct model_function *)function)->nodes;
}

#define SEEN_OPS   64
#define SEEN_NAMES 64

static inline const struct model_attribute *function_defaults(const OnnxFunction *function, size_t *ret_count)
{
        *ret_count = ((const struct model_function *)function)->n_default;
        return ((const struct model_function *)function)->defaults;
}

/* What nodes are made with: the names and operators of a model. Lives on the arena. */
struct model_names {
        struct arena *arena;
        struct strings *strings;
        const struct model_op **slot; /* slot_mask + 1 of them; NULL: free */
        uint32_t slot_mask, n_op;
        const struct model_op *seen[SEEN_OPS]; /* some that a type alone names, each in the place of its type */
        const char *seen_name[SEEN_NAMES];     /* some of attributes, which are interned, each in its place */
        bool has_bodies;                       /* some node has a graph */
};

void model_names_init(struct model_names *names, struct arena *arena, struct strings *strings);

/* The operator of these texts, each of which must be one that the strings have. */
const struct model_op *model_op_of(struct model_names *names, const char *domain, const char *type,
                                   const char *overload);

/* The operator that a type alone names, without domain and overload, if it is among those remembered; else NULL. */
const struct model_op *model_op_seen(const struct model_names *names, const char *type, size_t length);

/* A name that attributes had before, if it is among those remembered; else NULL. */
const char *model_name_seen(const struct model_names *names, const char *text, size_t length);
/* Remembers a name that is interned. */
void model_name_note(struct model_names *names, const char *name);

/* A node whose values and attributes are to be filled in. Its name is one that the strings have. */
struct model_node *model_node_new(struct arena *arena, const struct model_op *op, const char *name, size_t n_input,
                                  size_t n_output, size_t n_attribute);

/* The same node with room for other attributes. */
struct model_node *model_node_with(struct arena *arena, const struct model_node *node, size_t n_attribute);

/* What protobuf-c read, with everything within. Texts stay where they are, unless said otherwise; what is given is not
   changed. */
struct model_node *model_node_of(struct model_names *names, const OnnxNode *proto);
void model_attribute_of(struct model_names *names, const OnnxAttribute *proto, struct model_attribute *ret);
struct model_tensor *model_initializer_of(struct model_names *names, const OnnxTensor *proto);
struct model_graph *model_graph_of(struct model_names *names, const OnnxGraph *proto);
struct model_function *model_function_of(struct model_names *names, const OnnxFunction *proto);

/* A model that was read. */
struct model {
        const OnnxModel *proto;
        struct model_names names;
};

static inline void node_list_add(struct node_list *list, struct model_node *node)
{
        if (list->last)
                list->last->next = node;
        else
                list->first = node;
        list->last = node;
        list->count++;
}
