/* What the row's types alone tell of a node. */
#pragma once

#include "ops/node/node.h"

/* Sets every output to what the row's types alone tell: kind and element type, without rank. A node without a row has
   outputs of unknown type. */
void op_prepare_outputs(struct node *n);
