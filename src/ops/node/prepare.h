/* Types of a node's outputs from its row. */
#pragma once

#include "ops/node/node.h"

/* Sets the kind and element type of every output as far as the row determines them, without rank. A node without a row
   has outputs of unknown type. */
void op_prepare_outputs(struct node *n);
