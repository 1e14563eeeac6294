/* Modulo, with the divisor's sign as in Python. */
#include "dim/internal.h"

/* c * (x % m) is c * x modulo k if k divides c * m: replaces such modulos. True if there was one. */
static bool open_modulo(struct dim_table *t, struct dim *a, int64_t k)
{
        const struct expr *expr = t->expr[a->expr];

        for (uint32_t i = 0; i < expr->n; i++) {
                const struct atom *atom = mono_atom(t, expr->term[i].mono);
                int64_t whole, coef = expr->term[i].coef;
                struct dim lone, rest;

                if (!atom || atom->kind != ATOM_MOD || !dim_is_int(atom->arg[1]) ||
                    !mul_i64(coef, atom->arg[1].val, &whole) || whole % k != 0)
                        continue;
                if (coef == INT64_MIN || atom_dim(t, ATOM_MOD, atom->arg, 2, &lone) ||
                    expr_combine(t, *a, 1, lone, -coef, &rest) || expr_combine(t, rest, 1, atom->arg[0], coef, &rest))
                        return false;
                *a = rest;
                return true;
        }
        return false;
}

/* Coefficients modulo k: the constant in [0, k), the others smaller than k with the sign they had. */
static unsigned reduce(struct dim_table *t, struct dim *a, int64_t k)
{
        struct term room;
        struct poly p = poly_of(t, *a, &room);
        struct scratch_mark mark = scratch_mark(t);
        struct term *out = scratch_take(t, p.n, sizeof(*out));
        size_t n = 0;

        for (size_t i = 0; i < p.n; i++) {
                out[n] = p.term[i];
                if (p.term[i].mono == MONO_ONE)
                        mod_i64(p.term[i].coef, k, &out[n].coef);
                else
                        out[n].coef = p.term[i].coef % k;
                n += out[n].coef != 0;
        }
        unsigned faults = poly_settle(t, out, n, a);

        scratch_release(t, mark);
        return faults;
}

/* (g*a + c) % (g*k) is g * ((a + c//g) % k) + c % g, for 0 <= c < g*k. */
static unsigned take_content(struct dim_table *t, struct dim a, int64_t k, int64_t g, struct dim *ret)
{
        struct term room;
        int64_t constant = poly_constant(poly_of(t, a, &room)), rest = 0;
        struct dim inner;

        mod_i64(constant, g, &rest);
        unsigned faults = expr_add_int(t, a, -rest, &inner);

        if (!faults)
                faults = expr_floordiv(t, inner, dim_int(g), &inner);
        if (!faults)
                faults = expr_mod(t, inner, dim_int(k / g), &inner);
        return faults ? faults : expr_combine(t, inner, g, dim_int(rest), 1, ret);
}

/* The same for what facts say of terms: the remainder that a term is known to leave takes its place. */
static unsigned reduce_known(struct dim_table *t, struct dim *a, int64_t k)
{
        unsigned faults = reduce(t, a, k);

        if (faults || !t->n_multiple || dim_is_int(*a))
                return faults;
        take_known(t, a, k, NULL);
        return reduce(t, a, k);
}

static unsigned mod_int(struct dim_table *t, struct dim a, int64_t k, struct dim *ret)
{
        struct term room;
        struct dim arg[2];
        int64_t lower, upper;
        unsigned faults = reduce_known(t, &a, k);

        for (unsigned i = 0; i < MAX_SIMPLER && !faults && !dim_is_int(a) && open_modulo(t, &a, k); i++)
                faults = reduce_known(t, &a, k);
        if (faults)
                return faults;
        if (dim_is_int(a)) {
                *ret = a;
                return 0;
        }
        int64_t g = (int64_t)gcd_u64((uint64_t)k, poly_content(poly_of(t, a, &room), false));

        if (g > 1)
                return take_content(t, a, k, g, ret);
        struct range range = range_of(t, a);

        if (range.lower != INT64_MIN && range.upper != INT64_MAX && floordiv_i64(range.lower, k, &lower) &&
            floordiv_i64(range.upper, k, &upper) && lower == upper && mul_i64(lower, k, &upper) && upper != INT64_MIN)
                return expr_add_int(t, a, -upper, ret);
        arg[0] = a;
        arg[1] = dim_int(k);
        return atom_dim(t, ATOM_MOD, arg, 2, ret);
}

/* Removes multiples of a symbolic divisor. */
static unsigned reduce_expr(struct dim_table *t, struct dim *a, struct dim b)
{
        struct dim quotient, rest;
        const struct expr *expr = t->expr[b.expr];

        if (dim_is_int(*a))
                return 0;
        if (!poly_divide(t, *a, b, &quotient, &rest))
                return 0;
        if (expr->n == 1 || dim_is_int(rest) || t->expr[rest.expr]->n < t->expr[a->expr]->n)
                *a = rest;
        return 0;
}

static unsigned mod_expr(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        struct dim arg[2], product, next, common;
        int64_t coef;
        uint64_t mono;
        unsigned faults;

        if (dim_same(a, b) || dim_is(a, 0)) {
                *ret = dim_int(0);
                return 0;
        }
        if (cancel_common(t, &a, &b, &coef, &mono)) {
                /* (x*y) % (x*z) is x * (y % z) for every x but 0, where nothing is defined. */
                struct term term = {.coef = coef, .mono = mono};

                if ((faults = poly_intern(t, (struct poly){&term, 1}, &common)) ||
                    (faults = expr_mod(t, a, b, &product)))
                        return faults;
                return expr_mul(t, common, product, ret);
        }
        if ((faults = reduce_expr(t, &a, b)))
                return faults;
        if (dim_is(a, 0) || (range_of(t, a).lower >= 0 && !expr_add_int(t, a, 1, &next) && proves_ge(t, b, next))) {
                *ret = a;
                return 0;
        }
        arg[0] = a;
        arg[1] = b;
        return atom_dim(t, ATOM_MOD, arg, 2, ret);
}

static unsigned modulo(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        if (!dim_is_int(b))
                return mod_expr(t, a, b, ret);
        if (b.val < 0) {
                /* a % -k is -(-a % k). */
                unsigned faults = b.val == INT64_MIN ? DIM_FAULT_OVERFLOW : expr_negate(t, a, &a);

                if (!faults)
                        faults = expr_mod(t, a, dim_int(-b.val), &a);
                return faults ? faults : expr_negate(t, a, ret);
        }
        return mod_int(t, a, b.val, ret);
}

unsigned expr_mod(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        unsigned faults;

        if (dim_is(b, 0))
                return DIM_FAULT_ZERO_DIVISOR;
        if (dim_is_int(a) && dim_is_int(b)) {
                *ret = dim_int(0);
                mod_i64(a.val, b.val, &ret->val);
                return 0;
        }
        if (t->divide_level >= MAX_DIVIDE_LEVEL)
                return DIM_FAULT_LIMIT;
        t->divide_level++;
        faults = modulo(t, a, b, ret);
        t->divide_level--;
        return faults;
}
