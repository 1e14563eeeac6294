/* Proofs that a sum is >= 0: by its range, or by replacing one operation by something smaller. */
#include "dim/internal.h"

struct proof {
        struct dim_table *t;
        unsigned steps;
};

static bool prove(struct proof *p, struct poly d, unsigned depth);

static bool divides_mono(const struct mono *m, uint32_t atom)
{
        for (uint32_t i = 0; i < m->n; i++)
                if (m->atom[i] == atom)
                        return true;
        return false;
}

/* A factor f, the largest known, with m * q >= f * m for m >= 0; 0 if none is known. An atom that m contains counts as
   at least 1, because m is 0 if the atom is. */
static int64_t least_factor(struct dim_table *t, uint64_t m, uint64_t q)
{
        const struct mono *quotient = t->mono[q];
        int64_t factor = 1;

        for (uint32_t i = 0; i < quotient->n; i++) {
                uint32_t atom = quotient->atom[i];
                int64_t lower = range_of_mono(t, mono_intern(t, &atom, 1)).lower;

                if (lower < 0 || (lower == 0 && !divides_mono(t->mono[m], atom)))
                        return 0;
                if (lower > 1 && !mul_i64(factor, lower, &factor))
                        return 1;
        }
        return factor;
}

/* Offsets a negative term, or a part of it, by a positive term that it divides. */
static void make_up(struct dim_table *t, struct term *negative, struct term *positive)
{
        uint64_t q;
        int64_t factor, gain;

        if (positive->coef <= 0 || !mono_div(t, positive->mono, negative->mono, &q))
                return;
        factor = least_factor(t, negative->mono, q);
        if (factor == 0 || negative->coef == INT64_MIN)
                return;
        int64_t needed = -negative->coef / factor + (-negative->coef % factor != 0);

        if (needed <= positive->coef) {
                positive->coef -= needed;
                negative->coef = 0;
        } else if (mul_i64(positive->coef, factor, &gain)) {
                negative->coef += gain;
                positive->coef = 0;
        }
}

/* N*M - N >= 0 for M >= 1, and the like: every negative term is offset by larger positive ones. */
static bool made_up(struct dim_table *t, struct poly d)
{
        struct term term[MAX_PROOF_TERMS];
        bool is_owed = false;

        if (d.n > MAX_PROOF_TERMS)
                return false;
        for (size_t i = 0; i < d.n; i++) {
                term[i] = d.term[i];
                is_owed = is_owed || term[i].coef < 0;
        }
        if (!is_owed)
                return false;
        for (size_t i = 0; i < d.n; i++) {
                if (range_of_mono(t, term[i].mono).lower < 0)
                        continue;
                for (size_t j = 0; j < d.n && term[i].coef < 0; j++)
                        make_up(t, &term[i], &term[j]);
        }
        return range_of_poly(t, (struct poly){term, d.n}).lower >= 0;
}

/* One operation in a sum: term `at` is coef * rest * operation, with rest >= 0. */
struct place {
        struct poly sum;
        size_t at;
        uint64_t rest;
        unsigned depth;
};

/* Proves scale * (the other terms) + coef * rest * (value + offset) >= 0. */
static bool prove_with(struct proof *p, const struct place *place, int64_t scale, struct dim value, int64_t offset)
{
        struct dim_table *t = p->t;
        struct term room, extra = {.mono = place->rest};
        struct poly by = poly_of(t, value, &room);
        struct scratch_mark mark = scratch_mark(t);
        size_t most = place->sum.n + by.n + 1, n = 0;
        struct term *others = scratch_take(t, most, sizeof(*others)), *scaled = scratch_take(t, most, sizeof(*scaled));
        struct term *sum = scratch_take(t, most, sizeof(*sum));
        int64_t coef = place->sum.term[place->at].coef;
        bool proven = false;

        for (size_t i = 0; i < place->sum.n; i++)
                if (i != place->at)
                        others[n++] = place->sum.term[i];
        if (mul_i64(coef, offset, &extra.coef) && !poly_scale_mono(t, by, coef, place->rest, scaled) &&
            !poly_combine((struct poly){others, n}, scale, (struct poly){scaled, by.n}, 1, sum, &n) &&
            !poly_combine((struct poly){sum, n}, 1, (struct poly){&extra, extra.coef != 0}, 1, others, &n))
                proven = prove(p, (struct poly){others, n}, place->depth + 1);
        scratch_release(t, mark);
        return proven;
}

static bool prove_with_any(struct proof *p, const struct place *place, const struct atom *atom)
{
        for (uint32_t i = 0; i < atom->n; i++)
                if (prove_with(p, place, 1, atom->arg[i], 0))
                        return true;
        return false;
}

static bool prove_with_all(struct proof *p, const struct place *place, const struct atom *atom)
{
        for (uint32_t i = 0; i < atom->n; i++)
                if (!prove_with(p, place, 1, atom->arg[i], 0))
                        return false;
        return true;
}

static bool prove_division(struct proof *p, const struct place *place, const struct atom *atom, bool positive)
{
        struct dim x = atom->arg[0], by = atom->arg[1];

        /* (x - k + 1)/k <= x//k <= x/k for integers k > 0. */
        if (dim_is_int(by))
                return prove_with(p, place, by.val, x, positive ? 1 - by.val : 0);
        /* x//b <= x for x >= 0 and b > 0. */
        return !positive && range_of(p->t, x).lower >= 0 && range_of(p->t, by).lower >= 0 &&
               prove_with(p, place, 1, x, 0);
}

static bool prove_modulo(struct proof *p, const struct place *place, const struct atom *atom, bool positive)
{
        struct dim x = atom->arg[0], by = atom->arg[1];

        /* x % b is < b, and no more than x where that is >= 0. */
        if (positive || range_of(p->t, by).lower < 0)
                return false;
        return prove_with(p, place, 1, by, -1) || (range_of(p->t, x).lower >= 0 && prove_with(p, place, 1, x, 0));
}

static bool prove_atom(struct proof *p, const struct place *place, const struct atom *atom)
{
        bool positive = place->sum.term[place->at].coef > 0;

        switch (atom->kind) {
        case ATOM_FLOORDIV:
                return prove_division(p, place, atom, positive);
        case ATOM_MOD:
                return prove_modulo(p, place, atom, positive);
        case ATOM_MAX:
                return positive ? prove_with_any(p, place, atom) : prove_with_all(p, place, atom);
        case ATOM_MIN:
                return positive ? prove_with_all(p, place, atom) : prove_with_any(p, place, atom);
        case ATOM_BROADCAST:
                /* The result is one of the arguments. */
                return prove_with_all(p, place, atom);
        case ATOM_SYMBOL:
                return !positive && prove_with(p, place, 1, p->t->symbol[atom->symbol]->info.facts->most, 0);
        case ATOM_RING:
                break;
        }
        return false;
}

/* Whether something smaller or larger can take the place of an atom. */
static bool is_bounded(const struct dim_table *t, const struct atom *atom)
{
        return atom->kind != ATOM_SYMBOL || t->symbol[atom->symbol]->info.has_most;
}

static bool prove(struct proof *p, struct poly d, unsigned depth)
{
        struct dim_table *t = p->t;

        if (range_of_poly(t, d).lower >= 0)
                return true;
        if (p->steps++ >= MAX_PROOF || d.n > MAX_PROOF_TERMS)
                return false;
        if (made_up(t, d))
                return true;
        for (size_t i = 0; i < d.n && depth < MAX_PROOF_DEPTH; i++) {
                const struct mono *mono = t->mono[d.term[i].mono];

                for (uint32_t k = 0; k < mono->n; k++) {
                        struct place place = {.sum = d, .at = i, .depth = depth};
                        uint32_t atom = mono->atom[k];

                        if (!is_bounded(t, t->atom[atom]) ||
                            !mono_div(t, d.term[i].mono, mono_intern(t, &atom, 1), &place.rest) ||
                            range_of_mono(t, place.rest).lower < 0)
                                continue;
                        if (prove_atom(p, &place, t->atom[atom]))
                                return true;
                }
        }
        return false;
}

/* Whether a sum is one that is a size by a fact (dim_assume_size). */
static bool is_size(const struct dim_table *t, struct poly p)
{
        struct dim d;

        return (expr_find_written(t, p, &d) || expr_find(t, p, &d)) && !dim_is_int(d) && t->expr[d.expr]->not_negative;
}

/* Proves a - b + offset >= 0. Works on scratch, so proofs store no expressions. */
static bool proves_anew(struct dim_table *t, struct dim a, struct dim b, int64_t offset)
{
        struct proof proof = {.t = t};
        struct term room_a, room_b, extra = {.coef = offset, .mono = MONO_ONE};
        struct poly pa = poly_of(t, a, &room_a), pb = poly_of(t, b, &room_b);
        struct scratch_mark mark = scratch_mark(t);
        struct term *difference = scratch_take(t, pa.n + pb.n, sizeof(*difference));
        struct term *sum = scratch_take(t, pa.n + pb.n + 1, sizeof(*sum));
        size_t n;
        bool proven = !poly_combine(pa, 1, pb, -1, difference, &n) &&
                      !poly_combine((struct poly){difference, n}, 1, (struct poly){&extra, offset != 0}, 1, sum, &n) &&
                      (is_size(t, (struct poly){sum, n}) || prove(&proof, (struct poly){sum, n}, 0));

        scratch_release(t, mark);
        return proven;
}

/* a > b or a >= b: mostly in vain, and asked again about each condition. */
static bool proves_difference(struct dim_table *t, struct dim a, struct dim b, bool more)
{
        enum operation op = more ? OP_PROVE_MORE : OP_PROVE_GE;
        struct dim proven;

        if (!memo_find(t, op, a, b, &proven)) {
                proven = dim_int(proves_anew(t, a, b, more ? -1 : 0));
                memo_keep(t, op, a, b, proven);
        }
        return dim_is(proven, 1);
}

bool proves_ge(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val >= b.val;
        if (dim_same(a, b))
                return true;
        struct range least = range_of(t, a), most = range_of(t, b);

        if (least.lower != INT64_MIN && most.upper != INT64_MAX && least.lower >= most.upper)
                return true;
        return least.upper >= most.lower && proves_difference(t, a, b, false);
}

bool dim_proves_ge(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val >= b.val;
        return proves_ge(t, dim_under_facts(t, a), dim_under_facts(t, b));
}

bool dim_proves_equal(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_same(a, b))
                return true;
        a = dim_under_facts(t, a);
        b = dim_under_facts(t, b);
        return dim_same(a, b) || (proves_ge(t, a, b) && proves_ge(t, b, a));
}

/* Whether a - b cannot be 0 because a divisor of all its coefficients does not divide its constant. */
static bool differs_by_content(struct dim_table *t, struct dim a, struct dim b)
{
        struct term room_a, room_b;
        struct poly pa = poly_of(t, a, &room_a), pb = poly_of(t, b, &room_b);
        struct scratch_mark mark = scratch_mark(t);
        struct term *difference = scratch_take(t, pa.n + pb.n, sizeof(*difference));
        struct poly p = {.term = difference};
        bool differs = false;

        if (!poly_combine(pa, 1, pb, -1, difference, &p.n)) {
                int64_t constant = poly_constant(p);
                uint64_t size = constant < 0 ? -(uint64_t)constant : (uint64_t)constant,
                         content = poly_content(p, false);

                differs = content > 0 ? size % content != 0 : size != 0;
        }
        scratch_release(t, mark);
        return differs;
}

bool dim_proves_unequal(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val != b.val;
        a = dim_under_facts(t, a);
        b = dim_under_facts(t, b);
        if (dim_same(a, b))
                return false;
        if (dim_is_int(a) && dim_is_int(b))
                return true;
        return differs_by_content(t, a, b) || proves_difference(t, a, b, true) || proves_difference(t, b, a, true);
}
