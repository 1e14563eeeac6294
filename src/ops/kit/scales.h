/* Scales and zero points of quantized tensors. */
#pragma once

#include "ops/node/node.h"

/* A scale and its optional zero point have the same shape; a single element may be a scalar or a vector. Errors
   RANK_MISMATCH, DIM_MISMATCH. */
enum ox_code scale_agree(struct node *n, int scale, int zero);
/* A scale or zero point has one element, or is a vector with one for each of `*channels`, which becomes the more exact
   size of both. */
enum ox_code per_channel_agree(struct node *n, int i, struct dim *channels);

/* A vector of more than one element; a vector that may have only one determines nothing. */
bool scale_is_vector(const struct node *n, int i);
