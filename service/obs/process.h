/* Metrics of this process from the system, under the names that all Prometheus clients use. */
#pragma once

#include "shape.h"

/* Appends them in Prometheus' text format; omits those that cannot be read. */
void process_write(ox_write write, void *user);
