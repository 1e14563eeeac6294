/* Facts that a number divides a size, or leaves a known remainder: with 32 a divisor of H, (H + 15)//16 is H//16, H%32
   is 0, and 32*(H//32) is H. */
#include "dim/internal.h"

/* -- facts -- */

/* The remainder that the monomial leaves by n, by one fact about all of it. */
static bool known_whole(const struct dim_table *t, uint64_t mono, int64_t n, int64_t *ret_rest)
{
        for (uint32_t i = 0; i < t->n_multiple; i++)
                if (t->multiple[i].mono == mono && t->multiple[i].by % n == 0) {
                        *ret_rest = t->multiple[i].rest % n;
                        return true;
                }
        return false;
}

bool leaves_known(struct dim_table *t, uint64_t mono, int64_t n, int64_t *ret_rest)
{
        uint64_t left = mono, quotient;

        if (t->multiples_withdrawn || t->n_multiple == 0)
                return false;
        if (known_whole(t, mono, n, ret_rest))
                return true;
        /* The divisors of its factors, multiplied. */
        *ret_rest = 0;
        for (uint32_t i = 0; i < t->n_multiple && n > 1; i++) {
                if (t->multiple[i].rest != 0 || !mono_div(t, left, t->multiple[i].mono, &quotient))
                        continue;
                left = quotient;
                n /= (int64_t)gcd_u64((uint64_t)n, (uint64_t)t->multiple[i].by);
        }
        return n == 1;
}

static void look_before(void *user, uint32_t symbol)
{
        uint32_t *least = user;

        if (symbol < *least)
                *least = symbol;
}

/* coef * mono + constant is a multiple of `by`: what the monomial leaves. False if that is not one remainder of a
   divisor that is still > 1. */
static bool solve(int64_t coef, int64_t constant, int64_t *by, int64_t *ret_rest)
{
        if (constant == 0) {
                uint64_t size = coef < 0 ? -(uint64_t)coef : (uint64_t)coef;

                *by /= (int64_t)gcd_u64(size, (uint64_t)*by);
                *ret_rest = 0;
                return *by > 1;
        }
        return (coef == 1 || coef == -1) && constant != INT64_MIN &&
               mod_i64(coef == 1 ? -constant : constant, *by, ret_rest);
}

void dim_assume_multiple(struct dim_table *t, struct dim divisor, struct dim d)
{
        uint32_t least = UINT32_MAX;
        int64_t by = divisor.val, rest = 0, known;
        struct term room;

        d = dim_resolve(t, d);
        if (!dim_is_int(divisor) || by < 2 || dim_is_int(d) || t->n_multiple == MAX_MULTIPLES)
                return;
        struct poly p = poly_of(t, d, &room);
        int64_t constant = poly_constant(p);
        struct term last = p.term[p.n - 1];

        dim_each_symbol(t, d, look_before, &least);
        if (p.n > (constant != 0 ? 2u : 1u) || least < t->held || !solve(last.coef, constant, &by, &rest) ||
            leaves_known(t, last.mono, by, &known))
                return;
        for (uint32_t i = 0; i < t->n_multiple; i++) {
                struct multiple *m = &t->multiple[i];
                int64_t both;

                if (m->mono != last.mono)
                        continue;
                /* Remainders that contradict each other are the model's error, and of others the first stays unless
                   both are 0. */
                if (m->rest != 0 || rest != 0 ||
                    !mul_i64(m->by / (int64_t)gcd_u64((uint64_t)m->by, (uint64_t)by), by, &both))
                        return;
                m->by = both;
                t->fact_generation++;
                return;
        }
        if (!t->multiple)
                t->multiple = arena_new_array(t->arena, struct multiple, MAX_MULTIPLES);
        t->multiple[t->n_multiple++] = (struct multiple){.mono = last.mono, .by = by, .rest = rest};
        t->fact_generation++;
}

void dim_withdraw_multiples(struct dim_table *t)
{
        t->multiples_withdrawn++;
        t->fact_generation++;
}

void dim_restore_multiples(struct dim_table *t)
{
        t->multiples_withdrawn--;
        t->fact_generation++;
}

/* -- use -- */

static int64_t gcd_of(int64_t coef, int64_t n)
{
        return (int64_t)gcd_u64(coef < 0 ? -(uint64_t)coef : (uint64_t)coef, (uint64_t)n);
}

/* mono // n for a monomial that leaves a known remainder, without looking at that. */
static unsigned plain_quotient(struct dim_table *t, uint64_t mono, int64_t n, struct dim *ret)
{
        struct term term = {.coef = 1, .mono = mono};
        struct dim lone = dim_int(0);
        unsigned faults = poly_intern(t, (struct poly){&term, 1}, &lone);

        t->multiples_withdrawn++;
        if (!faults)
                faults = expr_floordiv(t, lone, dim_int(n), ret);
        t->multiples_withdrawn--;
        return faults;
}

/* The first term of a sum that leaves a known remainder when the sum is divided by n, and is no multiple of n by its
   coefficient. False if there is none. */
static bool find_known(struct dim_table *t, struct dim a, int64_t n, struct term *ret_term, int64_t *ret_rest)
{
        for (uint32_t i = 0; !dim_is_int(a) && i < t->expr[a.expr]->n; i++) {
                struct term term = t->expr[a.expr]->term[i];
                int64_t shared = gcd_of(term.coef, n);

                if (term.mono == MONO_ONE || shared == n || !leaves_known(t, term.mono, n / shared, ret_rest))
                        continue;
                *ret_term = term;
                return true;
        }
        return false;
}

/* Moves one such term outside: a // n is the rest // n + outside. */
static bool move_known(struct dim_table *t, struct dim *a, int64_t n, struct dim *outside)
{
        struct term term;
        int64_t rest, constant;

        if (!find_known(t, *a, n, &term, &rest) || !mul_i64(term.coef, rest, &constant))
                return false;
        int64_t shared = gcd_of(term.coef, n);
        struct term change[2] = {{constant, MONO_ONE}, {-term.coef, term.mono}};
        struct dim quotient = dim_int(0), more = dim_int(0), left = dim_int(0);
        struct gather g = {0};
        struct poly sum = {0};

        if (term.coef == INT64_MIN || gather_dim(t, &g, *a, 1) || gather_poly(t, &g, (struct poly){change, 2}, 1) ||
            gather_join(t, &g, &sum) || poly_intern(t, sum, &left))
                return false;
        if (outside && (plain_quotient(t, term.mono, n / shared, &quotient) ||
                        expr_combine(t, *outside, 1, quotient, term.coef / shared, &more)))
                return false;
        if (outside)
                *outside = more;
        *a = left;
        return true;
}

void take_known(struct dim_table *t, struct dim *a, int64_t n, struct dim *outside)
{
        struct scratch_mark mark = scratch_mark(t);

        /* A sum may be written in other terms when some are gone, so they need not get fewer. */
        for (int i = 0; i < MAX_SIMPLER && move_known(t, a, n, outside); i++)
                ;
        scratch_release(t, mark);
}

/* The sum with factor * by in the place of a term. */
static bool replace_term(struct dim_table *t, struct dim d, const struct term *gone, const struct term *factor,
                         struct dim by, struct dim *ret)
{
        struct term room;
        struct poly p = poly_of(t, by, &room), sum = {0};
        struct term *scaled = scratch_take(t, p.n, sizeof(*scaled));
        struct gather g = {0};

        return !poly_scale_mono(t, p, factor->coef, factor->mono, scaled) && !gather_dim(t, &g, d, 1) &&
               !gather_poly(t, &g, (struct poly){gone, 1}, -1) && !gather_poly(t, &g, (struct poly){scaled, p.n}, 1) &&
               !gather_join(t, &g, &sum) && !poly_intern(t, sum, ret);
}

/* coef * other * (x//n) with a known remainder of x by n, and g a divisor of coef and n: (coef/g) * other *
   ((x - rest) // (n/g)), which has no remainder. */
static bool open_quotient(struct dim_table *t, struct dim d, const struct term *term, struct dim *ret)
{
        const struct mono *mono = t->mono[term->mono];

        for (uint32_t i = 0; i < mono->n; i++) {
                uint32_t id = mono->atom[i];
                const struct atom *atom = t->atom[id];
                uint64_t other;
                struct dim rest = dim_int(0), left = dim_int(0), quotient = dim_int(0);

                if (atom->kind != ATOM_FLOORDIV || !dim_is_int(atom->arg[1]) || atom->arg[1].val < 2)
                        continue;
                int64_t n = atom->arg[1].val, shared = gcd_of(term->coef, n);

                if (shared == 1 || !mono_div(t, term->mono, mono_intern(t, &id, 1), &other) ||
                    expr_mod(t, atom->arg[0], atom->arg[1], &rest) || !dim_is_int(rest))
                        continue;
                struct term factor = {term->coef / shared, other}, gone = {term->coef, term->mono};

                if (!expr_combine(t, atom->arg[0], 1, rest, -1, &left) &&
                    !expr_floordiv(t, left, dim_int(n / shared), &quotient) &&
                    replace_term(t, d, &gone, &factor, quotient, ret))
                        return true;
        }
        return false;
}

struct dim under_multiples(struct dim_table *t, struct dim d)
{
        struct scratch_mark mark = scratch_mark(t);

        for (int round = 0; round < MAX_SIMPLER && !dim_is_int(d); round++) {
                const struct expr *expr = t->expr[d.expr];
                bool changed = false;

                for (uint32_t i = 0; i < expr->n && !changed; i++)
                        changed = t->mono[expr->term[i].mono]->relates && open_quotient(t, d, &expr->term[i], &d);
                if (!changed)
                        break;
        }
        scratch_release(t, mark);
        return d;
}
