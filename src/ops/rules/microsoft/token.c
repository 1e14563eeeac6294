/* Operators of com.microsoft on texts and tokens. */
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* BifurcationDetector 1: the current tokens are followed by predicted ones from some index on, if there are any. The
   new index is shaped as the previous one. */
enum ox_code infer_BifurcationDetector(struct node *n)
{
        enum { SOURCE, CURRENT, MATCH, PREDICTED };
        struct size current = {0}, predicted = {0}, tokens = {0};

        TRY(IN_SIZED(n, SOURCE, NULL));
        TRY(IN_SIZED(n, CURRENT, &current));
        TRY(in_expect_scalar(n, MATCH));
        TRY(IN_SIZED(n, PREDICTED, &predicted));
        if (!in_given(n, PREDICTED))
                tokens = current;
        else if (current.known && predicted.known)
                tokens = (struct size){true, out_fresh_at_most(n, 0, 0, size_add(n, current, predicted).dim)};
        TRY(OUT_SIZED(n, 0, &tokens));
        return out_like(n, 1, out_row_elem(n, 1), MATCH);
}

/* MurmurHash3 1: the hashes are unsigned if `positive` is 1. */
enum ox_code infer_MurmurHash3(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, attr_int_or(n, "positive", 1) == 1 ? ELEM_UINT32 : ELEM_INT32, 0);
}

/* The tokens before a chunk, max_ngram_size - 1, and the heads, (max_ngram_size - 1) * n_head_per_ngram, which
   vocab_sizes (input 2) and `offsets` have one element for. */
static enum ox_code read_ngrams(struct node *n, int offsets, struct size *history, struct size *heads)
{
        *history = size_int(attr_int_or(n, "max_ngram_size", 2) - 1);
        *heads = size_product(n, *history, size_int(attr_int_or(n, "n_head_per_ngram", 1)));
        TRY(IN_SIZED(n, 1, NULL));
        TRY(IN_SIZED(n, 2, heads));
        TRY(IN_SIZED(n, offsets, heads));
        return in_expect_scalar(n, offsets + 1);
}

/* NGramHashMapping 1: ids (batch_size, sequence_length) become (batch_size, sequence_length, heads), and the last of
   them are carried over. */
enum ox_code infer_NGramHashMapping(struct node *n)
{
        enum { IDS = 0, PAST = 3, OFFSETS = 4, SEGMENTS = 6 };
        struct size batch = {0}, length = {0}, history, heads;

        TRY(read_ngrams(n, OFFSETS, &history, &heads));
        TRY(IN_SIZED(n, IDS, &batch, &length));
        TRY(IN_SIZED(n, SEGMENTS, &batch, &length));
        TRY(IN_SIZED(n, PAST, &batch, &history));
        TRY(OUT_SIZED(n, 0, &batch, &length, &heads));
        return OUT_SIZED(n, 1, &batch, &history);
}

/* VarlenNGramHashMapping 1: the same of packed sequences, (total_tokens), whose bounds are (batch_size + 1). */
enum ox_code infer_VarlenNGramHashMapping(struct node *n)
{
        enum { IDS = 0, BOUNDS = 3, PAST = 4, OFFSETS = 5, SEGMENTS = 7, PAST_SEGMENTS = 8 };
        struct size tokens = {0}, bounds = {0}, batch, history, heads;

        TRY(read_ngrams(n, OFFSETS, &history, &heads));
        TRY(IN_SIZED(n, IDS, &tokens));
        TRY(IN_SIZED(n, SEGMENTS, &tokens));
        TRY(IN_SIZED(n, BOUNDS, &bounds));
        batch = size_add(n, bounds, size_int(-1));
        TRY(IN_SIZED(n, PAST, &batch, &history));
        TRY(IN_SIZED(n, PAST_SEGMENTS, &batch, &history));
        TRY(OUT_SIZED(n, 0, &tokens, &heads));
        TRY(OUT_SIZED(n, 1, &batch, &history));
        return OUT_SIZED(n, 2, &batch, &history);
}

/* NGramRepeatBlock 1: input_ids (batch_size, sequence_length), scores (batch_size, vocab_size). */
enum ox_code infer_NGramRepeatBlock(struct node *n)
{
        struct size batch = {0}, length = {0}, vocabulary = {0};

        TRY(IN_SIZED(n, 0, &batch, &length));
        TRY(IN_SIZED(n, 1, &batch, &vocabulary));
        return OUT_SIZED(n, 0, &batch, &vocabulary);
}

/* Whether no axis of the texts has size 0, which may be assumed of a symbol. */
static bool some_texts(struct node *n, int rank)
{
        for (int d = 0; d < rank; d++)
                if (!dim_presume_some(n->dims, in_dim(n, 0, d)))
                        return false;
        return true;
}

/* Tokenizer 1: [C] gives [C, D] and [N, C] gives [N, C, D], where D is the largest number of tokens of a text. Without
   texts, [0] stays [0] and [N, 0] stays [N, 0], as in runtimes, where [0, C] gives [0, 0]. */
enum ox_code infer_Tokenizer(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, ELEM_STRING);
        if (rank != 1 && rank != 2)
                return in_rank_fault(n, 0, "1 or 2");
        struct dim *dims = arena_new_array(n->arena, struct dim, 3);

        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, 0, d);
        if (dim_is(dims[0], 0) || dim_is(dims[rank - 1], 0)) {
                dims[rank - 1] = dim_int(0);
                return out_tensor(n, 0, ELEM_STRING, rank, dims);
        }
        if (!some_texts(n, rank))
                return out_elem(n, 0, ELEM_STRING);
        dims[rank] = out_fresh(n, 0, rank);
        return out_tensor(n, 0, ELEM_STRING, rank + 1, dims);
}

/* WordConvEmbedding 1: a vector of embedding_size for each word, "if not provided, the filter size" of W. The text does
   not say how words are laid out; runtime 1.30 takes (words, characters), and of more axes only the first. */
enum ox_code infer_WordConvEmbedding(struct node *n)
{
        enum { SEQUENCE, W, B, C };
        struct size words = {0}, filters = {0};
        int64_t size;

        if (attr_int(n, "embedding_size", &size))
                filters = size_int(size);
        TRY(in_expect_tensor(n, SEQUENCE));
        TRY(in_expect_rank_least(n, SEQUENCE, 2));
        TRY(IN_SIZED(n, W, &filters, NULL, NULL, NULL));
        TRY(IN_SIZED(n, B, &filters));
        TRY(IN_SIZED(n, C, NULL, NULL));
        if (in_has_rank(n, SEQUENCE) && in_rank(n, SEQUENCE) > 2)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(IN_SIZED(n, SEQUENCE, &words, NULL));
        return OUT_SIZED(n, 0, &words, &filters);
}
