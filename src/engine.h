/* What service/ and tests/ may use of libshape besides shape.h, for they are of one make with it: its memory, its
   structures, and requests for a node that are built from these. */
#pragma once

#include "api/build.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/try.h"
#include "infer/infer.h"
#include "infer/result.h"
#include "model/load.h"
#include "model/wire.h"
#include "ops/custom/custom.h"
#include "ops/table/allowed.h"
#include "render/render.h"
#include "shape.h"

/* A context whose memory comes from what others share. */
struct ox_context *ox_context_new_shared(const struct ox_limits *limits, struct arena_source *source);

struct arena *ox_context_arena(struct ox_context *context);

/* The seed of the table of a model's names, as that of struct ox_options is of all other tables. To be called before a
   model is fed; holds for all that come. */
void ox_model_seed(struct ox_context *context, uint64_t seed);

/* Once a model has taken so much of the context's memory, the rest of it is parsed by ox_model_infer() and not while it
   is fed. To be called before it is; holds until the context is reset. */
void ox_model_defer(struct ox_context *context, size_t bytes);

/* Feeds a model, or the next part of it, from bytes that stay until the context is reset. */
enum ox_code ox_model_feed_staying(struct ox_context *context, const void *bytes, size_t size);

/* Runs what allocates on the context's arena. It may end early from any depth, when memory or time runs out: then the
   code says so, and ox_context_error() why. What `run` holds besides the arena would be lost. */
enum ox_code ox_context_run(struct ox_context *context, enum ox_code (*run)(void *user), void *user);

/* Reads operators that a request declares, onto the context's arena, and puts them before those that `options` has.
   OX_INVALID_ARGUMENT with the context's error for what cannot be read. */
enum ox_code ox_context_operators(struct ox_context *context, const char *text, size_t size,
                                  struct ox_options *options);

/* Makes the tables that a request for a node needs; its inputs are built on them. */
enum ox_code ox_request_begin(struct ox_context *context, struct infer_node_request *request);
enum ox_code ox_request_infer(struct ox_context *context, const struct infer_node_request *request,
                              const struct ox_options *options, const struct ox_result **ret);

/* An error as JSON, within the limits of an answer; the diagnostics of `result` (may be NULL) are its details. */
enum ox_code ox_render_error(struct ox_context *context, enum ox_code code, const char *message,
                             const struct ox_result *result, ox_write write, void *user);

/* ox_render_proto() at a place of a larger message, and render_error_proto(). */
enum ox_code ox_render_proto_in(struct ox_context *context, const struct ox_result *result,
                                const struct message_path *around, ox_write write, void *user);
enum ox_code ox_render_error_proto(struct ox_context *context, const struct render_error *error,
                                   const struct message_path *around, ox_write write, void *user);
