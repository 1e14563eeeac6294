/* What all requests together may take: the engine's memory, bodies and replies as they grow, what decodes an upload.
   What a connection needs whatever is asked over it is bounded by how many there may be. */
#pragma once

#include "engine.h"
#include "obs/metrics.h"

struct budget {
        struct arena_source source; /* contexts take theirs through it */
        struct metrics *metrics;    /* METRIC_memory_bytes is what is taken */
        /* Gives back something that nobody uses; false when there is nothing. NULL: there never is. */
        bool (*reclaim)(void *user);
        void *user;
        char text[ARENA_FAILURE_TEXT];
};

void budget_init(struct budget *budget, int64_t most, struct metrics *metrics, bool (*reclaim)(void *user), void *user);

/* False, and counted, when there is not so much left. Any thread may call these. */
bool budget_take(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* Half of what this machine, or the control group that the process is in, has. */
int64_t budget_share(void);
