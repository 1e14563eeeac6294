/* The daemon's parts, as its calls see them. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "config/config.h"
#include "net/call.h"
#include "obs/metrics.h"
#include "work/contexts.h"
#include "work/pool.h"

/* Calls that are over, to be used again. */
struct call_pool {
        pthread_mutex_t lock;
        struct call *first;
        size_t count, bytes; /* bytes of their replies' memory */
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
        atomic_bool draining; /* SIGTERM has come: not ready, and connections end with their reply */
};

void calls_init(struct call_pool *pool);
void calls_done(struct call_pool *pool);

/* Frees a kept call that is not in use; false when there is none. */
bool calls_reclaim(struct call_pool *pool);
