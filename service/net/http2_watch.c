/* Streams and connections that take too long. */
#include "net/http2_session.h"
#include "obs/log.h"
#include "service.h"

#define BODY_BYTES 1024 /* that must come in each body_s */
#define SECOND_NS  INT64_C(1000000000)

static void look_at_body(struct stream *stream, int64_t now)
{
        const struct config *config = stream->session->owner->service->config;
        struct call *call = stream->call;

        if (call_is_late(call))
                call_reply_late(call);
        else if (!has_moved(&stream->moved, call->body_bytes, BODY_BYTES, now, config->body_s))
                call_reply_error(call, OX_DEADLINE_EXCEEDED,
                                 "less than %d bytes of the body came within the limit body_s, %lld s", BODY_BYTES,
                                 (long long)config->body_s);
        else
                return;
        call->handler->done(call);
        stream_answer(stream);
}

/* Whether the reply goes too slowly. A stream whose window is open waits for its turn: it is late only where the client
   takes too little of all its replies together. */
static bool is_reply_late(struct stream *stream, bool session_moves, int64_t now)
{
        struct session *session = stream->session;

        if (has_moved(&stream->moved, stream->sent, REPLY_BYTES, now, session->owner->service->config->answer_s))
                return false;
        return !session_moves || nghttp2_session_get_stream_remote_window_size(session->http2, stream->id) <= 0;
}

static void cut_off(struct stream *stream)
{
        stream->cut_off_by = "answer_s";
        stream_reset(stream, NGHTTP2_CANCEL);
}

/* Its reply goes on as its body does, or waits for the drain: it may be silent, but must take what is sent. */
static void look_at_flow(struct stream *stream, bool session_moves, int64_t now)
{
        struct call *call = stream->call;

        if (call->reply.length == stream->sent) {
                stream->moved = (struct progress){now, stream->sent};
        } else if (is_reply_late(stream, session_moves, now)) {
                cut_off(stream);
                return;
        }
        if (call_is_late(call) && (!stream->is_waiting || call->is_client_deadline)) {
                call_reply_late(call);
                call->handler->done(call);
                stream_answer(stream);
        }
}

static void look_at(struct stream *stream, bool session_moves, int64_t now)
{
        const struct session *session = stream->session;
        const struct config *config = session->owner->service->config;

        if (stream->is_suspended || atomic_load_explicit(&stream->is_gone, memory_order_relaxed))
                return;
        if (stream->phase == STREAM_HEAD && now - stream->moved.ns > config->header_s * SECOND_NS)
                nghttp2_session_terminate_session(session->http2, NGHTTP2_ENHANCE_YOUR_CALM);
        else if (stream->phase == STREAM_BODY && stream->is_flowing)
                look_at_flow(stream, session_moves, now);
        else if (stream->phase == STREAM_BODY)
                look_at_body(stream, now);
        else if (stream->phase == STREAM_SENT && now - stream->moved.ns > config->body_s * SECOND_NS)
                stream_reset(stream, NGHTTP2_NO_ERROR);
        else if (stream->phase == STREAM_REPLY && is_reply_late(stream, session_moves, now))
                cut_off(stream);
}

void session_look(struct session *session, int64_t now)
{
        const struct config *config = session->owner->service->config;
        bool moves = has_moved(&session->moved, session->sent, REPLY_BYTES, now, config->answer_s);

        if (!session->http2)
                return;
        for (struct stream *stream = session->first, *next; stream; stream = next) {
                next = stream->next;
                look_at(stream, moves, now);
        }
        if (!session->n_stream && now - session->changed_ns > config->idle_s * SECOND_NS)
                session_leave(session);
}
