/* Contexts: their memory, their guard, and the values of names. */
#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "api/version.h"
#include "base/str.h"
#include "model/load.h"
#include "ops/table/registry.h"

const char *ox_version(void)
{
        return OX_LIBRARY_VERSION;
}

/* No limit exceeds the largest size of an object, which matters on 32-bit machines. */
static void clamp(struct ox_limits *limits)
{
#define LIMIT(name, value, unit, help)                                                                                 \
        if (limits->name > 0 && (uint64_t)limits->name > SIZE_MAX)                                                     \
                limits->name = (int64_t)SIZE_MAX;
#include "base/limits.def"
#undef LIMIT
}

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
        clamp(&context->limits);
        context->arena = arena_new_shared((size_t)context->limits.arena_bytes, source);
        if (!context->arena) {
                free(context);
                return NULL;
        }
        context->defer_after = SIZE_MAX;
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
        context->defer_after = SIZE_MAX;
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

enum ox_code ox_context_run(struct ox_context *context, enum ox_code (*run)(void *user), void *user)
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

enum ox_code context_fail(struct ox_context *context, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        context->error = arena_vprintf(context->arena, format, args);
        va_end(args);
        return code;
}

enum ox_code context_built(struct ox_context *context, enum ox_code code)
{
        if (code != OX_OK)
                context->error = context->builder.error;
        return code;
}

enum ox_code context_check_text(struct ox_context *context, const char *what, const char *text)
{
        return context_built(context, build_check_text(&context->builder, what, text));
}

/* -- names -- */

struct begun {
        struct ox_context *context;
        enum ox_code (*run)(void *user);
        void *user;
};

static enum ox_code run_begun(void *user)
{
        struct begun *begun = user;
        struct ox_context *context = begun->context;

        if (!context->dims) {
                context->strings = strings_new(context->arena, 0);
                context->dims = dim_table_new(context->arena, context->strings, &context->limits, 0);
                builder_init(&context->builder, context->arena, context->strings, context->dims, &context->limits);
        }
        return begun->run(begun->user);
}

enum ox_code context_run_values(struct ox_context *context, enum ox_code (*run)(void *user), void *user)
{
        struct begun begun = {context, run, user};

        if (context->spent) {
                context->error = "memory or time ran out before: the context must be reset";
                return OX_FAILED_PRECONDITION;
        }
        return ox_context_run(context, run_begun, &begun);
}

const struct named_value *context_find(const struct ox_context *context, const char *name)
{
        str_id id;

        if (!str_find(context->strings, name, strlen(name), &id) || id >= context->value_room)
                return NULL;
        return context->value[id];
}

void context_put(struct ox_context *context, const char *name, const struct named_value *value)
{
        str_id id = str_intern_z(context->strings, name);
        const struct named_value **grown;

        if (id >= context->value_room) {
                uint32_t room = 2 * id + 64;

                grown = (const struct named_value **)arena_zalloc(context->arena, (size_t)room * sizeof(*grown));
                if (context->value_room)
                        memcpy(grown, context->value, context->value_room * sizeof(*grown));
                context->value = grown;
                context->value_room = room;
        }
        context->value[id] = value;
}

struct naming {
        struct ox_context *context;
        const char *name;
        const struct ox_value *given;
        struct ox_value *ret;
        int64_t version;
};

static enum ox_code run_set(void *user)
{
        struct naming *n = user;
        struct named_value *value = NULL;

        TRY(context_check_text(n->context, "the name of a value", n->name));
        if (!n->name[0])
                return context_fail(n->context, OX_INVALID_ARGUMENT, "a value needs a name");
        if (n->given) {
                value = arena_new_array(n->context->arena, struct named_value, 1);
                TRY(value_import(n->context, n->name, n->given, value));
        }
        context_put(n->context, n->name, value);
        return OX_OK;
}

enum ox_code ox_context_set(struct ox_context *context, const char *name, const struct ox_value *value)
{
        struct naming n = {.context = context, .name = name, .given = value};

        return context_run_values(context, run_set, &n);
}

static enum ox_code run_get(void *user)
{
        struct naming *n = user;
        const struct named_value *value = context_find(n->context, n->name);

        if (!value)
                return context_fail(n->context, OX_OUT_OF_RANGE, "%.100s is not defined", n->name);
        value_export(n->context->arena, n->context->dims, &value->value, n->ret);
        return OX_OK;
}

enum ox_code ox_context_get(struct ox_context *context, const char *name, struct ox_value *ret)
{
        struct naming n = {.context = context, .name = name, .ret = ret};

        *ret = (struct ox_value){.type = NULL};
        return context_run_values(context, run_get, &n);
}

static enum ox_code run_opset(void *user)
{
        struct naming *n = user;
        struct ox_context *context = n->context;
        struct result_opset opset;
        size_t at = 0;

        TRY(context_built(context, build_opset(&context->builder, n->name, n->version, &opset)));
        while (at < context->n_opset && strcmp(context->opset[at].domain, opset.domain) != 0)
                at++;
        if (at == context->n_opset) {
                context->opset = arena_grow(context->arena, context->opset, at * sizeof(*context->opset),
                                            (at + 1) * sizeof(*context->opset));
                context->opset[at].domain = arena_strndup(context->arena, opset.domain, strlen(opset.domain));
                context->n_opset++;
        }
        context->opset[at].version = opset.version;
        return OX_OK;
}

enum ox_code ox_context_opset(struct ox_context *context, const char *domain, int64_t version)
{
        struct naming n = {.context = context, .name = domain, .version = version};

        return context_run_values(context, run_opset, &n);
}
