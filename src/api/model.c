/* A model: fed in pieces, then inferred. */
#include "api/internal.h"

#include <string.h>

/* The parameters and the result of one call. */
struct work {
        struct ox_context *context;
        const void *bytes;
        size_t size;
        bool bytes_stay;
        const struct ox_options *options;
        const struct ox_result *result;
};

/* A faulty model stays faulty, whatever other calls are made in between. */
static enum ox_code remember(struct ox_context *context, enum ox_code code)
{
        if (code == OX_OK)
                return OX_OK;
        if (context->failed == OX_OK) {
                context->failed = code;
                context->failed_error = context->error;
                if (context->error == context->message) {
                        memcpy(context->failed_message, context->message, sizeof(context->message));
                        context->failed_error = context->failed_message;
                }
        }
        context->error = context->failed_error;
        return context->failed;
}

static void need_skimmer(struct ox_context *context)
{
        struct skim_sink sink = {.read = loader_read, .take = loader_take, .settle = loader_settle};

        if (context->skimmer)
                return;
        sink.user = context->loader = loader_new(context->arena, context->seed);
        loader_defer(context->loader, context->defer_after);
        context->skimmer = skim_new(context->arena, &context->limits, &sink);
}

void ox_model_seed(struct ox_context *context, uint64_t seed)
{
        context->seed = seed;
}

void ox_model_defer(struct ox_context *context, size_t bytes)
{
        context->defer_after = bytes;
}

static enum ox_code run_feed(void *user)
{
        struct work *work = user;
        struct ox_context *context = work->context;

        need_skimmer(context);
        loader_bytes_stay(context->loader, work->bytes_stay);
        enum ox_code code = skim_feed(context->skimmer, work->bytes, work->size);

        if (code != OX_OK)
                context->error = skim_error(context->skimmer);
        return code;
}

static enum ox_code feed(struct ox_context *context, const void *bytes, size_t size, bool bytes_stay)
{
        struct work work = {.context = context, .bytes = bytes, .size = size, .bytes_stay = bytes_stay};

        if (context->failed != OX_OK)
                return remember(context, context->failed);
        if (context->model) {
                context->error = "the model is complete: another one needs a context that was reset";
                return OX_FAILED_PRECONDITION;
        }
        return remember(context, ox_context_run(context, run_feed, &work));
}

enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size)
{
        return feed(context, bytes, size, false);
}

enum ox_code ox_model_feed_staying(struct ox_context *context, const void *bytes, size_t size)
{
        return feed(context, bytes, size, true);
}

static enum ox_code run_load(void *user)
{
        struct ox_context *context = ((struct work *)user)->context;
        const uint8_t *bytes;
        size_t size;
        struct model *model;

        need_skimmer(context);
        enum ox_code code = skim_end(context->skimmer, &bytes, &size);

        if (code != OX_OK) {
                context->error = skim_error(context->skimmer);
                return code;
        }
        code = model_load(context->arena, bytes, size, context->loader, &model, &context->error);
        if (code == OX_OK)
                context->model = model;
        return code;
}

static enum ox_code run_infer(void *user)
{
        struct work *work = user;
        struct ox_context *context = work->context;
        struct infer_bytes bytes = {skim_bytes_seen(context->skimmer), skim_bytes_dropped(context->skimmer)};

        return infer_model(context->arena, &context->limits, context->model, work->options, bytes, &work->result,
                           &context->error);
}

enum ox_code ox_model_infer(struct ox_context *context, const struct ox_options *options, const struct ox_result **ret)
{
        struct work work = {.context = context, .options = options_or_none(options)};

        *ret = NULL;
        if (context->failed != OX_OK)
                return remember(context, context->failed);
        if (!context->model)
                TRY(remember(context, ox_context_run(context, run_load, &work)));
        enum ox_code code = ox_context_run(context, run_infer, &work);

        *ret = work.result;
        return code;
}

enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct ox_options *options, const struct ox_result **ret)
{
        *ret = NULL;
        if (!context->skimmer)
                context->seed = options_or_none(options)->seed;
        TRY(ox_model_feed_staying(context, bytes, size));
        return ox_model_infer(context, options, ret);
}
