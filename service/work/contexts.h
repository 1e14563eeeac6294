/* Contexts of the engine, used again from one request to the next. */
#pragma once

#include "shape.h"
#include "work/budget.h"

struct contexts;

/* NULL when there is no memory. Keeps up to `most` contexts that nobody uses; all take from `budget`. */
struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget);

/* Takes NULL; every context must be back. */
void contexts_free(struct contexts *contexts);

/* An empty context; NULL when there is no memory. Any thread may call these. */
struct ox_context *contexts_take(struct contexts *contexts);

/* Frees a context that nobody uses; false when there is none. */
bool contexts_spare(struct contexts *contexts);

/* Takes NULL. */
void contexts_give(struct contexts *contexts, struct ox_context *context);

/* Runs what allocates on the context's arena. It may end early, when memory runs out: then the code is what the arena
   says, and `message` (may be NULL, CONTEXT_MESSAGE bytes) why. What `run` holds besides the arena would be lost. */
#define CONTEXT_MESSAGE 256
enum ox_code context_run(struct ox_context *context, enum ox_code (*run)(void *user), void *user, char *message);
