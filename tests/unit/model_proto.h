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

static void value_back(const struct model *model, const struct model_attribute *value, OnnxAttribute *proto)
{
        void *list = (void *)(uintptr_t)value->list;

        switch (value->held) {
        case HELD_FLOAT:
                proto->has_f = true;
                proto->f = value->f;
                break;
        case HELD_INT:
                proto->has_i = true;
                proto->i = value->i;
                break;
        case HELD_STRING:
                proto->has_s = true;
                proto->s = (ProtobufCBinaryData){value->count, list};
                break;
        case HELD_TENSOR:
                proto->t = tensor_back(model, value->tensor);
                break;
        case HELD_GRAPH:
                proto->g = graph_back(model, value->graph);
                break;
        case HELD_FLOATS:
                proto->n_floats = value->count;
                proto->floats = list;
                break;
        case HELD_INTS:
                proto->n_ints = value->count;
                proto->ints = list;
                break;
        case HELD_STRINGS:
                proto->n_strings = value->count;
                proto->strings = list;
                break;
        case HELD_TENSORS:
                proto->n_tensors = value->count;
                proto->tensors = list;
                break;
        case HELD_GRAPHS:
                proto->n_graphs = value->count;
                proto->graphs = list;
                break;
        case HELD_SPARSE_TENSOR:
                proto->sparse_tensor = list;
                break;
        case HELD_SPARSE_TENSORS:
                proto->n_sparse_tensors = value->count;
                proto->sparse_tensors = list;
                break;
        case HELD_TYPE_PROTO:
                proto->tp = list;
                break;
        case HELD_TYPE_PROTOS:
                proto->n_type_protos = value->count;
                proto->type_protos = list;
                break;
        case HELD_REFERENCE:
                proto->ref_attr_name = list;
                break;
        default:
                break;
        }
}

static OnnxAttribute *attribute_back(const struct model *model, const struct model_attribute *attribute)
{
        OnnxAttribute *proto = arena_new_array(model->names.arena, OnnxAttribute, 1);

        shaped__onnx__v1__attribute_proto__init(proto);
        proto->name = text_back(attribute->name);
        proto->has_type = true;
        proto->type = attribute->type;
        if (attribute->held != HELD_SEVERAL)
                value_back(model, attribute, proto);
        for (size_t i = 0; attribute->held == HELD_SEVERAL && i < attribute->count; i++)
                value_back(model, &attribute->several[i], proto);
        return proto;
}

static OnnxAttribute **attributes_back(const struct model *model, const struct model_attribute *attributes,
                                       size_t count)
{
        OnnxAttribute **list = arena_new_array(model->names.arena, OnnxAttribute *, count);

        for (size_t a = 0; a < count; a++)
                list[a] = attribute_back(model, &attributes[a]);
        return list;
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
        proto->attribute = attributes_back(model, node_attributes(node), node->n_attribute);
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
                const struct model_attribute *defaults =
                        function_defaults(function, &proto.functions[i]->n_attribute_proto);

                proto.functions[i]->attribute_proto =
                        attributes_back(model, defaults, proto.functions[i]->n_attribute_proto);
        }
        *ret_size = shaped__onnx__v1__model_proto__get_packed_size(&proto);
        uint8_t *bytes = arena_alloc(model->names.arena, *ret_size);

        shaped__onnx__v1__model_proto__pack(&proto, bytes);
        return bytes;
}
