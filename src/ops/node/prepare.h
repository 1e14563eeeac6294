/* Types of a node's outputs from its row. */
#pragma once

#include "ops/node/node.h"

/* Sets the kind and element type of every output as far as the row determines them, without rank. A node without a row
   has outputs of unknown type. */
void op_prepare_outputs(struct node *n);

/* What the type of the first output of an operator's nodes hangs on, where that is the row alone, or beside it one
   input. */
struct op_prepared {
        int like;         /* the input, if it is a tensor of known element type; -1: none */
        struct type type; /* where there is none */
};
/* False if there is more to it. */
bool op_prepared_of(const struct op_row *row, struct op_prepared *ret);
/* op_prepare_outputs() for a node of that row with one output. */
void op_prepare_output(struct node *n, const struct op_prepared *prepared);
