/* Attention, and operators that are used with it. */
#include "ops/rules/attention.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/sizes.h"

/* -- helpers -- */

/* A tensor of heads: (batch, heads, length, size), or packed (batch, length, heads * size). */
struct heads {
        struct dim batch, heads, length, size;
};

static struct dim axis_or_fresh(struct node *n, int i, int axis)
{
        return in_has_rank(n, i) ? in_dim(n, i, axis) : out_fresh(n, 0, axis);
}

static struct heads split_heads(struct node *n, int i)
{
        return (struct heads){axis_or_fresh(n, i, 0), axis_or_fresh(n, i, 1), axis_or_fresh(n, i, 2),
                              axis_or_fresh(n, i, 3)};
}

/* The size of one head when axis 2 of a packed input holds `heads` of them. */
static enum ox_code head_size(struct node *n, int i, int64_t heads, struct dim *ret)
{
        if (!in_has_rank(n, i)) {
                *ret = out_fresh(n, 0, 2);
                return OX_OK;
        }
        struct dim packed = in_dim(n, i, 2);
        TRY(in_expect_multiple(n, i, 2, heads, "its number of heads"));
        return size_quotient(n, packed, dim_int(heads), i, ret);
}

static enum ox_code packed_heads(struct node *n, int i, int64_t heads, struct heads *ret)
{
        ret->batch = axis_or_fresh(n, i, 0);
        ret->length = axis_or_fresh(n, i, 1);
        ret->heads = dim_int(heads);
        return head_size(n, i, heads, &ret->size);
}

static enum ox_code read_head_count(struct node *n, const char *name, int64_t *ret)
{
        if (!attr_int(n, name, ret))
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1, "attribute '%s' is required for inputs of rank 3",
                                  name);
        if (*ret <= 0)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "%s must be at least 1, got %lld", name,
                                  (long long)*ret);
        return OX_OK;
}

/* Grouped queries: the same number of query heads shares each head of keys and values. */
static enum ox_code check_groups(struct node *n, struct dim q, struct dim kv)
{
        if (!dim_is_int(q) || !dim_is_int(kv) || (kv.val != 0 && q.val % kv.val == 0))
                return OX_OK;
        return node_error_at(
                n, REASON_DIM_MISMATCH, 0, -1, arena_printf(n->arena, "a multiple of %lld", (long long)kv.val),
                node_number(n, q.val),
                "the number of query heads must be a multiple of the number of key and value heads, %lld, got %lld",
                (long long)kv.val, (long long)q.val);
}

/* Checks the sizes that Q (0), K (1) and V (2) share. */
static enum ox_code agree_heads(struct node *n, struct heads *q, struct heads *k, struct heads *v)
{
        TRY(dim_agree(n, &q->batch, k->batch, 1));
        TRY(dim_agree(n, &q->batch, v->batch, 2));
        TRY(dim_agree(n, &k->heads, v->heads, 2));
        TRY(dim_agree(n, &k->length, v->length, 2));
        TRY(dim_agree(n, &q->size, k->size, 1));
        return check_groups(n, q->heads, k->heads);
}

static enum ox_code out_4d(struct node *n, int o, enum elem elem, struct dim a, struct dim b, struct dim c,
                           struct dim d)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 4);

        dims[0] = a;
        dims[1] = b;
        dims[2] = c;
        dims[3] = d;
        return out_tensor(n, o, elem, 4, dims);
}

static enum ox_code out_3d(struct node *n, int o, enum elem elem, struct dim a, struct dim b, struct dim c)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 3);

        dims[0] = a;
        dims[1] = b;
        dims[2] = c;
        return out_tensor(n, o, elem, 3, dims);
}

/* The size of `q` heads side by side, where input `i` holds `kv` heads of the same size. */
static struct dim repack(struct node *n, int i, int64_t q, int64_t kv, struct dim size)
{
        if (q == kv && in_has_rank(n, i))
                return in_dim(n, i, 2);
        return dim_mul(n->dims, dim_int(q), size);
}

/* -- Attention -- */

enum { ATTENTION_MASK = 3, ATTENTION_PAST_KEY, ATTENTION_PAST_VALUE, ATTENTION_NONPAD };

/* Attention (23, 24, 25): inputs that exclude each other. */
static enum ox_code check_attention(struct node *n)
{
        bool past = in_given(n, ATTENTION_PAST_KEY), present = out_wanted(n, 1);

        if (past != in_given(n, ATTENTION_PAST_VALUE))
                return node_error(n, REASON_MISSING_INPUT, past ? ATTENTION_PAST_VALUE : ATTENTION_PAST_KEY,
                                  "past_key and past_value must be given together");
        if (n->row->since < 25)
                return OX_OK;
        if (present != out_wanted(n, 2))
                return node_error(n, REASON_OUTPUT_COUNT, -1,
                                  "outputs present_key and present_value must be given together");
        if (in_given(n, ATTENTION_NONPAD) && (past || present))
                return node_error(n, REASON_INPUT_CONFLICT, ATTENTION_NONPAD,
                                  "nonpad_kv_seqlen excludes past and present keys and values");
        return OX_OK;
}

/* The rank that Q, K and V share: 3 or 4; RANK_UNKNOWN when none is known. */
static enum ox_code attention_rank(struct node *n, int *ret)
{
        *ret = RANK_UNKNOWN;
        for (int i = 0; i < 3; i++) {
                TRY(in_expect_tensor(n, i));
                if (!in_has_rank(n, i))
                        continue;
                if (*ret == RANK_UNKNOWN && (in_rank(n, i) == 3 || in_rank(n, i) == 4))
                        *ret = in_rank(n, i);
                if (in_rank(n, i) != *ret)
                        return node_error_at(n, REASON_RANK_MISMATCH, i, -1,
                                             *ret == RANK_UNKNOWN ? "3 or 4" : node_number(n, *ret),
                                             node_number(n, in_rank(n, i)),
                                             "%s: Q, K and V must all be of rank 3 or all of rank 4, got %d",
                                             node_input_text(n, i), in_rank(n, i));
        }
        return OX_OK;
}

/* The number of keys, including past ones. */
static enum ox_code total_length(struct node *n, struct heads *q, struct heads *k, struct heads *v, struct dim *ret)
{
        *ret = k->length;
        if (!in_given(n, ATTENTION_PAST_KEY))
                return OX_OK;
        TRY(in_expect_rank(n, ATTENTION_PAST_KEY, 4));
        TRY(in_expect_rank(n, ATTENTION_PAST_VALUE, 4));
        struct heads key = split_heads(n, ATTENTION_PAST_KEY), value = split_heads(n, ATTENTION_PAST_VALUE);

        TRY(dim_agree(n, &q->batch, key.batch, ATTENTION_PAST_KEY));
        TRY(dim_agree(n, &q->batch, value.batch, ATTENTION_PAST_VALUE));
        TRY(dim_agree(n, &k->heads, key.heads, ATTENTION_PAST_KEY));
        TRY(dim_agree(n, &k->heads, value.heads, ATTENTION_PAST_VALUE));
        TRY(dim_agree(n, &k->size, key.size, ATTENTION_PAST_KEY));
        TRY(dim_agree(n, &v->size, value.size, ATTENTION_PAST_VALUE));
        TRY(dim_agree(n, &key.length, value.length, ATTENTION_PAST_VALUE));
        *ret = dim_add(n->dims, key.length, k->length);
        return OX_OK;
}

/* The mask broadcasts into [batch, heads, queries, keys]; since 24 it may be shorter along the keys. */
static enum ox_code agree_mask(struct node *n, struct heads *q, struct dim *total)
{
        struct dim dims[] = {q->batch, q->heads, q->length, *total};
        int rank = in_rank(n, ATTENTION_MASK);

        if (n->row->since >= 24 && rank > 0) {
                struct dim keys = in_dim(n, ATTENTION_MASK, rank - 1);

                if (dim_is_int(keys) && dim_is_int(*total) && keys.val > total->val)
                        return node_error_at(n, REASON_DIM_MISMATCH, ATTENTION_MASK, rank - 1,
                                             arena_printf(n->arena, "%lld or less", (long long)total->val),
                                             node_number(n, keys.val),
                                             "%s: axis %d must be at most the number of keys, %lld, got %lld",
                                             node_input_text(n, ATTENTION_MASK), rank - 1, (long long)total->val,
                                             (long long)keys.val);
                dims[3] = keys;
        }
        TRY(broadcast_into(n, 4, dims, ATTENTION_MASK));
        q->batch = dims[0];
        q->heads = dims[1];
        q->length = dims[2];
        if (n->row->since < 24)
                *total = dims[3];
        return OX_OK;
}

/* The number of tokens that are not padding: one element for each sample. */
static enum ox_code agree_nonpad(struct node *n, struct heads *q)
{
        TRY(in_expect_rank(n, ATTENTION_NONPAD, 1));
        return in_has_rank(n, ATTENTION_NONPAD) ? in_agree(n, &q->batch, ATTENTION_NONPAD, 0) : OX_OK;
}

/* Attention (23, 24, 25): inputs of rank 4, or packed ones of rank 3, whose number of heads is an attribute. */
enum ox_code infer_Attention(struct node *n)
{
        struct heads q, k, v;
        struct dim total;
        int rank;
        int64_t q_heads = 0, kv_heads = 0;

        TRY(check_attention(n));
        TRY(attention_rank(n, &rank));
        if (rank == RANK_UNKNOWN) {
                TRY(out_rank(n, 1, in_elem(n, 1), 4));
                TRY(out_rank(n, 2, in_elem(n, 2), 4));
                TRY(out_rank(n, 3, in_elem(n, 0), 4));
                return out_elem(n, 0, in_elem(n, 0));
        }
        if (rank == 4) {
                if (n->row->since >= 25 && (attr_given(n, "q_num_heads") || attr_given(n, "kv_num_heads")))
                        return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1,
                                          "q_num_heads and kv_num_heads are for inputs of rank 3");
                q = split_heads(n, 0);
                k = split_heads(n, 1);
                v = split_heads(n, 2);
        } else {
                TRY(read_head_count(n, "q_num_heads", &q_heads));
                TRY(read_head_count(n, "kv_num_heads", &kv_heads));
                TRY(packed_heads(n, 0, q_heads, &q));
                TRY(packed_heads(n, 1, kv_heads, &k));
                TRY(packed_heads(n, 2, kv_heads, &v));
        }
        TRY(agree_heads(n, &q, &k, &v));
        TRY(total_length(n, &q, &k, &v, &total));
        TRY(agree_mask(n, &q, &total));
        TRY(agree_nonpad(n, &q));
        if (rank == 4)
                TRY(out_4d(n, 0, in_elem(n, 0), q.batch, q.heads, q.length, v.size));
        else
                TRY(out_3d(n, 0, in_elem(n, 0), q.batch, q.length, repack(n, 2, q_heads, kv_heads, v.size)));
        TRY(out_4d(n, 1, in_elem(n, 1), q.batch, k.heads, total, q.size));
        TRY(out_4d(n, 2, in_elem(n, 2), q.batch, k.heads, total, v.size));
        return out_4d(n, 3, in_elem(n, 0), q.batch, q.heads, q.length, total);
}

/* FlexAttention (ai.onnx.preview 1): Q (B, Hq, L, Dqk), K (B, Hkv, S, Dqk), V (B, Hkv, S, Dv). */
enum ox_code infer_FlexAttention(struct node *n)
{
        bool any = false;

        for (int i = 0; i < 3; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank(n, i, 4));
                TRY(in_expect_same_elem(n, 0, i));
                any = any || in_has_rank(n, i);
        }
        if (!any)
                return out_rank(n, 0, in_elem(n, 0), 4);
        struct heads q = split_heads(n, 0), k = split_heads(n, 1), v = split_heads(n, 2);
        TRY(agree_heads(n, &q, &k, &v));
        return out_4d(n, 0, in_elem(n, 0), q.batch, q.heads, q.length, v.size);
}

/* -- LinearAttention -- */

enum { LINEAR_PAST = 3, LINEAR_DECAY, LINEAR_BETA };

/* The optional inputs that an update rule takes. */
static enum ox_code check_update_rule(struct node *n)
{
        static const struct {
                const char *name;
                bool decay, beta;
        } rules[] = {
                {"linear", false, false}, {"gated", true, false}, {"delta", false, true}, {"gated_delta", true, true}};

        for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
                if (!attr_is(n, "update_rule", rules[r].name))
                        continue;
                if (in_given(n, LINEAR_DECAY) != rules[r].decay)
                        return node_error(n, rules[r].decay ? REASON_MISSING_INPUT : REASON_INPUT_CONFLICT,
                                          LINEAR_DECAY, "update_rule '%s' %s decay", rules[r].name,
                                          rules[r].decay ? "requires" : "excludes");
                if (in_given(n, LINEAR_BETA) != rules[r].beta)
                        return node_error(n, rules[r].beta ? REASON_MISSING_INPUT : REASON_INPUT_CONFLICT, LINEAR_BETA,
                                          "update_rule '%s' %s beta", rules[r].name,
                                          rules[r].beta ? "requires" : "excludes");
                return OX_OK;
        }
        return OX_OK;
}

/* Input `i`, (B, T, x): x must be one of two sizes, if all three are known. */
static enum ox_code check_gate(struct node *n, int i, struct heads *q, struct dim a, struct dim b)
{
        if (!in_given(n, i))
                return OX_OK;
        TRY(in_expect_rank(n, i, 3));
        if (!in_has_rank(n, i))
                return OX_OK;
        struct dim got = in_dim(n, i, 2);

        TRY(in_agree(n, &q->batch, i, 0));
        TRY(in_agree(n, &q->length, i, 1));
        if (!dim_is_int(got) || !dim_is_int(a) || !dim_is_int(b) || dim_same(got, a) || dim_same(got, b))
                return OX_OK;
        return node_error_at(n, REASON_DIM_MISMATCH, i, 2,
                             arena_printf(n->arena, "%lld or %lld", (long long)a.val, (long long)b.val),
                             node_number(n, got.val), "%s: axis 2 must be %lld or %lld, got %lld",
                             node_input_text(n, i), (long long)a.val, (long long)b.val, (long long)got.val);
}

/* LinearAttention (27): query (B, T, Hq * dk), key (B, T, Hkv * dk), value (B, T, Hkv * dv), state (B, Hkv, dk, dv). */
enum ox_code infer_LinearAttention(struct node *n)
{
        struct heads q, k, v;
        int64_t q_heads, kv_heads;

        TRY(check_update_rule(n));
        TRY(read_head_count(n, "q_num_heads", &q_heads));
        TRY(read_head_count(n, "kv_num_heads", &kv_heads));
        TRY(check_groups(n, dim_int(q_heads), dim_int(kv_heads)));
        for (int i = 0; i < 3; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank(n, i, 3));
        }
        TRY(packed_heads(n, 0, q_heads, &q));
        TRY(packed_heads(n, 1, kv_heads, &k));
        TRY(packed_heads(n, 2, kv_heads, &v));
        TRY(agree_heads(n, &q, &k, &v));
        TRY(dim_agree(n, &q.length, k.length, 1));

        enum elem state = in_elem(n, 0);
        if (in_given(n, LINEAR_PAST)) {
                TRY(in_expect_rank(n, LINEAR_PAST, 4));
                state = in_elem(n, LINEAR_PAST);
                struct heads past = split_heads(n, LINEAR_PAST); /* length is dk, size is dv */
                TRY(dim_agree(n, &q.batch, past.batch, LINEAR_PAST));
                TRY(dim_agree(n, &k.heads, past.heads, LINEAR_PAST));
                TRY(dim_agree(n, &q.size, past.length, LINEAR_PAST));
                TRY(dim_agree(n, &v.size, past.size, LINEAR_PAST));
        }
        TRY(check_gate(n, LINEAR_DECAY, &q, dim_int(kv_heads), dim_mul(n->dims, dim_int(kv_heads), q.size)));
        TRY(check_gate(n, LINEAR_BETA, &q, dim_int(1), dim_int(kv_heads)));
        TRY(out_3d(n, 0, in_elem(n, 0), q.batch, q.length, repack(n, 2, q_heads, kv_heads, v.size)));
        return out_4d(n, 1, state, q.batch, k.heads, q.size, v.size);
}

/* -- operators beside attention -- */

enum { ROTARY_COS = 1, ROTARY_SIN, ROTARY_POSITIONS };

/* Cosines and sines are looked up by position, [positions, size], or are given as [batch, length, size]. The size is
   half of the rotated part of a head. */
static enum ox_code agree_caches(struct node *n, struct dim *batch, struct dim *length, struct dim *rotated)
{
        int rank = in_given(n, ROTARY_POSITIONS) ? 2 : 3;
        struct dim *const positions[] = {batch, length};

        TRY(in_expect_rank(n, ROTARY_POSITIONS, 2));
        for (int d = 0; in_has_rank(n, ROTARY_POSITIONS) && d < 2; d++)
                TRY(in_agree(n, positions[d], ROTARY_POSITIONS, d));
        for (int i = ROTARY_COS; i <= ROTARY_SIN; i++) {
                TRY(in_expect_rank(n, i, rank));
                if (!in_has_rank(n, i))
                        continue;
                for (int d = 0; rank == 3 && d < 2; d++)
                        TRY(in_agree(n, positions[d], i, d));
                TRY(dim_agree(n, rotated, dim_mul(n->dims, dim_int(2), in_dim(n, i, rank - 1)), i));
        }
        return OX_OK;
}

/* RotaryEmbedding (23): of rank 4, or of rank 3 with `num_heads`. The size of a head is even; rotary_embedding_dim is
   the size of its rotated part. */
enum ox_code infer_RotaryEmbedding(struct node *n)
{
        int64_t heads = 1, part = attr_int_or(n, "rotary_embedding_dim", 0);
        int rank = in_rank(n, 0);
        struct dim size, rotated;

        TRY(in_expect_tensor(n, 0));
        if (in_has_rank(n, 0) && rank != 3 && rank != 4)
                return in_rank_fault(n, 0, "3 or 4");
        if (rank == 3)
                TRY(read_head_count(n, "num_heads", &heads));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = in_dims(n, 0);

        size = dims[rank - 1];
        if (dim_is_int(size) && (size.val % heads != 0 || size.val / heads % 2 != 0))
                return node_error_at(n, REASON_DIM_MISMATCH, 0, rank - 1, NULL, node_number(n, size.val),
                                     "%s: axis %d must be divisible into %lld heads of even size, got %lld",
                                     node_input_text(n, 0), rank - 1, (long long)heads, (long long)size.val);
        rotated = part > 0 ? dim_int(part) : dim_exactdiv(n->dims, size, dim_int(heads));
        TRY(agree_caches(n, &dims[0], &dims[rank - 2], &rotated));
        if (part <= 0)
                TRY(dim_agree(n, &dims[rank - 1], dim_mul(n->dims, rotated, dim_int(heads)), 0));
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* SwiGLU (28): both inputs have the same shape, without broadcasting. */
enum ox_code infer_SwiGLU(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_same_elem(n, 0, 1));
        enum elem elem = in_elem(n, 0) != ELEM_UNDEFINED ? in_elem(n, 0) : in_elem(n, 1);
        if (!in_has_rank(n, 0) || !in_has_rank(n, 1))
                return out_like(n, 0, elem, in_has_rank(n, 0) ? 0 : 1);

        int rank = in_rank(n, 0);
        TRY(in_expect_rank(n, 1, rank));
        struct dim *dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++)
                TRY(in_agree(n, &dims[d], 1, d));
        return out_tensor(n, 0, elem, rank, dims);
}
