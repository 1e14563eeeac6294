/* Streams and connections that take too long. */
#include "net/http2_session.h"
#include "obs/log.h"
#include "service.h"

#define BODY_BYTES  1024        /* that must come in each body_s */
#define REPLY_BYTES (64 * 1024) /* that must be taken in each answer_s */
#define SECOND_NS   INT64_C(1000000000)

static bool has_moved(struct stream *stream, uint64_t bytes, uint64_t enough, int64_t now, int64_t limit_s)
{
        if (bytes - stream->moved_bytes >= enough) {
                stream->moved_bytes = bytes;
                stream->moved_ns = now;
        }
        return now - stream->moved_ns <= limit_s * SECOND_NS;
}

static void look_at_body(struct stream *stream, int64_t now)
{
        const struct config *config = stream->session->owner->service->config;
        struct call *call = stream->call;

        if (call_is_late(call))
                call_reply_late(call);
        else if (!has_moved(stream, call->body_bytes, BODY_BYTES, now, config->body_s))
                call_reply_error(call, OX_DEADLINE_EXCEEDED,
                                 "less than %d bytes of the body came within the limit body_s, %lld s", BODY_BYTES,
                                 (long long)config->body_s);
        else
                return;
        call->handler->done(call);
        stream_answer(stream);
}

/* Its reply goes on as its body does, or waits for the drain: it may be silent, but must take what is sent. */
static void look_at_flow(struct stream *stream, int64_t now)
{
        struct call *call = stream->call;

        if (call->reply.length == stream->sent) {
                stream->moved_ns = now;
        } else if (!has_moved(stream, stream->sent, REPLY_BYTES, now,
                              stream->session->owner->service->config->answer_s)) {
                stream->cut_off_by = "answer_s";
                stream_reset(stream, NGHTTP2_CANCEL);
                return;
        }
        if (call_is_late(call) && (!stream->is_waiting || call->is_client_deadline)) {
                call_reply_late(call);
                call->handler->done(call);
                stream_answer(stream);
        }
}

static void look_at(struct stream *stream, int64_t now)
{
        const struct session *session = stream->session;
        const struct config *config = session->owner->service->config;

        if (stream->is_suspended || atomic_load_explicit(&stream->is_gone, memory_order_relaxed))
                return;
        if (stream->phase == STREAM_HEAD && now - stream->moved_ns > config->header_s * SECOND_NS)
                nghttp2_session_terminate_session(session->http2, NGHTTP2_ENHANCE_YOUR_CALM);
        else if (stream->phase == STREAM_BODY && stream->is_flowing)
                look_at_flow(stream, now);
        else if (stream->phase == STREAM_BODY)
                look_at_body(stream, now);
        else if (stream->phase == STREAM_SENT && now - stream->moved_ns > config->body_s * SECOND_NS)
                stream_reset(stream, NGHTTP2_NO_ERROR);
        else if (stream->phase == STREAM_REPLY &&
                 !has_moved(stream, stream->sent, REPLY_BYTES, now, config->answer_s)) {
                stream->cut_off_by = "answer_s";
                stream_reset(stream, NGHTTP2_CANCEL);
        }
}

void session_look(struct session *session, int64_t now)
{
        const struct config *config = session->owner->service->config;

        if (!session->http2)
                return;
        for (struct stream *stream = session->first, *next; stream; stream = next) {
                next = stream->next;
                look_at(stream, now);
        }
        if (!session->n_stream && now - session->changed_ns > config->idle_s * SECOND_NS)
                session_leave(session);
}
