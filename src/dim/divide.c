/* Floor division and modulo, with Python's signs. */
#include "dim/internal.h"

/* A division by an integer > 0 while it is simplified: the result is sign * (numerator // divisor) + outside. */
struct division {
        struct dim numerator, outside;
        int64_t divisor;
        int sign;
};

/* Moves the multiples of the divisor outside; the remaining constant is in [0, divisor). */
static unsigned take_multiples(struct dim_table *t, struct division *d)
{
        struct term room;
        struct poly p = poly_of(t, d->numerator, &room);
        struct scratch_mark mark = scratch_mark(t);
        struct term *in = scratch_take(t, p.n, sizeof(*in)), *out = scratch_take(t, p.n, sizeof(*out));
        size_t n_in = 0, n_out = 0;
        unsigned faults;

        for (size_t i = 0; i < p.n; i++) {
                int64_t quotient = 0, rest = 0;

                /* The divisor is not -1, so nothing overflows. */
                floordiv_i64(p.term[i].coef, d->divisor, &quotient);
                mod_i64(p.term[i].coef, d->divisor, &rest);
                if (rest != 0 && p.term[i].mono != MONO_ONE) {
                        rest = p.term[i].coef;
                        quotient = 0;
                }
                if (rest != 0)
                        in[n_in++] = (struct term){.coef = rest, .mono = p.term[i].mono};
                if (quotient != 0)
                        out[n_out++] = (struct term){.coef = quotient, .mono = p.term[i].mono};
        }
        faults = n_out == 0 ? 0 : poly_settle(t, in, n_in, &d->numerator);
        if (!faults)
                faults = poly_settle(t, out, n_out, &d->outside);
        scratch_release(t, mark);
        return faults;
}

/* (g*a + c) // (g*b) is (a + c//g) // b. */
static unsigned take_content(struct dim_table *t, struct dim *numerator, int64_t *divisor)
{
        struct term room;
        struct poly p = poly_of(t, *numerator, &room);
        uint64_t content = poly_content(p, false), a = (uint64_t)*divisor;

        while (content) {
                uint64_t rest = a % content;

                a = content;
                content = rest;
        }
        if (a <= 1 || dim_is_int(*numerator))
                return 0;
        struct scratch_mark mark = scratch_mark(t);
        struct term *out = scratch_take(t, p.n, sizeof(*out));
        size_t n = 0;
        int64_t g = (int64_t)a;

        for (size_t i = 0; i < p.n; i++) {
                floordiv_i64(p.term[i].coef, g, &out[n].coef);
                out[n].mono = p.term[i].mono;
                n += out[n].coef != 0;
        }
        unsigned faults = poly_settle(t, out, n, numerator);

        scratch_release(t, mark);
        *divisor /= g;
        return faults;
}

/* Whether all terms except the constant are negative. */
static bool all_negative(const struct dim_table *t, struct dim d)
{
        const struct expr *expr = t->expr[d.expr];

        for (uint32_t i = 0; i < expr->n; i++)
                if (expr->term[i].mono != MONO_ONE && expr->term[i].coef > 0)
                        return false;
        return true;
}

/* The only floor division that is a term of its own in a sum, with the coefficient 1; NULL if there is none or more
   than one. */
static const struct atom *inner_division(const struct dim_table *t, struct dim d)
{
        const struct expr *expr = t->expr[d.expr];
        const struct atom *found = NULL;

        for (uint32_t i = 0; i < expr->n; i++) {
                const struct atom *atom = mono_atom(t, expr->term[i].mono);

                if (!atom || atom->kind != ATOM_FLOORDIV)
                        continue;
                if (found || expr->term[i].coef != 1)
                        return NULL;
                found = atom;
        }
        return found;
}

/* (x//a + y) // b is (x + a*y) // (a*b) for b > 0. True if it was applied; a symbolic `a` is left to the caller. */
static bool flatten(struct dim_table *t, struct dim *numerator, int64_t *divisor)
{
        const struct atom *inner = inner_division(t, *numerator);
        struct dim y, joined;
        int64_t both;

        if (!inner || !dim_is_int(inner->arg[1]) || !mul_i64(inner->arg[1].val, *divisor, &both))
                return false;
        struct dim atom, x = inner->arg[0];
        int64_t a = inner->arg[1].val;

        if (atom_dim(t, ATOM_FLOORDIV, inner->arg, 2, &atom) || expr_combine(t, *numerator, a, atom, -a, &y) ||
            expr_combine(t, y, 1, x, 1, &joined))
                return false;
        *numerator = joined;
        *divisor = both;
        return true;
}

bool quotient_by_range(struct dim_table *t, struct dim numerator, int64_t divisor, int64_t *ret)
{
        struct range range = range_of(t, numerator);
        int64_t upper;

        return range.lower != INT64_MIN && range.upper != INT64_MAX && floordiv_i64(range.lower, divisor, ret) &&
               floordiv_i64(range.upper, divisor, &upper) && *ret == upper;
}

static unsigned floordiv_int(struct dim_table *t, struct dim a, int64_t divisor, unsigned level, struct dim *ret);

/* outside + sign * (a // divisor), where `a` is simpler than the original numerator. */
static unsigned go_on(struct dim_table *t, const struct division *d, unsigned level, struct dim *ret)
{
        struct dim quotient;
        unsigned faults = floordiv_int(t, d->numerator, d->divisor, level + 1, &quotient);

        return faults ? faults : expr_combine(t, d->outside, 1, quotient, d->sign, ret);
}

/* Applies one simplification at a time, recursively. Each shortens the numerator, but a relation may lengthen it again,
   so the number of levels is bounded. */
static unsigned floordiv_int(struct dim_table *t, struct dim a, int64_t divisor, unsigned level, struct dim *ret)
{
        struct division d = {.numerator = a, .outside = dim_int(0), .divisor = divisor, .sign = 1};
        struct dim arg[2] = {a, dim_int(divisor)}, product;
        int64_t value;

        if (dim_is_int(a)) {
                *ret = dim_int(0);
                return floordiv_i64(a.val, divisor, &ret->val) ? 0 : DIM_FAULT_OVERFLOW;
        }
        if (level < MAX_SIMPLER) {
                unsigned faults = take_multiples(t, &d);

                if (!faults && t->n_multiple)
                        take_known(t, &d.numerator, d.divisor, &d.outside);
                if (!faults && dim_is(d.outside, 0))
                        faults = take_content(t, &d.numerator, &d.divisor);
                if (faults)
                        return faults;
                if (!dim_same(d.numerator, a))
                        return go_on(t, &d, level, ret);
                if (all_negative(t, a)) {
                        /* -x // b is -((x + b - 1) // b). */
                        d.sign = -1;
                        faults = expr_combine(t, a, -1, dim_int(divisor - 1), 1, &d.numerator);
                        return faults ? faults : go_on(t, &d, level, ret);
                }
                if (flatten(t, &d.numerator, &d.divisor))
                        return go_on(t, &d, level, ret);
        }
        if (quotient_by_range(t, a, divisor, &value)) {
                *ret = dim_int(value);
                return 0;
        }
        /* With a symbolic c, too, (x//c)//b is x//(c*b), whatever the sign of c. */
        const struct atom *inner = lone_atom(t, a);

        if (inner && inner->kind == ATOM_FLOORDIV && !dim_is_int(inner->arg[1]) &&
            !expr_mul(t, inner->arg[1], dim_int(divisor), &product))
                return expr_floordiv(t, inner->arg[0], product, ret);
        return atom_dim(t, ATOM_FLOORDIV, arg, 2, ret);
}

/* Moves the terms of `a` that the single term of `b` divides into the quotient. */
static unsigned take_term_multiples(struct dim_table *t, struct dim *a, struct dim b, struct dim *ret_out)
{
        struct term room, by = t->expr[b.expr]->term[0];
        struct poly p = poly_of(t, *a, &room);
        struct scratch_mark mark = scratch_mark(t);
        struct term *in = scratch_take(t, p.n, sizeof(*in)), *out = scratch_take(t, p.n, sizeof(*out));
        size_t n_in = 0, n_out = 0;

        for (size_t i = 0; i < p.n; i++) {
                struct term *term = &out[n_out];
                int64_t left;

                if (mod_i64(p.term[i].coef, by.coef, &left) && left == 0 &&
                    floordiv_i64(p.term[i].coef, by.coef, &term->coef) &&
                    mono_div(t, p.term[i].mono, by.mono, &term->mono))
                        n_out++;
                else
                        in[n_in++] = p.term[i];
        }
        unsigned faults = n_out ? poly_settle(t, in, n_in, a) : 0;

        if (!faults)
                faults = poly_settle(t, out, n_out, ret_out);
        scratch_release(t, mark);
        return faults;
}

/* Moves a polynomial multiple of `b` from `a` into the quotient if that shortens `a`. */
static unsigned take_quotient(struct dim_table *t, struct dim *a, struct dim b, struct dim *ret_out)
{
        struct dim quotient, rest;

        *ret_out = dim_int(0);
        if (t->expr[b.expr]->n == 1)
                return take_term_multiples(t, a, b, ret_out);
        if (dim_is_int(*a) || !poly_divide(t, *a, b, &quotient, &rest))
                return 0;
        if (!dim_is_int(rest) && t->expr[rest.expr]->n >= t->expr[a->expr]->n)
                return 0;
        *a = rest;
        *ret_out = quotient;
        return 0;
}

/* Whether 0 <= a < b (the quotient is 0) or -b <= a < 0 (it is -1) is proven; b != 0 is given. */
static bool decided_by_proof(struct dim_table *t, struct dim a, struct dim b, int64_t *ret)
{
        struct dim next, negated;

        if (expr_add_int(t, a, 1, &next) || expr_negate(t, a, &negated))
                return false;
        if (range_of(t, a).lower >= 0 && proves_ge(t, b, next))
                *ret = 0;
        else if (range_of(t, a).upper < 0 && proves_ge(t, b, negated))
                *ret = -1;
        else
                return false;
        return true;
}

/* A numerator without multiples of the symbolic divisor. */
static unsigned floordiv_rest(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        const struct atom *inner = lone_atom(t, a);
        struct dim arg[2] = {a, b}, product;
        int64_t value;

        if (decided_by_proof(t, a, b, &value)) {
                *ret = dim_int(value);
                return 0;
        }
        /* (x//c)//b is x//(c*b) for b > 0, and where b >= 0 may be 0 nothing is defined. */
        if (inner && inner->kind == ATOM_FLOORDIV && range_of(t, b).lower >= 0 &&
            !expr_mul(t, inner->arg[1], b, &product))
                return expr_floordiv(t, inner->arg[0], product, ret);
        return atom_dim(t, ATOM_FLOORDIV, arg, 2, ret);
}

static unsigned floordiv_expr(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        struct dim outside, rest;
        int64_t coef;
        uint64_t mono;
        unsigned faults = 0;

        if (dim_same(a, b) || dim_is(a, 0)) {
                *ret = dim_int(dim_is(a, 0) ? 0 : 1);
                return 0;
        }
        if (all_negative(t, b) && poly_constant((struct poly){t->expr[b.expr]->term, 1}) <= 0) {
                if ((faults = expr_negate(t, a, &a)) || (faults = expr_negate(t, b, &b)))
                        return faults;
                return expr_floordiv(t, a, b, ret);
        }
        if (cancel_common(t, &a, &b, &coef, &mono))
                return expr_floordiv(t, a, b, ret);
        if ((faults = take_quotient(t, &a, b, &outside)))
                return faults;
        if (dim_is(a, 0)) {
                *ret = outside;
                return 0;
        }
        if (dim_is(outside, 0))
                return floordiv_rest(t, a, b, ret);
        faults = expr_floordiv(t, a, b, &rest);
        return faults ? faults : expr_combine(t, outside, 1, rest, 1, ret);
}

static unsigned floordiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        if (!dim_is_int(b))
                return floordiv_expr(t, a, b, ret);
        if (b.val < 0) {
                unsigned faults = b.val == INT64_MIN ? DIM_FAULT_OVERFLOW : expr_negate(t, a, &a);

                return faults ? faults : floordiv_int(t, a, -b.val, 0, ret);
        }
        return floordiv_int(t, a, b.val, 0, ret);
}

unsigned expr_floordiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        unsigned faults;

        if (dim_is(b, 0))
                return DIM_FAULT_ZERO_DIVISOR;
        if (dim_is_int(a) && dim_is_int(b)) {
                *ret = dim_int(0);
                return floordiv_i64(a.val, b.val, &ret->val) ? 0 : DIM_FAULT_OVERFLOW;
        }
        bool is_plain = t->multiples_withdrawn > 0;

        if (!is_plain && memo_find(t, OP_FLOORDIV, a, b, ret))
                return 0;
        /* The numerator gets simpler, unless relations lengthen it; the bound ensures termination. */
        if (t->divide_level >= MAX_DIVIDE_LEVEL)
                return DIM_FAULT_LIMIT;
        t->divide_level++;
        faults = floordiv(t, a, b, ret);
        t->divide_level--;
        if (!faults && !is_plain)
                memo_keep(t, OP_FLOORDIV, a, b, *ret);
        return faults;
}

unsigned expr_ceildiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        struct dim negated, raised;
        int64_t number;
        unsigned faults;

        if (dim_is_int(a) && dim_is_int(b) && sub_i64(0, a.val, &number) && floordiv_i64(number, b.val, &number) &&
            sub_i64(0, number, &number)) {
                *ret = dim_int(number);
                return 0;
        }
        /* (a + b - 1) // b for b > 0, which reads better than -(-a // b). */
        if (!dim_is(b, 0) && range_of(t, b).lower >= 0 && !expr_combine(t, a, 1, b, 1, &raised) &&
            !expr_add_int(t, raised, -1, &raised))
                return expr_floordiv(t, raised, b, ret);
        if ((faults = expr_negate(t, a, &negated)) || (faults = expr_floordiv(t, negated, b, &negated)))
                return faults;
        return expr_negate(t, negated, ret);
}

unsigned expr_exactdiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        /* Floor division takes out term by term and polynomial quotients first. */
        return expr_floordiv(t, a, b, ret);
}
