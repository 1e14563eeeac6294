/* Scales and zero points of quantized tensors. */
#pragma once

#include "ops/node/node.h"

/* A scale and its zero point, which may be left out, have the same shape; what has one element may be a scalar or a
   vector. Errors RANK_MISMATCH, DIM_MISMATCH. */
enum ox_code scale_agree(struct node *n, int scale, int zero);
/* A scale or zero point is one element, or a vector of one for each of `*channels`, which become the better known. */
enum ox_code per_channel_agree(struct node *n, int i, struct dim *channels);

/* A vector of more than one element: one that may have just one tells nothing. */
bool scale_is_vector(const struct node *n, int i);
