/* Hints about names and versions that a node has wrong: "did you mean Relu?". NULL when there is nothing to say, and
   once a model has so many faults that nobody reads on (HINTS_SOUGHT). They live on the node's arena. */
#pragma once

#include "ops/node/node.h"

/* An operator that its domain does not have: a domain that has it, or the nearest name. */
const char *suggest_operator(struct node *n);

/* An operator that its domain has, but not in the version that is imported: since which version. */
const char *suggest_version(struct node *n);

/* An attribute that the row does not have: since which version it is one, or an input, or the nearest name. */
const char *suggest_attribute(struct node *n, const char *name);

/* An input past the last one of the row: since which version there is one. */
const char *suggest_input(struct node *n);
