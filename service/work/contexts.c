#include "work/contexts.h"

#include <pthread.h>
#include <stdatomic.h>
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
           nobody uses it, for to give pages back and have them anew costs as much as inferring what fills them. Two
           threads at once may lose a change, which is harmless. */
        _Atomic size_t used;
        struct idle {
                struct ox_context *context;
                unsigned thread; /* that gave it back: it is still in its cache */
        } idle[];
};

struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget, uint64_t seed)
{
        struct contexts *contexts = calloc(1, sizeof(*contexts) + most * sizeof(struct idle));

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
                ox_context_free(contexts->idle[i].context);
        pthread_mutex_destroy(&contexts->lock);
        free(contexts);
}

static int64_t held(struct ox_context *context)
{
        return (int64_t)arena_held(ox_context_arena(context));
}

/* The one that the calling thread gave back last, or else any; NULL: there is none. Under the lock. */
static struct ox_context *pick(struct contexts *contexts)
{
        size_t at = contexts->count;

        if (!at)
                return NULL;
        while (at > 0 && contexts->idle[at - 1].thread != thread_number())
                at--;
        struct idle *idle = &contexts->idle[at ? at - 1 : contexts->count - 1];
        struct ox_context *context = idle->context;

        *idle = contexts->idle[--contexts->count];
        metric_add(contexts->budget->metrics, METRIC_memory_kept_bytes, -held(context));
        return context;
}

/* Under the lock. */
static void note_taken(struct contexts *contexts)
{
        contexts->quiet = 0;
        if (++contexts->out > contexts->out_most)
                contexts->out_most = contexts->out;
}

struct ox_context *contexts_take(struct contexts *contexts)
{
        pthread_mutex_lock(&contexts->lock);
        struct ox_context *context = pick(contexts);

        if (context)
                note_taken(contexts);
        pthread_mutex_unlock(&contexts->lock);
        if (context)
                return context;
        context = ox_context_new_shared(&contexts->limits, &contexts->budget->source);
        if (!context)
                return NULL;
        ox_model_seed(context, contexts->seed);
        pthread_mutex_lock(&contexts->lock);
        note_taken(contexts);
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
        pthread_mutex_lock(&contexts->lock);
        struct ox_context *context = pick(contexts);

        pthread_mutex_unlock(&contexts->lock);
        ox_context_free(context);
        return context != NULL;
}

void contexts_give(struct contexts *contexts, struct ox_context *context)
{
        if (!context)
                return;
        size_t used = arena_used(ox_context_arena(context)), most = atomic_load(&contexts->used);

        if (used > most)
                atomic_store(&contexts->used, most = used);
        ox_context_reset(context, most + KEEP_MORE);
        pthread_mutex_lock(&contexts->lock);
        contexts->out--;
        if (contexts->count < contexts->most) {
                metric_add(contexts->budget->metrics, METRIC_memory_kept_bytes, held(context));
                contexts->idle[contexts->count++] = (struct idle){context, thread_number()};
                context = NULL;
        }
        pthread_mutex_unlock(&contexts->lock);
        ox_context_free(context);
}
