/* Attentions that project their input by merged weights, and operators that pack batches without padding. */
#include "ops/kit/attend.h"
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* -- merged weights -- */

enum { MERGED_INPUT, MERGED_WEIGHTS, MERGED_BIAS };

/* Weights (input_hidden_size, hidden_size + hidden_size + v_hidden_size) and their bias; the three sizes are equal
   unless qkv_hidden_sizes gives them. */
static enum ox_code read_merged(struct node *n, struct size *input, struct size *hidden, struct size *v_hidden)
{
        const int64_t *sizes;
        size_t count;
        struct size all = {0}, sum;

        TRY(IN_SIZED(n, MERGED_WEIGHTS, input, &all));
        TRY(IN_SIZED(n, MERGED_BIAS, &all));
        if (!op_find_attr(n->row, "qkv_hidden_sizes") || !attr_ints(n, "qkv_hidden_sizes", &sizes, &count)) {
                TRY(size_part(n, all, 3, MERGED_WEIGHTS, hidden));
                *v_hidden = *hidden;
                return OX_OK;
        }
        if (sizes[0] != sizes[1])
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "qkv_hidden_sizes must be of equal sizes for Q and K, got %lld and %lld",
                                  (long long)sizes[0], (long long)sizes[1]);
        *hidden = size_int(sizes[0]);
        *v_hidden = size_int(sizes[2]);
        sum = size_add(n, size_times(n, 2, *hidden), *v_hidden);
        return size_is(n, &all, sum, MERGED_WEIGHTS);
}

/* The positions of the other inputs of an operator with merged weights; -1: none. */
struct merged {
        int mask, past, attention_bias;
};

/* Input (batch_size, sequence_length, input_hidden_size), output (batch_size, sequence_length, v_hidden_size); past and
   present (2, batch_size, num_heads, length, head_size), where the present length is that of a shared buffer, or else
   the sum of past and new lengths. Q, K and V have one hidden size where there is a past. */
static enum ox_code merged_attention(struct node *n, struct size length, const struct merged *at)
{
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        bool shared = attr_int_or(n, "past_present_share_buffer", 0) != 0, cached = in_given(n, at->past);
        struct size two = size_int(2), heads = size_int(num_heads), batch = {0}, input = {0}, hidden, v_hidden, size,
                    v_size, past = {0}, sum = {0}, state = {0}, *total = cached || shared ? &sum : &length;

        TRY(IN_SIZED(n, MERGED_INPUT, &batch, &length, &input));
        TRY(read_merged(n, &input, &hidden, &v_hidden));
        TRY(size_part(n, hidden, num_heads, MERGED_WEIGHTS, &size));
        TRY(size_part(n, v_hidden, num_heads, MERGED_WEIGHTS, &v_size));
        if (cached)
                TRY(size_is(n, &size, v_size, at->past));
        if (cached || (size.known && v_size.known && dim_same(size.dim, v_size.dim)))
                state = size;
        TRY(IN_SIZED(n, at->past, &two, &batch, &heads, &past, &state));
        if (cached && !shared)
                sum = size_add(n, past, length);
        TRY(agree_mask(n, at->mask, 4, &batch, &length, total));
        if (at->attention_bias >= 0)
                TRY(agree_attention_bias(n, at->attention_bias, &batch, &heads, &length, total));
        TRY(OUT_SIZED(n, 0, &batch, &length, &v_hidden));
        return OUT_SIZED(n, 1, &two, &batch, &heads, shared ? &past : total, &state);
}

/* Attention 1 of com.microsoft. */
enum ox_code infer_com_microsoft_Attention(struct node *n)
{
        return merged_attention(n, (struct size){0}, &(struct merged){.mask = 3, .past = 4, .attention_bias = 5});
}

/* DecoderMaskedSelfAttention 1: for one token. */
enum ox_code infer_DecoderMaskedSelfAttention(struct node *n)
{
        return merged_attention(n, size_int(1), &(struct merged){.mask = 3, .past = 4, .attention_bias = 5});
}

/* QAttention 1: scales and zero points do not affect shapes. */
enum ox_code infer_QAttention(struct node *n)
{
        TRY(in_expect_scalar(n, 3));
        TRY(in_expect_rank_most(n, 4, 1));
        return merged_attention(n, (struct size){0}, &(struct merged){.mask = 5, .past = 8, .attention_bias = -1});
}

/* LongformerAttention 1: input (batch_size, sequence_length, hidden_size), weights (hidden_size, 3 * hidden_size),
   biases (3 * hidden_size), mask and global (batch_size, sequence_length). */
enum ox_code infer_LongformerAttention(struct node *n)
{
        enum { MASK = 3, GLOBAL_WEIGHT, GLOBAL_BIAS, GLOBAL };
        struct size batch = {0}, length = {0}, hidden = {0}, all = {0}, part, size;

        TRY(IN_SIZED(n, MERGED_INPUT, &batch, &length, &hidden));
        TRY(IN_SIZED(n, MERGED_WEIGHTS, &hidden, &all));
        TRY(IN_SIZED(n, GLOBAL_WEIGHT, &hidden, &all));
        TRY(IN_SIZED(n, MERGED_BIAS, &all));
        TRY(IN_SIZED(n, GLOBAL_BIAS, &all));
        TRY(IN_SIZED(n, MASK, &batch, &length));
        TRY(IN_SIZED(n, GLOBAL, &batch, &length));
        TRY(size_part(n, all, 3, MERGED_WEIGHTS, &part));
        TRY(size_is(n, &hidden, part, MERGED_WEIGHTS));
        TRY(size_part(n, hidden, attr_int_or(n, "num_heads", 1), MERGED_INPUT, &size));
        return OUT_SIZED(n, 0, &batch, &length, &hidden);
}

/* DecoderAttention 1: query (sequence_length, batch_size, hidden_size), key (total_sequence_length, batch_size,
   hidden_size). Caches are (batch_size, num_heads, length, head_size); the new length depends on inputs of one element,
   in ways that the text does not define. */
enum ox_code infer_DecoderAttention(struct node *n)
{
        enum { QUERY, KEY, Q_WEIGHT, KV_WEIGHT, BIAS, PADDING_MASK, KEY_CACHE, VALUE_CACHE, FLAGS, END = 12 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        struct size heads = size_int(num_heads), length = {0}, total = {0}, batch = {0}, hidden = {0}, size, pair, all,
                    fresh = {0};

        TRY(IN_SIZED(n, QUERY, &length, &batch, &hidden));
        TRY(IN_SIZED(n, KEY, &total, &batch, &hidden));
        TRY(IN_SIZED(n, Q_WEIGHT, &hidden, &hidden));
        pair = size_times(n, 2, hidden);
        TRY(IN_SIZED(n, KV_WEIGHT, &hidden, &pair));
        all = size_times(n, 3, hidden);
        TRY(IN_SIZED(n, BIAS, &all));
        TRY(IN_SIZED(n, PADDING_MASK, &batch, &total));
        TRY(size_part(n, hidden, num_heads, QUERY, &size));
        TRY(IN_SIZED(n, KEY_CACHE, &batch, &heads, NULL, &size));
        TRY(IN_SIZED(n, VALUE_CACHE, &batch, &heads, NULL, &size));
        for (int i = FLAGS; i < END; i++)
                TRY(in_expect_scalar(n, i));
        TRY(OUT_SIZED(n, 0, &length, &batch, &hidden));
        TRY(OUT_SIZED(n, 1, &batch, &heads, &fresh, &size));
        return OUT_SIZED(n, 2, &batch, &heads, &fresh, &size);
}

/* -- batches without padding -- */

/* Offsets (batch_size, sequence_length) of the tokens, and cumulated lengths (batch_size + 1). */
static enum ox_code agree_offsets(struct node *n, int offset, struct size *batch, struct size *length)
{
        struct size more;

        TRY(IN_SIZED(n, offset, batch, length));
        more = size_add(n, *batch, size_int(1));
        return IN_SIZED(n, offset + 1, &more);
}

/* PackedAttention 1: input (token_count, input_hidden_size), output (token_count, v_hidden_size). */
enum ox_code infer_PackedAttention(struct node *n)
{
        enum { TOKEN_OFFSET = 3, ATTENTION_BIAS = 5 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        struct size tokens = {0}, input = {0}, hidden, v_hidden, size, batch = {0}, length = {0},
                    heads = size_int(num_heads);

        TRY(IN_SIZED(n, MERGED_INPUT, &tokens, &input));
        TRY(read_merged(n, &input, &hidden, &v_hidden));
        TRY(size_part(n, hidden, num_heads, MERGED_WEIGHTS, &size));
        TRY(agree_offsets(n, TOKEN_OFFSET, &batch, &length));
        TRY(agree_attention_bias(n, ATTENTION_BIAS, &batch, &heads, &length, &length));
        return OUT_SIZED(n, 0, &tokens, &v_hidden);
}

/* PackedMultiHeadAttention 1: query (token_count, hidden_size), value (token_count, v_hidden_size); or query, key and
   value in one, (token_count, num_heads, 3, head_size). */
enum ox_code infer_PackedMultiHeadAttention(struct node *n)
{
        enum { QUERY, KEY, VALUE, BIAS, TOKEN_OFFSET, ATTENTION_BIAS = 6 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        bool packed = !in_given(n, KEY);
        struct size tokens = {0}, hidden = {0}, v_hidden = {0}, size = {0}, batch = {0}, length = {0},
                    heads = size_int(num_heads), three = size_int(3), all;

        if (packed == in_given(n, VALUE))
                return node_error(n, REASON_MISSING_INPUT, packed ? KEY : VALUE,
                                  "key and value must be given together");
        if (packed) {
                TRY(IN_SIZED(n, QUERY, &tokens, &heads, &three, &size));
                hidden = v_hidden = size_times(n, num_heads, size);
        } else {
                TRY(IN_SIZED(n, QUERY, &tokens, &hidden));
                TRY(IN_SIZED(n, KEY, &tokens, &hidden));
                TRY(IN_SIZED(n, VALUE, &tokens, &v_hidden));
                TRY(size_part(n, hidden, num_heads, QUERY, &size));
        }
        all = size_add(n, size_times(n, 2, hidden), v_hidden);
        TRY(IN_SIZED(n, BIAS, &all));
        TRY(agree_offsets(n, TOKEN_OFFSET, &batch, &length));
        TRY(agree_attention_bias(n, ATTENTION_BIAS, &batch, &heads, &length, &length));
        return OUT_SIZED(n, 0, &tokens, &v_hidden);
}

/* RemovePadding 1: input (batch_size, sequence_length, hidden_size); the number of tokens depends on data. */
enum ox_code infer_RemovePadding(struct node *n)
{
        struct size batch = {0}, length = {0}, hidden = {0}, one = size_int(1), more;

        TRY(IN_SIZED(n, 0, &batch, &length, &hidden));
        TRY(IN_SIZED(n, 1, &batch));
        TRY(OUT_SIZED(n, 0, NULL, &hidden));
        TRY(OUT_SIZED(n, 1, &batch, &length));
        more = size_add(n, batch, size_int(1));
        TRY(OUT_SIZED(n, 2, &more));
        return OUT_SIZED(n, 3, &one);
}

/* RestorePadding 1: input (total_tokens, hidden_size), token_offset (batch_size, sequence_length). */
enum ox_code infer_RestorePadding(struct node *n)
{
        struct size batch = {0}, length = {0}, hidden = {0};

        TRY(IN_SIZED(n, 0, NULL, &hidden));
        TRY(IN_SIZED(n, 1, &batch, &length));
        return OUT_SIZED(n, 0, &batch, &length, &hidden);
}
