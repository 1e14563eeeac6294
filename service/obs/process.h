/* What the system says of this process: the metrics that every Prometheus client has under the same names. */
#pragma once

#include "shape.h"

/* Appends them in Prometheus' text format; what cannot be found out is left out. */
void process_write(ox_write write, void *user);
