#include "model/schema.h"

/* clang-format off */
#define AT(of, member)       .name = #member, .at = offsetof(of, member), .width = sizeof(((of *)NULL)->member)
#define LIST_AT(of, member)  .name = #member, .at = offsetof(of, member), .also = offsetof(of, n_##member), \
                             .width = sizeof(*((of *)NULL)->member)
#define HAS(of, member)      .also = offsetof(of, has_##member)
#define CASE(of)             .also = offsetof(of, value_case), .flags = SCHEMA_ONE_OF
#define TAKES(wire)          .takes = 1 << (wire)
/* Numbers may be packed, as every parser of protobuf must take both. */
#define TAKES_PACKED(wire)   .takes = 1 << (wire) | 1 << WIRE_LENGTH

#define VARINT(of, member)   {AT(of, member), HAS(of, member), .kind = SCHEMA_VARINT, TAKES(WIRE_VARINT)}
#define FIXED32(of, member)  {AT(of, member), HAS(of, member), .kind = SCHEMA_FIXED32, TAKES(WIRE_I32)}
#define NAME(of, member)     {AT(of, member), .kind = SCHEMA_NAME, TAKES(WIRE_LENGTH)}
#define BYTES(of, member)    {AT(of, member), HAS(of, member), .kind = SCHEMA_BYTES, TAKES(WIRE_LENGTH)}
#define MESSAGE(of, member, held) {AT(of, member), .kind = SCHEMA_MESSAGE, TAKES(WIRE_LENGTH), .message = (held)}
#define VARINTS(of, member)  {LIST_AT(of, member), .kind = SCHEMA_VARINT, TAKES_PACKED(WIRE_VARINT), .flags = SCHEMA_REPEATED}
#define FIXED32S(of, member) {LIST_AT(of, member), .kind = SCHEMA_FIXED32, TAKES_PACKED(WIRE_I32), .flags = SCHEMA_REPEATED}
#define NAMES(of, member)    {LIST_AT(of, member), .kind = SCHEMA_NAME, TAKES(WIRE_LENGTH), .flags = SCHEMA_REPEATED}
#define BYTESS(of, member)   {LIST_AT(of, member), .kind = SCHEMA_BYTES, TAKES(WIRE_LENGTH), .flags = SCHEMA_REPEATED}
#define MESSAGES(of, member, held) {LIST_AT(of, member), .kind = SCHEMA_MESSAGE, TAKES(WIRE_LENGTH), .message = (held), \
                             .flags = SCHEMA_REPEATED}
#define VALUE_INT(of, member)     {AT(of, member), CASE(of), .kind = SCHEMA_VARINT, TAKES(WIRE_VARINT)}
#define VALUE_NAME(of, member)    {AT(of, member), CASE(of), .kind = SCHEMA_NAME, TAKES(WIRE_LENGTH)}
#define VALUE(of, member, held)   {AT(of, member), CASE(of), .kind = SCHEMA_MESSAGE, TAKES(WIRE_LENGTH), .message = (held)}
/* What a tensor holds. */
#define DATA(member, of_kind, wire)  {LIST_AT(OnnxTensor, member), .kind = (of_kind), TAKES_PACKED(wire), \
                             .flags = SCHEMA_REPEATED | SCHEMA_PAYLOAD}
#define RAW(member)          {AT(OnnxTensor, member), HAS(OnnxTensor, member), .kind = SCHEMA_BYTES, TAKES(WIRE_LENGTH), \
                             .flags = SCHEMA_PAYLOAD}
#define STRUCT(of, proto)    &shaped__onnx__v1__##proto##__descriptor, sizeof(of)
/* clang-format on */

const struct schema schema_of[SCHEMA_COUNT] = {
        [SCHEMA_ATTRIBUTE] = {"AttributeProto",
                              STRUCT(OnnxAttribute, attribute_proto),
                              {
                                      [1] = NAME(OnnxAttribute, name),
                                      [2] = FIXED32(OnnxAttribute, f),
                                      [3] = VARINT(OnnxAttribute, i),
                                      [4] = BYTES(OnnxAttribute, s),
                                      [5] = MESSAGE(OnnxAttribute, t, SCHEMA_TENSOR),
                                      [6] = MESSAGE(OnnxAttribute, g, SCHEMA_GRAPH),
                                      [7] = FIXED32S(OnnxAttribute, floats),
                                      [8] = VARINTS(OnnxAttribute, ints),
                                      [9] = BYTESS(OnnxAttribute, strings),
                                      [10] = MESSAGES(OnnxAttribute, tensors, SCHEMA_TENSOR),
                                      [11] = MESSAGES(OnnxAttribute, graphs, SCHEMA_GRAPH),
                                      [14] = MESSAGE(OnnxAttribute, tp, SCHEMA_TYPE),
                                      [15] = MESSAGES(OnnxAttribute, type_protos, SCHEMA_TYPE),
                                      [20] = VARINT(OnnxAttribute, type),
                                      [21] = NAME(OnnxAttribute, ref_attr_name),
                                      [22] = MESSAGE(OnnxAttribute, sparse_tensor, SCHEMA_SPARSE_TENSOR),
                                      [23] = MESSAGES(OnnxAttribute, sparse_tensors, SCHEMA_SPARSE_TENSOR),
                              }},
        [SCHEMA_VALUE_INFO] = {"ValueInfoProto",
                               STRUCT(OnnxValueInfo, value_info_proto),
                               {
                                       [1] = NAME(OnnxValueInfo, name),
                                       [2] = MESSAGE(OnnxValueInfo, type, SCHEMA_TYPE),
                               }},
        [SCHEMA_NODE] = {"NodeProto",
                         STRUCT(OnnxNode, node_proto),
                         {
                                 [1] = NAMES(OnnxNode, input),
                                 [2] = NAMES(OnnxNode, output),
                                 [3] = NAME(OnnxNode, name),
                                 [4] = NAME(OnnxNode, op_type),
                                 [5] = MESSAGES(OnnxNode, attribute, SCHEMA_ATTRIBUTE),
                                 [7] = NAME(OnnxNode, domain),
                                 [8] = NAME(OnnxNode, overload),
                         }},
        [SCHEMA_MODEL] = {"ModelProto",
                          STRUCT(OnnxModel, model_proto),
                          {
                                  [1] = VARINT(OnnxModel, ir_version),
                                  [2] = NAME(OnnxModel, producer_name),
                                  [3] = NAME(OnnxModel, producer_version),
                                  [4] = NAME(OnnxModel, domain),
                                  [5] = VARINT(OnnxModel, model_version),
                                  [7] = MESSAGE(OnnxModel, graph, SCHEMA_GRAPH),
                                  [8] = MESSAGES(OnnxModel, opset_import, SCHEMA_OPSET_ID),
                                  [25] = MESSAGES(OnnxModel, functions, SCHEMA_FUNCTION),
                          }},
        [SCHEMA_STRING_ENTRY] = {"StringStringEntryProto",
                                 STRUCT(OnnxStringEntry, string_string_entry_proto),
                                 {
                                         [1] = NAME(OnnxStringEntry, key),
                                         [2] = NAME(OnnxStringEntry, value),
                                 }},
        [SCHEMA_GRAPH] = {"GraphProto",
                          STRUCT(OnnxGraph, graph_proto),
                          {
                                  [1] = MESSAGES(OnnxGraph, node, SCHEMA_NODE),
                                  [2] = NAME(OnnxGraph, name),
                                  [5] = MESSAGES(OnnxGraph, initializer, SCHEMA_TENSOR),
                                  [11] = MESSAGES(OnnxGraph, input, SCHEMA_VALUE_INFO),
                                  [12] = MESSAGES(OnnxGraph, output, SCHEMA_VALUE_INFO),
                                  [13] = MESSAGES(OnnxGraph, value_info, SCHEMA_VALUE_INFO),
                                  [15] = MESSAGES(OnnxGraph, sparse_initializer, SCHEMA_SPARSE_TENSOR),
                          }},
        [SCHEMA_TENSOR] = {"TensorProto",
                           STRUCT(OnnxTensor, tensor_proto),
                           {
                                   [1] = VARINTS(OnnxTensor, dims),
                                   [2] = VARINT(OnnxTensor, data_type),
                                   [4] = DATA(float_data, SCHEMA_FIXED32, WIRE_I32),
                                   [5] = DATA(int32_data, SCHEMA_VARINT, WIRE_VARINT),
                                   [6] = {LIST_AT(OnnxTensor, string_data), .kind = SCHEMA_BYTES, TAKES(WIRE_LENGTH),
                                          .flags = SCHEMA_REPEATED | SCHEMA_PAYLOAD},
                                   [7] = DATA(int64_data, SCHEMA_VARINT, WIRE_VARINT),
                                   [8] = NAME(OnnxTensor, name),
                                   [9] = RAW(raw_data),
                                   [10] = DATA(double_data, SCHEMA_FIXED64, WIRE_I64),
                                   [11] = DATA(uint64_data, SCHEMA_VARINT, WIRE_VARINT),
                                   [13] = MESSAGES(OnnxTensor, external_data, SCHEMA_STRING_ENTRY),
                                   [14] = VARINT(OnnxTensor, data_location),
                           }},
        [SCHEMA_SPARSE_TENSOR] = {"SparseTensorProto",
                                  STRUCT(OnnxSparseTensor, sparse_tensor_proto),
                                  {
                                          [1] = MESSAGE(OnnxSparseTensor, values, SCHEMA_TENSOR),
                                          [2] = MESSAGE(OnnxSparseTensor, indices, SCHEMA_TENSOR),
                                          [3] = VARINTS(OnnxSparseTensor, dims),
                                  }},
        [SCHEMA_SHAPE] = {"TensorShapeProto",
                          STRUCT(OnnxShape, tensor_shape_proto),
                          {[1] = MESSAGES(OnnxShape, dim, SCHEMA_DIMENSION)}},
        [SCHEMA_DIMENSION] = {"TensorShapeProto.Dimension",
                              STRUCT(OnnxDim, tensor_shape_proto__dimension),
                              {
                                      [1] = VALUE_INT(OnnxDim, dim_value),
                                      [2] = VALUE_NAME(OnnxDim, dim_param),
                              }},
        [SCHEMA_TYPE] = {"TypeProto",
                         STRUCT(OnnxType, type_proto),
                         {
                                 [1] = VALUE(OnnxType, tensor_type, SCHEMA_TYPE_TENSOR),
                                 [4] = VALUE(OnnxType, sequence_type, SCHEMA_TYPE_SEQUENCE),
                                 [5] = VALUE(OnnxType, map_type, SCHEMA_TYPE_MAP),
                                 [6] = NAME(OnnxType, denotation),
                                 [8] = VALUE(OnnxType, sparse_tensor_type, SCHEMA_TYPE_SPARSE_TENSOR),
                                 [9] = VALUE(OnnxType, optional_type, SCHEMA_TYPE_OPTIONAL),
                         }},
        [SCHEMA_TYPE_TENSOR] = {"TypeProto.Tensor",
                                STRUCT(OnnxTypeTensor, type_proto__tensor),
                                {
                                        [1] = VARINT(OnnxTypeTensor, elem_type),
                                        [2] = MESSAGE(OnnxTypeTensor, shape, SCHEMA_SHAPE),
                                }},
        [SCHEMA_TYPE_SEQUENCE] = {"TypeProto.Sequence",
                                  STRUCT(OnnxTypeSequence, type_proto__sequence),
                                  {[1] = MESSAGE(OnnxTypeSequence, elem_type, SCHEMA_TYPE)}},
        [SCHEMA_TYPE_MAP] = {"TypeProto.Map",
                             STRUCT(OnnxTypeMap, type_proto__map),
                             {
                                     [1] = VARINT(OnnxTypeMap, key_type),
                                     [2] = MESSAGE(OnnxTypeMap, value_type, SCHEMA_TYPE),
                             }},
        [SCHEMA_TYPE_OPTIONAL] = {"TypeProto.Optional",
                                  STRUCT(OnnxTypeOptional, type_proto__optional),
                                  {[1] = MESSAGE(OnnxTypeOptional, elem_type, SCHEMA_TYPE)}},
        [SCHEMA_TYPE_SPARSE_TENSOR] = {"TypeProto.SparseTensor",
                                       STRUCT(OnnxTypeSparseTensor, type_proto__sparse_tensor),
                                       {
                                               [1] = VARINT(OnnxTypeSparseTensor, elem_type),
                                               [2] = MESSAGE(OnnxTypeSparseTensor, shape, SCHEMA_SHAPE),
                                       }},
        [SCHEMA_OPSET_ID] = {"OperatorSetIdProto",
                             STRUCT(OnnxOpsetId, operator_set_id_proto),
                             {
                                     [1] = NAME(OnnxOpsetId, domain),
                                     [2] = VARINT(OnnxOpsetId, version),
                             }},
        [SCHEMA_FUNCTION] = {"FunctionProto",
                             STRUCT(OnnxFunction, function_proto),
                             {
                                     [1] = NAME(OnnxFunction, name),
                                     [4] = NAMES(OnnxFunction, input),
                                     [5] = NAMES(OnnxFunction, output),
                                     [6] = NAMES(OnnxFunction, attribute),
                                     [7] = MESSAGES(OnnxFunction, node, SCHEMA_NODE),
                                     [9] = MESSAGES(OnnxFunction, opset_import, SCHEMA_OPSET_ID),
                                     [10] = NAME(OnnxFunction, domain),
                                     [11] = MESSAGES(OnnxFunction, attribute_proto, SCHEMA_ATTRIBUTE),
                                     [12] = MESSAGES(OnnxFunction, value_info, SCHEMA_VALUE_INFO),
                                     [13] = NAME(OnnxFunction, overload),
                             }},
};

struct wire_head schema_list_head(const uint8_t *at, size_t size)
{
        const struct wire_head none = {0}, head = wire_head(at, size);

        if (head.result != WIRE_OK || head.type != WIRE_LENGTH || head.number >= SCHEMA_NUMBERS ||
            head.value > size - head.size || wire_width(head.value) != (size_t)(head.size - head.tag_size) ||
            schema_of[SCHEMA_GRAPH].field[head.number].kind != SCHEMA_MESSAGE)
                return none;
        return head;
}
