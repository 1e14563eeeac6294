/* A node held against its operator's row. */
#pragma once

#include "ops/node/node.h"

/* Holds a node, which has a row, against it: the arity (MISSING_INPUT, TOO_MANY_INPUTS, MISSING_OUTPUT,
   TOO_MANY_OUTPUTS), attributes (MISSING_ATTRIBUTE, ATTRIBUTE_TYPE, ATTRIBUTE_VALUE, ATTRIBUTE_LENGTH;
   UNKNOWN_ATTRIBUTE; DEPRECATED is a warning), that no sequence, optional or map is where a tensor must be
   (TYPE_MISMATCH) and, with `check_types`, types (TYPE_MISMATCH): in their set, and the same wherever they share a type
   variable. References to a function's attributes must be resolved before. Attributes that the row does not have are
   gone from `n` afterwards. */
enum ox_code op_check_node(struct node *n, bool check_types);
