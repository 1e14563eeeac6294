/* A tensor of the model as inference reads it: its sizes, and where its elements stand, if they are there at all. */
#pragma once

#include "base/str.h"
#include "dim/dim.h"
#include "model/onnx.h"

/* The field of a TensorProto that has the elements. SEVERAL: more than one have some. */
enum tensor_place {
        PLACE_NONE,
        PLACE_RAW,
        PLACE_FLOAT,
        PLACE_INT32,
        PLACE_STRING,
        PLACE_INT64,
        PLACE_DOUBLE,
        PLACE_UINT64,
        PLACE_SEVERAL
};

#define LOCATION_EXTERNAL 1 /* TensorProto.DataLocation */

struct model_tensor {
        struct model_tensor *next;
        const void *data; /* entries of the field, or bytes of raw_data */
        str_id name;
        int32_t data_type;
        uint32_t n_dim, n_data;
        uint8_t place;
        bool has_raw;      /* it has raw_data, which may be empty */
        bool is_elsewhere; /* its data were dropped, or are external */
        struct dim dim[];  /* numbers, as they are given: some may be negative */
};

/* The initializers of a graph, in their order. */
struct tensor_list {
        struct model_tensor *first, *last;
        size_t count;
};

/* A tensor whose sizes are to be filled in, without anything else. */
struct model_tensor *model_tensor_new(struct arena *arena, size_t n_dim);

/* What protobuf-c read, without its name. The data stay where they are. */
struct model_tensor *model_tensor_of(struct arena *arena, const OnnxTensor *proto);

static inline void tensor_list_add(struct tensor_list *list, struct model_tensor *tensor)
{
        if (list->last)
                list->last->next = tensor;
        else
                list->first = tensor;
        list->last = tensor;
        list->count++;
}
