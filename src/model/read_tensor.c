/* Tensors, which are mostly sizes, a type, a name, and bytes that stand elsewhere or stay where they are: read into
   what inference reads, without protobuf-c's struct between. */
#include <string.h>

#include "model/read_internal.h"

enum {
        DIMS = TAG(1, WIRE_VARINT),
        DIMS_PACKED = TAG(1, WIRE_LENGTH),
        DATA_TYPE = TAG(2, WIRE_VARINT),
        FLOATS = TAG(4, WIRE_LENGTH),
        FLOATS_SINGLE = TAG(4, WIRE_I32),
        INT32S = TAG(5, WIRE_LENGTH),
        INT32S_SINGLE = TAG(5, WIRE_VARINT),
        STRINGS = TAG(6, WIRE_LENGTH),
        INT64S = TAG(7, WIRE_LENGTH),
        INT64S_SINGLE = TAG(7, WIRE_VARINT),
        NAME = TAG(8, WIRE_LENGTH),
        RAW = TAG(9, WIRE_LENGTH),
        DOUBLES = TAG(10, WIRE_LENGTH),
        DOUBLES_SINGLE = TAG(10, WIRE_I64),
        UINT64S = TAG(11, WIRE_LENGTH),
        UINT64S_SINGLE = TAG(11, WIRE_VARINT),
        EXTERNAL = TAG(13, WIRE_LENGTH),
        LOCATION = TAG(14, WIRE_VARINT),
};

/* Bytes of the mark that the skimmer leaves of a payload. */
#define MARK_BYTES 4

/* What is read of a tensor before it is made. */
struct tensor_parts {
        struct varints dims;
        struct span name; /* `at` NULL: it has none */
        int32_t data_type, location;
        ProtobufCBinaryData raw;
        const void *numbers; /* a list of them ... */
        size_t n_number;
        uint8_t place; /* ... of this field */
        bool has_raw, is_external, is_dropped;
        uint32_t kept; /* bytes of the payload that are, as the skimmer counts them ... */
        size_t whole;  /* ... and with the fields' heads */
};

/* -- the payload -- */

static void drop_payload(struct reader *r, struct tensor_parts *parts)
{
        parts->is_dropped = true;
        r->dropped += parts->whole - MARK_BYTES;
        parts->n_number = 0;
        parts->place = PLACE_NONE;
        parts->has_raw = false;
        parts->raw = (ProtobufCBinaryData){0};
}

/* Whether a field of the payload is kept, as skim_payload_fits() has it. */
static bool payload_fits(struct reader *r, const struct field *field, struct tensor_parts *parts)
{
        const size_t size = (size_t)(field->content.end - field->content.at);

        if (parts->is_dropped) {
                r->dropped += field->size;
                return false;
        }
        parts->whole += field->size;
        if (size <= r->limits.payload_most - parts->kept) {
                parts->kept += size ? (uint32_t)size : 1;
                if (parts->kept <= r->limits.payload_most)
                        return true;
        }
        drop_payload(r, parts);
        return false;
}

static bool keep_fixed(struct reader *r, struct span content, size_t width, struct tensor_parts *parts)
{
        const size_t size = (size_t)(content.end - content.at);
        void *numbers = arena_alloc(r->names->arena, size);

        memcpy(numbers, content.at, size);
        parts->numbers = numbers;
        parts->n_number = size / width;
        return size % width == 0;
}

static bool keep_varints(struct reader *r, struct span content, size_t width, struct tensor_parts *parts)
{
        struct varints varints;
        void *numbers;

        if (!read_packed_varints(content, &varints))
                return false;
        numbers = arena_array(r->names->arena, varints.count, width);
        put_varints(varints, width, numbers);
        parts->numbers = numbers;
        parts->n_number = varints.count;
        return true;
}

/* The numbers of a field, which are the tensor's only ones. */
static bool read_numbers(struct reader *r, const struct field *field, enum tensor_place place,
                         struct tensor_parts *parts)
{
        if (parts->n_number > 0)
                return false;
        if (!payload_fits(r, field, parts))
                return true;
        parts->place = (uint8_t)place;
        if (place == PLACE_FLOAT || place == PLACE_DOUBLE)
                return keep_fixed(r, field->content, place == PLACE_FLOAT ? sizeof(float) : sizeof(double), parts);
        return keep_varints(r, field->content, place == PLACE_INT32 ? sizeof(int32_t) : sizeof(int64_t), parts);
}

static void read_raw(struct reader *r, struct field field, struct tensor_parts *parts)
{
        if (!payload_fits(r, &field, parts))
                return;
        parts->has_raw = true;
        parts->raw = read_bytes(r, field.content);
}

/* -- the rest -- */

/* A field of few tensors. */
static bool read_rare(struct reader *r, struct field one, struct tensor_parts *parts)
{
        const struct field *field = &one;

        switch (field->tag) {
        case FLOATS:
                return read_numbers(r, field, PLACE_FLOAT, parts);
        case INT32S:
                return read_numbers(r, field, PLACE_INT32, parts);
        case INT64S:
                return read_numbers(r, field, PLACE_INT64, parts);
        case DOUBLES:
                return read_numbers(r, field, PLACE_DOUBLE, parts);
        case UINT64S:
                return read_numbers(r, field, PLACE_UINT64, parts);
        case FLOATS_SINGLE:
        case INT32S_SINGLE:
        case INT64S_SINGLE:
        case DOUBLES_SINGLE:
        case UINT64S_SINGLE:
        case STRINGS:
                return false;
        default:
                return drop_field(r, field->size);
        }
}

/* `depth`: of messages that may nest in the tensor. Of entries of external_data nobody reads more than that they are
   there: of texts that are as they must be. */
static inline __attribute__((always_inline)) bool read_part(struct reader *r, const struct field *field, uint32_t depth,
                                                            struct tensor_parts *parts)
{
        const struct span content = field->content;

        switch (field->tag) {
        case DIMS_PACKED:
                return parts->dims.count == 0 && read_packed_varints(content, &parts->dims);
        case DATA_TYPE:
                parts->data_type = (int32_t)(uint32_t)field->value;
                return true;
        case NAME:
                if (parts->name.at || !is_name(r, content))
                        return false;
                parts->name = content;
                return true;
        case RAW:
                read_raw(r, *field, parts);
                return true;
        case EXTERNAL:
                parts->is_external = true;
                return depth > 0 && entry_is_intact(&r->limits, content.at, (size_t)(content.end - content.at));
        case LOCATION:
                parts->location = (int32_t)(uint32_t)field->value;
                return true;
        default:
                return read_rare(r, *field, parts);
        }
}

static bool read_parts(struct reader *r, struct span span, uint32_t depth, struct tensor_parts *parts)
{
        struct field field;

        while (span.at < span.end) {
                if (*span.at == DIMS) {
                        struct span rest = span;

                        if (parts->dims.count > 0 || !read_tagged_varints(&rest, &parts->dims))
                                return false;
                        span = rest;
                } else if (!take_field(&span, &field) || field.tag == DIMS || !read_part(r, &field, depth, parts)) {
                        return false;
                }
        }
        return parts->raw.len == 0 || parts->n_number == 0;
}

bool read_tensor_within(struct reader *r, struct span span, uint32_t depth, struct span *ret_name,
                        struct model_tensor **ret)
{
        struct tensor_parts parts = {0};
        struct model_tensor *tensor;

        if (!read_parts(r, span, depth, &parts))
                return false;
        tensor = model_tensor_new(r->names->arena, parts.dims.count);
        tensor->data_type = parts.data_type;
        tensor->has_raw = parts.has_raw;
        tensor->is_elsewhere = parts.is_dropped || parts.is_external || parts.location == LOCATION_EXTERNAL;
        if (parts.raw.len > 0) {
                tensor->place = PLACE_RAW;
                tensor->data = parts.raw.data;
                tensor->n_data = (uint32_t)parts.raw.len; /* no message has 2 GiB */
        } else if (parts.n_number > 0) {
                tensor->place = parts.place;
                tensor->data = parts.numbers;
                tensor->n_data = (uint32_t)parts.n_number;
        }
        for (struct dim *to = tensor->dim; parts.dims.count > 0; to++)
                *to = dim_int((int64_t)next_varint(&parts.dims));
        *ret_name = parts.name;
        *ret = tensor;
        return true;
}

bool read_initializer_within(struct reader *r, struct span span, uint32_t depth, struct model_tensor **ret)
{
        struct span name;

        if (!read_tensor_within(r, span, depth, &name, ret))
                return false;
        if (name.at)
                (*ret)->name = str_intern(r->names->strings, (const char *)name.at, (size_t)(name.end - name.at));
        return true;
}

bool read_initializer(struct reader *r, const uint8_t *at, size_t size, struct model_tensor **ret)
{
        return read_initializer_within(r, (struct span){at, at + size}, r->limits.depth, ret);
}
