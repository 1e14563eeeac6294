/* Sinks over a result. Each writes through `write`, in pieces; what it needs besides lives on the arena. */
#pragma once

#include "infer/result.h"

/* The JSON of api.md ("What an inference answers"). */
void render_json(const struct ox_result *result, struct arena *arena, bool pretty, ox_write write, void *user);

/* The aligned table for people: a line a value, then diagnostics, constraints and a summary. */
void render_table(const struct ox_result *result, struct arena *arena, ox_write write, void *user);

/* {"code": ..., "message": ..., "details": []}; diagnostics of `result` (may be NULL) become the details. */
void render_error_json(enum ox_code code, const char *message, const struct ox_result *result, ox_write write,
                       void *user);

/* application/vnd.onnx.patch: what can be appended to the model, so that intermediate values have their types. */
void render_patch(const struct ox_result *result, struct arena *arena, ox_write write, void *user);
