/* The public operations: integers at once, the rest through the canonical forms; faults become fresh symbols. */
#include "dim/internal.h"

static bool never_negative(struct dim_table *t, struct dim d)
{
        return range_of(t, d).lower >= 0;
}

/* The symbol that stands for a result of two operands; one >= 0, as sizes are, where the result would be. */
static struct dim fail(struct dim_table *t, unsigned faults, struct dim a, struct dim b, bool sized)
{
        if ((faults & DIM_FAULT_OVERFLOW) && dim_is_int(a) && dim_is_int(b))
                faults |= DIM_FAULT_CONCRETE_OVERFLOW;
        return symbol_for_faults(t, faults, sized);
}

/* The result, or its symbol. Of the operations that come here none leads below 0 from operands >= 0. */
static struct dim conclude(struct dim_table *t, unsigned faults, struct dim result, struct dim a, struct dim b)
{
        return faults ? fail(t, faults, a, b, never_negative(t, a) && never_negative(t, b)) : result;
}

struct dim dim_add(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && add_i64(a.val, b.val, &result.val))
                return result;
        return conclude(t, expr_combine(t, a, 1, b, 1, &result), result, a, b);
}

struct dim dim_sub(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && sub_i64(a.val, b.val, &result.val))
                return result;
        if (dim_same(a, b))
                return result;
        unsigned faults = expr_combine(t, a, 1, b, -1, &result);

        return faults ? fail(t, faults, a, b, dim_proves_ge(t, a, b)) : result;
}

struct dim dim_mul(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && mul_i64(a.val, b.val, &result.val))
                return result;
        if (dim_is(a, 1))
                return b;
        if (dim_is(b, 1))
                return a;
        return conclude(t, expr_mul(t, a, b, &result), result, a, b);
}

struct dim dim_floordiv(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        return conclude(t, expr_floordiv(t, a, b, &result), result, a, b);
}

struct dim dim_ceildiv(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        return conclude(t, expr_ceildiv(t, a, b, &result), result, a, b);
}

struct dim dim_exactdiv(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        return conclude(t, expr_exactdiv(t, a, b, &result), result, a, b);
}

struct dim dim_mod(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        return conclude(t, expr_mod(t, a, b, &result), result, a, b);
}

static struct dim extreme(struct dim_table *t, enum atom_kind kind, struct dim a, struct dim b)
{
        struct dim result = dim_int(0), arg[2] = {a, b};

        return conclude(t, expr_extreme(t, kind, arg, 2, &result), result, a, b);
}

struct dim dim_max(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val >= b.val ? a : b;
        return dim_same(a, b) ? a : extreme(t, ATOM_MAX, a, b);
}

struct dim dim_min(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val <= b.val ? a : b;
        return dim_same(a, b) ? a : extreme(t, ATOM_MIN, a, b);
}

bool dim_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        /* Beside 1 it is the other, whether or not that is known to be 1 as well. */
        if (t->equalities && !dim_is(a, 1) && !dim_is(b, 1) && dim_same(under_facts(t, a), under_facts(t, b)))
                a = b = dim_is_int(b) ? b : a;
        struct dim result = a, arg[2] = {a, b};
        unsigned faults = 0;

        if (!dim_same(a, b) && !expr_broadcast(t, arg, 2, &faults, &result))
                return false;
        *ret = conclude(t, faults, result, a, b);
        return true;
}
