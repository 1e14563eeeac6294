#include "work/contexts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* Memory that a context keeps while nobody uses it. To give pages back and have them anew costs as much as inferring
   what fills them, so this is what a model of 100,000 nodes takes. */
#define KEEP_BYTES ((size_t)48 * 1024 * 1024)

struct contexts {
        struct ox_limits limits;
        struct budget *budget;
        pthread_mutex_t lock;
        size_t count, most;
        struct ox_context *idle[];
};

struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget)
{
        struct contexts *contexts = calloc(1, sizeof(*contexts) + most * sizeof(struct ox_context *));

        if (!contexts)
                return NULL;
        contexts->limits = *limits;
        contexts->budget = budget;
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

static struct ox_context *take_idle(struct contexts *contexts)
{
        struct ox_context *context = NULL;

        pthread_mutex_lock(&contexts->lock);
        if (contexts->count)
                context = contexts->idle[--contexts->count];
        pthread_mutex_unlock(&contexts->lock);
        return context;
}

struct ox_context *contexts_take(struct contexts *contexts)
{
        struct ox_context *context = take_idle(contexts);

        return context ? context : ox_context_new_shared(&contexts->limits, &contexts->budget->source);
}

bool contexts_spare(struct contexts *contexts)
{
        struct ox_context *context = take_idle(contexts);

        ox_context_free(context);
        return context != NULL;
}

void contexts_give(struct contexts *contexts, struct ox_context *context)
{
        if (!context)
                return;
        ox_context_reset(context, KEEP_BYTES);
        pthread_mutex_lock(&contexts->lock);
        if (contexts->count < contexts->most) {
                contexts->idle[contexts->count++] = context;
                context = NULL;
        }
        pthread_mutex_unlock(&contexts->lock);
        ox_context_free(context);
}
