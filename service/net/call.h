/* One request and its reply, whatever protocol brought it. The transport (net/) fills in the request and calls the
   handler's functions; the handler (rest/, rpc/) fills in the reply. At any time one thread alone touches a call: the
   I/O thread that reads it or the worker that it was handed to. */
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

/* What the handler wants to happen next. */
enum call_next {
        CALL_DONE, /* the reply is complete */
        CALL_WORK, /* `work` shall run on a worker */
        CALL_WAIT, /* what was flushed of the reply is sent, and end() is called again when the daemon drains */
};

struct call_handler {
        /* The head is complete. To refuse the call it sets a reply: the body is not read then. */
        void (*begin)(struct call *call);
        /* The next bytes of the body, on a worker where body_is_work says so. False: the call has failed and has its
         * reply, the rest of the body is skipped. */
        bool (*body)(struct call *call, const char *bytes, size_t size);
        /* The body is complete. */
        enum call_next (*end)(struct call *call);
        /* On a worker, after CALL_WORK. */
        void (*work)(struct call *call);
        /* The reply stands, or will not be wanted: frees call->state, if it is there still. */
        void (*done)(struct call *call);
};

/* How a call goes on that was on a worker. */
enum call_resume {
        CALL_BODY,  /* with the rest of its body */
        CALL_SKIP,  /* its reply stands; the rest of the body is not wanted */
        CALL_REPLY, /* its reply stands */
};

/* What only the transport knows of a request. */
struct call_transport {
        /* Calls `each` with the value of every header field of that name. */
        void (*headers)(struct call *call, const char *name, void (*each)(void *user, const char *value), void *user);
        /* Calls `each` for every parameter of the query, decoded, until it returns false. `value` NULL: it has no `=`.
           False when `each` did, or for a text with a NUL in it. */
        bool (*query)(struct call *call, bool (*each)(void *user, const char *name, const char *value), void *user);
        /* Nothing more is read of the call until resume(), which may come from any thread and, when a worker is quick,
           before whoever suspended it is done. */
        void (*suspend)(struct call *call);
        void (*resume)(struct call *call, enum call_resume how);
        /* Whether the client has hung up, or at least sends nothing more. Any thread that has the call may ask. */
        bool (*is_gone)(struct call *call);
        /* Sends what there is of the reply, whose end is still to come. For the thread that has the connection, which
           may forget what has been sent once this returns. NULL where there are no trailers. */
        void (*flush)(struct call *call);
        /* Whether call->trailers can be sent. */
        bool has_trailers;
};

#define CALL_HEADERS 6
#define CALL_ERROR   320 /* bytes of an error's message that the log has */
#define CALL_ROOM    2048

/* The phases of a request, whose times log and metrics have one by one. */
enum call_stage {
        STAGE_ENGINE, /* it is worked on; it begins so, with its head */
        STAGE_UPLOAD, /* its body comes; with what is done to it on the thread that reads */
        STAGE_QUEUE,  /* it waits for a worker */
        STAGE_SEND,   /* its reply goes out */
        CALL_STAGES,
};

/* A text that grows. What is more than a little of it is taken from the memory of all requests. */
struct call_text {
        struct budget *budget;
        char *text;
        size_t length, capacity;
        bool failed; /* there was no memory for all of it, and nothing is left of it */
};

void text_append(struct call_text *to, const char *bytes, size_t size);
/* The same as an ox_write. */
void text_write(void *text, const char *bytes, size_t size);
/* Takes back what was appended since the text had that length. */
void text_cut(struct call_text *text, size_t length);
void text_free(struct call_text *text);

struct call {
        struct service *service;
        const struct call_handler *handler;
        const struct call_transport *transport;
        void *connection; /* this and the next three are the transport's own */
        int phase;
        bool close; /* the connection ends with the reply */
        uint64_t skipped_body;

        /* the request */
        enum call_method method;
        const char *method_name;
        const char *protocol;           /* "HTTP/1.1" */
        const char *path;               /* decoded, without the query */
        const char *field[FIELD_COUNT]; /* of the head: the first of each name, NULL: there is none */
        bool has_length;                /* of the body: else it comes in chunks, or there is none */
        bool has_body;
        uint64_t length;
        uint64_t body_bytes;   /* so far */
        bool body_is_work;     /* set by begin(): what a few bytes of it become takes long, so that workers take it, */
        uint64_t inline_bytes; /* unless it has no more of them */
        int64_t started_ns, deadline_ns;
        bool is_client_deadline; /* it is the client's own, which begin() took from the head */
        enum call_stage stage;
        int64_t stage_since_ns, stage_ns[CALL_STAGES]; /* of what is over */
        uint64_t client;                               /* a hash of who sent it (work/client.h) */

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
        struct call_text trailers; /* fields behind the body, "name: value\r\n" each; empty: none */
        char error[CALL_ERROR];    /* what is wrong, for the log; "": nothing is */

        /* the handler's own */
        void *state;           /* from call_new_state() */
        struct call_text body; /* what it collects of the request's body */
        /* Writes the whole reply of an error, in the form of a protocol; NULL: as JSON with that status. */
        void (*put_error)(struct call *call, int status, enum ox_code code, const char *message);
        int route;              /* its number in the metrics; -1: none */
        _Atomic uint64_t nodes; /* for the log: workers that share a batch count together, */
        uint64_t skipped;       /* for the log */

        /* on its way to workers (net/handover.h) */
        struct job job;
        struct turn turn;
        bool is_piece;             /* the job is one of the body */
        int64_t cost_ns;           /* set by end(): how long the work will take, about; 0: unknown */
        struct call_text gathered; /* of the body */
        size_t taken;              /* of what was gathered */

        struct call *next; /* in the pool of calls that can be used again */

        _Alignas(max_align_t) char room[CALL_ROOM]; /* for the state */
};

/* NULL when there is no memory. */
struct call *call_new(struct service *service);
void call_free(struct call *call);

/* A request has begun, of a client with that hash. Its method, path and body are still to be set. NULL when there is no
   memory. */
struct call *call_begin(struct service *service, const struct call_handler *handler,
                        const struct call_transport *transport, void *connection, uint64_t client);

/* Makes call->state of so many bytes, zeroed. NULL when there is no memory, which is the call's reply then. */
void *call_new_state(struct call *call, size_t size);

/* Frees it, and a large body; call->state is NULL then. */
void call_free_state(struct call *call);

/* `name` must stay. */
void call_set_method(struct call *call, const char *name);

/* begin() is over, or has been left out: from here on the call is counted as in flight. */
void call_is_begun(struct call *call);

/* The connection, or the call's part of it, ends before the reply is sent; `by` is a row of requests_cut_off_total. */
void call_cut_off(struct call *call, const char *by);

/* The request is over: counts it, logs it, where `is_noted`, and frees it. `cut_off_by` NULL: its reply was sent. */
void call_over(struct call *call, const struct sockaddr *client, const char *cut_off_by, bool is_noted);

/* Ends the stage that the call is in, and begins another one. */
void call_enter(struct call *call, enum call_stage stage);

/* A ox_write that appends to the reply. */
void call_write(void *call, const char *bytes, size_t size);

/* Begins the reply: status, type of its body; forgets what was written before. */
void call_reply(struct call *call, int status, const char *content_type);
void call_reply_header(struct call *call, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* An error as JSON, without details: with the status that belongs to the code, or with the code in a status's row. */
void call_reply_error(struct call *call, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void call_reply_error_status(struct call *call, enum http_status status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Whether the time that the request may take in all (request_s) is over, and the error that says so. */
bool call_is_late(const struct call *call);
void call_reply_late(struct call *call);

/* What an inference asks now and then (struct ox_options): goes on unless the client has gone or the call is late. */
enum ox_code call_look(void *call, const char **ret_why);

/* Keeps an error's message for the log; a reply by the functions above has done so. */
void call_note_error(struct call *call, const char *message);

/* The same for the engine's error behind a reply that the caller writes, with its code. */
void call_note_failure(struct call *call, enum ox_code code, const char *message);

/* The error of a request that gets no memory. */
void call_reply_no_memory(struct call *call);

/* Appends an error as JSON, without details. */
void call_write_error(struct call *call, enum ox_code code, const char *message);
