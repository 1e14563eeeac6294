/* An attribute of a node as inference reads it: a name, and mostly one value. */
#pragma once

#include "model/onnx.h"
#include "model/tensor.h"

/* What an attribute holds: by ONNX's own number for the type of its value (AttributeProto.AttributeType). */
enum attribute_held {
        HELD_UNDEFINED, /* also for an empty list, and for a zero that was omitted */
        HELD_FLOAT,
        HELD_INT,
        HELD_STRING,
        HELD_TENSOR,
        HELD_GRAPH,
        HELD_FLOATS,
        HELD_INTS,
        HELD_STRINGS,
        HELD_TENSORS,
        HELD_GRAPHS,
        HELD_SPARSE_TENSOR,
        HELD_SPARSE_TENSORS,
        HELD_TYPE_PROTO,
        HELD_TYPE_PROTOS,
        HELD_REFERENCE, /* the name of an attribute of the function around it */
        HELD_SEVERAL    /* of these, which no specification allows: each is an attribute of its own */
};

#define TYPE_OF_NO_VALUE HELD_REFERENCE /* any number that ONNX gives to no type */

struct model_attribute {
        const char *name; /* "" */
        union {
                float f;
                int64_t i;
                const uint8_t *bytes; /* of HELD_STRING */
                const struct model_tensor *tensor;
                const OnnxGraph *graph; /* of a struct model_graph */
                const float *floats;
                const int64_t *ints;
                const ProtobufCBinaryData *strings;
                const OnnxSparseTensor *sparse;
                const OnnxType *type_proto;
                const char *reference;
                const struct model_attribute *several; /* in the order of their types */
                const void *list;                      /* any other: nobody reads its elements */
        };
        uint32_t count; /* bytes, or elements of a list */
        uint8_t type;   /* that it says it has; HELD_UNDEFINED: it does not say */
        uint8_t held;
};

/* The declared type of an attribute, of ONNX's number for it. */
static inline uint8_t attribute_type(uint32_t number)
{
        return (uint8_t)(number < TYPE_OF_NO_VALUE ? number : TYPE_OF_NO_VALUE);
}

/* attribute_value() of an attribute that holds several. */
const struct model_attribute *attribute_among(const struct model_attribute *attribute, enum attribute_held held);

/* Its value of that type, whatever type it says it has; NULL: it has none. */
static inline const struct model_attribute *attribute_value(const struct model_attribute *attribute,
                                                            enum attribute_held held)
{
        if (attribute->held == held)
                return attribute;
        return attribute->held == HELD_SEVERAL ? attribute_among(attribute, held) : NULL;
}

/* 0 where there is no such value, for proto3 writers omit a zero. */
static inline int64_t attribute_int(const struct model_attribute *attribute)
{
        const struct model_attribute *value = attribute_value(attribute, HELD_INT);

        return value ? value->i : 0;
}

static inline float attribute_float(const struct model_attribute *attribute)
{
        const struct model_attribute *value = attribute_value(attribute, HELD_FLOAT);

        return value ? value->f : 0.0F;
}

/* NULL. */
static inline const struct model_tensor *attribute_tensor(const struct model_attribute *attribute)
{
        const struct model_attribute *value = attribute_value(attribute, HELD_TENSOR);

        return value ? value->tensor : NULL;
}

static inline const OnnxGraph *attribute_graph(const struct model_attribute *attribute)
{
        const struct model_attribute *value = attribute_value(attribute, HELD_GRAPH);

        return value ? value->graph : NULL;
}

/* Elements of a list, or bytes of a string. */
static inline size_t attribute_count(const struct model_attribute *attribute, enum attribute_held held)
{
        const struct model_attribute *value = attribute_value(attribute, held);

        return value ? value->count : 0;
}
