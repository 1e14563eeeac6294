#include "obs/metrics.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "obs/log.h"

static const struct {
        const char *name, *type, *label, *value, *help;
        bool is_time; /* counted in nanoseconds, shown in seconds */
} names[METRIC_COUNT] = {
#define COUNTER(name, help) [METRIC_##name] = {#name, "counter", NULL, NULL, help, false},
#define COUNTER_BY(name, label, value, help)                                                                           \
        [METRIC_##name##_##value] = {#name, "counter", #label, #value, help, false},
#define SECONDS_BY(name, label, value, help) [METRIC_##name##_##value] = {#name, "counter", #label, #value, help, true},
#define GAUGE(name, help)                    [METRIC_##name] = {#name, "gauge", NULL, NULL, help, false},
#include "obs/metrics.def"
#undef COUNTER
#undef COUNTER_BY
#undef SECONDS_BY
#undef GAUGE
};

/* Every status that answers a code of the engine has a column. */
#define X(name, number, text, http) static_assert(METRIC_STATUS_##http < METRIC_STATUS_OTHER, "a status of " text);
OX_CODES(X)
#undef X

static const int statuses[METRIC_STATUSES] = {
#define X(name, number, code) [METRIC_STATUS_##number] = number,
        HTTP_STATUSES(X)
#undef X
};

static enum metric_status column_of(int status)
{
        switch (status) {
#define X(name, number, code)                                                                                          \
        case number:                                                                                                   \
                return METRIC_STATUS_##number;
                HTTP_STATUSES(X)
#undef X
        default:
                return METRIC_STATUS_OTHER;
        }
}

static const double bounds[METRIC_BUCKETS - 1] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                  0.025,  0.1,     0.5,    1,     5,      30};

void metrics_cut_off(struct metrics *metrics, const char *by)
{
        int metric = METRIC_requests_cut_off_total_client;

        while (metric < METRIC_requests_cut_off_total_other && strcmp(names[metric].value, by) != 0)
                metric++;
        metric_add(metrics, (enum metric)metric, 1);
}

/* Begins the peak of a new minute. Two threads at once may lose a value, which is harmless: people read it. */
static struct metrics_peak *turn_peak(struct metrics_peak *peak)
{
        int64_t minute = clock_coarse_ns() / INT64_C(60000000000), last = atomic_load(&peak->minute);

        if (last != minute && atomic_compare_exchange_strong(&peak->minute, &last, minute)) {
                int64_t now = atomic_exchange(&peak->now, 0);

                atomic_store(&peak->before, last == minute - 1 ? now : 0);
        }
        return peak;
}

void metrics_arena(struct metrics *metrics, size_t bytes)
{
        struct metrics_peak *peak = turn_peak(&metrics->arena_peak);
        int64_t old = atomic_load(&peak->now);

        while ((int64_t)bytes > old && !atomic_compare_exchange_weak(&peak->now, &old, (int64_t)bytes)) {
        }
}

void metrics_request(struct metrics *metrics, int route, int status, int64_t duration_ns)
{
        int row = route >= 0 && route < METRIC_ROUTES - 1 ? route : METRIC_ROUTES - 1;
        int bucket = 0;

        while (bucket < METRIC_BUCKETS - 1 && (double)duration_ns > bounds[bucket] * 1e9)
                bucket++;
        struct metrics_share *share = metrics_own(metrics);
        struct histogram *duration = &share->duration[row];

        share_add(metrics, share, &share->requests[row][column_of(status)], 1);
        share_add(metrics, share, &duration->bucket[bucket], 1);
        share_add(metrics, share, &duration->sum_ns, duration_ns);
}

/* -- sums of all shares -- */

/* The shares that threads have, from 0. */
static size_t share_count(void)
{
        unsigned threads = thread_count();

        return threads < METRIC_SHARES ? threads + 1 : METRIC_SHARES;
}

/* The sum of a number that has this place in share 0. */
static int64_t sum_of(const struct metrics *metrics, const _Atomic int64_t *first)
{
        const size_t at = (size_t)((uintptr_t)first - (uintptr_t)metrics->share);
        int64_t sum = 0;

        for (size_t i = 0, count = share_count(); i < count; i++) {
                const _Atomic int64_t *number = (const void *)((const char *)&metrics->share[i] + at);

                sum += atomic_load_explicit(number, memory_order_relaxed);
        }
        return sum;
}

int64_t metric_get(const struct metrics *metrics, enum metric metric)
{
        return sum_of(metrics, &metrics->share[0].value[metric]);
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
                        int64_t count = sum_of(metrics, &metrics->share[0].requests[row][column]);

                        if (count)
                                put(out, "shaped_requests_total{route=\"%s\",code=\"%d\"} %lld\n",
                                    route_name(metrics, row), statuses[column], (long long)count);
                }
        }
}

static void put_durations(const struct output *out, const struct metrics *metrics)
{
        put(out, "# HELP shaped_request_duration_seconds from the head of a request to the end of its reply\n"
                 "# TYPE shaped_request_duration_seconds histogram\n");
        for (int row = 0; row < METRIC_ROUTES; row++) {
                const struct histogram *h = &metrics->share[0].duration[row];
                const char *name = route_name(metrics, row);
                int64_t count[METRIC_BUCKETS], total = 0;

                for (int b = 0; b < METRIC_BUCKETS; b++) {
                        total += sum_of(metrics, &h->bucket[b]);
                        count[b] = total;
                }
                if (!total)
                        continue;
                for (int b = 0; b < METRIC_BUCKETS - 1; b++)
                        put(out, "shaped_request_duration_seconds_bucket{route=\"%s\",le=\"%g\"} %lld\n", name,
                            bounds[b], (long long)count[b]);
                put(out, "shaped_request_duration_seconds_bucket{route=\"%s\",le=\"+Inf\"} %lld\n", name,
                    (long long)total);
                put(out, "shaped_request_duration_seconds_sum{route=\"%s\"} %.6f\n", name,
                    (double)sum_of(metrics, &h->sum_ns) / 1e9);
                put(out, "shaped_request_duration_seconds_count{route=\"%s\"} %lld\n", name, (long long)total);
        }
}

/* Rows of one name stand together, under the help of the first. */
static void put_values(const struct output *out, const struct metrics *metrics)
{
        for (int i = 0; i < METRIC_COUNT; i++) {
                long long value = (long long)metric_get(metrics, (enum metric)i);

                if (i == 0 || strcmp(names[i].name, names[i - 1].name) != 0)
                        put(out, "# HELP shaped_%s %s\n# TYPE shaped_%s %s\n", names[i].name, names[i].help,
                            names[i].name, names[i].type);
                if (names[i].is_time)
                        put(out, "shaped_%s{%s=\"%s\"} %.6f\n", names[i].name, names[i].label, names[i].value,
                            (double)value / 1e9);
                else if (names[i].label)
                        put(out, "shaped_%s{%s=\"%s\"} %lld\n", names[i].name, names[i].label, names[i].value, value);
                else
                        put(out, "shaped_%s %lld\n", names[i].name, value);
        }
}

void metrics_write(struct metrics *metrics, ox_write write, void *user)
{
        const struct output out = {write, user};
        struct metrics_peak *peak = turn_peak(&metrics->arena_peak);
        int64_t now = atomic_load(&peak->now), before = atomic_load(&peak->before);

        metric_set(metrics, METRIC_arena_peak_bytes, now > before ? now : before);
        put_values(&out, metrics);
        put_requests(&out, metrics);
        put_durations(&out, metrics);
}
