/* One job's work shared with other workers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "work/pool.h"

#define HELPERS_MOST 16

struct share {
        void (*run)(void *user, size_t item);
        void *user;
        size_t items;
        atomic_size_t next;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        size_t ended; /* helpers */
};

struct helper {
        struct job job;
        struct share *share;
};

static void run_items(struct share *share)
{
        for (size_t item; (item = atomic_fetch_add(&share->next, 1)) < share->items;)
                share->run(share->user, item);
}

static void run_helper(struct job *job)
{
        struct share *share = ((struct helper *)((char *)job - offsetof(struct helper, job)))->share;

        run_items(share);
        pthread_mutex_lock(&share->lock);
        share->ended++;
        pthread_cond_signal(&share->wake);
        pthread_mutex_unlock(&share->lock);
}

void pool_share(struct pool *pool, const struct job *parent, size_t items, int64_t cost_ns,
                void (*run)(void *user, size_t item), void *user)
{
        struct share share = {.run = run, .user = user, .items = items};
        struct helper helper[HELPERS_MOST];
        size_t workers = pool_state(pool).threads, wanted = items < workers ? items : workers, begun = 0, count = 0;

        pthread_mutex_init(&share.lock, NULL);
        pthread_cond_init(&share.wake, NULL);
        for (; count + 1 < wanted && count < HELPERS_MOST; count++) {
                helper[count] = (struct helper){.share = &share};
                helper[count].job.run = run_helper;
                helper[count].job.client = parent->client;
                helper[count].job.cost_ns = cost_ns * (int64_t)(items / wanted);
                helper[count].job.is_begun = true;
                if (pool_submit(pool, &helper[count].job) != POOL_TAKEN)
                        break;
        }
        run_items(&share);
        /* A job that has not begun would find nothing to do, so it is taken back. */
        for (size_t i = 0; i < count; i++)
                begun += !pool_withdraw(pool, &helper[i].job);
        pthread_mutex_lock(&share.lock);
        while (share.ended < begun)
                pthread_cond_wait(&share.wake, &share.lock);
        pthread_mutex_unlock(&share.lock);
        pthread_cond_destroy(&share.wake);
        pthread_mutex_destroy(&share.lock);
}
