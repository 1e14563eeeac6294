/* RNN, GRU, LSTM: X is [seq_length, batch_size, input_size]; with `layout` 1 (since version 14) the batch comes first,
   in X, in the states and in the outputs. */
#include "ops/rules/recurrent.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"

struct recurrent {
        int gates; /* the second axis of the weights is this number times hidden_size */
        bool batch_first;
        bool attends;  /* W also multiplies the attention, which follows the input */
        bool trains;   /* outputs for the gradient follow the last states */
        int gate_axis; /* of the weights' gates; the other of axes 1 and 2 is that of their input */
        struct dim directions, seq, batch, input, hidden;
};

enum { IN_X, IN_W, IN_R, IN_B, IN_LENS, IN_H, IN_C, IN_P, IN_QW, IN_MW, IN_V, IN_MEMORY, IN_MEMORY_LENS, IN_AW };

static int seen_axis(const struct recurrent *r)
{
        return 3 - r->gate_axis;
}

/* hidden_size, from the attribute, else from the recurrence weights. */
static void hidden_get(struct node *n, struct recurrent *r)
{
        int64_t hidden;

        if (attr_int(n, "hidden_size", &hidden)) {
                r->hidden = dim_int(hidden);
        } else if (in_has_rank(n, IN_R)) {
                r->hidden = in_dim(n, IN_R, seen_axis(r));
        } else if (in_has_rank(n, IN_W)) {
                r->hidden = dim_exactdiv(n->dims, in_dim(n, IN_W, r->gate_axis), dim_int(r->gates));
        } else {
                r->hidden = out_fresh_named(n, 0, -1, "%s_%s_hidden", node_op(n), in_name(n, IN_X));
        }
}

/* Input `i` has the sizes `wanted`, which become the more exact ones of both. */
static enum ox_code sizes_agree(struct node *n, int i, int rank, struct dim *const *wanted)
{
        TRY(in_expect_rank(n, i, rank));
        for (int d = 0; in_has_rank(n, i) && d < rank; d++)
                TRY(in_agree(n, wanted[d], i, d));
        return OX_OK;
}

/* `times` hidden_size, as axis `axis` of input `i`. */
static enum ox_code hidden_agree(struct node *n, struct recurrent *r, int i, int axis, int64_t times)
{
        struct dim wanted = dim_mul(n->dims, r->hidden, dim_int(times));

        return in_has_rank(n, i) ? in_agree(n, &wanted, i, axis) : OX_OK;
}

/* Weights for a number of directions that contradicts `direction` do not change the outputs. */
static void directions_agree(struct node *n, struct recurrent *r, int i)
{
        struct dim directions = in_dim(n, i, 0);

        if (dim_is_int(directions) && !dim_same(directions, r->directions))
                node_warn(n, REASON_DIM_MISMATCH, i, "%s: axis 0 must be the number of directions, %lld, got %lld",
                          node_input_text(n, i), (long long)r->directions.val, (long long)directions.val);
}

static enum ox_code weights_agree(struct node *n, struct recurrent *r)
{
        const struct {
                int input, rank, axis, times;
        } inputs[] = {{IN_W, 3, r->gate_axis, r->gates},
                      {IN_R, 3, r->gate_axis, r->gates},
                      {IN_B, 2, 1, 2 * r->gates},
                      {IN_P, 2, 1, 3}};

        for (size_t k = 0; k < sizeof(inputs) / sizeof(inputs[0]); k++) {
                int i = inputs[k].input;

                TRY(in_expect_rank(n, i, inputs[k].rank));
                if (!in_has_rank(n, i))
                        continue;
                directions_agree(n, r, i);
                TRY(hidden_agree(n, r, i, inputs[k].axis, inputs[k].times));
        }
        if (in_has_rank(n, IN_W) && !r->attends)
                TRY(in_agree(n, &r->input, IN_W, seen_axis(r)));
        return hidden_agree(n, r, IN_R, seen_axis(r), 1);
}

static enum ox_code states_agree(struct node *n, struct recurrent *r)
{
        struct dim *const lengths[] = {&r->batch};
        struct dim *const state[] = {r->batch_first ? &r->batch : &r->directions,
                                     r->batch_first ? &r->directions : &r->batch, &r->hidden};

        if (r->attends) {
                TRY(sizes_agree(n, IN_MEMORY_LENS, 1, lengths));
                TRY(in_expect_rank(n, IN_MEMORY, 3));
                if (in_has_rank(n, IN_MEMORY))
                        TRY(in_agree(n, &r->batch, IN_MEMORY, 0));
        }
        TRY(sizes_agree(n, IN_LENS, 1, lengths));
        TRY(sizes_agree(n, IN_H, 3, state));
        return sizes_agree(n, IN_C, 3, state);
}

static enum ox_code recurrent_read(struct node *n, struct recurrent *r)
{
        int64_t layout = attr_int_or(n, "layout", 0);
        int time = layout == 1 ? 1 : 0;

        r->batch_first = time == 1;
        for (int i = IN_X; i <= IN_R; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank(n, i, 3));
        }
        r->directions = dim_int(attr_is(n, "direction", "bidirectional") ? 2 : 1);
        hidden_get(n, r);
        if (in_has_rank(n, IN_X)) {
                r->seq = in_dim(n, IN_X, time);
                r->batch = in_dim(n, IN_X, 1 - time);
                r->input = in_dim(n, IN_X, 2);
        } else {
                const char *x = in_name(n, IN_X);

                r->seq = out_fresh_named(n, 0, time, "%s_%s_seq", node_op(n), x);
                r->batch = out_fresh_named(n, 0, 1 - time, "%s_%s_batch", node_op(n), x);
                r->input = in_has_rank(n, IN_W) ? in_dim(n, IN_W, seen_axis(r)) : dim_int(0);
        }
        TRY(weights_agree(n, r));
        return states_agree(n, r);
}

/* Y is [seq_length, num_directions, batch_size, hidden_size], or [batch_size, seq_length, num_directions, hidden_size];
   the last states are [num_directions, batch_size, hidden_size], or [batch_size, num_directions, hidden_size]. */
static enum ox_code recurrent(struct node *n, struct recurrent r)
{
        struct dim *y = arena_new_array(n->arena, struct dim, 4), *last = arena_new_array(n->arena, struct dim, 3);

        TRY(recurrent_read(n, &r));
        y[0] = r.batch_first ? r.batch : r.seq;
        y[1] = r.batch_first ? r.seq : r.directions;
        y[2] = r.batch_first ? r.directions : r.batch;
        y[3] = r.hidden;
        last[0] = r.batch_first ? r.batch : r.directions;
        last[1] = r.batch_first ? r.directions : r.batch;
        last[2] = r.hidden;
        TRY(out_tensor(n, 0, in_elem(n, IN_X), 4, y));
        TRY(out_tensor(n, 1, in_elem(n, IN_X), 3, last));
        if (r.trains && r.gates == 3) /* the third output is not a state */
                return OX_OK;
        TRY(out_tensor(n, 2, in_elem(n, IN_X), 3, last));
        return r.trains ? out_tensor(n, 3, in_elem(n, IN_X), 4, y) : OX_OK;
}

/* RNN (1, 7, 14, 22) */
enum ox_code infer_RNN(struct node *n)
{
        return recurrent(n, (struct recurrent){.gates = 1, .gate_axis = 1});
}

/* GRU (1, 3, 7, 14, 22) */
enum ox_code infer_GRU(struct node *n)
{
        return recurrent(n, (struct recurrent){.gates = 3, .gate_axis = 1});
}

/* LSTM (1, 7, 14, 22): Y_c has the shape of Y_h. */
enum ox_code infer_LSTM(struct node *n)
{
        return recurrent(n, (struct recurrent){.gates = 4, .gate_axis = 1});
}

/* DynamicQuantizeLSTM 1 of com.microsoft: weights are [num_directions, input_size, 4 * hidden_size]; their scales and
   zero points are [num_directions] or [num_directions, 4 * hidden_size]. */
enum ox_code infer_DynamicQuantizeLSTM(struct node *n)
{
        for (int i = IN_P + 1; i < n->n_in; i++) {
                TRY(in_expect_rank_least(n, i, 1));
                TRY(in_expect_rank_most(n, i, 2));
        }
        return recurrent(n, (struct recurrent){.gates = 4, .gate_axis = 2});
}

/* AttnLSTM 1 of com.microsoft: an LSTM whose input is X joined with the attention, so that W has more columns than X. M
   is [batch_size, max_memory_step, memory_depth]; QW and MW are [num_directions, size of their input, am_attn_size]. */
enum ox_code infer_AttnLSTM(struct node *n)
{
        struct size depth = {0}, attention = {0};

        TRY(IN_SIZED(n, IN_QW, NULL, NULL, &attention));
        TRY(IN_SIZED(n, IN_MW, NULL, &depth, &attention));
        TRY(IN_SIZED(n, IN_V, NULL, &attention));
        TRY(IN_SIZED(n, IN_MEMORY, NULL, NULL, &depth));
        TRY(in_expect_rank(n, IN_AW, 3));
        return recurrent(n, (struct recurrent){.gates = 4, .gate_axis = 1, .attends = true});
}

/* GRUTraining 1, LSTMTraining 1 of com.microsoft: adapted from GRU-14 and LSTM-14. CAll has the cell state of each
   step, as HAll has the hidden state; the text does not say how the results of the gates are laid out, the last output.
 */
enum ox_code infer_recurrent_training(struct node *n)
{
        int gates = op_find_attr(n->row, "linear_before_reset") ? 3 : 4;

        return recurrent(n, (struct recurrent){.gates = gates, .gate_axis = 1, .trains = true});
}
