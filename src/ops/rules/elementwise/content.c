/* What is known of the elements of operators that go element by element: those with which exporters compute sizes. */
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
   Sum (1, 6, 8, 13) of any number. All versions give the same elements; how inputs broadcast is the rule's affair -- */

#define FOLDED(Op, function)                                                                                           \
        static struct scalar fold_##Op(struct node *n, const struct scalar *args, int count)                           \
        {                                                                                                              \
                struct scalar all = args[0];                                                                           \
                                                                                                                       \
                for (int i = 1; i < count; i++)                                                                        \
                        all = function(n, out_type_elem(n), all, args[i]);                                             \
                return all;                                                                                            \
        }                                                                                                              \
                                                                                                                       \
        void content_##Op(struct node *n)                                                                              \
        {                                                                                                              \
                content_broadcast(n, fold_##Op);                                                                       \
        }

FOLDED(Add, scalar_add)
FOLDED(Sub, scalar_sub)
FOLDED(Mul, scalar_mul)
FOLDED(Div, scalar_div)
FOLDED(Pow, scalar_pow)
FOLDED(Max, scalar_max)
FOLDED(Min, scalar_min)

/* Sum (1, 6, 8, 13). The order in which more than two floats are added is the runtime's choice, and rounding depends on
 * it. */
void content_Sum(struct node *n)
{
        if (n->n_in <= 2 || !elem_is_float(out_type_elem(n)))
                content_Add(n);
}

/* Mod (10, 13): the sign of the divisor, or with `fmod` C's, that of the dividend. */
static struct scalar element_Mod(struct node *n, const struct scalar *args, int count)
{
        return scalar_mod(n, out_type_elem(n), args[0], args[1], attr_int_or(n, "fmod", 0) == 1);
}

void content_Mod(struct node *n)
{
        content_broadcast(n, element_Mod);
}

/* -- bits: BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot (18), BitShift (11) -- */

/* Integers are kept by their value: the bits of a negative one go on for ever, and those of an unsigned one are 0 past
   its width, so that 64 of them tell all. */
#define BITWISE(Op, operator)                                                                                          \
        static struct scalar element_##Op(struct node *n, const struct scalar *args, int count)                        \
        {                                                                                                              \
                int64_t a, b;                                                                                          \
                                                                                                                       \
                if (!scalar_is_number(args[0], &a) || !scalar_is_number(args[1], &b))                                  \
                        return scalar_unknown();                                                                       \
                return scalar_int(dim_int((int64_t)((uint64_t)a operator(uint64_t) b)));                               \
        }                                                                                                              \
                                                                                                                       \
        void content_##Op(struct node *n)                                                                              \
        {                                                                                                              \
                content_broadcast(n, element_##Op);                                                                    \
        }

BITWISE(BitwiseAnd, &)
BITWISE(BitwiseOr, |)
BITWISE(BitwiseXor, ^)

static struct scalar element_BitwiseNot(struct node *n, const struct scalar *args, int count)
{
        int64_t a, lower, upper;

        if (!scalar_is_number(args[0], &a) || !elem_int_range(out_type_elem(n), &lower, &upper))
                return scalar_unknown();
        if (lower < 0)
                return scalar_int(dim_int(~a));
        return elem_bits(out_type_elem(n)) < 64 ? scalar_int(dim_int(upper - a)) : scalar_unknown();
}

void content_BitwiseNot(struct node *n)
{
        content_broadcast(n, element_BitwiseNot);
}

/* Of unsigned integers: times or divided by a power of two. What is shifted by the width or more is not said. */
static struct scalar element_BitShift(struct node *n, const struct scalar *args, int count)
{
        enum elem elem = out_type_elem(n);
        int64_t by;

        if (!scalar_is_number(args[1], &by) || by < 0 || by >= elem_bits(elem) || by >= 63)
                return scalar_unknown();
        struct scalar power = scalar_int(dim_int((int64_t)1 << by));

        return attr_is(n, "direction", "LEFT") ? scalar_mul(n, elem, args[0], power)
                                               : scalar_div(n, elem, args[0], power);
}

void content_BitShift(struct node *n)
{
        content_broadcast(n, element_BitShift);
}

/* -- comparisons and logic: 1, 0, or -1 where it is not known. Equal (1, 7, 11, 13, 19), Less, Greater (1, 7, 9, 13),
   LessOrEqual, GreaterOrEqual (12, 16), And, Or, Xor (1, 7), Not (1) -- */

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

static int truth_Equal(struct node *n, struct scalar a, struct scalar b)
{
        return scalar_equal(n, a, b);
}

static int truth_Less(struct node *n, struct scalar a, struct scalar b)
{
        return scalar_less(n, a, b);
}

static int truth_Greater(struct node *n, struct scalar a, struct scalar b)
{
        return scalar_less(n, b, a);
}

static int truth_LessOrEqual(struct node *n, struct scalar a, struct scalar b)
{
        return is_nan(a) || is_nan(b) ? 0 : truth_not(scalar_less(n, b, a));
}

static int truth_GreaterOrEqual(struct node *n, struct scalar a, struct scalar b)
{
        return truth_LessOrEqual(n, b, a);
}

static int truth_And(struct node *n, struct scalar a, struct scalar b)
{
        int x = truth(a), y = truth(b);

        if (x == 0 || y == 0)
                return 0;
        return x < 0 || y < 0 ? -1 : 1;
}

static int truth_Or(struct node *n, struct scalar a, struct scalar b)
{
        int x = truth(a), y = truth(b);

        if (x == 1 || y == 1)
                return 1;
        return x < 0 || y < 0 ? -1 : 0;
}

static int truth_Xor(struct node *n, struct scalar a, struct scalar b)
{
        int x = truth(a), y = truth(b);

        return x < 0 || y < 0 ? -1 : x != y;
}

#define DECIDED(Op)                                                                                                    \
        static struct scalar element_##Op(struct node *n, const struct scalar *args, int count)                        \
        {                                                                                                              \
                return scalar_of_truth(truth_##Op(n, args[0], args[1]));                                               \
        }                                                                                                              \
                                                                                                                       \
        void content_##Op(struct node *n)                                                                              \
        {                                                                                                              \
                content_broadcast(n, element_##Op);                                                                    \
        }

DECIDED(Equal)
DECIDED(Less)
DECIDED(Greater)
DECIDED(LessOrEqual)
DECIDED(GreaterOrEqual)
DECIDED(And)
DECIDED(Or)
DECIDED(Xor)

static struct scalar element_Not(struct node *n, const struct scalar *args, int count)
{
        return scalar_of_truth(truth_not(truth(args[0])));
}

/* -- one input: Abs, Neg, Ceil, Floor, Reciprocal, Sqrt (1, 6, 13), Relu (1, 6, 13, 14), Sign (9, 13), Round (11, 22)
 * -- */

static struct scalar element_Neg(struct node *n, const struct scalar *args, int count)
{
        /* -x, and not 0 - x, which differs for 0 of floats. */
        return args[0].kind == SCALAR_FLOAT ? scalar_float(-args[0].f)
                                            : scalar_sub(n, out_type_elem(n), zero_of(out_type_elem(n)), args[0]);
}

static struct scalar element_Abs(struct node *n, const struct scalar *args, int count)
{
        if (args[0].kind == SCALAR_FLOAT)
                return scalar_float(fabs(args[0].f));
        return scalar_max(n, out_type_elem(n), args[0], element_Neg(n, args, count));
}

static struct scalar element_Relu(struct node *n, const struct scalar *args, int count)
{
        return scalar_max(n, out_type_elem(n), args[0], zero_of(out_type_elem(n)));
}

static struct scalar element_Sign(struct node *n, const struct scalar *args, int count)
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

static struct scalar element_Ceil(struct node *n, const struct scalar *args, int count)
{
        return scalar_ceil(n, args[0]);
}

static struct scalar element_Floor(struct node *n, const struct scalar *args, int count)
{
        return scalar_floor(n, args[0]);
}

static struct scalar element_Round(struct node *n, const struct scalar *args, int count)
{
        return scalar_round(n, args[0]);
}

/* Square roots and reciprocals are rounded correctly everywhere, unlike other functions of floats. */
static struct scalar element_Sqrt(struct node *n, const struct scalar *args, int count)
{
        if (args[0].kind != SCALAR_FLOAT || !(args[0].f >= 0))
                return scalar_unknown();
        return scalar_cast(n, ELEM_DOUBLE, out_type_elem(n), scalar_float(sqrt(args[0].f)));
}

static struct scalar element_Reciprocal(struct node *n, const struct scalar *args, int count)
{
        return scalar_div(n, out_type_elem(n), scalar_float(1), args[0]);
}

/* Cast (1, 6, 9, 13, 19, 21, 23, 24, 25), CastLike (15, 19, 21, 23, 24, 25). */
static struct scalar element_Cast(struct node *n, const struct scalar *args, int count)
{
        return scalar_cast(n, in_elem(n, 0), out_type_elem(n), args[0]);
}

#define UNARY(Op)                                                                                                      \
        void content_##Op(struct node *n)                                                                              \
        {                                                                                                              \
                content_broadcast(n, element_##Op);                                                                    \
        }

UNARY(Abs)
UNARY(Ceil)
UNARY(Floor)
UNARY(Neg)
UNARY(Not)
UNARY(Reciprocal)
UNARY(Relu)
UNARY(Round)
UNARY(Sign)
UNARY(Sqrt)

void content_Cast(struct node *n)
{
        const struct content *in = in_content(n, 0);
        struct content *content;
        struct scalar *to;

        if (in == NULL)
                return;
        content = content_new(n->arena, in->count, &to);
        for (size_t k = 0; k < in->count; k++)
                to[k] = element_Cast(n, &in->at[k], 1);
        out_content(n, 0, content);
}

/* -- Clip, Where -- */

/* The bound that is an attribute before 11 and an input since. False when there is none. */
static bool clip_bound(struct node *n, const char *name, int i, struct scalar *ret)
{
        double number;

        *ret = scalar_unknown();
        if (op_find_attr(n->row, name) != NULL) {
                if (!attr_float(n, name, &number))
                        return false;
                *ret = scalar_float(number);
                return true;
        }
        if (in_content(n, i) != NULL && in_content(n, i)->count == 1)
                *ret = in_content(n, i)->at[0];
        return in_given(n, i);
}

/* A bound that is left out is the type's last finite number, not infinity. */
static bool is_past_finite(struct scalar x, bool has_least, bool has_most)
{
        return x.kind == SCALAR_FLOAT && isinf(x.f) && !(x.f < 0 ? has_least : has_most);
}

/* Clip (1, 6, 11, 12, 13): the greatest of x and the lower bound, but at most the upper one. */
void content_Clip(struct node *n)
{
        const struct content *in = in_content(n, 0);
        struct scalar least, most, *to;
        bool has_least = clip_bound(n, "min", 1, &least), has_most = clip_bound(n, "max", 2, &most);
        struct content *content;

        if (in == NULL)
                return;
        content = content_new(n->arena, in->count, &to);
        for (size_t k = 0; k < in->count; k++) {
                to[k] = is_past_finite(in->at[k], has_least, has_most) ? scalar_unknown() : in->at[k];
                if (has_least)
                        to[k] = scalar_max(n, out_type_elem(n), to[k], least);
                if (has_most)
                        to[k] = scalar_min(n, out_type_elem(n), to[k], most);
        }
        out_content(n, 0, content);
}

/* Where (9, 16). Where both branches are the same the condition does not matter. */
static struct scalar element_Where(struct node *n, const struct scalar *args, int count)
{
        int chosen = truth(args[0]);

        if (chosen < 0)
                return scalar_same(args[1], args[2]) ? args[1] : scalar_unknown();
        return chosen ? args[1] : args[2];
}

void content_Where(struct node *n)
{
        if (in_content(n, 1) != NULL || in_content(n, 2) != NULL)
                content_broadcast_partial(n, element_Where);
}
