#include "model/tensor.h"

struct entries {
        const void *at;
        size_t count;
};

static void find_data(const OnnxTensor *proto, struct model_tensor *ret)
{
        const struct entries fields[] = {
                [PLACE_NONE] = {NULL, 0},
                [PLACE_RAW] = {proto->raw_data.data, proto->has_raw_data ? proto->raw_data.len : 0},
                [PLACE_FLOAT] = {proto->float_data, proto->n_float_data},
                [PLACE_INT32] = {proto->int32_data, proto->n_int32_data},
                [PLACE_STRING] = {proto->string_data, proto->n_string_data},
                [PLACE_INT64] = {proto->int64_data, proto->n_int64_data},
                [PLACE_DOUBLE] = {proto->double_data, proto->n_double_data},
                [PLACE_UINT64] = {proto->uint64_data, proto->n_uint64_data},
        };

        for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
                if (fields[i].count == 0)
                        continue;
                ret->place = ret->place == PLACE_NONE ? (uint8_t)i : PLACE_SEVERAL;
                ret->data = fields[i].at;
                ret->n_data = (uint32_t)fields[i].count; /* no message has 2 GiB */
        }
}

struct model_tensor *model_tensor_new(struct arena *arena, size_t n_dim)
{
        struct model_tensor *tensor = arena_alloc(arena, sizeof(*tensor) + n_dim * sizeof(*tensor->dim));

        *tensor = (struct model_tensor){.n_dim = (uint32_t)n_dim};
        return tensor;
}

struct model_tensor *model_tensor_of(struct arena *arena, const OnnxTensor *proto)
{
        struct model_tensor *tensor = model_tensor_new(arena, proto->n_dims);

        tensor->data_type = proto->data_type;
        tensor->has_raw = proto->has_raw_data;
        tensor->is_elsewhere =
                proto->data_dropped || proto->data_location == LOCATION_EXTERNAL || proto->n_external_data > 0;
        for (size_t d = 0; d < proto->n_dims; d++)
                tensor->dim[d] = dim_int(proto->dims[d]);
        find_data(proto, tensor);
        return tensor;
}
