#include "net/http2_session.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/handover.h"
#include "net/target.h"
#include "obs/log.h"
#include "service.h"
#include "work/client.h"

#define WINDOW_BYTES     (256 * 1024) /* of a request's body that may come unasked */
#define CONNECTION_BYTES (1024 * 1024)
#define BARREN_MOST      1000          /* frames in a row that bring nothing, */
#define BARREN_BYTES     (1024 * 1024) /* and bytes */
#define DETACHED_MOST    2    /* calls to a stream that may be open: workers may still have those of closed ones */
#define IDLE_MOST        64   /* streams that are kept for the next ones, */
#define IDLE_BYTES       8192 /* with so much memory of a head at most */
#define LINGER_MOST      ((size_t)64 * 1024 * 1024) /* of a body that is read behind its reply */

/* -- what a call asks of its transport -- */

static bool each_query(struct call *call, bool (*each)(void *user, const char *name, const char *value), void *user)
{
        const char *target = call->field[FIELD_PATH];

        return !target || target_each(target, each, user);
}

static void suspend(struct call *call)
{
        ((struct stream *)call->connection)->is_suspended = true;
}

static void resume(struct call *call, enum call_resume how)
{
        struct stream *stream = call->connection;
        struct session_owner *owner = stream->session->owner;

        stream->how = how;
        owner->resume(owner, stream);
}

static bool is_gone(struct call *call)
{
        return atomic_load_explicit(&((struct stream *)call->connection)->is_gone, memory_order_relaxed);
}

static void flush(struct call *call)
{
        struct stream *stream = call->connection;

        if (stream->is_flowing)
                nghttp2_session_resume_data(stream->session->http2, stream->id);
        stream->is_flowing = stream->is_flowing || stream_reply(stream, true);
}

static const struct call_transport transport = {
        .headers = stream_each_field,
        .query = each_query,
        .suspend = suspend,
        .resume = resume,
        .is_gone = is_gone,
        .flush = flush,
        .has_trailers = true,
};

/* -- streams -- */

void session_is_fruitful(struct session *session)
{
        session->barren = session->barren_bytes = 0;
}

static struct stream *stream_of(nghttp2_session *http2, int32_t id)
{
        return nghttp2_session_get_stream_user_data(http2, id);
}

void stream_reset(struct stream *stream, uint32_t code)
{
        nghttp2_submit_rst_stream(stream->session->http2, NGHTTP2_FLAG_NONE, stream->id, code);
}

static bool has_room(const struct session *session)
{
        const struct service *service = session->owner->service;

        return session->n_stream < DETACHED_MOST * (size_t)service->config->streams &&
               metric_get(&service->metrics, METRIC_requests_in_flight) < service->config->connections;
}

/* One that is over, or a new one. Its fields are empty, whatever memory they have. */
static struct stream *take_idle(struct session_owner *owner)
{
        struct stream *stream = owner->idle;
        struct call_text fields = {.budget = &owner->service->budget};

        if (stream) {
                owner->idle = stream->next;
                owner->n_idle--;
                fields = stream->fields;
                fields.length = 0;
                fields.failed = false;
        } else {
                stream = malloc(sizeof(*stream));
        }
        if (stream)
                *stream = (struct stream){.fields = fields, .waiting = {.budget = fields.budget}};
        return stream;
}

static void give_idle(struct session_owner *owner, struct stream *stream)
{
        if (owner->n_idle == IDLE_MOST || stream->fields.capacity > IDLE_BYTES) {
                text_free(&stream->fields);
                free(stream);
                return;
        }
        stream->next = owner->idle;
        owner->idle = stream;
        owner->n_idle++;
}

void sessions_done(struct session_owner *owner)
{
        for (struct stream *stream; (stream = owner->idle);) {
                owner->idle = stream->next;
                text_free(&stream->fields);
                free(stream);
        }
        owner->n_idle = 0;
}

static struct stream *stream_new(struct session *session, int32_t id)
{
        struct stream *stream = take_idle(session->owner);

        if (!stream)
                return NULL;
        stream->session = session;
        stream->id = id;
        stream->moved.ns = session->changed_ns = clock_coarse_ns();
        stream->next = session->first;
        stream->link = &session->first;
        if (stream->next)
                stream->next->link = &stream->next;
        session->first = stream;
        session->n_stream++;
        return stream;
}

/* Its reply has been sent, or will not be. */
static void end_call(struct stream *stream)
{
        const char *by = stream->phase == STREAM_SENT ? NULL : stream->cut_off_by ? stream->cut_off_by : "client";

        if (!stream->call)
                return;
        if (by)
                call_cut_off(stream->call, by);
        call_over(stream->call, (const struct sockaddr *)&stream->session->address, by, true);
        stream->call = NULL;
}

static void stream_free(struct stream *stream)
{
        struct session *session = stream->session;

        end_call(stream);
        *stream->link = stream->next;
        if (stream->next)
                stream->next->link = stream->link;
        if (session->head_of == stream)
                session->head_of = NULL;
        session->n_stream--;
        session->changed_ns = clock_coarse_ns();
        text_free(&stream->waiting);
        free(stream->path);
        give_idle(session->owner, stream);
}

void stream_answer(struct stream *stream)
{
        stream->phase = STREAM_REPLY;
        call_enter(stream->call, STAGE_SEND);
        stream->moved = (struct progress){.ns = stream->call->stage_since_ns};
        text_free(&stream->waiting);
        if (stream->is_flowing)
                nghttp2_session_resume_data(stream->session->http2, stream->id);
        else if (!stream_reply(stream, false))
                stream_reset(stream, NGHTTP2_INTERNAL_ERROR);
}

/* -- the body -- */

static void acknowledge(struct stream *stream)
{
        if (stream->is_suspended || !stream->unacknowledged)
                return;
        nghttp2_session_consume_stream(stream->session->http2, stream->id, stream->unacknowledged);
        stream->unacknowledged = 0;
}

static void take_body(struct stream *stream, const char *bytes, size_t size)
{
        if (handover_body(stream->call, bytes, size))
                return;
        stream->call->handler->done(stream->call);
        stream_answer(stream);
}

/* Nothing more comes of the body. */
static void end_body(struct stream *stream)
{
        enum call_next next;

        if (stream->phase != STREAM_BODY || stream->is_suspended)
                return;
        next = handover_end(stream->call);
        stream->is_waiting = next == CALL_WAIT;
        if (next == CALL_DONE)
                stream_answer(stream);
}

/* Behind an early reply the body is read on for a while: clients may look for a reply only when they have sent all. */
static void skip_body(struct stream *stream, size_t size)
{
        stream->skipped += size;
        if (stream->skipped > LINGER_MOST)
                stream_reset(stream, NGHTTP2_NO_ERROR);
        else
                nghttp2_session_consume_stream(stream->session->http2, stream->id, size);
}

static int on_data(nghttp2_session *http2, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size, void *user)
{
        struct session *session = user;
        struct stream *stream = stream_of(http2, id);

        session_is_fruitful(session);
        nghttp2_session_consume_connection(http2, size);
        if (!stream)
                return 0;
        if (stream->phase != STREAM_BODY) {
                skip_body(stream, size);
                return 0;
        }
        stream->call->body_bytes += size;
        stream->unacknowledged += size;
        if (!stream->is_suspended)
                take_body(stream, (const char *)bytes, size);
        else
                text_append(&stream->waiting, (const char *)bytes, size);
        acknowledge(stream);
        return 0;
}

static void take_waiting(struct stream *stream)
{
        struct call_text waiting = stream->waiting;

        stream->waiting = (struct call_text){.budget = waiting.budget};
        if (waiting.failed) {
                call_reply_no_memory(stream->call);
                stream->call->handler->done(stream->call);
                stream_answer(stream);
        } else if (waiting.length) {
                take_body(stream, waiting.text, waiting.length);
        }
        text_free(&waiting);
}

void stream_go_on(struct stream *stream)
{
        stream->is_suspended = false;
        stream->moved.ns = clock_coarse_ns();
        if (is_gone(stream->call)) {
                stream_free(stream);
        } else if (stream->how != CALL_BODY) {
                stream_answer(stream);
        } else {
                take_waiting(stream);
                acknowledge(stream);
                if (stream->is_complete)
                        end_body(stream);
        }
}

/* -- the head -- */

static int on_begin_headers(nghttp2_session *http2, const nghttp2_frame *frame, void *user)
{
        struct session *session = user;
        struct stream *stream;

        session->head_of = NULL;
        if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
                return 0; /* trailers tell us nothing */
        session_is_fruitful(session);
        session->head_of = stream = has_room(session) ? stream_new(session, frame->hd.stream_id) : NULL;
        if (!stream)
                nghttp2_submit_rst_stream(http2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
        else
                nghttp2_session_set_stream_user_data(http2, stream->id, stream);
        return 0;
}

static int on_header(nghttp2_session *http2, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user)
{
        struct stream *stream = ((struct session *)user)->head_of;

        if (stream)
                stream_add_field(stream, (const char *)name, name_size, (const char *)value, value_size);
        return 0;
}

/* A field that RFC 9113, 8.2.1, does not allow makes the request malformed; by itself the library leaves it out. */
static int on_invalid_header(nghttp2_session *http2, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                             const uint8_t *value, size_t value_size, uint8_t flags, void *user)
{
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static void ask_for_body(struct stream *stream)
{
        static uint8_t name[] = ":status", value[] = "100";
        static const nghttp2_nv status = {name, value, sizeof(name) - 1, sizeof(value) - 1, NGHTTP2_NV_FLAG_NONE};
        const char *expect = stream->call->field[FIELD_EXPECT];

        if (expect && strcasecmp(expect, "100-continue") == 0)
                nghttp2_submit_headers(stream->session->http2, NGHTTP2_FLAG_NONE, stream->id, NULL, &status, 1, NULL);
}

static void begin(struct stream *stream)
{
        struct session_owner *owner = stream->session->owner;

        stream->phase = STREAM_BODY;
        stream->call = call_begin(owner->service, owner->handler, &transport, stream, stream->session->client);
        if (!stream->call) {
                stream->phase = STREAM_SENT;
                stream_reset(stream, NGHTTP2_REFUSED_STREAM);
                return;
        }
        stream->moved.ns = stream->call->started_ns;
        stream_read_head(stream);
        call_is_begun(stream->call);
        if (stream->call->status) {
                stream->call->handler->done(stream->call);
                stream_answer(stream);
        } else if (!stream->is_complete) {
                ask_for_body(stream);
        }
}

/* -- frames -- */

/* A client could keep us busy with frames that bring nothing: empty ones, PING, SETTINGS. Of those of unknown types the
   library does not speak: session_take() counts their bytes. */
static int on_begin_frame(nghttp2_session *http2, const nghttp2_frame_hd *head, void *user)
{
        struct session *session = user;

        if (++session->barren == BARREN_MOST)
                nghttp2_session_terminate_session(http2, NGHTTP2_ENHANCE_YOUR_CALM);
        if (head->type == NGHTTP2_PRIORITY && head->stream_id == 0) /* which the library ignores (RFC 9113, 6.3) */
                nghttp2_session_terminate_session(http2, NGHTTP2_PROTOCOL_ERROR);
        return 0;
}

static int on_frame(nghttp2_session *http2, const nghttp2_frame *frame, void *user)
{
        struct stream *stream = stream_of(http2, frame->hd.stream_id);

        if (!stream || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
                return 0;
        stream->is_complete = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
        if (stream->phase == STREAM_HEAD)
                begin(stream);
        if (stream->is_complete)
                end_body(stream);
        return 0;
}

/* The stream stays open while the body of its request still comes. If nothing does, on_close() follows. */
static int on_sent(nghttp2_session *http2, const nghttp2_frame *frame, void *user)
{
        struct stream *stream = stream_of(http2, frame->hd.stream_id);

        if (!stream || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
            !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
                return 0;
        stream->phase = STREAM_SENT;
        if (stream->is_complete)
                return 0;
        stream->moved.ns = clock_coarse_ns();
        end_call(stream);
        return 0;
}

static int on_close(nghttp2_session *http2, int32_t id, uint32_t code, void *user)
{
        struct session *session = user;
        struct stream *stream = stream_of(http2, id);

        if (!stream)
                return 0;
        atomic_store_explicit(&stream->is_gone, true, memory_order_relaxed);
        if (stream->phase == STREAM_SENT && stream->call) {
                stream->resumed = session->over;
                session->over = stream;
        } else if (!stream->is_suspended) {
                stream_free(stream);
        }
        return 0;
}

/* -- the whole -- */

static nghttp2_session *open_session(struct session *session)
{
        nghttp2_session_callbacks *callbacks = NULL;
        nghttp2_option *option = NULL;
        nghttp2_session *http2 = NULL;

        if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
                nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
                nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
                nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
                nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
                nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
                nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
                nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
                nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
                /* Its own limits on resets, CONTINUATION, entries of SETTINGS and acknowledgements stay as they are. */
                nghttp2_option_set_no_auto_window_update(option, 1);
                nghttp2_option_set_no_closed_streams(option, 1);
                nghttp2_session_server_new2(&http2, callbacks, session, option);
        }
        nghttp2_session_callbacks_del(callbacks);
        nghttp2_option_del(option);
        return http2;
}

bool session_begin(struct session *session, struct session_owner *owner, const struct sockaddr *address, socklen_t size)
{
        const nghttp2_settings_entry settings[] = {
                {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)owner->service->config->streams},
                {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES},
                {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEAD_BYTES},
                {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
        };

        *session = (struct session){.owner = owner, .changed_ns = clock_ns()};
        if (size && size <= sizeof(session->address))
                memcpy(&session->address, address, size);
        session->client = client_of(size ? address : NULL, owner->service->seed);
        session->http2 = open_session(session);
        return session->http2 &&
               nghttp2_submit_settings(session->http2, NGHTTP2_FLAG_NONE, settings,
                                       sizeof(settings) / sizeof(settings[0])) == 0 &&
               nghttp2_session_set_local_window_size(session->http2, NGHTTP2_FLAG_NONE, 0, CONNECTION_BYTES) == 0;
}

bool session_take(struct session *session, const char *bytes, size_t size)
{
        session->barren_bytes += size;
        if (nghttp2_session_mem_recv(session->http2, (const uint8_t *)bytes, size) < 0)
                return false;
        if (session->barren_bytes > BARREN_BYTES)
                nghttp2_session_terminate_session(session->http2, NGHTTP2_ENHANCE_YOUR_CALM);
        return true;
}

ssize_t session_next(struct session *session, const uint8_t **ret)
{
        return nghttp2_session_mem_send(session->http2, ret);
}

void session_sent(struct session *session)
{
        for (struct stream *stream; (stream = session->over);) {
                session->over = stream->resumed;
                stream_free(stream);
        }
}

bool session_is_over(const struct session *session)
{
        return !nghttp2_session_want_read(session->http2) && !nghttp2_session_want_write(session->http2);
}

/* What would last as long as its client likes. */
static void end_flow(struct stream *stream)
{
        if (stream->phase != STREAM_BODY || !stream->is_flowing)
                return;
        if (stream->is_waiting) {
                end_body(stream);
                return;
        }
        call_reply_error(stream->call, OX_UNAVAILABLE, "the daemon ends");
        stream->call->handler->done(stream->call);
        stream_answer(stream);
}

void session_drain(struct session *session)
{
        for (struct stream *stream = session->first, *next; stream; stream = next) {
                next = stream->next;
                end_flow(stream);
        }
        session_leave(session);
}

/* First word that there will be an end, so that what is on its way is still taken; then the end (RFC 9113, 6.8). */
void session_leave(struct session *session)
{
        if (!session->is_leaving)
                nghttp2_submit_shutdown_notice(session->http2);
        else
                nghttp2_submit_goaway(session->http2, NGHTTP2_FLAG_NONE,
                                      nghttp2_session_get_last_proc_stream_id(session->http2), NGHTTP2_NO_ERROR, NULL,
                                      0);
        session->is_leaving = true;
}

void session_end(struct session *session)
{
        struct stream *next;

        if (session->http2)
                nghttp2_session_del(session->http2);
        session->http2 = NULL;
        session->over = NULL;
        for (struct stream *stream = session->first; stream; stream = next) {
                next = stream->next;
                atomic_store_explicit(&stream->is_gone, true, memory_order_relaxed);
                if (!stream->is_suspended)
                        stream_free(stream);
        }
}
