/* Runs a call from its head to its reply, for all protocols and methods. */
#include "rpc/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "obs/log.h"
#include "rest/answer.h"
#include "rest/routes.h"
#include "service.h"
#include "work/cost.h"

#define GZIP_INLINE 4096 /* of a body that need not go to a worker */

/* -- failures -- */

static enum ox_code set_failure(struct rpc *rpc, enum ox_code code, const char *field, const struct ox_result *result)
{
        snprintf(rpc->field, sizeof(rpc->field), "%s", field ? field : "");
        rpc->failure = (struct render_error){
                .code = code, .message = rpc->error, .field = rpc->field[0] ? rpc->field : NULL, .result = result};
        return code;
}

enum ox_code rpc_fail(struct rpc *rpc, enum ox_code code, const char *field, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(rpc->error, sizeof(rpc->error), format, args);
        va_end(args);
        return set_failure(rpc, code, field, NULL);
}

enum ox_code rpc_fail_inference(struct rpc *rpc, enum ox_code code, const struct ox_result *result)
{
        snprintf(rpc->error, sizeof(rpc->error), "%s", ox_context_error(rpc->context));
        return set_failure(rpc, code, NULL, result);
}

/* The fault of a message, preceded by the field. */
enum ox_code rpc_fail_message(struct rpc *rpc, enum ox_code code, const struct message_fault *fault)
{
        return rpc_fail(rpc, code, fault->field, "%s%s%s", fault->field, fault->field[0] ? ": " : "", fault->text);
}

static void reply_failure(struct rpc *rpc)
{
        rpc->protocol->fail(rpc);
        call_note_failure(rpc->call, rpc->failure.code, rpc->error);
}

bool rpc_refuse(struct rpc *rpc, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(rpc->error, sizeof(rpc->error), format, args);
        va_end(args);
        set_failure(rpc, code, NULL, NULL);
        reply_failure(rpc);
        return false;
}

void rpc_status(struct rpc *rpc, struct call_text *ret)
{
        ret->length = 0;
        if (rpc->context && (rpc->failure.result || rpc->failure.field) &&
            ox_render_error_proto(rpc->context, &rpc->failure, NULL, text_write, ret) != OX_OK)
                ret->length = 0;
}

/* -- the request's message -- */

int64_t rpc_limit(const struct rpc *rpc, const char **ret_name)
{
        const struct ox_limits *limits = &rpc->call->service->config->limits;

        *ret_name = rpc->method->is_model ? "upload_bytes" : "node_request_bytes";
        return rpc->method->is_model ? limits->upload_bytes : limits->node_request_bytes;
}

static bool take_decoded(void *user, const char *bytes, size_t size)
{
        struct rpc *rpc = user;
        const char *limit_name;
        int64_t limit = rpc_limit(rpc, &limit_name);

        rpc->decoded += size;
        if (rpc->decoded > (uint64_t)limit)
                return rpc_refuse(rpc, OX_RESOURCE_EXHAUSTED, "the message has more bytes than the limit %s, %lld",
                                  limit_name, (long long)limit);
        if (rpc->method->is_model) {
                if (model_stream_take(&rpc->model, bytes, size))
                        return true;
                rpc_fail_message(rpc, rpc->model.code, &rpc->model.fault);
                reply_failure(rpc);
                return false;
        }
        text_append(&rpc->call->body, bytes, size);
        return !rpc->call->body.failed || rpc_refuse(rpc, OX_UNAVAILABLE, "%s", rpc->call->service->budget.text);
}

bool rpc_decode(struct rpc *rpc, enum encoding encoding)
{
        struct service *service = rpc->call->service;

        if (encoding == ENCODING_IDENTITY)
                return true;
        rpc->decoder = decoder_new(encoding, &service->config->limits, &service->budget);
        /* A few bytes may decode to many; in a dialog the limit is that of a node request. */
        rpc->call->body_is_work = rpc->method->kind != RPC_DIALOG;
        rpc->call->inline_bytes = encoding == ENCODING_GZIP ? GZIP_INLINE : 0;
        return rpc->decoder || rpc_refuse(rpc, OX_UNAVAILABLE, "%s", service->budget.text);
}

bool rpc_take(struct rpc *rpc, const char *bytes, size_t size)
{
        if (!rpc->decoder)
                return take_decoded(rpc, bytes, size);
        enum ox_code code = decoder_feed(rpc->decoder, bytes, size, take_decoded, rpc);

        if (code != OX_OK && code != OX_ABORTED)
                return rpc_refuse(rpc, code, "%s", decoder_error(rpc->decoder));
        return code == OX_OK;
}

static bool end_decoding(struct rpc *rpc)
{
        return !rpc->decoder || decoder_is_complete(rpc->decoder) ||
               rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the compressed message ends too early");
}

bool rpc_take_end(struct rpc *rpc)
{
        if (!end_decoding(rpc))
                return false;
        if (!rpc->method->is_model || model_stream_end(&rpc->model))
                return true;
        rpc_fail_message(rpc, rpc->model.code, &rpc->model.fault);
        reply_failure(rpc);
        return false;
}

bool rpc_end_part(struct rpc *rpc)
{
        if (!rpc_take_end(rpc))
                return false;
        decoder_free(rpc->decoder);
        rpc->decoder = NULL;
        return true;
}

struct reading {
        struct rpc *rpc;
        const ProtobufCMessageDescriptor *type;
        const char *text;
        size_t length;
        ProtobufCMessage *message;
        struct message_fault fault;
};

static enum ox_code run_read(void *user)
{
        struct reading *r = user;
        struct arena *arena = ox_context_arena(r->rpc->context);
        const struct ox_limits *limits = ox_context_limits(r->rpc->context);
        const struct json *json;
        const char *error;

        r->fault = (struct message_fault){.field = ""};
        if (!r->rpc->is_json)
                return message_unpack(arena, limits, r->type, (const uint8_t *)r->text, r->length, &r->message,
                                      &r->fault);
        enum ox_code code = json_read(arena, limits, r->rpc->call->service->seed, r->text, r->length, &json, &error);

        if (code == OX_OK)
                return message_from_json(arena, r->type, json, &r->message, &r->fault);
        snprintf(r->fault.text, sizeof(r->fault.text), "%s", error);
        return code;
}

enum ox_code rpc_read_text(struct rpc *rpc, const struct call_text *text, const ProtobufCMessageDescriptor *type,
                           ProtobufCMessage **ret)
{
        struct reading reading = {
                .rpc = rpc, .type = type, .text = text->text ? text->text : "", .length = text->length};
        enum ox_code code;

        /* An empty body is an empty message in JSON as well. */
        if (rpc->is_json && reading.length == 0) {
                reading.text = "{}";
                reading.length = 2;
        }
        code = ox_context_run(rpc->context, run_read, &reading);
        *ret = reading.message;
        if (code == OX_OK)
                return OX_OK;
        return reading.fault.text[0] ? rpc_fail_message(rpc, code, &reading.fault)
                                     : rpc_fail_inference(rpc, code, NULL);
}

enum ox_code rpc_read(struct rpc *rpc, ProtobufCMessage **ret)
{
        return rpc_read_text(rpc, &rpc->call->body, rpc->method->request, ret);
}

void rpc_set_timeout(struct rpc *rpc, int64_t ns)
{
        struct call *call = rpc->call;

        if (ns >= call->deadline_ns - call->started_ns)
                return;
        call->deadline_ns = call->started_ns + ns;
        call->is_client_deadline = true;
}

/* -- the answer -- */

struct call_text *rpc_response(struct rpc *rpc)
{
        return rpc->is_json ? &rpc->answer : &rpc->call->reply;
}

void rpc_write(void *user, const char *bytes, size_t size)
{
        struct rpc *rpc = user;
        struct call_text *to = rpc_response(rpc);

        if (rpc->is_inline)
                answer_keep_little(to, size, rpc->context);
        text_append(to, bytes, size);
}

enum ox_code rpc_write_message(struct rpc *rpc, const ProtobufCMessage *message)
{
        size_t size = protobuf_c_message_get_packed_size(message);
        uint8_t *packed = arena_alloc(ox_context_arena(rpc->context), size + 1);

        protobuf_c_message_pack(message, packed);
        rpc_write(rpc, (const char *)packed, size);
        return OX_OK;
}

static enum ox_code run_to_json(void *user)
{
        struct rpc *rpc = user;
        struct arena *arena = ox_context_arena(rpc->context);
        ProtobufCMessage *message;
        struct message_fault fault;
        struct json_out out;

        TRY(message_unpack(arena, ox_context_limits(rpc->context), rpc->method->response,
                           (const uint8_t *)rpc->answer.text, rpc->answer.length, &message, &fault));
        json_begin(&out, arena_alloc(arena, JSON_BLOCK_BYTES), call_write, rpc->call);
        message_to_json(&out, arena, message);
        json_flush(&out);
        return OX_OK;
}

enum ox_code rpc_run(struct rpc *rpc)
{
        rpc->answer.length = 0;
        if (!rpc->method->is_model)
                ox_context_reset(rpc->context, SIZE_MAX); /* of what was begun inline */
        TRY(rpc->method->run(rpc));
        if (rpc->is_json && !rpc->answer.failed) {
                enum ox_code code = ox_context_run(rpc->context, run_to_json, rpc);

                if (code != OX_OK)
                        return rpc_fail_inference(rpc, code, NULL);
        }
        if (rpc->answer.failed || rpc->call->reply.failed)
                return rpc_fail(rpc, OX_UNAVAILABLE, NULL, "%s", rpc->call->service->budget.text);
        return OX_OK;
}

/* False if it is too much inline; a worker then starts anew. */
static bool answer(struct rpc *rpc, bool is_inline)
{
        if (call_is_late(rpc->call)) {
                call_reply_late(rpc->call);
                return true;
        }
        rpc->is_inline = is_inline;
        rpc->protocol->reply(rpc);
        size_t start = rpc->call->reply.length;
        enum ox_code code = rpc_run(rpc);

        if (code == OX_ABORTED && is_inline)
                return false;
        if (code == OX_OK && !rpc_compress(rpc, start))
                code = rpc_fail(rpc, OX_UNAVAILABLE, NULL, "%s", rpc->call->service->budget.text);
        if (code == OX_OK)
                rpc->protocol->reply_end(rpc, start);
        else
                reply_failure(rpc);
        return true;
}

/* -- routes -- */

static const struct rpc_method *find_method(const char *path)
{
        for (size_t i = 0; i < rpc_method_count; i++)
                if (strcmp(path, rpc_methods[i].path) == 0 ||
                    (rpc_methods[i].rest_path && strcmp(path, rpc_methods[i].rest_path) == 0))
                        return &rpc_methods[i];
        return NULL;
}

/* The protocol of a request, and the form of its messages; NULL: not an RPC. */
static const struct rpc_protocol *find_protocol(struct call *call, const struct rpc_method *method, bool *ret_is_json)
{
#define TYPE(name) "application/" name, sizeof("application/" name) - 1
        static const struct {
                const char *type;
                size_t length;
                const struct rpc_protocol *protocol;
                bool is_json;
        } rows[] = {
                {TYPE("proto"), &connect_post, false},    {TYPE("json"), &connect_post, true},
                {TYPE("grpc-web"), &grpc_web, false},     {TYPE("grpc-web+proto"), &grpc_web, false},
                {TYPE("grpc-web+json"), &grpc_web, true}, {TYPE("grpc"), &grpc, false},
                {TYPE("grpc+proto"), &grpc, false},       {TYPE("grpc+json"), &grpc, true},
        };
#undef TYPE
        const char *type = call->field[FIELD_CONTENT_TYPE];
        size_t length = type ? strcspn(type, "; \t") : 0;

        if (method->rest_path && strcmp(call->path, method->rest_path) == 0)
                return &rest_proto;
        if (call->method != METHOD_POST)
                return method->kind == RPC_UNARY ? &connect_get : NULL;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                if (rows[i].length == length && strncasecmp(type, rows[i].type, length) == 0 &&
                    (rows[i].protocol != &grpc || call->transport->has_trailers) &&
                    (rows[i].protocol == &grpc || method->kind == RPC_UNARY)) {
                        *ret_is_json = rows[i].is_json;
                        return rows[i].protocol;
                }
        }
        return NULL;
}

static void refuse_type(struct call *call)
{
        const char *type = call->field[FIELD_CONTENT_TYPE];

        call_reply_error_status(
                call, HTTP_UNSUPPORTED,
                "the Content-Type is '%.100s', expected application/proto, application/json, "
                "application/grpc-web+proto, application/grpc-web+json or, over HTTP/2, application/grpc",
                type ? type : "");
        call_reply_header(call, "Accept-Post", "application/proto, application/json, application/grpc-web");
}

static bool is_grpc(struct call *call)
{
        static const char grpc_type[] = "application/grpc", web_type[] = "application/grpc-web";
        const char *type = call->field[FIELD_CONTENT_TYPE];

        return type && call->transport->has_trailers && strncasecmp(type, grpc_type, sizeof(grpc_type) - 1) == 0 &&
               strncasecmp(type, web_type, sizeof(web_type) - 1) != 0;
}

void rpc_prepare(struct call *call)
{
        if (is_grpc(call))
                call->put_error = grpc_put_error;
}

/* Replies an error of the transport: the queue is full, or time is over. */
static void put_error(struct call *call, int status, enum ox_code code, const char *message)
{
        struct rpc *rpc = call->state;

        rpc_refuse(rpc, code, "%s", message);
}

void rpc_begin(struct call *call)
{
        struct service *service = call->service;
        bool is_json = false;
        const struct rpc_method *method = find_method(call->path);
        const struct rpc_protocol *protocol = find_protocol(call, method, &is_json);
        struct rpc *rpc = protocol ? call_new_state(call, sizeof(*rpc)) : NULL;

        if (!protocol)
                refuse_type(call);
        if (!rpc)
                return;
        rpc->call = call;
        rpc->method = method;
        rpc->protocol = protocol;
        rpc->is_json = is_json;
        rpc->put_error = call->put_error;
        rpc->answer.budget = &service->budget;
        rpc->context = contexts_take(service->contexts);
        if (!rpc->context) {
                rpc_refuse(rpc, OX_UNAVAILABLE, "%s", service->budget.text);
                return;
        }
        /* Only the query of a GET says whether the message is JSON. */
        model_stream_begin(&rpc->model, rpc->context, is_json, &service->budget,
                           service->config->limits.node_request_bytes, INLINE_MODEL_BYTES);
        rpc->model.has_parts = method->kind == RPC_UPLOAD;
        call->put_error = put_error;
        protocol->begin(rpc);
}

bool rpc_body(struct call *call, const char *bytes, size_t size)
{
        struct rpc *rpc = call->state;

        return rpc->protocol->body(rpc, bytes, size);
}

static bool may_be_inline(const struct rpc *rpc)
{
        if (rpc->method->is_model)
                return arena_used(ox_context_arena(rpc->context)) <= INLINE_MODEL_BYTES;
        return rpc->call->body.length <= INLINE_NODE_BYTES;
}

static enum call_next end_parts(struct rpc *rpc)
{
        rpc->is_watched = rpc->method->kind == RPC_WATCH;
        if (rpc->is_watched && !grpc_answer_part(rpc))
                return CALL_DONE;
        if (rpc->is_watched && !atomic_load(&rpc->call->service->draining))
                return CALL_WAIT;
        grpc_end_parts(rpc);
        return CALL_DONE;
}

enum call_next rpc_end(struct call *call)
{
        struct rpc *rpc = call->state;
        struct metrics *metrics = &call->service->metrics;

        if (!rpc->is_watched && !rpc->protocol->end(rpc))
                return CALL_DONE;
        if (rpc->method->kind == RPC_WATCH || rpc->method->kind == RPC_DIALOG)
                return end_parts(rpc);
        if (may_be_inline(rpc) && answer(rpc, true)) {
                metric_add(metrics, METRIC_inferred_total_inline, 1);
                return CALL_DONE;
        }
        metric_add(metrics, METRIC_inferred_total_worker, 1);
        call->cost_ns = (int64_t)arena_used(ox_context_arena(rpc->context)) * COST_RPC_MODEL_BYTE;
        return CALL_WORK;
}

void rpc_work(struct call *call)
{
        answer(call->state, false);
}

void rpc_done(struct call *call)
{
        struct rpc *rpc = call->state;

        decoder_free(rpc->decoder);
        model_stream_done(&rpc->model);
        text_free(&rpc->answer);
        contexts_give(call->service->contexts, rpc->context);
        call->put_error = rpc->put_error;
        call_free_state(call);
}

/* -- compression -- */

#define COMPRESS_LEAST 8192 /* bytes of an answer */
#define GZIP_WINDOW    (15 + 16)
#define PACKED_PIECE   16384

bool rpc_lists(const char *list, const char *word)
{
        size_t length = strlen(word);

        while (list && *list) {
                list += strspn(list, ", \t");
                size_t name = strcspn(list, ",; \t");

                if (name == length && strncasecmp(list, word, length) == 0) {
                        const char *rest = list + name + strspn(list + name, " \t;");

                        return strncasecmp(rest, "q=0", 3) != 0 || rest[3] == '.';
                }
                list += strcspn(list, ",");
        }
        return false;
}

bool rpc_compress(struct rpc *rpc, size_t start)
{
        struct call_text *reply = &rpc->call->reply, packed = {.budget = reply->budget};
        z_stream stream = {.next_in = (Bytef *)reply->text + start, .avail_in = (uInt)(reply->length - start)};
        char piece[PACKED_PIECE];
        int code;

        if (!rpc->wants_gzip || reply->length - start < COMPRESS_LEAST || reply->length - start > UINT32_MAX) {
                rpc->wants_gzip = false;
                return true;
        }
        if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
                return false;
        do {
                stream.next_out = (Bytef *)piece;
                stream.avail_out = sizeof(piece);
                code = deflate(&stream, Z_FINISH);
                text_append(&packed, piece, sizeof(piece) - stream.avail_out);
        } while (code == Z_OK && !packed.failed);
        deflateEnd(&stream);
        if (!packed.failed) {
                reply->length = start;
                text_append(reply, packed.text, packed.length);
        }
        code = packed.failed || reply->failed ? Z_MEM_ERROR : code;
        text_free(&packed);
        return code == Z_STREAM_END;
}
