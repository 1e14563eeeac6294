/* Unknown operators, and what hangs on them. */
#pragma once

#include "infer/internal.h"

/* Remembers that a node's operator is unknown; UNKNOWN_TOLD operators at most. */
void unknown_note(struct infer *f, const struct model_op *op);

/* Fills the unknown operators of a finished result: their nodes, and the values that are made of what these make. */
void unknown_count(struct infer *f, struct ox_result *result);
