/* Checks a node against its operator's row. */
#pragma once

#include "ops/node/node.h"

/* Checks a node against its row: arity (MISSING_INPUT, INPUT_COUNT, OUTPUT_COUNT), attributes (MISSING_ATTRIBUTE,
   ATTRIBUTE_TYPE, ATTRIBUTE_VALUE, ATTRIBUTE_LENGTH, UNKNOWN_ATTRIBUTE), that no sequence, optional or map stands in
   the place of a tensor (TYPE_MISMATCH) and, with `check_types`, that types are in their set, and equal wherever they
   share a type variable (TYPE_MISMATCH). DEPRECATED is a warning. References to a function's attributes must be
   resolved before. Removes attributes from `n` that the row does not have. */
enum ox_code op_check_node(struct node *n, bool check_types);
/* The part of it that is about attributes. */
enum ox_code op_check_attributes(struct node *n, bool check_types);
