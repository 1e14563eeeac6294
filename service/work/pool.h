/* Worker threads, and the jobs that wait for them.

   Workers run at a lower priority than the threads that read and answer, so that small requests are not delayed. Short
   jobs (up to POOL_SHORT_NS) go before long ones, and an additional thread takes only short ones. While long ones wait,
   a worker takes a long one after at most POOL_SHARE_NS of short ones. Within each of the two queues clients take turns
   (work/turns.h). Each queue is bounded, and one client may use at most three quarters of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "work/job.h"

#define POOL_SHORT_NS INT64_C(20000000)
#define POOL_SHARE_NS INT64_C(100000000)

struct pool;

struct pool_settings {
        size_t threads; /* in addition to the thread for short jobs */
        size_t queue;   /* jobs that may wait in each queue; further parts of a request do not count */
        /* Called about once a second, on the pool's own thread. May be NULL. */
        void (*tidy)(void *user);
        void *user;
};

/* NULL if memory runs out or a thread cannot be created. */
struct pool *pool_new(const struct pool_settings *settings);

enum pool_verdict {
        POOL_TAKEN,
        POOL_FULL,        /* the queue is */
        POOL_CLIENT_FULL, /* the client has used its part of the queue */
        POOL_ENDED,
};

/* Submits a job, which must live until run() or expire() is called; the pool does not touch it after that. Any thread
   may call this, and run() may submit the same job again. */
enum pool_verdict pool_submit(struct pool *pool, struct job *job);

/* Takes back a job that has not begun; false if it has. Not for jobs with a deadline. */
bool pool_withdraw(struct pool *pool, struct job *job);

/* Calls run(user, item) for each of `items`, in any order, on this thread and on workers whose turn it is, and returns
   when all are done. To be called on a worker by the job `parent`, whose client is charged; an item costs about
   cost_ns. */
void pool_share(struct pool *pool, const struct job *parent, size_t items, int64_t cost_ns,
                void (*run)(void *user, size_t item), void *user);

struct pool_state {
        size_t waiting, busy, threads;
        bool is_full;   /* new long requests are refused */
        int64_t wait_s; /* estimated time until the waiting jobs are done: in [1, POOL_WAIT_MOST] */
};

#define POOL_WAIT_MOST 60

struct pool_state pool_state(struct pool *pool);
size_t pool_waiting(struct pool *pool);

/* Accepts no further jobs, runs the queued ones, and ends the threads. Takes NULL. */
void pool_end(struct pool *pool);

/* Does the same if it was not done, and frees the pool. Takes NULL. */
void pool_free(struct pool *pool);
