/* One request and its reply, for any protocol. The transport (net/) fills in the request and calls the handler's
   functions; the handler (rest/, rpc/) fills in the reply. At any time only one thread touches a call: the I/O thread
   that reads it, or the worker to which it was handed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/fields.h"
#include "obs/status.h"
#include "shape.h"
#include "work/job.h"

struct call;
struct service;
struct sockaddr;

enum call_method { METHOD_GET = 1, METHOD_HEAD = 2, METHOD_POST = 4, METHOD_OTHER = 8 };

/* The next step that the handler asks for. */
enum call_next {
        CALL_DONE, /* the reply is complete */
        CALL_WORK, /* run `work` on a worker */
        CALL_WAIT, /* send the flushed part of the reply, and call end() again when the daemon drains */
};

struct call_handler {
        /* Called when the head is complete. To refuse the call it sets a reply, and the body is not read. */
        void (*begin)(struct call *call);
        /* Takes the next bytes of the body; on a worker if body_is_work. False: the call has failed and has its reply;
           the rest of the body is skipped. */
        bool (*body)(struct call *call, const char *bytes, size_t size);
        /* Called when the body is complete. */
        enum call_next (*end)(struct call *call);
        /* Called on a worker after CALL_WORK. */
        void (*work)(struct call *call);
        /* Called when the reply is complete or no longer wanted: frees call->state, if there is one. */
        void (*done)(struct call *call);
};

/* How a call continues after a worker. */
enum call_resume {
        CALL_BODY,  /* with the rest of its body */
        CALL_SKIP,  /* its reply is complete; the rest of the body is skipped */
        CALL_REPLY, /* its reply stands */
};

/* Functions of the transport. */
struct call_transport {
        /* Calls `each` with the value of every header field of that name. */
        void (*headers)(struct call *call, const char *name, void (*each)(void *user, const char *value), void *user);
        /* Calls `each` for every parameter of the query, decoded, until it returns false. `value` NULL: it has no `=`.
           False when `each` did, or for a text with a NUL in it. */
        bool (*query)(struct call *call, bool (*each)(void *user, const char *name, const char *value), void *user);
        /* Stops reading the call until resume(), which any thread may call, even before the function that called
           suspend() returns. */
        void (*suspend)(struct call *call);
        void (*resume)(struct call *call, enum call_resume how);
        /* Whether the client has closed the connection, or at least its sending half. Any thread that has the call may
           ask. */
        bool (*is_gone)(struct call *call);
        /* Sends the reply written so far, which will continue. Only for the thread of the connection, which may drop
           the sent part after this returns. NULL if the protocol has no trailers. */
        void (*flush)(struct call *call);
        /* Whether call->trailers can be sent. */
        bool has_trailers;
};

#define CALL_HEADERS 10
#define CALL_ERROR   320 /* bytes of an error's message in the log */
#define CALL_ROOM    2048

/* The phases of a request, whose times log and metrics report separately. */
enum call_stage {
        STAGE_ENGINE, /* it is being processed; the first stage, beginning with its head */
        STAGE_UPLOAD, /* its body arrives, including the work of the reading thread on it */
        STAGE_QUEUE,  /* it waits for a worker */
        STAGE_SEND,   /* its reply is sent */
        CALL_STAGES,
};

/* A growing text. Beyond a small size its memory is reserved from the budget of all requests. */
struct call_text {
        struct budget *budget;
        char *text;
        size_t length, capacity;
        bool failed; /* memory ran out, and the text is empty */
};

/* Makes room for so many bytes at once, if there is memory for them. */
void text_reserve(struct call_text *text, size_t capacity);
void text_append(struct call_text *to, const char *bytes, size_t size);
/* The same as an ox_write, and without a copy as an ox_room. */
void text_write(void *text, const char *bytes, size_t size);
char *text_room(void *text, size_t put, size_t least, size_t *ret_size);
/* Cuts the text to a length that it had before. */
void text_cut(struct call_text *text, size_t length);
void text_free(struct call_text *text);

struct call {
        struct service *service;
        const struct call_handler *handler;
        const struct call_transport *transport;
        void *connection; /* this and the next three belong to the transport */
        int phase;
        bool close; /* the connection ends with the reply */
        uint64_t skipped_body;

        /* the request */
        enum call_method method;
        const char *method_name;
        const char *protocol;           /* "HTTP/1.1" */
        const char *path;               /* decoded, without the query */
        const char *field[FIELD_COUNT]; /* of the head: the first value of each name; NULL: none */
        bool has_length;                /* of the body; else it is chunked, or there is none */
        bool has_body;
        uint64_t length;
        uint64_t body_bytes;   /* so far */
        bool body_is_work;     /* set by begin(): a few bytes of the body may take long to decode, so workers take
                                  it, */
        uint64_t inline_bytes; /* unless it has at most this many bytes */
        int64_t started_ns, deadline_ns;
        bool is_client_deadline; /* begin() took it from the client's head */
        enum call_stage stage;
        int64_t stage_since_ns, stage_ns[CALL_STAGES]; /* of past stages */
        uint64_t client;                               /* a hash of the client's address (work/client.h) */

        /* the reply */
        int status; /* 0: none yet */
        enum ox_code code;
        const char *content_type; /* static */
        struct call_header {
                const char *name; /* static */
                char value[80];
        } header[CALL_HEADERS];
        size_t n_header;
        struct call_text reply;
        struct call_text trailers; /* fields after the body, "name: value\r\n" each; empty: none */
        char error[CALL_ERROR];    /* the error message, for the log; "": none */

        /* the handler's own */
        void *state;           /* from call_new_state() */
        struct call_text body; /* the collected part of the request's body */
        /* Writes the whole reply of an error, in the form of a protocol; NULL: as JSON with that status. */
        void (*put_error)(struct call *call, int status, enum ox_code code, const char *message);
        int route;              /* its number in the metrics; -1: none */
        _Atomic uint64_t nodes; /* for the log: workers that share a batch count together, */
        uint64_t skipped;       /* for the log */

        /* for its way to workers (net/handover.h) */
        struct job job;
        struct turn turn;
        bool is_piece;             /* the job takes a piece of the body */
        int64_t cost_ns;           /* set by end(): the estimated time of the work; 0: unknown */
        struct call_text gathered; /* of the body */
        size_t taken;              /* of what was gathered */

        struct call *next; /* in the pool of calls that can be used again */

        _Alignas(max_align_t) char room[CALL_ROOM]; /* for the state */
};

/* NULL if memory runs out. */
struct call *call_new(struct service *service);
void call_free(struct call *call);

/* Begins a request of the client with this hash. Its method, path and body are still to be set. NULL if memory runs
   out. */
struct call *call_begin(struct service *service, const struct call_handler *handler,
                        const struct call_transport *transport, void *connection, uint64_t client);

/* Allocates call->state, zeroed, with this number of bytes. If memory runs out, returns NULL and sets the reply. */
void *call_new_state(struct call *call, size_t size);

/* Frees it, and a large body; call->state is NULL then. */
void call_free_state(struct call *call);

/* `name` must stay. */
void call_set_method(struct call *call, const char *name);

/* Called after begin(), or in its place: from here on the call counts as in flight. */
void call_is_begun(struct call *call);

/* Called if the connection, or the call's stream, ends before the reply is sent; `by` is a row of
   requests_cut_off_total. */
void call_cut_off(struct call *call, const char *by);

/* Ends a request: counts it, logs it if `is_noted`, and frees it. `cut_off_by` NULL: its reply was sent. */
void call_over(struct call *call, const struct sockaddr *client, const char *cut_off_by, bool is_noted);

/* Ends the current stage of the call, and begins another one. */
void call_enter(struct call *call, enum call_stage stage);

/* A ox_write that appends to the reply. */
void call_write(void *call, const char *bytes, size_t size);

/* Begins the reply with its status and the type of its body; discards what was written before. */
void call_reply(struct call *call, int status, const char *content_type);
void call_reply_header(struct call *call, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Replies an error as JSON, without details: with the status of the code, or with the code in the row of the status. */
void call_reply_error(struct call *call, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void call_reply_error_status(struct call *call, enum http_status status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Whether the total time of the request (request_s) is over, and the error that reports it. */
bool call_is_late(const struct call *call);
void call_reply_late(struct call *call);

/* The `look` of struct ox_options: lets an inference go on unless the client has gone or the call is late. */
enum ox_code call_look(void *call, const char **ret_why);

/* Keeps an error's message for the log, which the functions above do by themselves. */
void call_note_error(struct call *call, const char *message);

/* The same for an error of the engine, with its code, if the caller writes the reply. */
void call_note_failure(struct call *call, enum ox_code code, const char *message);

/* Replies that memory ran out. */
void call_reply_no_memory(struct call *call);

/* Appends an error as JSON, without details. */
void call_write_error(struct call *call, enum ox_code code, const char *message);
