/* Generation of text. The sequences always have max_length tokens, including those of the prompt. */
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* The vocabulary: vocab_size, or the size in the masks (vocab_size) and (batch_size, vocab_size). */
static enum ox_code read_vocabulary(struct node *n, int mask, int prefix_mask, struct size *batch, struct size *ret)
{
        int64_t given = attr_int_or(n, "vocab_size", 0);

        if (given > 0)
                *ret = size_int(given);
        TRY(IN_SIZED(n, mask, ret));
        return IN_SIZED(n, prefix_mask, batch, ret);
}

/* BeamSearch 1, WhisperBeamSearch 1: input_ids (batch_size, sequence_length), or another input of the encoder;
   sequences (batch_size, num_return_sequences, max_length). Scores are (max_length - sequence_length, batch_size,
   num_beams, vocab_size), where a prompt of ids is what the decoder starts with; cross_qk is (batch_size,
   num_return_sequences, layers and heads, tokens, frames). */
enum ox_code infer_BeamSearch(struct node *n)
{
        enum {
                IDS,
                MAX,
                MIN,
                BEAMS,
                RETURNS,
                VOCAB_MASK = 7,
                PREFIX_MASK,
                MASK,
                DECODER_IDS,
                LAYER_HEADS = 12,
                EXTRA_IDS
        };
        struct size batch = {0}, length = {0}, most, beams, returns, vocab = {0}, steps = {0}, kept = {0},
                    two = size_int(2);

        TRY(in_expect_tensor(n, IDS));
        if (in_elem(n, IDS) == ELEM_INT32) {
                TRY(IN_SIZED(n, IDS, &batch, &length));
                TRY(IN_SIZED(n, MASK, &batch, &length));
        }
        TRY(in_expect_rank_least(n, IDS, 2));
        if (in_has_rank(n, IDS))
                TRY(size_at(n, &batch, IDS, 0));
        TRY(IN_SIZED(n, MASK, &batch, NULL));
        TRY(IN_SIZED(n, DECODER_IDS, &batch, NULL));
        for (int i = MAX; i <= RETURNS; i++)
                TRY(in_expect_scalar(n, i));
        TRY(in_size(n, MAX, &most));
        TRY(in_size(n, BEAMS, &beams));
        TRY(in_size(n, RETURNS, &returns));
        TRY(read_vocabulary(n, VOCAB_MASK, PREFIX_MASK, &batch, &vocab));
        TRY(IN_SIZED(n, LAYER_HEADS, &kept, &two));
        TRY(IN_SIZED(n, EXTRA_IDS, &batch, NULL));
        if (attr_int_or(n, "model_type", 0) == 0)
                steps = size_add(n, most, size_times(n, -1, length));
        TRY(OUT_SIZED(n, 0, &batch, &returns, &most));
        TRY(OUT_SIZED(n, 1, &batch, &returns));
        TRY(OUT_SIZED(n, 2, &steps, &batch, &beams, &vocab));
        TRY(OUT_SIZED(n, 3, &batch, &returns, &kept, NULL, NULL));
        return OUT_SIZED(n, 4, &batch);
}

/* GreedySearch 1, Sampling 1: input_ids (batch_size, sequence_length), sequences (batch_size, max_length),
   filtered_logits (batch_size, vocab_size). */
enum ox_code infer_GreedySearch(struct node *n)
{
        enum { IDS, MAX, MIN, PENALTY, VOCAB_MASK, PREFIX_MASK, MASK, PRESENCE_MASK, SEED };
        struct size batch = {0}, length = {0}, most, vocab = {0};

        TRY(IN_SIZED(n, IDS, &batch, &length));
        TRY(IN_SIZED(n, MASK, &batch, &length));
        for (int i = MAX; i <= PENALTY; i++)
                TRY(in_expect_scalar(n, i));
        TRY(in_expect_scalar(n, SEED));
        TRY(in_size(n, MAX, &most));
        TRY(read_vocabulary(n, VOCAB_MASK, PREFIX_MASK, &batch, &vocab));
        TRY(IN_SIZED(n, PRESENCE_MASK, &batch, &vocab));
        TRY(OUT_SIZED(n, 0, &batch, &most));
        return OUT_SIZED(n, 1, &batch, &vocab);
}
