/* Walks iterations one by one, which is more exact than one walk that holds for all. */
#include "base/bounds.h"
#include "infer/internal.h"
#include "ops/node/input.h"

static const struct type unknown_tensor = {.kind = TYPE_TENSOR, .rank = RANK_UNKNOWN};

/* A stretch of iterations; they may hold others. */
struct unroll {
        struct infer *f;
        const struct scope *scope;
        struct node *n;
        const OnnxGraph *body;
        struct value *args, *outputs;
        uint64_t before; /* nodes walked before the stretch */
        bool outermost;
        bool reports; /* the faults of an iteration, not reported yet */
};

/* False if `count` iterations of `cost` nodes exceed the remaining budget. */
static bool unroll_begin(struct unroll *u, int64_t count, uint64_t cost)
{
        struct infer *f = u->f;

        u->before = f->nodes;
        u->outermost = f->unroll_end == 0;
        if (u->outermost && f->unrolled >= UNROLL_NODES)
                return false;
        uint64_t end = u->outermost ? f->nodes + UNROLL_NODES - f->unrolled : f->unroll_end;

        if (f->nodes >= end || (uint64_t)count > (end - f->nodes) / (cost + graph_cost(u->body)))
                return false;
        f->unroll_end = end;
        u->args = arena_new_array(f->arena, struct value, u->body->n_input);
        u->outputs = arena_new_array(f->arena, struct value, u->body->n_output);
        return true;
}

static void unroll_done(struct unroll *u)
{
        if (!u->outermost)
                return;
        u->f->unrolled += u->f->nodes - u->before;
        u->f->unroll_end = 0;
}

/* Walks one iteration. False past the budget, and if it is faulty: then a walk that holds for all is as good. A fault
   in it is a fault of the model, since it is certain to run. */
static bool unroll_next(struct unroll *u)
{
        struct infer *f = u->f;

        if (f->nodes >= f->unroll_end)
                return false;
        struct body_mark mark = body_mark(f);
        uint32_t held = dim_hold(f->dims, dim_symbol_count(f->dims));
        bool walked =
                body_walk(f, u->scope, u->n, "body", u->body, u->args, u->body->n_input, u->outputs, u->body->n_output);
        bool good = walked && f->diags.errors == mark.diags.errors;
        struct diags found = f->diags;

        dim_release(f->dims, held);
        body_rewind(f, &mark);
        if (!good && u->reports)
                f->diags = found;
        return good;
}

/* -- Loop -- */

/* What is stacked: the type that every iteration must give (Loop: it is an error if it changes), and the elements of
   all of them as long as each is known. */
struct stack {
        struct type type;
        const struct content **part; /* of each iteration */
        size_t parts, room, count;   /* `count` elements in all */
        bool with_contents;
};

static void stack_elements(struct unroll *u, struct stack *s, const struct content *content)
{
        content = content_read(content);
        if (!content || s->count + content->count > (size_t)u->f->limits->content_elements) {
                s->with_contents = false;
                return;
        }
        if (s->parts == s->room) {
                size_t room = 2 * s->room + 4;

                s->part = arena_grow(u->f->arena, s->part, s->room * sizeof(*s->part), room * sizeof(*s->part));
                s->room = room;
        }
        s->part[s->parts++] = content;
        s->count += content->count;
}

static const struct content *stacked(struct arena *arena, const struct stack *s)
{
        struct content *content = content_new(arena, s->count);
        size_t at = 0;

        for (size_t k = 0; k < s->parts; k++)
                for (size_t i = 0; i < s->part[k]->count; i++)
                        content_set(content, at++, content_at(s->part[k], i));
        return content;
}

static void stack_push(struct unroll *u, struct stack *s, const struct value *value, bool is_first)
{
        struct node *n = u->n;
        struct type type = value->type;

        if (s->with_contents)
                stack_elements(u, s, value->content);
        if (is_first) {
                s->type = type;
                return;
        }
        bool alike = type_is_tensor(&s->type) && type_kinds_agree(&s->type, &type) && s->type.rank == type.rank;
        struct dim *dims = arena_new_array(n->arena, struct dim, alike && type.rank > 0 ? (size_t)type.rank : 0);

        /* Sizes that cannot be equal are a fault of the model, and then even the rank is unknown. */
        for (int d = 0; alike && d < type.rank; d++) {
                dims[d] = dim_is_int(type.dim[d]) ? type.dim[d] : s->type.dim[d];
                alike = !dim_proves_unequal(n->dims, type.dim[d], s->type.dim[d]);
        }
        if (!alike)
                type = unknown_tensor;
        else
                type.dim = dims;
        type.elem = s->type.elem == value->type.elem ? s->type.elem : ELEM_UNDEFINED;
        s->type = type;
}

/* The condition after an iteration: 1, 0, or -1 if unknown. */
static int goes_on(const struct unroll *u)
{
        const struct content *condition = content_read(u->outputs[0].content);
        int64_t number;

        if (!condition || condition->count != 1 || !scalar_is_number(content_at(condition, 0), &number))
                return -1;
        return number != 0;
}

/* Walks iterations until the condition or `most` ends them. */
static bool unroll_all(struct unroll *u, size_t n_state, int64_t most, struct stack *stacks, int64_t *ret_count)
{
        struct node *n = u->n;

        for (*ret_count = 0; *ret_count < most;) {
                u->args[LOOP_ITERATION].content = content_of_int(n->arena, *ret_count);
                if (!unroll_next(u))
                        return false;
                for (size_t i = 0; i < n_state; i++)
                        u->args[2 + i] = u->outputs[1 + i];
                for (int o = (int)n_state; o < n->n_out; o++)
                        stack_push(u, &stacks[o], &u->outputs[1 + o], *ret_count == 0);
                ++*ret_count;
                if (*ret_count == most)
                        return true;
                int after = goes_on(u);

                /* A loop without an initial condition looks at none, so the text; runtimes may. */
                if (after != 1)
                        return after == 0 && in_given(n, 1);
                u->args[LOOP_CONDITION].content = u->outputs[0].content;
        }
        return true;
}

/* The number of iterations unless the condition ends them; false if it is unknown whether there is a first one. */
static bool most_iterations(struct node *n, int64_t *ret)
{
        int64_t starts = 1;

        *ret = INT64_MAX;
        if ((in_given(n, 0) && !in_int(n, 0, ret)) || (in_given(n, 1) && !in_int(n, 1, &starts)))
                return false;
        return *ret > 0 && starts != 0;
}

bool unroll_loop(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body, size_t n_state,
                 struct dim count, uint64_t cost, bool report, struct value *ret, int64_t *ret_count)
{
        struct unroll u = {.f = f, .scope = scope, .n = n, .body = body, .reports = report};
        struct stack *stacks = arena_new_array(f->arena, struct stack, (size_t)n->n_out);
        int64_t most;

        if (!most_iterations(n, &most) || !unroll_begin(&u, dim_is_int(count) ? count.val : 1, cost))
                return false;
        for (int o = 0; o < n->n_out; o++)
                stacks[o] = (struct stack){.type = unknown_tensor, .with_contents = true};
        u.args[LOOP_ITERATION] = loop_told(n, body, LOOP_ITERATION);
        u.args[LOOP_CONDITION] = loop_told(n, body, LOOP_CONDITION);
        u.args[LOOP_CONDITION].content = content_of_int(f->arena, 1);
        for (size_t i = 0; i < n_state; i++)
                u.args[2 + i] = in_given(n, (int)i + 2) ? *n->in[i + 2] : (struct value){.type = type_unknown};
        bool done = unroll_all(&u, n_state, most, stacks, ret_count);

        unroll_done(&u);
        for (int o = 0; done && o < n->n_out; o++) {
                struct stack *s = &stacks[o];

                if ((size_t)o < n_state)
                        ret[o] = u.args[2 + o];
                else
                        ret[o] = (struct value){.type = s->type};
                if ((size_t)o >= n_state && s->with_contents)
                        ret[o].content = stacked(f->arena, s);
        }
        return done;
}

/* -- SequenceMap -- */

/* The common number of elements of all sequences of the node; false if one is unknown, or if they differ. */
static bool elements_of_all(const struct node *n, int64_t *ret)
{
        bool found = false;

        for (int i = 0; i < n->n_in; i++) {
                const struct value *value = n->in[i];

                if (!value || value->type.kind == TYPE_UNKNOWN)
                        return false;
                if (value->type.kind != TYPE_SEQUENCE)
                        continue;
                const struct members *members = value_members(value);

                if (!members->has_length || !members->elements || (found && !dim_is(members->length, *ret)))
                        return false;
                *ret = members->length.val;
                found = true;
        }
        return found;
}

bool unroll_map(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body, uint64_t cost,
                bool report, struct value *ret)
{
        struct unroll u = {.f = f, .scope = scope, .n = n, .body = body, .reports = report};
        struct elements **elements = arena_new_array(f->arena, struct elements *, (size_t)n->n_out);
        uint32_t first = dim_symbol_count(f->dims);
        bool good = true;
        int64_t count = 0;

        if (!elements_of_all(n, &count) || !unroll_begin(&u, count, cost))
                return false;
        for (int o = 0; o < n->n_out; o++)
                elements[o] = elements_new(f->arena, (size_t)count);
        for (int64_t at = 0; good && at < count; at++) {
                for (int i = 0; i < n->n_in; i++) {
                        u.args[i] = *n->in[i];
                        if (n->in[i]->type.kind == TYPE_SEQUENCE)
                                u.args[i] = (struct value){.type = *value_members(n->in[i])->elements->at[at]};
                }
                good = unroll_next(&u);
                for (int o = 0; good && o < n->n_out; o++) {
                        control_forget(n, o, &u.outputs[o], first);
                        elements_add(f->arena, elements[o], (size_t)at, type_keep(f->arena, u.outputs[o].type));
                }
        }
        unroll_done(&u);
        for (int o = 0; good && count > 0 && o < n->n_out; o++) {
                struct value joined = {.type = *elements[o]->at[0]};
                struct type *of = arena_new_array(f->arena, struct type, 1);

                for (int64_t i = 1; i < count; i++) {
                        struct value next = {.type = *elements[o]->at[i]};

                        joined = control_join(n, o, &joined, &next, first);
                }
                *of = joined.type;
                ret[o] = (struct value){.type = type_sequence(of)};
                value_hold(f->arena, &ret[o],
                           &(struct members){.has_length = true, .length = dim_int(count), .elements = elements[o]});
        }
        return good;
}
