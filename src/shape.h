/* libshape: shapes and types of every value of an ONNX model, from its graph and never its weights.

   All of it can run in any number of threads at once, each with its own context. Nothing here does I/O, logs, keeps
   mutable globals or exits. Strings that are handed out live as long as the context is not reset or freed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"
#include "base/limits.h"
#include "infer/infer.h"
#include "infer/result.h"
#include "render/render.h"

/* The memory of one request at a time, used again for the next. */
struct ox_context;

/* NULL when there is no memory. `limits` NULL: the defaults; else copied. */
struct ox_context *ox_context_new(const struct ox_limits *limits);
void ox_context_free(struct ox_context *context); /* takes NULL */

/* Everything that the context handed out becomes invalid; up to `keep` bytes of memory stay for the next request. */
void ox_context_reset(struct ox_context *context, size_t keep);

struct arena *ox_context_arena(struct ox_context *context);
const struct ox_limits *ox_context_limits(const struct ox_context *context);

/* What the last call says that failed, until the next call; "" when it succeeded. */
const char *ox_context_error(const struct ox_context *context);

/* -- a model -- */

/* Takes the next bytes of a model; they may be given up at once. What is no model stays at fault: from the first error
   on every call for the model repeats it, until the context is reset. OX_FAILED_PRECONDITION once it was inferred. */
enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size);

/* Infers the model that was fed. May be called again (with a larger work budget) until the context is reset. `options`
   NULL: none. *ret is NULL after an error, but for those of faulty nodes that `strict` makes errors. */
enum ox_code ox_model_infer(struct ox_context *context, const struct infer_options *options, const struct result **ret);

/* Both in one call. */
enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct infer_options *options, const struct result **ret);

/* -- a node -- */

/* Makes the tables that a node request needs; the request's inputs are built on them. */
enum ox_code ox_node_begin(struct ox_context *context, struct infer_node_request *request);
enum ox_code ox_infer_node(struct ox_context *context, const struct infer_node_request *request,
                           const struct infer_options *options, const struct result **ret);

/* -- rendering -- */

/* Bails out into an error code when memory runs out. */
enum ox_code ox_render_json(struct ox_context *context, const struct result *result, bool pretty, render_write write,
                            void *user);
enum ox_code ox_render_table(struct ox_context *context, const struct result *result, render_write write, void *user);
enum ox_code ox_render_patch(struct ox_context *context, const struct result *result, render_write write, void *user);
