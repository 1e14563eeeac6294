/* Indices into an axis. */
#pragma once

#include "ops/node/node.h"

/* An index normalised into [0, size): negative ones count from the end. False out of bounds. */
bool index_normalize(int64_t index, int64_t size, int64_t *ret);

/* Known indices, the elements of `input`, must lie within [-size, size - 1] (OUT_OF_RANGE INDEX_OUT_OF_RANGE); a size
   that is not known allows all. */
enum ox_code indices_check(struct node *n, int input, struct dim size);
/* The same of tuples of `width`, which index the axes of input 0 from `first` on. */
enum ox_code tuples_check(struct node *n, int input, int first, int width);
/* The error of tuples, the last axis of input 1, that are longer than the `most` axes of input 0 that they may index.
 */
enum ox_code tuple_fault(struct node *n, int most);
