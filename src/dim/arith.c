/* The public operations: integers are computed at once, the rest through the canonical forms; faults become fresh
   symbols. */
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

/* The result of an operation, and its faults. */
static unsigned operate(struct dim_table *t, enum operation op, struct dim a, struct dim b, struct dim *ret)
{
        const struct dim arg[2] = {a, b};

        switch (op) {
        case OP_ADD:
                return expr_combine(t, a, 1, b, 1, ret);
        case OP_SUB:
                return expr_combine(t, a, 1, b, -1, ret);
        case OP_MUL:
                return expr_mul(t, a, b, ret);
        case OP_FLOORDIV:
                return expr_floordiv(t, a, b, ret);
        case OP_CEILDIV:
                return expr_ceildiv(t, a, b, ret);
        case OP_EXACTDIV:
                return expr_exactdiv(t, a, b, ret);
        case OP_MOD:
                return expr_mod(t, a, b, ret);
        case OP_MAX:
                return expr_extreme(t, ATOM_MAX, arg, 2, ret);
        case OP_MIN:
                return expr_extreme(t, ATOM_MIN, arg, 2, ret);
        case OP_PROVE_GE:
        case OP_PROVE_MORE:
                break;
        }
        return DIM_FAULT_LIMIT;
}

/* The result, or its symbol. Of all operations a difference alone leads below 0 from operands >= 0. */
static struct dim result_of(struct dim_table *t, enum operation op, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (memo_find(t, op, a, b, &result))
                return result;
        unsigned faults = operate(t, op, a, b, &result);

        if (faults)
                return fail(t, faults, a, b,
                            op == OP_SUB ? dim_proves_ge(t, a, b) : never_negative(t, a) && never_negative(t, b));
        memo_keep(t, op, a, b, result);
        return result;
}

struct dim dim_add(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && add_i64(a.val, b.val, &result.val))
                return result;
        if (dim_is(a, 0))
                return b;
        return dim_is(b, 0) ? a : result_of(t, OP_ADD, a, b);
}

/* Adding n sizes one by one would leave sums with n^2 terms in all. */
static struct dim long_sum(struct dim_table *t, const struct dim *d, size_t count)
{
        struct scratch_mark mark = scratch_mark(t);
        struct gather g = {0};
        struct dim result = dim_int(0);
        struct poly sum = {0};
        unsigned faults = 0;
        bool sized = true;

        for (size_t i = 0; i < count && !faults; i++)
                faults = gather_dim(t, &g, d[i], 1);
        if (!faults)
                faults = gather_join(t, &g, &sum);
        if (!faults)
                faults = poly_intern(t, sum, &result);
        scratch_release(t, mark);
        for (size_t i = 0; i < count && faults; i++)
                sized = sized && never_negative(t, d[i]);
        return faults ? symbol_for_faults(t, faults, sized) : result;
}

struct dim dim_sum(struct dim_table *t, const struct dim *d, size_t count)
{
        struct dim sum = dim_int(0);
        size_t symbolic = 0;

        for (size_t i = 0; i < count; i++)
                symbolic += !dim_is_int(d[i]);
        if (count > 2 && symbolic > 0)
                return long_sum(t, d, count);
        for (size_t i = 0; i < count; i++)
                sum = dim_add(t, sum, d[i]);
        return sum;
}

struct dim dim_sub(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && sub_i64(a.val, b.val, &result.val))
                return result;
        if (dim_same(a, b))
                return dim_int(0);
        return dim_is(b, 0) ? a : result_of(t, OP_SUB, a, b);
}

struct dim dim_mul(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && mul_i64(a.val, b.val, &result.val))
                return result;
        if (dim_is(a, 1))
                return b;
        return dim_is(b, 1) ? a : result_of(t, OP_MUL, a, b);
}

/* Numbers are divided at once. */
static struct dim divide(struct dim_table *t, enum operation op, struct dim a, struct dim b)
{
        struct dim result = dim_int(0);

        if (dim_is_int(a) && dim_is_int(b) && !operate(t, op, a, b, &result))
                return result;
        return result_of(t, op, a, b);
}

struct dim dim_floordiv(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is(b, 1))
                return a;
        return divide(t, OP_FLOORDIV, a, b);
}

struct dim dim_ceildiv(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is(b, 1))
                return a;
        return divide(t, OP_CEILDIV, a, b);
}

struct dim dim_exactdiv(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is(b, 1))
                return a;
        return divide(t, OP_EXACTDIV, a, b);
}

struct dim dim_mod(struct dim_table *t, struct dim a, struct dim b)
{
        return divide(t, OP_MOD, a, b);
}

struct dim dim_max(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val >= b.val ? a : b;
        return dim_same(a, b) ? a : result_of(t, OP_MAX, a, b);
}

struct dim dim_min(struct dim_table *t, struct dim a, struct dim b)
{
        if (dim_is_int(a) && dim_is_int(b))
                return a.val <= b.val ? a : b;
        return dim_same(a, b) ? a : result_of(t, OP_MIN, a, b);
}

bool dim_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        /* 1 and another size give the other size, which may be 1 as well. */
        if ((t->equalities || t->n_multiple) && !dim_is(a, 1) && !dim_is(b, 1) &&
            dim_same(dim_under_facts(t, a), dim_under_facts(t, b)))
                a = b = dim_is_int(b) ? b : a;
        struct dim result = a, arg[2] = {a, b};
        unsigned faults = 0;

        if (!dim_same(a, b) && !expr_broadcast(t, arg, 2, &faults, &result))
                return false;
        *ret = faults ? fail(t, faults, a, b, never_negative(t, a) && never_negative(t, b)) : result;
        return true;
}
