/* Numbers for Prometheus. Any thread may count at any time. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "shape.h"

enum metric {
#define COUNTER(name, help) METRIC_##name,
#define GAUGE(name, help)   METRIC_##name,
#include "obs/metrics.def"
#undef COUNTER
#undef GAUGE
        METRIC_COUNT
};

#define METRIC_ROUTES   32
#define METRIC_STATUSES 21
#define METRIC_BUCKETS  14

struct metrics {
        _Atomic int64_t value[METRIC_COUNT];
        const char *route[METRIC_ROUTES]; /* names, set before threads start; the last one counts what has no route */
        _Atomic uint64_t requests[METRIC_ROUTES][METRIC_STATUSES];
        struct histogram {
                _Atomic uint64_t bucket[METRIC_BUCKETS];
                _Atomic uint64_t sum_ns;
        } duration[METRIC_ROUTES];
};

static inline void metric_add(struct metrics *metrics, enum metric metric, int64_t value)
{
        atomic_fetch_add_explicit(&metrics->value[metric], value, memory_order_relaxed);
}

static inline int64_t metric_get(const struct metrics *metrics, enum metric metric)
{
        return atomic_load_explicit(&metrics->value[metric], memory_order_relaxed);
}

void metric_max(struct metrics *metrics, enum metric metric, int64_t value);

/* A request of `route` (-1: none) is over. */
void metrics_request(struct metrics *metrics, int route, int status, int64_t duration_ns);

/* Prometheus' text format; `queue` is the number of requests that wait. */
void metrics_write(const struct metrics *metrics, size_t queue, ox_write write, void *user);
