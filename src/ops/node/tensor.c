/* Types and elements of the model's own tensors: initializers and attributes (onnx.proto, TensorProto). */
#include "ops/node/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"

/* -- the type -- */

static void set_fault(const char **ret_fault, const char *text)
{
        if (ret_fault)
                *ret_fault = text;
}

static bool sizes_are_valid(struct arena *arena, const struct model_tensor *tensor, const char **ret_fault)
{
        for (size_t d = 0; d < tensor->n_dim; d++) {
                if (tensor->dim[d].val >= 0)
                        continue;
                set_fault(ret_fault,
                          arena_printf(arena, "size %" PRId64 " of dimension %zu is negative", tensor->dim[d].val, d));
                return false;
        }
        return true;
}

/* The number of elements; false if it exceeds int64. */
static bool count_elements(const struct model_tensor *tensor, int64_t *ret)
{
        int64_t count = 1;
        bool is_empty = false, is_over = false;

        for (size_t d = 0; d < tensor->n_dim; d++) {
                is_empty = is_empty || tensor->dim[d].val == 0;
                is_over = is_over || !mul_i64(count, tensor->dim[d].val, &count);
        }
        *ret = is_empty ? 0 : count;
        return is_empty || !is_over;
}

bool tensor_type(struct arena *arena, const struct ox_limits *limits, const struct model_tensor *tensor,
                 struct type *ret, const char **ret_fault)
{
        int64_t elem = tensor->data_type;

        if (!elem_is_valid(elem)) {
                set_fault(ret_fault, arena_printf(arena, "data_type %" PRId64 " is not an element type", elem));
                return false;
        }
        if (limits->rank < 0 || tensor->n_dim > (uint64_t)limits->rank) {
                set_fault(ret_fault, arena_printf(arena, "rank %" PRIu32 " is more than the limit rank, %" PRId64,
                                                  tensor->n_dim, limits->rank));
                return false;
        }
        if (!sizes_are_valid(arena, tensor, ret_fault))
                return false;
        *ret = type_tensor((enum elem)elem, (int)tensor->n_dim, tensor->dim);
        return true;
}

/* -- the place of the data -- */

static const char *const place_names[] = {"no data",     "raw_data",   "float_data",  "int32_data",
                                          "string_data", "int64_data", "double_data", "uint64_data"};

static_assert(sizeof(place_names) / sizeof(place_names[0]) == PLACE_UINT64 + 1, "each place has a name");

/* The typed field that onnx.proto names for an element type. */
static enum tensor_place place_of(enum elem elem)
{
        switch (elem) {
        case ELEM_FLOAT:
        case ELEM_COMPLEX64:
                return PLACE_FLOAT;
        case ELEM_DOUBLE:
        case ELEM_COMPLEX128:
                return PLACE_DOUBLE;
        case ELEM_INT64:
                return PLACE_INT64;
        case ELEM_UINT32:
        case ELEM_UINT64:
                return PLACE_UINT64;
        case ELEM_STRING:
                return PLACE_STRING;
        default:
                return PLACE_INT32;
        }
}

/* Elements in one entry of a typed field, or, if negative, entries for one element. */
static int64_t elements_an_entry(enum elem elem)
{
        int bits = elem_bits(elem);

        if (elem == ELEM_COMPLEX64 || elem == ELEM_COMPLEX128)
                return -2;
        return bits == 2 || bits == 4 ? 8 / bits : 1;
}

/* Entries (bytes of raw_data) for `count` elements; -1 if unknown or beyond int64. */
static int64_t entries_wanted(enum tensor_place place, enum elem elem, int64_t count)
{
        int64_t bits, each = elements_an_entry(elem);

        if (place == PLACE_RAW) {
                if (elem == ELEM_FLOAT6E2M3 || elem == ELEM_FLOAT6E3M2 || !mul_i64(count, elem_bits(elem), &bits))
                        return -1;
                return bits / 8 + (bits % 8 != 0);
        }
        if (each > 0)
                return count / each + (count % each != 0);
        return mul_i64(count, -each, &bits) ? bits : -1;
}

/* -- elements -- */

/* IEEE 754 binary16. */
static double from_float16(uint16_t bits)
{
        int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
        double value;

        if (exponent == 0x1f)
                value = fraction ? (double)NAN : (double)INFINITY;
        else if (exponent == 0)
                value = ldexp(fraction, -24);
        else
                value = ldexp(fraction | 0x400, exponent - 25);
        return bits >> 15 ? -value : value;
}

static double from_float32(uint32_t bits)
{
        float value;

        memcpy(&value, &bits, sizeof(value));
        return (double)value;
}

static double from_float64(uint64_t bits)
{
        double value;

        memcpy(&value, &bits, sizeof(value));
        return value;
}

/* An element from the lower `elem_bits(elem)` bits. */
static struct scalar from_bits(enum elem elem, uint64_t bits)
{
        int width = elem_bits(elem);

        switch (elem) {
        case ELEM_FLOAT:
                return scalar_float(from_float32((uint32_t)bits));
        case ELEM_DOUBLE:
                return scalar_float(from_float64(bits));
        case ELEM_FLOAT16:
                return scalar_float(from_float16((uint16_t)bits));
        case ELEM_BFLOAT16:
                return scalar_float(from_float32((uint32_t)(bits & 0xffff) << 16));
        case ELEM_BOOL:
                return scalar_int(dim_int((bits & 0xff) != 0));
        default:
                break;
        }
        int64_t lower, upper;

        /* Floats of eight bits or fewer are not read. */
        if (!elem_int_range(elem, &lower, &upper))
                return scalar_unknown();
        if (width < 64)
                bits &= (UINT64_C(1) << width) - 1;
        if (lower == 0)
                return bits <= INT64_MAX ? scalar_int(dim_int((int64_t)bits)) : scalar_unknown();
        if (width < 64 && bits > (uint64_t)upper)
                return scalar_int(dim_int((int64_t)(bits - (UINT64_C(1) << width))));
        return scalar_int(dim_int((int64_t)bits));
}

/* A number of raw_data, in the order that a processor may not have. */
static uint64_t little(const uint8_t *at, size_t width)
{
        uint64_t bits = 0;

        for (size_t b = 0; b < width; b++)
                bits |= (uint64_t)at[b] << (8 * b);
        return bits;
}

/* Element i of raw_data, which is little-endian; elements of less than a byte fill it from its low end. */
static struct scalar from_raw(const uint8_t *raw, enum elem elem, size_t i)
{
        size_t width = (size_t)elem_bits(elem);

        if (width == 6 || width > 64)
                return scalar_unknown();
        if (width < 8)
                return from_bits(elem, (uint64_t)raw[i * width / 8] >> (i * width % 8));
        return from_bits(elem, little(raw + i * (width / 8), width / 8));
}

/* Element i of int32_data: an integer, or the bits of a float, or several elements of less than a byte. */
static struct scalar from_int32(const int32_t *data, enum elem elem, size_t i)
{
        size_t each = (size_t)elements_an_entry(elem), width = (size_t)elem_bits(elem);
        int64_t lower, upper;

        if (each > 1)
                return from_bits(elem, (uint64_t)(uint32_t)data[i / each] >> (i % each * width));
        /* A number that the type cannot hold is invalid. */
        if (elem != ELEM_BOOL && elem_int_range(elem, &lower, &upper) && (data[i] < lower || data[i] > upper))
                return scalar_unknown();
        return from_bits(elem, elem == ELEM_BOOL ? data[i] != 0 : (uint64_t)(uint32_t)data[i]);
}

static struct scalar from_uint64(uint64_t data, enum elem elem)
{
        return elem == ELEM_UINT32 && data > UINT32_MAX ? scalar_unknown() : from_bits(elem, data);
}

static struct scalar element_at(const struct model_tensor *tensor, size_t i)
{
        const enum elem elem = (enum elem)tensor->data_type;

        switch (tensor->place) {
        case PLACE_RAW:
                return from_raw(tensor->data, elem, i);
        case PLACE_FLOAT:
                return scalar_float((double)((const float *)tensor->data)[i]);
        case PLACE_INT32:
                return from_int32(tensor->data, elem, i);
        case PLACE_INT64:
                return scalar_int(dim_int(((const int64_t *)tensor->data)[i]));
        case PLACE_DOUBLE:
                return scalar_float(((const double *)tensor->data)[i]);
        case PLACE_UINT64:
                return from_uint64(((const uint64_t *)tensor->data)[i], elem);
        default:
                return scalar_unknown();
        }
}

/* The first elements of a float tensor, as it has them in raw_data or float_data. */
static void read_floats(const struct model_tensor *tensor, size_t count, double *to)
{
        const bool is_raw = tensor->place == PLACE_RAW;
        const uint8_t *raw = tensor->data;

        for (size_t i = 0; i < count && is_raw; i++)
                to[i] = from_float32((uint32_t)little(raw + i * sizeof(float), sizeof(float)));
        for (size_t i = 0; i < count && !is_raw; i++)
                to[i] = (double)((const float *)tensor->data)[i];
}

/* The same of an int64 one. */
static void read_ints(const struct model_tensor *tensor, size_t count, int64_t *to)
{
        const bool is_raw = tensor->place == PLACE_RAW;
        const uint8_t *raw = tensor->data;

        for (size_t i = 0; i < count && is_raw; i++)
                to[i] = (int64_t)little(raw + i * sizeof(int64_t), sizeof(int64_t));
        for (size_t i = 0; i < count && !is_raw; i++)
                to[i] = ((const int64_t *)tensor->data)[i];
}

/* A scalar or vector of so many elements takes no more memory with them than with what is needed to fetch them. */
#define FEW_ELEMENTS 5

/* Whether a tensor is such a one of a usual type, all of whose data are here. */
static bool is_small(const struct model_tensor *tensor, int64_t count, size_t width)
{
        if (tensor->n_dim > 1 || count < 1 || count > FEW_ELEMENTS || tensor->is_elsewhere)
                return false;
        if (tensor->place == PLACE_RAW)
                return tensor->n_data == (uint64_t)count * width;
        return tensor->place == (width == sizeof(int64_t) ? PLACE_INT64 : PLACE_FLOAT) &&
               tensor->n_data == (uint64_t)count;
}

const struct content *tensor_content_small(struct arena *arena, const struct ox_limits *limits,
                                           const struct model_tensor *tensor)
{
        const bool is_int = tensor->data_type == ELEM_INT64;
        const int64_t count = tensor->n_dim == 0 ? 1 : tensor->dim[0].val;
        const size_t width = is_int ? sizeof(int64_t) : sizeof(float);

        if ((!is_int && tensor->data_type != ELEM_FLOAT) || !is_small(tensor, count, width) ||
            limits->content_elements < FEW_ELEMENTS || limits->rank < 1)
                return NULL;
        struct {
                struct content content;
                union {
                        int64_t i;
                        double f;
                } element[];
        } *of = arena_alloc(arena, sizeof(*of) + (size_t)count * sizeof(of->element[0]));
        of->content = (struct content){
                .count = (size_t)count, .form = is_int ? CONTENT_INTS : CONTENT_FLOATS, .arena = arena};
        if (is_int)
                read_ints(tensor, (size_t)count, of->content.ints = &of->element[0].i);
        else
                read_floats(tensor, (size_t)count, of->content.floats = &of->element[0].f);
        return &of->content;
}

/* All elements at once of the types that most tensors have; false for another type. */
static bool fetch_floats(struct content *content, const struct model_tensor *tensor)
{
        if (tensor->data_type != ELEM_FLOAT || content->count == 0 ||
            (tensor->place != PLACE_RAW && tensor->place != PLACE_FLOAT))
                return false;
        content->floats = arena_new_array(content->arena, double, content->count);
        content->form = CONTENT_FLOATS;
        read_floats(tensor, content->count, content->floats);
        return true;
}

static bool fetch_ints(struct content *content, const struct model_tensor *tensor)
{
        if (tensor->data_type != ELEM_INT64 || content->count == 0 ||
            (tensor->place != PLACE_RAW && tensor->place != PLACE_INT64))
                return false;
        content->ints = arena_new_array(content->arena, int64_t, content->count);
        content->form = CONTENT_INTS;
        read_ints(tensor, content->count, content->ints);
        return true;
}

struct tensor_source {
        struct content content;
        struct unread unread;
        const struct model_tensor *tensor;
};

static const struct content *tensor_fetch(struct unread *unread)
{
        const struct tensor_source *source = unread->source;
        struct content *content = content_new(unread->arena, source->content.count);

        if (fetch_floats(content, source->tensor) || fetch_ints(content, source->tensor))
                return content;
        for (size_t i = 0; i < content->count; i++)
                content_set(content, i, element_at(source->tensor, i));
        return content;
}

const struct content *tensor_content_later(struct arena *arena, const struct ox_limits *limits,
                                           const struct model_tensor *tensor, const char **ret_fault)
{
        const enum tensor_place place = (enum tensor_place)tensor->place;
        const bool may_be_small = tensor->n_data > 0 && tensor->n_data <= FEW_ELEMENTS * sizeof(int64_t);
        const struct content *small = may_be_small ? tensor_content_small(arena, limits, tensor) : NULL;
        int64_t count, wanted;

        if (small)
                return small;
        if (!elem_is_valid(tensor->data_type) || !sizes_are_valid(arena, tensor, ret_fault))
                return NULL;
        if (!count_elements(tensor, &count)) {
                set_fault(ret_fault, "the number of its elements is more than an int64 holds");
                return NULL;
        }
        if (tensor->is_elsewhere)
                return NULL;
        enum elem elem = (enum elem)tensor->data_type;

        if (place == PLACE_SEVERAL) {
                set_fault(ret_fault, "its data stand in more than one field");
                return NULL;
        }
        /* A model may come without its weights, which are unknown then. A single element cannot be weights. */
        if (place == PLACE_NONE && count == 1 && tensor->has_raw)
                set_fault(ret_fault, "raw_data is empty, but there is one element");
        if (place == PLACE_NONE && count > 0)
                return NULL;
        if (place != PLACE_NONE && place != place_of(elem) && (place != PLACE_RAW || elem == ELEM_STRING)) {
                set_fault(ret_fault, arena_printf(arena, "its data stand in %s, but elements of type %s go to %s",
                                                  place_names[place], elem_name(elem), place_names[place_of(elem)]));
                return NULL;
        }
        wanted = entries_wanted(place, elem, count);
        if (wanted >= 0 && (uint64_t)wanted != tensor->n_data) {
                set_fault(ret_fault,
                          arena_printf(arena,
                                       "%s has %" PRIu32 " %s, but %" PRId64 " elements of type %s need %" PRId64,
                                       place_names[place], tensor->n_data, place == PLACE_RAW ? "bytes" : "entries",
                                       count, elem_name(elem), wanted));
                return NULL;
        }
        if (wanted < 0 || count > limits->content_elements || elem == ELEM_STRING || elem == ELEM_COMPLEX64 ||
            elem == ELEM_COMPLEX128)
                return NULL;
        struct tensor_source *source = arena_new_array(arena, struct tensor_source, 1);

        *source = (struct tensor_source){
                .content = {.count = (size_t)count, .unread = &source->unread},
                .unread = {.fetch = tensor_fetch, .arena = arena, .source = source},
                .tensor = tensor,
        };
        return &source->content;
}

const struct content *tensor_content(struct arena *arena, const struct ox_limits *limits,
                                     const struct model_tensor *tensor, const char **ret_fault)
{
        return content_read(tensor_content_later(arena, limits, tensor, ret_fault));
}
