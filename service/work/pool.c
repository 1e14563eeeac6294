#include "work/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "obs/log.h"
#include "work/turns.h"

/* Lower than the threads that read and answer: beside one of them a thread of nice 10 gets a tenth of a core. Short
   jobs get a quarter. */
#define NICE_WORKER 10
#define NICE_SHORT  5

#define SECOND_NS  INT64_C(1000000000)
#define MEAN_SHIFT 3 /* the last job has a weight of 1/8 in the mean time of jobs */

struct queue {
        struct turns turns;
        pthread_cond_t wake; /* threads that take from this queue only, or from both */
        size_t idle;         /* of them wait, and nobody has called them yet */
        size_t calls;        /* that none of them has heard yet */
        int64_t mean_ns;     /* that a job took */
};

struct pool {
        struct pool_settings settings;
        pthread_mutex_t lock;
        struct queue longs, shorts;
        int64_t share_ns; /* of short jobs done by workers while long ones waited */
        size_t busy;
        bool ending;
        struct heap deadlines;
        uint64_t deadline_order;
        pthread_cond_t tick; /* signals an earlier deadline, or the end */
        int64_t tick_ns;     /* when the timer thread looks at deadlines by itself; 0 while it does so */
        size_t n_thread;
        pthread_t thread[]; /* the timer thread, the thread for short jobs, then the workers */
};

enum { THREAD_TIME, THREAD_SHORT, THREADS_OWN };

static void lower_priority(int nice)
{
        /* On Linux this affects only the calling thread, unlike in POSIX (setpriority(2)). */
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + nice);
}

static struct queue *queue_of(struct pool *pool, const struct job *job)
{
        return job->is_short ? &pool->shorts : &pool->longs;
}

/* -- taking jobs: under the lock -- */

static struct job *take(struct pool *pool, bool short_only)
{
        bool long_first = !pool->shorts.turns.count || pool->share_ns >= POOL_SHARE_NS;
        struct job *job;

        if (short_only)
                job = turns_take(&pool->shorts.turns);
        else if (pool->longs.turns.count && long_first)
                job = turns_take(&pool->longs.turns);
        else
                job = turns_take(&pool->shorts.turns);
        if (!job)
                return NULL;
        if (!job->is_short || !pool->longs.turns.count)
                pool->share_ns = 0;
        else if (!short_only)
                pool->share_ns += job->cost_ns;
        if (job->expire)
                heap_remove(&pool->deadlines, &job->deadline_node);
        return job;
}

/* Runs a job, without the lock. Afterwards its cost is known, but the job may no longer exist. */
static void run(struct pool *pool, struct job *job)
{
        struct queue *queue = queue_of(pool, job);
        uint64_t client = job->client;
        int64_t cost = job->cost_ns, begun = clock_ns();

        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        job->run(job);
        int64_t took = clock_ns() - begun;

        pthread_mutex_lock(&pool->lock);
        pool->busy--;
        turns_charge(&queue->turns, client, took - cost);
        queue->mean_ns += (took - queue->mean_ns) / (1 << MEAN_SHIFT);
}

/* Calls one thread that waits there, and only as many as wait. */
static bool call_one(struct queue *waits_in)
{
        if (waits_in->idle == 0)
                return false;
        waits_in->idle--;
        waits_in->calls++;
        pthread_cond_signal(&waits_in->wake);
        return true;
}

static void wait_for_call(struct pool *pool, struct queue *waits_in)
{
        waits_in->idle++;
        while (waits_in->calls == 0 && !pool->ending)
                pthread_cond_wait(&waits_in->wake, &pool->lock);
        waits_in->calls -= waits_in->calls > 0;
}

static void work(struct pool *pool, struct queue *waits_in, bool short_only)
{
        struct job *job;

        pthread_mutex_lock(&pool->lock);
        for (;;) {
                while (!(job = take(pool, short_only)) && !pool->ending)
                        wait_for_call(pool, waits_in);
                if (!job)
                        break;
                run(pool, job);
        }
        pthread_mutex_unlock(&pool->lock);
}

static void *work_all(void *pool)
{
        lower_priority(NICE_WORKER);
        work(pool, &((struct pool *)pool)->longs, false);
        return NULL;
}

static void *work_short(void *pool)
{
        lower_priority(NICE_SHORT);
        work(pool, &((struct pool *)pool)->shorts, true);
        return NULL;
}

/* -- time -- */

static struct job *first_deadline(const struct pool *pool)
{
        struct heap_node *first = pool->deadlines.first;

        return first ? (struct job *)((char *)first - offsetof(struct job, deadline_node)) : NULL;
}

/* Called under the lock, which it releases meanwhile. */
static void expire(struct pool *pool, int64_t now)
{
        struct job *job;

        while ((job = first_deadline(pool)) != NULL && job->deadline_ns <= now) {
                heap_remove(&pool->deadlines, &job->deadline_node);
                turns_remove(&queue_of(pool, job)->turns, job);
                pthread_mutex_unlock(&pool->lock);
                job->expire(job);
                pthread_mutex_lock(&pool->lock);
        }
}

static void wait_until(struct pool *pool, int64_t at)
{
        const struct timespec time = {.tv_sec = (time_t)(at / SECOND_NS), .tv_nsec = (long)(at % SECOND_NS)};

        pool->tick_ns = at;
        pthread_cond_timedwait(&pool->tick, &pool->lock, &time);
        pool->tick_ns = 0;
}

static void *watch_time(void *pool_)
{
        struct pool *pool = pool_;
        int64_t tidy_ns = clock_ns() + SECOND_NS;

        pthread_mutex_lock(&pool->lock);
        while (!pool->ending) {
                const struct job *first = first_deadline(pool);

                wait_until(pool, first && first->deadline_ns < tidy_ns ? first->deadline_ns : tidy_ns);
                int64_t now = clock_ns();

                expire(pool, now);
                if (now < tidy_ns)
                        continue;
                tidy_ns = now + SECOND_NS;
                pthread_mutex_unlock(&pool->lock);
                if (pool->settings.tidy)
                        pool->settings.tidy(pool->settings.user);
                pthread_mutex_lock(&pool->lock);
        }
        pthread_mutex_unlock(&pool->lock);
        return NULL;
}

/* -- the whole -- */

static void wake_init(pthread_cond_t *wake)
{
        pthread_condattr_t attributes;

        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(wake, &attributes);
        pthread_condattr_destroy(&attributes);
}

struct pool *pool_new(const struct pool_settings *settings)
{
        static void *(*const own[THREADS_OWN])(void *) = {[THREAD_TIME] = watch_time, [THREAD_SHORT] = work_short};
        size_t threads = settings->threads + THREADS_OWN;
        struct pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->thread[0]));

        if (!pool)
                return NULL;
        pool->settings = *settings;
        pthread_mutex_init(&pool->lock, NULL);
        wake_init(&pool->longs.wake);
        wake_init(&pool->shorts.wake);
        wake_init(&pool->tick);
        for (; pool->n_thread < threads; pool->n_thread++) {
                void *(*body)(void *) = pool->n_thread < THREADS_OWN ? own[pool->n_thread] : work_all;

                if (pthread_create(&pool->thread[pool->n_thread], NULL, body, pool) != 0) {
                        pool_free(pool);
                        return NULL;
                }
        }
        return pool;
}

/* The part of a queue that one client may use. */
static size_t client_share(const struct pool *pool)
{
        return pool->settings.queue - pool->settings.queue / 4;
}

static enum pool_verdict judge(const struct pool *pool, const struct turns *turns, const struct job *job)
{
        if (pool->ending)
                return POOL_ENDED;
        if (job->is_begun)
                return POOL_TAKEN;
        if (turns->new_count >= pool->settings.queue)
                return POOL_FULL;
        return turns_of_client(turns, job->client) < client_share(pool) ? POOL_TAKEN : POOL_CLIENT_FULL;
}

enum pool_verdict pool_submit(struct pool *pool, struct job *job)
{
        pthread_mutex_lock(&pool->lock);
        job->is_short = job->cost_ns <= POOL_SHORT_NS;
        struct queue *queue = queue_of(pool, job);
        enum pool_verdict verdict = judge(pool, &queue->turns, job);

        if (verdict == POOL_TAKEN) {
                job->submitted_ns = clock_ns();
                turns_add(&queue->turns, job);
                if (job->expire) {
                        job->deadline_node.key = job->deadline_ns;
                        job->deadline_node.order = pool->deadline_order++;
                        heap_add(&pool->deadlines, &job->deadline_node);
                        if (job->deadline_ns < pool->tick_ns)
                                pthread_cond_signal(&pool->tick);
                }
                if (!job->is_short || !call_one(&pool->shorts))
                        call_one(&pool->longs);
        }
        pthread_mutex_unlock(&pool->lock);
        return verdict;
}

bool pool_withdraw(struct pool *pool, struct job *job)
{
        pthread_mutex_lock(&pool->lock);
        bool waits = heap_has(&job->turn_node);

        if (waits)
                turns_remove(&queue_of(pool, job)->turns, job);
        pthread_mutex_unlock(&pool->lock);
        return waits;
}

struct pool_state pool_state(struct pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        const struct queue *s = &pool->shorts, *l = &pool->longs;
        int64_t work_ns = (int64_t)s->turns.count * s->mean_ns + (int64_t)l->turns.count * l->mean_ns;
        int64_t wait_s = work_ns / (int64_t)pool->settings.threads / SECOND_NS + 1;
        struct pool_state state = {
                .waiting = s->turns.count + l->turns.count,
                .busy = pool->busy,
                .threads = pool->settings.threads + 1,
                .is_full = l->turns.new_count >= pool->settings.queue,
                .wait_s = wait_s < POOL_WAIT_MOST ? wait_s : POOL_WAIT_MOST,
        };

        pthread_mutex_unlock(&pool->lock);
        return state;
}

size_t pool_waiting(struct pool *pool)
{
        return pool_state(pool).waiting;
}

void pool_end(struct pool *pool)
{
        if (!pool)
                return;
        pthread_mutex_lock(&pool->lock);
        pool->ending = true;
        pthread_cond_broadcast(&pool->longs.wake);
        pthread_cond_broadcast(&pool->shorts.wake);
        pthread_cond_broadcast(&pool->tick);
        pthread_mutex_unlock(&pool->lock);
        for (; pool->n_thread > 0; pool->n_thread--)
                pthread_join(pool->thread[pool->n_thread - 1], NULL);
}

void pool_free(struct pool *pool)
{
        if (!pool)
                return;
        pool_end(pool);
        pthread_cond_destroy(&pool->tick);
        pthread_cond_destroy(&pool->shorts.wake);
        pthread_cond_destroy(&pool->longs.wake);
        pthread_mutex_destroy(&pool->lock);
        free(pool);
}
