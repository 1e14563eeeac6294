/* The requests of a batch, inferred one after another or shared among workers; their results stand in order. The limits
   on the engine's time and on the answer hold for all of them together. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "net/call.h"
#include "shape.h"

struct batch;

/* Where one request is inferred, and its result written. */
struct batch_place {
        struct batch *batch;
        struct ox_context *context; /* empty before each request */
        struct call_text *to;
};

struct batch {
        struct call *call;
        struct call_text *to; /* all results */
        size_t count;
        int64_t cost_ns; /* of one request, about */
        void *user;
        /* Appends the result of a request, or nothing and OX_ABORTED: it is too much for the thread that reads. Several
           threads call it at once, with a place each. */
        enum ox_code (*infer)(const struct batch_place *place, size_t item);
        /* Appends that there is none. */
        void (*refuse)(const struct batch_place *place, size_t item, enum ox_code code, const char *why);

        /* its own, set by batch_run(): */
        int64_t end_ns;
        _Atomic int64_t look_ns; /* when the call is looked at next between two requests */
        pthread_mutex_t lock;    /* of the next two */
        enum ox_code ended;      /* what the call has come to; OX_OK: it goes on */
        const char *why;
};

/* Appends the results of all requests, in their order. `context` is one for the calling thread to use; on a worker,
   others take part where that is worth while, with contexts of their own.
   OX_ABORTED is that of infer(). OX_CANCELED or OX_DEADLINE_EXCEEDED for the reason *ret_why, which is static: the call
   has come to its end. */
enum ox_code batch_run(struct batch *batch, struct ox_context *context, bool is_inline, const char **ret_why);

/* For struct ox_options of a request, with the batch for `user`: ends it with the call. */
enum ox_code batch_look(void *batch, const char **ret_why);
