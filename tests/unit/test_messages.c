/* Messages read from bytes and JSON, and written as JSON. */
#include <stdio.h>
#include <string.h>

#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "rpc/base64.h"
#include "rpc/messages.h"
#include "shaped.pb-c.h"
#include "unit.h"

static struct ox_context *context;

/* A text that is read as JSON, or bytes, as a message of a type, and the outcome. It runs under the context's guard. */
struct trial {
        const ProtobufCMessageDescriptor *type;
        const char *text;
        size_t length;
        bool is_json;
        struct message_fault fault;
        char written[4096];
};

static void collect(void *user, const char *bytes, size_t size)
{
        struct trial *trial = user;
        size_t used = strlen(trial->written);

        ck_assert_uint_lt(used + size, sizeof(trial->written));
        memcpy(trial->written + used, bytes, size);
        trial->written[used + size] = '\0';
}

static enum ox_code run(void *user)
{
        struct trial *trial = user;
        struct arena *arena = ox_context_arena(context);
        const struct ox_limits *limits = ox_context_limits(context);
        ProtobufCMessage *message;
        const struct json *json;
        struct json_out out;
        const char *error;

        if (trial->is_json) {
                ck_assert_int_eq(json_read(arena, limits, 0, trial->text, trial->length, &json, &error), OX_OK);
                TRY(message_from_json(arena, trial->type, json, &message, &trial->fault));
        } else {
                TRY(message_unpack(arena, limits, trial->type, (const uint8_t *)trial->text, trial->length, &message,
                                   &trial->fault));
        }
        json_begin(&out, arena_alloc(arena, JSON_BLOCK_BYTES), collect, trial);
        message_to_json(&out, arena, message);
        json_flush(&out);
        return OX_OK;
}

static enum ox_code try_message(struct trial *trial)
{
        if (context == NULL)
                context = ox_context_new(NULL);
        ck_assert_ptr_nonnull(context);
        ox_context_reset(context, SIZE_MAX);
        return ox_context_run(context, run, trial);
}

static void reads(const ProtobufCMessageDescriptor *type, const char *text, const char *wanted)
{
        struct trial trial = {.type = type, .text = text, .length = strlen(text), .is_json = true};

        ck_assert_msg(try_message(&trial) == OX_OK, "%s: %s: %s", text, trial.fault.field, trial.fault.text);
        ck_assert_str_eq(trial.written, wanted);
}

static void refuses(const ProtobufCMessageDescriptor *type, const char *text, const char *field)
{
        struct trial trial = {.type = type, .text = text, .length = strlen(text), .is_json = true};

        ck_assert_msg(try_message(&trial) == OX_INVALID_ARGUMENT, "%s is read as %s", text, trial.written);
        ck_assert_str_eq(trial.fault.field, field);
        ck_assert_str_ne(trial.fault.text, "");
}

#define TENSOR    (&shaped__onnx__v1__tensor_proto__descriptor)
#define ATTRIBUTE (&shaped__onnx__v1__attribute_proto__descriptor)
#define OPTIONS   (&shaped__v1__infer_options__descriptor)
#define DIMENSION (&shaped__onnx__v1__tensor_shape_proto__dimension__descriptor)
#define STATUS    (&google__rpc__status__descriptor)

START_TEST(names)
{
        reads(OPTIONS, "{\"checkTypes\":true}", "{\"checkTypes\":true}");
        reads(OPTIONS, "{\"check_types\":true}", "{\"checkTypes\":true}");
        reads(OPTIONS, "{\"checkTypes\":null,\"dims\":null}", "{}");
        reads(OPTIONS, "{\"dims\":[]}", "{}");
        refuses(OPTIONS, "{\"checktypes\":true}", "");
        refuses(OPTIONS, "{\"checkTypes\":true,\"check_types\":true}", "check_types");
        refuses(OPTIONS, "{\"dims\":[{\"name\":\"N\"},{\"value\":1.5}]}", "dims[1].value");
        refuses(OPTIONS, "[]", "");
        refuses(OPTIONS, "{\"dims\":{}}", "dims");
        refuses(OPTIONS, "{\"dims\":[null]}", "dims[0]");
}
END_TEST

START_TEST(integers)
{
        reads(TENSOR, "{\"dims\":[1,\"2\",3.0,1e3,-4]}", "{\"dims\":[\"1\",\"2\",\"3\",\"1000\",\"-4\"]}");
        reads(TENSOR, "{\"dims\":[\"9223372036854775807\",\"-9223372036854775808\"]}",
              "{\"dims\":[\"9223372036854775807\",\"-9223372036854775808\"]}");
        reads(TENSOR, "{\"uint64Data\":[\"18446744073709551615\",0]}",
              "{\"uint64Data\":[\"18446744073709551615\",\"0\"]}");
        reads(TENSOR, "{\"dataType\":-2147483648}", "{\"dataType\":-2147483648}");
        reads(TENSOR, "{\"dataType\":\"7\"}", "{\"dataType\":7}");
        refuses(TENSOR, "{\"dataType\":2147483648}", "data_type");
        refuses(TENSOR, "{\"dims\":[\"9223372036854775808\"]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[\"\"]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[\"-\"]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[\" 1\"]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[1.5]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[1e30]}", "dims[0]");
        refuses(TENSOR, "{\"dims\":[true]}", "dims[0]");
        refuses(TENSOR, "{\"uint64Data\":[-1]}", "uint64_data[0]");
        refuses(TENSOR, "{\"uint64Data\":[\"18446744073709551616\"]}", "uint64_data[0]");
}
END_TEST

START_TEST(floats)
{
        reads(TENSOR, "{\"floatData\":[1,0.1,\"NaN\",\"Infinity\",\"-Infinity\",\"2.5\"]}",
              "{\"floatData\":[1.0,0.1,\"NaN\",\"Infinity\",\"-Infinity\",2.5]}");
        reads(TENSOR, "{\"doubleData\":[1e300]}", "{\"doubleData\":[1e+300]}");
        refuses(TENSOR, "{\"floatData\":[1e300]}", "float_data[0]");
        refuses(TENSOR, "{\"floatData\":[\"nan\"]}", "float_data[0]");
        refuses(TENSOR, "{\"floatData\":[\"0x1\"]}", "float_data[0]");
        refuses(TENSOR, "{\"floatData\":[\"\"]}", "float_data[0]");
        refuses(TENSOR, "{\"floatData\":[false]}", "float_data[0]");
}
END_TEST

START_TEST(other_values)
{
        reads(TENSOR, "{\"rawData\":\"AAH/\"}", "{\"rawData\":\"AAH/\"}");
        reads(TENSOR, "{\"rawData\":\"AAH_\"}", "{\"rawData\":\"AAH/\"}");
        reads(TENSOR, "{\"rawData\":\"AA\"}", "{\"rawData\":\"AA==\"}");
        reads(TENSOR, "{\"rawData\":\"\"}", "{\"rawData\":\"\"}");
        reads(ATTRIBUTE, "{\"strings\":[\"AA==\",\"\"]}", "{\"strings\":[\"AA==\",\"\"]}");
        refuses(TENSOR, "{\"rawData\":\"A\"}", "raw_data");
        refuses(TENSOR, "{\"rawData\":\"AA=\"}", "raw_data");
        refuses(TENSOR, "{\"rawData\":\"A===\"}", "raw_data");
        refuses(TENSOR, "{\"rawData\":\"AA==AA==\"}", "raw_data");
        refuses(TENSOR, "{\"rawData\":\"A A=\"}", "raw_data");
        reads(OPTIONS, "{\"values\":\"ALL\",\"explain\":[\"x\"]}", "{\"values\":\"ALL\",\"explain\":[\"x\"]}");
        reads(OPTIONS, "{\"values\":3}", "{\"values\":\"ALL\"}");
        refuses(OPTIONS, "{\"values\":\"all\"}", "values");
        refuses(OPTIONS, "{\"values\":4}", "values");
        refuses(OPTIONS, "{\"strict\":1}", "strict");
        refuses(OPTIONS, "{\"explain\":[1]}", "explain[0]");
        reads(DIMENSION, "{\"dimValue\":0}", "{\"dimValue\":\"0\"}");
        reads(DIMENSION, "{\"dimParam\":\"\"}", "{\"dimParam\":\"\"}");
        refuses(DIMENSION, "{\"dimValue\":1,\"dimParam\":\"N\"}", "dim_param");
}
END_TEST

START_TEST(bytes)
{
        struct trial short_one = {.type = DIMENSION, .text = "\x12\x05N", .length = 3};
        struct trial with_nul = {.type = DIMENSION, .text = "\x12\x02N\0", .length = 4};
        struct trial unknown = {.type = DIMENSION, .text = "\x78\x01\x12\x01N", .length = 5};
        struct trial group = {.type = DIMENSION, .text = "\x0b\x0c", .length = 2};
        char deep[2 * 300];

        ck_assert_int_eq(try_message(&short_one), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(try_message(&with_nul), OX_INVALID_ARGUMENT);
        ck_assert_str_eq(with_nul.fault.field, "dim_param");
        ck_assert_int_eq(try_message(&unknown), OX_OK);
        ck_assert_str_eq(unknown.written, "{\"dimParam\":\"N\"}");
        ck_assert_int_eq(try_message(&group), OX_INVALID_ARGUMENT);
        /* SparseTensor and so on nest no deeper than themselves; a sequence's type may hold another. */
        size_t length = 0;

        for (int i = 0; i < 29; i++) {
                memmove(deep + 4, deep, length);
                deep[0] = 0x22; /* TypeProto.sequence_type */
                deep[1] = (char)(length + 2);
                deep[2] = 0x0a; /* Sequence.elem_type */
                deep[3] = (char)length;
                length += 4;
        }
        struct ox_limits limits;

        ox_limits_default(&limits);
        limits.message_depth = 20;
        ox_context_free(context);
        context = ox_context_new(&limits);
        struct trial nested = {.type = &shaped__onnx__v1__type_proto__descriptor, .text = deep, .length = length};

        ck_assert_int_eq(try_message(&nested), OX_RESOURCE_EXHAUSTED);
}
END_TEST

START_TEST(any)
{
        reads(STATUS,
              "{\"code\":3,\"message\":\"m\",\"details\":[{\"typeUrl\":\"x/"
              "shaped.v1.Diagnostic\",\"value\":\"CAE=\"}]}",
              "{\"code\":3,\"message\":\"m\",\"details\":[{\"@type\":\"x/"
              "shaped.v1.Diagnostic\",\"severity\":\"WARNING\"}]}");
        reads(STATUS, "{\"details\":[{\"typeUrl\":\"x/y.Z\",\"value\":\"CAE=\"}]}",
              "{\"details\":[{\"@type\":\"x/y.Z\",\"value\":\"CAE=\"}]}");
        /* Fields of proto3 that are zero are absent. */
        reads(STATUS, "{\"code\":0,\"message\":\"\"}", "{}");
}
END_TEST

START_TEST(base64_in_pieces)
{
        static const char text[] = "AAECAwQFBgcICQ==";

        for (size_t step = 1; step < sizeof(text); step++) {
                struct base64_decoder decoder = {.n_bits = 0};
                uint8_t decoded[16];
                size_t got = 0, size;

                for (size_t at = 0; at < strlen(text); at += step) {
                        size_t length = strlen(text) - at < step ? strlen(text) - at : step;

                        ck_assert(base64_decode(&decoder, text + at, length, decoded + got, &size));
                        got += size;
                }
                ck_assert(base64_may_end(&decoder));
                ck_assert_uint_eq(got, 10);
                for (size_t i = 0; i < got; i++)
                        ck_assert_uint_eq(decoded[i], i);
        }
}
END_TEST

UNIT_MAIN("messages", names, integers, floats, other_values, bytes, any, base64_in_pieces);
