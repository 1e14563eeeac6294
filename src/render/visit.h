/* The walk over a result for all writers: the parts of an answer, and their order. render/fields.h lists the fields of
   a value, a symbol, a condition and a diagnostic, for the writers that write all of them. */
#pragma once

#include "infer/result.h"

enum result_list {
        LIST_VALUES,
        LIST_SYMBOLS,
        LIST_CONSTRAINTS,
        LIST_ASSUMPTIONS,
        LIST_DIAGNOSTICS,
        LIST_EXPLANATIONS,
        LIST_NODES,
        LIST_SIZES,
        LIST_BINDINGS,
        LIST_TIED_SIZES,
        LIST_DYNAMIC_SIZES,
        LIST_COUNT
};

/* The functions of a writer for each part. A part whose member is NULL is skipped. */
struct visitor {
        void (*model)(void *user, const struct result_model *model);
        void (*list)(void *user, enum result_list list, size_t count); /* before the first of `count` */
        /* Of values: each by itself, or several that lie side by side. */
        void (*value)(void *user, const struct result_value *value);
        void (*values)(void *user, const struct result_value *value, size_t count);
        void (*symbol)(void *user, const struct ox_symbol *symbol);
        void (*condition)(void *user, enum result_list list, const struct ox_constraint *condition);
        void (*diagnostic)(void *user, const struct ox_diag *diagnostic);
        void (*explanation)(void *user, const struct result_explanation *explanation);
        void (*node)(void *user, const struct ox_graph_node *node);
        void (*size)(void *user, const struct ox_size *size);
        void (*bound)(void *user, const struct ox_bindings *sizes, const struct ox_result *bound);
        void (*tied)(void *user, const struct ox_tied_sizes *tied);
        void (*dynamic_size)(void *user, const struct ox_dynamic_size *size);
        void (*list_end)(void *user, enum result_list list);
        void (*summary)(void *user, const struct ox_summary *summary, const struct ox_result *result);
};

/* A single node's result has neither `model` nor `summary`. */
void visit_result(const struct ox_result *result, const struct visitor *visitor, void *user);

#define VISIT_AHEAD 4 /* values between one that is visited and one whose node is fetched: nodes lie far apart */

static inline void visit_ahead(const struct result_value *value, size_t i, size_t count)
{
        if (i + VISIT_AHEAD < count)
                __builtin_prefetch(value[i + VISIT_AHEAD].made_by);
}

/* Visits a single list, which is all that errors show of a result. */
void visit_diagnostics(const struct diags *diags, const struct visitor *visitor, void *user);
