#include "obs/log.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 2048 /* below PIPE_BUF, so that a line goes whole or not at all */

static struct {
        pthread_mutex_t lock;
        bool json;
        struct metrics *metrics;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct line {
        char text[LINE_BYTES];
        size_t length;
};

void log_begin(bool json, struct metrics *metrics)
{
        state.json = json;
        state.metrics = metrics;
}

int64_t clock_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void put(struct line *line, const char *text, size_t length)
{
        if (length > sizeof(line->text) - 8 - line->length)
                length = sizeof(line->text) - 8 - line->length;
        memcpy(line->text + line->length, text, length);
        line->length += length;
}

/* Texts come from clients: quotes and whatever is not printable are escaped, so that no line can be forged. */
static void put_quoted(struct line *line, const char *text)
{
        char escape[8];

        put(line, "\"", 1);
        for (int left = 512; *text && left > 0; text++, left--) {
                unsigned char c = (unsigned char)*text;

                if (c == '"' || c == '\\')
                        put(line, (const char[]){'\\', (char)c}, 2);
                else if (c < 0x20 || c >= 0x7f)
                        put(line, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", c));
                else
                        put(line, text, 1);
        }
        put(line, "\"", 1);
}

static bool is_plain(const char *text)
{
        return *text &&
               strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/[]") == strlen(text);
}

static void put_field(struct line *line, const struct log_field *field)
{
        char number[32];

        if (state.json) {
                put(line, line->length > 1 ? ",\"" : "\"", line->length > 1 ? 2 : 1);
                put(line, field->name, strlen(field->name));
                put(line, "\":", 2);
        } else {
                put(line, " ", line->length ? 1 : 0);
                put(line, field->name, strlen(field->name));
                put(line, "=", 1);
        }
        if (field->kind == LOG_INT)
                put(line, number, (size_t)snprintf(number, sizeof(number), "%lld", (long long)field->number));
        else if (field->kind == LOG_MS)
                put(line, number, (size_t)snprintf(number, sizeof(number), "%.3f", (double)field->number / 1e6));
        else if (!state.json && is_plain(field->text))
                put(line, field->text, strlen(field->text));
        else
                put_quoted(line, field->text);
}

static void send_line(struct line *line)
{
        struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

        line->text[line->length++] = '\n';
        pthread_mutex_lock(&state.lock);
        bool sent = poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) &&
                    write(STDERR_FILENO, line->text, line->length) == (ssize_t)line->length;

        pthread_mutex_unlock(&state.lock);
        if (!sent && state.metrics)
                metric_add(state.metrics, METRIC_log_lines_dropped_total, 1);
}

void log_line(const char *level, const char *message, const struct log_field *fields, int count)
{
        struct line line = {.length = 0};
        struct timespec now;
        struct tm utc;
        char time[48];

        clock_gettime(CLOCK_REALTIME, &now);
        gmtime_r(&now.tv_sec, &utc);
        size_t at = strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &utc);

        snprintf(time + at, sizeof(time) - at, ".%03dZ", (int)(now.tv_nsec / 1000000));
        put(&line, "{", state.json ? 1 : 0);
        put_field(&line, &(struct log_field){.name = "time", .text = time});
        put_field(&line, &(struct log_field){.name = "level", .text = level});
        put_field(&line, &(struct log_field){.name = "msg", .text = message});
        for (int i = 0; i < count; i++)
                put_field(&line, &fields[i]);
        put(&line, "}", state.json ? 1 : 0);
        send_line(&line);
}
