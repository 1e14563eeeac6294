/* What a worker does: a piece of a request's body, the inference of a model, a part of a batch. */
#pragma once

#include "work/heap.h"

/* What the parts of one request have had so far, in ns of work, so that one of many parts does not go before others for
   ever. All zero at its begin. */
struct turn {
        int64_t served;
};

struct job {
        void (*run)(struct job *job);
        /* Takes the place of run() when deadline_ns passed before a worker was free. On the pool's own thread, so it is
           quick. NULL: there is no deadline. */
        void (*expire)(struct job *job);
        int64_t deadline_ns; /* of clock_ns() */
        int64_t cost_ns;     /* how long it will take, about */
        uint64_t client;     /* who it is for: a hash of the address */
        struct turn *turn;   /* of the request that it is a part of; NULL: it is the only part */
        bool is_begun;       /* the request was taken already: it is never refused for a full queue */

        /* the pool's own: */
        struct heap_node turn_node, deadline_node;
        bool is_short;
        int64_t submitted_ns;
};
