/* One HTTP/2 connection without its socket: bytes in, calls, bytes out. Only one thread touches a session and its
   streams, except that any thread may call the owner's resume function. */
#pragma once

#include <nghttp2/nghttp2.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "net/call.h"

struct stream;

/* When enough has come or gone the last time, and how much that was in all. */
struct progress {
        int64_t ns;
        uint64_t bytes;
};

#define REPLY_BYTES ((uint64_t)64 * 1024) /* that must be taken in each answer_s */

/* Whether `enough` has moved within `limit_s`, when `bytes` have in all. */
static inline bool has_moved(struct progress *moved, uint64_t bytes, uint64_t enough, int64_t now, int64_t limit_s)
{
        if (bytes - moved->bytes >= enough)
                *moved = (struct progress){now, bytes};
        return now - moved->ns <= limit_s * INT64_C(1000000000);
}

/* Callbacks to the thread that owns the sessions. */
struct session_owner {
        struct service *service;
        const struct call_handler *handler;
        /* Called from any thread when a worker is done with the stream's call: stream_go_on() must then be called on
           the session's thread. */
        void (*resume)(struct session_owner *owner, struct stream *stream);
        struct stream *idle; /* finished streams, kept with the memory of their heads for reuse */
        size_t n_idle;
};

/* Frees the idle streams. */
void sessions_done(struct session_owner *owner);

struct session {
        struct session_owner *owner;
        nghttp2_session *http2; /* NULL: it is closed, and waits for calls held by workers */
        struct sockaddr_storage address;
        uint64_t client; /* a hash of it */
        struct stream *first;
        struct stream *head_of; /* whose head arrives; NULL: none, or it is refused */
        struct stream *over;    /* the first of those that have ended with their replies; session_sent() frees them */
        size_t n_stream;
        size_t barren;         /* consecutive frames without content, */
        size_t barren_bytes;   /* and bytes */
        int64_t changed_ns;    /* when the last stream began or ended */
        uint64_t sent;         /* of all replies' bodies, as far as windows and the socket allowed it */
        struct progress moved; /* of that */
        bool is_leaving;       /* GOAWAY is on its way */
};

struct stream {
        struct stream *next, **link; /* in the session */
        struct session *session;
        struct call *call; /* NULL: its head is not complete, or its reply has been sent */
        int32_t id;
        enum {
                STREAM_HEAD,  /* its head comes */
                STREAM_BODY,  /* its body goes to the handler, or waits for a worker */
                STREAM_REPLY, /* its reply is being sent */
                STREAM_SENT,
        } phase;
        bool is_complete;               /* the client has sent its end */
        bool is_suspended;              /* a worker has the call */
        bool is_flowing;                /* a part of its reply was sent while the body still arrives */
        bool is_waiting;                /* for the drain (CALL_WAIT) */
        enum call_resume how;           /* it comes back */
        atomic_bool is_gone;            /* nobody waits for the reply */
        struct stream *resumed;         /* the next in the owner's list, or of those that are over */
        struct call_text fields;        /* of the head: name NUL value NUL each */
        uint32_t field_at[FIELD_COUNT]; /* where in them the first value of each stands; 0: there is none */
        bool has_too_large_a_head;      /* and what is too much was left out */
        char *path;                     /* decoded; NULL: it stands so in the head */
        struct call_text waiting;       /* of the body, while a worker has the call */
        size_t unacknowledged;          /* bytes of the body for which the client has no new window yet */
        char status[4];                 /* of the reply: its digits */
        size_t sent;                    /* of the reply's body */
        size_t skipped;                 /* of the body, behind an early reply */
        const char *cut_off_by;         /* NULL: the client */
        struct progress moved;          /* of the body or of the reply */
};

/* Both return false if memory runs out. The connection sends its settings first. */
bool session_begin(struct session *session, struct session_owner *owner, const struct sockaddr *address,
                   socklen_t size);

/* Takes received bytes. False: the connection has failed, or ends after the remaining output is sent. */
bool session_take(struct session *session, const char *bytes, size_t size);

/* The next bytes to send, valid until the next call; 0: none, -1: the connection has failed. */
ssize_t session_next(struct session *session, const uint8_t **ret);

/* Counts and logs the calls whose replies are complete, which is not to keep their clients waiting: to be called when
   the bytes of session_next() have been sent, before the session takes more. */
void session_sent(struct session *session);

/* Whether the connection has nothing more to read or to send. */
bool session_is_over(const struct session *session);

/* A call has come back from a worker. */
void stream_go_on(struct stream *stream);

/* Takes no more requests, at once when it is called again. */
void session_leave(struct session *session);

/* The same, and the daemon drains. */
void session_drain(struct session *session);

/* To be called about once a second: ends streams and connections that take too long (http2_watch.c). */
void session_look(struct session *session, int64_t now);

/* Called when the connection is lost: nobody waits for its replies. The session must live until n_stream is 0. */
void session_end(struct session *session);

/* -- for its parts -- */

#define HEAD_BYTES (64 * 1024) /* of a head at most, as RFC 9113, 6.5.2, counts them */

/* Adds a field of the head that arrives. Name and value are followed by a NUL. */
void stream_add_field(struct stream *stream, const char *name, size_t name_size, const char *value, size_t value_size);

/* The `headers` of struct call_transport. */
void stream_each_field(struct call *call, const char *name, void (*each)(void *user, const char *value), void *user);

/* Begins the stream's call with the head, which is complete; what is wrong with it becomes the call's reply. */
void stream_read_head(struct stream *stream);

/* Sends the complete reply of the stream's call. */
void stream_answer(struct stream *stream);

/* Notes activity: a request has begun, or a part of a body was received or sent. */
void session_is_fruitful(struct session *session);

/* Ends the stream with an error code of RFC 9113, 7. */
void stream_reset(struct stream *stream, uint32_t code);

/* Sends the reply of the stream's call, which stands, or only begins (`is_part`): it goes on until the stream's phase
   is STREAM_REPLY. False when there is no memory. */
bool stream_reply(struct stream *stream, bool is_part);
