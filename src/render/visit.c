#include "render/visit.h"

static void begin(const struct visitor *visitor, void *user, enum result_list list, size_t count)
{
        if (visitor->list)
                visitor->list(user, list, count);
}

static void end(const struct visitor *visitor, void *user, enum result_list list)
{
        if (visitor->list_end)
                visitor->list_end(user, list);
}

/* How many values of an answer from number `at` on lie side by side. */
static size_t run_of(const struct ox_result *result, size_t at)
{
        const uint32_t *shown = result->shown;
        const size_t first = shown ? shown[at] : at;
        const size_t left = result->n_value - at, room = RESULT_CHUNK - first % RESULT_CHUNK;
        const size_t most = left < room ? left : room;
        size_t count = 1;

        if (!shown)
                return most;
        while (count < most && shown[at + count] == first + count)
                count++;
        return count;
}

static void visit_values(const struct ox_result *result, const struct visitor *visitor, void *user)
{
        const size_t count = visitor->value || visitor->values ? result->n_value : 0;

        begin(visitor, user, LIST_VALUES, result->n_value);
        for (size_t i = 0, run; i < count; i += run) {
                const struct result_value *value = result_at(result, i);

                run = run_of(result, i);
                if (visitor->values)
                        visitor->values(user, value, run);
                for (size_t v = 0; visitor->value && v < run; v++)
                        visitor->value(user, &value[v]);
        }
        end(visitor, user, LIST_VALUES);
}

static void visit_symbols(const struct ox_result *result, const struct visitor *visitor, void *user)
{
        begin(visitor, user, LIST_SYMBOLS, result->n_symbol);
        for (size_t i = 0; visitor->symbol && i < result->n_symbol; i++)
                visitor->symbol(user, &result->symbol[i]);
        end(visitor, user, LIST_SYMBOLS);
}

static void visit_conditions(const struct ox_constraint *condition, size_t count, enum result_list list,
                             const struct visitor *visitor, void *user)
{
        begin(visitor, user, list, count);
        for (size_t i = 0; visitor->condition && i < count; i++)
                visitor->condition(user, list, &condition[i]);
        end(visitor, user, list);
}

/* A list that is there only if `present`, and whose items stand in an array of the result. */
#define VISIT_LIST(name, present, list, member, items, count)                                                          \
        static void visit_##name(const struct ox_result *result, const struct visitor *visitor, void *user)            \
        {                                                                                                              \
                if (!result->present)                                                                                  \
                        return;                                                                                        \
                begin(visitor, user, list, result->count);                                                             \
                for (size_t i = 0; visitor->member && i < result->count; i++)                                          \
                        visitor->member(user, &result->items[i]);                                                      \
                end(visitor, user, list);                                                                              \
        }

VISIT_LIST(explanations, n_explanation, LIST_EXPLANATIONS, explanation, explanation, n_explanation)
VISIT_LIST(nodes, node, LIST_NODES, node, node, n_node)
VISIT_LIST(sizes, size, LIST_SIZES, size, size, n_size)
VISIT_LIST(tied, n_tied, LIST_TIED_SIZES, tied, tied, n_tied)
VISIT_LIST(dynamic_sizes, n_dynamic, LIST_DYNAMIC_SIZES, dynamic_size, dynamic, n_dynamic)

static void visit_bound(const struct ox_result *result, const struct visitor *visitor, void *user)
{
        if (!result->n_bound)
                return;
        begin(visitor, user, LIST_BINDINGS, result->n_bound);
        for (size_t i = 0; visitor->bound && i < result->n_bound; i++)
                visitor->bound(user, &result->bindings[i], result->bound[i]);
        end(visitor, user, LIST_BINDINGS);
}

void visit_diagnostics(const struct diags *diags, const struct visitor *visitor, void *user)
{
        begin(visitor, user, LIST_DIAGNOSTICS, diags->count);
        for (size_t i = 0; visitor->diagnostic && i < diags->count; i++)
                visitor->diagnostic(user, &diags->at[i]);
        end(visitor, user, LIST_DIAGNOSTICS);
}

void visit_result(const struct ox_result *result, const struct visitor *visitor, void *user)
{
        if (result->is_model && visitor->model)
                visitor->model(user, &result->model);
        visit_values(result, visitor, user);
        visit_symbols(result, visitor, user);
        visit_conditions(result->constraint, result->n_constraint, LIST_CONSTRAINTS, visitor, user);
        if (result->n_assumption > 0)
                visit_conditions(result->assumption, result->n_assumption, LIST_ASSUMPTIONS, visitor, user);
        visit_diagnostics(result->diags, visitor, user);
        if (result->is_model && visitor->summary)
                visitor->summary(user, &result->summary, result);
        visit_explanations(result, visitor, user);
        visit_nodes(result, visitor, user);
        visit_sizes(result, visitor, user);
        visit_bound(result, visitor, user);
        visit_tied(result, visitor, user);
        visit_dynamic_sizes(result, visitor, user);
}
