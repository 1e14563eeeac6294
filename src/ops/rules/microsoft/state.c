/* Operators of com.microsoft that carry a state from call to call, and gates that stand beside them. */
#include "ops/kit/broadcast.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* The state in input `i`, if it is given, and in output `o`: these sizes, after an axis of `window` states if `window`
   > 0. */
static enum ox_code carry_state(struct node *n, int i, int o, int64_t window, int rank, struct size *const *sizes)
{
        struct size states = size_int(window), **all;
        int lead = window > 0 ? 1 : 0;

        all = (struct size **)arena_array(n->arena, (size_t)lead + (size_t)rank, sizeof(struct size *));
        all[0] = &states;
        for (int d = 0; d < rank; d++)
                all[lead + d] = sizes[d];
        TRY(in_sized(n, i, lead + rank, all));
        return out_sized(n, o, lead + rank, all);
}
#define CARRY_STATE(n, i, o, window, ...)                                                                              \
        carry_state((n), (i), (o), (window), (int)(sizeof((struct size *[]){__VA_ARGS__}) / sizeof(struct size *)),    \
                    (struct size *const[]){__VA_ARGS__})

/* -- convolutions: they use (k - 1) * dilation earlier positions -- */

static struct size look_back(struct node *n, struct size kernel)
{
        return size_times(n, attr_int_or(n, "dilation", 1), size_add(n, kernel, size_int(-1)));
}

enum { CONV_INPUT, CONV_WEIGHT, CONV_BIAS, CONV_PAST };

/* With channels_last the input is (batch_size, sequence_length, d_1, ..., d_n), and the state has its positions in
   place of the sequence. */
static enum ox_code conv_channels_last(struct node *n, struct size state)
{
        int rank = in_rank(n, CONV_INPUT);

        TRY(in_expect_tensor(n, CONV_INPUT));
        TRY(in_expect_rank_least(n, CONV_INPUT, 3));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        struct size *shape = arena_new_array(n->arena, struct size, (size_t)rank), **sizes;

        sizes = (struct size **)arena_array(n->arena, (size_t)rank, sizeof(struct size *));
        for (int d = 0; d < rank; d++) {
                shape[d] = (struct size){.known = true, .dim = in_dim(n, CONV_INPUT, d)};
                sizes[d] = d == 1 ? &state : &shape[d];
        }
        TRY(carry_state(n, CONV_PAST, 1, attr_int_or(n, "state_window", 0), rank, sizes));
        sizes[1] = &shape[1];
        return out_sized(n, 0, rank, sizes);
}

/* The text gives the shape of the state only for one spatial axis. */
static enum ox_code conv_of_more_axes(struct node *n, int axes)
{
        struct size channels = {0};
        int rank = 2 + axes;

        TRY(in_expect_tensor(n, CONV_INPUT));
        TRY(in_expect_rank(n, CONV_INPUT, rank));
        TRY(in_expect_rank(n, CONV_WEIGHT, rank));
        TRY(size_at(n, &channels, CONV_INPUT, 1));
        TRY(size_at(n, &channels, CONV_WEIGHT, 0));
        TRY(IN_SIZED(n, CONV_BIAS, &channels));
        if (!in_has_rank(n, CONV_INPUT))
                return out_rank(n, 0, out_row_elem(n, 0), rank);
        struct dim *dims = in_dims(n, CONV_INPUT);

        dims[1] = channels.dim;
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* CausalConvWithState 1 of com.microsoft: input (batch_size, channels, ...), weight (channels, 1, k_1, ...), output as
 * the input. */
enum ox_code infer_com_microsoft_CausalConvWithState(struct node *n)
{
        int64_t axes = attr_int_or(n, "ndim", 1);
        struct size batch = {0}, channels = {0}, length = {0}, one = size_int(1), kernel = {0}, state;
        bool last = attr_int_or(n, "channels_last", 0) != 0;

        if (last && axes != 1)
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1, "channels_last=1 needs ndim=1, got %lld",
                                  (long long)axes);
        if (axes != 1)
                return conv_of_more_axes(n, (int)axes);
        TRY(IN_SIZED(n, CONV_WEIGHT, &channels, &one, &kernel));
        TRY(IN_SIZED(n, CONV_BIAS, &channels));
        state = look_back(n, kernel);
        if (last)
                return conv_channels_last(n, state);
        TRY(IN_SIZED(n, CONV_INPUT, &batch, &channels, &length));
        TRY(CARRY_STATE(n, CONV_PAST, 1, attr_int_or(n, "state_window", 0), &batch, &channels, &state));
        return OUT_SIZED(n, 0, &batch, &channels, &length);
}

/* VarlenCausalConvWithState 1: input and output (total_tokens, channels), bounds (batch_size + 1), states (batch_size,
   channels, (kernel_size - 1) * dilation), state_update (batch_size, state_update_capacity, channels). */
enum ox_code infer_VarlenCausalConvWithState(struct node *n)
{
        enum { INPUT, WEIGHT, BOUNDS, BIAS, INITIAL, COUNT };
        struct size tokens = {0}, channels = {0}, one = size_int(1), kernel = {0}, bounds = {0}, batch, state,
                    capacity = size_int(attr_int_or(n, "state_update_capacity", 0));

        TRY(IN_SIZED(n, INPUT, &tokens, &channels));
        TRY(IN_SIZED(n, WEIGHT, &channels, &one, &kernel));
        TRY(IN_SIZED(n, BIAS, &channels));
        TRY(IN_SIZED(n, BOUNDS, &bounds));
        batch = size_add(n, bounds, size_int(-1));
        TRY(IN_SIZED(n, COUNT, &batch));
        state = look_back(n, kernel);
        TRY(CARRY_STATE(n, INITIAL, 1, 0, &batch, &channels, &state));
        TRY(OUT_SIZED(n, 0, &tokens, &channels));
        return OUT_SIZED(n, 2, &batch, &capacity, &channels);
}

/* -- linear attention -- */

/* LinearAttention 1 of com.microsoft: query (B, T, H_q * d_k), key (B, T, H_kv * d_k), value (B, T, H_kv * d_v), output
   (B, T, max(H_q, H_kv) * d_v), states (B, H_kv, d_k, d_v). The decay is (B, T, H_kv * d_k) or (B, T, H_kv), beta (B,
   T, H_kv) or (B, T, 1). */
enum ox_code infer_com_microsoft_LinearAttention(struct node *n)
{
        enum { QUERY, KEY, VALUE, PAST, DECAY, BETA };
        int64_t q_heads = attr_int_or(n, "q_num_heads", 1), kv_heads = attr_int_or(n, "kv_num_heads", 1);
        struct size B = {0}, T = {0}, H_kv = size_int(kv_heads), query = {0}, key = {0}, value = {0}, d_k, k, d_v, out;

        TRY(IN_SIZED(n, QUERY, &B, &T, &query));
        TRY(IN_SIZED(n, KEY, &B, &T, &key));
        TRY(IN_SIZED(n, VALUE, &B, &T, &value));
        TRY(IN_SIZED(n, DECAY, &B, &T, NULL));
        TRY(IN_SIZED(n, BETA, &B, &T, NULL));
        TRY(size_part(n, query, q_heads, QUERY, &d_k));
        TRY(size_part(n, key, kv_heads, KEY, &k));
        TRY(size_is(n, &d_k, k, KEY));
        TRY(size_part(n, value, kv_heads, VALUE, &d_v));
        TRY(CARRY_STATE(n, PAST, 1, attr_int_or(n, "state_window", 0), &B, &H_kv, &d_k, &d_v));
        out = size_times(n, q_heads > kv_heads ? q_heads : kv_heads, d_v);
        return OUT_SIZED(n, 0, &B, &T, &out);
}

/* LinearAttentionGate 1: a, b and what comes of them (B, T, H), the other inputs (H). */
enum ox_code infer_LinearAttentionGate(struct node *n)
{
        enum { A, BIAS, SCALE, RATE };
        struct size B = {0}, T = {0}, H = {0};

        if (out_wanted(n, 1) && !in_given(n, RATE))
                return node_error(n, REASON_MISSING_INPUT, RATE, "b must be given where beta is an output");
        TRY(IN_SIZED(n, A, &B, &T, &H));
        TRY(IN_SIZED(n, BIAS, &H));
        TRY(IN_SIZED(n, SCALE, &H));
        TRY(IN_SIZED(n, RATE, &B, &T, &H));
        TRY(OUT_SIZED(n, 0, &B, &T, &H));
        return OUT_SIZED(n, 1, &B, &T, &H);
}

enum { NET_QUERY, NET_KEY, NET_VALUE, NET_BOUNDS, NET_DECAY, NET_BETA, NET_STATE, NET_A, NET_BIAS, NET_COUNT };

/* Tokens are one axis, (total_tokens), or two, (batch_size, sequence_length). */
struct tokens {
        int axes;
        struct size first, second;
};

/* Input `i` is (tokens, heads, size); with `size` NULL, (tokens, heads). */
static enum ox_code in_tokens(struct node *n, int i, struct tokens *t, struct size *heads, struct size *size)
{
        if (t->axes == 1)
                return size ? IN_SIZED(n, i, &t->first, heads, size) : IN_SIZED(n, i, &t->first, heads);
        return size ? IN_SIZED(n, i, &t->first, &t->second, heads, size) : IN_SIZED(n, i, &t->first, &t->second, heads);
}

/* The text has one number of heads for queries and keys, H, and a multiple of it for everything else. */
static enum ox_code read_net(struct node *n, struct tokens *t, struct size *H, struct size *H_v, struct size *d_k,
                             struct size *d_v)
{
        TRY(in_tokens(n, NET_QUERY, t, H, d_k));
        TRY(in_tokens(n, NET_KEY, t, H, d_k));
        TRY(in_tokens(n, NET_VALUE, t, H_v, d_v));
        if (in_rank(n, NET_DECAY) == t->axes + 2)
                TRY(in_tokens(n, NET_DECAY, t, H_v, d_k));
        else
                TRY(in_tokens(n, NET_DECAY, t, H_v, NULL));
        TRY(in_tokens(n, NET_BETA, t, H_v, NULL));
        TRY(IN_SIZED(n, NET_A, H_v));
        return IN_SIZED(n, NET_BIAS, H_v);
}

/* GatedDeltaNet 1: query and key (tokens, H, d_k), value and output (tokens, H_v, d_v), states (batch_size, H_v, d_v,
   d_k), state_update (batch_size, C * (H_v + H * d_k + H_v * d_v)). */
enum ox_code infer_GatedDeltaNet(struct node *n)
{
        struct tokens t = {.axes = 1};
        struct size batch = {0}, bounds = {0}, H = {0}, H_v = {0}, d_k = {0}, d_v = {0}, update;

        for (int i = NET_QUERY; i <= NET_VALUE; i++)
                if (in_has_rank(n, i))
                        t.axes = in_rank(n, i) == 4 ? 2 : 1;
        TRY(read_net(n, &t, &H, &H_v, &d_k, &d_v));
        if (t.axes == 2)
                batch = t.first;
        TRY(IN_SIZED(n, NET_BOUNDS, &bounds));
        TRY(size_is(n, &batch, size_add(n, bounds, size_int(-1)), NET_BOUNDS));
        TRY(IN_SIZED(n, NET_COUNT, &batch));
        TRY(CARRY_STATE(n, NET_STATE, 1, 0, &batch, &H_v, &d_v, &d_k));
        update = size_add(n, size_add(n, H_v, size_product(n, H, d_k)), size_product(n, H_v, d_v));
        update = size_times(n, attr_int_or(n, "state_update_capacity", 0), update);
        TRY(OUT_SIZED(n, 2, &batch, &update));
        if (!in_has_rank(n, NET_QUERY) && !in_has_rank(n, NET_KEY) && !in_has_rank(n, NET_VALUE))
                return out_elem(n, 0, out_row_elem(n, 0));
        return t.axes == 1 ? OUT_SIZED(n, 0, &t.first, &H_v, &d_v) : OUT_SIZED(n, 0, &t.first, &t.second, &H_v, &d_v);
}

/* -- gates -- */

/* EngramGate 1: key, query and outputs (batch_size, sequence_length, hc_mult, hidden_size), value (batch_size,
   sequence_length, hidden_size), scales (hc_mult, hidden_size). */
enum ox_code infer_EngramGate(struct node *n)
{
        enum { KEY, QUERY, VALUE, SCALES, CONV_SCALE = 5 };
        struct size batch = {0}, length = {0}, mult = {0}, hidden = {0};

        if (out_wanted(n, 1) && !in_given(n, CONV_SCALE))
                return node_error(n, REASON_MISSING_INPUT, CONV_SCALE,
                                  "conv_norm_scale must be given where gated_value_normed is an output");
        TRY(IN_SIZED(n, KEY, &batch, &length, &mult, &hidden));
        TRY(IN_SIZED(n, QUERY, &batch, &length, &mult, &hidden));
        TRY(IN_SIZED(n, VALUE, &batch, &length, &hidden));
        for (int i = SCALES; i <= CONV_SCALE; i++)
                TRY(IN_SIZED(n, i, &mult, &hidden));
        TRY(OUT_SIZED(n, 0, &batch, &length, &mult, &hidden));
        return OUT_SIZED(n, 1, &batch, &length, &mult, &hidden);
}

/* GatedAdd 1: X and Y (..., C), gate (..., 1). */
enum ox_code infer_GatedAdd(struct node *n)
{
        const struct dim *shared;
        struct dim *dims, one = dim_int(1);
        int rank;

        TRY(same_shapes(n, 0, 2, &rank, &shared));
        TRY(in_expect_tensor(n, 2));
        TRY(in_expect_rank_least(n, 2, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(in_expect_rank(n, 2, rank));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++) {
                dims[d] = shared[d];
                if (in_has_rank(n, 2))
                        TRY(in_agree(n, d == rank - 1 ? &one : &dims[d], 2, d));
        }
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* GatedRMSNorm 1: X and gate (..., H * C), scale (C). */
enum ox_code infer_GatedRMSNorm(struct node *n)
{
        struct size *C = &(struct size){0};
        struct dim *dims;
        int rank = in_rank(n, 0);

        TRY(IN_SIZED(n, 1, C));
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 2));
        TRY(in_expect_rank_least(n, 0, 1));
        if (rank == RANK_UNKNOWN)
                return out_like(n, 0, out_row_elem(n, 0), 2);
        TRY(in_expect_rank(n, 2, rank));
        dims = in_dims(n, 0);
        for (int d = 0; d < rank && in_has_rank(n, 2); d++)
                TRY(in_agree(n, &dims[d], 2, d));
        if (C->known)
                TRY(size_divides(n, C->dim, dims[rank - 1], 0));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}
