/* Metrics for Prometheus. Any thread may count at any time. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "obs/status.h"
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

struct metrics {
        _Atomic int64_t value[METRIC_COUNT];
        const char *route[METRIC_ROUTES]; /* names, set before threads start; the last one counts requests without a
                                             route */
        _Atomic uint64_t requests[METRIC_ROUTES][METRIC_STATUSES];
        struct histogram {
                _Atomic uint64_t bucket[METRIC_BUCKETS];
                _Atomic uint64_t sum_ns;
        } duration[METRIC_ROUTES];
        struct metrics_peak {
                _Atomic int64_t minute; /* of the clock of these two */
                _Atomic int64_t now, before;
        } arena_peak;
};

static inline void metric_add(struct metrics *metrics, enum metric metric, int64_t value)
{
        atomic_fetch_add_explicit(&metrics->value[metric], value, memory_order_relaxed);
}

static inline int64_t metric_get(const struct metrics *metrics, enum metric metric)
{
        return atomic_load_explicit(&metrics->value[metric], memory_order_relaxed);
}

static inline void metric_set(struct metrics *metrics, enum metric metric, int64_t value)
{
        atomic_store_explicit(&metrics->value[metric], value, memory_order_relaxed);
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
