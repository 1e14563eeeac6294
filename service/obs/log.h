/* Lines on stderr, as logfmt or JSON. Any thread may log; a line that nobody reads in time is dropped, so that a full
   pipe stops no request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "obs/metrics.h"

enum log_kind { LOG_TEXT, LOG_INT, LOG_MS };

/* A member of a line: LOG_MS is a duration in ns, written as milliseconds. */
struct log_field {
        const char *name;
        enum log_kind kind;
        const char *text;
        int64_t number;
};

/* Before threads start. */
void log_begin(bool json, struct metrics *metrics);

void log_line(const char *level, const char *message, const struct log_field *fields, int count);

/* Nanoseconds of a clock that only goes forward. */
int64_t clock_ns(void);
