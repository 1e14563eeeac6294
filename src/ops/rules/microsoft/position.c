/* Positions in a sequence: rotations of queries and keys, and biases of their products. */
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* Axes of an input (batch_size, sequence_length, hidden_size) or (batch_size, num_heads, sequence_length, head_size).
 */
struct rotary {
        struct size batch, length, last;
};

/* The input of a rotation; its sizes are unknown if its rank is. */
static enum ox_code read_rotary(struct node *n, struct rotary *ret)
{
        int rank = in_rank(n, 0);

        *ret = (struct rotary){.batch = {0}};
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 3));
        TRY(in_expect_rank_most(n, 0, 4));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        TRY(size_at(n, &ret->batch, 0, 0));
        TRY(size_at(n, &ret->length, 0, rank - 2));
        return size_at(n, &ret->last, 0, rank - 1);
}

/* The input's shape, completed by the other inputs. */
static enum ox_code out_rotary(struct node *n, const struct rotary *r)
{
        int rank = in_rank(n, 0);

        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        struct dim *dims = in_dims(n, 0);

        dims[0] = r->batch.dim;
        dims[rank - 2] = r->length.dim;
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* Caches of cosines and sines are (max_sequence_length, half of the rotated size). */
static enum ox_code agree_caches(struct node *n)
{
        struct size length = {0}, half = {0};
        int64_t part = attr_int_or(n, "rotary_embedding_dim", 0);

        if (part > 0)
                half = size_int(part / 2);
        TRY(IN_SIZED(n, 2, &length, &half));
        return IN_SIZED(n, 3, &length, &half);
}

/* RotaryEmbedding 1 of com.microsoft: position_ids are (1), or (batch_size, sequence_length); in a packed batch these
   sizes differ from the input's. */
enum ox_code infer_com_microsoft_RotaryEmbedding(struct node *n)
{
        struct rotary r;

        TRY(read_rotary(n, &r));
        TRY(in_expect_rank_least(n, 1, 1));
        TRY(in_expect_rank_most(n, 1, 2));
        if (in_rank(n, 1) == 2 && attr_int_or(n, "is_packed_batching", 0) == 0)
                TRY(IN_SIZED(n, 1, &r.batch, &r.length));
        TRY(agree_caches(n));
        return out_rotary(n, &r);
}

/* MRotaryEmbedding 1: position_ids (3, batch_size, sequence_length), one for time, height and width. */
enum ox_code infer_MRotaryEmbedding(struct node *n)
{
        struct rotary r;
        struct size streams = size_int(3);

        TRY(read_rotary(n, &r));
        TRY(in_expect_rank(n, 1, 3));
        if (attr_int_or(n, "is_packed_batching", 0) == 0)
                TRY(IN_SIZED(n, 1, &streams, &r.batch, &r.length));
        TRY(agree_caches(n));
        return out_rotary(n, &r);
}

/* GemmaRotaryEmbedding 1: emb (batch_size, seq_len, dim); q, q_rot, k and k_rot (batch_size, num_heads, seq_len, dim).
   Keys may have fewer heads than queries. */
enum ox_code infer_GemmaRotaryEmbedding(struct node *n)
{
        struct size batch = {0}, length = {0}, size = {0}, heads[2] = {{0}};

        TRY(IN_SIZED(n, 0, &batch, &length, &size));
        for (int i = 1; i < 5; i++)
                TRY(IN_SIZED(n, i, &batch, &heads[(i - 1) / 2], &length, &size));
        TRY(OUT_SIZED(n, 0, &batch, &heads[0], &length, &size));
        return OUT_SIZED(n, 1, &batch, &heads[1], &length, &size);
}

/* RelativePositionBias 1: bias_table (num_buckets, num_heads), output (1, num_heads, query_length, key_length). */
enum ox_code infer_RelativePositionBias(struct node *n)
{
        struct size one = size_int(1), heads = {0}, query, key;

        TRY(IN_SIZED(n, 0, NULL, &heads));
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(in_size(n, 1, &query));
        TRY(in_size(n, 2, &key));
        return OUT_SIZED(n, 0, &one, &heads, &query, &key);
}

/* GatedRelativePositionBias 1: query_layer (batch_size, seq_len, num_heads * head_size), or (token_count, num_heads *
   head_size) with token_offset (batch_size, seq_len); rel_pos (1, num_heads, seq_len, seq_len); weight (head_size, D),
   bias (D); output (batch_size, num_heads, seq_len, seq_len). */
enum ox_code infer_GatedRelativePositionBias(struct node *n)
{
        enum { OFFSET = 6 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        struct size one = size_int(1), heads = size_int(num_heads), D = {0}, batch = {0}, length = {0}, hidden = {0},
                    size;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank_most(n, 0, 3));
        if (in_rank(n, 0) == 3)
                TRY(IN_SIZED(n, 0, &batch, &length, &hidden));
        else
                TRY(IN_SIZED(n, 0, NULL, &hidden));
        TRY(IN_SIZED(n, 1, &hidden));
        TRY(size_part(n, hidden, num_heads, 0, &size));
        TRY(IN_SIZED(n, 2, &one, &heads, &length, &length));
        TRY(IN_SIZED(n, 3, &size, &D));
        TRY(IN_SIZED(n, 4, &D));
        TRY(IN_SIZED(n, 5, &one, &heads, &one, &one));
        TRY(IN_SIZED(n, OFFSET, &batch, &length));
        return OUT_SIZED(n, 0, &batch, &heads, &length, &length);
}
