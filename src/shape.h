/* libshape: shapes and types of every value of an ONNX model, from its graph and never its weights.

   All of it can run in any number of threads at once, each with its own context. Nothing here does I/O, logs, keeps
   mutable globals or exits. Strings that are handed out live as long as the context is not reset or freed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"
#include "base/fault.h"
#include "base/limits.h"
#include "infer/public.h"

/* The memory of one request at a time, used again for the next. */
struct ox_context;

/* NULL when there is no memory. `limits` NULL: the defaults; else copied. */
struct ox_context *ox_context_new(const struct ox_limits *limits);
void ox_context_free(struct ox_context *context); /* takes NULL */

/* Everything that the context handed out becomes invalid; up to `keep` bytes of memory stay for the next request. */
void ox_context_reset(struct ox_context *context, size_t keep);

const struct ox_limits *ox_context_limits(const struct ox_context *context);

/* What the last call says that failed, until the next call; "" when it succeeded. */
const char *ox_context_error(const struct ox_context *context);

/* What was inferred: lives as long as its context is not reset or freed, and does not change. */
struct ox_result;

/* -- a model -- */

/* Takes the next bytes of a model; they may be given up at once. What is no model stays at fault: from the first error
   on every call for the model repeats it, until the context is reset. OX_FAILED_PRECONDITION once it was inferred. */
enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size);

/* Infers the model that was fed. May be called again (with a larger work budget) until the context is reset. `options`
   NULL: none. *ret is NULL after an error, but for those of faulty nodes that `strict` makes errors. */
enum ox_code ox_model_infer(struct ox_context *context, const struct ox_options *options, const struct ox_result **ret);

/* Both in one call. */
enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct ox_options *options, const struct ox_result **ret);

/* -- rendering -- */

/* Bails out into an error code when memory runs out. */
enum ox_code ox_render_json(struct ox_context *context, const struct ox_result *result, bool pretty, ox_write write,
                            void *user);
enum ox_code ox_render_table(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
enum ox_code ox_render_patch(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
