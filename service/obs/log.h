/* Lines on stderr, as logfmt or JSON. Any thread may log, and none waits for the reader of stderr: lines are collected,
   and a thread of their own writes them a moment later. If nobody reads them, as many as fit are kept, and the rest is
   dropped and counted. */
#pragma once

#include "obs/line.h"
#include "obs/metrics.h"

/* Starts logging in the background, until the process exits. Before this call lines are written at once. */
void log_begin(bool json, struct metrics *metrics);

/* Writes the collected lines; waits at most a second if nobody reads them. exit() calls it. */
void log_flush(void);

void log_line(const char *level, const char *message, const struct log_field *fields, int count);

/* Nanoseconds of a monotonic clock. */
int64_t clock_ns(void);

/* The same, up to some milliseconds old, at a fraction of the cost. */
int64_t clock_coarse_ns(void);
