/* Conditions on sizes that must hold for a model to run: in their simplest form, and as facts if they concern a single
   symbol. */
#include "dim/internal.h"

/* -- a sum that must not be negative -- */

/* max(x, m) or min(x, m) for an integer m: only x can decide, because range_of() has excluded m. */
static bool decides(const struct dim_table *t, const struct atom *atom, struct dim *ret)
{
        if ((atom->kind != ATOM_MAX && atom->kind != ATOM_MIN) || atom->n != 2 || !dim_is_int(atom->arg[1]))
                return false;
        (void)t;
        *ret = atom->arg[0];
        return true;
}

/* Reduces sign * atom + constant >= 0 to a condition on the atom's operands. False if it cannot. */
static bool open_atom(struct dim_table *t, const struct atom *atom, bool positive, int64_t constant, struct dim *ret)
{
        struct dim x;
        int64_t k, scaled;

        if (decides(t, atom, &x))
                return !expr_combine(t, x, positive ? 1 : -1, dim_int(constant), 1, ret);
        if (atom->kind != ATOM_FLOORDIV || !dim_is_int(atom->arg[1]) || atom->arg[1].val <= 0)
                return false;
        /* x//k >= -c is x >= -c*k; x//k <= c is x <= c*k + k - 1. */
        k = atom->arg[1].val;
        if (!mul_i64(constant, k, &scaled) || (!positive && !add_i64(scaled, k - 1, &scaled)))
                return false;
        return !expr_combine(t, atom->arg[0], positive ? 1 : -1, dim_int(scaled), 1, ret);
}

/* d >= 0, divided by the common divisor of all coefficients except the constant. */
static bool divide_content(struct dim_table *t, struct dim d, struct dim *ret)
{
        struct term room;
        struct poly p = poly_of(t, d, &room);
        uint64_t content = poly_content(p, false);

        return content >= 2 && content <= INT64_MAX && !expr_floordiv(t, d, dim_int((int64_t)content), ret);
}

/* A simpler sum that is >= 0 exactly where `d` is. */
static struct dim reduce(struct dim_table *t, struct dim d)
{
        for (int i = 0; i < MAX_REDUCTIONS && !dim_is_int(d); i++) {
                struct term room;
                struct poly p = poly_of(t, d, &room);
                int64_t constant = poly_constant(p);
                const struct term *last = &p.term[p.n - 1];
                const struct atom *atom = mono_atom(t, last->mono);

                if (divide_content(t, d, &d))
                        continue;
                if (p.n > (constant != 0 ? 2u : 1u) || !atom || (last->coef != 1 && last->coef != -1) ||
                    !open_atom(t, atom, last->coef == 1, constant, &d))
                        break;
        }
        return d;
}

/* d >= 0 as two sides without negative terms; a single number stands on the right. */
static bool write_sides(struct dim_table *t, struct dim d, struct dim_condition *ret)
{
        struct term room;
        struct poly p = poly_of(t, d, &room);
        struct scratch_mark mark = scratch_mark(t);
        struct term *more = scratch_take(t, p.n + 1, sizeof(*more)), *less = scratch_take(t, p.n + 1, sizeof(*less));
        size_t n_more = 0, n_less = 0;
        bool variable_more = false, variable_less = false, good = true;

        for (size_t i = 0; i < p.n && good; i++) {
                bool is_constant = p.term[i].mono == MONO_ONE;

                good = p.term[i].coef != INT64_MIN;
                if (p.term[i].coef > 0) {
                        more[n_more++] = p.term[i];
                        variable_more = variable_more || !is_constant;
                } else {
                        less[n_less++] = (struct term){.coef = good ? -p.term[i].coef : 0, .mono = p.term[i].mono};
                        variable_less = variable_less || !is_constant;
                }
        }
        good = good && !poly_intern(t, (struct poly){more, n_more}, &ret->left) &&
               !poly_intern(t, (struct poly){less, n_less}, &ret->right);
        scratch_release(t, mark);
        ret->relation = DIM_AT_LEAST;
        if (good && variable_less && (!variable_more || n_less < n_more)) {
                struct dim left = ret->left;

                ret->left = ret->right;
                ret->right = left;
                ret->relation = DIM_AT_MOST;
        }
        return good;
}

static void look_before(void *user, uint32_t symbol)
{
        uint32_t *least = user;

        if (symbol < *least)
                *least = symbol;
}

/* Adds the condition as a fact. */
static void keep(struct dim_table *t, struct dim d, const struct dim_condition *c)
{
        uint32_t least = UINT32_MAX;

        if (dim_is_int(c->right) && c->relation == DIM_AT_LEAST)
                dim_assume_ge(t, c->left, c->right.val);
        if (dim_is_int(c->right) && c->relation == DIM_AT_MOST)
                dim_assume_le(t, c->left, c->right.val);
        dim_each_symbol(t, d, look_before, &least);
        if (dim_is_int(d) || least < t->held || t->expr[d.expr]->not_negative)
                return;
        t->expr[d.expr]->not_negative = true;
        t->fact_generation++;
}

static enum dim_require require_ge(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret)
{
        struct dim d;

        /* Every size is required not to be negative. */
        if (dim_is(b, 0) && range_of(t, a).lower >= 0)
                return DIM_HOLDS;
        if (proves_ge(t, a, b))
                return DIM_HOLDS;
        if (expr_combine(t, a, 1, b, -1, &d))
                return DIM_HOLDS; /* past the limits nothing is reported */
        if (range_of(t, d).upper < 0)
                return DIM_FAILS;
        struct dim reduced = reduce(t, d);

        if (range_of(t, reduced).upper < 0)
                return DIM_FAILS;
        if (proves_ge(t, reduced, dim_int(0)) || !write_sides(t, reduced, ret))
                return DIM_HOLDS;
        keep(t, reduced, ret);
        keep(t, d, ret);
        return DIM_REQUIRED;
}

/* By its range, where that is remembered and nothing is taken for granted; or a symbol. */
bool dim_is_known_size(const struct dim_table *t, struct dim d)
{
        if (dim_is_int(d))
                return d.val >= 0;
        const struct expr *expr = t->expr[d.expr];

        if (expr->open && t->bind_generation != 1 &&
            (expr->resolve_generation != t->bind_generation || !dim_same(expr->resolved, d)))
                return false;
        if (!expr->memo)
                return t->symbol[expr->symbol]->info.lower >= 0;
        return t->n_presumed == 0 && expr->memo->range.generation == t->fact_generation && expr->memo->range.lower >= 0;
}

enum dim_require dim_require_ge(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret)
{
        enum dim_require required;

        a = dim_resolve(t, a);
        b = dim_resolve(t, b);
        /* Called for every size of every value, seldom for a new one. */
        if (dim_is(b, 0) && dim_is_known_size(t, a))
                return DIM_HOLDS;
        if (!presumed_in(t, a) && !presumed_in(t, b))
                return require_ge(t, a, b, ret);
        dim_withdraw_presumed(t);
        required = require_ge(t, a, b, ret);
        dim_restore_presumed(t);
        return required;
}

/* -- divisibility -- */

/* Cancels the common divisor of a number and all coefficients of a sum. */
static void take_common(struct dim_table *t, struct dim *divisor, struct dim *d)
{
        struct term room;
        uint64_t common = poly_content(poly_of(t, *d, &room), true);
        struct dim quotient;

        if (!dim_is_int(*divisor) || divisor->val < 1)
                return;
        common = gcd_u64(common, (uint64_t)divisor->val);
        if (common < 2 || expr_floordiv(t, *d, dim_int((int64_t)common), &quotient))
                return;
        *d = quotient;
        divisor->val /= (int64_t)common;
}

/* Whether a number divides x//n, where n divides x: then its product with n divides x. */
static bool lift(struct dim_table *t, struct dim *divisor, struct dim *d)
{
        const struct atom *atom = lone_atom(t, *d);
        struct dim rest;
        int64_t product;

        if (!atom || atom->kind != ATOM_FLOORDIV || !dim_is_int(*divisor) || !dim_is_int(atom->arg[1]) ||
            atom->arg[1].val < 2 || expr_mod(t, atom->arg[0], atom->arg[1], &rest) || !dim_is(rest, 0) ||
            !mul_i64(divisor->val, atom->arg[1].val, &product))
                return false;
        *divisor = dim_int(product);
        *d = atom->arg[0];
        return true;
}

static enum dim_require require_divides(struct dim_table *t, struct dim divisor, struct dim d,
                                        struct dim_condition *ret)
{
        struct dim rest;
        struct term room;
        const struct atom *atom;

        if (dim_is(divisor, 0) || expr_mod(t, d, divisor, &rest))
                return DIM_HOLDS;
        struct range range = range_of(t, rest);

        if (range.lower == 0 && range.upper == 0)
                return DIM_HOLDS;
        if (range.lower > 0 || range.upper < 0)
                return DIM_FAILS;
        /* The rest is a multiple of a simpler one where both have a divisor in common. */
        atom = poly_of(t, rest, &room).n == 1 ? mono_atom(t, poly_of(t, rest, &room).term[0].mono) : NULL;
        if (atom && atom->kind == ATOM_MOD) {
                divisor = atom->arg[1];
                d = atom->arg[0];
        } else {
                take_common(t, &divisor, &d);
        }
        for (int i = 0; i < MAX_REDUCTIONS && lift(t, &divisor, &d); i++)
                ;
        *ret = (struct dim_condition){divisor, DIM_DIVIDES, d};
        return DIM_REQUIRED;
}

enum dim_require dim_require_divides(struct dim_table *t, struct dim divisor, struct dim d, struct dim_condition *ret)
{
        enum dim_require required;

        divisor = dim_resolve(t, divisor);
        d = dim_resolve(t, d);
        if (!presumed_in(t, d) && !presumed_in(t, divisor))
                return require_divides(t, divisor, d, ret);
        dim_withdraw_presumed(t);
        required = require_divides(t, divisor, d, ret);
        dim_restore_presumed(t);
        return required;
}

/* Whether 0 = sum is that a number divides a size, by a division: the sum is x % k - r. */
static bool says_divides(struct dim_table *t, struct dim sum, const struct atom *atom, struct dim_condition *ret)
{
        struct dim rest, r;

        if ((atom->kind != ATOM_FLOORDIV && atom->kind != ATOM_MOD) || !dim_is_int(atom->arg[1]) ||
            expr_mod(t, atom->arg[0], atom->arg[1], &rest))
                return false;
        for (int sign = -1; sign <= 1; sign += 2)
                if (!expr_combine(t, sum, sign, rest, -1, &r) && dim_is_int(r))
                        return !expr_combine(t, atom->arg[0], 1, r, 1, &r) &&
                               dim_require_divides(t, atom->arg[1], r, ret) == DIM_REQUIRED;
        return false;
}

/* The same by any division that stands in `side`. */
static bool side_divides(struct dim_table *t, struct dim sum, struct dim side, struct dim_condition *ret)
{
        struct term room;
        struct poly p = poly_of(t, side, &room);

        for (size_t i = 0; i < p.n; i++) {
                const struct atom *atom = mono_atom(t, p.term[i].mono);

                if (atom && says_divides(t, sum, atom, ret))
                        return true;
        }
        return false;
}

void dim_write_condition(struct dim_table *t, struct dim_condition *c)
{
        struct dim_condition divides;
        struct dim difference;

        for (int i = 0; i < MAX_REDUCTIONS && c->relation == DIM_DIVIDES && lift(t, &c->left, &c->right); i++)
                ;
        if (c->relation != DIM_EQUAL)
                return;
        dim_equation(t, &c->left, &c->right);
        if (!expr_combine(t, c->left, 1, c->right, -1, &difference) && !dim_is_int(difference) &&
            (side_divides(t, difference, c->left, &divides) || side_divides(t, difference, c->right, &divides)))
                *c = divides;
}

/* -- broadcasting -- */

/* Of broadcast(a, min(a, other)): `other`. */
static bool lesser_of(struct dim_table *t, struct dim a, struct dim b, struct dim *ret_other)
{
        struct dim arg[MAX_ARGUMENTS];

        if (min_arguments(t, b, arg) != 2)
                return false;
        for (int i = 0; i < 2; i++)
                if (dim_same(arg[i], a)) {
                        *ret_other = arg[1 - i];
                        return true;
                }
        return false;
}

enum dim_require dim_require_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret)
{
        struct dim other;

        a = dim_resolve(t, a);
        b = dim_resolve(t, b);
        if (dim_same(a, b) || dim_is(a, 1) || dim_is(b, 1))
                return DIM_HOLDS;
        if (dim_is_int(a) && dim_is_int(b))
                return DIM_FAILS;
        /* min(a, c) is a wherever c is not the lesser; where it is, it would have to be 1, as c would. */
        if (lesser_of(t, a, b, &other) || lesser_of(t, b, a, &other)) {
                bool swapped = !lesser_of(t, a, b, &other);

                if (dim_is(other, 1))
                        return DIM_HOLDS;
                if (range_of(t, other).lower >= 2)
                        return dim_require_ge(t, other, swapped ? b : a, ret);
        }
        if (dim_proves_equal(t, a, b))
                return DIM_HOLDS;
        bool a_fixed = dim_is_never_one(t, a), b_fixed = dim_is_never_one(t, b);

        *ret = (struct dim_condition){a_fixed ? b : a, a_fixed && b_fixed ? DIM_EQUAL : DIM_EITHER, a_fixed ? a : b};
        return DIM_REQUIRED;
}

const char *dim_relation_text(enum dim_relation relation)
{
        static const char *const texts[] = {[DIM_EQUAL] = "==",
                                            [DIM_AT_MOST] = "<=",
                                            [DIM_AT_LEAST] = ">=",
                                            [DIM_DIVIDES] = "divides",
                                            [DIM_EITHER] = "either"};

        return texts[relation];
}
