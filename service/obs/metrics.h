/* Metrics for Prometheus. Any thread may count at any time. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "obs/status.h"
#include "obs/thread.h"
#include "shape.h"

enum metric {
#define COUNTER(name, help)                  METRIC_##name,
#define COUNTER_BY(name, label, value, help) METRIC_##name##_##value,
#define SECONDS_BY(name, label, value, help) METRIC_##name##_##value,
#define GAUGE(name, help)                    METRIC_##name,
#include "obs/metrics.def"
#undef COUNTER
#undef COUNTER_BY
#undef SECONDS_BY
#undef GAUGE
        METRIC_COUNT
};

#define METRIC_ROUTES  32
#define METRIC_BUCKETS 14

/* The columns of requests_total: one for each status, and one for statuses without a row. */
enum metric_status {
#define X(name, number, code) METRIC_STATUS_##number,
        HTTP_STATUSES(X)
#undef X
                METRIC_STATUS_OTHER,
        METRIC_STATUSES
};

#define METRIC_SHARES 32
#define CACHE_LINE    64

/* What one thread has counted: the first ones write to a share each, the others to share 0. A metric's value is the sum
   of all shares. */
struct metrics_share {
        alignas(CACHE_LINE) _Atomic int64_t value[METRIC_COUNT];
        _Atomic int64_t requests[METRIC_ROUTES][METRIC_STATUSES];
        struct histogram {
                _Atomic int64_t bucket[METRIC_BUCKETS];
                _Atomic int64_t sum_ns;
        } duration[METRIC_ROUTES];
};

struct metrics {
        struct metrics_share share[METRIC_SHARES];
        const char *route[METRIC_ROUTES]; /* names, set before threads start; the last one counts requests without a
                                             route */
        struct metrics_peak {
                _Atomic int64_t minute; /* of the clock of these two */
                _Atomic int64_t now, before;
        } arena_peak;
};

/* The share that the calling thread writes to. */
static inline struct metrics_share *metrics_own(struct metrics *metrics)
{
        unsigned number = thread_number();

        return &metrics->share[number < METRIC_SHARES ? number : 0];
}

/* Adds to a number of metrics_own(). Only share 0 has several writers, which a plain sum would lose. */
static inline void share_add(const struct metrics *metrics, const struct metrics_share *share, _Atomic int64_t *to,
                             int64_t value)
{
        if (share == &metrics->share[0])
                atomic_fetch_add_explicit(to, value, memory_order_relaxed);
        else
                atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + value, memory_order_relaxed);
}

static inline void metric_add(struct metrics *metrics, enum metric metric, int64_t value)
{
        struct metrics_share *share = metrics_own(metrics);

        share_add(metrics, share, &share->value[metric], value);
}

/* While threads count, the sum may miss what one has just added. */
int64_t metric_get(const struct metrics *metrics, enum metric metric);

/* The number of a metric that threads compare and change at once, or that is set as a whole: metric_add() must not be
   used for it. */
static inline _Atomic int64_t *metric_at(struct metrics *metrics, enum metric metric)
{
        return &metrics->share[0].value[metric];
}

static inline void metric_set(struct metrics *metrics, enum metric metric, int64_t value)
{
        atomic_store_explicit(metric_at(metrics, metric), value, memory_order_relaxed);
}

/* Counts a request that was cut off `by` a setting or "client": a value of the label of requests_cut_off_total; any
   other counts as "other". */
void metrics_cut_off(struct metrics *metrics, const char *by);

/* Records the memory that a request took. */
void metrics_arena(struct metrics *metrics, size_t bytes);

/* Counts a finished request of `route` (-1: none). */
void metrics_request(struct metrics *metrics, int route, int status, int64_t duration_ns);

/* Writes Prometheus' text format (version 0.0.4). Gauges have the values set last. */
void metrics_write(struct metrics *metrics, ox_write write, void *user);
