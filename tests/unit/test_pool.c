/* Worker threads: what is queued runs, and nothing is taken once they have ended. */
#include <stdatomic.h>

#include "unit.h"
#include "work/pool.h"

static atomic_int runs;

static void run(struct job *job)
{
        atomic_fetch_add(&runs, 1);
}

START_TEST(what_is_queued_runs_before_the_end)
{
        struct job job[20];
        struct pool *pool = pool_new(2, 20);

        ck_assert_ptr_nonnull(pool);
        atomic_store(&runs, 0);
        for (int i = 0; i < 20; i++) {
                job[i] = (struct job){.run = run};
                ck_assert(pool_submit(pool, &job[i]));
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
        struct pool *pool = pool_new(1, 4);

        ck_assert_ptr_nonnull(pool);
        atomic_store(&runs, 0);
        pool_end(pool);
        ck_assert(!pool_submit(pool, &job));
        pool_end(pool);
        pool_free(pool);
        ck_assert_int_eq(atomic_load(&runs), 0);
}
END_TEST

UNIT_MAIN("pool", what_is_queued_runs_before_the_end, nothing_is_taken_after_the_end);
