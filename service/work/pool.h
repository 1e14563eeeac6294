/* Worker threads, and the jobs that wait for them.

   Workers run at a lower priority than the threads that read and answer, so that small requests are not held up.
   Short jobs (up to POOL_SHORT_NS) go before long ones, and one more thread takes nothing else; while long ones wait, a
   worker takes one after POOL_SHARE_NS of short ones at the latest. Among the short and among the long ones clients
   take turns (work/turns.h). Each of the two queues is bounded, and one client has no more than three quarters of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "work/job.h"

#define POOL_SHORT_NS INT64_C(20000000)
#define POOL_SHARE_NS INT64_C(100000000)

struct pool;

struct pool_settings {
        size_t threads; /* besides the one for short jobs */
        size_t queue;   /* jobs that may wait in each queue; parts of begun requests do not count */
        /* Called about once a second, on the pool's own thread. NULL: nothing is. */
        void (*tidy)(void *user);
        void *user;
};

/* NULL when there is no memory or threads cannot be made. */
struct pool *pool_new(const struct pool_settings *settings);

enum pool_verdict {
        POOL_TAKEN,
        POOL_FULL,        /* the queue is */
        POOL_CLIENT_FULL, /* the client has all that it may have of it */
        POOL_ENDED,
};

/* Takes a job, whose owner must keep it until run() or expire() is called; the pool does not touch it after that. Any
   thread may call it, also that of a job, and from run() for the same job. */
enum pool_verdict pool_submit(struct pool *pool, struct job *job);

/* Takes a job back that has not begun. False: it has. Not for jobs with a deadline. */
bool pool_withdraw(struct pool *pool, struct job *job);

/* Calls run(user, item) for each of `items`, in any order, on this thread and on workers that have a turn for it, and
   returns when all are done. To be called on a worker, by the job `parent`, whose client pays; an item costs about
   cost_ns. */
void pool_share(struct pool *pool, const struct job *parent, size_t items, int64_t cost_ns,
                void (*run)(void *user, size_t item), void *user);

struct pool_state {
        size_t waiting, busy, threads;
        bool is_full;   /* new requests that take long are refused */
        int64_t wait_s; /* in which what waits now will be done, about: at least 1, at most POOL_WAIT_MOST */
};

#define POOL_WAIT_MOST 60

struct pool_state pool_state(struct pool *pool);
size_t pool_waiting(struct pool *pool);

/* Runs what is queued, then ends the threads; takes nothing more. Takes NULL. */
void pool_end(struct pool *pool);

/* The same, if that has not been, and frees it. Takes NULL. */
void pool_free(struct pool *pool);
