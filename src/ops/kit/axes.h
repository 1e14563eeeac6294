/* Axes as operands and attributes. */
#pragma once

#include "ops/node/node.h"

/* Normalises an axis into [0, rank); negative ones count from the end. Error AXIS_OUT_OF_RANGE. */
enum ox_code axis_normalize(struct node *n, int64_t axis, int rank, int *ret);
/* axis_normalize() for a list, sorted or not; duplicates are an error DUPLICATE_AXIS. `ret_is` has `rank` flags. */
enum ox_code axes_normalize(struct node *n, const int64_t *axes, size_t count, int rank, bool *ret_is);
/* The int attribute `name` (or its default, or `otherwise`) as an axis of a tensor of `rank`. */
enum ox_code attr_axis(struct node *n, const char *name, int64_t otherwise, int rank, int *ret);

/* Checks that no axis is repeated, even if the rank of the data is unknown: error DUPLICATE_AXIS. While the rank is
   unknown, a negative axis differs from all others. */
enum ox_code axes_distinct(struct node *n, const int64_t *axes, size_t count, int input);
