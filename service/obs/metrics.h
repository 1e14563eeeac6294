/* Numbers for Prometheus. Any thread may count at any time. */
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

/* The columns of requests_total: a status each, and one for those that are in no table. */
enum metric_status {
#define X(name, number, code) METRIC_STATUS_##number,
        HTTP_STATUSES(X)
#undef X
                METRIC_STATUS_OTHER,
        METRIC_STATUSES
};

struct metrics {
        _Atomic int64_t value[METRIC_COUNT];
        const char *route[METRIC_ROUTES]; /* names, set before threads start; the last one counts what has no route */
        _Atomic uint64_t requests[METRIC_ROUTES][METRIC_STATUSES];
        struct histogram {
                _Atomic uint64_t bucket[METRIC_BUCKETS];
                _Atomic uint64_t sum_ns;
        } duration[METRIC_ROUTES];
        struct metrics_peak {
                _Atomic int64_t minute; /* of the clock that the two are of */
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

/* A request was cut off `by` a setting or "client": a value of the label of requests_cut_off_total, or another one. */
void metrics_cut_off(struct metrics *metrics, const char *by);

/* So much memory was taken for a request. */
void metrics_arena(struct metrics *metrics, size_t bytes);

/* A request of `route` (-1: none) is over. */
void metrics_request(struct metrics *metrics, int route, int status, int64_t duration_ns);

/* Prometheus' text format (version 0.0.4). Gauges are as they were set last. */
void metrics_write(struct metrics *metrics, ox_write write, void *user);
