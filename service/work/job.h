/* The work of a worker: a piece of a request's body, the inference of a model, a part of a batch. */
#pragma once

#include "work/heap.h"

/* The work done for the parts of one request so far, in ns, so that a request of many parts does not go before others
   forever. Starts as all zero. */
struct turn {
        int64_t served;
};

struct job {
        void (*run)(struct job *job);
        /* Called instead of run() if deadline_ns passed before a worker was free. It runs on the pool's own thread, so
           it must be quick. NULL: no deadline. */
        void (*expire)(struct job *job);
        int64_t deadline_ns; /* of clock_ns() */
        int64_t cost_ns;     /* the estimated time it takes */
        uint64_t client;     /* the client: a hash of its address */
        struct turn *turn;   /* of the request to which it belongs; NULL: it is the only part */
        bool is_begun;       /* a part of a request that has begun: never refused when the queue is full */

        /* the pool's own: */
        struct heap_node turn_node, deadline_node;
        bool is_short;
        int64_t submitted_ns;
};
