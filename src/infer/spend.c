/* Limits on nodes and on time, which is read now and then. */
#include <time.h>

#include "infer/internal.h"

/* Terms of expressions between two looks at the clock. */
#define TERMS_EVERY 16384

uint64_t infer_now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Ends the request if its time or its work budget is used up. */
static void check_clock(struct infer *f)
{
        uint64_t now = infer_now_ns();

        if (f->work_end_ns && now > f->work_end_ns)
                arena_bail(f->arena, OX_ABORTED, "more than %llu ns", (unsigned long long)f->options->work_ns);
        if (now > f->deadline_ns)
                arena_bail(f->arena, OX_DEADLINE_EXCEEDED, "inference took longer than the limit engine_ms, %lld",
                           (long long)f->limits->engine_ms);
        if (f->options->look && now > f->look_ns) {
                const char *why = "the caller ended it";
                enum ox_code code = f->options->look(f->options->look_user, &why);

                if (code != OX_OK)
                        arena_bail(f->arena, code, "%s", why);
                f->look_ns = now + LOOK_EVERY_NS;
        }
}

/* Reads the clock now and then. */
void spend_time(struct infer *f, size_t cost)
{
        f->unchecked += cost;
        if (f->unchecked < CLOCK_EVERY)
                return;
        f->unchecked = 0;
        check_clock(f);
}

/* A single node may take long on large expressions. */
void spend_terms(void *f_, size_t terms)
{
        struct infer *f = f_;

        f->unchecked_terms += terms;
        if (f->unchecked_terms < TERMS_EVERY)
                return;
        f->unchecked_terms = 0;
        check_clock(f);
}

void spend_begin(struct infer *f)
{
        f->nodes_free = (uint64_t)f->limits->nodes;
        if (f->options->work_budget && f->options->work_budget < f->nodes_free)
                f->nodes_free = f->options->work_budget;
}

/* Ends the request if its nodes, its time or its work budget are used up. */
void spend_nodes(struct infer *f)
{
        if (f->options->work_budget && f->nodes > f->options->work_budget)
                arena_bail(f->arena, OX_ABORTED, "more than %llu nodes", (unsigned long long)f->options->work_budget);
        if (!f->unroll_end && f->nodes - f->unrolled > (uint64_t)f->limits->nodes)
                arena_bail(f->arena, OX_RESOURCE_EXHAUSTED, "there are more nodes than the limit nodes, %lld",
                           (long long)f->limits->nodes);
        spend_time(f, 0);
}
