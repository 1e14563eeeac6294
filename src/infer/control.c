/* Operators with subgraphs: If, Loop, Scan, SequenceMap. */
#include <string.h>

#include "infer/internal.h"

static const OnnxGraph *graph_attribute(const struct node *n, const char *name)
{
        const OnnxAttribute *attribute = attr_find(n, name);

        return attribute ? attribute->g : NULL;
}

static enum ox_code missing_graph(struct node *n, const char *name)
{
        return node_error(n, OX_INVALID_ARGUMENT, "MISSING_ATTRIBUTE", -1, "attribute %s holds no graph", name);
}

/* -- joining -- */

struct differ {
        struct node *n;
        int output;
};

static struct dim differ(void *user, int axis)
{
        struct differ *d = user;

        return out_fresh(d->n, d->output, axis);
}

static struct value join_values(struct node *n, int output, const struct value *a, const struct value *b)
{
        struct differ d = {n, output};
        struct value joined = {.type = type_join(n->arena, &a->type, &b->type, differ, &d)};

        if (a->has_length && b->has_length && dim_same(a->length, b->length)) {
                joined.has_length = true;
                joined.length = a->length;
        }
        if (a->content && a->content == b->content)
                joined.content = a->content;
        return joined;
}

/* -- If (1, 11, 13, 16, 19, 21 and later: the versions differ in types alone) -- */

enum ox_code control_if(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *branch[2] = {graph_attribute(n, "then_branch"), graph_attribute(n, "else_branch")};
        const char *const name[2] = {"then_branch", "else_branch"};
        struct value *outputs[2];
        int64_t condition;
        bool known = in_int(n, 0, &condition);

        for (int b = 0; b < 2; b++) {
                if (!branch[b])
                        return missing_graph(n, name[b]);
                if (branch[b]->n_output != (size_t)n->n_out)
                        return node_error(n, OX_INVALID_ARGUMENT, "BRANCH_OUTPUTS", -1,
                                          "%s has %zu outputs, the node has %d", name[b], branch[b]->n_output,
                                          n->n_out);
                outputs[b] = arena_new_array(f->arena, struct value, (size_t)n->n_out);
                bool taken = known && (condition != 0) == (b == 0);
                uint32_t held = taken ? 0 : dim_hold(f->dims, dim_symbol_count(f->dims));
                bool walked = walk_body(f, scope, n, name[b], branch[b], NULL, 0, outputs[b], (size_t)n->n_out);

                if (!taken)
                        dim_release(f->dims, held);
                if (!walked)
                        return OX_RESOURCE_EXHAUSTED;
        }
        for (int o = 0; o < n->n_out; o++) {
                const struct value *a = &outputs[0][o], *b = &outputs[1][o];

                if (!type_kinds_agree(&a->type, &b->type))
                        return node_error(n, OX_INVALID_ARGUMENT, "TYPE_MISMATCH", -1,
                                          "the branches give output %d different types", o);
                n->out[o] = known ? (condition ? *a : *b) : join_values(n, o, a, b);
        }
        return OX_OK;
}

/* -- Loop, and Scan's state: values that are carried from one iteration to the next -- */

/* Passes before what still changes is given up on: each widens some dimension, rank or type, and a type has few. */
#define CARRY_PASSES 6

/* Widens what is carried by what an iteration gave. True when that changed something. `ret` is compared by type: equal
   types carry over, and contents only while they stay the same. */
static bool widen(struct node *n, int output, struct value *carried, const struct value *next, bool last_pass)
{
        bool changed = false;

        if (carried->content && carried->content != next->content) {
                const struct content *a = content_read(carried->content), *b = content_read(next->content);
                bool same = b && a->count == b->count;

                for (size_t i = 0; same && i < b->count; i++)
                        same = b->at[i].kind == a->at[i].kind && dim_same(b->at[i].d, a->at[i].d) &&
                               memcmp(&b->at[i].f, &a->at[i].f, sizeof(double)) == 0;
                if (!same) {
                        carried->content = NULL;
                        changed = true;
                }
        }
        if (carried->has_length && !(next->has_length && dim_same(carried->length, next->length))) {
                carried->has_length = false;
                changed = true;
        }
        if (carried->elements) {
                carried->elements = NULL;
                changed = true;
        }
        if (type_same(&carried->type, &next->type))
                return changed;
        if (last_pass)
                carried->type = (struct type){
                        .kind = carried->type.kind == next->type.kind ? carried->type.kind : TYPE_UNKNOWN,
                        .rank = RANK_UNKNOWN,
                        .elem = carried->type.elem == next->type.elem ? carried->type.elem : ELEM_UNDEFINED,
                        .of = carried->type.of ? &type_unknown : NULL};
        else
                carried->type = join_values(n, output, carried, next).type;
        return true;
}

/* Walks a body until its carried values [0, n_state) are what every iteration may find. args[first + i] is carried
   value i, outputs[first_out + i] what an iteration makes of it. */
static enum ox_code carry(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body,
                          struct value *args, size_t n_args, size_t first, size_t n_state, struct value *outputs,
                          size_t first_out, size_t n_outputs)
{
        for (int pass = 0;; pass++) {
                struct walk_mark mark = walk_mark(f);
                bool changed = false;

                uint32_t held = dim_hold(f->dims, dim_symbol_count(f->dims));
                bool walked = walk_body(f, scope, n, "body", body, args, n_args, outputs, n_outputs);

                dim_release(f->dims, held);
                if (!walked)
                        return OX_RESOURCE_EXHAUSTED;
                for (size_t i = 0; i < n_state; i++) {
                        struct value *carried = &args[first + i];
                        const struct value *next = &outputs[first_out + i];

                        if (pass > CARRY_PASSES)
                                carried->type = next->type.kind == carried->type.kind ? carried->type : type_unknown;
                        else if (widen(n, (int)i, carried, next, pass == CARRY_PASSES))
                                changed = true;
                }
                if (!changed)
                        return OX_OK;
                walk_rewind(f, &mark);
        }
}

/* Appends one axis of `length` before axis `at` of what each iteration gives. */
static void stacked(struct node *n, int o, const struct value *each, struct dim length, int64_t at)
{
        const struct type *type = &each->type;

        if (type->kind != TYPE_TENSOR || type->rank == RANK_UNKNOWN || type->rank >= n->limits->rank) {
                out_elem(n, o, type->kind == TYPE_TENSOR ? type->elem : ELEM_UNDEFINED);
                return;
        }
        int rank = type->rank + 1;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0, from = 0; d < rank; d++)
                dims[d] = d == at ? length : type->dim[from++];
        out_tensor(n, o, type->elem, rank, dims);
}

/* Dimensions that data decides within an iteration get symbols of the output's own. */
static void forget_inner(struct node *n, int o, struct value *value, uint32_t first)
{
        struct type *type = &value->type;

        value->content = NULL;
        value->elements = NULL;
        if (type->kind != TYPE_TENSOR || type->rank <= 0)
                return;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++)
                dims[d] = dim_names_since(n->dims, type->dim[d], first) ? out_fresh(n, o, d) : type->dim[d];
        type->dim = dims;
}

/* The number of iterations of a Loop: M when the condition never ends it early. */
static struct dim trip_count(struct node *n, const struct value *condition_out, int output)
{
        const struct content *most = in_content(n, 0), *goes_on = content_read(condition_out->content);
        int64_t at_first = 1, after;
        bool starts = !in_given(n, 1) || in_int(n, 1, &at_first);

        if (at_first == 0)
                return dim_int(0);
        if (starts && goes_on && goes_on->count == 1 && scalar_is_number(goes_on->at[0], &after) && after != 0 &&
            most && most->count == 1 && most->at[0].kind == SCALAR_INT)
                return dim_max(n->dims, most->at[0].d, dim_int(0));
        return out_fresh(n, output, 0);
}

/* Loop (1, 11, 13, 16, 19, 21 and later): carried values first, then the values that are stacked along a new axis 0. */
enum ox_code control_loop(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *body = graph_attribute(n, "body");
        size_t n_state = n->n_in > 2 ? (size_t)n->n_in - 2 : 0;
        uint32_t first = dim_symbol_count(f->dims);

        if (!body)
                return missing_graph(n, "body");
        if (body->n_input != n_state + 2 || body->n_output < n_state + 1)
                return node_error(n, OX_INVALID_ARGUMENT, "BODY_ARITY", -1,
                                  "the body has %zu inputs and %zu outputs, wanted %zu and at least %zu", body->n_input,
                                  body->n_output, n_state + 2, n_state + 1);
        if ((size_t)n->n_out > body->n_output - 1)
                return node_error(n, OX_INVALID_ARGUMENT, "BODY_ARITY", -1,
                                  "the node has %d outputs, its body gives %zu", n->n_out, body->n_output - 1);
        struct value *args = arena_new_array(f->arena, struct value, n_state + 2);
        struct value *outputs = arena_new_array(f->arena, struct value, body->n_output);

        args[0] = (struct value){.type = type_tensor(ELEM_INT64, 0, NULL)};
        args[1] = (struct value){.type = type_tensor(ELEM_BOOL, 0, NULL)};
        for (size_t i = 0; i < n_state; i++)
                args[2 + i] = in_given(n, (int)i + 2) ? *n->in[i + 2] : (struct value){.type = type_unknown};
        TRY(carry(f, scope, n, body, args, n_state + 2, 2, n_state, outputs, 1, body->n_output));
        for (int o = 0; o < n->n_out; o++) {
                if ((size_t)o < n_state) {
                        n->out[o] = args[2 + o];
                        continue;
                }
                struct value each = outputs[1 + o];

                forget_inner(n, o, &each, first);
                stacked(n, o, &each, trip_count(n, &outputs[0], o), 0);
        }
        return OX_OK;
}

/* -- Scan -- */

struct scan {
        const OnnxGraph *body;
        int first; /* of the node's inputs: after Scan-8's sequence_lens */
        size_t n_state, n_scan, n_stacked;
        bool batched; /* Scan-8: a batch axis stands before all others */
        struct dim batch, length;
};

/* The list attribute's entry `i` as an axis, 0 without the attribute. */
static enum ox_code scan_axis(struct node *n, const char *name, size_t i, int rank, int *ret)
{
        const int64_t *axes;
        size_t count;

        *ret = 0;
        if (!attr_ints(n, name, &axes, &count) || i >= count)
                return rank > 0 ? OX_OK : axis_normalize(n, 0, rank, ret);
        return axis_normalize(n, axes[i], rank, ret);
}

/* A tensor without axis `axis` and, in Scan-8, without the batch axis. */
static struct value without_axes(struct node *n, const struct value *value, int axis, bool batched)
{
        const struct type *type = &value->type;
        struct value ret = {.type = *type};

        if (type->kind != TYPE_TENSOR || type->rank == RANK_UNKNOWN)
                return ret;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)type->rank);
        int rank = 0;

        for (int d = 0; d < type->rank; d++)
                if (d != axis && !(batched && d == 0))
                        dims[rank++] = type->dim[d];
        ret.type.rank = rank;
        ret.type.dim = dims;
        return ret;
}

static enum ox_code scan_inputs(struct node *n, struct scan *s, struct value *args)
{
        bool known = false, batch_known = false;

        for (size_t i = 0; i < s->n_state + s->n_scan; i++) {
                int input = s->first + (int)i, axis = -1;
                int rank = in_rank(n, input);

                args[i] = (struct value){.type = type_unknown};
                if (!in_given(n, input))
                        continue;
                TRY(in_expect_rank_least(n, input, (s->batched ? 1 : 0) + (i < s->n_state ? 0 : 1)));
                if (i >= s->n_state && rank != RANK_UNKNOWN) {
                        if (s->batched)
                                axis = 1;
                        else
                                TRY(scan_axis(n, "scan_input_axes", i - s->n_state, rank, &axis));
                        if (!known)
                                s->length = in_dim(n, input, axis);
                        else
                                TRY(dim_agree(n, &s->length, in_dim(n, input, axis), input));
                        known = true;
                }
                if (s->batched && rank != RANK_UNKNOWN && !batch_known) {
                        s->batch = in_dim(n, input, 0);
                        batch_known = true;
                } else if (s->batched && rank != RANK_UNKNOWN) {
                        TRY(dim_agree(n, &s->batch, in_dim(n, input, 0), input));
                }
                args[i] =
                        i < s->n_state && !s->batched ? *n->in[input] : without_axes(n, n->in[input], axis, s->batched);
        }
        if (!known)
                s->length = out_fresh_named(n, 0, -1, "Scan_%s_length", n->n_out > 0 ? n->proto->output[0] : "");
        if (!batch_known && s->batched)
                s->batch = out_fresh_named(n, 0, 0, "Scan_%s_batch", n->n_out > 0 ? n->proto->output[0] : "");
        return OX_OK;
}

static enum ox_code scan_outputs(struct node *n, const struct scan *s, const struct value *state, struct value *outputs,
                                 uint32_t first)
{
        for (int o = 0; o < n->n_out; o++) {
                struct value value = (size_t)o < s->n_state ? state[o] : outputs[o];
                int axis = 0;

                if ((size_t)o < s->n_state && !s->batched) {
                        n->out[o] = value;
                        continue;
                }
                forget_inner(n, o, &value, first);
                if ((size_t)o < s->n_state) {
                        stacked(n, o, &value, s->batch, 0);
                        continue;
                }
                if (!s->batched && value.type.kind == TYPE_TENSOR && value.type.rank != RANK_UNKNOWN)
                        TRY(scan_axis(n, "scan_output_axes", (size_t)o - s->n_state, value.type.rank + 1, &axis));
                stacked(n, o, &value, s->length, axis);
                if (s->batched && n->out[o].type.rank != RANK_UNKNOWN) {
                        struct value inner = n->out[o];

                        stacked(n, o, &inner, s->batch, 0);
                }
        }
        return OX_OK;
}

/* Scan (8: a batch axis and sequence_lens; 9, 11, 16, 19, 21 and later: axes to scan are attributes). */
enum ox_code control_scan(struct infer *f, const struct scope *scope, struct node *n)
{
        struct scan s = {.body = graph_attribute(n, "body"), .batched = n->row->since < 9};
        int64_t n_scan = attr_int_or(n, "num_scan_inputs", 0);
        uint32_t first = dim_symbol_count(f->dims);

        s.first = s.batched ? 1 : 0;
        if (!s.body)
                return missing_graph(n, "body");
        if (n_scan < 1 || n_scan > n->n_in - s.first)
                return node_error(n, OX_INVALID_ARGUMENT, "BODY_ARITY", -1, "num_scan_inputs is %lld of %d inputs",
                                  (long long)n_scan, n->n_in - s.first);
        s.n_scan = (size_t)n_scan;
        s.n_state = (size_t)(n->n_in - s.first) - s.n_scan;
        if (s.body->n_input != s.n_state + s.n_scan || s.body->n_output < s.n_state ||
            (size_t)n->n_out > s.body->n_output)
                return node_error(n, OX_INVALID_ARGUMENT, "BODY_ARITY", -1,
                                  "the body has %zu inputs and %zu outputs, the node gives it %zu and takes %d",
                                  s.body->n_input, s.body->n_output, s.n_state + s.n_scan, n->n_out);
        struct value *args = arena_new_array(f->arena, struct value, s.n_state + s.n_scan);
        struct value *outputs = arena_new_array(f->arena, struct value, s.body->n_output);

        TRY(scan_inputs(n, &s, args));
        TRY(carry(f, scope, n, s.body, args, s.n_state + s.n_scan, 0, s.n_state, outputs, 0, s.body->n_output));
        return scan_outputs(n, &s, args, outputs, first);
}

/* -- SequenceMap (17) -- */

enum ox_code control_sequence_map(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *body = graph_attribute(n, "body");

        if (!body)
                return missing_graph(n, "body");
        if (body->n_input != (size_t)n->n_in || body->n_output != (size_t)n->n_out)
                return node_error(n, OX_INVALID_ARGUMENT, "BODY_ARITY", -1,
                                  "the body has %zu inputs and %zu outputs, the node %d and %d", body->n_input,
                                  body->n_output, n->n_in, n->n_out);
        struct value *args = arena_new_array(f->arena, struct value, body->n_input);
        struct value *outputs = arena_new_array(f->arena, struct value, body->n_output);
        uint32_t first = dim_symbol_count(f->dims);
        uint32_t held = dim_hold(f->dims, first);

        for (int i = 0; i < n->n_in; i++) {
                const struct type *type = in_type(n, i);

                args[i] = in_given(n, i) ? *n->in[i] : (struct value){.type = type_unknown};
                if (type->kind == TYPE_SEQUENCE)
                        args[i] = (struct value){.type = *type->of};
        }
        bool walked = walk_body(f, scope, n, "body", body, args, body->n_input, outputs, body->n_output);

        dim_release(f->dims, held);
        if (!walked)
                return OX_RESOURCE_EXHAUSTED;
        for (int o = 0; o < n->n_out; o++) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                forget_inner(n, o, &outputs[o], first);
                *of = outputs[o].type;
                struct type type = type_sequence(of);

                out_type(n, o, &type);
                if (in_given(n, 0) && n->in[0]->has_length) {
                        n->out[o].has_length = true;
                        n->out[o].length = n->in[0]->length;
                }
        }
        return OX_OK;
}
