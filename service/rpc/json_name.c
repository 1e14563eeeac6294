#include "rpc/json_name.h"

#include <string.h>

const char *json_name(const ProtobufCFieldDescriptor *field, char name[JSON_NAME_BYTES])
{
        size_t length = 0;

        for (const char *at = field->name; *at && length < JSON_NAME_BYTES - 1; at++) {
                if (*at == '_' && at[1] >= 'a' && at[1] <= 'z')
                        name[length++] = (char)(*++at - 'a' + 'A');
                else if (*at != '_')
                        name[length++] = *at;
        }
        name[length] = '\0';
        return name;
}

bool json_names(const ProtobufCFieldDescriptor *field, const char *name)
{
        char spelled[JSON_NAME_BYTES];

        return strcmp(name, field->name) == 0 || strcmp(name, json_name(field, spelled)) == 0;
}

size_t json_scalar_size(const ProtobufCFieldDescriptor *field)
{
        switch (field->type) {
        case PROTOBUF_C_TYPE_BOOL:
                return sizeof(protobuf_c_boolean);
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_SINT64:
        case PROTOBUF_C_TYPE_SFIXED64:
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_FIXED64:
        case PROTOBUF_C_TYPE_DOUBLE:
                return sizeof(uint64_t);
        default:
                return sizeof(uint32_t);
        }
}

size_t json_element_size(const ProtobufCFieldDescriptor *field)
{
        if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE)
                return sizeof(void *);
        return field->type == PROTOBUF_C_TYPE_BYTES ? sizeof(ProtobufCBinaryData) : json_scalar_size(field);
}
