/* Worker threads run queued jobs in the right order, and refuse what is too much. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "obs/log.h"
#include "unit.h"
#include "work/pool.h"
#include "work/turns.h"

#define LONG  (POOL_SHORT_NS + 1)
#define MANY  200
#define HOUR  (3600 * INT64_C(1000000000))
#define SEVEN 7

static atomic_int runs;

static void run(struct job *job)
{
        atomic_fetch_add(&runs, 1);
}

static struct pool *new_pool(size_t threads, size_t queue)
{
        struct pool *pool = pool_new(&(struct pool_settings){.threads = threads, .queue = queue});

        ck_assert_ptr_nonnull(pool);
        atomic_store(&runs, 0);
        return pool;
}

START_TEST(what_is_queued_runs_before_the_end)
{
        struct job job[20];
        struct pool *pool = new_pool(2, 20);

        for (uint64_t i = 0; i < 20; i++) {
                job[i] = (struct job){.run = run, .client = i, .cost_ns = i % 2 ? LONG : 1};
                ck_assert_int_eq(pool_submit(pool, &job[i]), POOL_TAKEN);
        }
        pool_end(pool);
        ck_assert_int_eq(atomic_load(&runs), 20);
        ck_assert_int_eq((int)pool_waiting(pool), 0);
        pool_free(pool);
}
END_TEST

START_TEST(nothing_is_taken_after_the_end)
{
        struct job job = {.run = run};
        struct pool *pool = new_pool(1, 4);

        pool_end(pool);
        ck_assert_int_eq(pool_submit(pool, &job), POOL_ENDED);
        pool_end(pool);
        pool_free(pool);
        ck_assert_int_eq(atomic_load(&runs), 0);
}
END_TEST

/* -- a worker that is held until all is queued -- */

struct gate {
        struct job job;
        sem_t reached, open;
};

static void hold(struct job *job)
{
        struct gate *gate = (struct gate *)job;

        sem_post(&gate->reached);
        sem_wait(&gate->open);
}

/* Keeps the one worker (or the thread for short jobs) busy. */
static void gate_close(struct gate *gate, struct pool *pool, int64_t cost_ns)
{
        *gate = (struct gate){.job = {.run = hold, .cost_ns = cost_ns, .client = UINT64_MAX}};
        sem_init(&gate->reached, 0, 0);
        sem_init(&gate->open, 0, 0);
        ck_assert_int_eq(pool_submit(pool, &gate->job), POOL_TAKEN);
        sem_wait(&gate->reached);
}

/* The jobs that ran, one letter each. */
static char order[MANY + 1];
static atomic_size_t n_order;

struct lettered {
        struct job job;
        char letter;
};

static void note(struct job *job)
{
        order[atomic_fetch_add(&n_order, 1)] = ((struct lettered *)job)->letter;
}

struct row {
        char letter;
        int64_t cost_ns;
        uint64_t client;
};

/* Queues the rows while the one worker, and the thread for short jobs where `both`, are busy; what ran then is in
   `order`. */
static void run_rows(const struct row *row, size_t count, bool both)
{
        struct pool *pool = new_pool(1, MANY);
        struct lettered job[MANY];
        struct gate gate, other;

        memset(order, 0, sizeof(order));
        atomic_store(&n_order, 0);
        gate_close(&gate, pool, LONG);
        if (both)
                gate_close(&other, pool, 1);
        for (size_t i = 0; i < count; i++) {
                job[i] = (struct lettered){{.run = note, .cost_ns = row[i].cost_ns, .client = row[i].client},
                                           row[i].letter};
                ck_assert_int_eq(pool_submit(pool, &job[i].job), POOL_TAKEN);
        }
        sem_post(&gate.open);
        while (atomic_load(&n_order) < count)
                sched_yield();
        if (both)
                sem_post(&other.open);
        pool_free(pool);
}

START_TEST(short_jobs_go_first)
{
        const struct row row[] = {{'c', 9 * LONG, 1}, {'b', 5 * LONG, 1}, {'a', 1, 1}};

        run_rows(row, 3, true);
        ck_assert_str_eq(order, "abc");
}
END_TEST

START_TEST(short_jobs_have_a_thread_of_their_own)
{
        struct pool *pool = new_pool(1, MANY);
        struct lettered job = {{.run = note, .cost_ns = 1}, 'x'};
        struct gate gate;

        atomic_store(&n_order, 0);
        gate_close(&gate, pool, LONG);
        ck_assert_int_eq(pool_submit(pool, &job.job), POOL_TAKEN);
        while (!atomic_load(&n_order))
                sched_yield();
        sem_post(&gate.open);
        pool_free(pool);
}
END_TEST

/* Jobs run in the order of turns alone; the real cost of a job does not matter here. */
static void take_rows(const struct row *row, size_t count)
{
        static struct turns turns;
        struct lettered job[MANY];

        turns = (struct turns){.count = 0};
        memset(order, 0, sizeof(order));
        for (size_t i = 0; i < count; i++) {
                job[i] = (struct lettered){{.cost_ns = row[i].cost_ns, .client = row[i].client}, row[i].letter};
                turns_add(&turns, &job[i].job);
        }
        ck_assert_int_eq((int)turns.count, (int)count);
        for (size_t i = 0; i < count; i++)
                order[i] = ((struct lettered *)turns_take(&turns))->letter;
        ck_assert_ptr_null(turns_take(&turns));
}

START_TEST(clients_take_turns)
{
        const struct row row[] = {{'a', LONG, 1}, {'a', LONG, 1}, {'a', LONG, 1}, {'a', LONG, 1},
                                  {'b', LONG, 2}, {'b', LONG, 2}, {'c', LONG, 3}};

        take_rows(row, SEVEN);
        ck_assert_str_eq(order, "abcabaa");
}
END_TEST

START_TEST(who_has_had_much_waits)
{
        static struct turns turns;
        struct lettered a[2] = {{{.cost_ns = LONG, .client = 1}, 'a'}, {{.cost_ns = LONG, .client = 1}, 'a'}};
        struct lettered b = {{.cost_ns = 3 * LONG, .client = 2}, 'b'};

        turns_add(&turns, &a[0].job);
        turns_add(&turns, &a[1].job);
        turns_add(&turns, &b.job);
        ck_assert_ptr_eq(turns_take(&turns), &a[0].job);
        turns_charge(&turns, 1, 5 * LONG);
        ck_assert_ptr_eq(turns_take(&turns), &b.job);
        ck_assert_ptr_eq(turns_take(&turns), &a[1].job);
}
END_TEST

/* A client with a long job gets its turn, though others bring shorter ones all the time. */
START_TEST(a_long_job_does_not_wait_for_ever)
{
        struct row row[50];

        row[0] = (struct row){'L', 10 * LONG, 2};
        for (size_t i = 1; i < 50; i++)
                row[i] = (struct row){'s', LONG, 1};
        take_rows(row, 50);
        ck_assert_int_eq(strchr(order, 'L') - order, 9);
        for (size_t i = 1; i < 50; i++)
                row[i] = (struct row){'s', POOL_SHORT_NS, 1};
        run_rows(row, 50, true);
        ck_assert_int_eq(strchr(order, 'L') - order, POOL_SHARE_NS / POOL_SHORT_NS);
}
END_TEST

/* The order of a heap that members leave from anywhere is that of sorting. */
START_TEST(a_heap_is_in_order)
{
        struct heap_node node[MANY] = {{0}};
        struct heap heap = {NULL};
        int64_t last = 0;

        for (uint64_t i = 0; i < MANY; i++) {
                node[i].key = (int64_t)(i * 7919 % 101);
                node[i].order = i;
                heap_add(&heap, &node[i]);
                if (i % 5 == 4)
                        heap_remove(&heap, &node[i - 3]);
        }
        for (int left = MANY - MANY / 5; left > 0; left--) {
                struct heap_node *first = heap.first;

                ck_assert_ptr_nonnull(first);
                ck_assert(first->key >= last);
                last = first->key;
                heap_remove(&heap, first);
                ck_assert(!heap_has(first));
        }
        ck_assert_ptr_null(heap.first);
}
END_TEST

START_TEST(parts_of_one_request_take_turns_with_others)
{
        struct pool *pool = new_pool(1, MANY);
        struct lettered job[3];
        struct turn spent = {.served = 3 * LONG}, fresh = {0};
        struct gate gate;

        memset(order, 0, sizeof(order));
        atomic_store(&n_order, 0);
        gate_close(&gate, pool, LONG);
        job[0] = (struct lettered){{.run = note, .cost_ns = LONG, .turn = &spent}, 'z'};
        job[1] = (struct lettered){{.run = note, .cost_ns = LONG, .turn = &fresh}, 'a'};
        job[2] = (struct lettered){{.run = note, .cost_ns = 2 * LONG}, 'b'};
        for (int i = 0; i < 3; i++)
                ck_assert_int_eq(pool_submit(pool, &job[i].job), POOL_TAKEN);
        sem_post(&gate.open);
        pool_free(pool);
        ck_assert_str_eq(order, "abz");
        ck_assert(fresh.served == LONG && spent.served == 4 * LONG);
}
END_TEST

START_TEST(a_full_queue_refuses_new_requests_alone)
{
        struct pool *pool = new_pool(1, 4);
        struct job job[6], begun = {.run = run, .cost_ns = LONG, .is_begun = true}, little = {.run = run};
        struct gate gate;

        gate_close(&gate, pool, LONG);
        for (int i = 0; i < 4; i++) {
                job[i] = (struct job){.run = run, .cost_ns = LONG, .client = 1};
                ck_assert_int_eq(pool_submit(pool, &job[i]), i < 3 ? POOL_TAKEN : POOL_CLIENT_FULL);
        }
        job[3].client = 2;
        ck_assert_int_eq(pool_submit(pool, &job[3]), POOL_TAKEN);
        ck_assert(pool_state(pool).is_full);
        job[4] = (struct job){.run = run, .cost_ns = LONG, .client = 3};
        ck_assert_int_eq(pool_submit(pool, &job[4]), POOL_FULL);
        ck_assert_int_eq(pool_submit(pool, &begun), POOL_TAKEN);
        ck_assert_int_eq(pool_submit(pool, &little), POOL_TAKEN);
        sem_post(&gate.open);
        pool_free(pool);
        ck_assert_int_eq(atomic_load(&runs), 6);
}
END_TEST

static void expire(struct job *job)
{
        atomic_fetch_add(&runs, 100);
}

START_TEST(what_waits_too_long_expires)
{
        struct pool *pool = new_pool(1, 4);
        struct job late = {.run = run, .expire = expire, .cost_ns = LONG, .deadline_ns = clock_ns() + 1000};
        struct job early = {.run = run, .expire = expire, .cost_ns = LONG, .deadline_ns = clock_ns() + HOUR};
        struct gate gate;

        gate_close(&gate, pool, LONG);
        ck_assert_int_eq(pool_submit(pool, &early), POOL_TAKEN);
        ck_assert_int_eq(pool_submit(pool, &late), POOL_TAKEN);
        while (atomic_load(&runs) < 100)
                sched_yield();
        ck_assert_int_eq((int)pool_waiting(pool), 1);
        sem_post(&gate.open);
        pool_free(pool);
        ck_assert_int_eq(atomic_load(&runs), 101);
}
END_TEST

START_TEST(a_job_can_be_withdrawn_before_it_begins)
{
        struct pool *pool = new_pool(1, 4);
        struct job job = {.run = run, .cost_ns = LONG};
        struct gate gate;

        gate_close(&gate, pool, LONG);
        ck_assert_int_eq(pool_submit(pool, &job), POOL_TAKEN);
        ck_assert(pool_withdraw(pool, &job));
        ck_assert(!pool_withdraw(pool, &job));
        sem_post(&gate.open);
        pool_free(pool);
        ck_assert_int_eq(atomic_load(&runs), 0);
}
END_TEST

/* -- many threads -- */

#define SUBMITTERS 4

struct submitter {
        pthread_t thread;
        struct pool *pool;
        uint64_t client;
        struct job job[MANY];
        int refused;
};

static void *submit_many(void *user)
{
        struct submitter *s = user;

        for (int i = 0; i < MANY; i++) {
                s->job[i] = (struct job){.run = run,
                                         .expire = expire,
                                         .deadline_ns = clock_ns() + HOUR,
                                         .client = s->client,
                                         .cost_ns = i % 3 ? LONG * i : i};
                s->refused += pool_submit(s->pool, &s->job[i]) != POOL_TAKEN;
        }
        return NULL;
}

START_TEST(many_submit_at_once)
{
        static struct submitter s[SUBMITTERS];
        struct pool *pool = new_pool(3, 50);
        int refused = 0;

        for (uint64_t i = 0; i < SUBMITTERS; i++) {
                s[i] = (struct submitter){.pool = pool, .client = i / 2};
                pthread_create(&s[i].thread, NULL, submit_many, &s[i]);
        }
        for (int i = 0; i < SUBMITTERS; i++) {
                pthread_join(s[i].thread, NULL);
                refused += s[i].refused;
        }
        pool_end(pool);
        ck_assert_int_eq(atomic_load(&runs) + refused, SUBMITTERS * MANY);
        ck_assert_int_eq((int)pool_state(pool).busy, 0);
        pool_free(pool);
}
END_TEST

struct sharing {
        struct job job;
        struct pool *pool;
        atomic_int done[MANY];
        sem_t all;
};

static void do_item(void *user, size_t item)
{
        atomic_fetch_add(&((struct sharing *)user)->done[item], 1);
}

static void run_sharing(struct job *job)
{
        struct sharing *sharing = (struct sharing *)job;

        pool_share(sharing->pool, job, MANY, 1000, do_item, sharing);
        sem_post(&sharing->all);
}

START_TEST(shared_work_is_done_once_each)
{
        struct pool *pool = new_pool(3, 4);
        struct sharing sharing[SUBMITTERS];

        memset(sharing, 0, sizeof(sharing));
        for (int i = 0; i < SUBMITTERS; i++) {
                sharing[i].job = (struct job){.run = run_sharing, .is_begun = true, .cost_ns = LONG};
                sharing[i].pool = pool;
                sem_init(&sharing[i].all, 0, 0);
                ck_assert_int_eq(pool_submit(pool, &sharing[i].job), POOL_TAKEN);
        }
        for (int i = 0; i < SUBMITTERS; i++) {
                sem_wait(&sharing[i].all);
                for (int item = 0; item < MANY; item++)
                        ck_assert_int_eq(atomic_load(&sharing[i].done[item]), 1);
        }
        pool_free(pool);
}
END_TEST

UNIT_MAIN("pool", what_is_queued_runs_before_the_end, nothing_is_taken_after_the_end, short_jobs_go_first,
          short_jobs_have_a_thread_of_their_own, clients_take_turns, who_has_had_much_waits,
          a_long_job_does_not_wait_for_ever, a_heap_is_in_order, parts_of_one_request_take_turns_with_others,
          a_full_queue_refuses_new_requests_alone, what_waits_too_long_expires, a_job_can_be_withdrawn_before_it_begins,
          many_submit_at_once, shared_work_is_done_once_each);
