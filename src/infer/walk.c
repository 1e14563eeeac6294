/* Walks the nodes of a graph or a function's body, each with a partial result. */
#include <string.h>

#include "base/bounds.h"
#include "base/nearest.h"
#include "infer/internal.h"
#include "ops/kit/broadcast.h"
#include "ops/node/check.h"
#include "ops/node/prepare.h"

/* -- one node -- */

/* What was found of the values that a node takes. */
struct taken {
        bool is_whole;  /* none is missing */
        bool undecided; /* data decides the rank of one among proven ones */
};

static struct taken find_inputs(struct infer *f, const struct scope *scope, const struct model_node *node,
                                const struct value **ret)
{
        struct taken taken = {.is_whole = true};

        for (size_t i = 0; i < node->n_input; i++) {
                const str_id name = node_input(node, i);
                struct result_value *entry = name == STR_EMPTY ? NULL : scope_find(f, scope, name);

                if (!entry || entry->is_absent) {
                        ret[i] = NULL;
                        taken.is_whole = taken.is_whole && (entry || name == STR_EMPTY);
                        continue;
                }
                entry_resolve(f, entry);
                const struct type *type = &entry->value.type;

                ret[i] = &entry->value;
                taken.undecided |= type->undecided && !type_has_shape(type);
        }
        return taken;
}

/* The nearest name visible to the node. */
static const char *suggest_value(const struct infer *f, const struct scope *scope, const char *name)
{
        struct nearest near;

        /* A name of two letters is near too many others. */
        if (f->diags.count >= HINTS_SOUGHT || strlen(name) < 3)
                return NULL;
        nearest_begin(&near, name, strlen(name));
        for (size_t i = f->n_entry; i > 0 && f->n_entry - i < NAMES_SEARCHED; i--) {
                const struct result_value *entry = entry_at(f, i - 1);

                for (const struct scope *at = scope; at; at = at->parent)
                        if (at->path == result_scope(entry))
                                nearest_try(&near, entry_name(f, entry));
        }
        return near.best ? arena_printf(f->arena, "did you mean %s?", near.best) : NULL;
}

static void note_missing(struct infer *f, const struct scope *scope, const struct node *n)
{
        for (int i = 0; i < n->n_in; i++) {
                const str_id id = node_input(n->source, (size_t)i);
                const char *name = str_text(f->strings, id);

                if (id != STR_EMPTY && !scope_find(f, scope, id))
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_UNKNOWN_INPUT,
                                                  .scope = scope->path,
                                                  .node = n->source,
                                                  .node_index = n->index,
                                                  .has_input = true,
                                                  .input = i,
                                                  .value = name,
                                                  .hint = suggest_value(f, scope, name)},
                                   "nothing defines input %d, %s", i, name);
        }
}

static void outputs_unknown(struct node *n)
{
        for (int o = 0; o < n->n_out; o++)
                n->out[o] = (struct value){.type = type_unknown};
}

static enum ox_code run_control(struct infer *f, const struct scope *scope, struct node *n)
{
        switch (n->row->control) {
        case CONTROL_IF:
                return control_if(f, scope, n);
        case CONTROL_LOOP:
                return control_loop(f, scope, n);
        case CONTROL_SCAN:
                return control_scan(f, scope, n);
        case CONTROL_SEQUENCE_MAP:
                return control_sequence_map(f, scope, n);
        case CONTROL_NONE:
                break;
        }
        return OX_OK;
}

/* Reports faults of arithmetic in the rule's dimensions. */
static enum ox_code check_faults(struct node *n)
{
        unsigned faults = dim_take_faults(n->dims);

        if (faults & DIM_FAULT_CONCRETE_OVERFLOW)
                return node_error(n, REASON_DIM_OVERFLOW, -1, "a size does not fit 64 bits");
        if (faults)
                node_warn(n, REASON_EXPRESSION_LIMIT, -1, "an expression %s; a new symbol stands for it",
                          faults & DIM_FAULT_ZERO_DIVISOR ? "divides by zero"
                          : faults & DIM_FAULT_OVERFLOW   ? "overflows"
                                                          : "grew past its limits");
        return OX_OK;
}

/* What is left of the outputs of a node whose rule found a fault: the types that its row tells from those of its
   inputs, unless it is these that are at fault, and what does not hang on sizes. */
static void outputs_failed(struct infer *f, struct node *n)
{
        bool is_told = f->diags.count > 0 && f->diags.count < DIAGS_KEPT;

        dim_take_faults(f->dims);
        if (is_told && strcmp(f->diags.at[f->diags.count - 1].reason, reason_word(REASON_TYPE_MISMATCH)) != 0) {
                op_prepare_outputs(n);
                salvage_outputs(f, n);
        } else {
                outputs_unknown(n);
        }
}

/* An operator without a rule of its own. */
static enum ox_code run_other(struct infer *f, const struct scope *scope, struct node *n, const struct op_use *use)
{
        if (!n->row) {
                row_note_none(f, n, use->exists);
                return OX_OK;
        }
        TRY(op_check_node(n, f->options->check_types));
        if (n->row->control != CONTROL_NONE)
                return run_control(f, scope, n);
        f->without_rule++;
        node_warn(n, REASON_NO_RULE, -1, "there is no rule for its shapes yet");
        return OX_OK;
}

/* The row's rule, for a node that was checked and whose outputs are prepared. */
static enum ox_code run_checked(struct infer *f, struct node *n)
{
        if (n->row->rule(n) != OX_OK) {
                outputs_failed(f, n);
                return OX_OK;
        }
        if (n->row->contents)
                n->row->contents(n);
        else if (n->row->element)
                content_broadcast(n, n->row->element);
        return check_faults(n);
}

static enum ox_code run_rule(struct infer *f, const struct scope *scope, struct node *n, const struct op_use *use)
{
        n->row = use->row;
        if (!n->row && use->exists)
                n->row = row_find_other(n);
        if (use->is_prepared && n->n_out == 1)
                op_prepare_output(n, &use->prepared);
        else
                op_prepare_outputs(n);
        if (!n->row || n->row->control != CONTROL_NONE || !n->row->rule)
                return run_other(f, scope, n, use);
        TRY(op_check_node(n, f->options->check_types));
        return run_checked(f, n);
}

/* Whether a value has its sizes from an input of its node, where their symbols stood before. */
static bool shares_sizes(const struct node *n, const struct type *type)
{
        for (int i = 0; i < n->n_in && i < FEW_VALUES; i++)
                if (n->in[i] && type->dim && n->in[i]->type.dim == type->dim)
                        return true;
        return false;
}

/* What is made of a value whose rank data decides among proven ones has no rank that a declaration could tell. */
static void pass_undecided(struct node *n)
{
        for (int o = 0; o < n->n_out; o++)
                if (!type_has_shape(&n->out[o].type))
                        n->out[o].type.undecided = true;
}

/* Merges an output with its declared type, number `declared` of the scope. */
static void merge_output(struct infer *f, const struct scope *scope, const struct node *n, size_t declared,
                         struct result_value *entry)
{
        struct declare_site site = {.scope = scope->path,
                                    .value = entry_name(f, entry),
                                    .node = n->source,
                                    .in_function = scope->frame != NULL,
                                    .repeats = scope->repeats,
                                    .without_shape = declared < scope->n_without_shape};
        const OnnxType *proto = scope->declaration[declared]->type;
        struct type type = declare_type(f, proto, &site);

        entry->declared_type = true;
        merge_declared(f, &entry->value, &type, &site, n->index);
        if (!site.in_function)
                entry_declare(f, entry, merge_declared_shape(f, &entry->value.type, &type, proto));
}

static void note_twice(struct infer *f, const struct scope *scope, const struct node *n,
                       const struct result_value *entry)
{
        infer_note(f,
                   &(struct note){.severity = OX_ERROR,
                                  .reason = REASON_DUPLICATE_NAME,
                                  .scope = scope->path,
                                  .node = n->source,
                                  .node_index = n->index,
                                  .value = entry_name(f, entry)},
                   "%s is defined twice: as %s and again as %s", entry_name(f, entry),
                   entry_party(f, scope_find(f, scope, entry->name)), entry_party(f, entry));
}

/* Output `o`, as the value of `entry`, where the next one comes. `bindings`: of the table of dimensions, as of which it
   is resolved. */
static inline void define_output(struct infer *f, struct scope *scope, const struct node *n, int o, uint32_t bindings,
                                 struct result_value *entry)
{
        entry->name = node_output(n->source, (size_t)o);
        entry->more = scope->more;
        entry->made_by = n->source;
        entry->place = (uint32_t)n->index;
        entry->bindings = bindings;
        entry->kind = OX_KIND_INTERMEDIATE;
        entry->is_output = entry->is_absent = entry->declared_type = false;
        if (scope->declared_some >> entry->name % 64 & 1) {
                const int64_t declared = map_get(&scope->declared, entry->name);

                if (declared >= 0)
                        merge_output(f, scope, n, (size_t)declared, entry);
        }
        if (!shares_sizes(n, &entry->value.type))
                entry_place(f, &entry->value.type, entry_name(f, entry));
        if (!entry_keep(f, scope, entry))
                note_twice(f, scope, n, entry);
}

/* An output may stand where its entry comes already. */
static void define_outputs(struct infer *f, struct scope *scope, const struct node *n, uint32_t bindings)
{
        for (int o = 0; o < n->n_out; o++) {
                if (node_output(n->source, (size_t)o) == STR_EMPTY)
                        continue;
                struct result_value *entry = entry_room(f);

                if (&n->out[o] != &entry->value)
                        entry->value = n->out[o];
                define_output(f, scope, n, o, bindings, entry);
        }
}

static void set_origin(struct infer *f, const struct scope *scope, const struct node *n)
{
        struct dim_origin origin = {
                .value = n->n_out > 0 ? out_name(n, 0) : "",
                .axis = -1,
                .op = node_op(n),
                .node = node_name(n),
                .scope = scope->path,
                .node_index = n->index,
        };

        dim_set_origin(f->dims, &origin);
}

static void run(struct infer *f, const struct scope *scope, struct node *n, const struct op_use *use)
{
        enum ox_code code;

        set_origin(f, scope, n);
        if (use->function) {
                outputs_unknown(n);
                code = function_call(f, scope, n, use->function);
        } else {
                code = run_rule(f, scope, n, use);
        }
        if (code == OX_OK)
                return;
        dim_take_faults(f->dims);
        outputs_unknown(n);
}

/* What there was before a node was run. */
struct before {
        uint32_t symbols;
        size_t errors, n_constraint;
};

static struct before before_node(const struct infer *f)
{
        return (struct before){dim_symbol_count(f->dims), f->diags.errors, f->n_constraint};
}

/* Nodes of operators with rules of their own, in the main graph: what is within bodies is walked more than once, and
   what is learned of a branch's symbols holds in it alone. */
static void share(struct infer *f, const struct scope *scope, struct node *n, const struct before *before)
{
        if (dim_symbol_count(f->dims) > before->symbols && !scope->parent && !scope->frame && n->row && n->row->rule &&
            n->row->control == CONTROL_NONE && f->diags.errors == before->errors)
                twice_share(f, n, before->n_constraint);
}

/* -- whether a node is ready -- */

struct readiness {
        const struct infer *f;
        const struct scope *scope;
        bool ready;
};

static void look_up(void *user, str_id name)
{
        struct readiness *r = user;

        r->ready = r->ready && scope_find(r->f, r->scope, name);
}

/* Whether all values that a node's subgraphs take are defined. */
static bool captures_are_there(struct infer *f, const struct scope *scope, const struct model_node *node)
{
        struct readiness r = {f, scope, true};

        if (f->has_bodies)
                sort_each_capture(f, node, look_up, &r);
        return r.ready;
}

/* Where the outputs of a node are put together. No entry is added while a rule runs, but for those within bodies: a
   single output is made where its entry comes. */
static struct value *outputs_room(struct infer *f, const struct model_node *node, const struct op_use *use,
                                  struct value few[])
{
        if (node->n_output == 1 && use->is_simple)
                return &entry_room(f)->value;
        return node->n_output > FEW_VALUES ? arena_new_array(f->arena, struct value, node->n_output) : few;
}

/* What all nodes of a scope have in common. */
static struct node node_of_scope(struct infer *f, const struct scope *scope)
{
        return (struct node){
                .arena = f->arena,
                .strings = f->strings,
                .dims = f->dims,
                .limits = f->limits,
                .diags = &f->diags,
                .ir_version = f->ir_version,
                .scope = scope->path,
                .facts = &f->facts,
                .seen = f->attr_seen,
        };
}

/* -- a node in its scope -- */

/* Fills in what differs between the nodes of a scope, but for the outputs' place. */
static void set_node(struct node *n, const struct model_node *node, int64_t index, int64_t opset,
                     const struct value *const *in)
{
        n->source = node;
        n->row = NULL;
        n->has_given = false;
        n->opset = opset;
        n->index = index;
        n->n_in = (int)node->n_input;
        n->n_out = (int)node->n_output;
        n->in = in;
}

/* Whether a value needs no check, and its rank is known or not for good. */
static bool is_tensor(const struct value *value)
{
        const struct type *type = &value->type;

        return (type_is_tensor(type) || type->kind == TYPE_UNKNOWN) && (!type->undecided || type_has_shape(type));
}

/* Whether attributes hold something by themselves: they are no references, and have no graphs. */
static bool are_plain(const struct model_node *node)
{
        const unsigned others = 1U << HELD_GRAPH | 1U << HELD_GRAPHS | 1U << HELD_REFERENCE | 1U << HELD_SEVERAL;
        const struct model_attribute *attribute = node_attributes(node);

        for (size_t i = 0; i < node->n_attribute; i++)
                if (others >> attribute[i].held & 1)
                        return false;
        return true;
}

static enum ox_code run_plain(struct infer *f, struct node *n)
{
        if (n->source->n_attribute > 0 || n->row->required)
                TRY(op_check_attributes(n, false));
        n->has_given = true;
        return run_checked(f, n);
}

/* Walks a node that takes a few tensors and makes one value, as most do: then nothing is to be checked but its
   attributes. False, and nothing is done, if it is another. */
static bool walk_plain(struct infer *f, struct scope *scope, struct node *n, const struct model_node *node,
                       int64_t index, const struct op_use *use)
{
        const struct value *in[FEW_VALUES];

        if (!use->is_plain || node->n_output != 1 || node_output(node, 0) == STR_EMPTY || node->n_input < use->least ||
            node->n_input > use->most || scope->frame || !are_plain(node))
                return false;
        for (size_t i = 0; i < node->n_input; i++) {
                const str_id name = node_input(node, i);
                struct result_value *entry = name == STR_EMPTY ? NULL : scope_find(f, scope, name);

                if (!entry || entry->is_absent || !is_tensor(&entry->value))
                        return false;
                entry_resolve(f, entry);
                in[i] = &entry->value;
        }
        spend_node(f, node);
        set_node(n, node, index, use->opset, in);
        struct result_value *entry = entry_room(f);
        const struct before before = before_node(f);
        const uint32_t bindings = dim_bindings(f->dims);

        n->row = use->row;
        n->given = 0;
        n->out = &entry->value;
        op_prepare_output(n, &use->prepared);
        set_origin(f, scope, n);
        if (run_plain(f, n) != OX_OK) {
                dim_take_faults(f->dims);
                outputs_unknown(n);
        }
        share(f, scope, n, &before);
        define_output(f, scope, n, 0, bindings, entry);
        return true;
}

/* walk_when() of any node. */
static __attribute__((noinline)) bool walk_any(struct infer *f, struct scope *scope, struct node *n,
                                               const struct model_node *node, int64_t index, bool only_ready,
                                               const struct op_use *use)
{
        const struct value *few_in[FEW_VALUES], **in = few_in;
        struct value few_out[FEW_VALUES];

        if (node->n_input > MAX_NODE_VALUES || node->n_output > MAX_NODE_VALUES)
                arena_bail(f->arena, OX_RESOURCE_EXHAUSTED, "a node has more than %d inputs or outputs",
                           MAX_NODE_VALUES);
        if (node->n_input > FEW_VALUES)
                in = (const struct value **)arena_array(f->arena, node->n_input, sizeof(*in));
        struct taken taken = find_inputs(f, scope, node, in);

        if (only_ready && !(taken.is_whole && captures_are_there(f, scope, node)))
                return false;
        spend_node(f, node);
        if (scope->frame)
                function_spend(f, scope, node);
        const struct model_node *resolved = node->n_attribute > 0 ? function_resolve(f, scope, node) : node;

        node = resolved ? resolved : node;
        set_node(n, node, index, use->opset, in);
        n->out = outputs_room(f, node, use, few_out);
        const struct before before = before_node(f);
        const uint32_t bindings = dim_bindings(f->dims);

        if (taken.is_whole && resolved) {
                run(f, scope, n, use);
                share(f, scope, n, &before);
        } else {
                outputs_unknown(n);
                if (!taken.is_whole)
                        note_missing(f, scope, n);
                else
                        node_diagnose(n, OX_ERROR, REASON_MISSING_ATTRIBUTE, -1,
                                      "refers to an attribute that the function around it does not have");
        }
        if (taken.undecided)
                pass_undecided(n);
        /* Outputs of a rule are resolved if its inputs are. A function's outputs may be those of an earlier call. */
        define_outputs(f, scope, n, n->row ? bindings : 0);
        return true;
}

/* Walks a node, for which `n` is filled in; with `only_ready`, returns false and does nothing if a value that it or its
   subgraphs take is not defined yet. */
static bool walk_when(struct infer *f, struct scope *scope, struct node *n, const struct model_node *node,
                      int64_t index, bool only_ready)
{
        const struct op_use *use = opsets_use(f, scope->opsets, node->op);

        return walk_plain(f, scope, n, node, index, use) || walk_any(f, scope, n, node, index, only_ready, use);
}

void walk_node(struct infer *f, struct scope *scope, const struct model_node *node, int64_t index)
{
        struct node n = node_of_scope(f, scope);

        walk_when(f, scope, &n, node, index, false);
}

/* -- a list of nodes -- */

/* The last `count` nodes of a list, the first of which is `node`, number `first` in it, in sorted order. */
static void walk_sorted(struct infer *f, struct scope *scope, struct node *n, const struct model_node *node,
                        size_t first, size_t count)
{
        size_t cyclic, n_node = 0;
        const char *cycle;
        const struct model_node **nodes = (const struct model_node **)arena_array(f->arena, count, sizeof(*nodes));

        for (; node; node = node->next)
                nodes[n_node++] = node;
        const uint32_t *order = sort_nodes(f, nodes, count, first, &cyclic, &cycle);
        bool moved = false;

        for (size_t i = 1; i < count - cyclic; i++)
                moved = moved || order[i] < order[i - 1];
        if (moved)
                infer_note(f,
                           &(struct note){.severity = OX_WARNING,
                                          .reason = REASON_UNSORTED_NODES,
                                          .scope = scope->path,
                                          .node = nodes[0],
                                          .node_index = (int64_t)first},
                           "nodes are not in topological order; they were sorted");
        if (cyclic) {
                size_t at = order[count - cyclic];

                infer_note(f,
                           &(struct note){.severity = OX_ERROR,
                                          .reason = REASON_CYCLE,
                                          .scope = scope->path,
                                          .node = nodes[at],
                                          .node_index = (int64_t)(first + at)},
                           "nodes depend on each other in a cycle: %s; %zu nodes cannot be sorted", cycle, cyclic);
        }
        for (size_t i = 0; i < count; i++)
                walk_when(f, scope, n, nodes[order[i]], (int64_t)(first + order[i]), false);
}

void walk_nodes(struct infer *f, struct scope *scope, const struct node_list *nodes)
{
        struct node n = node_of_scope(f, scope);
        size_t index = 0;

        for (const struct model_node *node = nodes->first; node; node = node->next, index++) {
                if (!walk_when(f, scope, &n, node, (int64_t)index, true)) {
                        walk_sorted(f, scope, &n, node, index, nodes->count - index);
                        return;
                }
        }
}
