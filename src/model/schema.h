/* The kept fields of ONNX's messages, and their places in protobuf-c's structs: the fields of proto/onnx.proto as one
   constant table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/onnx.h"
#include "model/wire.h"

enum schema_message {
        SCHEMA_ATTRIBUTE,
        SCHEMA_VALUE_INFO,
        SCHEMA_NODE,
        SCHEMA_MODEL,
        SCHEMA_STRING_ENTRY,
        SCHEMA_GRAPH,
        SCHEMA_TENSOR,
        SCHEMA_SPARSE_TENSOR,
        SCHEMA_SHAPE,
        SCHEMA_DIMENSION,
        SCHEMA_TYPE,
        SCHEMA_TYPE_TENSOR,
        SCHEMA_TYPE_SEQUENCE,
        SCHEMA_TYPE_MAP,
        SCHEMA_TYPE_OPTIONAL,
        SCHEMA_TYPE_SPARSE_TENSOR,
        SCHEMA_OPSET_ID,
        SCHEMA_FUNCTION,
        SCHEMA_COUNT
};

/* The highest number of a kept field, plus 1. */
#define SCHEMA_NUMBERS 32

enum schema_kind {
        SCHEMA_DROP, /* not in the table */
        SCHEMA_VARINT,
        SCHEMA_FIXED32,
        SCHEMA_FIXED64,
        SCHEMA_NAME, /* clean UTF-8 of bounded length */
        SCHEMA_BYTES,
        SCHEMA_MESSAGE
};

enum {
        SCHEMA_REPEATED = 1,
        SCHEMA_PAYLOAD = 2, /* counts towards the kept data of one tensor */
        SCHEMA_ONE_OF = 4   /* of several fields in one place, of which the number says which is there */
};

struct schema_field {
        const char *name;
        uint8_t kind;
        uint8_t flags;
        uint8_t message; /* of SCHEMA_MESSAGE */
        uint8_t takes;   /* by bit: the wire types that parsers take for it */
        uint8_t width;   /* bytes of a number, or of an element of a list */
        uint16_t at;     /* in the message's struct: the value, or the pointer to a list, and ... */
        uint16_t also;   /* ... its count, whether it is there, or the number of the one of several; 0: nothing */
};

/* A message's name, and its fields by their numbers. */
struct schema {
        const char *name;
        const ProtobufCMessageDescriptor *descriptor;
        size_t size; /* of the struct */
        struct schema_field field[SCHEMA_NUMBERS];
};

extern const struct schema schema_of[SCHEMA_COUNT];

/* Whether a field has a wire type that parsers accept for its kind; otherwise they treat it as unknown. */
static inline bool schema_takes(const struct schema_field *field, uint8_t wire_type)
{
        return field->takes >> wire_type & 1;
}

/* The head of a graph's message that stands whole at `at`, with a length in as few bytes as it needs; else its size is
   0, as its value is. */
struct wire_head schema_list_head(const uint8_t *at, size_t size);

/* Bytes of one packed number. */
static inline size_t schema_unit(const struct schema_field *field)
{
        return field->kind == SCHEMA_FIXED32 ? 4 : field->kind == SCHEMA_FIXED64 ? 8 : 1;
}
