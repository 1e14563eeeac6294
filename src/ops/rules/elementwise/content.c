/* Known elements of elementwise operators: those with which exporters compute sizes. */
#include "ops/kit/arith.h"
#include "ops/kit/broadcast.h"
#include "ops/rules/elementwise.h"

#include <math.h>

static enum elem out_type_elem(const struct node *n)
{
        return n->out[0].type.elem;
}

static struct scalar zero_of(enum elem elem)
{
        return elem_is_float(elem) ? scalar_float(0) : scalar_int(dim_int(0));
}

/* -- arithmetic: Add, Sub, Mul, Div (1, 6, 7, 13, 14), Pow (1, 7, 12, 13, 15) of two; Max, Min (1, 6, 8, 12, 13) and
   Sum (1, 6, 8, 13) of any number. All versions give the same elements; inputs are already broadcast -- */

/* Folds the elements from left to right. */
static struct scalar fold(struct node *n, const struct scalar *args, int count,
                          struct scalar (*two)(struct node *, enum elem, struct scalar, struct scalar))
{
        struct scalar all = args[0];

        for (int i = 1; i < count; i++)
                all = two(n, out_type_elem(n), all, args[i]);
        return all;
}

struct scalar element_Add(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_add);
}

struct scalar element_Sub(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_sub);
}

struct scalar element_Mul(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_mul);
}

struct scalar element_Div(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_div);
}

struct scalar element_Pow(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_pow);
}

struct scalar element_Max(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_max);
}

struct scalar element_Min(struct node *n, const struct scalar *args, int count)
{
        return fold(n, args, count, scalar_min);
}

/* Sum (1, 6, 8, 13). The runtime chooses the order in which more than two floats are added, and rounding depends on
   it. */
void content_Sum(struct node *n)
{
        if (n->n_in <= 2 || !elem_is_float(out_type_elem(n)))
                content_broadcast(n, element_Add);
}

/* Mod (10, 13): the sign of the divisor, or with `fmod` C's, that of the dividend. */
struct scalar element_Mod(struct node *n, const struct scalar *args, int count)
{
        return scalar_mod(n, out_type_elem(n), args[0], args[1], attr_int_or(n, "fmod", 0) == 1);
}

/* -- bits: BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot (18), BitShift (11) -- */

/* Integers are kept by their value: a negative one continues with 1 bits, and an unsigned one with 0 bits past its
   width, so that 64 bits determine the result. */
static bool two_numbers(const struct scalar *args, uint64_t *ret_a, uint64_t *ret_b)
{
        int64_t a, b;

        if (!scalar_is_number(args[0], &a) || !scalar_is_number(args[1], &b))
                return false;
        *ret_a = (uint64_t)a;
        *ret_b = (uint64_t)b;
        return true;
}

struct scalar element_BitwiseAnd(struct node *n, const struct scalar *args, int count)
{
        uint64_t a, b;

        return two_numbers(args, &a, &b) ? scalar_int(dim_int((int64_t)(a & b))) : scalar_unknown();
}

struct scalar element_BitwiseOr(struct node *n, const struct scalar *args, int count)
{
        uint64_t a, b;

        return two_numbers(args, &a, &b) ? scalar_int(dim_int((int64_t)(a | b))) : scalar_unknown();
}

struct scalar element_BitwiseXor(struct node *n, const struct scalar *args, int count)
{
        uint64_t a, b;

        return two_numbers(args, &a, &b) ? scalar_int(dim_int((int64_t)(a ^ b))) : scalar_unknown();
}

struct scalar element_BitwiseNot(struct node *n, const struct scalar *args, int count)
{
        int64_t a, lower, upper;

        if (!scalar_is_number(args[0], &a) || !elem_int_range(out_type_elem(n), &lower, &upper))
                return scalar_unknown();
        if (lower < 0)
                return scalar_int(dim_int(~a));
        return elem_bits(out_type_elem(n)) < 64 ? scalar_int(dim_int(upper - a)) : scalar_unknown();
}

/* Unsigned integers are multiplied or divided by a power of two. The text leaves open the result of shifting by the
   width or more. */
struct scalar element_BitShift(struct node *n, const struct scalar *args, int count)
{
        enum elem elem = out_type_elem(n);
        int64_t by;

        if (!scalar_is_number(args[1], &by) || by < 0 || by >= elem_bits(elem) || by >= 63)
                return scalar_unknown();
        struct scalar power = scalar_int(dim_int((int64_t)1 << by));

        return attr_is(n, "direction", "LEFT") ? scalar_mul(n, elem, args[0], power)
                                               : scalar_div(n, elem, args[0], power);
}

/* -- comparisons and logic: 1, 0, or -1 if unknown. Equal (1, 7, 11, 13, 19), Less, Greater (1, 7, 9, 13), LessOrEqual,
   GreaterOrEqual (12, 16), And, Or, Xor (1, 7), Not (1) -- */

static int truth(struct scalar a)
{
        return a.kind == SCALAR_INT && dim_is_int(a.d) ? a.d.val != 0 : -1;
}

static int truth_not(int a)
{
        return a < 0 ? -1 : !a;
}

static bool is_nan(struct scalar a)
{
        return a.kind == SCALAR_FLOAT && isnan(a.f);
}

struct scalar element_Equal(struct node *n, const struct scalar *args, int count)
{
        return scalar_of_truth(scalar_equal(n, args[0], args[1]));
}

struct scalar element_Less(struct node *n, const struct scalar *args, int count)
{
        return scalar_of_truth(scalar_less(n, args[0], args[1]));
}

struct scalar element_Greater(struct node *n, const struct scalar *args, int count)
{
        return scalar_of_truth(scalar_less(n, args[1], args[0]));
}

static struct scalar less_or_equal(struct node *n, struct scalar a, struct scalar b)
{
        return scalar_of_truth(is_nan(a) || is_nan(b) ? 0 : truth_not(scalar_less(n, b, a)));
}

struct scalar element_LessOrEqual(struct node *n, const struct scalar *args, int count)
{
        return less_or_equal(n, args[0], args[1]);
}

struct scalar element_GreaterOrEqual(struct node *n, const struct scalar *args, int count)
{
        return less_or_equal(n, args[1], args[0]);
}

struct scalar element_And(struct node *n, const struct scalar *args, int count)
{
        int a = truth(args[0]), b = truth(args[1]);

        return scalar_of_truth(a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : 1);
}

struct scalar element_Or(struct node *n, const struct scalar *args, int count)
{
        int a = truth(args[0]), b = truth(args[1]);

        return scalar_of_truth(a == 1 || b == 1 ? 1 : a < 0 || b < 0 ? -1 : 0);
}

struct scalar element_Xor(struct node *n, const struct scalar *args, int count)
{
        int a = truth(args[0]), b = truth(args[1]);

        return scalar_of_truth(a < 0 || b < 0 ? -1 : a != b);
}

struct scalar element_Not(struct node *n, const struct scalar *args, int count)
{
        return scalar_of_truth(truth_not(truth(args[0])));
}

/* -- one input: Abs, Neg, Ceil, Floor, Reciprocal, Sqrt (1, 6, 13), Relu (1, 6, 13, 14), Sign (9, 13), Round (11, 22)
 * -- */

struct scalar element_Neg(struct node *n, const struct scalar *args, int count)
{
        /* -x, not 0 - x, which differs for a float 0. */
        return args[0].kind == SCALAR_FLOAT ? scalar_float(-args[0].f)
                                            : scalar_sub(n, out_type_elem(n), zero_of(out_type_elem(n)), args[0]);
}

struct scalar element_Abs(struct node *n, const struct scalar *args, int count)
{
        if (args[0].kind == SCALAR_FLOAT)
                return scalar_float(fabs(args[0].f));
        return scalar_max(n, out_type_elem(n), args[0], element_Neg(n, args, count));
}

struct scalar element_Relu(struct node *n, const struct scalar *args, int count)
{
        return scalar_max(n, out_type_elem(n), args[0], zero_of(out_type_elem(n)));
}

struct scalar element_Sign(struct node *n, const struct scalar *args, int count)
{
        enum elem elem = out_type_elem(n);
        struct scalar zero = zero_of(elem);
        int sign;

        if (is_nan(args[0]))
                return scalar_unknown();
        if (scalar_less(n, zero, args[0]) == 1)
                sign = 1;
        else if (scalar_less(n, args[0], zero) == 1)
                sign = -1;
        else if (scalar_equal(n, args[0], zero) == 1)
                sign = 0;
        else if (args[0].kind == SCALAR_INT)
                return scalar_min(n, elem, scalar_max(n, elem, args[0], scalar_int(dim_int(-1))),
                                  scalar_int(dim_int(1)));
        else
                return scalar_unknown();
        return elem_is_float(elem) ? scalar_float(sign) : scalar_int(dim_int(sign));
}

struct scalar element_Ceil(struct node *n, const struct scalar *args, int count)
{
        return scalar_ceil(n, args[0]);
}

struct scalar element_Floor(struct node *n, const struct scalar *args, int count)
{
        return scalar_floor(n, args[0]);
}

struct scalar element_Round(struct node *n, const struct scalar *args, int count)
{
        return scalar_round(n, args[0]);
}

/* All runtimes round square roots and reciprocals correctly, unlike other functions of floats. */
struct scalar element_Sqrt(struct node *n, const struct scalar *args, int count)
{
        if (args[0].kind != SCALAR_FLOAT || !(args[0].f >= 0))
                return scalar_unknown();
        return scalar_cast(n, ELEM_DOUBLE, out_type_elem(n), scalar_float(sqrt(args[0].f)));
}

struct scalar element_Reciprocal(struct node *n, const struct scalar *args, int count)
{
        return scalar_div(n, out_type_elem(n), scalar_float(1), args[0]);
}

/* Cast (1, 6, 9, 13, 19, 21, 23, 24, 25), CastLike (15, 19, 21, 23, 24, 25). */
static struct scalar element_Cast(struct node *n, struct scalar a)
{
        return scalar_cast(n, in_elem(n, 0), out_type_elem(n), a);
}

void content_Cast(struct node *n)
{
        const struct content *in = in_content(n, 0);
        struct content *content;

        if (!in)
                return;
        content = content_new(n->arena, in->count);
        for (size_t k = 0; k < in->count; k++)
                content_set(content, k, element_Cast(n, content_at(in, k)));
        out_content(n, 0, content);
}

/* -- Clip, Where -- */

/* A bound is an attribute before 11 and an input since then. False if there is none. */
static bool clip_bound(struct node *n, const char *name, int i, struct scalar *ret)
{
        double number;

        *ret = scalar_unknown();
        if (op_find_attr(n->row, name)) {
                if (!attr_float(n, name, &number))
                        return false;
                *ret = scalar_float(number);
                return true;
        }
        if (in_content(n, i) && in_content(n, i)->count == 1)
                *ret = content_at(in_content(n, i), 0);
        return in_given(n, i);
}

/* An omitted bound is the type's last finite number, not infinity. */
static bool is_past_finite(struct scalar x, bool has_least, bool has_most)
{
        return x.kind == SCALAR_FLOAT && isinf(x.f) && !(x.f < 0 ? has_least : has_most);
}

/* Clip (1, 6, 11, 12, 13): the maximum of x and the lower bound, but at most the upper bound. */
void content_Clip(struct node *n)
{
        const struct content *in = in_content(n, 0);
        struct scalar least, most;
        bool has_least = clip_bound(n, "min", 1, &least), has_most = clip_bound(n, "max", 2, &most);
        struct content *content;

        if (!in)
                return;
        content = content_new(n->arena, in->count);
        for (size_t k = 0; k < in->count; k++) {
                struct scalar x = content_at(in, k);

                if (is_past_finite(x, has_least, has_most))
                        x = scalar_unknown();
                if (has_least)
                        x = scalar_max(n, out_type_elem(n), x, least);
                if (has_most)
                        x = scalar_min(n, out_type_elem(n), x, most);
                content_set(content, k, x);
        }
        out_content(n, 0, content);
}

/* Where (9, 16). If both branches are the same, the condition does not matter. */
static struct scalar element_Where(struct node *n, const struct scalar *args, int count)
{
        int chosen = truth(args[0]);

        if (chosen < 0)
                return scalar_same(args[1], args[2]) ? args[1] : scalar_unknown();
        return chosen ? args[1] : args[2];
}

void content_Where(struct node *n)
{
        if (in_content(n, 1) || in_content(n, 2))
                content_broadcast_partial(n, element_Where);
}
