/* Heads of requests: their fields while they arrive, and what the call learns of them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/http2_session.h"
#include "net/target.h"

#define FIELD_OVERHEAD 32 /* of each field (RFC 9113, 6.5.2) */

void stream_add_field(struct stream *stream, const char *name, size_t name_size, const char *value, size_t value_size)
{
        if (stream->fields.length + name_size + value_size + FIELD_OVERHEAD > HEAD_BYTES) {
                stream->has_too_large_a_head = true;
                return;
        }
        enum field field = field_find(name, name_size);

        if (field < FIELD_COUNT && !stream->field_at[field])
                stream->field_at[field] = (uint32_t)(stream->fields.length + name_size + 1);
        /* Both end with a NUL (nghttp2_on_header_callback), and hold none (RFC 9113, 8.2.1). */
        text_append(&stream->fields, name, name_size + 1);
        text_append(&stream->fields, value, value_size + 1);
}

/* NULL: there is none. */
static const char *field_of(const struct stream *stream, enum field field)
{
        return stream->field_at[field] && stream->fields.text ? stream->fields.text + stream->field_at[field] : NULL;
}

void stream_each_field(struct call *call, const char *name, void (*each)(void *user, const char *value), void *user)
{
        const struct call_text *fields = &((struct stream *)call->connection)->fields;
        const char *at = fields->text, *end = at ? at + fields->length : at;

        while (at < end) {
                const char *value = at + strlen(at) + 1;

                if (strcasecmp(at, name) == 0)
                        each(user, value);
                at = value + strlen(value) + 1;
        }
}

/* Sets the path of the stream's call. NULL, or what is wrong with it. */
static const char *read_path(struct stream *stream)
{
        const char *target = stream->call->field[FIELD_PATH];

        stream->call->path = target ? target : "";
        if (!target)
                return "the request has no path";
        size_t plain = strcspn(target, "?%");

        if (!target[plain])
                return NULL;
        stream->path = strndup(target, plain + strcspn(target + plain, "?"));
        stream->call->path = stream->path ? stream->path : "";
        if (!stream->path)
                return "there is no memory for the path";
        return target_decode(stream->path, false) ? NULL : "the path holds a NUL";
}

/* RFC 9113, 8.3.1 */
static bool names_two_hosts(const struct call *call)
{
        const char *authority = call->field[FIELD_AUTHORITY], *host = call->field[FIELD_HOST];

        return authority && host && strcasecmp(authority, host) != 0;
}

void stream_read_head(struct stream *stream)
{
        struct call *call = stream->call;

        for (enum field field = 0; field < FIELD_COUNT; field++)
                call->field[field] = field_of(stream, field);
        const char *length = call->field[FIELD_CONTENT_LENGTH], *method = call->field[FIELD_METHOD];
        const char *fault = read_path(stream);

        call_set_method(call, method ? method : "");
        call->protocol = "HTTP/2";
        call->has_body = !stream->is_complete;
        call->has_length = length != NULL;
        call->length = length ? strtoull(length, NULL, 10) : 0;
        if (stream->has_too_large_a_head)
                call_reply_error_status(call, HTTP_HEAD_TOO_LARGE, "the head of the request has more than %d bytes",
                                        HEAD_BYTES);
        else if (stream->fields.failed)
                call_reply_no_memory(call);
        else if (fault)
                call_reply_error(call, OX_INVALID_ARGUMENT, "%s", fault);
        else if (names_two_hosts(call))
                call_reply_error(call, OX_INVALID_ARGUMENT, "the fields :authority and Host differ");
        else
                call->handler->begin(call);
}
