/* Indices into an axis. */
#pragma once

#include "ops/node/node.h"

/* Normalises an index into [0, size); negative ones count from the end. False if it is out of range. */
bool index_normalize(int64_t index, int64_t size, int64_t *ret);

/* Known indices, the elements of `input`, must be in [-size, size - 1]: error INDEX_OUT_OF_RANGE. An unknown size
   allows all. */
enum ox_code indices_check(struct node *n, int input, struct dim size);
/* The same for tuples of `width` indices into the axes of input 0 from `first` on. */
enum ox_code tuples_check(struct node *n, int input, int first, int width);
/* The error for tuples, the last axis of input 1, that have more indices than the `most` axes of input 0 available to
   them. */
enum ox_code tuple_fault(struct node *n, int most);
