#include "work/contexts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* What a context may keep besides what was used of it lately, for blocks are not filled to their end. */
#define KEEP_MORE ((size_t)6 * 1024 * 1024)

struct contexts {
        struct ox_limits limits;
        struct budget *budget;
        uint64_t seed;
        pthread_mutex_t lock;
        size_t count, most;
        /* The number of contexts in use, its maximum since the last contexts_tidy(), and a recent maximum, which falls
           by one with each call. */
        size_t out, out_most, recent;
        int quiet; /* calls of contexts_tidy() since a context was taken */
        /* The most bytes that a request used of late: they fall by a quarter a call. A context keeps as much while
           nobody uses it, for to give pages back and have them anew costs as much as inferring what fills them. */
        size_t used;
        struct ox_context *idle[];
};

struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget, uint64_t seed)
{
        struct contexts *contexts = calloc(1, sizeof(*contexts) + most * sizeof(struct ox_context *));

        if (!contexts)
                return NULL;
        contexts->limits = *limits;
        contexts->budget = budget;
        contexts->seed = seed;
        contexts->most = most;
        pthread_mutex_init(&contexts->lock, NULL);
        return contexts;
}

void contexts_free(struct contexts *contexts)
{
        if (!contexts)
                return;
        for (size_t i = 0; i < contexts->count; i++)
                ox_context_free(contexts->idle[i]);
        pthread_mutex_destroy(&contexts->lock);
        free(contexts);
}

static int64_t held(struct ox_context *context)
{
        return (int64_t)arena_held(ox_context_arena(context));
}

static struct ox_context *take_idle(struct contexts *contexts)
{
        struct ox_context *context = NULL;

        pthread_mutex_lock(&contexts->lock);
        if (contexts->count)
                context = contexts->idle[--contexts->count];
        pthread_mutex_unlock(&contexts->lock);
        if (context)
                metric_add(contexts->budget->metrics, METRIC_memory_kept_bytes, -held(context));
        return context;
}

struct ox_context *contexts_take(struct contexts *contexts)
{
        struct ox_context *context = take_idle(contexts);

        if (!context && (context = ox_context_new_shared(&contexts->limits, &contexts->budget->source)) != NULL)
                ox_model_seed(context, contexts->seed);
        if (!context)
                return NULL;
        pthread_mutex_lock(&contexts->lock);
        contexts->quiet = 0;
        if (++contexts->out > contexts->out_most)
                contexts->out_most = contexts->out;
        pthread_mutex_unlock(&contexts->lock);
        return context;
}

bool contexts_tidy(struct contexts *contexts)
{
        bool is_quiet;

        pthread_mutex_lock(&contexts->lock);
        contexts->recent -= contexts->recent > 0;
        if (contexts->recent < contexts->out_most)
                contexts->recent = contexts->out_most;
        contexts->out_most = contexts->out;
        contexts->used -= contexts->used / 4;
        is_quiet = !contexts->out && (contexts->quiet >= CONTEXTS_IDLE || ++contexts->quiet >= CONTEXTS_IDLE);
        bool is_surplus = contexts->out + contexts->count > contexts->recent;

        pthread_mutex_unlock(&contexts->lock);
        if (is_surplus)
                contexts_reclaim(contexts);
        while (is_quiet && contexts_reclaim(contexts)) {
        }
        return is_quiet;
}

bool contexts_reclaim(struct contexts *contexts)
{
        struct ox_context *context = take_idle(contexts);

        ox_context_free(context);
        return context != NULL;
}

void contexts_give(struct contexts *contexts, struct ox_context *context)
{
        if (!context)
                return;
        size_t used = arena_used(ox_context_arena(context));

        pthread_mutex_lock(&contexts->lock);
        if (contexts->used < used)
                contexts->used = used;
        used = contexts->used;
        pthread_mutex_unlock(&contexts->lock);
        ox_context_reset(context, used + KEEP_MORE);
        pthread_mutex_lock(&contexts->lock);
        contexts->out--;
        if (contexts->count < contexts->most) {
                metric_add(contexts->budget->metrics, METRIC_memory_kept_bytes, held(context));
                contexts->idle[contexts->count++] = context;
                context = NULL;
        }
        pthread_mutex_unlock(&contexts->lock);
        ox_context_free(context);
}
