/* Counts what hangs on unknown operators: a set of them, as bits, goes from the values that they make to all values
   that are made of these. */
#include "infer/unknown.h"

#include <string.h>

#include "base/bounds.h"

/* One level of nesting: 0 is the main graph, and a body is one below its node. Its values stand right before the node's
   outputs. */
struct level {
        const struct model_node *node; /* the last one that was looked at, in `scope`, and what it hangs on */
        const char *scope;
        uint64_t of_node;
        uint64_t since; /* what values hang on that came since a value one level above */
        size_t inputs;  /* of a body, so far */
};

struct counting {
        struct infer *f;
        struct result_operator *told;
        struct level *level;
        const struct model_node **owner; /* of each entry that is an input of a body: the node whose body it is; NULL */
        uint64_t *hangs;                 /* for each entry the operators that it hangs on: bit k is told[k] */
        struct name_map by_name;         /* entries that hang on some */
};

static bool same_op(const struct model_op *a, const struct model_op *b)
{
        return a == b || (strcmp(a->type, b->type) == 0 && strcmp(a->domain, b->domain) == 0);
}

/* The bit of an operator; 0 for one that is known, or past those that are told. */
static uint64_t bit_of(const struct infer *f, const struct model_op *op)
{
        for (size_t k = 0; k < f->n_unknown; k++)
                if (same_op(f->unknown[k], op))
                        return (uint64_t)1 << k;
        return 0;
}

void unknown_note(struct infer *f, const struct model_op *op)
{
        if (!f->unknown)
                f->unknown = arena_new_array(f->arena, const struct model_op *, UNKNOWN_TOLD);
        if (!bit_of(f, op) && f->n_unknown < UNKNOWN_TOLD)
                f->unknown[f->n_unknown++] = op;
}

static size_t depth_of(const char *scope)
{
        size_t depth = 0;

        while ((scope = scope_around(scope)) != NULL)
                depth++;
        return depth;
}

/* A text that is no name, since it has NULs, for a name in a scope; all entries of a scope have the same path. */
static str_id key_of(struct infer *f, const char *scope, str_id name)
{
        char key[1 + sizeof(scope) + sizeof(name)] = {0};

        memcpy(key + 1, &scope, sizeof(scope));
        memcpy(key + 1 + sizeof(scope), &name, sizeof(name));
        return str_intern(f->strings, key, sizeof(key));
}

/* What a name in a scope, or in one around it, hangs on. */
static uint64_t hangs_name(const struct counting *c, const char *scope, str_id name)
{
        for (; scope; scope = scope_around(scope)) {
                int64_t at = map_get(&c->by_name, key_of(c->f, scope, name));

                if (at >= 0)
                        return c->hangs[at];
        }
        return 0;
}

/* Finds the owners of inputs of bodies, from the end: the node whose outputs follow one level above. */
static void find_owners(struct counting *c)
{
        size_t deepest = 0;

        for (size_t i = 0; i < c->f->n_entry; i++) {
                size_t depth = depth_of(result_scope(entry_at(c->f, i)));

                deepest = depth > deepest ? depth : deepest;
        }
        c->level = arena_alloc(c->f->arena, (deepest + 2) * sizeof(*c->level));
        memset(c->level, 0, (deepest + 2) * sizeof(*c->level));
        for (size_t i = c->f->n_entry; i-- > 0;) {
                const struct result_value *entry = entry_at(c->f, i);
                size_t depth = depth_of(result_scope(entry));

                if (entry->made_by)
                        c->level[depth].node = entry->made_by;
                else if (depth > 0 && entry->kind == OX_KIND_INPUT)
                        c->owner[i] = c->level[depth - 1].node;
        }
        memset(c->level, 0, (deepest + 2) * sizeof(*c->level));
}

static uint64_t hangs_node(struct counting *c, const struct result_value *entry, struct level *level)
{
        const struct model_node *node = entry->made_by;
        uint64_t bit = bit_of(c->f, node->op), hangs = bit | level[1].since;

        for (size_t k = 0; bit && k < c->f->n_unknown; k++)
                c->told[k].nodes += bit >> k & 1;
        for (size_t i = 0; i < node->n_input; i++)
                hangs |= hangs_name(c, result_scope(entry), node_input(node, i));
        level[1].since = 0;
        level[1].inputs = 0;
        return hangs;
}

/* Input `k` of a body or function is input `k` of its node: so it is for Loop, Scan and SequenceMap. */
static uint64_t hangs_input(const struct counting *c, const struct result_value *entry, size_t number,
                            struct level *level)
{
        const struct model_node *owner = c->owner[number];
        size_t k;

        if (!owner)
                return 0;
        if (level->scope != result_scope(entry))
                level->inputs = 0;
        level->scope = result_scope(entry);
        k = level->inputs++;
        return k < owner->n_input ? hangs_name(c, scope_around(result_scope(entry)), node_input(owner, k)) : 0;
}

static uint64_t hangs_entry(struct counting *c, const struct result_value *entry, size_t number)
{
        struct level *level = &c->level[depth_of(result_scope(entry))];

        if (!entry->made_by)
                return hangs_input(c, entry, number, level);
        if (level->node != entry->made_by || level->scope != result_scope(entry)) {
                level->of_node = hangs_node(c, entry, level);
                level->node = entry->made_by;
                level->scope = result_scope(entry);
        }
        return level->of_node;
}

/* The costliest first, and of these the first one. */
static void sort_told(struct result_operator *told, size_t count)
{
        for (size_t i = 1; i < count; i++) {
                const struct result_operator moved = told[i];
                size_t to = i;

                for (; to > 0 && told[to - 1].values < moved.values; to--)
                        told[to] = told[to - 1];
                told[to] = moved;
        }
}

void unknown_count(struct infer *f, struct ox_result *result)
{
        struct counting c = {.f = f};

        if (!f->n_unknown)
                return;
        c.told = arena_new_array(f->arena, struct result_operator, f->n_unknown);
        for (size_t k = 0; k < f->n_unknown; k++)
                c.told[k] = (struct result_operator){.op = f->unknown[k]};
        c.hangs = arena_new_array(f->arena, uint64_t, f->n_entry);
        c.owner = arena_alloc(f->arena, f->n_entry * sizeof(const struct model_node *));
        memset(c.owner, 0, f->n_entry * sizeof(const struct model_node *));
        find_owners(&c);
        for (size_t i = 0; i < f->n_entry; i++) {
                const struct result_value *entry = entry_at(f, i);

                c.hangs[i] = hangs_entry(&c, entry, i);
                if (!c.hangs[i])
                        continue;
                c.level[depth_of(result_scope(entry))].since |= c.hangs[i];
                map_put(f, &c.by_name, key_of(f, result_scope(entry), entry->name), (uint32_t)i);
                for (size_t k = 0; k < f->n_unknown && !entry->is_absent; k++)
                        c.told[k].values += c.hangs[i] >> k & 1;
        }
        sort_told(c.told, f->n_unknown);
        result->unknown = c.told;
        result->n_unknown = f->n_unknown;
}
