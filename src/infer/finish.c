/* From entries to the result: every dimension resolved, values chosen, symbols and constraints listed. */
#include <string.h>

#include "infer/internal.h"

struct finishing {
        struct infer *f;
        bool *seen; /* symbols that appear, by number */
        size_t room;
};

static void see_symbol(void *user, uint32_t symbol)
{
        struct finishing *x = user;

        /* Room up to the last one that appears: most symbols of a large model are replaced by what they equal. */
        if (symbol >= x->room) {
                size_t room = 2 * (size_t)symbol + 64;

                x->seen = arena_grow(x->f->arena, x->seen, x->room, room);
                memset(x->seen + x->room, 0, room - x->room);
                x->room = room;
        }
        x->seen[symbol] = true;
}

static struct dim finish_dim(struct finishing *x, struct dim d)
{
        if (dim_is_int(d))
                return d;
        d = dim_resolve(x->f->dims, d);
        dim_each_symbol(x->f->dims, d, see_symbol, x);
        return d;
}

static struct dim finish_size(void *user, struct dim d, int axis)
{
        (void)axis;
        return finish_dim(user, d);
}

static bool finish_number(void *user, struct dim *d)
{
        *d = finish_dim(user, *d);
        return true;
}

static struct type finish_type(struct finishing *x, const struct type *type)
{
        const struct value_map map = {x->f->arena, finish_size, finish_number, x};

        return type_map(&map, type);
}

static struct value finish_value(struct finishing *x, const struct value *value)
{
        const struct value_map map = {x->f->arena, finish_size, finish_number, x};
        const struct content *content = content_read(value->content);
        struct value shown = *value;

        /* What is not shown has no symbols that appear. */
        if (content && !content_is_known(content))
                shown.content = NULL;
        shown = value_map(&map, &shown);
        if (!shown.content)
                shown.content = content;
        return shown;
}

enum extent { EXTENT_EXACT, EXTENT_SYMBOLIC, EXTENT_DYNAMIC, EXTENT_UNKNOWN };

static bool is_input_symbol(const struct dim_symbol *symbol)
{
        return symbol->from_input;
}

static enum extent extent_of(struct infer *f, const struct type *type)
{
        enum extent extent = EXTENT_EXACT;

        while (type->of && type->kind != TYPE_MAP)
                type = type->of;
        if (type->kind == TYPE_MAP)
                return EXTENT_EXACT;
        if (type->kind == TYPE_UNKNOWN || type->elem == ELEM_UNDEFINED || type->rank == RANK_UNKNOWN)
                return EXTENT_UNKNOWN;
        for (int d = 0; d < type->rank; d++) {
                enum extent mine = dim_is_int(type->dim[d])                                  ? EXTENT_EXACT
                                   : dim_all_symbols(f->dims, type->dim[d], is_input_symbol) ? EXTENT_SYMBOLIC
                                                                                             : EXTENT_DYNAMIC;

                if (mine > extent)
                        extent = mine;
        }
        return extent;
}

static void count_extent(struct ox_summary *summary, enum extent extent)
{
        summary->values++;
        switch (extent) {
        case EXTENT_EXACT:
                summary->exact++;
                break;
        case EXTENT_SYMBOLIC:
                summary->symbolic++;
                break;
        case EXTENT_DYNAMIC:
                summary->dynamic++;
                break;
        case EXTENT_UNKNOWN:
                summary->unknown++;
                break;
        }
}

static bool is_wanted(enum ox_values values, const struct entry *entry, enum extent extent, bool is_graph_output)
{
        switch (values) {
        case OX_VALUES_INFERRED:
                return entry->kind != OX_KIND_INITIALIZER;
        case OX_VALUES_OUTPUTS:
                return is_graph_output;
        case OX_VALUES_UNKNOWN:
                return entry->kind != OX_KIND_INITIALIZER && extent == EXTENT_UNKNOWN;
        case OX_VALUES_ALL:
                return true;
        }
        return false;
}

static void finish_values(struct finishing *x, struct ox_result *result, const OnnxGraph *graph)
{
        struct infer *f = x->f;
        struct result_value *values = arena_new_array(f->arena, struct result_value, f->n_entry);
        struct name_map outputs = {0};

        for (size_t o = 0; graph && o < graph->n_output; o++)
                if (graph->output[o]->name)
                        map_put(f, &outputs, str_intern_z(f->strings, graph->output[o]->name), 0);
        for (size_t i = 0; i < f->n_entry; i++) {
                const struct entry *entry = entry_at(f, i);
                bool is_output = !entry->scope[0] && map_get(&outputs, entry->name) >= 0;

                if (entry->is_absent || (!graph && entry->kind == OX_KIND_INPUT))
                        continue; /* the caller of a single node knows its inputs */
                /* What is known is counted as it is shown, with every symbol replaced that became something else. */
                struct type type = finish_type(x, &entry->value.type);
                enum extent extent = extent_of(f, &type);

                if (entry->kind != OX_KIND_INITIALIZER)
                        count_extent(&result->summary, extent);
                if (graph && !is_wanted(f->options->values, entry, extent, is_output))
                        continue;
                values[result->n_value++] = (struct result_value){
                        .name = str_text(f->strings, entry->name),
                        .kind = !graph ? OX_KIND_OUTPUT : entry->kind,
                        .scope = entry->scope,
                        .node = entry->node,
                        .node_index = entry->node_index,
                        .op = entry->op,
                        .declared_type = entry->declared,
                        .value = finish_value(x, &entry->value),
                };
        }
        result->value = values;
}

static void finish_constraints(struct finishing *x, struct ox_result *result)
{
        struct infer *f = x->f;
        struct ox_constraint *constraints = arena_new_array(f->arena, struct ox_constraint, f->n_constraint);

        for (size_t i = 0; i < f->n_constraint; i++) {
                const struct constraint *c = &f->constraint[i];
                struct dim left = finish_dim(x, c->left), right = finish_dim(x, c->right);

                if (dim_same(left, right))
                        continue; /* what became known later made them one */
                constraints[result->n_constraint++] = (struct ox_constraint){
                        .left = dim_text(f->dims, left),
                        .relation = c->relation,
                        .right = dim_text(f->dims, right),
                        .node = c->node,
                        .scope = c->scope,
                };
        }
        result->constraint = constraints;
}

static void finish_symbols(struct finishing *x, struct ox_result *result)
{
        struct infer *f = x->f;
        uint32_t count = dim_symbol_count(f->dims);
        struct ox_symbol *symbols = arena_new_array(f->arena, struct ox_symbol, count);

        for (uint32_t i = 0; i < count; i++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, i);

                if (i >= x->room || !x->seen[i])
                        continue;
                symbols[result->n_symbol++] = (struct ox_symbol){
                        .name = str_text(f->strings, symbol->name),
                        .value = str_text(f->strings, symbol->origin.value),
                        .axis = symbol->origin.axis,
                        .op = str_text(f->strings, symbol->origin.op),
                        .node = str_text(f->strings, symbol->origin.node),
                        .scope = str_text(f->strings, symbol->origin.scope),
                };
        }
        result->symbol = symbols;
}

static void finish_model(struct infer *f, struct ox_result *result, const OnnxGraph *graph)
{
        const OnnxModel *model = f->model;
        struct result_opset *opset = arena_new_array(f->arena, struct result_opset, model->n_opset_import);

        for (size_t i = 0; i < model->n_opset_import; i++)
                opset[i] = (struct result_opset){model->opset_import[i]->domain ? model->opset_import[i]->domain : "",
                                                 model->opset_import[i]->version};
        result->is_model = true;
        result->model = (struct result_model){
                .ir_version = model->ir_version,
                .producer_name = model->producer_name ? model->producer_name : "",
                .graph_name = graph->name ? graph->name : "",
                .opset = opset,
                .n_opset = model->n_opset_import,
                .functions = model->n_functions,
                .nodes = graph->n_node,
                .initializers = graph->n_initializer + graph->n_sparse_initializer,
                .bytes = f->bytes.seen,
                .bytes_skipped = f->bytes.skipped,
        };
}

const struct ox_result *finish(struct infer *f, const OnnxGraph *graph)
{
        struct ox_result *result = arena_new_zero(f->arena, struct ox_result);
        struct finishing x = {.f = f};

        finish_values(&x, result, graph);
        finish_constraints(&x, result);
        finish_symbols(&x, result);
        result->diags = &f->diags;
        result->summary.errors = f->diags.errors;
        result->summary.warnings = f->diags.warnings;
        result->dims = f->dims;
        if (graph)
                finish_model(f, result, graph);
        return result;
}
