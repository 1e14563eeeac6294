/* Contexts of the engine, which requests reuse. */
#pragma once

#include "shape.h"
#include "work/budget.h"

struct contexts;

/* NULL if memory runs out. Keeps up to `most` unused contexts; all of them reserve memory from `budget`. `seed` keeps a
   hostile model from choosing names that collide. */
struct contexts *contexts_new(const struct ox_limits *limits, size_t most, struct budget *budget, uint64_t seed);

/* Takes NULL; all contexts must have been returned. */
void contexts_free(struct contexts *contexts);

/* An empty context; NULL if memory runs out. Any thread may call these. */
struct ox_context *contexts_take(struct contexts *contexts);

/* Frees an unused context; false if there is none. */
bool contexts_reclaim(struct contexts *contexts);

/* To be called about once a second. Frees one unused context that was not needed lately, or all unused ones after
   CONTEXTS_IDLE calls during which none was taken. Returns true from then on, until one is taken. */
#define CONTEXTS_IDLE 5
bool contexts_tidy(struct contexts *contexts);

/* Takes NULL. */
void contexts_give(struct contexts *contexts, struct ox_context *context);
