/* Inference over a whole model, or over one node. */
#include <string.h>

#include "base/bounds.h"
#include "infer/contradict.h"
#include "infer/explain.h"
#include "infer/sizes.h"
#include "infer/unknown.h"
#include "ops/node/tensor.h"

static void infer_begin(struct infer *f, struct arena *arena, const struct ox_limits *limits,
                        const struct ox_options *options, struct strings *strings, struct dim_table *dims)
{
        uint64_t now = infer_now_ns();

        *f = (struct infer){
                .arena = arena,
                .limits = limits,
                .options = options,
                .strings = strings,
                .dims = dims,
                .deadline_ns = now + (uint64_t)limits->engine_ms * UINT64_C(1000000),
                .work_end_ns = options->work_ns ? now + options->work_ns : 0,
                .look_ns = now + LOOK_EVERY_NS,
        };
        f->facts = (struct constraint_sink){condition_add, condition_said_before, f};
        spend_begin(f);
}

/* Before IR version 3 there was only one operator set (IR.md). */
static struct opsets *read_opsets(struct infer *f, const OnnxModel *model)
{
        static const struct opset first = {"", "", 1};
        struct opsets *opsets = arena_new_zero(f->arena, struct opsets);

        if (model->n_opset_import)
                opsets_read(f, model->opset_import, model->n_opset_import, "", opsets);
        else
                *opsets = (struct opsets){.at = &first, .count = 1};
        return opsets;
}

/* A node's domain is at its newest version unless the request gives one. */
static struct opsets *request_opsets(struct infer *f, const struct infer_node_request *request)
{
        const char *domain = op_canonical_domain(text_or_empty(request->node->domain));
        struct opset *at = arena_new_array(f->arena, struct opset, 1);
        struct opsets *opsets = arena_new_zero(f->arena, struct opsets);
        bool found = false;

        for (size_t i = 0; i < request->n_opset && !found; i++) {
                at[0] = (struct opset){domain, domain, request->opset[i].version};
                found = strcmp(request->opset[i].domain, domain) == 0;
        }
        if (!found)
                at[0] = (struct opset){domain, domain, op_newest_opset(domain)};
        opset_note_newer(f, "", &at[0]);
        *opsets = (struct opsets){.at = at, .count = 1};
        return opsets;
}

/* -- the main graph -- */

/* The elements of a default, if they fit the final type of the input. */
static void default_content(struct infer *f, struct result_value *entry, const struct model_tensor *tensor)
{
        const char *fault = NULL;
        const struct content *content = tensor_content_later(f->arena, f->limits, tensor, &fault);
        struct dim count;

        if (fault)
                infer_note(f,
                           &(struct note){.severity = OX_ERROR,
                                          .reason = REASON_TENSOR_INVALID,
                                          .value = entry_name(f, entry)},
                           "%s: %s", entry_name(f, entry), fault);
        else if (content && type_elements(f->dims, &entry->value.type, &count) &&
                 dim_is(count, (int64_t)content->count))
                entry->value.content = content;
}

/* A graph input that has an initializer as well: a default. Before IR version 4 every initializer stood so. A caller
   may replace it since then, but what is told is the model as it stands: that is how ONNX's own inference has it, and
   what models rely on that list all their initializers as inputs. */
static void merge_default(struct infer *f, struct result_value *entry, const struct model_tensor *tensor,
                          const struct declare_site *site)
{
        const char *fault = NULL;
        struct type type;

        if (!tensor_type(f->arena, f->limits, tensor, &type, &fault))
                return;
        if (entry->value.type.kind == TYPE_TENSOR && entry->value.type.rank != RANK_UNKNOWN &&
            entry->value.type.rank != type.rank) {
                infer_note(f,
                           &(struct note){.severity = OX_ERROR,
                                          .reason = REASON_DECLARED_CONFLICT,
                                          .value = entry_name(f, entry)},
                           "%s: declared with rank %d, its initializer has rank %d", entry_name(f, entry),
                           entry->value.type.rank, type.rank);
                return;
        }
        if (f->ir_version >= 4) {
                merge_declared(f, &entry->value, &type, site, -1);
        } else {
                struct value value = {.type = type};
                struct type declared = entry->value.type;

                merge_declared(f, &value, &declared, site, -1);
                entry->value = value;
        }
        default_content(f, entry, tensor);
}

/* onnx.proto has every tensor type name its element type, and of inputs nothing else can tell it. */
static void expect_element_type(struct infer *f, const struct result_value *entry)
{
        const struct type *type = &entry->value.type;
        const char *name = entry_name(f, entry);

        while (type_within(type))
                type = type->of;
        if (type->kind != TYPE_UNKNOWN && !(type_is_tensor(type) && type->elem == ELEM_UNDEFINED))
                return;
        infer_note(f, &(struct note){.severity = OX_ERROR, .reason = REASON_ELEMENT_TYPE, .value = name},
                   type->kind == TYPE_UNKNOWN ? "input %s has no type" : "input %s: its type names no element type",
                   name);
}

/* Initializers that have an input's name: the input's default. */
struct defaults {
        struct name_map inputs;         /* from names to numbers of inputs */
        const struct model_tensor **at; /* for each, the first one; NULL */
};

static void find_defaults(struct infer *f, const OnnxGraph *graph, struct defaults *ret)
{
        const struct model_tensor *tensor = graph->n_input ? graph_initializers(graph)->first : NULL;

        ret->at = (const struct model_tensor **)arena_zalloc(f->arena, graph->n_input * sizeof(*ret->at));
        for (size_t i = 0; i < graph->n_input; i++)
                if (graph->input[i]->name)
                        map_put(f, &ret->inputs, str_intern_z(f->strings, graph->input[i]->name), (uint32_t)i);
        for (; tensor; tensor = tensor->next) {
                const int64_t at = map_get(&ret->inputs, tensor->name);

                if (at >= 0 && !ret->at[at])
                        ret->at[at] = tensor;
        }
}

static const struct model_tensor *default_of(const struct defaults *defaults, str_id input)
{
        const int64_t at = map_get(&defaults->inputs, input);

        return at < 0 ? NULL : defaults->at[at];
}

static enum ox_code main_inputs(struct infer *f, struct scope *scope, const OnnxGraph *graph, const struct given *given,
                                const char **ret_error)
{
        struct defaults defaults = {.at = NULL};

        find_defaults(f, graph, &defaults);
        for (size_t i = 0; i < graph->n_input; i++) {
                const char *name = text_or_empty(graph->input[i]->name);
                str_id id = str_intern_z(f->strings, name);
                struct result_value entry = entry_given(OX_KIND_INPUT, scope, id);
                const struct model_tensor *initializer = default_of(&defaults, id);
                const struct ox_input_shape *shape = given_shape(f, given, id);
                const struct ox_input_content *content = given_content(f, given, id);
                /* Open dimensions of a default are those of its initializer before they are symbols. */
                struct declare_site site = {
                        .scope = "", .value = name, .is_input = true, .open_dims = !initializer || shape};

                entry.value.type = declare_type(f, graph->input[i]->type, &site);
                if (shape)
                        TRY(given_replace_shape(f, &entry.value.type, shape, &site, ret_error));
                else if (initializer)
                        merge_default(f, &entry, initializer, &site);
                site.open_dims = true;
                entry.value.type = declare_close(f, &entry.value.type, &site);
                expect_element_type(f, &entry);
                if (content)
                        TRY(given_set_content(f, &entry, content, ret_error));
                else
                        given_name_elements(f, &entry);
                if (!entry_add(f, scope, &entry))
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR, .reason = REASON_DUPLICATE_NAME, .value = name},
                                   "%s is defined twice: as %s and again as %s", name,
                                   entry_party(f, scope_find(f, scope, id)), entry_party(f, &entry));
        }
        return OX_OK;
}

/* What an output is declared as that no node makes, an input or initializer straight. It flows nowhere any more: only
   what contradicts it, or equals it, is told. */
static void compare_straight(struct infer *f, struct result_value *entry, const OnnxValueInfo *output)
{
        struct declare_site site = {.scope = "", .value = entry_name(f, entry)};

        if (f->options->ignore_declared || !output->type)
                return;
        struct type declared = declare_type(f, output->type, &site);
        struct value value = entry->value;

        merge_declared(f, &value, &declared, &site, -1);
        entry_declare(f, entry, merge_declared_shape(f, &entry->value.type, &declared, output->type));
}

static void mark_outputs(struct infer *f, const struct scope *scope, const OnnxGraph *graph)
{
        for (size_t o = 0; o < graph->n_output; o++) {
                const char *name = text_or_empty(graph->output[o]->name);
                int64_t number = map_get(&scope->entries, str_intern_z(f->strings, name));

                if (number < 0) {
                        infer_note(f,
                                   &(struct note){.severity = OX_ERROR, .reason = REASON_UNKNOWN_OUTPUT, .value = name},
                                   "nothing defines output %s", name);
                        continue;
                }
                struct result_value *entry = entry_at(f, (size_t)number);

                entry->is_output = true;
                if (entry->kind != OX_KIND_INTERMEDIATE) {
                        compare_straight(f, entry, graph->output[o]);
                        continue;
                }
                entry->kind = OX_KIND_OUTPUT;
        }
}

static enum ox_code strict_code(struct arena *arena, const struct diags *diags, const char **ret_error)
{
        for (size_t i = 0; i < diags->count; i++) {
                const struct ox_diag *diag = &diags->at[i];

                if (diag->severity != OX_ERROR)
                        continue;
                *ret_error = arena_printf(arena, "%s%s%s%s%s%s%s%s", diag->node[0] ? "node " : "", diag->node,
                                          diag->node[0] ? ": " : "", diag->op, diag->op[0] ? ": " : "", diag->message,
                                          diag->hint[0] ? "; " : "", diag->hint);
                return diag->code;
        }
        return OX_OK;
}

/* One walk of the whole model. */
static enum ox_code walk_model(struct infer *f, const char **ret_error)
{
        const OnnxGraph *graph = f->model->graph;
        struct scope scope = {.path = result_main.scope, .more = &result_main};
        struct given given = {0};

        scope.entries.by_name = true;
        f->opsets = scope.opsets = read_opsets(f, f->model);
        declare_dimension_names(f, graph);
        TRY(given_inputs(f, graph, &given, ret_error));
        TRY(given_bind(f, ret_error));
        if (!f->options->ignore_declared) {
                scope_declare(f, &scope, graph->output, graph->n_output);
                scope_declare(f, &scope, graph->value_info, graph->n_value_info);
        }
        function_table(f);
        TRY(main_inputs(f, &scope, graph, &given, ret_error));
        scope_initializers(f, &scope, graph);
        dim_watch(f->dims, spend_terms, f);
        walk_nodes(f, &scope, graph_nodes(graph));
        mark_outputs(f, &scope, graph);
        return OX_OK;
}

enum ox_code infer_whole(const struct infer *begun_, const struct ox_options *options, struct ox_result **ret_result,
                         const char **ret_error)
{
        struct infer *f = arena_new_zero(begun_->arena, struct infer), begun = *begun_;
        const OnnxGraph *graph = begun.model->graph;

        begun.options = options;
        spend_begin(&begun);
        for (int walk = 1;; walk++) {
                *f = begun;
                f->facts.user = f;
                f->dims = dim_table_new(f->arena, f->strings, f->limits, options->seed);
                if (!options->no_assumptions)
                        dim_allow_presuming(f->dims);
                f->mute_names = walk == WALKS_MOST;
                TRY(walk_model(f, ret_error));
                if (merge_split_names(f) == 0)
                        break;
                /* Facts about names are kept. */
                begun.names = f->names;
                begun.dim_name = f->dim_name;
                begun.n_dim_name = f->n_dim_name;
                begun.dim_name_room = f->dim_name_room;
        }
        TRY(given_check_bound(f, ret_error));
        merge_note_split(f);
        contradict_find(f);
        *ret_result = finish_result(f, graph);
        sizes_find(f, *ret_result);
        unknown_count(f, *ret_result);
        return explain(f, *ret_result, ret_error);
}

enum ox_code infer_model(struct arena *arena, const struct ox_limits *limits, const struct model *model,
                         const struct ox_options *options, struct infer_bytes bytes,
                         const struct ox_result **ret_result, const char **ret_error)
{
        struct ox_result *result = NULL;
        struct infer begun;

        if (options->work_budget && graph_nodes(model->proto->graph)->count > options->work_budget)
                arena_bail(arena, OX_ABORTED, "more than %llu nodes", (unsigned long long)options->work_budget);
        infer_begin(&begun, arena, limits, options, model->names.strings, NULL);
        begun.model = model->proto;
        begun.has_bodies = model->names.has_bodies;
        begun.bytes = bytes;
        begun.ir_version = model->proto->ir_version;
        TRY(infer_whole(&begun, options, &result, ret_error));
        TRY(bound_columns(&begun, result, ret_error));
        *ret_result = result;
        return options->strict ? strict_code(arena, result->diags, ret_error) : OX_OK;
}

static void note_dropped(struct infer *f, const struct infer_input *input)
{
        if (input->dropped)
                infer_note(f,
                           &(struct note){.severity = OX_WARNING,
                                          .reason = REASON_CONTENT_LIMIT,
                                          .scope = "",
                                          .value = input->name},
                           "input %.100s has %zu elements, more than the limit content_elements, %lld; they count as "
                           "unknown",
                           input->name, input->dropped, (long long)f->limits->content_elements);
}

enum ox_code infer_node(struct arena *arena, const struct ox_limits *limits, const struct infer_node_request *request,
                        const struct ox_options *options, const struct ox_result **ret_result, const char **ret_error)
{
        struct infer *f = arena_new_array(arena, struct infer, 1);
        struct scope scope = {.path = result_main.scope, .more = &result_main};
        struct model_names names;

        model_names_init(&names, arena, request->strings);
        infer_begin(f, arena, limits, options, request->strings, request->dims);
        TRY(given_bind(f, ret_error));
        f->opsets = scope.opsets = request_opsets(f, request);
        for (size_t i = 0; i < request->n_input; i++) {
                str_id name = str_intern_z(f->strings, request->input[i].name);
                struct result_value entry = entry_given(OX_KIND_INPUT, &scope, name);

                entry.value = request->input[i].value;
                value_resolve(f->arena, f->dims, &entry.value);
                entry.bindings = dim_bindings(f->dims);
                note_dropped(f, &request->input[i]);
                if (!entry_add(f, &scope, &entry)) {
                        *ret_error = arena_printf(arena, "input %s is given twice", request->input[i].name);
                        return OX_INVALID_ARGUMENT;
                }
        }
        dim_take_faults(f->dims);
        dim_watch(f->dims, spend_terms, f);
        const struct model_node *node = model_node_of(&names, request->node);

        f->has_bodies = names.has_bodies;
        walk_node(f, &scope, node, 0);
        *ret_result = finish_result(f, NULL);
        return strict_code(f->arena, &f->diags, ret_error);
}
