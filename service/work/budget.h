/* The memory that all requests may use together: the engine's memory, bodies and replies as they grow, decoders of
   uploads. The fixed memory of a connection is not counted; it is bounded by the number of connections. */
#pragma once

#include "engine.h"
#include "obs/metrics.h"

struct budget {
        struct arena_source source; /* contexts reserve their memory through it */
        struct metrics *metrics;    /* METRIC_memory_bytes holds the reserved memory */
        /* Frees something unused; false if there is nothing. NULL: never. */
        bool (*reclaim)(void *user);
        void *user;
        char text[ARENA_FAILURE_TEXT];
};

void budget_init(struct budget *budget, int64_t most, struct metrics *metrics, bool (*reclaim)(void *user), void *user);

/* False, and counted, if not enough is left. Any thread may call these. */
bool budget_take(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* Half of the memory of this machine, or of the process' control group. */
int64_t budget_share(void);
