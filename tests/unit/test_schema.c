/* The table of fields says what proto/onnx.proto says: held against the descriptors that protoc-c wrote. */
#include "model/onnx.h"
#include "model/schema.h"
#include "model/skim.h"
#include "unit.h"

#include <string.h>

#define ONNX(name) &shaped__onnx__v1__##name##__descriptor

static const ProtobufCMessageDescriptor *const descriptors[SCHEMA_COUNT] = {
        [SCHEMA_ATTRIBUTE] = ONNX(attribute_proto),
        [SCHEMA_VALUE_INFO] = ONNX(value_info_proto),
        [SCHEMA_NODE] = ONNX(node_proto),
        [SCHEMA_MODEL] = ONNX(model_proto),
        [SCHEMA_STRING_ENTRY] = ONNX(string_string_entry_proto),
        [SCHEMA_GRAPH] = ONNX(graph_proto),
        [SCHEMA_TENSOR] = ONNX(tensor_proto),
        [SCHEMA_SPARSE_TENSOR] = ONNX(sparse_tensor_proto),
        [SCHEMA_SHAPE] = ONNX(tensor_shape_proto),
        [SCHEMA_DIMENSION] = ONNX(tensor_shape_proto__dimension),
        [SCHEMA_TYPE] = ONNX(type_proto),
        [SCHEMA_TYPE_TENSOR] = ONNX(type_proto__tensor),
        [SCHEMA_TYPE_SEQUENCE] = ONNX(type_proto__sequence),
        [SCHEMA_TYPE_MAP] = ONNX(type_proto__map),
        [SCHEMA_TYPE_OPTIONAL] = ONNX(type_proto__optional),
        [SCHEMA_TYPE_SPARSE_TENSOR] = ONNX(type_proto__sparse_tensor),
        [SCHEMA_OPSET_ID] = ONNX(operator_set_id_proto),
        [SCHEMA_FUNCTION] = ONNX(function_proto),
};

static enum schema_kind kind_of(const ProtobufCFieldDescriptor *field)
{
        switch (field->type) {
        case PROTOBUF_C_TYPE_INT32:
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_UINT64:
                return SCHEMA_VARINT;
        case PROTOBUF_C_TYPE_FLOAT:
                return SCHEMA_FIXED32;
        case PROTOBUF_C_TYPE_DOUBLE:
                return SCHEMA_FIXED64;
        case PROTOBUF_C_TYPE_STRING:
                return SCHEMA_NAME;
        case PROTOBUF_C_TYPE_BYTES:
                return SCHEMA_BYTES;
        case PROTOBUF_C_TYPE_MESSAGE:
                return SCHEMA_MESSAGE;
        default:
                return SCHEMA_DROP;
        }
}

static bool is_payload(const char *name)
{
        size_t length = strlen(name);

        return length > 5 && strcmp(name + length - 5, "_data") == 0 && strcmp(name, "external_data") != 0;
}

/* Bytes of a number, or of what a list or a pointer holds. */
static size_t width_of(const ProtobufCFieldDescriptor *field)
{
        switch (field->type) {
        case PROTOBUF_C_TYPE_INT32:
        case PROTOBUF_C_TYPE_FLOAT:
                return 4;
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_DOUBLE:
                return 8;
        case PROTOBUF_C_TYPE_BYTES:
                return sizeof(ProtobufCBinaryData);
        default:
                return sizeof(void *);
        }
}

static void same_field(const struct schema_field *ours, const ProtobufCFieldDescriptor *theirs, const char *message)
{
        unsigned flags = 0;

        ck_assert_msg(ours->name != NULL, "%s.%s is missing", message, theirs->name);
        ck_assert_str_eq(ours->name, theirs->name);
        ck_assert_int_ne(ours->kind, SCHEMA_DROP);
        ck_assert_int_eq(ours->kind, kind_of(theirs));
        if (theirs->label == PROTOBUF_C_LABEL_REPEATED)
                flags |= SCHEMA_REPEATED;
        if (strcmp(message, "TensorProto") == 0 && is_payload(theirs->name))
                flags |= SCHEMA_PAYLOAD;
        if (theirs->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
                flags |= SCHEMA_ONE_OF;
        ck_assert_uint_eq(ours->flags, flags);
        ck_assert_uint_eq(ours->at, theirs->offset);
        ck_assert_uint_eq(ours->also, theirs->quantifier_offset);
        ck_assert_uint_eq(ours->width, width_of(theirs));
        if (ours->kind == SCHEMA_MESSAGE)
                ck_assert_ptr_eq(descriptors[ours->message], theirs->descriptor);
}

START_TEST(table_is_the_schema)
{
        for (int m = 0; m < SCHEMA_COUNT; m++) {
                const ProtobufCMessageDescriptor *theirs = descriptors[m];
                size_t ours = 0, dropped = 0;

                ck_assert_ptr_eq(schema_of[m].descriptor, theirs);
                ck_assert_uint_eq(schema_of[m].size, theirs->sizeof_message);

                for (size_t i = 0; i < SCHEMA_NUMBERS; i++)
                        ours += schema_of[m].field[i].name != NULL;
                for (unsigned i = 0; i < theirs->n_fields; i++) {
                        /* The skimmer writes its own mark and lets none through. */
                        if (theirs->fields[i].id == SKIM_DROPPED_FIELD) {
                                ck_assert_str_eq(theirs->fields[i].name, "data_dropped");
                                dropped++;
                                continue;
                        }
                        ck_assert_uint_lt(theirs->fields[i].id, SCHEMA_NUMBERS);
                        same_field(&schema_of[m].field[theirs->fields[i].id], &theirs->fields[i], schema_of[m].name);
                }
                ck_assert_uint_eq(ours + dropped, theirs->n_fields);
                ck_assert_uint_eq(dropped, m == SCHEMA_TENSOR);
                ck_assert_ptr_nonnull(strstr(theirs->name, schema_of[m].name));
        }
}
END_TEST

UNIT_MAIN("schema", table_is_the_schema);
