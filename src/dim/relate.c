/* Relations: sums that are 0 because of what the atoms in them mean. A multiple of one, added to a sum, may make it
   shorter: a//2 + (a + 1)//2 is a, 4*(a//4) + a%4 is a, max(a, b) + min(a, b) is a + b. Of all multiples the one that
   leaves the shortest sum is taken, by an order that depends on nothing but the sums that come out: so sums that a
   relation makes equal get one form. */
#include "dim/internal.h"

#define MAX_CHANGES       8
#define MAX_RELATE_LEVELS 3
#define RELATIONS         (sizeof(((struct atom *)NULL)->relation) / sizeof(struct dim))

/* As expr_combine() and expr_mul(), of what goes into a relation: left as long as it is. */
static unsigned combine_plain(struct dim_table *t, struct dim a, int64_t ka, struct dim b, int64_t kb, struct dim *ret)
{
        bool before = t->plain;

        t->plain = true;
        unsigned faults = expr_combine(t, a, ka, b, kb, ret);

        t->plain = before;
        return faults;
}

static unsigned mul_plain(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        bool before = t->plain;

        t->plain = true;
        unsigned faults = expr_mul(t, a, b, ret);

        t->plain = before;
        return faults;
}

/* The sum over i = 0 ... n-1 of (y + i)//n is y. */
static unsigned ring_of(struct dim_table *t, const struct atom *atom, struct dim *ret)
{
        struct term room;
        struct poly numerator = poly_of(t, atom->arg[0], &room);
        struct dim y, sum = dim_int(0), part;
        int64_t n = atom->arg[1].val;

        if (!dim_is_int(atom->arg[1]) || n < 2 || n > MAX_RELATED)
                return 0;
        unsigned faults = expr_add_int(t, atom->arg[0], -poly_constant(numerator), &y);

        for (int64_t i = 0; i < n && !faults; i++) {
                faults = expr_add_int(t, y, i, &part);
                if (!faults)
                        faults = expr_floordiv(t, part, dim_int(n), &part);
                if (!faults)
                        faults = combine_plain(t, sum, 1, part, 1, &sum);
        }
        return faults ? faults : combine_plain(t, sum, 1, y, -1, ret);
}

/* y%n + n*(y//n) is y. An integer y is no term of its own: whether its multiples are found in a sum depends on what
   else was added up before. */
static unsigned rest_of(struct dim_table *t, const struct atom *atom, struct dim *ret)
{
        struct dim quotient, rest = dim_int(0);

        if (dim_is_int(atom->arg[0]))
                return 0;
        unsigned faults = expr_floordiv(t, atom->arg[0], atom->arg[1], &quotient);

        if (!faults)
                faults = expr_mod(t, atom->arg[0], atom->arg[1], &rest);
        if (!faults)
                faults = mul_plain(t, quotient, atom->arg[1], &quotient);
        if (!faults)
                faults = combine_plain(t, quotient, 1, rest, 1, &rest);
        return faults ? faults : combine_plain(t, rest, 1, atom->arg[0], -1, ret);
}

/* max(a, b) + min(a, b) is a + b. */
static unsigned both_of(struct dim_table *t, const struct atom *atom, struct dim *ret)
{
        struct dim least = dim_int(0), most, sum = dim_int(0);
        unsigned faults = expr_extreme(t, ATOM_MAX, atom->arg, 2, &most);

        if (!faults)
                faults = expr_extreme(t, ATOM_MIN, atom->arg, 2, &least);
        if (!faults)
                faults = combine_plain(t, atom->arg[0], 1, atom->arg[1], 1, &sum);
        if (!faults)
                faults = combine_plain(t, most, 1, least, 1, &least);
        return faults ? faults : combine_plain(t, least, 1, sum, -1, ret);
}

/* max(a, b) is b + max(a - b, 0), min(a, b) is a - max(a - b, 0). */
static unsigned excess_of(struct dim_table *t, const struct atom *atom, int first, struct dim *ret)
{
        struct dim a = atom->arg[first], b = atom->arg[1 - first], whole, excess[2] = {dim_int(0), dim_int(0)};
        bool most = atom->kind == ATOM_MAX;
        unsigned faults = expr_extreme(t, atom->kind, atom->arg, 2, &whole);

        if (!faults)
                faults = expr_combine(t, a, 1, b, -1, &excess[0]);
        if (!faults)
                faults = expr_extreme(t, ATOM_MAX, excess, 2, &excess[0]);
        if (!faults)
                faults = combine_plain(t, whole, 1, most ? b : a, -1, &whole);
        return faults ? faults : combine_plain(t, whole, 1, excess[0], most ? -1 : 1, ret);
}

/* Fills in what is known of an atom, once. What cannot be stated within the limits is no relation. Stating one makes
   atoms with relations of their own: some levels deep, then those wait for another time. */
static void find_relations(struct dim_table *t, struct atom *atom)
{
        struct dim found[RELATIONS] = {dim_int(0), dim_int(0), dim_int(0)};
        unsigned faults[RELATIONS] = {0};

        if (atom->related || t->relate_level >= MAX_RELATE_LEVELS)
                return;
        atom->related = true;
        t->relate_level++;
        switch (atom->kind) {
        case ATOM_FLOORDIV:
                faults[0] = ring_of(t, atom, &found[0]);
                faults[1] = rest_of(t, atom, &found[1]);
                break;
        case ATOM_MOD:
                faults[0] = rest_of(t, atom, &found[0]);
                break;
        case ATOM_MAX:
        case ATOM_MIN:
                if (atom->n != 2)
                        break;
                faults[0] = both_of(t, atom, &found[0]);
                faults[1] = excess_of(t, atom, 0, &found[1]);
                faults[2] = excess_of(t, atom, 1, &found[2]);
                break;
        case ATOM_SYMBOL:
        case ATOM_BROADCAST:
                break;
        }
        t->relate_level--;
        for (size_t i = 0; i < RELATIONS; i++)
                if (!faults[i] && !dim_is_int(found[i]) && t->expr[found[i].expr]->n <= 2 * MAX_RELATED)
                        atom->relation[i] = found[i];
}

static int64_t coefficient(const struct term *term, size_t n, uint64_t mono)
{
        size_t low = 0, high = n;

        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (term[mid].mono < mono)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low < n && term[low].mono == mono ? term[low].coef : 0;
}

/* The coefficients of the relation's monomials once `factor` times the relation is added, and how long that is. */
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

/* Adds the multiple of a relation times a monomial that makes the sum shortest. False when it stays as it is. */
static bool apply(struct dim_table *t, struct term **term, size_t *n, struct dim relation, uint64_t rest)
{
        const struct expr *expr = t->expr[relation.expr];
        struct poly plain = {.term = expr->term, .n = expr->n}, scaled;
        struct term moved[2 * MAX_RELATED];
        int64_t have[2 * MAX_RELATED];
        struct outcome best, other;
        size_t present = 0;

        if (poly_scale_mono(t, plain, 1, rest, moved))
                return false;
        scaled = (struct poly){.term = moved, .n = plain.n};
        for (size_t i = 0; i < scaled.n; i++) {
                have[i] = coefficient(*term, *n, moved[i].mono);
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
        struct term *out = scratch_take(t, *n + scaled.n, sizeof(*out));
        size_t left;

        if (poly_combine((struct poly){.term = *term, .n = *n}, 1, scaled, best.factor, out, &left))
                return false;
        *term = out;
        *n = left;
        return true;
}

/* Tries the relations of every atom of one term. */
static bool apply_at(struct dim_table *t, struct term **term, size_t *n, uint64_t mono_id, unsigned *tries)
{
        const struct mono *mono = t->mono[mono_id];

        for (uint32_t i = 0; i < mono->n; i++) {
                struct atom *atom = t->atom[mono->atom[i]];
                uint32_t lone = mono->atom[i];
                uint64_t rest;

                if (atom->kind == ATOM_SYMBOL || atom->kind == ATOM_BROADCAST || (i > 0 && mono->atom[i - 1] == lone))
                        continue;
                if ((*tries)++ >= MAX_RELATE_TRIES || !mono_div(t, mono_id, mono_intern(t, &lone, 1), &rest))
                        return false;
                find_relations(t, atom);
                for (size_t k = 0; k < RELATIONS; k++)
                        if (!dim_is_int(atom->relation[k]) && apply(t, term, n, atom->relation[k], rest))
                                return true;
        }
        return false;
}

/* Whether relations can do nothing for a sum: it takes two terms that are no constant for them to meet, or a constant
   that a max or min can take in. */
static bool is_settled(const struct dim_table *t, const struct term *term, size_t n)
{
        if (n != 2 || term[0].mono != MONO_ONE)
                return n < 2;
        const struct atom *atom = mono_atom(t, term[1].mono);

        return !atom || (atom->kind != ATOM_MAX && atom->kind != ATOM_MIN);
}

void relate(struct dim_table *t, struct term **term, size_t *n)
{
        unsigned tries = 0;

        if (t->plain)
                return;
        for (unsigned changes = 0; changes < MAX_CHANGES; changes++) {
                bool changed = false;

                if (is_settled(t, *term, *n))
                        break;
                for (size_t i = 0; i < *n && !changed && tries < MAX_RELATE_TRIES; i++)
                        if (t->mono[(*term)[i].mono]->relates)
                                changed = apply_at(t, term, n, (*term)[i].mono, &tries);
                if (!changed)
                        break;
        }
}
