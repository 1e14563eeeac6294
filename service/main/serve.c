/* shaped serve: runs the daemon, from its start to its drain. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "main/main.h"
#include "net/accept.h"
#include "net/http1.h"
#include "net/http2.h"
#include "obs/log.h"
#include "rest/cors.h"
#include "rest/rest.h"
#include "version.h"

#define CONTEXTS_SPARE 60 /* contexts kept besides one a thread: uploads hold one each while they arrive */
#define MAPPED_BYTES                                                                                                   \
        (128 * 1024) /* from this size on, malloc() maps memory of its own, which returns to the                       \
                        system when freed */
#define QUIET_MS                                                                                                       \
        200 /* without a request until a drain is over, because a request may still be on its                          \
               way */
#define STEP_MS 20

struct daemon {
        struct service service;
        struct operator_tables operators;
        struct config config; /* with automatic settings filled in */
        struct listener listener;
        struct peers *peers;
        struct http1 *http1;
        struct http2 *http2;
        struct acceptor *acceptor;
        sigset_t signals;
};

/* -- starting -- */

/* If a standard descriptor is closed, the next file or connection would get its number, and log lines with it. */
static void keep_standard_descriptors(void)
{
        int fd = open("/dev/null", O_RDWR);

        while (fd >= 0 && fd <= STDERR_FILENO)
                fd = open("/dev/null", O_RDWR);
        if (fd >= 0)
                close(fd);
}

/* Each connection needs a descriptor. */
static void raise_files(void)
{
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_NOFILE, &limit);
        }
}

/* By default the C library raises this size and then keeps freed memory in an arena of each thread, which would exceed
   memory_bytes several times. */
static void give_back_memory(void)
{
        mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}

static void fill_in(struct config *config)
{
        long cores = sysconf(_SC_NPROCESSORS_ONLN);

        if (!config->workers)
                config->workers = cores > 0 ? cores : 1;
        if (!config->io_threads)
                config->io_threads = cores > 0 ? cores : 1;
        if (!config->memory_bytes)
                config->memory_bytes = budget_share();
}

/* Memory kept for later requests. */
static bool reclaim(void *user)
{
        struct service *service = user;

        return contexts_reclaim(service->contexts) || calls_reclaim(&service->calls);
}

/* Returns memory to the system that was not needed for a while. */
static void tidy(void *user)
{
        struct service *service = user;
        int64_t held = metric_get(&service->metrics, METRIC_memory_bytes);

        if (!contexts_tidy(service->contexts))
                return;
        while (calls_reclaim(&service->calls)) {
        }
        if (metric_get(&service->metrics, METRIC_memory_bytes) < held)
                malloc_trim(0);
}

static void take_http1(void *user, int socket, const struct sockaddr *address, socklen_t size)
{
        http1_take(((struct daemon *)user)->http1, socket, address, size);
}

static void take_http2(void *user, int socket, const struct sockaddr *address, socklen_t size)
{
        http2_take(((struct daemon *)user)->http2, socket, address, size);
}

static bool start_service(struct daemon *d)
{
        struct service *service = &d->service;

        service->config = &d->config;
        calls_init(&service->calls);
        rest_init(&service->metrics);
        if (getrandom(&service->seed, sizeof(service->seed), 0) != (ssize_t)sizeof(service->seed))
                service->seed = (uint64_t)clock_ns();
        budget_init(&service->budget, d->config.memory_bytes, &service->metrics, reclaim, service);
        service->contexts =
                contexts_new(&d->config.limits, (size_t)(d->config.workers + d->config.io_threads) + CONTEXTS_SPARE,
                             &service->budget, service->seed);
        service->pool = pool_new(&(struct pool_settings){
                .threads = (size_t)d->config.workers,
                .queue = (size_t)d->config.queue,
                .tidy = tidy,
                .user = service,
        });
        if (!service->contexts || !service->pool)
                return false;
        d->peers = peers_new(&d->config, &service->metrics);
        if (!d->peers)
                return false;
        d->http1 = http1_new(service, d->peers, &rest_handler);
        d->http2 = http2_new(service, d->peers, &rest_handler);
        if (!d->http1 || !d->http2)
                return false;
        d->acceptor = acceptor_new(&d->listener, d->peers,
                                   &(struct acceptor_takers){.http1 = take_http1, .http2 = take_http2, .user = d});
        return d->acceptor != NULL;
}

static void warn_unknown(const char *name)
{
        log_line("warn", "unknown environment variable", &(struct log_field){LOG_NAME("variable"), .text = name}, 1);
}

static bool start(struct daemon *d)
{
        char fault[512];

        if (!listener_open(&d->listener, d->config.listen, fault, sizeof(fault))) {
                log_line("error", "cannot listen", &(struct log_field){LOG_NAME("reason"), .text = fault}, 1);
                return false;
        }
        if (!start_service(d)) {
                log_line("error", "cannot start", &(struct log_field){LOG_NAME("reason"), .text = strerror(errno)}, 1);
                return false;
        }
        const struct log_field fields[] = {
                {LOG_NAME("address"), .text = d->listener.address},
                {LOG_NAME("version"), .text = SHAPED_VERSION},
                {LOG_NAME("workers"), .kind = LOG_INT, .number = d->config.workers},
                {LOG_NAME("io_threads"), .kind = LOG_INT, .number = d->config.io_threads},
                {LOG_NAME("memory_bytes"), .kind = LOG_INT, .number = d->config.memory_bytes},
                {LOG_NAME("pid"), .kind = LOG_INT, .number = getpid()},
        };

        log_line("info", "ready", fields, (int)(sizeof(fields) / sizeof(fields[0])));
        config_each_unknown(warn_unknown);
        return true;
}

/* -- ending -- */

/* False if another signal arrived meanwhile. */
static bool pause_ms(const struct daemon *d, long ms)
{
        struct timespec wait = {.tv_nsec = ms * 1000000};

        return sigtimedwait(&d->signals, NULL, &wait) < 0;
}

/* Serves on while /readyz says no, until load balancers have noticed. False if another signal arrived. */
static bool serve_unready(struct daemon *d)
{
        int64_t end = clock_ns() + d->config.lame_duck_s * INT64_C(1000000000);

        while (clock_ns() < end) {
                if (!pause_ms(d, STEP_MS))
                        return false;
        }
        return true;
}

/* Accepts nothing new and answers requests in flight. False if that takes too long, or if another signal arrived. */
static bool drain(struct daemon *d)
{
        int64_t begun = clock_ns(), quiet = begun, now = begun;

        log_line("info", "draining", NULL, 0);
        acceptor_stop(d->acceptor);
        listener_close(&d->listener);
        http2_drain(d->http2);
        while (now - quiet < QUIET_MS * INT64_C(1000000)) {
                if (now - begun > d->config.drain_s * INT64_C(1000000000) + QUIET_MS * INT64_C(1000000) ||
                    !pause_ms(d, STEP_MS))
                        return false;
                now = clock_ns();
                if (http1_in_flight(d->http1) > 0)
                        quiet = now;
        }
        return true;
}

/* Whether no request is in flight whose client still waits for its answer. */
static bool is_idle(struct daemon *d)
{
        int64_t end = clock_ns() + QUIET_MS * INT64_C(1000000);

        while (http1_in_flight(d->http1) > 0 && clock_ns() < end)
                pause_ms(d, STEP_MS);
        return http1_in_flight(d->http1) == 0;
}

static void stop(struct daemon *d)
{
        acceptor_free(d->acceptor);
        /* A request that arrives at the last moment must not wait for a worker: libmicrohttpd cannot stop with a
           suspended connection. */
        pool_end(d->service.pool);
        http1_free(d->http1);
        http2_free(d->http2);
        peers_free(d->peers);
        pool_free(d->service.pool);
        listener_close(&d->listener);
        contexts_free(d->service.contexts);
        calls_done(&d->service.calls);
        operator_tables_free(&d->operators);
}

int serve_main(const struct config *config)
{
        static const int harmless[] = {SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2};
        static struct daemon d;
        bool json = strcmp(config->log_format, "json") == 0;
        int received;
        size_t length;

        if (!json && strcmp(config->log_format, "logfmt") != 0) {
                fprintf(stderr, "shaped: --log-format is logfmt or json, not '%s'\n", config->log_format);
                return EXIT_USAGE;
        }
        const char *origin = cors_fault(config->cors_origin, &length);

        if (origin) {
                fprintf(stderr, "shaped: --cors-origin takes * or origins like https://example.org, not '%.*s'\n",
                        (int)length, origin);
                return EXIT_USAGE;
        }
        d.config = *config;
        fill_in(&d.config);
        if (!operator_tables_load(&d.operators, config->operators, config->limits.operators_bytes)) {
                operator_tables_free(&d.operators);
                return EXIT_USAGE;
        }
        d.service.operators = (const struct ox_operators *const *)d.operators.table;
        d.service.n_operators = d.operators.count;
        keep_standard_descriptors();
        raise_files();
        give_back_memory();
        log_begin(json, &d.service.metrics);
        /* Blocked before threads are started, so that none of them is interrupted and only sigwait() sees the
           signals. */
        for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
                signal(harmless[i], SIG_IGN);
        sigemptyset(&d.signals);
        sigaddset(&d.signals, SIGTERM);
        sigaddset(&d.signals, SIGINT);
        pthread_sigmask(SIG_BLOCK, &d.signals, NULL);
        if (!start(&d)) {
                stop(&d);
                return EXIT_FAULTY;
        }
        sigwait(&d.signals, &received);
        atomic_store(&d.service.draining, true);
        http2_drain(d.http2);
        if (d.config.lame_duck_s)
                log_line("info", "not ready any more", NULL, 0);
        /* Another signal ends the daemon at once, with success if no request is in flight. */
        if (!(serve_unready(&d) && drain(&d)) && !is_idle(&d)) {
                /* A worker may still hold a connection, so libmicrohttpd cannot be stopped: the process just exits. */
                const struct log_field left = {LOG_NAME("in_flight"), .kind = LOG_INT,
                                               .number = http1_in_flight(d.http1)};

                log_line("error", "ended with requests in flight", &left, 1);
                log_flush();
                _exit(EXIT_FAULTY);
        }
        stop(&d);
        log_line("info", "ended", NULL, 0);
        return EXIT_GOOD;
}
