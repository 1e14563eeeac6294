/* gRPC (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) and gRPC-Web (PROTOCOL-WEB.md there): a message
   in an envelope of flags and length as the body of a POST. The answer's envelope is followed by trailers, those of
   HTTP/2 or in another envelope. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/base64.h"
#include "rpc/rpc.h"

enum { FLAG_COMPRESSED = 0x01, FLAG_TRAILERS = 0x80 };

#define TIMEOUT_DIGITS 8

/* -- the head -- */

static bool read_timeout(struct rpc *rpc)
{
        static const char units[] = "HMSmun";
        static const int64_t ns[] = {INT64_C(3600000000000), INT64_C(60000000000), 1000000000, 1000000, 1000, 1};
        const char *text = rpc->call->field[FIELD_GRPC_TIMEOUT];

        if (!text)
                return true;
        size_t digits = strspn(text, "0123456789");
        const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;

        if (digits == 0 || digits > TIMEOUT_DIGITS || !unit || text[digits + 1])
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT,
                                  "the Grpc-Timeout is '%.40s', expected a number of at most %d digits and one of %s",
                                  text, TIMEOUT_DIGITS, units);
        int64_t number = strtoll(text, NULL, 10), each = ns[unit - units];

        rpc_set_timeout(rpc, number > INT64_MAX / 2 / each ? INT64_MAX / 2 : number * each);
        return true;
}

static bool begin(struct rpc *rpc)
{
        const char *coding = rpc->call->field[FIELD_GRPC_ENCODING];

        rpc->wants_gzip = rpc_lists(rpc->call->field[FIELD_GRPC_ACCEPT_ENCODING], "gzip");
        rpc->envelope.has_coding = coding && strcmp(coding, "identity") != 0;
        if (rpc->envelope.has_coding && strcmp(coding, "gzip") != 0) {
                call_reply_header(rpc->call, "Grpc-Accept-Encoding", "gzip");
                return rpc_refuse(rpc, OX_UNIMPLEMENTED, "the Grpc-Encoding is '%.40s', expected gzip or identity",
                                  coding);
        }
        if (rpc->envelope.has_coding && rpc->method->kind != RPC_DIALOG)
                rpc->call->body_is_work = true;
        return read_timeout(rpc);
}

/* -- the request -- */

static uint32_t envelope_length(const unsigned char *head)
{
        return (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 8 | head[4];
}

static bool takes_many(const struct rpc *rpc)
{
        return rpc->method->kind == RPC_UPLOAD || rpc->method->kind == RPC_DIALOG;
}

/* The flags and length of a message have come. */
static bool open_envelope(struct rpc *rpc)
{
        const char *limit_name;
        int64_t limit = rpc_limit(rpc, &limit_name);
        unsigned flags = rpc->envelope.head[0];

        rpc->envelope.head_size = 0;
        rpc->envelope.left = envelope_length(rpc->envelope.head);
        if (flags & ~(unsigned)FLAG_COMPRESSED)
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the flags of the message are 0x%02x, expected 0 or 1",
                                  flags);
        if (rpc->envelope.count++ && !takes_many(rpc))
                return rpc_refuse(rpc, OX_UNIMPLEMENTED, "the request has more than one message");
        if (rpc->envelope.left > (uint64_t)limit)
                return rpc_refuse(rpc, OX_RESOURCE_EXHAUSTED,
                                  "the message has %llu bytes, more than the limit %s, %lld",
                                  (unsigned long long)rpc->envelope.left, limit_name, (long long)limit);
        if (!(flags & FLAG_COMPRESSED))
                return true;
        if (!rpc->envelope.has_coding)
                return rpc_refuse(rpc, OX_INTERNAL, "the message is compressed, and no Grpc-Encoding says how");
        return rpc_decode(rpc, ENCODING_GZIP);
}

static bool end_message(struct rpc *rpc)
{
        if (!takes_many(rpc))
                return true;
        if (!rpc_end_part(rpc) || (rpc->method->kind == RPC_DIALOG && !grpc_answer_part(rpc)))
                return false;
        rpc->call->body.length = 0;
        if (rpc->method->kind == RPC_DIALOG)
                rpc->decoded = 0;
        return true;
}

static bool body(struct rpc *rpc, const char *bytes, size_t size)
{
        while (size > 0) {
                bool is_over;

                size_t step = rpc->envelope.left < size ? (size_t)rpc->envelope.left : size;

                if (step == 0) {
                        rpc->envelope.head[rpc->envelope.head_size++] = (unsigned char)*bytes;
                        step = 1;
                        is_over = rpc->envelope.head_size == RPC_ENVELOPE;
                        if (is_over && !open_envelope(rpc))
                                return false;
                } else {
                        rpc->envelope.left -= step;
                        if (!rpc_take(rpc, bytes, step))
                                return false;
                        is_over = true;
                }
                if (is_over && rpc->envelope.left == 0 && !end_message(rpc))
                        return false;
                bytes += step;
                size -= step;
        }
        return true;
}

static bool end(struct rpc *rpc)
{
        if (rpc->envelope.head_size || rpc->envelope.left)
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the body ends within a message");
        if (rpc->envelope.count == 0 && rpc->method->kind != RPC_DIALOG)
                return rpc_refuse(rpc, OX_UNIMPLEMENTED, "the request has no message");
        return rpc_take_end(rpc);
}

/* -- the reply -- */

static bool is_web(const struct rpc *rpc)
{
        return rpc->protocol == &grpc_web;
}

static const char *content_type(const struct rpc *rpc)
{
        if (is_web(rpc))
                return rpc->is_json ? "application/grpc-web+json" : "application/grpc-web+proto";
        return rpc->is_json ? "application/grpc+json" : "application/grpc+proto";
}

/* Sets flags and length of the envelope at `at` for the bytes after it. */
static void close_envelope(struct call_text *reply, size_t at, unsigned flags)
{
        uint32_t length;

        if (reply->failed)
                return;
        length = (uint32_t)(reply->length - at - RPC_ENVELOPE);
        reply->text[at] = (char)flags;
        for (int i = 0; i < 4; i++)
                reply->text[at + 1 + (size_t)i] = (char)(length >> (24 - 8 * i));
}

static void open_envelope_of_reply(struct rpc *rpc)
{
        static const char envelope[RPC_ENVELOPE];

        call_write(rpc->call, envelope, RPC_ENVELOPE);
}

static void reply(struct rpc *rpc)
{
        call_reply(rpc->call, 200, content_type(rpc));
        open_envelope_of_reply(rpc);
}

/* -- trailers -- */

static void put(struct call_text *to, const char *text)
{
        text_append(to, text, strlen(text));
}

/* A message in the characters that a header field may have (gRPC's "Percent-Encoded"). */
static void put_percent(struct call_text *to, const char *text)
{
        for (; *text; text++) {
                unsigned char c = (unsigned char)*text;
                char escaped[4];

                if (c >= 0x20 && c <= 0x7e && c != '%') {
                        text_append(to, text, 1);
                } else {
                        snprintf(escaped, sizeof(escaped), "%%%02X", c);
                        put(to, escaped);
                }
        }
}

static void put_status(struct call_text *to, enum ox_code code, const char *message)
{
        char line[40];

        if (code == OX_OK) {
                put(to, "grpc-status: 0\r\n");
                return;
        }
        snprintf(line, sizeof(line), "grpc-status: %d\r\n", (int)code);
        put(to, line);
        put(to, "grpc-message: ");
        put_percent(to, message);
        put(to, "\r\n");
}

static void put_details(struct rpc *rpc, struct call_text *to)
{
        struct call_text status = {.budget = rpc->call->body.budget};
        char *text;

        rpc_status(rpc, &status);
        text = status.length ? malloc(BASE64_ENCODED(status.length)) : NULL;
        if (text) {
                put(to, "grpc-status-details-bin: ");
                text_append(to, text, base64_encode(text, (const uint8_t *)status.text, status.length, false));
                put(to, "\r\n");
        }
        free(text);
        text_free(&status);
}

static void put_trailers(struct rpc *rpc, enum ox_code code)
{
        struct call *call = rpc->call;
        struct call_text *to = is_web(rpc) ? &call->reply : &call->trailers;
        size_t at = to->length;

        if (is_web(rpc))
                open_envelope_of_reply(rpc);
        put_status(to, code, rpc->failure.message);
        if (code != OX_OK)
                put_details(rpc, to);
        if (is_web(rpc))
                close_envelope(to, at, FLAG_TRAILERS);
}

static void reply_end(struct rpc *rpc, size_t start)
{
        close_envelope(&rpc->call->reply, start - RPC_ENVELOPE, rpc->wants_gzip ? FLAG_COMPRESSED : 0);
        if (rpc->wants_gzip)
                call_reply_header(rpc->call, "Grpc-Encoding", "gzip");
        put_trailers(rpc, OX_OK);
}

/* The HTTP status is always 200; errors stand in the trailers. */
static void fail(struct rpc *rpc)
{
        if (!rpc->has_parts)
                call_reply(rpc->call, 200, content_type(rpc));
        put_trailers(rpc, rpc->failure.code);
}

#define UNSENT_MOST ((size_t)1024 * 1024) /* of answers that the client does not take */

bool grpc_answer_part(struct rpc *rpc)
{
        struct call_text *reply_text = &rpc->call->reply;

        if (rpc->has_parts && reply_text->length > UNSENT_MOST)
                return rpc_refuse(rpc, OX_RESOURCE_EXHAUSTED, "the client does not take the answers that it asks for");
        if (rpc->has_parts)
                open_envelope_of_reply(rpc);
        else
                reply(rpc);
        size_t at = reply_text->length - RPC_ENVELOPE;
        enum ox_code code = rpc_run(rpc);

        if (code != OX_OK) {
                if (reply_text->length > at)
                        reply_text->length = at;
                fail(rpc);
                rpc->call->code = code;
                return false;
        }
        close_envelope(reply_text, at, 0);
        rpc->has_parts = true;
        rpc->call->transport->flush(rpc->call);
        return true;
}

void grpc_end_parts(struct rpc *rpc)
{
        if (!rpc->has_parts)
                call_reply(rpc->call, 200, content_type(rpc));
        put_trailers(rpc, OX_OK);
}

void grpc_put_error(struct call *call, int status, enum ox_code code, const char *message)
{
        call_reply(call, 200, "application/grpc");
        call->code = code;
        call_note_error(call, message);
        put_status(&call->trailers, code, message);
}

const struct rpc_protocol grpc = {begin, body, end, reply, reply_end, fail};
const struct rpc_protocol grpc_web = {begin, body, end, reply, reply_end, fail};
