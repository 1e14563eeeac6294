/* Lines on stderr, as logfmt or JSON. Any thread may log; none ever waits for who reads: lines are gathered, and
   written by a thread of their own a moment later. While nobody reads them, as many as fit wait, and the rest is
   dropped and counted. */
#pragma once

#include "obs/line.h"
#include "obs/metrics.h"

/* Begins to log in the background, until the process exits. Before that lines are written at once. */
void log_begin(bool json, struct metrics *metrics);

/* Writes what waits, for a second at most if nobody reads it. exit() does so by itself. */
void log_flush(void);

void log_line(const char *level, const char *message, const struct log_field *fields, int count);

/* Nanoseconds of a clock that only goes forward. */
int64_t clock_ns(void);

/* The same as of some milliseconds ago at most, for a fraction of the cost. */
int64_t clock_coarse_ns(void);
