/* Operators that a caller declares: a text in the language of docs/custom-operators.md becomes rows like those of the
   registry, whose rule evaluates the shapes that the text states. Nothing in it is executed: expressions are read once,
   bounded in number and depth, and add, multiply and compare sizes. */
#pragma once

#include "ops/table/registry.h"

struct arena;

/* Immutable once read; any thread may use it. */
struct ox_operators {
        struct arena *arena; /* that all of it lives on */
        const char *error;   /* "": none. Where and why a text is not in the language, and there are no rows:
                                "line 3: 'flaot' is not a type; did you mean float?" */
        const struct op_row *const *row; /* sorted by domain, name, since */
        size_t n_row;
};

/* Reads a text of `size` bytes, which need not stay, into a table that is all zero. */
void custom_read(struct arena *arena, const char *text, size_t size, struct ox_operators *ret);

/* The rows of one operator, oldest first, in a table; their number is stored, 0 for none. */
const struct op_row *const *custom_versions(const struct ox_operators *table, const char *domain, const char *name,
                                            size_t *ret_count);

/* The row in force for an operator in a version of its operator set, as op_find(), in the first of some tables that has
   the operator. */
const struct op_row *custom_find(const struct ox_operators *const *tables, size_t count, const char *domain,
                                 const char *name, int64_t opset, bool *ret_exists);
