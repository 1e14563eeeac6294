/* Loop and Scan: values that are carried from one iteration to the next, and values that iterations stack. */
#include "base/bounds.h"
#include "infer/internal.h"
#include "ops/kit/axes.h"
#include "ops/kit/sizes.h"
#include "ops/node/attr.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

/* -- carried values -- */

/* A body whose carried values args[first ... first + n_state) are looked for: outputs[first_out + i] is what an
   iteration makes of args[first + i]. */
struct carry {
        const OnnxGraph *body;
        struct value *args;
        size_t n_args, first, n_state;
        struct value *outputs;
        size_t first_out;
        int first_named;     /* position among the carried ones of what output 0 of the node is */
        bool same_sizes;     /* the operator's text says that no iteration changes a carried size */
        bool is_unreached;   /* it is known that there is no iteration */
        bool changed;        /* some carried value was found to change */
        uint64_t cost;       /* nodes that one iteration walks */
        uint32_t free_since; /* symbols made since then stand for sizes that were found to change */
};

/* If sizes may be equal, and the operator's text says that they are, takes those of the value before the first
   iteration. Elements are kept with the sizes of their value. */
static void keep_sizes(struct node *n, const struct type *carried, struct value *next)
{
        if (!type_is_tensor(carried) || next->type.kind != carried->kind || next->type.rank != carried->rank ||
            next->type.rank <= 0)
                return;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)next->type.rank);

        for (int d = 0; d < next->type.rank; d++) {
                bool differ = dim_proves_unequal(n->dims, carried->dim[d], next->type.dim[d]);

                dims[d] = differ ? next->type.dim[d] : carried->dim[d];
                if (!dim_same(dims[d], next->type.dim[d]))
                        next->content = NULL;
        }
        next->type.dim = dims;
}

/* Joins a carried value with the result of an iteration. True if that changed it. */
static bool widen(struct node *n, struct carry *c, size_t i)
{
        struct value *carried = &c->args[c->first + i], next = c->outputs[c->first_out + i];
        int output = (int)i > c->first_named ? (int)i - c->first_named : 0;

        if (c->same_sizes)
                keep_sizes(n, &carried->type, &next);
        struct value joined = control_join(n, output, carried, &next, c->free_since);
        bool changed = !type_same(&joined.type, &carried->type) || joined.content != carried->content ||
                       !members_same(value_members(&joined), value_members(carried));

        *carried = joined;
        return changed;
}

/* Reduces carried values to their kinds and element types, and then drops those too. */
static void give_up(struct carry *c, bool kinds_too)
{
        for (size_t i = 0; i < c->n_state; i++) {
                struct type kind = type_kind_alone(&c->args[c->first + i].type);

                c->args[c->first + i] = (struct value){.type = kinds_too ? type_unknown : kind};
        }
}

static uint64_t again_most(const struct infer *f)
{
        uint64_t most = AGAIN_LEAST + AGAIN_FACTOR * infer_kept_bytes(f);

        return most < AGAIN_MOST ? most : AGAIN_MOST;
}

/* Walks a body until its carried values hold for every iteration. */
static enum ox_code carry_on(struct infer *f, const struct scope *scope, struct node *n, struct carry *c)
{
        c->free_since = dim_symbol_count(f->dims);
        for (int pass = 0;; pass++) {
                struct body_mark mark = body_mark(f);
                uint64_t before = f->nodes;
                uint32_t held = dim_hold(f->dims, dim_symbol_count(f->dims));
                bool spent = f->again > again_most(f), changed = false;

                if (spent)
                        give_up(c, true);
                bool walked =
                        body_walk(f, scope, n, "body", c->body, c->args, c->n_args, c->outputs, c->body->n_output);

                dim_release(f->dims, held);
                if (!walked)
                        return OX_RESOURCE_EXHAUSTED;
                c->cost = f->nodes - before;
                for (size_t i = 0; i < c->n_state && !spent && pass <= CARRY_PASSES + 1; i++)
                        changed = widen(n, c, i) || changed;
                c->changed = c->changed || changed || spent;
                if (spent && c->n_state > 0)
                        node_warn(n, REASON_LOOP_LIMIT, -1,
                                  "nested loops take too long to follow; carried values are left open");
                if (!changed)
                        return OX_OK;
                if (pass >= CARRY_PASSES)
                        give_up(c, pass > CARRY_PASSES);
                body_rewind(f, &mark);
                f->again += c->cost;
        }
}

static enum ox_code carry(struct infer *f, const struct scope *scope, struct node *n, struct carry *c)
{
        struct unreached mark = control_enter_unreached(f, c->is_unreached);
        enum ox_code code = carry_on(f, scope, n, c);

        control_leave_unreached(f, &mark, code == OX_OK);
        return code;
}

/* A tensor that is carried keeps its element type. Output first_out + i of the body becomes its input of the node. */
static enum ox_code check_carried(struct node *n, const struct carry *c, size_t first_out, int first_in, size_t n_state)
{
        for (size_t i = 0; i < n_state; i++) {
                const struct type *next = &c->outputs[first_out + i].type;
                enum elem elem = in_elem(n, first_in + (int)i);

                if (next->kind == TYPE_TENSOR && next->elem != ELEM_UNDEFINED && elem != ELEM_UNDEFINED &&
                    elem != next->elem)
                        return node_error(n, REASON_TYPE_MISMATCH, first_in + (int)i,
                                          "input %d is carried as a tensor of %s, an iteration makes one of %s of it",
                                          first_in + (int)i, elem_name((int)elem), elem_name((int)next->elem));
        }
        return OX_OK;
}

/* If each iteration adds the same to a size, which is so when the amount has no symbols that the loop made, the size is
   `initial` plus `count` times that amount after `count` iterations. */
static bool grown(struct node *n, const struct carry *c, struct dim before, struct dim after, struct dim initial,
                  struct dim count, struct dim *ret)
{
        if (!dim_names_since(n->dims, after, c->free_since))
                return false;
        struct dim more = dim_sub(n->dims, after, before);

        if (dim_names_since(n->dims, more, c->free_since))
                return false;
        *ret = dim_add(n->dims, initial, dim_mul(n->dims, count, more));
        return true;
}

/* Replaces the symbols of sizes that grow in each of `count` iterations by their sums. */
static void grow(struct node *n, const struct carry *c, size_t i, const struct value *initial, struct dim count,
                 struct value *last)
{
        const struct value *before = &c->args[c->first + i], *after = &c->outputs[c->first_out + i];
        struct dim size;

        if (!initial)
                return;
        struct members members = *value_members(last);

        if (value_members(initial)->has_length && value_members(before)->has_length &&
            value_members(after)->has_length &&
            grown(n, c, before->members->length, after->members->length, initial->members->length, count, &size)) {
                members.has_length = true;
                members.length = size;
                value_hold(n->arena, last, &members);
        }
        if (!type_has_shape(&after->type) || !type_has_shape(&initial->type) || !type_has_shape(&last->type) ||
            initial->type.rank != after->type.rank || before->type.rank != after->type.rank ||
            last->type.rank != after->type.rank || after->type.rank == 0)
                return;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)after->type.rank);

        for (int d = 0; d < after->type.rank; d++) {
                dims[d] = last->type.dim[d];
                if (grown(n, c, before->type.dim[d], after->type.dim[d], initial->type.dim[d], count, &size))
                        dims[d] = size;
        }
        last->type.dim = dims;
}

/* A size that grows is at least what it was before the first of `count` iterations, and at most what it is after the
   last one. */
static void bound_size(struct node *n, const struct carry *c, struct dim before, struct dim after, struct dim initial,
                       struct dim count)
{
        int64_t lower, upper;
        struct dim last;

        if (!grown(n, c, before, after, initial, count, &last) || !dim_proves_ge(n->dims, after, before))
                return;
        dim_range(n->dims, initial, &lower, &upper);
        dim_assume_ge(n->dims, before, lower);
        dim_assume_most(n->dims, before, last);
}

static void bound_carried(struct node *n, const struct carry *c, size_t i, const struct value *initial,
                          struct dim count)
{
        const struct value *before = &c->args[c->first + i], *after = &c->outputs[c->first_out + i];
        int64_t least, most;

        /* The symbol that stands for an unknown number of iterations is newer than those that it would bound. */
        dim_range(n->dims, count, &least, &most);
        if (dim_names_since(n->dims, count, c->free_since) && most != INT64_MAX)
                count = dim_int(most);
        if (value_members(initial)->has_length && value_members(before)->has_length && value_members(after)->has_length)
                bound_size(n, c, before->members->length, after->members->length, initial->members->length, count);
        if (!type_has_shape(&after->type) || !type_has_shape(&initial->type) || !type_has_shape(&before->type) ||
            initial->type.rank != after->type.rank || before->type.rank != after->type.rank)
                return;
        for (int d = 0; d < after->type.rank; d++)
                bound_size(n, c, before->type.dim[d], after->type.dim[d], initial->type.dim[d], count);
}

/* The value after the last of `count` iterations, of which only what every iteration gives is known. Without an
   iteration it is the initial value; if there may be none, the result holds for both. A size that changes from one
   iteration to the next gets a symbol of its own, because the body's symbol stands for the sizes of all. */
static struct value last_value(struct node *n, const struct carry *c, size_t i, int o, const struct value *initial,
                               struct dim count)
{
        struct value last = c->outputs[c->first_out + i];
        const struct value *every = &c->args[c->first + i];

        if (dim_is(count, 0))
                return initial ? *initial : (struct value){.type = type_unknown};
        if (!dim_proves_ge(n->dims, count, dim_int(1)))
                last = *every;
        else if (c->same_sizes)
                keep_sizes(n, &every->type, &last);
        control_forget(n, o, &last, c->free_since);
        grow(n, c, i, initial, count, &last);
        return last;
}

/* Inserts an axis of `length` before axis `at` of each iteration's value. */
static void stacked(struct node *n, int o, const struct value *each, struct dim length, int64_t at)
{
        const struct type *type = &each->type;

        if (type->kind != TYPE_TENSOR && type->kind != TYPE_UNKNOWN)
                node_diagnose(n, OX_ERROR, REASON_TYPE_MISMATCH, -1,
                              "output %d is stacked and must be a tensor in the body", o);
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

/* -- Loop -- */

/* Whether a condition holds: 1, 0, or -1 if unknown. */
static int truth(const struct content *content)
{
        int64_t number;

        content = content_read(content);
        if (!content || content->count != 1 || !scalar_is_number(content_at(content, 0), &number))
                return -1;
        return number != 0;
}

/* Whether M or the condition excludes any iteration. */
static bool never_starts(struct node *n)
{
        int64_t m;

        return (in_int(n, 0, &m) && m <= 0) || (in_given(n, 1) && truth(in_content(n, 1)) == 0);
}

/* The number of iterations: M if the condition never ends the loop earlier. `goes_on` is the condition after an
   iteration. */
static struct dim trip_count(struct node *n, int goes_on, int output)
{
        const struct content *m = in_content(n, 0);
        int starts = in_given(n, 1) ? truth(in_content(n, 1)) : 1;
        struct dim most = dim_int(INT64_MAX);

        if (starts == 0)
                return dim_int(0);
        if (m && m->count == 1 && content_at(m, 0).kind == SCALAR_INT)
                most = greater_dim(n, content_at(m, 0).d, dim_int(0));
        else if (in_given(n, 0))
                return out_fresh(n, output, 0);
        if (starts == 1 && goes_on == 0 && in_given(n, 1))
                return lesser_dim(n, most, dim_int(1));
        if (starts == 1 && goes_on == 1 && in_given(n, 0))
                return most;
        return out_fresh_at_most(n, output, 0, most);
}

static enum ox_code check_loop(struct node *n, const OnnxGraph *body, size_t n_state)
{
        if (body->n_input != n_state + 2 || body->n_output < n_state + 1)
                return node_error(n, REASON_BODY_ARITY, -1,
                                  "the body has %zu inputs and %zu outputs, expected %zu and at least %zu",
                                  body->n_input, body->n_output, n_state + 2, n_state + 1);
        if ((size_t)n->n_out > body->n_output - 1)
                return node_error(n, REASON_BODY_ARITY, -1, "the node has %d outputs, its body gives %zu", n->n_out,
                                  body->n_output - 1);
        return OX_OK;
}

/* Whether walking the iterations one by one can find more than a walk that holds for all of them. It finds at least
   their number, if the condition decides it. */
static bool is_worth_unrolling(const struct node *n, const struct carry *c, size_t n_state, struct dim count,
                               uint32_t first)
{
        if (c->changed || (!dim_is_int(count) && n->n_out > (int)n_state))
                return true;
        for (int o = (int)n_state; o < n->n_out; o++) {
                const struct type *type = &c->outputs[1 + o].type;

                if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN)
                        return true;
                /* Vectors of integers may be shapes, whose elements matter; stacked floats may become a shape too. */
                if (type->rank <= 1 && (type->elem == ELEM_INT64 || type->elem == ELEM_INT32))
                        return true;
                if (type->rank == 0 && (type->elem == ELEM_FLOAT || type->elem == ELEM_DOUBLE))
                        return true;
                for (int d = 0; d < type->rank; d++)
                        if (dim_names_since(n->dims, type->dim[d], first))
                                return true;
        }
        return false;
}

/* The rank that a body declares of its input, 2 for 2 or more; RANK_UNKNOWN where it declares none. */
static int declared_rank(const OnnxGraph *body, size_t input)
{
        const OnnxType *type = input < body->n_input ? body->input[input]->type : NULL;

        if (!type || type->value_case != SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type->shape)
                return RANK_UNKNOWN;
        return type->tensor_type->shape->n_dim <= 1 ? (int)type->tensor_type->shape->n_dim : 2;
}

struct value loop_told(struct node *n, const OnnxGraph *body, size_t input)
{
        static const enum elem elems[] = {ELEM_INT64, ELEM_BOOL};
        struct dim *one = arena_new_array(n->arena, struct dim, 1);
        int rank = declared_rank(body, input);

        if (rank == RANK_UNKNOWN && input == LOOP_CONDITION && in_given(n, 1))
                rank = in_rank(n, 1);
        one[0] = dim_int(1);
        return (struct value){.type = type_tensor(elems[input], rank == 1 ? 1 : 0, one)};
}

/* Loop (1, 11, 13, 16, 19, 21 and later): the outputs are the carried values, then the values that are stacked along a
   new axis 0. The condition is carried too. It is true within an iteration, unless the loop ignores it because the node
   gives no initial condition. */
enum ox_code control_loop(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *body = control_graph(f, n, "body");
        size_t n_state = n->n_in > 2 ? (size_t)n->n_in - 2 : 0, skip = in_given(n, 1) ? 1 : 0;
        uint32_t first = dim_symbol_count(f->dims);
        size_t errors = f->diags.errors;

        if (!body)
                return control_missing(n, "body");
        TRY(check_loop(n, body, n_state));
        TRY(control_single(n, 0));
        TRY(control_single(n, 1));
        struct carry c = {.body = body,
                          .n_args = n_state + 2,
                          .first = 1 + skip,
                          .n_state = n_state + 1 - skip,
                          .first_out = skip,
                          .first_named = 1 - (int)skip,
                          .is_unreached = never_starts(n)};

        c.args = arena_new_array(f->arena, struct value, n_state + 2);
        c.outputs = arena_new_array(f->arena, struct value, body->n_output);
        c.args[LOOP_ITERATION] = loop_told(n, body, LOOP_ITERATION);
        c.args[LOOP_CONDITION] = loop_told(n, body, LOOP_CONDITION);
        c.args[LOOP_CONDITION].content = content_of_int(f->arena, 1);
        for (size_t i = 0; i < n_state; i++)
                c.args[2 + i] = in_given(n, (int)i + 2) ? *n->in[i + 2] : (struct value){.type = type_unknown};
        TRY(carry(f, scope, n, &c));
        TRY(check_carried(n, &c, 1, 2, n_state));

        struct value *each = arena_new_array(f->arena, struct value, body->n_output);
        struct dim count = trip_count(n, truth(c.outputs[0].content), (int)n_state < n->n_out ? (int)n_state : 0);
        int64_t trips;
        bool unrolled = is_worth_unrolling(n, &c, n_state, count, first) &&
                        unroll_loop(f, scope, n, body, n_state, count, c.cost, f->diags.errors == errors, each, &trips);

        if (unrolled)
                count = dim_int(trips);
        for (size_t i = 0; i < n_state && c.changed; i++)
                if (in_given(n, (int)i + 2))
                        bound_carried(n, &c, i + 1 - skip, n->in[i + 2], count);
        for (int o = 0; o < n->n_out; o++) {
                struct value value = unrolled ? each[o] : c.outputs[1 + o];

                if ((size_t)o < n_state && unrolled) {
                        control_forget(n, o, &value, first);
                        n->out[o] = value;
                } else if ((size_t)o < n_state) {
                        n->out[o] = last_value(n, &c, (size_t)o + 1 - skip, o, n->in[o + 2], count);
                } else {
                        control_forget(n, o, &value, first);
                        stacked(n, o, &value, count, 0);
                        if (unrolled)
                                out_content(n, o, value.content);
                }
        }
        return OX_OK;
}

/* -- Scan -- */

struct scan {
        const OnnxGraph *body;
        int first; /* of the node's inputs: after Scan-8's sequence_lens */
        size_t n_state, n_scan;
        bool batched; /* Scan-8: a batch axis stands before all others */
        struct dim batch, length;
};

/* Entry `i` of the list attribute as an axis; 0 without the attribute. */
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
                                TRY(in_agree(n, &s->length, input, axis));
                        known = true;
                }
                if (s->batched && rank != RANK_UNKNOWN && !batch_known) {
                        s->batch = in_dim(n, input, 0);
                        batch_known = true;
                } else if (s->batched && rank != RANK_UNKNOWN) {
                        TRY(in_agree(n, &s->batch, input, 0));
                }
                args[i] =
                        i < s->n_state && !s->batched ? *n->in[input] : without_axes(n, n->in[input], axis, s->batched);
        }
        if (!known)
                s->length = out_fresh_named(n, 0, -1, "Scan_%s_length", n->n_out > 0 ? out_name(n, 0) : "");
        if (!batch_known && s->batched)
                s->batch = out_fresh_named(n, 0, 0, "Scan_%s_batch", n->n_out > 0 ? out_name(n, 0) : "");
        return OX_OK;
}

static enum ox_code scan_outputs(struct node *n, const struct scan *s, const struct carry *c)
{
        for (int o = 0; o < n->n_out; o++) {
                bool is_state = (size_t)o < s->n_state;
                struct value value = is_state ? c->args[o] : c->outputs[o];
                int axis = 0;

                if (is_state && !s->batched) {
                        n->out[o] = last_value(n, c, (size_t)o, o, n->in[s->first + o], s->length);
                        continue;
                }
                control_forget(n, o, &value, c->free_since);
                if (is_state) {
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

/* Lists have an entry for each scanned input or output. */
static enum ox_code check_scan_lists(struct node *n, const struct scan *s)
{
        const struct {
                const char *name;
                size_t count;
        } lists[] = {
                {"directions", s->n_scan},
                {"scan_input_directions", s->n_scan},
                {"scan_output_directions", s->body->n_output - s->n_state},
                {"scan_input_axes", s->n_scan},
                {"scan_output_axes", s->body->n_output - s->n_state},
        };

        for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++) {
                const int64_t *at;
                size_t count;

                if (!attr_ints(n, lists[l].name, &at, &count))
                        continue;
                if (count != lists[l].count)
                        return node_error(n, REASON_ATTRIBUTE_LENGTH, -1, "%s must have %zu elements, got %zu",
                                          lists[l].name, lists[l].count, count);
        }
        return OX_OK;
}

/* Scan (8: a batch axis and sequence_lens; 9, 11, 16, 19, 21 and later: axes to scan are attributes). State keeps its
   shape in every iteration, by the text of all versions. */
enum ox_code control_scan(struct infer *f, const struct scope *scope, struct node *n)
{
        struct scan s = {.body = control_graph(f, n, "body"), .batched = n->row->since < 9};
        int64_t n_scan = attr_int_or(n, "num_scan_inputs", 0);

        s.first = s.batched ? 1 : 0;
        if (!s.body)
                return control_missing(n, "body");
        if (n_scan < 1 || n_scan > n->n_in - s.first)
                return node_error(n, REASON_BODY_ARITY, -1, "num_scan_inputs is %lld of %d inputs", (long long)n_scan,
                                  n->n_in - s.first);
        s.n_scan = (size_t)n_scan;
        s.n_state = (size_t)(n->n_in - s.first) - s.n_scan;
        if (s.body->n_input != s.n_state + s.n_scan || s.body->n_output < s.n_state ||
            (size_t)n->n_out > s.body->n_output)
                return node_error(n, REASON_BODY_ARITY, -1,
                                  "the body has %zu inputs and %zu outputs, the node gives it %zu and takes %d",
                                  s.body->n_input, s.body->n_output, s.n_state + s.n_scan, n->n_out);
        TRY(check_scan_lists(n, &s));
        struct carry c = {.body = s.body, .n_args = s.n_state + s.n_scan, .n_state = s.n_state, .same_sizes = true};

        c.args = arena_new_array(f->arena, struct value, c.n_args);
        c.outputs = arena_new_array(f->arena, struct value, s.body->n_output);
        TRY(scan_inputs(n, &s, c.args));
        c.is_unreached = dim_is(s.length, 0);
        TRY(carry(f, scope, n, &c));
        TRY(check_carried(n, &c, 0, s.first, s.n_state));
        return scan_outputs(n, &s, &c);
}
