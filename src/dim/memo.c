/* Results of operations, by their operands, because the nodes of a model often compute the same sizes. Each slot has
   one entry, the newest. */
#include "dim/internal.h"

#define FIRST_ENTRIES 32
#define MOST_ENTRIES  2048

struct remembered {
        struct dim a, b, result;
        enum operation op;
        uint32_t generation; /* 0: free */
};

/* Sums and products do not change; quotients and the like may get simpler with new facts. */
static uint32_t generation(const struct dim_table *t, enum operation op)
{
        return op >= OP_FLOORDIV ? dim_facts(t) : 1;
}

static struct remembered *slot(const struct dim_table *t, enum operation op, struct dim a, struct dim b)
{
        uint64_t hash = ((uint64_t)a.expr << 32 | b.expr) * UINT64_C(0x9e3779b97f4a7c15);

        hash ^= (uint64_t)a.val * UINT64_C(0xc2b2ae3d27d4eb4f) ^ (uint64_t)b.val * UINT64_C(0x165667b19e3779f9);
        return &t->remembered[(hash >> 32 ^ hash ^ (uint64_t)op) & (t->remembered_room - 1)];
}

bool memo_find(const struct dim_table *t, enum operation op, struct dim a, struct dim b, struct dim *ret)
{
        const struct remembered *known;

        if (!t->remembered_room)
                return false;
        known = slot(t, op, a, b);
        if (known->op != op || known->generation != generation(t, op) || !dim_same(known->a, a) ||
            !dim_same(known->b, b))
                return false;
        *ret = known->result;
        return true;
}

/* As many entries as sums, since each result is a sum. */
void memo_keep(struct dim_table *t, enum operation op, struct dim a, struct dim b, struct dim result)
{
        if (t->remembered_room < FIRST_ENTRIES ||
            (t->remembered_room < t->exprs && t->remembered_room < MOST_ENTRIES)) {
                t->remembered_room = t->remembered_room ? 4 * t->remembered_room : FIRST_ENTRIES;
                t->remembered = arena_zalloc(t->arena, t->remembered_room * sizeof(*t->remembered));
        }
        *slot(t, op, a, b) =
                (struct remembered){.a = a, .b = b, .result = result, .op = op, .generation = generation(t, op)};
}
