/* What the files behind shape.h share: the context, and running work on its arena. */
#pragma once

#include "engine.h"
#include "model/load.h"
#include "model/skim.h"

struct ox_context {
        struct ox_limits limits;
        struct arena *arena;
        struct skimmer *skimmer; /* NULL until a model is fed; hands on to the loader */
        struct loader *loader;
        const OnnxModel *model; /* NULL until it is parsed */
        enum ox_code failed;    /* why no model can be had from this context until it is reset */
        const char *failed_error;
        const char *error;
        char message[sizeof(((struct arena_guard *)NULL)->message)];
        char failed_message[sizeof(((struct arena_guard *)NULL)->message)];
};

/* Runs work that may end early from any depth, when memory or time runs out; context->error says why then. */
enum ox_code shape_run(struct ox_context *context, enum ox_code (*run)(void *user), void *user);
