/* The walk over a result that every writer takes: which parts an answer has, and in which order. What a value, a
   symbol, a condition or a diagnostic consists of stands in render/fields.h, for the writers that tell all of it. */
#pragma once

#include "infer/result.h"

enum result_list {
        LIST_VALUES,
        LIST_SYMBOLS,
        LIST_CONSTRAINTS,
        LIST_ASSUMPTIONS,
        LIST_DIAGNOSTICS,
        LIST_EXPLANATIONS,
        LIST_SIZES,
        LIST_BINDINGS,
        LIST_COUNT
};

/* What a writer does with each part. A part whose member is NULL is passed over. */
struct visitor {
        void (*model)(void *user, const struct result_model *model);
        void (*list)(void *user, enum result_list list, size_t count); /* before the first of `count` */
        void (*value)(void *user, const struct result_value *value);
        void (*symbol)(void *user, const struct ox_symbol *symbol);
        void (*condition)(void *user, enum result_list list, const struct ox_constraint *condition);
        void (*diagnostic)(void *user, const struct ox_diag *diagnostic);
        void (*explanation)(void *user, const struct result_explanation *explanation);
        void (*size)(void *user, const struct ox_size *size);
        void (*bound)(void *user, const struct ox_bindings *sizes, const struct ox_result *bound);
        void (*list_end)(void *user, enum result_list list);
        void (*summary)(void *user, const struct ox_summary *summary, const struct ox_result *result);
};

/* A single node's result has neither `model` nor `summary`. */
void visit_result(const struct ox_result *result, const struct visitor *visitor, void *user);

/* One list alone: what errors have of a result. */
void visit_diagnostics(const struct diags *diags, const struct visitor *visitor, void *user);
