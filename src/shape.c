#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/load.h"
#include "model/skim.h"

struct ox_context {
        struct ox_limits limits;
        struct arena *arena;
        struct skimmer *skimmer; /* NULL until a model is fed */
        const OnnxModel *model;  /* NULL until it is parsed */
        enum ox_code failed;
        const char *error;
        char message[512];
};

struct ox_context *ox_context_new(const struct ox_limits *limits)
{
        struct ox_context *context = calloc(1, sizeof(*context));

        if (!context)
                return NULL;
        if (limits)
                context->limits = *limits;
        else
                ox_limits_default(&context->limits);
        context->arena = arena_new((size_t)context->limits.arena_bytes);
        if (!context->arena) {
                free(context);
                return NULL;
        }
        context->error = "";
        return context;
}

void ox_context_free(struct ox_context *context)
{
        if (!context)
                return;
        arena_free(context->arena);
        free(context);
}

void ox_context_reset(struct ox_context *context, size_t keep)
{
        arena_reset(context->arena, keep);
        context->skimmer = NULL;
        context->model = NULL;
        context->failed = OX_OK;
        context->error = "";
}

struct arena *ox_context_arena(struct ox_context *context)
{
        return context->arena;
}

const struct ox_limits *ox_context_limits(const struct ox_context *context)
{
        return &context->limits;
}

const char *ox_context_error(const struct ox_context *context)
{
        return context->error;
}

/* One piece of work on the arena, with its parameters and its outcome. */
struct work {
        struct ox_context *context;
        enum ox_code (*run)(struct work *work);
        const void *bytes;
        size_t size;
        const struct infer_options *options;
        const struct infer_node_request *request;
        const struct result *result;
        bool pretty;
        render_write write;
        void *user;
        struct infer_node_request *begun;
};

/* Runs work under a guard, so that it may end early from any depth. */
static enum ox_code guarded(struct work *work)
{
        struct ox_context *context = work->context;
        struct arena_guard guard;
        struct arena_guard *before = arena_set_guard(context->arena, &guard);
        enum ox_code code;

        context->error = "";
        if (setjmp(guard.jump) == 0) {
                code = work->run(work);
        } else {
                code = guard.code;
                memcpy(context->message, guard.message, sizeof(guard.message));
                context->error = context->message;
        }
        arena_set_guard(context->arena, before);
        return code;
}

/* -- a model -- */

static enum ox_code run_feed(struct work *work)
{
        struct ox_context *context = work->context;

        if (!context->skimmer)
                context->skimmer = skim_new(context->arena, &context->limits);
        enum ox_code code = skim_feed(context->skimmer, work->bytes, work->size);

        if (code != OX_OK)
                context->error = skim_error(context->skimmer);
        return code;
}

enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size)
{
        struct work work = {.context = context, .run = run_feed, .bytes = bytes, .size = size};

        if (context->failed == OX_OK)
                context->failed = guarded(&work);
        return context->failed;
}

static enum ox_code load(struct ox_context *context)
{
        const uint8_t *bytes;
        size_t size;
        OnnxModel *model;

        if (!context->skimmer)
                context->skimmer = skim_new(context->arena, &context->limits);
        enum ox_code code = skim_end(context->skimmer, &bytes, &size);

        if (code != OX_OK) {
                context->error = skim_error(context->skimmer);
                return code;
        }
        code = model_load(context->arena, bytes, size, &model, &context->error);
        if (code == OX_OK)
                context->model = model;
        return code;
}

static enum ox_code run_infer(struct work *work)
{
        struct ox_context *context = work->context;
        struct infer_options options = *work->options;

        if (!context->model)
                TRY(load(context));
        options.bytes = skim_bytes_seen(context->skimmer);
        options.bytes_skipped = skim_bytes_dropped(context->skimmer);
        return infer_model(context->arena, &context->limits, context->model, &options, &work->result, &context->error);
}

enum ox_code ox_model_infer(struct ox_context *context, const struct infer_options *options, const struct result **ret)
{
        struct work work = {.context = context, .run = run_infer, .options = options};

        if (context->failed != OX_OK)
                return context->failed;
        enum ox_code code = guarded(&work);

        *ret = work.result;
        return code;
}

enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct infer_options *options, const struct result **ret)
{
        TRY(ox_model_feed(context, bytes, size));
        return ox_model_infer(context, options, ret);
}

/* -- a node -- */

static enum ox_code run_begin(struct work *work)
{
        struct ox_context *context = work->context;

        work->begun->strings = strings_new(context->arena, 0);
        work->begun->dims = dim_table_new(context->arena, work->begun->strings, &context->limits, 0);
        return OX_OK;
}

enum ox_code ox_node_begin(struct ox_context *context, struct infer_node_request *request)
{
        struct work work = {.context = context, .run = run_begin, .begun = request};

        return guarded(&work);
}

static enum ox_code run_node(struct work *work)
{
        struct ox_context *context = work->context;

        return infer_node(context->arena, &context->limits, work->request, work->options, &work->result,
                          &context->error);
}

enum ox_code ox_infer_node(struct ox_context *context, const struct infer_node_request *request,
                           const struct infer_options *options, const struct result **ret)
{
        struct work work = {.context = context, .run = run_node, .request = request, .options = options};
        enum ox_code code = guarded(&work);

        *ret = work.result;
        return code;
}

/* -- rendering -- */

static enum ox_code run_json(struct work *work)
{
        render_json(work->result, work->context->arena, work->pretty, work->write, work->user);
        return OX_OK;
}

enum ox_code ox_render_json(struct ox_context *context, const struct result *result, bool pretty, render_write write,
                            void *user)
{
        struct work work = {
                .context = context, .run = run_json, .result = result, .pretty = pretty, .write = write, .user = user};

        return guarded(&work);
}

static enum ox_code run_table(struct work *work)
{
        render_table(work->result, work->context->arena, work->write, work->user);
        return OX_OK;
}

enum ox_code ox_render_table(struct ox_context *context, const struct result *result, render_write write, void *user)
{
        struct work work = {.context = context, .run = run_table, .result = result, .write = write, .user = user};

        return guarded(&work);
}

static enum ox_code run_patch(struct work *work)
{
        render_patch(work->result, work->context->arena, work->write, work->user);
        return OX_OK;
}

enum ox_code ox_render_patch(struct ox_context *context, const struct result *result, render_write write, void *user)
{
        struct work work = {.context = context, .run = run_patch, .result = result, .write = write, .user = user};

        return guarded(&work);
}
