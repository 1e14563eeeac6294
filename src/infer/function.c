/* Model-local functions (IR.md): found by domain, name and overload, inferred anew for each kind of call. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"
#include "ops/kit/arith.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

/* The results of a call for its arguments, kept so that doubling chains of calls stay linear. */
struct function_memo {
        struct function_memo *next; /* made before, of any function */
        struct function_memo *same; /* made before, of the same function */
        struct function *function;
        const struct model_node *call; /* whose attributes it had */
        const struct value *args;      /* for each input of the function */
        const bool *given;
        uint64_t hash;         /* of the arguments' types */
        struct value *outputs; /* for each output of the function */
        uint32_t first_symbol; /* made by the call, and standing for data of that call only */
        bool renews;           /* it made some */
        bool is_cut;           /* something in it was nested too deep; a less nested call may know more */
        bool is_unreached;     /* it was in code that never runs, so its faults were not reported */
        int depth;
};

static str_id function_key(struct infer *f, const char *domain, const char *name, const char *overload)
{
        struct buf key;

        buf_init(&key, f->arena);
        buf_printf(&key, "%s\1%s\1%s", domain ? op_canonical_domain(domain) : "", text_or_empty(name),
                   text_or_empty(overload));
        return str_intern(f->strings, key.text, key.length);
}

void function_table(struct infer *f)
{
        f->call_most = CALLED_LEAST + CALLED_FACTOR * graph_nodes(f->model->graph)->count;
        f->called_bytes_most = (uint64_t)f->limits->function_bytes + CALLED_BYTES_FACTOR * infer_kept_bytes(f);
        f->function = arena_zalloc(f->arena, f->model->n_functions * sizeof(*f->function));
        for (size_t i = 0; i < f->model->n_functions; i++) {
                const OnnxFunction *proto = f->model->functions[i];
                str_id key = function_key(f, proto->domain, proto->name, proto->overload);

                f->function[i].proto = proto;
                f->call_most += CALLED_FACTOR * function_nodes(proto)->count;
                if (!map_put(f, &f->functions, key, (uint32_t)i))
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_DUPLICATE_NAME,
                                                  .value = text_or_empty(proto->name)},
                                   "function %s of domain %s is defined twice: as functions %lld and %zu of the model; "
                                   "the first one counts",
                                   text_or_empty(proto->name), op_domain_text(text_or_empty(proto->domain)),
                                   (long long)map_get(&f->functions, key), i);
        }
}

struct function *function_find(struct infer *f, const struct model_op *op)
{
        if (!f->model || !f->model->n_functions)
                return NULL;
        int64_t at = map_get(&f->functions, function_key(f, op->domain, op->type, op->overload));

        return at < 0 ? NULL : &f->function[at];
}

/* -- references to attributes -- */

/* Maps names of attributes to their places. */
static void map_attributes(struct infer *f, OnnxAttribute *const *attributes, size_t count, struct name_map *ret)
{
        for (size_t i = 0; i < count; i++)
                if (attributes[i]->name)
                        map_put(f, ret, str_intern_static(f->strings, attributes[i]->name), (uint32_t)i);
}

/* The target of a reference: the call's attribute, else the function's default; NULL: omitted. */
static const OnnxAttribute *referenced(struct infer *f, const struct frame *frame, const char *name)
{
        str_id id = str_intern_static(f->strings, name);
        int64_t at = map_get(&frame->given, id);

        if (at >= 0)
                return node_attribute(frame->call, (size_t)at);
        at = map_get(&frame->function->defaults, id);
        return at < 0 ? NULL : frame->function->proto->attribute_proto[at];
}

static bool is_declared(struct infer *f, const struct function *function, const char *name)
{
        return map_get(&function->declared, str_intern_static(f->strings, name)) >= 0;
}

const struct model_node *function_resolve(struct infer *f, const struct scope *scope, const struct model_node *node)
{
        size_t kept = 0;
        bool refers = false;

        for (size_t a = 0; a < node->n_attribute && !refers; a++)
                refers = node_attribute(node, a)->ref_attr_name && node_attribute(node, a)->ref_attr_name[0];
        if (!refers)
                return node;
        if (!scope->frame)
                return NULL;
        struct model_node *copy = model_node_with(f->arena, node, node->n_attribute);

        for (size_t a = 0; a < node->n_attribute; a++) {
                const OnnxAttribute *attribute = node_attribute(node, a);

                if (!attribute->ref_attr_name || !attribute->ref_attr_name[0]) {
                        node_attributes(copy)[kept++] = node_attributes(node)[a];
                        continue;
                }
                const OnnxAttribute *target = referenced(f, scope->frame, attribute->ref_attr_name);

                /* A graph that is an attribute may hold references to the attributes of a function further out. */
                if (!target && !is_declared(f, scope->frame->function, attribute->ref_attr_name))
                        return NULL;
                if (!target)
                        continue;
                OnnxAttribute *renamed = arena_new_array(f->arena, OnnxAttribute, 1);

                *renamed = *target;
                renamed->name = attribute->name;
                renamed->ref_attr_name = NULL;
                node_attributes(copy)[kept++] = renamed;
        }
        copy->n_attribute = (uint32_t)kept;
        return copy;
}

/* -- calls that are alike -- */

static bool bytes_same(ProtobufCBinaryData a, ProtobufCBinaryData b)
{
        return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static bool list_same(const void *a, size_t n_a, const void *b, size_t n_b, size_t size)
{
        return n_a == n_b && (n_a == 0 || a == b || memcmp(a, b, n_a * size) == 0);
}

/* Whether two attributes are equal. Graphs and tensors are equal if they are the same object, as they often are through
   references. */
static bool attribute_same(const OnnxAttribute *a, const OnnxAttribute *b)
{
        if (a == b)
                return true;
        if (strcmp(text_or_empty(a->name), text_or_empty(b->name)) != 0 || a->has_type != b->has_type ||
            a->type != b->type || a->has_i != b->has_i || a->i != b->i || a->has_f != b->has_f ||
            memcmp(&a->f, &b->f, sizeof(a->f)) != 0 || a->has_s != b->has_s || !bytes_same(a->s, b->s))
                return false;
        if (a->t != b->t || a->g != b->g || a->sparse_tensor != b->sparse_tensor || a->tp != b->tp ||
            a->n_strings != b->n_strings)
                return false;
        for (size_t i = 0; i < a->n_strings; i++)
                if (!bytes_same(a->strings[i], b->strings[i]))
                        return false;
        return list_same(a->ints, a->n_ints, b->ints, b->n_ints, sizeof(*a->ints)) &&
               list_same(a->floats, a->n_floats, b->floats, b->n_floats, sizeof(*a->floats)) &&
               list_same(a->tensors, a->n_tensors, b->tensors, b->n_tensors, sizeof(*a->tensors)) &&
               list_same(a->graphs, a->n_graphs, b->graphs, b->n_graphs, sizeof(*a->graphs)) &&
               list_same(a->sparse_tensors, a->n_sparse_tensors, b->sparse_tensors, b->n_sparse_tensors,
                         sizeof(*a->sparse_tensors)) &&
               list_same(a->type_protos, a->n_type_protos, b->type_protos, b->n_type_protos, sizeof(*a->type_protos));
}

static bool attributes_same(const struct model_node *a, const struct model_node *b)
{
        if (a->n_attribute != b->n_attribute)
                return false;
        for (size_t i = 0; i < a->n_attribute; i++)
                if (!attribute_same(node_attribute(a, i), node_attribute(b, i)))
                        return false;
        return true;
}

static bool content_same(const struct content *a, const struct content *b)
{
        if (a == b)
                return true;
        a = content_read(a);
        b = content_read(b);
        if (!a || !b || a->count != b->count)
                return a == b;
        for (size_t i = 0; i < a->count; i++)
                if (!scalar_same(content_at(a, i), content_at(b, i)))
                        return false;
        return true;
}

static bool value_same(const struct value *a, const struct value *b)
{
        return type_same(&a->type, &b->type) && content_same(a->content, b->content) &&
               a->has_length == b->has_length && (!a->has_length || dim_same(a->length, b->length)) &&
               a->elements == b->elements && a->along == b->along;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
        return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of the arguments' types, so that most calls that are not alike are told apart at once. */
static uint64_t memo_hash(const struct function_memo *memo)
{
        uint64_t hash = 0;

        for (size_t i = 0; i < memo->function->proto->n_input; i++) {
                const struct type *type = &memo->args[i].type;

                for (; type->of; type = type->of)
                        hash = mix(hash, (uint64_t)type->kind);
                hash = mix(hash, (uint64_t)type->elem << 32 | (uint32_t)type->rank);
                for (int d = 0; d < type->rank; d++)
                        hash = mix(hash, (uint64_t)type->dim[d].val + type->dim[d].expr);
        }
        return hash ^ hash >> 32;
}

static bool memo_fits(const struct function_memo *memo, const struct function_memo *wanted)
{
        for (size_t i = 0; i < wanted->function->proto->n_input; i++)
                if (memo->given[i] != wanted->given[i] || !value_same(&memo->args[i], &wanted->args[i]))
                        return false;
        return attributes_same(memo->call, wanted->call);
}

static const struct function_memo *memo_find(const struct function_memo *wanted)
{
        int looked = 0;

        for (const struct function_memo *m = wanted->function->memo; m && looked < MEMO_SEARCHED; m = m->same, looked++)
                if (m->hash == wanted->hash && m->is_unreached <= wanted->is_unreached &&
                    !(m->is_cut && m->depth > wanted->depth) && memo_fits(m, wanted))
                        return m;
        return NULL;
}

void function_spend(struct infer *f, const struct scope *scope, const struct model_node *node)
{
        size_t each = strlen(scope->path) + strlen(node->name);

        f->called++;
        for (size_t o = 0; o < node->n_output; o++)
                f->called_bytes += each + str_length(f->strings, node_output(node, o));
}

/* Whether only kinds of arguments count from here on. */
static bool calls_are_spent(struct infer *f, struct node *n)
{
        bool by_nodes = f->called > f->call_most;

        if (!by_nodes && f->called_bytes <= f->called_bytes_most)
                return false;
        if (!f->call_limit_reported && by_nodes)
                node_warn(n, REASON_CALL_LIMIT, -1,
                          "calls have walked more than %llu nodes; of arguments only types count from here on",
                          (unsigned long long)f->call_most);
        else if (!f->call_limit_reported)
                node_warn(n, REASON_CALL_LIMIT, -1,
                          "names and scopes of the values within functions take more than the limit function_bytes, "
                          "%lld, and %d for each byte of the model; of arguments only types count from here on",
                          (long long)f->limits->function_bytes, CALLED_BYTES_FACTOR);
        f->call_limit_reported = true;
        return true;
}

void function_forget(struct infer *f, struct function_memo *until)
{
        for (; f->memo != until; f->memo = f->memo->next)
                f->memo->function->memo = f->memo->same;
}

/* -- symbols of a call -- */

/* Replaces the symbols that an earlier call made, because they stand for other data. */
struct renewal {
        struct node *n;
        int output;
        uint32_t first; /* symbol that the earlier call made */
        struct dim old[RENEWED], fresh[RENEWED];
        int count;
};

static const struct dim *renewed(const struct renewal *r, struct dim d)
{
        for (int i = 0; i < r->count; i++)
                if (dim_same(r->old[i], d))
                        return &r->fresh[i];
        return NULL;
}

static struct dim renew_size(void *user, struct dim d, int axis)
{
        struct renewal *r = user;
        const struct dim *known = renewed(r, d);

        if (known || !dim_names_since(r->n->dims, d, r->first))
                return known ? *known : d;
        struct dim fresh = out_fresh(r->n, r->output, axis);

        if (r->count < RENEWED) {
                r->old[r->count] = d;
                r->fresh[r->count++] = fresh;
        }
        return fresh;
}

static bool renew_number(void *user, struct dim *d)
{
        const struct renewal *r = user;
        const struct dim *known = renewed(r, *d);

        if (known)
                *d = *known;
        return known || !dim_names_since(r->n->dims, *d, r->first);
}

/* Reuses the results of an equal earlier call. */
static void repeat(struct node *n, const struct function_memo *memo)
{
        struct renewal r = {.n = n, .first = memo->first_symbol};
        const struct value_map map = {n->arena, renew_size, renew_number, &r, 0};

        for (r.output = 0; r.output < n->n_out; r.output++)
                n->out[r.output] = memo->renews ? value_map(&map, &memo->outputs[r.output]) : memo->outputs[r.output];
}

static struct dim resolve_size(void *user, struct dim d, int axis)
{
        struct infer *f = user;

        (void)axis;
        return dim_resolve(f->dims, d);
}

static bool resolve_number(void *user, struct dim *d)
{
        struct infer *f = user;

        *d = dim_resolve(f->dims, *d);
        return true;
}

/* Outputs as they are known at the end of the call: what is learned of its symbols later holds for no other one. */
static void resolve_outputs(struct infer *f, struct function_memo *memo)
{
        const struct value_map map = {f->arena, resolve_size, resolve_number, f, 0};

        memo->renews = dim_symbol_count(f->dims) > memo->first_symbol;
        for (size_t o = 0; memo->renews && o < memo->function->proto->n_output; o++)
                memo->outputs[o] = value_map(&map, &memo->outputs[o]);
}

/* -- calls -- */

static bool is_called_already(const struct frame *frame, const OnnxFunction *function)
{
        for (; frame; frame = frame->caller)
                if (frame->function->proto == function)
                        return true;
        return false;
}

/* An input omitted in the call is omitted wherever the body uses it. */
static size_t first_input(const OnnxFunction *function, const char *name)
{
        size_t i = 0;

        while (i < function->n_input && strcmp(function->input[i], name) != 0)
                i++;
        return i;
}

static void add_arguments(struct infer *f, struct scope *scope, const struct function_memo *memo)
{
        const OnnxFunction *function = memo->function->proto;

        for (size_t i = 0; i < function->n_input; i++) {
                struct result_value entry = entry_given(OX_KIND_INPUT, scope, function->input[i]);

                f->called_bytes += strlen(scope->path) + strlen(function->input[i]);
                entry.is_absent = !memo->given[i];
                entry.value = memo->args[i];
                if (!entry_add(f, scope, str_intern_static(f->strings, function->input[i]), &entry))
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_DUPLICATE_NAME,
                                                  .scope = scope->path,
                                                  .value = function->input[i]},
                                   "input %s of function %s is given twice: as inputs %zu and %zu", function->input[i],
                                   text_or_empty(function->name), first_input(function, function->input[i]), i);
        }
}

/* What every call of a function looks at, read at the first. Versions that it does not import itself are the model's.
 */
static void read_function(struct infer *f, const char *scope, struct function *function)
{
        const OnnxFunction *proto = function->proto;

        if (function->is_read)
                return;
        function->is_read = true;
        opsets_read(f, proto->opset_import, proto->n_opset_import, scope, &function->opsets);
        map_attributes(f, proto->attribute_proto, proto->n_attribute_proto, &function->defaults);
        for (size_t i = 0; i < proto->n_attribute; i++)
                map_put(f, &function->declared, str_intern_static(f->strings, proto->attribute[i]), 0);
}

static int given_count(const struct node *n)
{
        int count = n->n_in;

        while (count > 0 && node_input(n->source, (size_t)count - 1) == STR_EMPTY)
                count--;
        return count;
}

static enum ox_code check_call(struct infer *f, const struct scope *scope, struct node *n, const OnnxFunction *function)
{
        if (is_called_already(scope->frame, function))
                return node_error(n, REASON_RECURSIVE_FUNCTION, -1, "function %s calls itself", node_op(n));
        if (scope->depth >= f->limits->graph_depth) {
                f->depth_cuts++;
                return node_error(n, REASON_GRAPH_DEPTH, -1,
                                  "subgraphs and functions are nested deeper than the limit graph_depth, %lld",
                                  (long long)f->limits->graph_depth);
        }
        if ((size_t)given_count(n) > function->n_input)
                return node_error(n, REASON_INPUT_COUNT, -1, "function takes %zu inputs, got %d", function->n_input,
                                  given_count(n));
        if ((size_t)n->n_out > function->n_output)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "function has %zu outputs, got %d", function->n_output,
                                  n->n_out);
        /* No output of a function is optional, but what is named has its shape all the same. */
        if ((size_t)n->n_out < function->n_output)
                node_diagnose(n, OX_ERROR, REASON_OUTPUT_COUNT, -1, "function has %zu outputs, got %d",
                              function->n_output, n->n_out);
        return OX_OK;
}

static void walk_function(struct infer *f, const struct scope *parent, struct node *n, struct function_memo *memo)
{
        const OnnxFunction *function = memo->function->proto;
        struct frame frame = {.caller = parent->frame, .function = memo->function, .call = n->source};
        struct scope scope = {
                .path = scope_path(parent, n, node_op(n)),
                .opsets = &memo->function->opsets,
                .frame = &frame,
                .depth = parent->depth + 1,
        };

        read_function(f, scope.path, memo->function);
        map_attributes(f, node_attributes(n->source), n->source->n_attribute, &frame.given);
        if (!f->options->ignore_declared)
                scope_declare(f, &scope, function->value_info, function->n_value_info);
        add_arguments(f, &scope, memo);
        walk_nodes(f, &scope, function_nodes(function));
        for (size_t o = 0; o < function->n_output; o++) {
                const struct result_value *entry =
                        scope_find(f, &scope, str_intern_static(f->strings, function->output[o]));

                memo->outputs[o] = entry ? entry->value : (struct value){.type = type_unknown};
                if (!entry)
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_UNKNOWN_OUTPUT,
                                                  .scope = scope.path,
                                                  .value = function->output[o]},
                                   "nothing defines output %s of function %s", function->output[o], node_op(n));
        }
}

enum ox_code function_call(struct infer *f, const struct scope *scope, struct node *n, struct function *function)
{
        size_t n_input = function->proto->n_input;

        TRY(check_call(f, scope, n, function->proto));
        struct function_memo *memo = arena_new_zero(f->arena, struct function_memo);
        struct value *args = arena_new_array(f->arena, struct value, n_input);
        bool *given = arena_new_array(f->arena, bool, n_input);

        bool kinds_alone = calls_are_spent(f, n);

        for (size_t i = 0; i < n_input; i++) {
                given[i] = in_given(n, (int)i);
                args[i] = given[i] ? *n->in[i] : (struct value){.type = type_unknown};
                if (kinds_alone)
                        args[i] = (struct value){.type = type_kind_alone(&args[i].type)};
        }
        *memo = (struct function_memo){.function = function,
                                       .call = n->source,
                                       .args = args,
                                       .given = given,
                                       .is_unreached = f->unreached > 0,
                                       .depth = scope->depth};
        memo->hash = memo_hash(memo);
        const struct function_memo *known = memo_find(memo);

        if (known) {
                f->depth_cuts += known->is_cut;
                repeat(n, known);
                return OX_OK;
        }
        memo->outputs = arena_new_array(f->arena, struct value, function->proto->n_output);
        memo->first_symbol = dim_symbol_count(f->dims);
        uint64_t cuts = f->depth_cuts;

        walk_function(f, scope, n, memo);
        memo->is_cut = f->depth_cuts != cuts;
        resolve_outputs(f, memo);
        memo->next = f->memo;
        memo->same = function->memo;
        f->memo = function->memo = memo;
        for (int o = 0; o < n->n_out; o++)
                n->out[o] = memo->outputs[o];
        return OX_OK;
}
