/* What many threads count at once: more of them than have a share of their own. */
#include <pthread.h>

#include "obs/metrics.h"
#include "unit.h"

#define THREADS (METRIC_SHARES + 8)
#define TIMES   2000

static struct metrics metrics;

static void *count_all(void *user)
{
        for (int i = 0; i < TIMES; i++) {
                metric_add(&metrics, METRIC_nodes_total, 3);
                metric_add(&metrics, METRIC_requests_in_flight, i % 2 ? -1 : 1);
        }
        return user;
}

START_TEST(the_sum_is_of_all_threads)
{
        pthread_t thread[THREADS];

        for (int i = 0; i < THREADS; i++)
                ck_assert_int_eq(pthread_create(&thread[i], NULL, count_all, NULL), 0);
        for (int i = 0; i < THREADS; i++)
                ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert_int_eq(metric_get(&metrics, METRIC_nodes_total), (int64_t)3 * TIMES * THREADS);
        ck_assert_int_eq(metric_get(&metrics, METRIC_requests_in_flight), 0);
}
END_TEST

START_TEST(what_is_set_is_that)
{
        metric_set(&metrics, METRIC_workers, 3);
        metric_set(&metrics, METRIC_workers, 2);
        ck_assert_int_eq(metric_get(&metrics, METRIC_workers), 2);
}
END_TEST

UNIT_MAIN("metrics", the_sum_is_of_all_threads, what_is_set_is_that);
