/* Types and elements of the model's own tensors. */
#include "ops/node/tensor.h"
#include "unit.h"

#include <math.h>
#include <string.h>

#define INIT SHAPED__ONNX__V1__TENSOR_PROTO__INIT

static struct arena *arena;
static struct ox_limits limits;

static void setup(void)
{
        if (arena != NULL)
                return;
        arena = arena_new((size_t)1 << 24);
        ck_assert_ptr_nonnull(arena);
        ox_limits_default(&limits);
}

static OnnxTensor tensor_of(enum elem elem, size_t rank, const int64_t *dims)
{
        OnnxTensor tensor = INIT;

        setup();
        tensor.data_type = elem;
        tensor.n_dims = rank;
        tensor.dims = arena_new_array(arena, int64_t, rank);
        if (rank > 0)
                memcpy(tensor.dims, dims, rank * sizeof(*dims));
        return tensor;
}

static OnnxTensor vector_of(enum elem elem, int64_t count)
{
        return tensor_of(elem, 1, &count);
}

static OnnxTensor raw_vector(enum elem elem, int64_t count, const void *bytes, size_t size)
{
        OnnxTensor tensor = vector_of(elem, count);

        tensor.has_raw_data = true;
        tensor.raw_data.len = size;
        tensor.raw_data.data = arena_alloc(arena, size);
        if (size > 0)
                memcpy(tensor.raw_data.data, bytes, size);
        return tensor;
}

static OnnxTensor int32_vector(enum elem elem, int64_t count, const int32_t *entries, size_t n)
{
        OnnxTensor tensor = vector_of(elem, count);

        tensor.n_int32_data = n;
        tensor.int32_data = arena_new_array(arena, int32_t, n);
        memcpy(tensor.int32_data, entries, n * sizeof(*entries));
        return tensor;
}

/* The contents, which must be as many. */
static const struct content *has_count(const OnnxTensor *tensor, size_t count)
{
        const char *fault = NULL;
        const struct content *content = tensor_content(arena, &limits, model_tensor_of(arena, tensor), &fault);

        ck_assert_msg(fault == NULL, "%s", fault);
        ck_assert_ptr_nonnull(content);
        ck_assert_uint_eq(content->count, count);
        return content;
}

/* What an element must be that is an integer which nobody can know. */
#define UNKNOWN INT64_MIN

static void has_ints(const OnnxTensor *tensor, const int64_t *wanted, size_t count)
{
        const struct content *content = has_count(tensor, count);

        for (size_t i = 0; i < count; i++) {
                int64_t value;

                if (wanted[i] == UNKNOWN) {
                        ck_assert_int_eq(content_at(content, i).kind, SCALAR_UNKNOWN);
                        continue;
                }
                ck_assert(scalar_is_number(content_at(content, i), &value));
                ck_assert_int_eq(value, wanted[i]);
        }
}

static void has_floats(const OnnxTensor *tensor, const double *wanted, size_t count)
{
        const struct content *content = has_count(tensor, count);

        for (size_t i = 0; i < count; i++) {
                ck_assert_int_eq(content_at(content, i).kind, SCALAR_FLOAT);
                if (isnan(wanted[i])) {
                        ck_assert(isnan(content_at(content, i).f));
                        continue;
                }
                ck_assert(content_at(content, i).f == wanted[i]);
                ck_assert_int_eq(signbit(content_at(content, i).f) != 0, signbit(wanted[i]) != 0);
        }
}

static void has_none(const OnnxTensor *tensor, const char *wanted_fault)
{
        const char *fault = NULL;

        ck_assert_ptr_null(tensor_content(arena, &limits, model_tensor_of(arena, tensor), &fault));
        if (wanted_fault == NULL) {
                ck_assert_msg(fault == NULL, "%s", fault);
                return;
        }
        ck_assert_ptr_nonnull(fault);
        ck_assert_msg(strstr(fault, wanted_fault) != NULL, "wanted '%s', got '%s'", wanted_fault, fault);
        ck_assert_ptr_null(tensor_content(arena, &limits, model_tensor_of(arena, tensor), NULL));
}

#define RAW(elem, count, bytes) raw_vector((elem), (count), (bytes), sizeof(bytes) - 1)
#define INTS(tensor, ...)                                                                                              \
        do {                                                                                                           \
                OnnxTensor t_ = (tensor);                                                                              \
                const int64_t w_[] = {__VA_ARGS__};                                                                    \
                has_ints(&t_, w_, sizeof(w_) / sizeof(w_[0]));                                                         \
        } while (0)
#define FLOATS(tensor, ...)                                                                                            \
        do {                                                                                                           \
                OnnxTensor t_ = (tensor);                                                                              \
                const double w_[] = {__VA_ARGS__};                                                                     \
                has_floats(&t_, w_, sizeof(w_) / sizeof(w_[0]));                                                       \
        } while (0)
#define NONE(tensor, fault)                                                                                            \
        do {                                                                                                           \
                OnnxTensor t_ = (tensor);                                                                              \
                has_none(&t_, (fault));                                                                                \
        } while (0)
#define INT32(elem, count, ...)                                                                                        \
        int32_vector((elem), (count), (const int32_t[]){__VA_ARGS__},                                                  \
                     sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

START_TEST(reads_raw_integers)
{
        INTS(RAW(ELEM_INT64, 2, "\xfe\xff\xff\xff\xff\xff\xff\xff\x00\x01\x00\x00\x00\x00\x00\x00"), -2, 256);
        INTS(RAW(ELEM_UINT64, 2, "\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x80"), INT64_MAX,
             UNKNOWN);
        INTS(RAW(ELEM_INT32, 2, "\xff\xff\xff\xff\x00\x00\x00\x80"), -1, INT32_MIN);
        INTS(RAW(ELEM_UINT32, 1, "\xff\xff\xff\xff"), UINT32_MAX);
        INTS(RAW(ELEM_INT16, 2, "\xff\xff\xff\x7f"), -1, 32767);
        INTS(RAW(ELEM_UINT16, 1, "\xff\xff"), 65535);
        INTS(RAW(ELEM_INT8, 3, "\x80\x7f\xff"), -128, 127, -1);
        INTS(RAW(ELEM_UINT8, 2, "\x80\xff"), 128, 255);
        INTS(RAW(ELEM_BOOL, 3, "\x00\x01\x02"), 0, 1, 1);
        INTS(RAW(ELEM_INT4, 3, "\x8f\x07"), -1, -8, 7);
        INTS(RAW(ELEM_UINT4, 4, "\x8f\x07"), 15, 8, 7, 0);
        INTS(RAW(ELEM_INT2, 5, "\xe4\x03"), 0, 1, -2, -1, -1);
        INTS(RAW(ELEM_UINT2, 5, "\xe4\x03"), 0, 1, 2, 3, 3);
}
END_TEST

START_TEST(reads_raw_floats)
{
        FLOATS(RAW(ELEM_FLOAT, 3, "\x00\x00\x80\x3f\x00\x00\x80\xff\x00\x00\xc0\x7f"), 1.0, (double)-INFINITY,
               (double)NAN);
        FLOATS(RAW(ELEM_DOUBLE, 1, "\x9a\x99\x99\x99\x99\x99\xb9\x3f"), 0.1);
        FLOATS(RAW(ELEM_FLOAT16, 8, "\x00\x3c\x00\xc0\x00\x7c\x00\xfc\x01\x7c\x01\x00\xff\x7b\x00\x80"), 1.0, -2.0,
               (double)INFINITY, (double)-INFINITY, (double)NAN, 0x1p-24, 65504.0, -0.0);
        FLOATS(RAW(ELEM_BFLOAT16, 4, "\x80\x3f\x00\xc0\x80\x7f\x49\x40"), 1.0, -2.0, (double)INFINITY, 3.140625);
        INTS(RAW(ELEM_FLOAT8E5M2, 2, "\x00\x01"), UNKNOWN, UNKNOWN);
        INTS(RAW(ELEM_FLOAT4E2M1, 3, "\x00\x01"), UNKNOWN, UNKNOWN, UNKNOWN);
        NONE(RAW(ELEM_FLOAT6E2M3, 4, "\x00\x01\x02"), NULL);
        NONE(RAW(ELEM_COMPLEX64, 1, "12345678"), NULL);
        NONE(RAW(ELEM_COMPLEX64, 1, "1234567"), "has 7 bytes, but 1 elements of type complex64 need 8");
}
END_TEST

START_TEST(reads_typed_fields)
{
        OnnxTensor tensor = vector_of(ELEM_FLOAT, 2);

        tensor.n_float_data = 2;
        tensor.float_data = (float[]){0.5F, -3.0F};
        FLOATS(tensor, 0.5, -3.0);
        tensor = vector_of(ELEM_DOUBLE, 1);
        tensor.n_double_data = 1;
        tensor.double_data = (double[]){0.1};
        FLOATS(tensor, 0.1);
        tensor = vector_of(ELEM_INT64, 2);
        tensor.n_int64_data = 2;
        tensor.int64_data = (int64_t[]){INT64_MAX, -1};
        INTS(tensor, INT64_MAX, -1);
        tensor = vector_of(ELEM_UINT64, 2);
        tensor.n_uint64_data = 2;
        tensor.uint64_data = (uint64_t[]){7, UINT64_MAX};
        INTS(tensor, 7, UNKNOWN);
        tensor.data_type = ELEM_UINT32;
        INTS(tensor, 7, UNKNOWN);
        INTS(INT32(ELEM_INT32, 2, INT32_MIN, 5), INT32_MIN, 5);
        INTS(INT32(ELEM_INT8, 4, -128, 127, 128, -129), -128, 127, UNKNOWN, UNKNOWN);
        INTS(INT32(ELEM_UINT16, 3, 65535, -1, 65536), 65535, UNKNOWN, UNKNOWN);
        INTS(INT32(ELEM_BOOL, 3, 0, 1, 256), 0, 1, 1);
        INTS(INT32(ELEM_INT4, 3, 0x8f, 0x07), -1, -8, 7);
        INTS(INT32(ELEM_UINT2, 5, 0xe4, 3), 0, 1, 2, 3, 3);
        FLOATS(INT32(ELEM_FLOAT16, 2, 0x3c00, 0xc000), 1.0, -2.0);
        FLOATS(INT32(ELEM_BFLOAT16, 1, 0x3f80), 1.0);
}
END_TEST

START_TEST(reads_scalars_and_empty_tensors)
{
        OnnxTensor scalar = tensor_of(ELEM_INT64, 0, NULL);
        OnnxTensor empty = tensor_of(ELEM_INT64, 3, (const int64_t[]){INT64_MAX, INT64_MAX, 0});

        scalar.n_int64_data = 1;
        scalar.int64_data = (int64_t[]){42};
        INTS(scalar, 42);
        has_ints(&empty, NULL, 0);
        empty.n_int64_data = 1;
        empty.int64_data = scalar.int64_data;
        NONE(empty, "int64_data has 1 entries, but 0 elements of type int64 need 0");
}
END_TEST

START_TEST(knows_nothing_of_what_is_not_there)
{
        OnnxTensor tensor = RAW(ELEM_UINT8, 2, "ab"), strings = vector_of(ELEM_STRING, 1);

        tensor.data_dropped = true;
        NONE(tensor, NULL);
        tensor.data_dropped = false;
        tensor.data_location = 1;
        NONE(tensor, NULL);
        tensor.data_location = 0;
        tensor.n_external_data = 1;
        NONE(tensor, NULL);
        NONE(vector_of(ELEM_INT64, 3), NULL);
        strings.n_string_data = 1;
        NONE(strings, NULL);
        strings.n_string_data = 2;
        NONE(strings, "string_data has 2 entries, but 1 elements of type string need 1");
        limits.content_elements = 2;
        INTS(RAW(ELEM_UINT8, 2, "ab"), 'a', 'b');
        NONE(RAW(ELEM_UINT8, 3, "abc"), NULL);
        NONE(RAW(ELEM_UINT8, 3, "ab"), "raw_data has 2 bytes");
        ox_limits_default(&limits);
}
END_TEST

START_TEST(tells_faulty_tensors)
{
        OnnxTensor tensor = RAW(ELEM_INT64, 1, "12345678");

        tensor.n_int64_data = 1;
        tensor.int64_data = (int64_t[]){1};
        NONE(tensor, "more than one field");
        NONE(INT32(ELEM_INT64, 1, 7), "stand in int32_data, but elements of type int64 go to int64_data");
        NONE(RAW(ELEM_STRING, 1, "s"), "stand in raw_data, but elements of type string go to string_data");
        NONE(INT32(ELEM_INT4, 3, 1, 2, 3), "has 3 entries, but 3 elements of type int4 need 2");
        NONE(RAW(ELEM_INT64, -1, "12345678"), "size -1 of dimension 0 is negative");
        NONE(tensor_of(ELEM_INT8, 2, (const int64_t[]){INT64_MAX, 2}), "more than an int64 holds");
        NONE(RAW(ELEM_INT64, INT64_MAX, "12345678"), NULL); /* more bits than can be counted */
        NONE(RAW(ELEM_UNDEFINED, 1, "1"), NULL);
        NONE(RAW(ELEM_INT64, 1, ""), "raw_data is empty");
        NONE(RAW(ELEM_INT64, 2, ""), NULL); /* weights that were left out */
}
END_TEST

START_TEST(tells_types)
{
        OnnxTensor tensor = tensor_of(ELEM_FLOAT, 2, (const int64_t[]){3, 0});
        const char *fault = NULL;
        struct type type;

        ck_assert(tensor_type(arena, &limits, model_tensor_of(arena, &tensor), &type, &fault));
        ck_assert_int_eq(type.kind, TYPE_TENSOR);
        ck_assert_int_eq(type.elem, ELEM_FLOAT);
        ck_assert_int_eq(type.rank, 2);
        ck_assert(dim_is(type.dim[0], 3) && dim_is(type.dim[1], 0));
        limits.rank = 1;
        ck_assert(!tensor_type(arena, &limits, model_tensor_of(arena, &tensor), &type, &fault));
        ox_limits_default(&limits);
        ck_assert_ptr_nonnull(strstr(fault, "rank 2"));
        tensor = vector_of(ELEM_FLOAT, -5);
        ck_assert(!tensor_type(arena, &limits, model_tensor_of(arena, &tensor), &type, &fault));
        ck_assert_ptr_nonnull(strstr(fault, "size -5 of dimension 0"));
        tensor = vector_of(ELEM_COUNT, 1);
        ck_assert(!tensor_type(arena, &limits, model_tensor_of(arena, &tensor), &type, &fault));
        ck_assert_ptr_nonnull(strstr(fault, "not an element type"));
        ck_assert(!tensor_type(arena, &limits, model_tensor_of(arena, &tensor), &type, NULL));
}
END_TEST

/* What is of one kind takes 8 bytes an element; what follows that is of another changes nothing of what was set. */
START_TEST(kinds_of_contents)
{
        enum { MANY = 1000 };
        const struct scalar others[] = {scalar_unknown(),
                                        scalar_int(dim_int(-5)),
                                        scalar_float(0.25),
                                        scalar_int((struct dim){.expr = 7}),
                                        {.kind = SCALAR_RATIO, .d = {.expr = 9}, .den = 4}};

        setup();
        for (int floats = 0; floats < 2; floats++) {
                for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
                        size_t before = arena_used(arena);
                        struct content *content = content_new(arena, MANY);

                        for (size_t i = 0; i < MANY; i++)
                                content_set(content, i,
                                            floats ? scalar_float((double)i / 2) : scalar_int(dim_int((int64_t)i)));
                        ck_assert_uint_lt(arena_used(arena) - before, MANY * sizeof(int64_t) + 256);
                        ck_assert(content_is_known(content));
                        content_set(content, 500, others[k]);
                        ck_assert(content_is_known(content) == (others[k].kind != SCALAR_UNKNOWN));
                        for (size_t i = 0; i < MANY; i++) {
                                struct scalar s = content_at(content, i);

                                if (i == 500)
                                        ck_assert(s.kind == others[k].kind && dim_same(s.d, others[k].d));
                                else if (floats)
                                        ck_assert(s.kind == SCALAR_FLOAT && s.f == (double)i / 2);
                                else
                                        ck_assert(s.kind == SCALAR_INT && dim_is(s.d, (int64_t)i));
                        }
                }
        }
}
END_TEST

UNIT_MAIN("tensor", kinds_of_contents, reads_raw_integers, reads_raw_floats, reads_typed_fields,
          reads_scalars_and_empty_tensors, knows_nothing_of_what_is_not_there, tells_faulty_tensors, tells_types);
