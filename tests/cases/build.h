/* From a row to a request of the engine, and from its result back to the row's expectations. */
#pragma once

#include "case.h"
#include "engine.h"
#include "render/json_out.h"

/* -- what a row says, as the library's callers say it -- */

void case_value(struct arena *arena, const struct case_value *from, struct ox_value *ret);

/* The type of an attribute of an operator; `op` NULL: of none that is known. */
enum attr_type case_attr_type(const struct case_attr *attr, const struct op_row *op);

/* The names of a node's inputs and outputs; "" for what is left out. */
const char *case_input(struct arena *arena, const struct case_row *row, size_t i);
const char *case_output(struct arena *arena, const struct case_row *row, size_t i);
size_t case_outputs(const struct case_row *row);

/* Whether the request has a value for an input. */
bool case_is_given(const struct case_value *input);

/* Appends the row as the JSON of a request for one of its operators. */
void case_write_json(struct json_out *out, struct arena *arena, const struct case_row *row, const char *op, int opset);

/* -- in process -- */

/* Node, inputs and operator set of a row for one of its operators at version `opset`; `request` has its tables already
   (ox_request_begin()). False with *ret_error for what the engine has no words for: a misspelt type or dimension. */
bool case_build(struct ox_context *context, const struct case_row *row, const char *op, int opset,
                struct infer_node_request *request, const char **ret_error);

/* Whether an answer is what the row wants; else *ret_error says where it differs. `result` is NULL after an error. */
bool case_check(struct ox_context *context, const struct case_row *row, enum ox_code code,
                const struct ox_result *result, const char **ret_error);
