/* Operators with subgraphs: If and SequenceMap, and functions shared with Loop and Scan. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"
#include "ops/kit/arith.h"
#include "ops/kit/sizes.h"
#include "ops/node/attr.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

/* Before IR version 4 a subgraph listed its initializers among its inputs, after those that the operator gives (IR.md).
   The graph without them. */
static const OnnxGraph *without_initializers(struct infer *f, const OnnxGraph *graph)
{
        struct name_map initializers = {0};
        size_t n_input = graph->n_input;

        for (const struct model_tensor *tensor = graph_initializers(graph)->first; tensor; tensor = tensor->next)
                map_put(f, &initializers, tensor->name, 0);
        while (n_input > 0 && graph->input[n_input - 1]->name &&
               map_get(&initializers, str_intern_z(f->strings, graph->input[n_input - 1]->name)) >= 0)
                n_input--;
        if (n_input == graph->n_input)
                return graph;
        struct model_graph *copy = arena_new_array(f->arena, struct model_graph, 1);

        *copy = *(const struct model_graph *)graph;
        copy->proto.n_input = n_input;
        return &copy->proto;
}

const OnnxGraph *control_graph(struct infer *f, const struct node *n, const char *name)
{
        const struct model_attribute *attribute = attr_find(n, name);
        const OnnxGraph *graph = attribute ? attribute_graph(attribute) : NULL;

        return graph && graph_initializers(graph)->count && f->ir_version < 4 ? without_initializers(f, graph) : graph;
}

enum ox_code control_missing(struct node *n, const char *name)
{
        return node_error(n, REASON_MISSING_ATTRIBUTE, -1, "attribute %s holds no graph", name);
}

enum ox_code control_single(struct node *n, int i)
{
        struct dim elements;

        if (!type_elements(n->dims, in_type(n, i), &elements) || !dim_is_int(elements) || elements.val == 1)
                return OX_OK;
        return node_error(n, REASON_LENGTH_MISMATCH, i, "input %d must have one element, got %lld", i,
                          (long long)elements.val);
}

/* -- code that never runs -- */

struct unreached control_enter_unreached(struct infer *f, bool is_unreached)
{
        f->unreached += is_unreached;
        return (struct unreached){.is_unreached = is_unreached, .diags = f->diags, .n_constraint = f->n_constraint};
}

void control_leave_unreached(struct infer *f, const struct unreached *mark, bool walked)
{
        f->unreached -= mark->is_unreached;
        if (!mark->is_unreached || !walked)
                return;
        for (size_t i = mark->diags.count; i < f->diags.count; i++)
                f->diags.at[i].severity = OX_INFO;
        f->diags.errors = mark->diags.errors;
        f->diags.warnings = mark->diags.warnings;
        f->n_constraint = mark->n_constraint;
}

/* -- joining -- */

/* The symbol chosen for a pair of alternative sizes; the same pair always gets the same symbol. */
struct pairs {
        struct dim a[PAIRS], b[PAIRS], joined[PAIRS];
        int count;
};

struct differ {
        struct node *n;
        int output;
        const struct type *a, *b;
        uint32_t free_since;
        struct pairs *pairs; /* NULL: each time other ones */
};

static struct dim size_of(const struct type *type, int axis)
{
        while (type_within(type))
                type = type->of;
        return type->dim[axis];
}

/* A dimension that stands for both sizes. */
static struct dim joined_size(struct node *n, int output, int axis, bool each)
{
        const char *op = node_op(n);
        struct dim size = out_fresh_numbered(n, output, axis, each ? arena_printf(n->arena, "%s_each", op) : op);

        dim_symbol_joins(n->dims, size);
        return size;
}

/* A symbol that already stands for any size is kept. */
static struct dim differ(void *user, int axis)
{
        struct differ *d = user;
        struct pairs *p = d->pairs;
        struct dim a = size_of(d->a, axis), b = size_of(d->b, axis);
        uint32_t symbol;

        if (dim_as_symbol(d->n->dims, a, &symbol) && symbol >= d->free_since)
                return a;
        for (int i = 0; p && i < p->count; i++)
                if (dim_same(p->a[i], a) && dim_same(p->b[i], b))
                        return p->joined[i];
        struct dim joined = joined_size(d->n, d->output, axis, d->free_since != UINT32_MAX);

        /* Of what is carried the next iteration may make more. */
        if (d->free_since == UINT32_MAX)
                size_between(d->n, joined, a, b);
        if (p && p->count < PAIRS) {
                p->a[p->count] = a;
                p->b[p->count] = b;
                p->joined[p->count++] = joined;
        }
        return joined;
}

/* Whether a sequence or optional is empty, so that its type says nothing about sizes. */
static bool is_empty(const struct value *value)
{
        const struct members *members = value_members(value);

        return (value->type.kind == TYPE_SEQUENCE || value->type.kind == TYPE_OPTIONAL) && members->has_length &&
               dim_is(members->length, 0);
}

static const struct content *join_contents(struct node *n, const struct value *a, const struct value *b)
{
        const struct content *x = content_read(a->content), *y = content_read(b->content);
        size_t same = 0, lost = 0;

        if (!x || !y || x == y || x->count != y->count)
                return x == y ? a->content : NULL;
        struct content *joined = content_new(n->arena, x->count);

        for (size_t i = 0; i < x->count; i++) {
                struct scalar s = content_at(x, i);
                bool is_same = scalar_same(s, content_at(y, i));

                content_set(joined, i, is_same ? s : scalar_unknown());
                same += is_same;
                lost += s.kind != SCALAR_UNKNOWN && !is_same;
        }
        if (lost == 0)
                return a->content;
        return same > 0 ? joined : NULL;
}

/* The types of elements that are the same in both, from the first on. */
static struct elements *join_elements(const struct members *a, const struct members *b)
{
        if (!a->elements || !b->elements)
                return NULL;
        for (int64_t i = 0; a->elements != b->elements && i < a->length.val; i++)
                if (!type_same(a->elements->at[i], b->elements->at[i]))
                        return NULL;
        return a->elements;
}

/* Whether both are tensors, or made of tensors, of different known ranks. */
static bool ranks_differ(const struct type *a, const struct type *b, int *ret_a, int *ret_b)
{
        for (; type_within(a) && type_within(b); a = a->of, b = b->of)
                if (a->kind != b->kind)
                        return false;
        *ret_a = a->rank;
        *ret_b = b->rank;
        return type_has_shape(a) && type_has_shape(b) && a->rank != b->rank;
}

/* The number of elements that both have, or, of what is carried, that each iteration may find. */
static void join_lengths(const struct differ *d, const struct members *a, const struct members *b,
                         struct members *joined)
{
        uint32_t symbol;
        bool is_same = a->has_length && b->has_length && dim_same(a->length, b->length);

        joined->has_length = is_same || (a->has_length && b->has_length && d->free_since != UINT32_MAX &&
                                         d->a->kind == TYPE_SEQUENCE && d->b->kind == TYPE_SEQUENCE);
        if (!joined->has_length)
                return;
        if (is_same || (dim_as_symbol(d->n->dims, a->length, &symbol) && symbol >= d->free_since))
                joined->length = a->length;
        else
                joined->length = joined_size(d->n, d->output, -1, true);
        if (is_same)
                joined->elements = join_elements(a, b);
}

static void join_members(const struct differ *d, const struct value *a, const struct value *b, struct value *joined)
{
        const struct members *x = value_members(a), *y = value_members(b);
        struct members both = {.has_length = false};

        if (!a->members && !b->members)
                return;
        join_lengths(d, x, y, &both);
        if (x->along == y->along)
                both.along = x->along;
        value_hold(d->n->arena, joined, &both);
}

/* Joins two values with all facts applied. */
static struct value join(struct node *n, int output, struct value *a, struct value *b, uint32_t free_since,
                         struct pairs *pairs)
{
        value_resolve(n->arena, n->dims, a);
        value_resolve(n->arena, n->dims, b);

        struct differ d = {n, output, &a->type, &b->type, free_since, pairs};
        int ranks[2];
        struct value joined = {.type = type_unknown};

        if (is_empty(a) && type_kinds_agree(&a->type, &b->type))
                joined.type = b->type;
        else if (is_empty(b) && type_kinds_agree(&a->type, &b->type))
                joined.type = a->type;
        else
                joined.type = type_join(n->arena, n->dims, &a->type, &b->type, differ, &d);
        joined.type.undecided =
                a->type.undecided || b->type.undecided || ranks_differ(&a->type, &b->type, &ranks[0], &ranks[1]);
        join_members(&d, a, b, &joined);
        if (type_same(&a->type, &b->type)) /* elements go with one shape */
                joined.content = join_contents(n, a, b);
        return joined;
}

struct value control_join(struct node *n, int output, struct value *a, struct value *b, uint32_t free_since)
{
        return join(n, output, a, b, free_since, NULL);
}

/* -- symbols made within an iteration -- */

static struct type forget_type(struct node *n, int o, struct type type, uint32_t first)
{
        if (type_within(&type)) {
                struct type *of = arena_new_array(n->arena, struct type, 1);

                *of = forget_type(n, o, *type.of, first);
                type.of = of;
        }
        if (!type_is_tensor(&type) || type.rank <= 0)
                return type;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)type.rank);

        for (int d = 0; d < type.rank; d++)
                dims[d] = dim_names_since(n->dims, type.dim[d], first) ? out_fresh(n, o, d) : type.dim[d];
        type.dim = dims;
        return type;
}

static const struct content *forget_content(struct node *n, const struct content *content, uint32_t first)
{
        content = content_read(content);
        if (!content || !content_may_have_symbols(content))
                return content;
        struct content *kept = content_new(n->arena, content->count);

        for (size_t i = 0; i < content->count; i++) {
                struct scalar s = content_at(content, i);
                bool inner = (s.kind == SCALAR_INT || s.kind == SCALAR_RATIO) && dim_names_since(n->dims, s.d, first);

                content_set(kept, i, inner ? scalar_unknown() : s);
        }
        return kept;
}

static void forget_members(struct node *n, int o, struct value *value, uint32_t first)
{
        struct members kept = *value->members;

        if (kept.has_length && dim_names_since(n->dims, kept.length, first))
                kept.has_length = false;
        if (kept.along && dim_names_since(n->dims, kept.along->total, first))
                kept.along = NULL;
        if (!kept.has_length || !dim_is_int(kept.length))
                kept.elements = NULL;
        if (kept.elements) {
                size_t count = (size_t)kept.length.val;
                struct elements *elements = elements_new(n->arena, count);

                for (size_t i = 0; i < count; i++) {
                        struct type element = forget_type(n, o, *kept.elements->at[i], first);

                        elements_add(n->arena, elements, i, type_keep(n->arena, element));
                }
                kept.elements = elements;
        }
        value_hold(n->arena, value, &kept);
}

void control_forget(struct node *n, int o, struct value *value, uint32_t first)
{
        value->type = forget_type(n, o, value->type, first);
        value->content = forget_content(n, value->content, first);
        if (value->members)
                forget_members(n, o, value, first);
}

/* -- If (1, 11, 13, 16, 19, 21 and later: the versions differ in types alone) -- */

/* Faults that depend on the values of a run: runtimes do not refuse a model for them before they reach the node. */
static bool is_of_run(const struct ox_diag *diag)
{
        static const enum reason reasons[] = {REASON_INDEX_OUT_OF_RANGE, REASON_EMPTY_SEQUENCE, REASON_EMPTY_OPTIONAL,
                                              REASON_NEGATIVE_SIZE, REASON_STEP_ZERO};

        for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
                if (strcmp(diag->reason, reason_word(reasons[i])) == 0)
                        return true;
        return false;
}

/* A fault in a branch that may not be taken is reported, but is not an error of the model. */
static void soften(struct diags *diags, size_t since)
{
        for (size_t i = since; i < diags->count; i++) {
                if (diags->at[i].severity != OX_ERROR || !is_of_run(&diags->at[i]))
                        continue;
                diags->at[i].severity = OX_WARNING;
                diags->errors--;
                diags->warnings++;
        }
}

/* Walks a branch. If it is `taken`, its facts hold outside. */
static bool walk_branch(struct infer *f, const struct scope *scope, struct node *n, const char *name,
                        const OnnxGraph *branch, bool taken, bool unreached, struct value *outputs)
{
        struct unreached mark = control_enter_unreached(f, unreached);
        uint32_t held = taken ? 0 : dim_hold(f->dims, dim_symbol_count(f->dims));
        bool walked = body_walk(f, scope, n, name, branch, NULL, 0, outputs, (size_t)n->n_out);

        if (!taken)
                dim_release(f->dims, held);
        control_leave_unreached(f, &mark, walked);
        if (!taken && !unreached)
                soften(&f->diags, mark.diags.count);
        return walked;
}

enum ox_code control_if(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *branch[2] = {control_graph(f, n, "then_branch"), control_graph(f, n, "else_branch")};
        const char *const name[2] = {"then_branch", "else_branch"};
        struct value *outputs[2];
        int64_t condition;
        bool known = in_int(n, 0, &condition);
        struct pairs pairs = {.count = 0};
        int rank[2];

        TRY(control_single(n, 0));
        for (int b = 0; b < 2; b++) {
                if (!branch[b])
                        return control_missing(n, name[b]);
                if (branch[b]->n_output != (size_t)n->n_out)
                        return node_error(n, REASON_BODY_ARITY, -1, "%s has %zu outputs, the node has %d", name[b],
                                          branch[b]->n_output, n->n_out);
                outputs[b] = arena_new_array(f->arena, struct value, (size_t)n->n_out);
                bool taken = known && (condition != 0) == (b == 0);

                if (!walk_branch(f, scope, n, name[b], branch[b], taken, known && !taken, outputs[b]))
                        return OX_RESOURCE_EXHAUSTED;
        }
        for (int o = 0; o < n->n_out; o++) {
                struct value *a = &outputs[0][o], *b = &outputs[1][o];

                if (!type_kinds_agree(&a->type, &b->type))
                        return node_error(n, REASON_TYPE_MISMATCH, -1, "the branches give output %d different types",
                                          o);
                n->out[o] = known ? (condition ? *a : *b) : join(n, o, a, b, UINT32_MAX, &pairs);
                if (!known && out_wanted(n, o) && ranks_differ(&a->type, &b->type, &rank[0], &rank[1]))
                        node_note(n, REASON_RANK_UNDECIDED, -1,
                                  "output %d (%s) has rank %d when the condition is true and rank %d when it is false",
                                  o, out_name(n, o), rank[0], rank[1]);
        }
        return OX_OK;
}

/* -- SequenceMap (17) -- */

/* Walks the body once, with a type that holds for all elements. */
static bool map_any(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body,
                    struct value *ret)
{
        struct value *args = arena_new_array(f->arena, struct value, body->n_input);
        uint32_t first = dim_symbol_count(f->dims), held = dim_hold(f->dims, first);

        for (int i = 0; i < n->n_in; i++) {
                const struct type *type = in_type(n, i);

                args[i] = in_given(n, i) ? *n->in[i] : (struct value){.type = type_unknown};
                if (type->kind == TYPE_SEQUENCE)
                        args[i] = (struct value){.type = *type->of};
        }
        struct unreached mark = control_enter_unreached(f, in_given(n, 0) && is_empty(n->in[0]));
        bool walked = body_walk(f, scope, n, "body", body, args, body->n_input, ret, body->n_output);

        control_leave_unreached(f, &mark, walked);
        dim_release(f->dims, held);
        for (int o = 0; walked && o < n->n_out; o++) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                control_forget(n, o, &ret[o], first);
                *of = ret[o].type;
                ret[o] = (struct value){.type = type_sequence(of)};
                if (in_given(n, 0) && value_members(n->in[0])->has_length)
                        value_hold(n->arena, &ret[o],
                                   &(struct members){.has_length = true, .length = n->in[0]->members->length});
        }
        return walked;
}

/* Outputs are sequences of tensors (SequenceMap-17): sequences of sequences might be mapped to ever deeper types. */
static enum ox_code check_mapped(struct node *n, const struct value *outputs)
{
        for (int o = 0; o < n->n_out; o++) {
                const struct type *of = outputs[o].type.of;

                if (of->kind != TYPE_UNKNOWN && !type_is_tensor(of))
                        return node_error(n, REASON_TYPE_MISMATCH, -1, "output %d of the body must be a tensor", o);
        }
        return OX_OK;
}

enum ox_code control_sequence_map(struct infer *f, const struct scope *scope, struct node *n)
{
        const OnnxGraph *body = control_graph(f, n, "body");

        if (!body)
                return control_missing(n, "body");
        if (body->n_input != (size_t)n->n_in || body->n_output != (size_t)n->n_out)
                return node_error(n, REASON_BODY_ARITY, -1,
                                  "the body has %zu inputs and %zu outputs, the node %d and %d", body->n_input,
                                  body->n_output, n->n_in, n->n_out);
        if (in_type(n, 0)->kind != TYPE_SEQUENCE && in_type(n, 0)->kind != TYPE_UNKNOWN)
                return node_error(n, REASON_TYPE_MISMATCH, 0, "input 0 must be a sequence");
        struct value *outputs = arena_new_array(f->arena, struct value, body->n_output);
        uint64_t before = f->nodes;
        size_t errors = f->diags.errors;

        if (!map_any(f, scope, n, body, outputs))
                return OX_RESOURCE_EXHAUSTED;
        TRY(check_mapped(n, outputs));
        unroll_map(f, scope, n, body, f->nodes - before, f->diags.errors == errors, outputs);
        for (int o = 0; o < n->n_out; o++)
                n->out[o] = outputs[o];
        return OX_OK;
}
