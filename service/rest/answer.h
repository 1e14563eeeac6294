/* Answers that both models and nodes give. */
#pragma once

#include "net/call.h"
#include "shape.h"

/* Appends {"code", "message", "details"} with the diagnostics of `result` (may be NULL) as details. False when memory
   runs out. */
bool answer_error(struct call *call, struct ox_context *context, enum ox_code code, const char *message,
                  const struct ox_result *result);

/* The whole reply of a request that failed. */
void answer_failure(struct call *call, struct ox_context *context, enum ox_code code, const char *message,
                    const struct ox_result *result);
