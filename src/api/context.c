/* Contexts, models, and rendering. */
#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/str.h"
#include "model/load.h"

struct ox_context *ox_context_new(const struct ox_limits *limits)
{
        return ox_context_new_shared(limits, NULL);
}

struct ox_context *ox_context_new_shared(const struct ox_limits *limits, struct arena_source *source)
{
        struct ox_context *context = calloc(1, sizeof(*context));

        if (!context)
                return NULL;
        if (limits)
                context->limits = *limits;
        else
                ox_limits_default(&context->limits);
        context->arena = arena_new_shared((size_t)context->limits.arena_bytes, source);
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
        context->loader = NULL;
        context->model = NULL;
        context->failed = OX_OK;
        context->strings = NULL;
        context->dims = NULL;
        context->value = NULL;
        context->value_room = 0;
        context->opset = NULL;
        context->n_opset = 0;
        context->spent = false;
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

enum ox_code shape_run(struct ox_context *context, enum ox_code (*run)(void *user), void *user)
{
        struct arena_guard guard;
        struct arena_guard *before = arena_set_guard(context->arena, &guard);
        enum ox_code code;

        context->error = "";
        if (setjmp(guard.jump) == 0) {
                code = run(user);
        } else {
                code = guard.code;
                memcpy(context->message, guard.message, sizeof(guard.message));
                context->error = context->message;
                context->spent = true;
        }
        arena_set_guard(context->arena, before);
        return code;
}

/* -- a model -- */

/* One piece of work on a model, with its parameters and its outcome. */
struct work {
        struct ox_context *context;
        const void *bytes;
        size_t size;
        bool bytes_stay;
        const struct ox_options *options;
        const struct ox_result *result;
};

/* What was fed stays at fault, whatever is asked of the context in between. */
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
        struct skim_sink sink = {.take = loader_take};

        if (context->skimmer)
                return;
        sink.user = context->loader = loader_new(context->arena);
        context->skimmer = skim_new(context->arena, &context->limits, &sink);
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
        return remember(context, shape_run(context, run_feed, &work));
}

enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size)
{
        return feed(context, bytes, size, false);
}

static enum ox_code run_load(void *user)
{
        struct ox_context *context = ((struct work *)user)->context;
        const uint8_t *bytes;
        size_t size;
        OnnxModel *model;

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
        struct work work = {.context = context, .options = shape_options(options)};

        *ret = NULL;
        if (context->failed != OX_OK)
                return remember(context, context->failed);
        if (!context->model)
                TRY(remember(context, shape_run(context, run_load, &work)));
        enum ox_code code = shape_run(context, run_infer, &work);

        *ret = work.result;
        return code;
}

enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct ox_options *options, const struct ox_result **ret)
{
        *ret = NULL;
        TRY(feed(context, bytes, size, true));
        return ox_model_infer(context, options, ret);
}

/* -- a node -- */

struct node_work {
        struct ox_context *context;
        struct infer_node_request *begun;
        const struct infer_node_request *request;
        const struct ox_options *options;
        const struct ox_result *result;
};

static enum ox_code run_begin(void *user)
{
        struct node_work *work = user;
        struct ox_context *context = work->context;

        work->begun->strings = strings_new(context->arena, 0);
        work->begun->dims = dim_table_new(context->arena, work->begun->strings, &context->limits, 0);
        return OX_OK;
}

enum ox_code ox_request_begin(struct ox_context *context, struct infer_node_request *request)
{
        struct node_work work = {.context = context, .begun = request};

        return shape_run(context, run_begin, &work);
}

static enum ox_code run_node(void *user)
{
        struct node_work *work = user;
        struct ox_context *context = work->context;

        return infer_node(context->arena, &context->limits, work->request, work->options, &work->result,
                          &context->error);
}

enum ox_code ox_request_infer(struct ox_context *context, const struct infer_node_request *request,
                              const struct ox_options *options, const struct ox_result **ret)
{
        struct node_work work = {.context = context, .request = request, .options = shape_options(options)};
        enum ox_code code = shape_run(context, run_node, &work);

        *ret = work.result;
        return code;
}

/* -- rendering -- */

/* What is rendered, and the sink on the way to the caller's, which ends it once the answer is larger than it may be:
   what a small model repeats for every value (a long name, a large expression) adds up. */
struct rendering {
        struct ox_context *context;
        const struct ox_result *result;
        bool pretty;
        enum ox_code code; /* of an error, with its message */
        const char *message;
        ox_write write;
        void *user;
        uint64_t left; /* bytes that the answer may still have */
        bool is_full;
};

static void write_bounded(void *user, const char *bytes, size_t size)
{
        struct rendering *r = user;

        r->is_full = size > r->left;
        if (r->is_full)
                arena_bail(r->context->arena, OX_RESOURCE_EXHAUSTED,
                           "the answer has more bytes than answer_bytes allows (%lld)",
                           (long long)r->context->limits.answer_bytes);
        r->left -= size;
        r->write(r->user, bytes, size);
}

static enum ox_code run_bounded(struct rendering *r, enum ox_code (*run)(void *user))
{
        int64_t most = r->context->limits.answer_bytes;
        bool was_spent = r->context->spent;

        r->left = most < 0 ? 0 : (uint64_t)most;
        enum ox_code code = shape_run(r->context, run, r);

        if (r->is_full)
                r->context->spent = was_spent; /* nothing was left half made */
        return code;
}

static enum ox_code run_json(void *user)
{
        struct rendering *r = user;

        render_json(r->result, r->context->arena, r->pretty, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_json(struct ox_context *context, const struct ox_result *result, bool pretty, ox_write write,
                            void *user)
{
        struct rendering r = {.context = context, .result = result, .pretty = pretty, .write = write, .user = user};

        return run_bounded(&r, run_json);
}

static enum ox_code run_table(void *user)
{
        struct rendering *r = user;

        render_table(r->result, r->context->arena, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_table(struct ox_context *context, const struct ox_result *result, ox_write write, void *user)
{
        struct rendering r = {.context = context, .result = result, .write = write, .user = user};

        return run_bounded(&r, run_table);
}

static enum ox_code run_patch(void *user)
{
        struct rendering *r = user;

        render_patch(r->result, r->context->arena, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_patch(struct ox_context *context, const struct ox_result *result, ox_write write, void *user)
{
        struct rendering r = {.context = context, .result = result, .write = write, .user = user};

        return run_bounded(&r, run_patch);
}

static enum ox_code run_error(void *user)
{
        struct rendering *r = user;

        render_error_json(r->code, r->message, r->result, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_error(struct ox_context *context, enum ox_code code, const char *message,
                             const struct ox_result *result, ox_write write, void *user)
{
        struct rendering r = {
                .context = context, .result = result, .code = code, .message = message, .write = write, .user = user};

        return run_bounded(&r, run_error);
}
