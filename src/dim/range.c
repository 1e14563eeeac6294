/* Intervals. INT64_MIN and INT64_MAX mean no bound, as do bounds beyond int64. */
#include "dim/internal.h"

static const struct range ANYTHING = {INT64_MIN, INT64_MAX};

/* -1, 0, 1: a bound that is infinite, by its sign. */
static int infinite(int64_t bound)
{
        return bound == INT64_MIN ? -1 : bound == INT64_MAX ? 1 : 0;
}

static int64_t negate_bound(int64_t bound)
{
        return bound == INT64_MIN ? INT64_MAX : bound == INT64_MAX ? INT64_MIN : -bound;
}

/* The sum of two lower (upper) bounds; `none` is the bound that means nothing. */
static int64_t add_bounds(int64_t a, int64_t b, int64_t none)
{
        int64_t sum;

        if (infinite(a) || infinite(b))
                return none;
        if (!add_i64(a, b, &sum))
                return a < 0 ? INT64_MIN : INT64_MAX;
        return sum;
}

static int64_t mul_bounds(int64_t a, int64_t b)
{
        int64_t product;

        if (a == 0 || b == 0)
                return 0;
        if (infinite(a) || infinite(b) || !mul_i64(a, b, &product))
                return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
        return product;
}

static struct range hull(const int64_t *value, int n)
{
        struct range range = {value[0], value[0]};

        for (int i = 1; i < n; i++) {
                if (value[i] < range.lower)
                        range.lower = value[i];
                if (value[i] > range.upper)
                        range.upper = value[i];
        }
        return range;
}

static struct range mul_ranges(struct range a, struct range b)
{
        int64_t corner[4] = {mul_bounds(a.lower, b.lower), mul_bounds(a.lower, b.upper), mul_bounds(a.upper, b.lower),
                             mul_bounds(a.upper, b.upper)};

        return hull(corner, 4);
}

static struct range scale_range(struct range range, int64_t coef)
{
        if (coef == 1)
                return range;
        if (coef < 0)
                return (struct range){mul_bounds(range.upper, coef), mul_bounds(range.lower, coef)};
        return (struct range){mul_bounds(range.lower, coef), mul_bounds(range.upper, coef)};
}

/* floor(a / b) of bounds with b >= 1. INT64_MAX may be the divisor itself: what has no bound is not below it. */
static int64_t div_bounds(int64_t a, int64_t b)
{
        int64_t quotient = 0;

        if (infinite(a))
                return a;
        if (infinite(b))
                return a < 0 ? -1 : 0;
        floordiv_i64(a, b, &quotient);
        return quotient;
}

static struct range floordiv_ranges(struct range a, struct range b)
{
        if (b.upper <= 0) {
                a = (struct range){negate_bound(a.upper), negate_bound(a.lower)};
                b = (struct range){negate_bound(b.upper), negate_bound(b.lower)};
        }
        if (b.lower >= 0) {
                /* A divisor of 0 is undefined. */
                int64_t least = b.lower > 0 ? b.lower : 1, most = b.upper > 0 ? b.upper : 1;
                int64_t corner[4] = {div_bounds(a.lower, least), div_bounds(a.lower, most), div_bounds(a.upper, least),
                                     div_bounds(a.upper, most)};

                return hull(corner, 4);
        }
        /* Either sign: no quotient is farther from 0 than the numerator. */
        int64_t corner[4] = {a.lower, a.upper, negate_bound(a.lower), negate_bound(a.upper)};

        return hull(corner, 4);
}

static struct range mod_ranges(struct range a, struct range b)
{
        struct range range = {0, 0};

        if (b.upper > 0)
                range.upper = b.upper == INT64_MAX ? INT64_MAX : b.upper - 1;
        if (b.lower < 0)
                range.lower = b.lower == INT64_MIN ? INT64_MIN : b.lower + 1;
        /* With a divisor > 0, the remainder of a number >= 0 is at most that number. */
        if (a.lower >= 0 && b.lower >= 0 && a.upper < range.upper)
                range.upper = a.upper;
        return range;
}

static struct range extreme_of(struct dim_table *t, const struct atom *atom)
{
        struct range range = range_of(t, atom->arg[0]);

        for (uint32_t i = 1; i < atom->n; i++) {
                struct range other = range_of(t, atom->arg[i]);
                bool most = atom->kind == ATOM_MAX;

                if (most == (other.lower > range.lower))
                        range.lower = other.lower;
                if (most == (other.upper > range.upper))
                        range.upper = other.upper;
        }
        return range;
}

/* The result is one of the arguments; all arguments other than 1 are equal. So if they are positive it is the
   largest. */
static struct range broadcast_of(struct dim_table *t, const struct atom *atom)
{
        struct range range = range_of(t, atom->arg[0]);
        int64_t most = range.lower;

        for (uint32_t i = 1; i < atom->n; i++) {
                struct range other = range_of(t, atom->arg[i]);

                if (other.lower < range.lower)
                        range.lower = other.lower;
                if (other.lower > most)
                        most = other.lower;
                if (other.upper > range.upper)
                        range.upper = other.upper;
        }
        if (range.lower >= 1)
                range.lower = most;
        return range;
}

static struct range range_of_symbol(const struct dim_table *t, uint32_t symbol)
{
        return (struct range){t->symbol[symbol]->info.lower, t->symbol[symbol]->info.upper};
}

static struct range range_of_atom(struct dim_table *t, struct atom *atom)
{
        if (atom->kind == ATOM_SYMBOL)
                return range_of_symbol(t, atom->symbol);
        if (atom->memo->range.generation == t->fact_generation)
                return (struct range){atom->memo->range.lower, atom->memo->range.upper};
        struct range range = ANYTHING;

        switch (atom->kind) {
        case ATOM_FLOORDIV:
                range = floordiv_ranges(range_of(t, atom->arg[0]), range_of(t, atom->arg[1]));
                break;
        case ATOM_MOD:
                range = mod_ranges(range_of(t, atom->arg[0]), range_of(t, atom->arg[1]));
                break;
        case ATOM_MAX:
        case ATOM_MIN:
                range = extreme_of(t, atom);
                break;
        case ATOM_BROADCAST:
                range = broadcast_of(t, atom);
                break;
        case ATOM_RING:
        case ATOM_SYMBOL:
                break;
        }
        atom->memo->range = (struct known_range){t->fact_generation, range.lower, range.upper};
        return range;
}

struct range range_of_mono(struct dim_table *t, uint64_t mono)
{
        const struct mono *m = t->mono[mono];
        struct range range = {1, 1};

        if (m->n == 1)
                return range_of_atom(t, t->atom[m->atom[0]]);
        for (uint32_t i = 0; i < m->n; i++) {
                struct range factor = range_of_atom(t, t->atom[m->atom[i]]);

                /* Squares, whatever the sign. */
                if (factor.lower < 0 && i + 1 < m->n && m->atom[i + 1] == m->atom[i]) {
                        factor = mul_ranges(factor, factor);
                        factor.lower = 0;
                        i++;
                }
                range = mul_ranges(range, factor);
        }
        return range;
}

struct range range_of_poly(struct dim_table *t, struct poly p)
{
        struct range sum = {0, 0};

        for (size_t i = 0; i < p.n; i++) {
                struct range range = scale_range(range_of_mono(t, p.term[i].mono), p.term[i].coef);

                sum.lower = add_bounds(sum.lower, range.lower, INT64_MIN);
                sum.upper = add_bounds(sum.upper, range.upper, INT64_MAX);
        }
        return sum;
}

struct range range_of(struct dim_table *t, struct dim d)
{
        if (dim_is_int(d))
                return (struct range){d.val, d.val};
        const struct expr *expr = t->expr[d.expr];
        struct expr_memo *memo = expr->memo;

        if (memo && memo->range.generation == t->fact_generation)
                return (struct range){memo->range.lower, memo->range.upper};
        struct range range =
                memo ? range_of_poly(t, (struct poly){expr->term, expr->n}) : range_of_symbol(t, expr->symbol);

        if (expr->not_negative && range.lower < 0)
                range.lower = 0;
        if (memo)
                memo->range = (struct known_range){t->fact_generation, range.lower, range.upper};
        return range;
}

void dim_range(struct dim_table *t, struct dim d, int64_t *ret_lower, int64_t *ret_upper)
{
        struct range range = range_of(t, dim_resolve(t, d));

        *ret_lower = range.lower;
        *ret_upper = range.upper;
}
