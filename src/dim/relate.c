/* Relations: sums that are 0 because of what the atoms in them mean. A multiple of one, added to a sum, may make it
   shorter: a//2 + (a + 1)//2 is a, 4*(a//4) + a%4 is a, max(a, b) + min(a, b) is a + b. Of all multiples the one that
   leaves the shortest sum is taken. What is reached so depends on the order in which relations are tried and on the
   bounds of that, so that it decides how a new sum is written and nothing else: which sums are equal, normal.c says. */
#include "dim/internal.h"

#define RELATIONS_MOST 3

int64_t ring_place(const struct dim_table *t, const struct atom *atom)
{
        struct term room;
        int64_t place = 0;

        mod_i64(poly_constant(poly_of(t, atom->arg[0], &room)), atom->arg[1].val, &place);
        return place;
}

/* Nothing in y + i can be simplified, where nothing in y + j could be, so that the quotient is an atom, unless facts
   make it a number. The sum is no lone atom for any i but 0. */
unsigned gather_member(struct dim_table *t, struct dim y, int64_t i, int64_t n, struct gather *g)
{
        struct dim arg[2] = {y, dim_int(n)}, decided = dim_int(0);
        struct term member = {.coef = 1};
        unsigned faults = expr_add_int(t, y, i, &arg[0]);

        if (faults)
                return faults;
        if (i == 0 && lone_atom(t, y)) {
                faults = expr_floordiv(t, y, arg[1], &decided);
                return faults ? faults : gather_dim(t, g, decided, 1);
        }
        if (quotient_by_range(t, arg[0], n, &decided.val))
                return gather_dim(t, g, decided, 1);
        faults = atom_mono(t, ATOM_FLOORDIV, arg, 2, &member.mono);
        return faults ? faults : gather_poly(t, g, (struct poly){&member, 1}, 1);
}

/* The sum over i = 0 ... n-1 of (y + i)//n is y. */
static unsigned gather_ring(struct dim_table *t, const struct atom *atom, struct poly lone, struct gather *g)
{
        int64_t n = atom->arg[1].val;
        struct dim y;

        if (!dim_is_int(atom->arg[1]) || n < 2 || n > MAX_RELATED)
                return 0;
        int64_t place = ring_place(t, atom);
        unsigned faults = expr_add_int(t, atom->arg[0], -place, &y);

        for (int64_t i = 0; i < n && !faults; i++)
                faults = i == place ? gather_poly(t, g, lone, 1) : gather_member(t, y, i, n, g);
        return faults ? faults : gather_dim(t, g, y, -1);
}

/* y%n + n*(y//n) is y. */
static unsigned gather_rest(struct dim_table *t, const struct atom *atom, struct poly lone, struct gather *g)
{
        bool is_rest = atom->kind == ATOM_MOD;
        struct term room, room_n;
        struct dim other = dim_int(0);
        struct poly product;
        unsigned faults = is_rest ? expr_floordiv(t, atom->arg[0], atom->arg[1], &other)
                                  : expr_mod(t, atom->arg[0], atom->arg[1], &other);

        if (!faults)
                faults = poly_mul(t, is_rest ? poly_of(t, other, &room) : lone, poly_of(t, atom->arg[1], &room_n),
                                  &product);
        if (!faults)
                faults = gather_poly(t, g, product, 1);
        if (!faults)
                faults = gather_poly(t, g, is_rest ? lone : poly_of(t, other, &room), 1);
        return faults ? faults : gather_dim(t, g, atom->arg[0], -1);
}

/* max(a, b) + min(a, b) is a + b. */
static unsigned gather_both(struct dim_table *t, const struct atom *atom, struct poly lone, struct gather *g)
{
        struct dim other = dim_int(0);
        unsigned faults = expr_extreme(t, atom->kind == ATOM_MAX ? ATOM_MIN : ATOM_MAX, atom->arg, 2, &other);

        if (!faults)
                faults = gather_poly(t, g, lone, 1);
        if (!faults)
                faults = gather_dim(t, g, other, 1);
        if (!faults)
                faults = gather_dim(t, g, atom->arg[0], -1);
        return faults ? faults : gather_dim(t, g, atom->arg[1], -1);
}

/* max(a, b) is b + max(a - b, 0), min(a, b) is a - max(a - b, 0): where a is the one argument, or the other. */
static unsigned gather_excess(struct dim_table *t, const struct atom *atom, struct poly lone, bool other,
                              struct gather *g)
{
        struct dim a = atom->arg[other], b = atom->arg[!other], excess[2] = {dim_int(0), dim_int(0)};
        bool most = atom->kind == ATOM_MAX;
        unsigned faults = expr_combine(t, a, 1, b, -1, &excess[0]);

        if (!faults)
                faults = expr_extreme(t, ATOM_MAX, excess, 2, &excess[0]);
        if (!faults)
                faults = gather_poly(t, g, lone, 1);
        if (!faults)
                faults = gather_dim(t, g, most ? b : a, -1);
        return faults ? faults : gather_dim(t, g, excess[0], most ? -1 : 1);
}

unsigned gather_relation(struct dim_table *t, uint64_t mono, enum relation kind, struct gather *g)
{
        const struct atom *atom = mono_atom(t, mono);
        struct term term = {.coef = 1, .mono = mono};
        struct poly lone = {&term, 1};
        bool division = atom->kind == ATOM_FLOORDIV || atom->kind == ATOM_MOD;
        bool extreme = (atom->kind == ATOM_MAX || atom->kind == ATOM_MIN) && atom->n == 2;

        switch (kind) {
        case RELATION_RING:
                return atom->kind == ATOM_FLOORDIV ? gather_ring(t, atom, lone, g) : 0;
        case RELATION_REST:
                return division ? gather_rest(t, atom, lone, g) : 0;
        case RELATION_BOTH:
                return extreme ? gather_both(t, atom, lone, g) : 0;
        case RELATION_EXCESS:
        case RELATION_OTHER_EXCESS:
                return extreme ? gather_excess(t, atom, lone, kind == RELATION_OTHER_EXCESS, g) : 0;
        }
        return 0;
}

/* Fills in what is known of an atom, once. What cannot be stated within the limits, or is not known to be 0 by its
   normal form, is no relation. Stating one makes
   atoms with relations of their own: some levels deep, then those wait for another time, as they do while a normal
   form is looked for. */
static void find_relations(struct dim_table *t, struct atom_memo *memo, uint64_t mono)
{
        size_t found = 0;

        if (memo->relation || t->relate_level >= MAX_RELATE_LEVELS || t->normal_level > 0)
                return;
        memo->relation = arena_zalloc(t->arena, RELATIONS_MOST * sizeof(*memo->relation));
        t->relate_level++;
        for (int kind = RELATION_RING; kind <= RELATION_OTHER_EXCESS; kind++) {
                struct scratch_mark mark = scratch_mark(t);
                struct gather g = {0};
                struct poly relation;

                if (!gather_relation(t, mono, (enum relation)kind, &g) && !gather_join(t, &g, &relation) &&
                    relation.n > 0 && relation.n <= (size_t)2 * MAX_RELATED && found < RELATIONS_MOST &&
                    poly_is_zero(t, relation))
                        memo->relation[found++] = *poly_keep(t, relation);
                scratch_release(t, mark);
        }
        t->relate_level--;
}

int64_t poly_coefficient(struct poly p, uint64_t mono)
{
        size_t low = 0, high = p.n;

        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (p.term[mid].mono < mono)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low < p.n && p.term[low].mono == mono ? p.term[low].coef : 0;
}

/* The coefficients of the relation's monomials after `factor` times the relation is added, and their length. */
struct outcome {
        int64_t factor;
        int64_t coef[2 * MAX_RELATED];
        size_t terms, variable, negative; /* terms; those that are no constant; those below 0 */
        uint64_t sum;                     /* of the absolute values of those that are no constant */
};

static bool outcome_of(struct outcome *o, const int64_t *have, struct poly relation, int64_t factor)
{
        *o = (struct outcome){.factor = factor};
        for (size_t i = 0; i < relation.n; i++) {
                int64_t added;

                if (!mul_i64(relation.term[i].coef, factor, &added) || !add_i64(have[i], added, &o->coef[i]))
                        return false;
                uint64_t size = o->coef[i] < 0 ? -(uint64_t)o->coef[i] : (uint64_t)o->coef[i];

                o->terms += size != 0;
                o->negative += o->coef[i] < 0;
                if (relation.term[i].mono == MONO_ONE)
                        continue;
                o->variable += size != 0;
                if (__builtin_add_overflow(o->sum, size, &o->sum))
                        o->sum = UINT64_MAX;
        }
        return true;
}

static bool is_better(const struct outcome *a, const struct outcome *b, struct poly relation)
{
        if (a->terms != b->terms)
                return a->terms < b->terms;
        if (a->variable != b->variable)
                return a->variable < b->variable;
        if (a->negative != b->negative)
                return a->negative < b->negative;
        if (a->sum != b->sum)
                return a->sum < b->sum;
        for (size_t i = relation.term[0].mono == MONO_ONE; i < relation.n; i++)
                if (a->coef[i] != b->coef[i])
                        return a->coef[i] > b->coef[i];
        return false;
}

/* Adds the multiple of a relation times a monomial that makes the sum shortest. False if none shortens it. */
static bool apply(struct dim_table *t, struct poly *p, struct poly relation, uint64_t rest)
{
        struct poly scaled;
        struct term moved[2 * MAX_RELATED];
        int64_t have[2 * MAX_RELATED];
        struct outcome best, other;
        size_t present = 0;

        if (poly_scale_mono(t, relation, 1, rest, moved))
                return false;
        scaled = (struct poly){.term = moved, .n = relation.n};
        for (size_t i = 0; i < scaled.n; i++) {
                have[i] = poly_coefficient(*p, moved[i].mono);
                present += have[i] != 0;
        }
        if (present < 2 || !outcome_of(&best, have, scaled, 0))
                return false;
        for (size_t i = 0; i < scaled.n; i++) {
                if (have[i] == INT64_MIN || have[i] % moved[i].coef != 0)
                        continue;
                if (outcome_of(&other, have, scaled, -(have[i] / moved[i].coef)) && is_better(&other, &best, scaled))
                        best = other;
        }
        if (best.factor == 0)
                return false;
        struct term *out = scratch_take(t, p->n + scaled.n, sizeof(*out));
        size_t left;

        if (poly_combine(*p, 1, scaled, best.factor, out, &left))
                return false;
        *p = (struct poly){.term = out, .n = left};
        return true;
}

/* Tries the relations of every atom of one term. */
static bool apply_at(struct dim_table *t, struct poly *p, uint64_t mono_id, unsigned *tries)
{
        const struct mono *mono = t->mono[mono_id];

        for (uint32_t i = 0; i < mono->n; i++) {
                struct atom *atom = t->atom[mono->atom[i]];
                uint64_t lone = mono_intern(t, &mono->atom[i], 1), rest;

                if (atom->kind == ATOM_SYMBOL || atom->kind == ATOM_BROADCAST ||
                    (i > 0 && mono->atom[i - 1] == mono->atom[i]))
                        continue;
                if ((*tries)++ >= MAX_RELATE_TRIES || !mono_div(t, mono_id, lone, &rest))
                        return false;
                find_relations(t, atom->memo, lone);
                for (size_t k = 0; atom->memo->relation && k < RELATIONS_MOST; k++)
                        if (atom->memo->relation[k].n && apply(t, p, atom->memo->relation[k], rest))
                                return true;
        }
        return false;
}

/* Whether relations cannot shorten a sum: they need two nonconstant terms, or a constant that a max or min can
   absorb. */
static bool is_settled(const struct dim_table *t, struct poly p)
{
        if (p.n != 2 || p.term[0].mono != MONO_ONE)
                return p.n < 2;
        const struct atom *atom = mono_atom(t, p.term[1].mono);

        return !atom || (atom->kind != ATOM_MAX && atom->kind != ATOM_MIN);
}

bool relate_shorten(struct dim_table *t, struct poly *p)
{
        unsigned tries = 0;
        bool tried = false;

        for (unsigned changes = 0; changes < MAX_CHANGES && !is_settled(t, *p); changes++) {
                bool changed = false;

                tried = true;
                for (size_t i = 0; i < p->n && !changed && tries < MAX_RELATE_TRIES; i++)
                        if (t->mono[p->term[i].mono]->relates)
                                changed = apply_at(t, p, p->term[i].mono, &tries);
                if (!changed)
                        break;
        }
        /* Last, since a relation would take out again what moves in. */
        for (unsigned changes = 0; changes < MAX_CHANGES && tried; changes++)
                if (!absorb_terms(t, p))
                        break;
        return tried;
}
