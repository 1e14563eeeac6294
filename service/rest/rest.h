/* The REST interface: routes from one table. */
#pragma once

#include "net/call.h"
#include "obs/metrics.h"

extern const struct call_handler rest_handler;

/* Names the routes in the metrics. */
void rest_name_routes(struct metrics *metrics);
