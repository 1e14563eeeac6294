/* Terms beside a max or min that get fewer within it: max(M - 8, 0) + 8 is max(M, 8), and N - min(N, 5) is
   max(N - 5, 0). Which sums are equal, normal.c says; here it is decided how a new one is written. */
#include "dim/internal.h"

/* One max or min in a sum: term `at` is coef * rest * operation. */
struct spot {
        const struct poly *sum;
        const struct atom *atom;
        int64_t coef;
        uint64_t rest;
};

/* Terms of a form, and those of them with a negative coefficient. */
struct length {
        int terms, negative;
};

static void count_term(struct length *length, int64_t coef)
{
        length->terms += coef != 0;
        length->negative += coef < 0;
}

/* Of the terms in one monomial, when the arguments have `amount` more of it and the sum has that much less: `outside`
   is what the sum has. */
static bool length_with(struct dim_table *t, const struct atom *atom, uint64_t mono, int64_t outside, int64_t amount,
                        struct length *ret)
{
        int64_t coef;

        *ret = (struct length){0, 0};
        for (uint32_t i = 0; i < atom->n; i++) {
                struct term room;

                if (!add_i64(poly_coefficient(poly_of(t, atom->arg[i], &room), mono), amount, &coef))
                        return false;
                count_term(ret, coef);
        }
        if (!sub_i64(outside, amount, &coef))
                return false;
        count_term(ret, coef);
        return true;
}

/* How much of a monomial is to move into the arguments: 0, or what makes one of them lose it. */
static int64_t amount_of(struct dim_table *t, const struct atom *atom, uint64_t mono, int64_t outside)
{
        struct length best, other;
        int64_t amount = 0;

        if (!length_with(t, atom, mono, outside, 0, &best))
                return 0;
        for (uint32_t i = 0; i < atom->n; i++) {
                struct term room;
                int64_t has = poly_coefficient(poly_of(t, atom->arg[i], &room), mono);
                bool is_part = outside > 0 ? has < 0 && has >= -outside : has > 0 && has <= -outside;

                if (!is_part || !length_with(t, atom, mono, outside, -has, &other))
                        continue;
                if (other.terms < best.terms || (other.terms == best.terms && other.negative < best.negative)) {
                        best = other;
                        amount = -has;
                }
        }
        return amount;
}

/* The terms that are to move into the operation, on scratch. */
static struct poly moving(struct dim_table *t, const struct spot *spot)
{
        struct term *move = scratch_take(t, spot->sum->n, sizeof(*move));
        size_t n = 0;

        for (size_t i = 0; i < spot->sum->n; i++) {
                const struct term *term = &spot->sum->term[i];
                int64_t whole;

                if (term->coef % spot->coef != 0 || !mono_div(t, term->mono, spot->rest, &move[n].mono))
                        continue;
                whole = term->coef / spot->coef;
                move[n].coef = whole == INT64_MIN ? 0 : amount_of(t, spot->atom, move[n].mono, whole);
                n += move[n].coef != 0;
        }
        return (struct poly){move, n};
}

/* Whether -min(a, b) is better written as max(-a, -b), or the other way round. */
static bool is_turned_better(struct dim_table *t, const struct dim *arg, uint32_t n)
{
        int positive = 0, negative = 1;

        for (uint32_t i = 0; i < n; i++) {
                struct term room;
                struct poly p = poly_of(t, arg[i], &room);

                for (size_t k = 0; k < p.n; k++) {
                        positive += p.term[k].coef > 0;
                        negative += p.term[k].coef < 0;
                }
        }
        return positive < negative;
}

/* coef * the operation on the arguments. */
static unsigned operate(struct dim_table *t, const struct spot *spot, struct dim *arg, struct dim *ret)
{
        enum atom_kind kind = spot->atom->kind;
        int64_t coef = spot->coef;
        unsigned faults = 0;

        if (coef < 0 && is_turned_better(t, arg, spot->atom->n)) {
                for (uint32_t i = 0; i < spot->atom->n && !faults; i++)
                        faults = expr_negate(t, arg[i], &arg[i]);
                kind = kind == ATOM_MAX ? ATOM_MIN : ATOM_MAX;
                coef = -coef;
        }
        if (!faults)
                faults = expr_extreme(t, kind, arg, spot->atom->n, ret);
        return faults ? faults : expr_combine(t, *ret, coef, dim_int(0), 0, ret);
}

/* The sum with those terms within the operation. */
static unsigned move_in(struct dim_table *t, const struct spot *spot, uint64_t lone, struct poly move, struct poly *ret)
{
        struct dim arg[MAX_ARGUMENTS], result = dim_int(0);
        struct gather g = {0};
        struct term operation = {.coef = -spot->coef, .mono = lone};
        struct term *moved = scratch_take(t, move.n, sizeof(*moved));
        struct term room;
        unsigned faults = 0;

        for (uint32_t i = 0; i < spot->atom->n && !faults; i++) {
                struct gather sum = {0};
                struct poly joined = {0};

                faults = gather_dim(t, &sum, spot->atom->arg[i], 1);
                if (!faults)
                        faults = gather_poly(t, &sum, move, 1);
                if (!faults)
                        faults = gather_join(t, &sum, &joined);
                if (!faults)
                        faults = poly_intern(t, joined, &arg[i]);
        }
        if (!faults)
                faults = operate(t, spot, arg, &result);
        struct poly value = poly_of(t, result, &room);
        struct term *scaled = scratch_take(t, value.n, sizeof(*scaled));

        if (!faults)
                faults = poly_scale_mono(t, value, 1, spot->rest, scaled);
        if (!faults)
                faults = poly_scale_mono(t, move, spot->coef, spot->rest, moved);
        if (!faults)
                faults = gather_poly(t, &g, *spot->sum, 1);
        if (!faults)
                faults = gather_poly(t, &g, (struct poly){&operation, 1}, 1);
        if (!faults)
                faults = gather_poly(t, &g, (struct poly){moved, move.n}, -1);
        if (!faults)
                faults = gather_poly(t, &g, (struct poly){scaled, value.n}, 1);
        return faults ? faults : gather_join(t, &g, ret);
}

/* Tries each max and min of one term. */
static bool absorb_at(struct dim_table *t, struct poly *p, const struct term *term)
{
        const struct mono *mono = t->mono[term->mono];

        for (uint32_t i = 0; i < mono->n; i++) {
                uint32_t id = mono->atom[i];
                struct spot spot = {.sum = p, .atom = t->atom[id], .coef = term->coef};
                struct poly changed;

                if ((spot.atom->kind != ATOM_MAX && spot.atom->kind != ATOM_MIN) || spot.coef == INT64_MIN ||
                    !mono_div(t, term->mono, mono_intern(t, &id, 1), &spot.rest))
                        continue;
                struct poly move = moving(t, &spot);

                if (move.n == 0 || move_in(t, &spot, term->mono, move, &changed))
                        continue;
                *p = changed;
                return true;
        }
        return false;
}

bool absorb_terms(struct dim_table *t, struct poly *p)
{
        if (p->n < 2 || t->relate_level >= MAX_RELATE_LEVELS)
                return false;
        t->relate_level++;
        bool changed = false;

        for (size_t i = 0; i < p->n && !changed; i++)
                changed = t->mono[p->term[i].mono]->extreme && absorb_at(t, p, &p->term[i]);
        t->relate_level--;
        return changed;
}
