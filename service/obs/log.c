#include "obs/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITING_BYTES  ((size_t)128 * 1024) /* of waiting lines; twice that with the lines being written */
#define GATHER_NS      2000000              /* during which lines are collected for one write */
#define FLUSH_SECONDS  1
#define NS_OF_A_SECOND INT64_C(1000000000)

struct lines {
        size_t length;
        char text[WAITING_BYTES];
};

static struct {
        pthread_mutex_t lock;
        pthread_cond_t wake, written;
        bool json, in_background;
        bool asleep;  /* the thread waits for `wake` */
        bool hurries; /* lines are no longer collected */
        bool writing; /* `other` is being written */
        struct lines *waiting, *other;
        struct lines lines[2];
        struct metrics *metrics;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static int64_t ns_of(clockid_t clock)
{
        struct timespec now;

        clock_gettime(clock, &now);
        return (int64_t)now.tv_sec * NS_OF_A_SECOND + now.tv_nsec;
}

int64_t clock_ns(void)
{
        return ns_of(CLOCK_MONOTONIC);
}

int64_t clock_coarse_ns(void)
{
        return ns_of(CLOCK_MONOTONIC_COARSE);
}

/* -- writing -- */

static void count_dropped(int64_t lines)
{
        if (state.metrics && lines)
                metric_add(state.metrics, METRIC_log_lines_dropped_total, lines);
}

/* False if it cannot be written. */
static bool write_whole(const char *text, size_t length)
{
        while (length) {
                ssize_t written = write(STDERR_FILENO, text, length);

                if (written < 0 && errno == EAGAIN)
                        poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, -1);
                else if (written < 0 && errno != EINTR)
                        return false;
                if (written > 0) {
                        text += written;
                        length -= (size_t)written;
                }
        }
        return true;
}

/* Writes whole lines, in pieces that a pipe takes atomically, so that lines of other processes do not mix with them. */
static void write_lines(const struct lines *lines)
{
        const char *text = lines->text, *end = text + lines->length;
        int64_t dropped = 0;

        while (text < end) {
                size_t length = (size_t)(end - text);

                if (length > LINE_BYTES)
                        length = (size_t)((const char *)memrchr(text, '\n', LINE_BYTES) + 1 - text);
                if (!write_whole(text, length))
                        for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++)
                                dropped++;
                text += length;
        }
        count_dropped(dropped);
}

static void *write_loop(void *user)
{
        static const struct timespec gather = {.tv_nsec = GATHER_NS};

        (void)user;
        pthread_mutex_lock(&state.lock);
        for (;;) {
                while (!state.waiting->length) {
                        state.asleep = true;
                        pthread_cond_wait(&state.wake, &state.lock);
                }
                if (!state.hurries) {
                        pthread_mutex_unlock(&state.lock);
                        nanosleep(&gather, NULL);
                        pthread_mutex_lock(&state.lock);
                }
                struct lines *full = state.waiting;

                state.waiting = state.other;
                state.other = full;
                state.writing = true;
                pthread_mutex_unlock(&state.lock);
                write_lines(full);
                pthread_mutex_lock(&state.lock);
                full->length = 0;
                state.writing = false;
                pthread_cond_broadcast(&state.written);
        }
        return NULL;
}

void log_begin(bool json, struct metrics *metrics)
{
        pthread_condattr_t attributes;
        sigset_t all, before;
        pthread_t thread;

        state.json = json;
        state.metrics = metrics;
        state.waiting = &state.lines[0];
        state.other = &state.lines[1];
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&state.written, &attributes);
        pthread_condattr_destroy(&attributes);
        /* Only the main thread takes signals. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        state.in_background = pthread_create(&thread, NULL, write_loop, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (state.in_background) {
                pthread_detach(thread); /* it may wait forever for a reader */
                atexit(log_flush);
        }
}

void log_flush(void)
{
        struct timespec end;

        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += FLUSH_SECONDS;
        pthread_mutex_lock(&state.lock);
        state.hurries = true;
        while (state.in_background && (state.waiting->length || state.writing) &&
               pthread_cond_timedwait(&state.written, &state.lock, &end) != ETIMEDOUT) {
        }
        state.hurries = false;
        pthread_mutex_unlock(&state.lock);
}

/* -- lines -- */

static void send_line(const struct line *line)
{
        if (!state.in_background) {
                count_dropped(write_whole(line->text, line->length) ? 0 : 1);
                return;
        }
        pthread_mutex_lock(&state.lock);
        struct lines *to = state.waiting;
        bool fits = line->length <= sizeof(to->text) - to->length;

        if (fits) {
                memcpy(to->text + to->length, line->text, line->length);
                to->length += line->length;
        }
        if (state.asleep) {
                state.asleep = false;
                pthread_cond_signal(&state.wake);
        }
        pthread_mutex_unlock(&state.lock);
        count_dropped(fits ? 0 : 1);
}

#define TIME_BYTES sizeof("2026-01-01T00:00:00.000Z")

/* The time of day; each thread caches the text of the current second. */
static void write_time(char *ret)
{
        static _Thread_local struct {
                time_t second;
                char text[TIME_BYTES];
        } last = {.second = -1};
        struct timespec now;
        struct tm utc;

        clock_gettime(CLOCK_REALTIME, &now);
        if (now.tv_sec != last.second) {
                gmtime_r(&now.tv_sec, &utc);
                strftime(last.text, sizeof(last.text), "%Y-%m-%dT%H:%M:%S.000Z", &utc);
                last.second = now.tv_sec;
        }
        memcpy(ret, last.text, TIME_BYTES);
        for (size_t i = 0, ms = (size_t)now.tv_nsec / 1000000; i < 3; i++, ms /= 10)
                ret[TIME_BYTES - 3 - i] = (char)('0' + ms % 10);
}

void log_line(const char *level, const char *message, const struct log_field *fields, int count)
{
        struct line line;
        char time[TIME_BYTES];
        const struct log_field head[] = {
                {LOG_NAME("time"), .kind = LOG_WORD, .text = time},
                {LOG_NAME("level"), .kind = LOG_WORD, .text = level},
                {LOG_NAME("msg"), .text = message},
        };

        write_time(time);
        line_begin(&line, state.json);
        line_fields(&line, head, sizeof(head) / sizeof(head[0]));
        line_fields(&line, fields, count);
        line_end(&line);
        send_line(&line);
}
