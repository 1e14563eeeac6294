/* A model that was read, as protobuf-c's structs alone, so that it can be serialized and compared. */
#pragma once

#include "model/load.h"

static inline char *text_back(const char *text)
{
        return text[0] ? (char *)(uintptr_t)text : NULL;
}

static OnnxGraph *graph_back(const struct model *model, const OnnxGraph *graph);

static inline OnnxNode *node_back(const struct model *model, const struct model_node *node)
{
        struct arena *arena = model->names.arena;
        OnnxNode *proto = arena_new_array(arena, OnnxNode, 1);

        shaped__onnx__v1__node_proto__init(proto);
        proto->name = text_back(node->name);
        proto->op_type = text_back(node->op->type);
        proto->domain = text_back(node->op->domain);
        proto->overload = text_back(node->op->overload);
        proto->n_input = node->n_input;
        proto->input = arena_new_array(arena, char *, node->n_input);
        for (size_t i = 0; i < node->n_input; i++)
                proto->input[i] = (char *)(uintptr_t)str_text(model->names.strings, node_input(node, i));
        proto->n_output = node->n_output;
        proto->output = arena_new_array(arena, char *, node->n_output);
        for (size_t o = 0; o < node->n_output; o++)
                proto->output[o] = (char *)(uintptr_t)str_text(model->names.strings, node_output(node, o));
        proto->n_attribute = node->n_attribute;
        proto->attribute = arena_new_array(arena, OnnxAttribute *, node->n_attribute);
        for (size_t a = 0; a < node->n_attribute; a++) {
                OnnxAttribute *attribute = proto->attribute[a] = arena_new_array(arena, OnnxAttribute, 1);

                *attribute = *node_attribute(node, a);
                if (attribute->g)
                        attribute->g = graph_back(model, attribute->g);
                attribute->graphs = arena_new_array(arena, OnnxGraph *, attribute->n_graphs);
                for (size_t i = 0; i < attribute->n_graphs; i++)
                        attribute->graphs[i] = graph_back(model, node_attribute(node, a)->graphs[i]);
        }
        return proto;
}

static inline OnnxNode **nodes_back(const struct model *model, const struct node_list *list)
{
        OnnxNode **nodes = arena_new_array(model->names.arena, OnnxNode *, list->count);
        size_t count = 0;

        for (const struct model_node *node = list->first; node; node = node->next)
                nodes[count++] = node_back(model, node);
        return nodes;
}

static inline OnnxGraph *graph_back(const struct model *model, const OnnxGraph *graph)
{
        OnnxGraph *proto = arena_new_array(model->names.arena, OnnxGraph, 1);

        *proto = *graph;
        proto->n_node = graph_nodes(graph)->count;
        proto->node = nodes_back(model, graph_nodes(graph));
        return proto;
}

static inline uint8_t *model_serialize(const struct model *model, size_t *ret_size)
{
        OnnxModel proto = *model->proto;

        proto.graph = graph_back(model, proto.graph);
        proto.functions = arena_new_array(model->names.arena, OnnxFunction *, proto.n_functions);
        for (size_t i = 0; i < proto.n_functions; i++) {
                const OnnxFunction *function = model->proto->functions[i];

                proto.functions[i] = arena_new_array(model->names.arena, OnnxFunction, 1);
                *proto.functions[i] = *function;
                proto.functions[i]->n_node = function_nodes(function)->count;
                proto.functions[i]->node = nodes_back(model, function_nodes(function));
        }
        *ret_size = shaped__onnx__v1__model_proto__get_packed_size(&proto);
        uint8_t *bytes = arena_alloc(model->names.arena, *ret_size);

        shaped__onnx__v1__model_proto__pack(&proto, bytes);
        return bytes;
}
