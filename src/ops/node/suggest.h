/* Hints about wrong names and versions: "did you mean Relu?". NULL if there is no hint, or after HINTS_SOUGHT faults of
   a model. They live on the node's arena. */
#pragma once

#include "ops/node/node.h"

/* For an operator that its domain does not have: a domain that has it, or the nearest name. */
const char *suggest_operator(struct node *n);

/* For an operator that its domain has, but not in the imported version: its first version. */
const char *suggest_version(struct node *n);

/* For an attribute that the row does not have: the version since which it is an attribute or an input, or the nearest
   name. */
const char *suggest_attribute(struct node *n, const char *name);

/* For an input past the last one of the row: the first version that has it. */
const char *suggest_input(struct node *n);
