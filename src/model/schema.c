#include "model/schema.h"

/* clang-format off */
#define FIELD(text, of_kind, wire, also)  {.name = (text), .kind = (of_kind), .takes = 1 << (wire), .flags = (also)}
/* Numbers may be packed, as every parser of protobuf must take both. */
#define FIELDS(text, of_kind, wire, also) {.name = (text), .kind = (of_kind), .takes = 1 << (wire) | 1 << WIRE_LENGTH, \
                                           .flags = SCHEMA_REPEATED | (also)}

#define VARINT(text)        FIELD(text, SCHEMA_VARINT, WIRE_VARINT, 0)
#define VARINTS(text)       FIELDS(text, SCHEMA_VARINT, WIRE_VARINT, 0)
#define FIXED32(text)       FIELD(text, SCHEMA_FIXED32, WIRE_I32, 0)
#define FIXED32S(text)      FIELDS(text, SCHEMA_FIXED32, WIRE_I32, 0)
#define NAME(text)          FIELD(text, SCHEMA_NAME, WIRE_LENGTH, 0)
#define NAMES(text)         FIELDS(text, SCHEMA_NAME, WIRE_LENGTH, 0)
#define BYTES(text)         FIELD(text, SCHEMA_BYTES, WIRE_LENGTH, 0)
#define BYTESS(text)        FIELDS(text, SCHEMA_BYTES, WIRE_LENGTH, 0)
#define MESSAGE(text, of)   {.name = (text), .kind = SCHEMA_MESSAGE, .takes = 1 << WIRE_LENGTH, .message = (of)}
#define MESSAGES(text, of)  {.name = (text), .kind = SCHEMA_MESSAGE, .takes = 1 << WIRE_LENGTH, .message = (of), \
                             .flags = SCHEMA_REPEATED}
/* clang-format on */

const struct schema schema_of[SCHEMA_COUNT] = {
        [SCHEMA_ATTRIBUTE] = {"AttributeProto",
                              {
                                      [1] = NAME("name"),
                                      [2] = FIXED32("f"),
                                      [3] = VARINT("i"),
                                      [4] = BYTES("s"),
                                      [5] = MESSAGE("t", SCHEMA_TENSOR),
                                      [6] = MESSAGE("g", SCHEMA_GRAPH),
                                      [7] = FIXED32S("floats"),
                                      [8] = VARINTS("ints"),
                                      [9] = BYTESS("strings"),
                                      [10] = MESSAGES("tensors", SCHEMA_TENSOR),
                                      [11] = MESSAGES("graphs", SCHEMA_GRAPH),
                                      [14] = MESSAGE("tp", SCHEMA_TYPE),
                                      [15] = MESSAGES("type_protos", SCHEMA_TYPE),
                                      [20] = VARINT("type"),
                                      [21] = NAME("ref_attr_name"),
                                      [22] = MESSAGE("sparse_tensor", SCHEMA_SPARSE_TENSOR),
                                      [23] = MESSAGES("sparse_tensors", SCHEMA_SPARSE_TENSOR),
                              }},
        [SCHEMA_VALUE_INFO] = {"ValueInfoProto",
                               {
                                       [1] = NAME("name"),
                                       [2] = MESSAGE("type", SCHEMA_TYPE),
                               }},
        [SCHEMA_NODE] = {"NodeProto",
                         {
                                 [1] = NAMES("input"),
                                 [2] = NAMES("output"),
                                 [3] = NAME("name"),
                                 [4] = NAME("op_type"),
                                 [5] = MESSAGES("attribute", SCHEMA_ATTRIBUTE),
                                 [7] = NAME("domain"),
                                 [8] = NAME("overload"),
                         }},
        [SCHEMA_MODEL] = {"ModelProto",
                          {
                                  [1] = VARINT("ir_version"),
                                  [2] = NAME("producer_name"),
                                  [3] = NAME("producer_version"),
                                  [4] = NAME("domain"),
                                  [5] = VARINT("model_version"),
                                  [7] = MESSAGE("graph", SCHEMA_GRAPH),
                                  [8] = MESSAGES("opset_import", SCHEMA_OPSET_ID),
                                  [25] = MESSAGES("functions", SCHEMA_FUNCTION),
                          }},
        [SCHEMA_STRING_ENTRY] = {"StringStringEntryProto",
                                 {
                                         [1] = NAME("key"),
                                         [2] = NAME("value"),
                                 }},
        [SCHEMA_GRAPH] = {"GraphProto",
                          {
                                  [1] = MESSAGES("node", SCHEMA_NODE),
                                  [2] = NAME("name"),
                                  [5] = MESSAGES("initializer", SCHEMA_TENSOR),
                                  [11] = MESSAGES("input", SCHEMA_VALUE_INFO),
                                  [12] = MESSAGES("output", SCHEMA_VALUE_INFO),
                                  [13] = MESSAGES("value_info", SCHEMA_VALUE_INFO),
                                  [15] = MESSAGES("sparse_initializer", SCHEMA_SPARSE_TENSOR),
                          }},
        [SCHEMA_TENSOR] = {"TensorProto",
                           {
                                   [1] = VARINTS("dims"),
                                   [2] = VARINT("data_type"),
                                   [4] = FIELDS("float_data", SCHEMA_FIXED32, WIRE_I32, SCHEMA_PAYLOAD),
                                   [5] = FIELDS("int32_data", SCHEMA_VARINT, WIRE_VARINT, SCHEMA_PAYLOAD),
                                   [6] = FIELDS("string_data", SCHEMA_BYTES, WIRE_LENGTH, SCHEMA_PAYLOAD),
                                   [7] = FIELDS("int64_data", SCHEMA_VARINT, WIRE_VARINT, SCHEMA_PAYLOAD),
                                   [8] = NAME("name"),
                                   [9] = FIELD("raw_data", SCHEMA_BYTES, WIRE_LENGTH, SCHEMA_PAYLOAD),
                                   [10] = FIELDS("double_data", SCHEMA_FIXED64, WIRE_I64, SCHEMA_PAYLOAD),
                                   [11] = FIELDS("uint64_data", SCHEMA_VARINT, WIRE_VARINT, SCHEMA_PAYLOAD),
                                   [13] = MESSAGES("external_data", SCHEMA_STRING_ENTRY),
                                   [14] = VARINT("data_location"),
                           }},
        [SCHEMA_SPARSE_TENSOR] = {"SparseTensorProto",
                                  {
                                          [1] = MESSAGE("values", SCHEMA_TENSOR),
                                          [2] = MESSAGE("indices", SCHEMA_TENSOR),
                                          [3] = VARINTS("dims"),
                                  }},
        [SCHEMA_SHAPE] = {"TensorShapeProto", {[1] = MESSAGES("dim", SCHEMA_DIMENSION)}},
        [SCHEMA_DIMENSION] = {"TensorShapeProto.Dimension",
                              {
                                      [1] = VARINT("dim_value"),
                                      [2] = NAME("dim_param"),
                              }},
        [SCHEMA_TYPE] = {"TypeProto",
                         {
                                 [1] = MESSAGE("tensor_type", SCHEMA_TYPE_TENSOR),
                                 [4] = MESSAGE("sequence_type", SCHEMA_TYPE_SEQUENCE),
                                 [5] = MESSAGE("map_type", SCHEMA_TYPE_MAP),
                                 [6] = NAME("denotation"),
                                 [8] = MESSAGE("sparse_tensor_type", SCHEMA_TYPE_SPARSE_TENSOR),
                                 [9] = MESSAGE("optional_type", SCHEMA_TYPE_OPTIONAL),
                         }},
        [SCHEMA_TYPE_TENSOR] = {"TypeProto.Tensor",
                                {
                                        [1] = VARINT("elem_type"),
                                        [2] = MESSAGE("shape", SCHEMA_SHAPE),
                                }},
        [SCHEMA_TYPE_SEQUENCE] = {"TypeProto.Sequence", {[1] = MESSAGE("elem_type", SCHEMA_TYPE)}},
        [SCHEMA_TYPE_MAP] = {"TypeProto.Map",
                             {
                                     [1] = VARINT("key_type"),
                                     [2] = MESSAGE("value_type", SCHEMA_TYPE),
                             }},
        [SCHEMA_TYPE_OPTIONAL] = {"TypeProto.Optional", {[1] = MESSAGE("elem_type", SCHEMA_TYPE)}},
        [SCHEMA_TYPE_SPARSE_TENSOR] = {"TypeProto.SparseTensor",
                                       {
                                               [1] = VARINT("elem_type"),
                                               [2] = MESSAGE("shape", SCHEMA_SHAPE),
                                       }},
        [SCHEMA_OPSET_ID] = {"OperatorSetIdProto",
                             {
                                     [1] = NAME("domain"),
                                     [2] = VARINT("version"),
                             }},
        [SCHEMA_FUNCTION] = {"FunctionProto",
                             {
                                     [1] = NAME("name"),
                                     [4] = NAMES("input"),
                                     [5] = NAMES("output"),
                                     [6] = NAMES("attribute"),
                                     [7] = MESSAGES("node", SCHEMA_NODE),
                                     [9] = MESSAGES("opset_import", SCHEMA_OPSET_ID),
                                     [10] = NAME("domain"),
                                     [11] = MESSAGES("attribute_proto", SCHEMA_ATTRIBUTE),
                                     [12] = MESSAGES("value_info", SCHEMA_VALUE_INFO),
                                     [13] = NAME("overload"),
                             }},
};
