/* Contexts of the engine, used again from one request to the next. */
#pragma once

#include "shape.h"
#include "work/budget.h"

struct contexts;

/* NULL when there is no memory. Keeps up to `most` contexts that nobody uses; all take from `budget`. `seed`
   keeps a hostile model from choosing names that collide. */
struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget, uint64_t seed);

/* Takes NULL; every context must be back. */
void contexts_free(struct contexts *contexts);

/* An empty context; NULL when there is no memory. Any thread may call these. */
struct ox_context *contexts_take(struct contexts *contexts);

/* Frees a kept context that is not in use; false when there is none. */
bool contexts_reclaim(struct contexts *contexts);

/* To be called about once a second: frees what is idle and was not needed lately, one context each time, and all that
   is idle once nobody has taken any for CONTEXTS_IDLE calls. True from then on, until one is taken. */
#define CONTEXTS_IDLE 5
bool contexts_tidy(struct contexts *contexts);

/* Takes NULL. */
void contexts_give(struct contexts *contexts, struct ox_context *context);
