/* Attentions whose queries, keys and values are projected already, with caches of past keys and values. */
#include "ops/kit/attend.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* -- keys and values with as many heads as queries -- */

enum { QUERY, KEY, VALUE };

/* The named sizes of the inputs. `total` is the length of the keys, including past ones. */
struct heads {
        int64_t num_heads;
        struct size batch, length, kv_length, heads, hidden, v_hidden, head, v_head, past, total;
};

/* The query alone: (batch_size, sequence_length, hidden_size). */
static enum ox_code read_query(struct node *n, struct heads *h)
{
        TRY(IN_SIZED(n, QUERY, &h->batch, &h->length, &h->hidden));
        return size_part(n, h->hidden, h->num_heads, QUERY, &h->head);
}

/* Key and value (batch_size, kv_sequence_length, hidden_size or v_hidden_size), or both (batch_size, num_heads,
   kv_sequence_length, head_size): the one of known rank determines which. A key of unknown rank may hold both. */
static enum ox_code read_key_value(struct node *n, struct heads *h)
{
        int rank = in_has_rank(n, KEY) ? in_rank(n, KEY) : in_rank(n, VALUE);

        if (!in_given(n, VALUE) && in_has_rank(n, KEY))
                return node_error(n, REASON_MISSING_INPUT, VALUE, "value is required beside a key of rank %d",
                                  in_rank(n, KEY));
        if (rank == RANK_UNKNOWN || !in_given(n, VALUE))
                return OX_OK;
        if (rank == 4) {
                TRY(IN_SIZED(n, KEY, &h->batch, &h->heads, &h->kv_length, &h->head));
                TRY(IN_SIZED(n, VALUE, &h->batch, &h->heads, &h->kv_length, &h->v_head));
                h->v_hidden = size_times(n, h->num_heads, h->v_head);
                return OX_OK;
        }
        TRY(IN_SIZED(n, KEY, &h->batch, &h->kv_length, &h->hidden));
        TRY(IN_SIZED(n, VALUE, &h->batch, &h->kv_length, &h->v_hidden));
        TRY(size_part(n, h->hidden, h->num_heads, KEY, &h->head));
        return size_part(n, h->v_hidden, h->num_heads, VALUE, &h->v_head);
}

/* Past keys and values, inputs `first` and the next one, (batch_size, num_heads, length, head_size). */
static enum ox_code read_past(struct node *n, int first, struct heads *h)
{
        TRY(IN_SIZED(n, first, &h->batch, &h->heads, &h->past, &h->head));
        return IN_SIZED(n, first + 1, &h->batch, &h->heads, &h->past, &h->v_head);
}

/* The bias of the projections, (hidden_size + hidden_size + v_hidden_size). */
static enum ox_code agree_projection_bias(struct node *n, int i, const struct heads *h)
{
        struct size all = size_add(n, size_times(n, 2, h->hidden), h->v_hidden);

        return IN_SIZED(n, i, &all);
}

/* The output, and present keys and values of the length `present`, which is `past` or `total`. */
static enum ox_code out_heads(struct node *n, struct heads *h, struct size *present)
{
        if (!h->v_hidden.known)
                h->v_hidden = size_times(n, h->num_heads, h->v_head);
        TRY(OUT_SIZED(n, 0, &h->batch, &h->length, &h->v_hidden));
        TRY(OUT_SIZED(n, 1, &h->batch, &h->heads, present, &h->head));
        TRY(OUT_SIZED(n, 2, &h->batch, &h->heads, present, &h->v_head));
        return OUT_SIZED(n, 3, &h->batch, &h->heads, &h->length, &h->total);
}

/* MultiHeadAttention 1: query, key and value each, or all three in the query, (batch_size, sequence_length, num_heads,
   3, head_size), or two in the key, (batch_size, kv_sequence_length, num_heads, 2, head_size). */
static enum ox_code read_multi_head(struct node *n, struct heads *h)
{
        struct size parts = size_int(in_rank(n, QUERY) == 5 ? 3 : 2);

        if (in_rank(n, QUERY) == 5 || in_rank(n, KEY) == 5)
                for (int i = in_rank(n, QUERY) == 5 ? KEY : VALUE; i <= VALUE; i++)
                        if (in_given(n, i))
                                return node_error(n, REASON_INPUT_CONFLICT, i, "%s is packed in another input already",
                                                  i == KEY ? "key" : "value");
        if (in_rank(n, QUERY) == 5) {
                TRY(IN_SIZED(n, QUERY, &h->batch, &h->length, &h->heads, &parts, &h->head));
                h->kv_length = h->length;
        } else {
                TRY(read_query(n, h));
                if (in_rank(n, KEY) != 5 && in_given(n, KEY))
                        return read_key_value(n, h);
                if (!in_given(n, KEY) && in_has_rank(n, QUERY))
                        return node_error(n, REASON_MISSING_INPUT, KEY, "key is required unless the query is packed");
                TRY(IN_SIZED(n, KEY, &h->batch, &h->kv_length, &h->heads, &parts, &h->head));
        }
        h->v_head = h->head;
        h->hidden = h->v_hidden = size_times(n, h->num_heads, h->head);
        return OX_OK;
}

/* MultiHeadAttention 1: present keys and values are the past ones and the new ones, or a buffer that both share where
   past_sequence_length is given. The text does not define a past together with keys of rank 4. */
enum ox_code infer_MultiHeadAttention(struct node *n)
{
        enum { BIAS = 3, PADDING_MASK, ATTENTION_BIAS, PAST, PAST_LENGTH = 8 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        struct heads h = {.num_heads = num_heads, .heads = size_int(num_heads)};
        bool shared = in_given(n, PAST_LENGTH);

        TRY(read_multi_head(n, &h));
        TRY(read_past(n, PAST, &h));
        TRY(agree_projection_bias(n, BIAS, &h));
        if (!in_given(n, PAST))
                h.total = h.kv_length;
        else if (!shared && in_rank(n, KEY) != 4)
                h.total = size_add(n, h.past, h.kv_length);
        if (in_rank(n, PADDING_MASK) == 3) /* with rank 2 it may have the length of only the new keys */
                TRY(agree_mask(n, PADDING_MASK, 3, &h.batch, &h.length, &h.total));
        TRY(in_expect_rank_most(n, PADDING_MASK, 3));
        TRY(agree_attention_bias(n, ATTENTION_BIAS, &h.batch, &h.heads, &h.length, &h.total));
        return out_heads(n, &h, shared && in_given(n, PAST) ? &h.past : &h.total);
}

/* DecoderMaskedMultiHeadAttention 1: one token. The query may hold all three, (batch_size, 1, 2 * hidden_size +
   v_hidden_size); keys of rank 4 belong to a memory, to which nothing is added, and the text does not define the
   present ones then. */
enum ox_code infer_DecoderMaskedMultiHeadAttention(struct node *n)
{
        enum { MASK = 3, ATTENTION_BIAS, PAST, BIAS = 10 };
        int64_t num_heads = attr_int_or(n, "num_heads", 1);
        struct heads h = {.num_heads = num_heads, .heads = size_int(num_heads), .length = size_int(1)};
        bool shared = attr_int_or(n, "past_present_share_buffer", 0) != 0;
        struct size present = {0}, all = {0};

        if (in_given(n, KEY)) {
                TRY(read_query(n, &h));
                TRY(read_key_value(n, &h));
                TRY(read_past(n, PAST, &h));
        } else {
                TRY(IN_SIZED(n, QUERY, &h.batch, &h.length, &all));
                TRY(read_past(n, PAST, &h));
                h.hidden = size_times(n, num_heads, h.head);
                h.v_hidden = size_times(n, num_heads, h.v_head);
                TRY(size_is(n, &all, size_add(n, size_times(n, 2, h.hidden), h.v_hidden), QUERY));
        }
        TRY(agree_projection_bias(n, BIAS, &h));
        if (in_rank(n, KEY) == 4)
                h.total = h.kv_length;
        else if (in_has_rank(n, KEY) || !in_given(n, KEY)) {
                if (!shared)
                        h.total = size_add(n, h.past, size_int(1));
                present = shared ? h.past : h.total;
        }
        TRY(IN_SIZED(n, MASK, &h.batch, &h.total));
        TRY(agree_attention_bias(n, ATTENTION_BIAS, &h.batch, &h.heads, &h.length, &h.total));
        return out_heads(n, &h, &present);
}

/* -- keys and values with fewer heads than queries -- */

/* The last axes of query, key and value in terms of the heads: num_heads * head_size and kv_num_heads * head_size, or
   without a key (num_heads + 2 * kv_num_heads) * head_size in the query. */
struct groups {
        int64_t q_heads, kv_heads;
        struct size hidden, kv_hidden, head;
};

static struct groups read_groups(const struct node *n)
{
        return (struct groups){.q_heads = attr_int_or(n, "num_heads", 1),
                               .kv_heads = attr_int_or(n, "kv_num_heads", 1)};
}

/* The heads of a query whose last axis is `query`, with keys in an input of their own or in the query. */
static enum ox_code split_query(struct node *n, struct groups *g, struct size query)
{
        if (in_given(n, KEY)) {
                g->hidden = query;
                return size_part(n, query, g->q_heads, QUERY, &g->head);
        }
        return size_part(n, query, g->q_heads + 2 * g->kv_heads, QUERY, &g->head);
}

/* The head size from the keys, if the query did not determine it; and the last axis of the keys by the head size. */
static enum ox_code split_keys(struct node *n, struct groups *g)
{
        if (!g->head.known)
                TRY(size_part(n, g->kv_hidden, g->kv_heads, KEY, &g->head));
        return size_is(n, &g->kv_hidden, size_times(n, g->kv_heads, g->head), KEY);
}

/* The last axis of the output, after all inputs that determine the head size. */
static struct size hidden_size(struct node *n, const struct groups *g)
{
        return g->hidden.known ? g->hidden : size_times(n, g->q_heads, g->head);
}

static enum ox_code expect_key_with_value(struct node *n)
{
        if (in_given(n, KEY) == in_given(n, VALUE))
                return OX_OK;
        return node_error(n, REASON_MISSING_INPUT, in_given(n, KEY) ? VALUE : KEY,
                          "key and value must be given together");
}

/* Query (batch_size, sequence_length, ...), key and value (batch_size, `kv_length`, ...). */
static enum ox_code read_grouped(struct node *n, struct groups *g, struct size *batch, struct size *length,
                                 struct size *kv_length)
{
        struct size query = {0};

        *g = read_groups(n);
        TRY(expect_key_with_value(n));
        TRY(IN_SIZED(n, QUERY, batch, length, &query));
        TRY(split_query(n, g, query));
        TRY(IN_SIZED(n, KEY, batch, kv_length, &g->kv_hidden));
        TRY(IN_SIZED(n, VALUE, batch, kv_length, &g->kv_hidden));
        return split_keys(n, g);
}

/* The last axis of a cache: the head size, unless the cache is quantized and possibly packed, when only a past
   determines it. */
static struct size *cache_size(struct node *n, const char *quantized, struct groups *g, struct size *own)
{
        return attr_is(n, quantized, "NONE") ? &g->head : own;
}

/* How long present keys are beside a past: as long as it in a window; else runtimes take a past as long as
   total_sequence_length, or longer, for a buffer that present and past share, and a shorter one grows to that. So it is
   the greater of the two, and open where the total is. */
static struct size grown_length(struct node *n, struct size past, struct size total)
{
        if (attr_int_or(n, "sliding_window_cache", 0) == 1)
                return past;
        if (!past.known || !total.known)
                return (struct size){0};
        return (struct size){.known = true, .dim = greater_dim(n, past.dim, total.dim)};
}

/* GroupQueryAttention 1: query (batch_size, sequence_length, hidden_size), key and value (batch_size,
   kv_sequence_length, kv_hidden_size), or all of them in the query. The text gives output_qk no shape; runtimes give it
   (batch_size, num_heads, sequence_length, total_sequence_length), and take seqlens_k with a second axis of 1. */
enum ox_code infer_GroupQueryAttention(struct node *n)
{
        enum { PAST_KEY = 3, PAST_VALUE, SEQLENS, TOTAL, POSITION_IDS = 9, ATTENTION_BIAS, HEAD_SINK };
        struct groups g;
        struct size batch = {0}, length = {0}, kv_length = {0}, past = {0}, total, grown, own_key = {0},
                    own_value = {0};
        struct size *fresh = in_given(n, KEY) ? &kv_length : &length, *present = in_given(n, PAST_KEY) ? &grown : fresh;

        TRY(read_grouped(n, &g, &batch, &length, fresh));
        struct size heads = size_int(g.q_heads), kv_heads = size_int(g.kv_heads),
                    *key = cache_size(n, "k_quant_type", &g, &own_key),
                    *value = cache_size(n, "v_quant_type", &g, &own_value);

        TRY(IN_SIZED(n, PAST_KEY, &batch, &kv_heads, &past, key));
        TRY(IN_SIZED(n, PAST_VALUE, &batch, &kv_heads, &past, value));
        TRY(in_expect_rank_most(n, SEQLENS, 2));
        if (in_rank(n, SEQLENS) > 0)
                TRY(size_at(n, &batch, SEQLENS, 0));
        TRY(in_expect_scalar(n, TOTAL));
        TRY(in_size(n, TOTAL, &total));
        TRY(IN_SIZED(n, POSITION_IDS, &batch, &length));
        TRY(agree_attention_bias(n, ATTENTION_BIAS, &batch, &heads, &length, &total));
        TRY(IN_SIZED(n, HEAD_SINK, &heads));
        grown = grown_length(n, past, total);
        g.hidden = hidden_size(n, &g);
        if (!in_given(n, PAST_KEY) && key == &g.head)
                TRY(out_elem(n, 1, in_elem(n, QUERY)));
        if (!in_given(n, PAST_VALUE) && value == &g.head)
                TRY(out_elem(n, 2, in_elem(n, QUERY)));
        TRY(OUT_SIZED(n, 0, &batch, &length, &g.hidden));
        TRY(OUT_SIZED(n, 1, &batch, &kv_heads, present, key));
        TRY(OUT_SIZED(n, 2, &batch, &kv_heads, present, value));
        return OUT_SIZED(n, 3, &batch, &heads, &length, &total);
}

/* SparseAttention 1: query (batch_size, sequence_length, num_heads * head_size), key and value of its length, or all of
   them in the query; caches (batch_size, kv_num_heads, max_cache_sequence_length, head_size), which keep their shape.
 */
enum ox_code infer_SparseAttention(struct node *n)
{
        enum { PAST_KEY = 3, PAST_VALUE, ROWS, COLUMNS, TOTAL, TOTALS };
        struct groups g;
        struct size batch = {0}, length = {0}, capacity = {0}, layouts = {0}, kv_heads;

        TRY(read_grouped(n, &g, &batch, &length, &length));
        kv_heads = size_int(g.kv_heads);
        for (int i = PAST_KEY; i <= PAST_VALUE; i++)
                TRY(IN_SIZED(n, i, &batch, &kv_heads, &capacity, &g.head));
        g.hidden = hidden_size(n, &g);
        TRY(IN_SIZED(n, ROWS, &layouts, NULL));
        TRY(IN_SIZED(n, COLUMNS, &layouts, NULL));
        TRY(in_expect_scalar(n, TOTAL));
        TRY(IN_SIZED(n, TOTALS, &batch));
        TRY(OUT_SIZED(n, 0, &batch, &length, &g.hidden));
        TRY(OUT_SIZED(n, 1, &batch, &kv_heads, &capacity, &g.head));
        return OUT_SIZED(n, 2, &batch, &kv_heads, &capacity, &g.head);
}

enum { PAGED_KEY_CACHE = 3, PAGED_VALUE_CACHE, PAGED_CUMULATED, PAGED_PAST, PAGED_BLOCKS, PAGED_SLOTS = 10 };

/* With the layout LATENT there is one cache, which holds the values too; else there are two of one shape. */
static enum ox_code check_paged_layout(struct node *n)
{
        bool latent = attr_is(n, "kv_cache_layout", "LATENT");

        for (int i = VALUE; latent && i <= PAGED_VALUE_CACHE; i += PAGED_VALUE_CACHE - VALUE)
                if (in_given(n, i))
                        return node_error(n, REASON_INPUT_CONFLICT, i, "kv_cache_layout 'LATENT' excludes input %d", i);
        if (latent)
                return OX_OK;
        if (!in_given(n, PAGED_VALUE_CACHE))
                return node_error(n, REASON_MISSING_INPUT, PAGED_VALUE_CACHE,
                                  "value_cache is required unless kv_cache_layout is 'LATENT'");
        return expect_key_with_value(n);
}

/* PagedAttention 1: query (num_tokens, hidden_size), key and value (num_tokens, kv_hidden_size), or all of them in the
   query; output (num_tokens, num_heads * v_head_size). The caches keep their shape, (num_blocks, block_size,
   kv_num_heads, ...), whose last axis depends on how they are quantized. */
enum ox_code infer_PagedAttention(struct node *n)
{
        struct groups g = read_groups(n);
        struct size tokens = {0}, query = {0}, kv_heads, block = {0}, blocks = {0}, last = {0}, batch = {0}, more,
                    narrow = size_int(attr_int_or(n, "v_head_size", 0));

        TRY(check_paged_layout(n));
        TRY(IN_SIZED(n, QUERY, &tokens, &query));
        TRY(split_query(n, &g, query));
        TRY(IN_SIZED(n, KEY, &tokens, &g.kv_hidden));
        TRY(IN_SIZED(n, VALUE, &tokens, &g.kv_hidden));
        TRY(split_keys(n, &g));
        kv_heads = size_int(g.kv_heads);
        for (int i = PAGED_KEY_CACHE; i <= PAGED_VALUE_CACHE; i++)
                TRY(IN_SIZED(n, i, &blocks, &block, &kv_heads, &last));
        TRY(IN_SIZED(n, PAGED_PAST, &batch));
        TRY(IN_SIZED(n, PAGED_BLOCKS, &batch, NULL));
        more = size_add(n, batch, size_int(1));
        TRY(IN_SIZED(n, PAGED_CUMULATED, &more));
        TRY(IN_SIZED(n, PAGED_SLOTS, &tokens));
        g.hidden = narrow.dim.val > 0 ? size_times(n, g.q_heads, narrow) : hidden_size(n, &g);
        TRY(OUT_SIZED(n, 0, &tokens, &g.hidden));
        TRY(OUT_SIZED(n, 1, &blocks, &block, &kv_heads, &last));
        return OUT_SIZED(n, 2, &blocks, &block, &kv_heads, &last);
}
