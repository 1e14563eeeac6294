/* Shared by the files behind shape.h: the context, running work on its arena, and conversion of values. */
#pragma once

#include "api/build.h"
#include "engine.h"
#include "model/load.h"
#include "model/skim.h"

#define CONTEXT_MESSAGE sizeof(((struct arena_guard *)NULL)->message)

/* A defined name. */
struct named_value {
        struct value value;
        size_t dropped; /* of its elements: as many were given, and are not followed */
};

struct ox_context {
        struct ox_limits limits;
        struct arena *arena;
        struct skimmer *skimmer; /* NULL until a model is fed; hands on to the loader */
        struct loader *loader;
        uint64_t seed;             /* of the model's names */
        size_t defer_after;        /* bytes, from which on it parses later */
        const struct model *model; /* NULL until it is parsed */
        enum ox_code failed;       /* the error that every call for a model repeats until the context is reset */
        const char *failed_error;
        struct strings *strings; /* of the values by name; NULL until there are any */
        struct dim_table *dims;
        struct builder builder;           /* on these tables */
        const struct named_value **value; /* by the handle of its name; NULL: not defined */
        uint32_t value_room;
        struct result_opset *opset;
        size_t n_opset;
        bool spent; /* work ended early, so these tables may be incomplete */
        const char *error;
        char message[CONTEXT_MESSAGE];
        char failed_message[CONTEXT_MESSAGE];
};

struct ox_node {
        struct ox_context *context;
        OnnxNode proto;
        enum ox_code failed;
        char message[CONTEXT_MESSAGE]; /* why */
};

static inline const struct ox_options *options_or_none(const struct ox_options *options)
{
        static const struct ox_options none;

        return options ? options : &none;
}

/* ox_context_run() for work on values by name; creates their tables first. */
enum ox_code context_run_values(struct ox_context *context, enum ox_code (*run)(void *user), void *user);

/* -- within ox_context_run(): these may end it early -- */

/* Sets context->error, and returns `code`. */
enum ox_code context_fail(struct ox_context *context, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Error unless a text is clean UTF-8 within the limit on names. */
enum ox_code context_check_text(struct ox_context *context, const char *what, const char *text);

/* Converts a caller's value or shape, called `name`, to the engine's. */
enum ox_code value_import(struct ox_context *context, const char *name, const struct ox_value *given,
                          struct named_value *ret);
enum ox_code shape_import(struct ox_context *context, const char *name, const struct ox_shape *given, struct type *ret);

/* Converts back; `dims` is the table of its dimensions. */
const struct ox_shape *shape_export(struct arena *arena, struct dim_table *dims, int rank, const struct dim *dim);
void value_export(struct arena *arena, struct dim_table *dims, const struct value *value, struct ox_value *ret);

/* NULL: the name is not defined. */
const struct named_value *context_find(const struct ox_context *context, const char *name);
void context_put(struct ox_context *context, const char *name, const struct named_value *value);

/* Sets context->error to the builder's unless `code` is OX_OK; returns `code`. */
enum ox_code context_built(struct ox_context *context, enum ox_code code);

/* The node's fault, or OX_OK. Takes NULL, for a node that could not be made. */
enum ox_code node_fault(struct ox_context *context, const struct ox_node *node);
