/* The REST interface: routes from one table. */
#pragma once

#include "net/call.h"
#include "obs/metrics.h"

extern const struct call_handler rest_handler;

/* Before threads start; also names the routes in the metrics. */
void rest_init(struct metrics *metrics);
