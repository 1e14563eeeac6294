/* Storage: atoms, monomials and sums, each once. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "dim/internal.h"

#define FIRST_SLOTS   16
#define FIRST_SCRATCH ((size_t)16 * 1024)

/* The first slots of all tables are cleared together: most nodes alone never need more. */
static void slots_init(struct dim_table *t)
{
        struct slots *tables[] = {&t->name_slots, &t->atom_slots, &t->mono_slots, &t->expr_slots, &t->written_slots};
        const size_t count = sizeof(tables) / sizeof(tables[0]);
        uint32_t *at = arena_zalloc(t->arena, count * FIRST_SLOTS * sizeof(*at));

        for (size_t i = 0; i < count; i++)
                *tables[i] = (struct slots){.at = at + i * FIRST_SLOTS, .mask = FIRST_SLOTS - 1};
}

struct dim_table *dim_table_new(struct arena *arena, struct strings *strings, const struct ox_limits *limits,
                                uint64_t seed)
{
        struct dim_table *t = arena_new_zero(arena, struct dim_table);

        t->arena = arena;
        t->strings = strings;
        t->seed = seed;
        t->max_terms = limits->expression_terms > 0 && limits->expression_terms < 1000000
                               ? (uint32_t)limits->expression_terms
                               : 1000000;
        t->max_depth = limits->expression_depth > 0 && limits->expression_depth < 256
                               ? (uint32_t)limits->expression_depth
                               : 256;
        t->origin = (struct dim_origin){.axis = -1};
        t->fact_generation = t->bind_generation = t->text_generation = 1;
        slots_init(t);
        t->exprs = 1; /* handle 0 means that a dimension is an integer */
        mono_intern(t, NULL, 0);
        return t;
}

void dim_watch(struct dim_table *t, void (*spend)(void *user, size_t terms), void *user)
{
        t->spend = spend;
        t->spend_user = user;
}

/* Scratch. */

struct scratch_mark scratch_mark(struct dim_table *t)
{
        return (struct scratch_mark){.chunk = t->scratch, .used = t->scratch ? t->scratch->used : 0};
}

void scratch_release(struct dim_table *t, struct scratch_mark mark)
{
        t->scratch = mark.chunk ? mark.chunk : t->scratch_first;
        if (t->scratch)
                t->scratch->used = mark.used;
}

static struct scratch_chunk *scratch_chunk_new(struct dim_table *t, size_t size)
{
        struct scratch_chunk *chunk = arena_new_zero(t->arena, struct scratch_chunk);

        chunk->size = size > FIRST_SCRATCH ? size : FIRST_SCRATCH;
        chunk->data = arena_alloc(t->arena, chunk->size);
        return chunk;
}

void *scratch_take(struct dim_table *t, size_t count, size_t size)
{
        size_t whole;

        if (!mul_size(count, size, &whole) || !add_size(whole, 15, &whole))
                arena_bail(t->arena, OX_RESOURCE_EXHAUSTED, "an expression is too large");
        whole &= ~(size_t)15;
        if (!t->scratch)
                t->scratch = t->scratch_first = scratch_chunk_new(t, whole);
        while (t->scratch->size - t->scratch->used < whole) {
                struct scratch_chunk *next = t->scratch->next;

                if (!next || next->size < whole) {
                        struct scratch_chunk *made = scratch_chunk_new(t, whole);

                        made->next = next;
                        t->scratch->next = made;
                        next = made;
                }
                next->used = 0;
                t->scratch = next;
        }
        unsigned char *at = t->scratch->data + t->scratch->used;

        t->scratch->used += whole;
        return at;
}

/* Hash tables. */

static uint32_t hash_bytes(const struct dim_table *t, const void *bytes, size_t size, uint64_t salt)
{
        return (uint32_t)XXH3_64bits_withSeed(bytes, size, t->seed ^ salt);
}

/* Room for one more pointer at the end of an array of them. */
static void *grow_pointers(struct dim_table *t, void *array, uint32_t count, uint32_t *room)
{
        if (count < *room)
                return array;
        if (count >= UINT32_MAX / 4)
                arena_bail(t->arena, OX_RESOURCE_EXHAUSTED, "too many expressions");
        uint32_t grown = count ? 2 * count : 64;

        array = arena_grow(t->arena, array, *room * sizeof(void *), grown * sizeof(void *));
        *room = grown;
        return array;
}

/* Doubles the slots when they are half full; `hash_of` tells the hash of a number. */
static void slots_grow(struct dim_table *t, struct slots *slots,
                       uint32_t (*hash_of)(const struct dim_table *, uint32_t))
{
        if (++slots->used <= slots->mask / 2)
                return;
        uint32_t *old = slots->at;
        uint32_t count = slots->mask + 1;

        slots->at = arena_zalloc(t->arena, 2 * (size_t)count * sizeof(*slots->at));
        slots->mask = 2 * count - 1;
        for (uint32_t i = 0; i < count; i++) {
                if (!old[i])
                        continue;
                uint32_t at = hash_of(t, old[i] - 1) & slots->mask;

                while (slots->at[at])
                        at = (at + 1) & slots->mask;
                slots->at[at] = old[i];
        }
}

static uint32_t atom_hash(const struct dim_table *t, uint32_t id)
{
        return t->atom[id]->hash;
}

static uint32_t mono_hash(const struct dim_table *t, uint32_t id)
{
        return t->mono[id]->hash;
}

static uint32_t expr_hash(const struct dim_table *t, uint32_t id)
{
        return t->expr[id]->hash;
}

static uint32_t written_hash(const struct dim_table *t, uint32_t id)
{
        return t->expr[id]->written_hash;
}

static bool same_args(const struct dim *a, const struct dim *b, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                if (!dim_same(a[i], b[i]))
                        return false;
        return true;
}

/* Handles are hashed one by one: the padding of struct dim has no defined content. */
static uint32_t hash_atom(const struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n)
{
        uint64_t hash = t->seed ^ (uint64_t)kind;

        for (uint32_t i = 0; i < n; i++) {
                uint64_t pair[2] = {(uint64_t)arg[i].val, arg[i].expr};

                hash = XXH3_64bits_withSeed(pair, sizeof(pair), hash);
        }
        return (uint32_t)hash;
}

static uint32_t capped_add(uint32_t a, uint32_t b)
{
        uint32_t sum;

        return __builtin_add_overflow(a, b, &sum) ? UINT32_MAX : sum;
}

static uint32_t dim_depth(const struct dim_table *t, struct dim d)
{
        return d.expr ? t->expr[d.expr]->depth : 0;
}

static struct atom *atom_new(struct dim_table *t, enum atom_kind kind, uint32_t n)
{
        struct atom *atom = arena_zalloc(t->arena, sizeof(*atom) + n * sizeof(struct dim));

        atom->kind = kind;
        atom->n = n;
        atom->weight = 1;
        t->atom = grow_pointers(t, t->atom, t->atoms, &t->atom_room);
        t->atom[t->atoms++] = atom;
        return atom;
}

static uint32_t atom_intern(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n)
{
        uint32_t hash = hash_atom(t, kind, arg, n), at;

        for (at = hash & t->atom_slots.mask; t->atom_slots.at[at]; at = (at + 1) & t->atom_slots.mask) {
                const struct atom *atom = t->atom[t->atom_slots.at[at] - 1];

                if (atom->hash == hash && atom->kind == kind && atom->n == n && same_args(atom->arg, arg, n))
                        return t->atom_slots.at[at] - 1;
        }
        struct atom *atom = atom_new(t, kind, n);

        atom->hash = hash;
        atom->memo = arena_new_zero(t->arena, struct atom_memo);
        for (uint32_t i = 0; i < n; i++) {
                const struct expr *expr = arg[i].expr ? t->expr[arg[i].expr] : NULL;

                atom->arg[i] = arg[i];
                atom->weight = capped_add(atom->weight, expr ? expr->weight : 1);
                if (expr && expr->depth + 1 > atom->depth)
                        atom->depth = (uint16_t)(expr->depth + 1);
                atom->open = atom->open || (expr && expr->open);
                atom->extreme = atom->extreme || (expr && expr->extreme);
        }
        if (kind == ATOM_MAX || kind == ATOM_MIN) {
                t->extremes++;
                atom->extreme = true;
        }
        if (atom->depth == 0)
                atom->depth = 1;
        t->atom_slots.at[at] = t->atoms;
        slots_grow(t, &t->atom_slots, atom_hash);
        return t->atoms - 1;
}

uint32_t atom_of_symbol(struct dim_table *t, uint32_t symbol)
{
        struct atom *atom = atom_new(t, ATOM_SYMBOL, 0);

        atom->symbol = symbol;
        atom->open = t->symbol[symbol]->info.anonymous;
        return t->atoms - 1;
}

static uint32_t mono_new(struct dim_table *t, const uint32_t *atom, uint32_t n)
{
        struct mono *mono = arena_zalloc(t->arena, sizeof(*mono) + n * sizeof(*atom));

        mono->n = n;
        for (uint32_t i = 0; i < n; i++) {
                const struct atom *factor = t->atom[atom[i]];

                mono->atom[i] = atom[i];
                mono->weight = capped_add(mono->weight, factor->weight - 1);
                if (factor->depth > mono->depth)
                        mono->depth = factor->depth;
                mono->open = mono->open || factor->open;
                mono->extreme = mono->extreme || factor->extreme;
                mono->relates = mono->relates || (factor->kind != ATOM_SYMBOL && factor->kind != ATOM_RING);
                mono->ringed = mono->ringed || factor->kind == ATOM_RING;
        }
        t->mono = grow_pointers(t, t->mono, t->monos, &t->mono_room);
        t->mono[t->monos] = mono;
        return t->monos++;
}

uint32_t mono_intern(struct dim_table *t, const uint32_t *atom, uint32_t n)
{
        if (n == 1) {
                struct atom *alone = t->atom[atom[0]];

                if (!alone->lone)
                        alone->lone = mono_new(t, atom, n);
                return alone->lone;
        }
        uint32_t hash = hash_bytes(t, atom, n * sizeof(*atom), n), at;

        for (at = hash & t->mono_slots.mask; t->mono_slots.at[at]; at = (at + 1) & t->mono_slots.mask) {
                const struct mono *mono = t->mono[t->mono_slots.at[at] - 1];

                if (mono->hash == hash && mono->n == n && (n == 0 || memcmp(mono->atom, atom, n * sizeof(*atom)) == 0))
                        return t->mono_slots.at[at] - 1;
        }
        uint32_t made = mono_new(t, atom, n);

        t->mono[made]->hash = hash;
        t->mono_slots.at[at] = made + 1;
        slots_grow(t, &t->mono_slots, mono_hash);
        return made;
}

const struct poly *poly_keep(struct dim_table *t, struct poly p)
{
        struct poly *kept = arena_new_array(t->arena, struct poly, 1);
        struct term *term = arena_alloc(t->arena, p.n * sizeof(*term));

        memcpy(term, p.term, p.n * sizeof(*term));
        *kept = (struct poly){.term = term, .n = p.n};
        return kept;
}

static bool same_terms(struct poly a, struct poly b)
{
        return a.n == b.n && memcmp(a.term, b.term, a.n * sizeof(*a.term)) == 0;
}

static uint32_t poly_hash(const struct dim_table *t, struct poly p)
{
        return hash_bytes(t, p.term, p.n * sizeof(*p.term), p.n);
}

/* The slot of a normal form, or the free slot for it. */
static uint32_t expr_slot(const struct dim_table *t, struct poly key, uint32_t hash)
{
        uint32_t at;

        for (at = hash & t->expr_slots.mask; t->expr_slots.at[at]; at = (at + 1) & t->expr_slots.mask) {
                const struct expr *expr = t->expr[t->expr_slots.at[at] - 1];

                if (expr->hash == hash && same_terms(expr_key(expr), key))
                        break;
        }
        return at;
}

/* Once a monomial: its sum needs no slot. */
static bool is_lone(struct poly key)
{
        return key.n == 1 && key.term[0].coef == 1;
}

bool expr_find(const struct dim_table *t, struct poly key, struct dim *ret)
{
        if (is_lone(key)) {
                *ret = (struct dim){.expr = t->mono[key.term[0].mono]->lone};
                return ret->expr != 0;
        }
        uint32_t at = expr_slot(t, key, poly_hash(t, key));

        if (!t->expr_slots.at[at])
                return false;
        *ret = (struct dim){.expr = t->expr_slots.at[at] - 1};
        return true;
}

static uint32_t written_slot(const struct dim_table *t, struct poly p, uint32_t hash)
{
        uint32_t at;

        for (at = hash & t->written_slots.mask; t->written_slots.at[at]; at = (at + 1) & t->written_slots.mask) {
                const struct expr *expr = t->expr[t->written_slots.at[at] - 1];

                if (expr->written_hash == hash && same_terms((struct poly){expr->term, expr->n}, p))
                        break;
        }
        return at;
}

bool expr_find_written(const struct dim_table *t, struct poly p, struct dim *ret)
{
        uint32_t at = written_slot(t, p, poly_hash(t, p));

        if (!t->written_slots.at[at])
                return false;
        *ret = (struct dim){.expr = t->written_slots.at[at] - 1};
        return true;
}

/* The atom of a sum that is a symbol; NULL: it is none. */
static const struct atom *lone_symbol(const struct dim_table *t, struct poly p)
{
        const struct atom *atom = is_lone(p) ? mono_atom(t, p.term[0].mono) : NULL;

        return atom && atom->kind == ATOM_SYMBOL ? atom : NULL;
}

/* Makes a new sum one that is found, by its normal form, and by its terms if they are not that. */
static void expr_place(struct dim_table *t, struct expr *expr, uint32_t handle, struct poly key)
{
        const struct poly p = {expr->term, expr->n};
        const struct atom *symbol = lone_symbol(t, p);

        if (is_lone(key)) {
                t->mono[key.term[0].mono]->lone = handle;
        } else {
                expr->hash = poly_hash(t, key);
                t->expr_slots.at[expr_slot(t, key, expr->hash)] = handle + 1;
                slots_grow(t, &t->expr_slots, expr_hash);
        }
        if (symbol)
                expr->symbol = symbol->symbol;
        else
                expr->memo = arena_new_zero(t->arena, struct expr_memo);
        if (same_terms(key, p))
                return;
        expr->key = poly_keep(t, key);
        expr->written_hash = poly_hash(t, p);
        t->written_slots.at[written_slot(t, p, expr->written_hash)] = handle + 1;
        slots_grow(t, &t->written_slots, written_hash);
}

unsigned expr_store(struct dim_table *t, struct poly p, struct poly key, struct dim *ret)
{
        uint32_t weight = 0;
        uint16_t depth = 0;
        bool open = false, extreme = false;

        if (p.n > t->max_terms)
                return DIM_FAULT_LIMIT;
        for (size_t i = 0; i < p.n; i++) {
                const struct mono *mono = t->mono[p.term[i].mono];

                weight = capped_add(weight, capped_add(mono->weight, 1));
                depth = mono->depth > depth ? mono->depth : depth;
                open = open || mono->open;
                extreme = extreme || mono->extreme;
        }
        if (weight > t->max_terms || depth > t->max_depth)
                return DIM_FAULT_LIMIT;
        struct expr *expr = arena_zalloc(t->arena, sizeof(*expr) + p.n * sizeof(*p.term));

        expr->weight = weight;
        expr->depth = depth;
        expr->open = open;
        expr->extreme = extreme;
        expr->n = (uint32_t)p.n;
        memcpy(expr->term, p.term, p.n * sizeof(*p.term));
        t->expr = grow_pointers(t, t->expr, t->exprs, &t->expr_room);
        t->expr[t->exprs] = expr;
        expr_place(t, expr, t->exprs++, key);
        *ret = (struct dim){.expr = t->exprs - 1};
        return 0;
}

unsigned atom_mono(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, uint64_t *ret)
{
        uint32_t weight = 1;

        /* Checked before it is stored, so that nothing past a limit is kept. */
        for (uint32_t i = 0; i < n; i++) {
                if (dim_depth(t, arg[i]) >= t->max_depth)
                        return DIM_FAULT_LIMIT;
                weight = capped_add(weight, arg[i].expr ? t->expr[arg[i].expr]->weight : 1);
        }
        if (weight > t->max_terms)
                return DIM_FAULT_LIMIT;
        uint32_t atom = atom_intern(t, kind, arg, n);

        *ret = mono_intern(t, &atom, 1);
        return 0;
}

unsigned atom_dim(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, struct dim *ret)
{
        struct term term = {.coef = 1};
        unsigned faults = atom_mono(t, kind, arg, n, &term.mono);

        return faults ? faults : poly_intern(t, (struct poly){&term, 1}, ret);
}

struct atom *mono_atom(const struct dim_table *t, uint64_t mono)
{
        const struct mono *m = t->mono[mono];

        return m->n == 1 ? t->atom[m->atom[0]] : NULL;
}

struct atom *lone_atom(const struct dim_table *t, struct dim d)
{
        const struct expr *expr = d.expr ? t->expr[d.expr] : NULL;

        return expr && expr->n == 1 && expr->term[0].coef == 1 ? mono_atom(t, expr->term[0].mono) : NULL;
}
