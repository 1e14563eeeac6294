/* Model-local functions (IR.md): found by domain, name and overload, inferred anew for each kind of call. */
#include <string.h>

#include "infer/internal.h"

/* What a call gave for its arguments, so that doubling chains of calls stay linear. */
struct function_memo {
        struct function_memo *next;
        const OnnxFunction *function;
        const OnnxNode *attributes; /* the call whose attributes it had; NULL: none */
        const struct value *args;
        const struct value *outputs;
        size_t n_args, n_outputs;
};

/* Calls that are looked at for one that was alike. */
#define MEMO_LOOKED 256

static str_id function_key(struct infer *f, const char *domain, const char *name, const char *overload)
{
        struct buf key;

        if (domain && strcmp(domain, "ai.onnx") == 0)
                domain = "";
        buf_init(&key, f->arena);
        buf_printf(&key, "%s\1%s\1%s", domain ? domain : "", name ? name : "", overload ? overload : "");
        return str_intern(f->strings, key.text, key.length);
}

void function_table(struct infer *f)
{
        for (size_t i = 0; i < f->model->n_functions; i++) {
                const OnnxFunction *function = f->model->functions[i];

                map_put(f, &f->functions, function_key(f, function->domain, function->name, function->overload),
                        (uint32_t)i);
        }
}

const OnnxFunction *function_find(struct infer *f, const OnnxNode *node)
{
        if (!f->model || !f->model->n_functions)
                return NULL;
        int64_t at = map_get(&f->functions, function_key(f, node->domain, node->op_type, node->overload));

        return at < 0 ? NULL : f->model->functions[at];
}

/* -- references to attributes -- */

static const OnnxAttribute *named_attribute(OnnxAttribute *const *attributes, size_t count, const char *name)
{
        for (size_t i = 0; i < count; i++)
                if (attributes[i]->name && strcmp(attributes[i]->name, name) == 0)
                        return attributes[i];
        return NULL;
}

/* What a reference stands for: the call's attribute, else the function's default; NULL: it is left out. */
static const OnnxAttribute *referenced(const struct frame *frame, const char *name)
{
        const OnnxAttribute *given = named_attribute(frame->call->attribute, frame->call->n_attribute, name);

        if (given)
                return given;
        return named_attribute(frame->function->attribute_proto, frame->function->n_attribute_proto, name);
}

const OnnxNode *function_resolve(struct infer *f, const struct scope *scope, const OnnxNode *node)
{
        size_t kept = 0;
        bool refers = false;

        for (size_t a = 0; a < node->n_attribute && !refers; a++)
                refers = node->attribute[a]->ref_attr_name && node->attribute[a]->ref_attr_name[0];
        if (!refers || !scope->frame)
                return node;
        OnnxNode *copy = arena_new_array(f->arena, OnnxNode, 1);

        *copy = *node;
        copy->attribute = arena_new_array(f->arena, OnnxAttribute *, node->n_attribute);
        for (size_t a = 0; a < node->n_attribute; a++) {
                const OnnxAttribute *attribute = node->attribute[a];

                if (!attribute->ref_attr_name || !attribute->ref_attr_name[0]) {
                        copy->attribute[kept++] = node->attribute[a];
                        continue;
                }
                const OnnxAttribute *target = referenced(scope->frame, attribute->ref_attr_name);

                if (!target)
                        continue;
                OnnxAttribute *renamed = arena_new_array(f->arena, OnnxAttribute, 1);

                *renamed = *target;
                renamed->name = attribute->name;
                renamed->ref_attr_name = NULL;
                copy->attribute[kept++] = renamed;
        }
        copy->n_attribute = kept;
        return copy;
}

/* -- calls -- */

static bool content_same(const struct content *a, const struct content *b)
{
        if (a == b)
                return true;
        if (!a || !b || a->count != b->count)
                return false;
        a = content_read(a);
        b = content_read(b);
        for (size_t i = 0; i < a->count; i++) {
                const struct scalar *s = &a->at[i], *t = &b->at[i];

                if (s->kind != t->kind || s->den != t->den || !dim_same(s->d, t->d) ||
                    memcmp(&s->f, &t->f, sizeof(s->f)) != 0)
                        return false;
        }
        return true;
}

static bool value_same(const struct value *a, const struct value *b)
{
        return type_same(&a->type, &b->type) && content_same(a->content, b->content) &&
               a->has_length == b->has_length && (!a->has_length || dim_same(a->length, b->length)) &&
               a->elements == b->elements;
}

static const struct function_memo *memo_find(const struct infer *f, const OnnxFunction *function,
                                             const OnnxNode *attributes, const struct value *args, size_t n_args)
{
        int looked = 0;

        for (const struct function_memo *m = f->memo; m && looked < MEMO_LOOKED; m = m->next, looked++) {
                size_t i = 0;

                if (m->function != function || m->attributes != attributes || m->n_args != n_args)
                        continue;
                while (i < n_args && value_same(&m->args[i], &args[i]))
                        i++;
                if (i == n_args)
                        return m;
        }
        return NULL;
}

static bool is_called_already(const struct frame *frame, const OnnxFunction *function)
{
        for (; frame; frame = frame->caller)
                if (frame->function == function)
                        return true;
        return false;
}

static void add_arguments(struct infer *f, struct scope *scope, const OnnxFunction *function, const struct value *args)
{
        for (size_t i = 0; i < function->n_input; i++) {
                struct entry entry = {.value = args[i],
                                      .name = str_intern_z(f->strings, function->input[i]),
                                      .kind = OX_KIND_INPUT,
                                      .scope = scope->path,
                                      .node = "",
                                      .node_index = -1,
                                      .op = ""};

                if (!entry_add(f, scope, &entry))
                        infer_note(f, OX_ERROR, OX_INVALID_ARGUMENT, "DUPLICATE_NAME", scope->path, NULL, -1, -1,
                                   function->input[i], "input %s of function %s is given twice", function->input[i],
                                   function->name ? function->name : "");
        }
}

static const struct result_opset *function_opsets(struct infer *f, const struct scope *scope,
                                                  const OnnxFunction *function, size_t *ret_count)
{
        struct result_opset *opset =
                arena_new_array(f->arena, struct result_opset, function->n_opset_import + scope->n_opset);
        size_t count = 0;

        for (size_t i = 0; i < function->n_opset_import; i++) {
                const char *domain = function->opset_import[i]->domain ? function->opset_import[i]->domain : "";

                opset[count++] = (struct result_opset){strcmp(domain, "ai.onnx") == 0 ? "" : domain,
                                                       function->opset_import[i]->version};
        }
        /* Versions that the function does not import itself are the model's. */
        for (size_t i = 0; i < scope->n_opset; i++)
                opset[count++] = scope->opset[i];
        *ret_count = count;
        return opset;
}

static enum ox_code check_call(struct infer *f, const struct scope *scope, struct node *n, const OnnxFunction *function)
{
        if (is_called_already(scope->frame, function))
                return node_error(n, OX_INVALID_ARGUMENT, "RECURSIVE_FUNCTION", -1, "function %s calls itself",
                                  n->proto->op_type);
        if (scope->depth >= f->limits->graph_depth)
                return node_error(n, OX_RESOURCE_EXHAUSTED, "GRAPH_DEPTH", -1,
                                  "subgraphs and functions are nested deeper than graph_depth allows (%lld)",
                                  (long long)f->limits->graph_depth);
        if ((size_t)n->n_in > function->n_input)
                return node_error(n, OX_INVALID_ARGUMENT, "TOO_MANY_INPUTS", -1, "function takes %zu inputs, got %d",
                                  function->n_input, n->n_in);
        if ((size_t)n->n_out > function->n_output)
                return node_error(n, OX_INVALID_ARGUMENT, "TOO_MANY_OUTPUTS", -1, "function has %zu outputs, got %d",
                                  function->n_output, n->n_out);
        return OX_OK;
}

/* Whether a type names a symbol that was made since `first`: one that stands for data of that call alone. */
static bool has_new_symbol(const struct infer *f, const struct type *type, uint32_t first)
{
        while (type->of)
                type = type->of;
        for (int d = 0; d < type->rank; d++)
                if (dim_names_since(f->dims, type->dim[d], first))
                        return true;
        return false;
}

static bool may_be_remembered(const struct infer *f, const struct function_memo *memo, uint32_t first)
{
        for (size_t o = 0; o < memo->n_outputs; o++)
                if (has_new_symbol(f, &memo->outputs[o].type, first))
                        return false;
        return true;
}

static void walk_function(struct infer *f, const struct scope *parent, struct node *n, const OnnxFunction *function,
                          struct function_memo *memo)
{
        struct frame frame = {.caller = parent->frame, .function = function, .call = n->proto};
        struct scope scope = {
                .path = scope_path(parent, n, n->proto->op_type),
                .frame = &frame,
                .depth = parent->depth + 1,
        };
        struct value *outputs = arena_new_array(f->arena, struct value, function->n_output);

        scope.opset = function_opsets(f, parent, function, &scope.n_opset);
        if (!f->options->ignore_declared)
                scope_declare(f, &scope, function->value_info, function->n_value_info);
        add_arguments(f, &scope, function, memo->args);
        walk_nodes(f, &scope, function->node, function->n_node);
        for (size_t o = 0; o < function->n_output; o++) {
                const struct entry *entry = scope_find(f, &scope, str_intern_z(f->strings, function->output[o]));

                outputs[o] = entry ? entry->value : (struct value){.type = type_unknown};
                if (!entry)
                        infer_note(f, OX_ERROR, OX_OUT_OF_RANGE, "UNKNOWN_OUTPUT", scope.path, NULL, -1, -1,
                                   function->output[o], "nothing defines output %s of function %s", function->output[o],
                                   n->proto->op_type);
        }
        memo->outputs = outputs;
        memo->n_outputs = function->n_output;
}

enum ox_code function_call(struct infer *f, const struct scope *scope, struct node *n, const OnnxFunction *function)
{
        TRY(check_call(f, scope, n, function));
        struct value *args = arena_new_array(f->arena, struct value, function->n_input);
        const OnnxNode *attributes = n->proto->n_attribute ? n->proto : NULL;

        for (size_t i = 0; i < function->n_input; i++)
                args[i] = in_given(n, (int)i) ? *n->in[i] : (struct value){.type = type_unknown};
        const struct function_memo *known = memo_find(f, function, attributes, args, function->n_input);

        if (!known) {
                struct function_memo *memo = arena_new_zero(f->arena, struct function_memo);

                memo->function = function;
                memo->attributes = attributes;
                memo->args = args;
                memo->n_args = function->n_input;
                uint32_t first = dim_symbol_count(f->dims);

                walk_function(f, scope, n, function, memo);
                if (may_be_remembered(f, memo, first)) {
                        memo->next = f->memo;
                        f->memo = memo;
                }
                known = memo;
        }
        for (int o = 0; o < n->n_out; o++)
                n->out[o] = known->outputs[o];
        return OX_OK;
}
