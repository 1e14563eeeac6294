/* The daemon's parts, as its calls see them. */
#pragma once

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "config/config.h"
#include "net/call.h"
#include "obs/metrics.h"
#include "work/contexts.h"
#include "work/pool.h"

/* Finished calls, kept for reuse: a small one by the thread that had it last, in whose cache it still is, and the
   others by all. */
#define CALLS_OWN 32
struct call_pool {
        struct call_own {
                alignas(CACHE_LINE) _Atomic(struct call *) call;
        } own[CALLS_OWN]; /* by the number of a thread */
        pthread_mutex_t lock;
        struct call *first;
        size_t count, bytes; /* bytes of memory of their replies */
};

struct service {
        const struct config *config;
        struct budget budget;
        struct contexts *contexts;
        struct pool *pool;
        struct call_pool calls;
        struct metrics metrics;
        const struct ox_operators *const *operators; /* that the daemon was started with, for every inference */
        size_t n_operators;
        uint64_t seed;        /* of hash tables */
        atomic_bool draining; /* set on SIGTERM: not ready, and connections close after their reply */
};

void calls_init(struct call_pool *pool);
void calls_done(struct call_pool *pool);

/* Frees an unused kept call; false if there is none. */
bool calls_reclaim(struct call_pool *pool);
