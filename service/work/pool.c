#include "work/pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
        pthread_mutex_t lock;
        pthread_cond_t wake;
        struct job *first, **last;
        size_t waiting, most;
        bool ending;
        size_t n_thread;
        pthread_t thread[];
};

static void *work(void *user)
{
        struct pool *pool = user;

        pthread_mutex_lock(&pool->lock);
        for (;;) {
                while (!pool->first && !pool->ending)
                        pthread_cond_wait(&pool->wake, &pool->lock);
                struct job *job = pool->first;

                if (!job)
                        break;
                pool->first = job->next;
                if (!pool->first)
                        pool->last = &pool->first;
                pool->waiting--;
                pthread_mutex_unlock(&pool->lock);
                job->run(job);
                pthread_mutex_lock(&pool->lock);
        }
        pthread_mutex_unlock(&pool->lock);
        return NULL;
}

struct pool *pool_new(size_t threads, size_t queue)
{
        struct pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->thread[0]));

        if (!pool)
                return NULL;
        pool->last = &pool->first;
        pool->most = queue;
        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->wake, NULL);
        for (; pool->n_thread < threads; pool->n_thread++) {
                if (pthread_create(&pool->thread[pool->n_thread], NULL, work, pool) != 0) {
                        pool_free(pool);
                        return NULL;
                }
        }
        return pool;
}

bool pool_submit(struct pool *pool, struct job *job)
{
        pthread_mutex_lock(&pool->lock);
        bool taken = pool->waiting < pool->most && !pool->ending;

        if (taken) {
                job->next = NULL;
                *pool->last = job;
                pool->last = &job->next;
                pool->waiting++;
                pthread_cond_signal(&pool->wake);
        }
        pthread_mutex_unlock(&pool->lock);
        return taken;
}

size_t pool_waiting(struct pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        size_t waiting = pool->waiting;

        pthread_mutex_unlock(&pool->lock);
        return waiting;
}

void pool_end(struct pool *pool)
{
        if (!pool)
                return;
        pthread_mutex_lock(&pool->lock);
        pool->ending = true;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (; pool->n_thread > 0; pool->n_thread--)
                pthread_join(pool->thread[pool->n_thread - 1], NULL);
}

void pool_free(struct pool *pool)
{
        if (!pool)
                return;
        pool_end(pool);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->lock);
        free(pool);
}
