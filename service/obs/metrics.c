#include "obs/metrics.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
        const char *name, *type, *help;
} names[METRIC_COUNT] = {
#define COUNTER(name, help) [METRIC_##name] = {#name, "counter", help},
#define GAUGE(name, help)   [METRIC_##name] = {#name, "gauge", help},
#include "obs/metrics.def"
#undef COUNTER
#undef GAUGE
};

/* Every status that the daemon answers with; the first one stands for those that are not here. */
static const int statuses[METRIC_STATUSES] = {0,   200, 304, 400, 401, 403, 404, 405, 409, 413, 414,
                                              415, 417, 429, 431, 499, 500, 501, 503, 504, 505};

static const double bounds[METRIC_BUCKETS - 1] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                  0.025,  0.1,     0.5,    1,     5,      30};

void metric_max(struct metrics *metrics, enum metric metric, int64_t value)
{
        int64_t old = metric_get(metrics, metric);

        while (value > old && !atomic_compare_exchange_weak_explicit(&metrics->value[metric], &old, value,
                                                                     memory_order_relaxed, memory_order_relaxed)) {
        }
}

void metrics_request(struct metrics *metrics, int route, int status, int64_t duration_ns)
{
        int row = route >= 0 && route < METRIC_ROUTES - 1 ? route : METRIC_ROUTES - 1;
        int column = METRIC_STATUSES - 1, bucket = 0;

        while (column > 0 && statuses[column] != status)
                column--;
        while (bucket < METRIC_BUCKETS - 1 && (double)duration_ns > bounds[bucket] * 1e9)
                bucket++;
        atomic_fetch_add_explicit(&metrics->requests[row][column], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&metrics->duration[row].bucket[bucket], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&metrics->duration[row].sum_ns, (uint64_t)duration_ns, memory_order_relaxed);
}

/* -- the text -- */

struct output {
        ox_write write;
        void *user;
};

static void put(const struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(const struct output *out, const char *format, ...)
{
        char line[512];
        va_list args;

        va_start(args, format);
        int length = vsnprintf(line, sizeof(line), format, args);

        va_end(args);
        if (length > 0)
                out->write(out->user, line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

static const char *route_name(const struct metrics *metrics, int row)
{
        if (row == METRIC_ROUTES - 1)
                return "none";
        return metrics->route[row];
}

static void put_requests(const struct output *out, const struct metrics *metrics)
{
        put(out, "# HELP shaped_requests_total requests answered\n# TYPE shaped_requests_total counter\n");
        for (int row = 0; row < METRIC_ROUTES; row++) {
                for (int column = 0; column < METRIC_STATUSES; column++) {
                        uint64_t count = atomic_load_explicit(&metrics->requests[row][column], memory_order_relaxed);

                        if (count)
                                put(out, "shaped_requests_total{route=\"%s\",code=\"%d\"} %llu\n",
                                    route_name(metrics, row), statuses[column], (unsigned long long)count);
                }
        }
}

static void put_durations(const struct output *out, const struct metrics *metrics)
{
        put(out, "# HELP shaped_request_duration_seconds from the head of a request to the end of its reply\n"
                 "# TYPE shaped_request_duration_seconds histogram\n");
        for (int row = 0; row < METRIC_ROUTES; row++) {
                const struct histogram *h = &metrics->duration[row];
                const char *name = route_name(metrics, row);
                uint64_t count[METRIC_BUCKETS], total = 0;

                for (int b = 0; b < METRIC_BUCKETS; b++) {
                        total += atomic_load_explicit(&h->bucket[b], memory_order_relaxed);
                        count[b] = total;
                }
                if (!total)
                        continue;
                for (int b = 0; b < METRIC_BUCKETS - 1; b++)
                        put(out, "shaped_request_duration_seconds_bucket{route=\"%s\",le=\"%g\"} %llu\n", name,
                            bounds[b], (unsigned long long)count[b]);
                put(out, "shaped_request_duration_seconds_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", name,
                    (unsigned long long)total);
                put(out, "shaped_request_duration_seconds_sum{route=\"%s\"} %.6f\n", name,
                    (double)atomic_load_explicit(&h->sum_ns, memory_order_relaxed) / 1e9);
                put(out, "shaped_request_duration_seconds_count{route=\"%s\"} %llu\n", name, (unsigned long long)total);
        }
}

void metrics_write(const struct metrics *metrics, size_t queue, ox_write write, void *user)
{
        const struct output out = {write, user};

        for (int i = 0; i < METRIC_COUNT; i++)
                put(&out, "# HELP shaped_%s %s\n# TYPE shaped_%s %s\nshaped_%s %lld\n", names[i].name, names[i].help,
                    names[i].name, names[i].type, names[i].name, (long long)metric_get(metrics, (enum metric)i));
        put(&out,
            "# HELP shaped_queue_depth requests that wait for a worker\n# TYPE shaped_queue_depth gauge\n"
            "shaped_queue_depth %zu\n",
            queue);
        put_requests(&out, metrics);
        put_durations(&out, metrics);
}
