/* Replies of calls as HEADERS, DATA and trailers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "net/http2_session.h"
#include "service.h"

#define FIELDS_MOST   (CALL_HEADERS + 5)
#define TRAILERS_MOST 4

/* Of names in lower case and values that stay as long as the stream: the library need not copy them. */
#define STAYS (NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

static nghttp2_nv field_of(const char *name, size_t name_length, const char *value, size_t length, uint8_t flags)
{
        return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, name_length, length, flags};
}

static size_t add_field(nghttp2_nv *fields, size_t count, const char *name, const char *value, uint8_t flags)
{
        fields[count] = field_of(name, strlen(name), value, strlen(value), flags);
        return count + 1;
}

/* The time (RFC 9110, 5.6.7 and 6.6.1), which each thread writes once a second. */
static const char *date(void)
{
        static _Thread_local struct {
                time_t second;
                char text[sizeof("Sun, 06 Nov 1994 08:49:37 GMT")];
        } last = {.second = -1};
        struct timespec now;
        struct tm utc;

        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        if (now.tv_sec != last.second) {
                strftime(last.text, sizeof(last.text), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now.tv_sec, &utc));
                last.second = now.tv_sec;
        }
        return last.text;
}

/* Adds the lines of call->trailers, at most `most`. */
static size_t add_trailers(const struct call_text *trailers, nghttp2_nv *fields, size_t count, size_t most)
{
        const char *at = trailers->text, *end = at ? at + trailers->length : at;

        while (at < end && count < most) {
                const char *colon = memchr(at, ':', (size_t)(end - at));
                const char *line = colon ? memchr(colon, '\r', (size_t)(end - colon)) : NULL;

                if (!line)
                        break;
                fields[count++] = field_of(at, (size_t)(colon - at), colon + 2, (size_t)(line - colon - 2), STAYS);
                at = line + 2;
        }
        return count;
}

static ssize_t read_reply(nghttp2_session *http2, int32_t id, uint8_t *to, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *user)
{
        struct stream *stream = source->ptr;
        struct call *call = stream->call;
        if (call->reply.failed)
                return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        size_t left = call->reply.length - stream->sent;

        if (size > left)
                size = left;
        if (size)
                memcpy(to, call->reply.text + stream->sent, size);
        stream->sent += size;
        stream->session->sent += size;
        if (size)
                session_is_fruitful(stream->session);
        if (size < left)
                return (ssize_t)size;
        if (stream->phase != STREAM_REPLY) { /* more will come */
                if (size)
                        return (ssize_t)size;
                call->reply.length = stream->sent = 0;
                return NGHTTP2_ERR_DEFERRED;
        }
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (call->trailers.length) {
                nghttp2_nv fields[TRAILERS_MOST];

                *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
                if (nghttp2_submit_trailer(http2, id, fields, add_trailers(&call->trailers, fields, 0, TRAILERS_MOST)))
                        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
        }
        return (ssize_t)size;
}

bool stream_reply(struct stream *stream, bool is_part)
{
        struct call *call = stream->call;
        nghttp2_data_provider body = {.source.ptr = stream, .read_callback = read_reply};
        nghttp2_nv fields[FIELDS_MOST + TRAILERS_MOST];
        char length[24], seconds[24];
        size_t count;

        if (call->reply.failed || call->trailers.failed)
                call_reply_no_memory(call);
        bool has_body = call->method != METHOD_HEAD && call->status != 304 && (is_part || call->reply.length);

        for (int i = 0, rest = call->status; i < 3; i++, rest /= 10)
                stream->status[2 - i] = (char)('0' + rest % 10);
        count = add_field(fields, 0, ":status", stream->status, STAYS);
        count = add_field(fields, count, "date", date(), NGHTTP2_NV_FLAG_NONE);
        if (call->content_type)
                count = add_field(fields, count, "content-type", call->content_type, STAYS);
        for (size_t i = 0; i < call->n_header; i++)
                count = add_field(fields, count, call->header[i].name, call->header[i].value, NGHTTP2_NV_FLAG_NONE);
        if (call->status == 503 || call->status == 429) {
                snprintf(seconds, sizeof(seconds), "%" PRId64, pool_state(call->service->pool).wait_s);
                count = add_field(fields, count, "retry-after", seconds, NGHTTP2_NV_FLAG_NONE);
        }
        if (!is_part && !call->trailers.length && call->status != 204) { /* RFC 9110, 8.6 */
                snprintf(length, sizeof(length), "%zu", call->reply.length);
                count = add_field(fields, count, "content-length", length, NGHTTP2_NV_FLAG_NONE);
        } else if (!has_body) {
                count = add_trailers(&call->trailers, fields, count, FIELDS_MOST + TRAILERS_MOST);
        }
        return nghttp2_submit_response(stream->session->http2, stream->id, fields, count, has_body ? &body : NULL) == 0;
}
