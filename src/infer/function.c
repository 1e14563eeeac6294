/* Model-local functions (IR.md): found by domain, name and overload, inferred anew for each kind of call. */
#include <string.h>

#include "base/bounds.h"
#include "infer/call.h"
#include "ops/node/input.h"

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
static void map_attributes(struct infer *f, const struct model_attribute *attributes, size_t count,
                           struct name_map *ret)
{
        for (size_t i = 0; i < count; i++)
                map_put(f, ret, str_intern_z(f->strings, attributes[i].name), (uint32_t)i);
}

/* The target of a reference: the call's attribute, else the function's default; NULL: omitted. */
static const struct model_attribute *referenced(struct infer *f, const struct frame *frame, const char *name)
{
        str_id id = str_intern_z(f->strings, name);
        int64_t at = map_get(&frame->given, id);
        size_t count;

        if (at >= 0)
                return node_attribute(frame->call, (size_t)at);
        at = map_get(&frame->function->defaults, id);
        return at < 0 ? NULL : &function_defaults(frame->function->proto, &count)[at];
}

static bool is_declared(struct infer *f, const struct function *function, const char *name)
{
        return map_get(&function->declared, str_intern_z(f->strings, name)) >= 0;
}

const struct model_node *function_resolve(struct infer *f, const struct scope *scope, const struct model_node *node)
{
        size_t kept = 0;
        bool refers = false;

        for (size_t a = 0; a < node->n_attribute && !refers; a++)
                refers = attribute_value(node_attribute(node, a), HELD_REFERENCE);
        if (!refers)
                return node;
        if (!scope->frame)
                return NULL;
        struct model_node *copy = model_node_with(f->arena, node, node->n_attribute);

        for (size_t a = 0; a < node->n_attribute; a++) {
                const struct model_attribute *attribute = node_attribute(node, a);
                const struct model_attribute *reference = attribute_value(attribute, HELD_REFERENCE);

                if (!reference) {
                        node_attributes(copy)[kept++] = *attribute;
                        continue;
                }
                const struct model_attribute *target = referenced(f, scope->frame, reference->reference);

                /* A graph that is an attribute may hold references to the attributes of a function further out. */
                if (!target && !is_declared(f, scope->frame->function, reference->reference))
                        return NULL;
                if (!target)
                        continue;
                node_attributes(copy)[kept] = *target;
                node_attributes(copy)[kept++].name = attribute->name;
        }
        copy->n_attribute = (uint32_t)kept;
        return copy;
}

/* -- bounds -- */

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
                struct result_value entry =
                        entry_given(OX_KIND_INPUT, scope, str_intern_z(f->strings, function->input[i]));

                f->called_bytes += strlen(scope->path) + strlen(function->input[i]);
                entry.is_absent = !memo->given[i];
                entry.value = memo->args[i];
                if (!entry_add(f, scope, &entry))
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
        size_t n_default;
        const struct model_attribute *defaults = function_defaults(proto, &n_default);

        map_attributes(f, defaults, n_default, &function->defaults);
        for (size_t i = 0; i < proto->n_attribute; i++)
                map_put(f, &function->declared, str_intern_z(f->strings, proto->attribute[i]), 0);
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

        scope.more = scope_more(f, scope.path);
        read_function(f, scope.path, memo->function);
        map_attributes(f, node_attributes(n->source), n->source->n_attribute, &frame.given);
        if (!f->options->ignore_declared)
                scope_declare(f, &scope, function->value_info, function->n_value_info);
        add_arguments(f, &scope, memo);
        walk_nodes(f, &scope, function_nodes(function));
        for (size_t o = 0; o < function->n_output; o++) {
                const struct result_value *entry = scope_find(f, &scope, str_intern_z(f->strings, function->output[o]));

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
        memo->hash = call_hash(memo);
        const struct function_memo *known = call_find(memo);

        if (known) {
                f->depth_cuts += known->is_cut;
                call_repeat(n, known);
                return OX_OK;
        }
        memo->outputs = arena_new_array(f->arena, struct value, function->proto->n_output);
        memo->first_symbol = dim_symbol_count(f->dims);
        uint64_t cuts = f->depth_cuts;

        walk_function(f, scope, n, memo);
        memo->is_cut = f->depth_cuts != cuts;
        call_resolve(f, memo);
        memo->next = f->memo;
        memo->same = function->memo;
        f->memo = function->memo = memo;
        for (int o = 0; o < n->n_out; o++)
                n->out[o] = memo->outputs[o];
        return OX_OK;
}
