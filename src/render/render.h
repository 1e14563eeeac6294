/* Sinks over a result. Each writes through `write`, in pieces; what it needs besides lives on the arena. */
#pragma once

#include "infer/result.h"

/* Takes the next bytes. */
typedef void (*render_write)(void *user, const char *bytes, size_t size);

/* The JSON of api.md ("What an inference answers"). */
void render_json(const struct result *result, struct arena *arena, bool pretty, render_write write, void *user);

/* The aligned table for people: a line a value, then diagnostics, constraints and a summary. */
void render_table(const struct result *result, struct arena *arena, render_write write, void *user);

/* {"code": ..., "message": ..., "details": []}; diagnostics of `result` (may be NULL) become the details. */
void render_error_json(enum ox_code code, const char *message, const struct result *result, struct arena *arena,
                       render_write write, void *user);

/* application/vnd.onnx.patch: what can be appended to the model, so that intermediate values have their types. */
void render_patch(const struct result *result, struct arena *arena, render_write write, void *user);
