#include "rpc/model_stream.h"

#include <string.h>

#include "rpc/fault.h"
#include "work/budget.h"

enum { REQUEST_MODEL = 1, REQUEST_OPTIONS = 2 }; /* fields of InferModelRequest */

void model_stream_begin(struct model_stream *stream, struct ox_context *context, bool is_json, struct budget *budget,
                        int64_t rest_limit, size_t defer_bytes)
{
        *stream = (struct model_stream){.context = context,
                                        .is_json = is_json,
                                        .rest = {.budget = budget},
                                        .rest_limit = rest_limit,
                                        .defer_bytes = defer_bytes};
}

void model_stream_done(struct model_stream *stream)
{
        text_free(&stream->rest);
}

static bool fail(struct model_stream *s, enum ox_code code, const char *field, const char *text)
{
        s->code = code;
        s->fault = (struct message_fault){.field = ""};
        message_fail(&s->fault, "%s", text);
        if (field)
                message_fault_within(&s->fault, field);
        return false;
}

/* -- destinations of the bytes -- */

/* The later of two models counts, unless they are parts of one. */
static void begin_model(struct model_stream *s)
{
        if (s->has_model && s->has_parts)
                return;
        if (s->has_model)
                ox_context_reset(s->context, SIZE_MAX);
        ox_model_defer(s->context, s->defer_bytes);
        s->has_model = true;
}

static bool feed(struct model_stream *s, const void *bytes, size_t size)
{
        enum ox_code code = ox_model_feed(s->context, bytes, size);

        return code == OX_OK || fail(s, code, "model", ox_context_error(s->context));
}

static bool keep(struct model_stream *s, const char *bytes, size_t size)
{
        text_append(&s->rest, bytes, size);
        if (s->rest.failed)
                return fail(s, OX_UNAVAILABLE, NULL, s->rest.budget->text);
        if (s->rest.length > (size_t)s->rest_limit)
                return fail(s, OX_RESOURCE_EXHAUSTED, NULL,
                            "the request has more bytes besides its model than the limit node_request_bytes");
        return true;
}

/* -- protobuf -- */

/* Takes the next byte of a field's head, and reads the head when it is complete. */
static bool take_head(struct model_stream *s, uint8_t byte)
{
        s->head[s->head_size++] = byte;

        struct wire_head head = wire_any_head(s->head, s->head_size);

        if (head.result == WIRE_BAD || (head.result == WIRE_SHORT && s->head_size == WIRE_HEAD_BYTES))
                return fail(s, OX_INVALID_ARGUMENT, NULL, "the bytes are not a message of the type InferModelRequest");
        if (head.result == WIRE_SHORT)
                return true;
        s->head_size = 0;
        if (head.type != WIRE_LENGTH)
                return true;
        s->left = head.value;
        s->field = head.number;
        if (s->field == REQUEST_MODEL)
                begin_model(s);
        return true;
}

static bool take_proto(struct model_stream *s, const char *bytes, size_t size)
{
        while (size > 0) {
                size_t step = s->left < size ? (size_t)s->left : size;

                if (step == 0) {
                        if (!take_head(s, (uint8_t)*bytes))
                                return false;
                        step = 1;
                } else {
                        s->left -= step;
                        if (s->field == REQUEST_MODEL && !feed(s, bytes, step))
                                return false;
                        if (s->field == REQUEST_OPTIONS && !keep(s, bytes, step))
                                return false;
                }
                bytes += step;
                size -= step;
        }
        return true;
}

/* -- JSON: enough of it to find the text of the member `model`; what is kept is read as a whole later -- */

#define BASE64_PIECE 4096

static bool take_base64(struct model_stream *s, const char *text, size_t length)
{
        uint8_t bytes[BASE64_PIECE];

        while (length > 0) {
                size_t step = length < BASE64_PIECE ? length : BASE64_PIECE, size;

                bool is_base64 = base64_decode(&s->base64, text, step, bytes, &size);

                /* Bytes before the fault are passed on first, however the body is split. */
                if (!feed(s, bytes, size))
                        return false;
                if (!is_base64)
                        return fail(s, OX_INVALID_ARGUMENT, "model", "must be a base64 string");
                text += step;
                length -= step;
        }
        return true;
}

/* The text of the model, up to its end or an escape: JSON lets a slash be written as one. Returns the bytes taken; 0
   after a failure. */
static size_t take_model_text(struct model_stream *s, const char *bytes, size_t size)
{
        size_t length = 0;

        if (s->state == JSON_MODEL_ESCAPE) {
                s->state = JSON_MODEL;
                if (*bytes == '/')
                        return take_base64(s, bytes, 1);
                return fail(s, OX_INVALID_ARGUMENT, "model", "must be a base64 string");
        }
        while (length < size && bytes[length] != '"' && bytes[length] != '\\')
                length++;
        if (!take_base64(s, bytes, length))
                return 0;
        if (length == size)
                return length;
        if (bytes[length] == '\\') {
                s->state = JSON_MODEL_ESCAPE;
                return length + 1;
        }
        s->state = JSON_OUTSIDE;
        if (!base64_may_end(&s->base64))
                return fail(s, OX_INVALID_ARGUMENT, "model", "must be a base64 string");
        return keep(s, "\"", 1) ? length + 1 : 0;
}

/* A character outside of texts. */
static void take_outside(struct model_stream *s, char c)
{
        bool is_model = s->is_model_next;

        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ':')
                return;
        s->is_model_next = false;
        if (c == '{' || c == '[') {
                s->depth++;
                s->is_key = s->depth == 1 && c == '{';
        } else if (c == '}' || c == ']') {
                s->depth--;
        } else if (c == ',') {
                s->is_key = s->depth == 1;
        } else if (c == '"') {
                s->state = is_model ? JSON_MODEL : JSON_TEXT;
                s->key_size = 0;
                if (is_model) {
                        s->base64 = (struct base64_decoder){.n_bits = 0};
                        begin_model(s);
                }
        }
}

/* A character of a text that is no model's. */
static void take_text(struct model_stream *s, char c)
{
        static const char model[] = "model";

        if (s->state == JSON_ESCAPE) {
                s->state = JSON_TEXT;
        } else if (c == '\\') {
                s->state = JSON_ESCAPE;
        } else if (c == '"') {
                s->state = JSON_OUTSIDE;
                s->is_model_next = s->is_key && s->key_size == strlen(model) && memcmp(s->key, model, s->key_size) == 0;
                s->is_key = false;
                return;
        }
        if (s->key_size < sizeof(s->key))
                s->key[s->key_size++] = c;
}

static bool take_json(struct model_stream *s, const char *bytes, size_t size)
{
        while (size > 0) {
                size_t step = 0;

                if (s->state == JSON_MODEL || s->state == JSON_MODEL_ESCAPE) {
                        step = take_model_text(s, bytes, size);
                        if (step == 0)
                                return false;
                } else {
                        for (; step < size && s->state != JSON_MODEL; step++) {
                                if (s->state == JSON_OUTSIDE)
                                        take_outside(s, bytes[step]);
                                else
                                        take_text(s, bytes[step]);
                        }
                        if (!keep(s, bytes, step))
                                return false;
                }
                bytes += step;
                size -= step;
        }
        return true;
}

bool model_stream_take(struct model_stream *stream, const char *bytes, size_t size)
{
        if (stream->code != OX_OK)
                return false;
        return stream->is_json ? take_json(stream, bytes, size) : take_proto(stream, bytes, size);
}

bool model_stream_end(struct model_stream *stream)
{
        if (stream->code != OX_OK)
                return false;
        if (stream->head_size || stream->left)
                return fail(stream, OX_INVALID_ARGUMENT, NULL, "the message ends within a field");
        return true; /* JSON that ends too early is found when the rest is read */
}
