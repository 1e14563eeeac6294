/* From a row to a request of the engine, and from its result back to the row's expectations. */
#pragma once

#include "case.h"
#include "engine.h"

/* Node, inputs and operator set of a row for one of its operators at version `opset`; `request` has its tables already
   (ox_request_begin()). False with *ret_error for what the engine has no words for: a misspelt type or dimension. */
bool case_build(struct ox_context *context, const struct case_row *row, const char *op, int opset,
                struct infer_node_request *request, const char **ret_error);

/* Whether an answer is what the row wants; else *ret_error says where it differs. `result` is NULL after an error. */
bool case_check(struct ox_context *context, const struct case_row *row, enum ox_code code,
                const struct ox_result *result, const char **ret_error);
