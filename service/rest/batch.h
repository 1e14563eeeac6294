/* The requests of a batch, inferred one after another or shared among workers; their results stand in order. The limits
   on the engine's time and on the answer hold for all of them together. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "net/call.h"
#include "shape.h"

struct batch;

/* The place where one request is inferred and its result is written. */
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
        /* Appends the result of a request, or nothing and returns OX_ABORTED if it is too much for the I/O thread.
           Several threads call it at once, each with its own place. */
        enum ox_code (*infer)(const struct batch_place *place, size_t item);
        /* Appends an error in place of the result. */
        void (*refuse)(const struct batch_place *place, size_t item, enum ox_code code, const char *why);

        /* set by batch_run(): */
        int64_t end_ns;
        _Atomic int64_t look_ns; /* time of the next look at the call, between two requests */
        pthread_mutex_t lock;    /* of the next two */
        enum ox_code ended;      /* the reason to end; OX_OK: go on */
        const char *why;
};

/* Appends the results of all requests, in order. `context` is for the calling thread; on a worker, other workers take
   part if that is worth while, with contexts of their own. OX_ABORTED comes from infer(). OX_CANCELED or
   OX_DEADLINE_EXCEEDED, with the static reason *ret_why, if the call must end. */
enum ox_code batch_run(struct batch *batch, struct ox_context *context, bool is_inline, const char **ret_why);

/* The `look` of struct ox_options of a request, with the batch as `user`: ends it with the call. */
enum ox_code batch_look(void *batch, const char **ret_why);
