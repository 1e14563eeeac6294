/* Connect's unary calls (https://connectrpc.com/docs/protocol): a message as the body of a POST, or in the query of a
 * GET. */
#include <stdlib.h>
#include <string.h>

#include "google/rpc/status.pb-c.h"
#include "rpc/rpc.h"

#define TIMEOUT_DIGITS 10 /* of milliseconds */

/* -- the head -- */

static bool read_timeout(struct rpc *rpc)
{
        const char *text = rpc->call->field[FIELD_CONNECT_TIMEOUT_MS];

        if (!text)
                return true;
        size_t digits = strspn(text, "0123456789");

        if (digits == 0 || digits > TIMEOUT_DIGITS || text[digits])
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT,
                                  "the Connect-Timeout-Ms is '%.40s', expected a number of at most %d digits", text,
                                  TIMEOUT_DIGITS);
        rpc_set_timeout(rpc, strtoll(text, NULL, 10) * INT64_C(1000000));
        return true;
}

static bool read_coding(struct rpc *rpc, const char *coding)
{
        enum encoding encoding;

        if (encoding_read(coding, &encoding))
                return rpc_decode(rpc, encoding);
        return rpc_refuse(rpc, OX_UNIMPLEMENTED, "the compression is '%.40s', expected gzip, zstd or identity", coding);
}

static bool begin_post(struct rpc *rpc)
{
        const char *version = rpc->call->field[FIELD_CONNECT_PROTOCOL_VERSION];

        rpc->wants_gzip = rpc_lists(rpc->call->field[FIELD_ACCEPT_ENCODING], "gzip");
        if (version && strcmp(version, "1") != 0)
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the Connect-Protocol-Version is '%.40s', expected 1",
                                  version);
        return read_timeout(rpc) && read_coding(rpc, rpc->call->field[FIELD_CONTENT_ENCODING]);
}

/* -- GET -- */

struct query {
        char *message; /* decoded, but for its base64; NULL: none */
        size_t length;
        bool is_base64, has_encoding, is_wrong_version, is_out;
        bool is_json, is_known; /* the encoding is */
        char compression[16];
};

static bool each_parameter(void *user, const char *name, const char *value)
{
        struct query *q = user;

        value = text_or_empty(value);
        if (strcmp(name, "message") == 0) {
                free(q->message);
                q->message = strdup(value);
                q->length = strlen(value);
                q->is_out = !q->message;
        } else if (strcmp(name, "encoding") == 0) {
                q->has_encoding = true;
                q->is_json = strcmp(value, "json") == 0;
                q->is_known = q->is_json || strcmp(value, "proto") == 0;
        } else if (strcmp(name, "base64") == 0) {
                q->is_base64 = strcmp(value, "1") == 0;
        } else if (strcmp(name, "compression") == 0) {
                strncpy(q->compression, value, sizeof(q->compression) - 1);
        } else if (strcmp(name, "connect") == 0) {
                q->is_wrong_version = strcmp(value, "v1") != 0;
        }
        return !q->is_out;
}

static bool take_query(struct rpc *rpc, struct query *q)
{
        struct base64_decoder decoder = {.n_bits = 0};
        size_t size = q->length;

        if (q->is_base64 && (!base64_decode(&decoder, q->message, q->length, (uint8_t *)q->message, &size) ||
                             !base64_may_end(&decoder)))
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the parameter message must be base64");
        rpc->is_json = rpc->model.is_json = q->is_json;
        return read_coding(rpc, q->compression[0] ? q->compression : NULL) && rpc_take(rpc, q->message, size);
}

static bool begin_get(struct rpc *rpc)
{
        struct query q = {.message = NULL};
        bool is_read = rpc->call->transport->query(rpc->call, each_parameter, &q), is_good = false;

        rpc->wants_gzip = rpc_lists(rpc->call->field[FIELD_ACCEPT_ENCODING], "gzip");
        if (q.is_out)
                rpc_refuse(rpc, OX_UNAVAILABLE, "%s", rpc->call->body.budget->text);
        else if (!is_read)
                rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the query holds a NUL: binary messages need base64=1");
        else if (q.is_wrong_version)
                rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the parameter connect must be v1");
        else if (!q.has_encoding || !q.is_known)
                rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the parameter encoding must be proto or json");
        else if (!q.message)
                rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the parameter message is missing");
        else
                is_good = read_timeout(rpc) && take_query(rpc, &q);
        free(q.message);
        return is_good;
}

/* -- the reply -- */

static void reply(struct rpc *rpc)
{
        call_reply(rpc->call, HTTP_OK, rpc->is_json ? "application/json" : "application/proto");
}

static void reply_end(struct rpc *rpc, size_t start)
{
        if (rpc->wants_gzip)
                call_reply_header(rpc->call, "Content-Encoding", "gzip");
        call_reply_header(rpc->call, "Vary", "Accept-Encoding");
}

/* -- errors -- */

struct error_text {
        struct rpc *rpc;
        struct call_text status; /* a google.rpc.Status; empty: there are no details */
};

static void put_detail(struct json_out *out, struct arena *arena, const Google__Protobuf__Any *detail)
{
        char *value = arena_alloc(arena, BASE64_ENCODED(detail->value.len) + 1);
        const char *name = strrchr(detail->type_url, '/');

        value[base64_encode(value, detail->value.data, detail->value.len, false)] = '\0';
        json_item(out);
        json_open(out, '{');
        json_put_text(out, "type", name ? name + 1 : detail->type_url);
        json_put_text(out, "value", value);
        json_key(out, "debug");
        message_to_json(out, arena, &detail->base);
        json_close(out, '}');
}

/* {"code", "message", "details": [{"type", "value", "debug"}]} */
static enum ox_code run_error(void *user)
{
        struct error_text *e = user;
        struct rpc *rpc = e->rpc;
        struct arena *arena = ox_context_arena(rpc->context);
        ProtobufCMessage *message;
        struct message_fault fault;
        struct json_out out;

        TRY(message_unpack(arena, ox_context_limits(rpc->context), &google__rpc__status__descriptor,
                           (const uint8_t *)e->status.text, e->status.length, &message, &fault));
        const Google__Rpc__Status *status = (const Google__Rpc__Status *)message;

        json_begin(&out, arena_alloc(arena, JSON_BLOCK_BYTES), call_write, rpc->call);
        json_open(&out, '{');
        json_put_text(&out, "code", ox_code_name(rpc->failure.code));
        json_put_text(&out, "message", rpc->failure.message);
        json_key(&out, "details");
        json_open(&out, '[');
        for (size_t i = 0; i < status->n_details; i++)
                put_detail(&out, arena, status->details[i]);
        json_close(&out, ']');
        json_close(&out, '}');
        json_end(&out);
        return OX_OK;
}

static void fail(struct rpc *rpc)
{
        struct error_text e = {.rpc = rpc, .status = {.budget = rpc->call->body.budget}};
        int status = ox_code_http(rpc->failure.code);

        rpc_status(rpc, &e.status);
        call_reply(rpc->call, status, "application/json");
        if (e.status.length == 0 || ox_context_run(rpc->context, run_error, &e) != OX_OK) {
                call_reply(rpc->call, status, "application/json");
                call_write_error(rpc->call, rpc->failure.code, rpc->failure.message);
        }
        text_free(&e.status);
}

const struct rpc_protocol connect_post = {begin_post, rpc_take, rpc_take_end, reply, reply_end, fail};
const struct rpc_protocol connect_get = {begin_get, rpc_take, rpc_take_end, reply, reply_end, fail};
