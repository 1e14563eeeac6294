/* The parts of a row that declare its signature: parameters, attributes, type variables. */
#pragma once

#include "base/bounds.h"
#include "ops/custom/lex.h"
#include "ops/table/registry.h"

/* A signature while it is read. */
struct signature {
        struct lexer *lexer;
        const char *name; /* the operator's */
        struct op_param in[CUSTOM_ITEMS], out[CUSTOM_ITEMS];
        struct op_attr attr[CUSTOM_ITEMS];
        struct op_allowed allowed[CUSTOM_ITEMS]; /* of each attribute */
        bool bounded[CUSTOM_ITEMS];              /* whether that says anything */
        struct op_constraint constraint[CUSTOM_ITEMS];
        size_t n_in, n_out, n_attr, n_constraint;
};

/* `(x: T, w?: T) -> (y: T)`, `{...}` and `T = ...` behind an operator's name and version. False after a fault. */
bool custom_read_signature(struct lexer *lexer, struct op_row *row);

/* `{stride: int in 1.. = 1, dim: int!}`; nothing where there is no brace. */
bool custom_read_attrs(struct signature *s);
/* Ties `to: int of T` to the type variable T, which stands behind the attributes. */
bool custom_name_elems(struct signature *s);
