/* Messages from hostile bytes and JSON: what is read is written as JSON that reads as the same message, and a request
   with a model in it is the same whatever the pieces it comes in. */
#include <string.h>

#include "base/buf.h"
#include "draw.h"
#include "google/rpc/status.pb-c.h"
#include "health.pb-c.h"
#include "rpc/messages.h"
#include "rpc/model_stream.h"
#include "shaped.pb-c.h"
#include "work/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ProtobufCMessageDescriptor *const types[] = {
        &shaped__v1__infer_model_request__descriptor,         &shaped__v1__infer_options__descriptor,
        &shaped__v1__infer_node_request__descriptor,          &shaped__v1__batch_infer_nodes_request__descriptor,
        &shaped__v1__infer_model_response__descriptor,        &shaped__v1__batch_infer_nodes_response__descriptor,
        &shaped__v1__list_operators_response__descriptor,     &google__rpc__status__descriptor,
        &grpc__health__v1__health_check_response__descriptor,
};

#define TYPE_COUNT (sizeof(types) / sizeof(types[0]))

static struct ox_context *context;
static struct metrics metrics;
static struct budget budget;

/* -- messages -- */

struct input {
        const ProtobufCMessageDescriptor *type;
        const char *text;
        size_t size;
        bool is_json;
};

static void collect(void *buf, const char *bytes, size_t size)
{
        buf_put(buf, bytes, size);
}

static struct buf written(const ProtobufCMessage *message)
{
        struct arena *arena = ox_context_arena(context);
        struct json_out out;
        struct buf buf;

        buf_init(&buf, arena);
        json_begin(&out, arena_alloc(arena, JSON_BLOCK_BYTES), collect, &buf);
        message_to_json(&out, arena, message);
        json_flush(&out);
        return buf;
}

static enum ox_code read_json(const struct input *input, const char *text, size_t size, ProtobufCMessage **ret)
{
        struct arena *arena = ox_context_arena(context);
        struct message_fault fault;
        const struct json *json;
        const char *error;

        TRY(json_read(arena, ox_context_limits(context), 1, text, size, &json, &error));
        enum ox_code code = message_from_json(arena, input->type, json, ret, &fault);

        HOLD(code == OX_OK || fault.text[0], "what is refused has a reason");
        return code;
}

static struct buf packed(const ProtobufCMessage *message)
{
        struct buf buf;
        uint8_t *bytes = arena_alloc(ox_context_arena(context), protobuf_c_message_get_packed_size(message) + 1);

        buf_init(&buf, ox_context_arena(context));
        buf_put(&buf, (const char *)bytes, protobuf_c_message_pack(message, bytes));
        return buf;
}

/* What is read in one pass is what protobuf-c reads. */
static void hold_plain(const struct input *input)
{
        struct arena *arena = ox_context_arena(context);
        const uint8_t *bytes = (const uint8_t *)input->text;
        const ProtobufCMessage *plain =
                message_unpack_plain(arena, ox_context_limits(context), input->type, bytes, input->size);
        ProtobufCAllocator allocator;

        if (!plain)
                return;
        arena_allocator(arena, &allocator);
        const ProtobufCMessage *other = protobuf_c_message_unpack(input->type, &allocator, input->size, bytes);

        HOLD(other != NULL, "what is plain is a message");
        struct buf first = packed(plain), second = packed(other);

        HOLD(first.length == second.length && (first.length == 0 || memcmp(first.text, second.text, first.length) == 0),
             "it is the same message");
}

static enum ox_code run(void *user)
{
        const struct input *input = user;
        ProtobufCMessage *message, *again;
        struct message_fault fault = {.field = ""};

        if (input->is_json) {
                TRY(read_json(input, input->text, input->size, &message));
        } else {
                enum ox_code code = message_unpack(ox_context_arena(context), ox_context_limits(context), input->type,
                                                   (const uint8_t *)input->text, input->size, &message, &fault);

                HOLD(code == OX_OK || fault.text[0], "what is refused has a reason");
                hold_plain(input);
                TRY(code);
        }
        struct buf first = written(message);

        /* Numbers that an enum does not have, and what Any makes of its messages, are written but not read. */
        if (read_json(input, first.text, first.length, &again) != OX_OK)
                return OX_OK;
        struct buf second = written(again);

        HOLD(first.length == second.length && memcmp(first.text, second.text, first.length) == 0,
             "JSON reads as what was written");
        return OX_OK;
}

static void try_message(const struct input *input)
{
        struct input mutable = *input;

        ox_context_reset(context, SIZE_MAX);
        ox_context_run(context, run, &mutable);
}

/* -- a request with a model -- */

static enum ox_code stream(const struct input *input, uint64_t seed, struct call_text *ret_rest)
{
        struct model_stream stream;
        bool is_good = true;

        ox_context_reset(context, SIZE_MAX);
        model_stream_begin(&stream, context, input->is_json, &budget, 1 << 20, SIZE_MAX);
        for (size_t at = 0, step; is_good && at < input->size; at += step) {
                step = seed ? 1 + seed % 13 : input->size;
                seed = seed * UINT64_C(6364136223846793005) + (seed != 0);
                step = step < input->size - at ? step : input->size - at;
                is_good = model_stream_take(&stream, input->text + at, step);
        }
        is_good = is_good && model_stream_end(&stream);
        HOLD(is_good == (stream.code == OX_OK), "a failure has a code");
        *ret_rest = stream.rest;
        return stream.code;
}

static void try_stream(const struct input *input, uint64_t seed)
{
        struct call_text whole, pieces;
        enum ox_code one = stream(input, 0, &whole), other = stream(input, seed | 1, &pieces);

        HOLD(one == other, "the same in pieces: %d and %d", (int)one, (int)other);
        if (one == OX_OK)
                HOLD(whole.length == pieces.length &&
                             (whole.length == 0 || memcmp(whole.text, pieces.text, whole.length) == 0),
                     "the same is kept");
        text_free(&whole);
        text_free(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (!context) {
                budget_init(&budget, INT64_C(1) << 30, &metrics, NULL, NULL);
                context = ox_context_new(NULL);
                HOLD(context != NULL, "there is memory for a context");
        }
        if (size < 1)
                return 0;
        struct input input = {.type = types[(data[0] >> 1) % TYPE_COUNT],
                              .text = (const char *)data + 1,
                              .size = size - 1,
                              .is_json = data[0] & 1};

        try_message(&input);
        if (input.type == types[0])
                try_stream(&input, bytes_hash(data, size));
        return 0;
}
