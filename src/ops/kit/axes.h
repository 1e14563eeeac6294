/* Axes that an operator takes. */
#pragma once

#include "ops/node/node.h"

/* An axis normalised into [0, rank): negative ones count from the end. Error AXIS_OUT_OF_RANGE otherwise. */
enum ox_code axis_normalize(struct node *n, int64_t axis, int rank, int *ret);
/* As axis_normalize() of a list, sorted or not; duplicates are an error DUPLICATE_AXIS. `ret_is` has `rank` flags. */
enum ox_code axes_normalize(struct node *n, const int64_t *axes, size_t count, int rank, bool *ret_is);
/* The int attribute `name` (or its default, or `otherwise`) as an axis of a tensor of `rank`. */
enum ox_code attr_axis(struct node *n, const char *name, int64_t otherwise, int rank, int *ret);

/* No axis stands twice, whether or not the rank of the data is known: error DUPLICATE_AXIS. A negative axis is another
   one until the rank is known. */
enum ox_code axes_distinct(struct node *n, const int64_t *axes, size_t count, int input);
