/* What a client sends behind the preface of HTTP/2, from frames to replies, as the daemon takes it: all of it but its
   sockets. Whatever comes, no stream and no call is left when the connection has ended.

   The first byte chooses how large the pieces are in which the rest comes, and whether it is frames as they are, or
   what frames of the right lengths are made of: types, flags, numbers of streams and payloads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "net/http2_session.h"
#include "rest/rest.h"
#include "service.h"

#define FRAME_TYPES  11
#define STREAM_MOST  16
#define PAYLOAD_MOST 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* -- the thread that has the session, which is this one -- */

struct owner {
        struct session_owner base; /* the first member */
        pthread_mutex_t lock;
        pthread_cond_t wake;
        struct stream *resumed;
};

static void resume(struct session_owner *base, struct stream *stream)
{
        struct owner *owner = (struct owner *)base;

        pthread_mutex_lock(&owner->lock);
        stream->resumed = owner->resumed;
        owner->resumed = stream;
        pthread_cond_signal(&owner->wake);
        pthread_mutex_unlock(&owner->lock);
}

static bool has_suspended(const struct session *session)
{
        for (const struct stream *stream = session->first; stream; stream = stream->next)
                if (stream->is_suspended)
                        return true;
        return false;
}

/* Until no worker has a call. */
static void await_workers(struct owner *owner, struct session *session)
{
        while (has_suspended(session)) {
                pthread_mutex_lock(&owner->lock);
                while (!owner->resumed)
                        pthread_cond_wait(&owner->wake, &owner->lock);
                struct stream *stream = owner->resumed;

                owner->resumed = stream->resumed;
                pthread_mutex_unlock(&owner->lock);
                stream_go_on(stream);
        }
}

static bool send_all(struct session *session)
{
        const uint8_t *bytes;
        ssize_t size;

        do
                size = session_next(session, &bytes);
        while (size > 0);
        session_sent(session);
        return size == 0 && !session_is_over(session);
}

/* -- the input -- */

static bool feed(struct owner *owner, struct session *session, const uint8_t *bytes, size_t size, size_t piece)
{
        for (size_t at = 0; at < size; at += piece) {
                size_t length = size - at < piece ? size - at : piece;

                if (!session_take(session, (const char *)bytes + at, length) || !send_all(session))
                        return false;
                if (piece > 1)
                        await_workers(owner, session);
                session_look(session, session->changed_ns);
        }
        return true;
}

static bool feed_frames(struct owner *owner, struct session *session, struct draw *d, size_t piece)
{
        while (d->at < d->end) {
                uint8_t frame[9 + PAYLOAD_MOST] = {0};
                size_t size = draw_byte(d) % PAYLOAD_MOST, left;

                frame[2] = (uint8_t)size;
                frame[3] = draw_byte(d) % FRAME_TYPES;
                frame[4] = draw_byte(d);
                frame[8] = draw_byte(d) % STREAM_MOST;
                left = (size_t)(d->end - d->at);
                memcpy(frame + 9, d->at, size < left ? size : left);
                d->at += size < left ? size : left;
                if (!feed(owner, session, frame, 9 + size, piece))
                        return false;
        }
        return true;
}

static struct owner *owner_new(void)
{
        static struct owner owner = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
        static struct service service;
        static struct config config = {
                .cors_origin = "https://example.org, *",
                .streams = 8,
                .connections = 100,
                .queue_s = 30,
                .request_s = 60,
                .header_s = 10,
                .body_s = 30,
                .answer_s = 30,
                .idle_s = 60,
        };

        ox_limits_default(&config.limits);
        config.limits.arena_bytes = (int64_t)256 << 20;
        config.limits.engine_ms = 5000;
        service.config = &config;
        budget_init(&service.budget, INT64_C(1) << 30, &service.metrics, NULL, NULL);
        service.contexts = contexts_new(&config.limits, 16, &service.budget, service.seed);
        service.pool = pool_new(&(struct pool_settings){.threads = 1, .queue = 64});
        HOLD(service.contexts != NULL && service.pool != NULL, "there is memory to begin with");
        calls_init(&service.calls);
        rest_init(&service.metrics);
        owner.base = (struct session_owner){.service = &service, .handler = &rest_handler, .resume = resume};
        return &owner;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
        static struct owner *owner;
        struct sockaddr address = {.sa_family = AF_INET};
        struct draw d = draw_new(data, size);
        struct session session;

        if (owner == NULL)
                owner = owner_new();
        if (size == 0)
                return 0;
        uint8_t choice = draw_byte(&d);
        size_t piece = choice & 2 ? 1 + choice / 4 : 4096;

        HOLD(session_begin(&session, &owner->base, &address, sizeof(address)), "there is memory for a session");
        HOLD(feed(owner, &session, (const uint8_t *)preface, sizeof(preface) - 1, 4096), "the preface is taken");
        if (choice & 1)
                feed_frames(owner, &session, &d, piece);
        else
                feed(owner, &session, data + 1, size - 1, piece);
        session_end(&session);
        await_workers(owner, &session);
        HOLD(session.n_stream == 0, "%zu streams are left", session.n_stream);
        HOLD(metric_get(&owner->base.service->metrics, METRIC_requests_in_flight) == 0, "a call is left");
        return 0;
}
