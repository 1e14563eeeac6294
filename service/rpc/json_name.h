/* Fields as protobuf-c describes them: their names in JSON and the sizes of their values. */
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#define JSON_NAME_BYTES 64 /* with the NUL; our fields have shorter names */

/* The name in lowerCamelCase. Returns `name`. */
const char *json_name(const ProtobufCFieldDescriptor *field, char name[JSON_NAME_BYTES]);

/* Whether a field has this name in JSON or in the .proto file. */
bool json_names(const ProtobufCFieldDescriptor *field, const char *name);

/* The size of a value that is not a text, bytes or a message; and of a list's element of any type. */
size_t json_scalar_size(const ProtobufCFieldDescriptor *field);
size_t json_element_size(const ProtobufCFieldDescriptor *field);
