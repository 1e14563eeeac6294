/* Masks and biases that the attentions of com.microsoft share. Their shapes determine the batch, the length of the
   queries, and the total length of the keys. */
#pragma once

#include "ops/kit/sized.h"

/* Input `i` is (batch_size or 1, num_heads or 1, sequence_length, total_sequence_length), if it is given. */
enum ox_code agree_attention_bias(struct node *n, int i, struct size *batch, struct size *heads, struct size *length,
                                  struct size *total);

/* Input `i`, if it is given, is a mask (batch_size, sequence_length, total_sequence_length) or (batch_size,
   total_sequence_length), where runtimes accept 1 for either size; or, up to rank `most`, an index or a mask that
   determines only the batch. */
enum ox_code agree_mask(struct node *n, int i, int most, struct size *batch, struct size *length, struct size *total);
