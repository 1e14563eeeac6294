/* A model that was read, as protobuf-c's structs alone, so that it can be serialized and compared. */
#pragma once

#include "model/load.h"

static inline char *text_back(const char *text)
{
        return text[0] ? (char *)(uintptr_t)text : NULL;
}

static OnnxGraph *graph_back(const struct model *model, const OnnxGraph *graph);

static inline OnnxTensor *tensor_back(const struct model *model, const struct model_tensor *tensor)
{
        struct arena *arena = model->names.arena;
        OnnxTensor *proto = arena_new_array(arena, OnnxTensor, 1);
        void *data = (void *)(uintptr_t)tensor->data;

        shaped__onnx__v1__tensor_proto__init(proto);
        proto->name = text_back(str_text(model->names.strings, tensor->name));
        proto->has_data_type = true;
        proto->data_type = tensor->data_type;
        proto->n_dims = tensor->n_dim;
        proto->dims = arena_new_array(arena, int64_t, tensor->n_dim);
        for (size_t d = 0; d < tensor->n_dim; d++)
                proto->dims[d] = tensor->dim[d].val;
        proto->has_data_dropped = proto->data_dropped = tensor->is_elsewhere;
        proto->has_raw_data = tensor->has_raw;
        switch (tensor->place) {
        case PLACE_RAW:
                proto->raw_data = (ProtobufCBinaryData){tensor->n_data, data};
                break;
        case PLACE_FLOAT:
                proto->n_float_data = tensor->n_data;
                proto->float_data = data;
                break;
        case PLACE_INT32:
                proto->n_int32_data = tensor->n_data;
                proto->int32_data = data;
                break;
        case PLACE_STRING:
                proto->n_string_data = tensor->n_data;
                proto->string_data = data;
                break;
        case PLACE_INT64:
                proto->n_int64_data = tensor->n_data;
                proto->int64_data = data;
                break;
        case PLACE_DOUBLE:
                proto->n_double_data = tensor->n_data;
                proto->double_data = data;
                break;
        case PLACE_UINT64:
                proto->n_uint64_data = tensor->n_data;
                proto->uint64_data = data;
                break;
        case PLACE_SEVERAL: /* nobody reads them */
                proto->has_data_location = true;
                proto->data_location = PLACE_SEVERAL;
                break;
        default:
                break;
        }
        return proto;
}

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
                if (attribute->t) { /* but for its external_data, of which only the number is read */
                        attribute->t = tensor_back(model, model_tensor_of(arena, attribute->t));
                        attribute->t->name = node_attribute(node, a)->t->name;
                }
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
        size_t count = 0;

        *proto = *graph;
        proto->n_node = graph_nodes(graph)->count;
        proto->node = nodes_back(model, graph_nodes(graph));
        proto->n_initializer = graph_initializers(graph)->count;
        proto->initializer = arena_new_array(model->names.arena, OnnxTensor *, proto->n_initializer);
        for (const struct model_tensor *t = graph_initializers(graph)->first; t; t = t->next)
                proto->initializer[count++] = tensor_back(model, t);
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
