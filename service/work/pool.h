/* Worker threads behind one bounded queue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct job {
        struct job *next;
        void (*run)(struct job *job);
};

struct pool;

/* NULL when threads cannot be made. */
struct pool *pool_new(size_t threads, size_t queue);

/* False when the queue is full or the pool has ended. Any thread may call it. */
bool pool_submit(struct pool *pool, struct job *job);

size_t pool_waiting(struct pool *pool);

/* Runs what is queued, then ends the threads; takes nothing more. Takes NULL. */
void pool_end(struct pool *pool);

/* The same, if that has not been, and frees it. Takes NULL. */
void pool_free(struct pool *pool);
