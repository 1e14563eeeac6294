/* Bodies of operators with subgraphs: a graph that is walked with values for its inputs, once or again and again. */
#include "infer/internal.h"

struct body_mark body_mark(const struct infer *f)
{
        return (struct body_mark){f->n_entry, f->n_constraint, f->diags, f->memo, f->called_bytes};
}

void body_rewind(struct infer *f, const struct body_mark *mark)
{
        struct ox_diag *at = f->diags.at;
        size_t capacity = f->diags.capacity;

        f->n_entry = mark->n_entry;
        f->n_constraint = mark->n_constraint;
        f->called_bytes = mark->called_bytes;
        f->diags = mark->diags;
        f->diags.at = at;
        f->diags.capacity = capacity;
        /* What a function gave is remembered along with the entries of its body. */
        function_forget(f, mark->memo);
}

static void body_inputs(struct infer *f, struct scope *scope, const OnnxGraph *graph, const struct value *args,
                        size_t n_args)
{
        for (size_t i = 0; i < graph->n_input; i++) {
                const char *name = text_or_empty(graph->input[i]->name);
                const str_id id = str_intern_z(f->strings, name);
                struct result_value entry = entry_given(OX_KIND_INPUT, scope, id);
                struct declare_site site = {.scope = scope->path, .value = name, .in_function = scope->frame != NULL};
                struct type declared = declare_type(f, graph->input[i]->type, &site);

                /* What the body declares of its inputs holds only in so far as the caller's values keep to it. */
                if (i < n_args)
                        entry.value = args[i];
                if (entry.value.type.kind == TYPE_UNKNOWN)
                        entry.value.type = declare_close(f, &declared, &site);
                if (entry.value.type.kind == TYPE_TENSOR && entry.value.type.elem == ELEM_UNDEFINED &&
                    declared.kind == TYPE_TENSOR)
                        entry.value.type.elem = declared.elem;
                if (name[0] && scope->parent && scope_find(f, scope->parent, id))
                        infer_note(f,
                                   &(struct note){.severity = OX_INFO,
                                                  .reason = REASON_NAME_SHADOWED,
                                                  .scope = scope->path,
                                                  .value = name},
                                   "input %s of the body hides a value of that name outside of it", name);
                entry_place(f, &entry.value.type, name);
                if (!entry_add(f, scope, &entry))
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_DUPLICATE_NAME,
                                                  .scope = scope->path,
                                                  .value = name},
                                   "%s is defined twice: as %s and again as %s", name,
                                   entry_party(f, scope_find(f, scope, id)), entry_party(f, &entry));
        }
}

bool body_walk(struct infer *f, const struct scope *parent, struct node *n, const char *attribute,
               const OnnxGraph *graph, const struct value *args, size_t n_args, struct value *ret_outputs,
               size_t n_outputs)
{
        struct scope scope = {
                .parent = parent,
                .path = scope_path(parent, n, attribute),
                .opsets = parent->opsets,
                .frame = parent->frame,
                .repeats = parent->repeats || n->row->control != CONTROL_IF,
                .depth = parent->depth + 1,
        };

        if (scope.depth > f->limits->graph_depth) {
                f->depth_cuts++;
                node_error(n, REASON_GRAPH_DEPTH, -1,
                           "subgraphs and functions are nested deeper than the limit graph_depth, %lld",
                           (long long)f->limits->graph_depth);
                return false;
        }
        scope.more = scope_more(f, scope.path);
        spend_time(f, graph_cost(graph));
        if (f->unroll_end)
                f->nodes += graph_cost(graph);
        if (!f->options->ignore_declared) {
                /* Shapes of subgraphs' outputs nobody checks, and some exporters write [] for what they do not know. */
                scope_declare(f, &scope, graph->output, graph->n_output);
                scope.n_without_shape = scope.n_declaration;
                scope_declare(f, &scope, graph->value_info, graph->n_value_info);
        }
        body_inputs(f, &scope, graph, args, n_args);
        scope_initializers(f, &scope, graph);
        walk_nodes(f, &scope, graph_nodes(graph));
        for (size_t o = 0; o < n_outputs; o++) {
                struct result_value *entry = NULL;

                ret_outputs[o] = (struct value){.type = type_unknown};
                if (o < graph->n_output && graph->output[o]->name)
                        entry = scope_find(f, &scope, str_intern_z(f->strings, graph->output[o]->name));
                if (entry) {
                        entry_resolve(f, entry);
                        ret_outputs[o] = entry->value;
                } else if (o < graph->n_output) {
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR,
                                                  .reason = REASON_UNKNOWN_OUTPUT,
                                                  .scope = scope.path,
                                                  .value = text_or_empty(graph->output[o]->name)},
                                   "nothing defines output %s", text_or_empty(graph->output[o]->name));
                }
        }
        return true;
}
