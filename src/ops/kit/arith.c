#include "ops/kit/arith.h"

#include <math.h>

#include "base/bounds.h"
#include "base/checked.h"

/* Types whose rounding float_round() implements. */
static bool is_rounded(enum elem elem)
{
        return elem == ELEM_FLOAT || elem == ELEM_DOUBLE || elem == ELEM_FLOAT16 || elem == ELEM_BFLOAT16;
}

/* An integer as an element of the type; unknown if it would wrap. A symbol is a size, and is assumed to fit into 32
   bits. */
static struct scalar int_fit(struct node *n, enum elem elem, struct dim d)
{
        int64_t lower, upper, least, most;

        if (!elem_int_range(elem, &least, &most))
                return scalar_unknown();
        if (dim_is_int(d))
                return d.val < least || d.val > most ? scalar_unknown() : scalar_int(d);
        dim_range(n->dims, d, &lower, &upper);
        if (elem_bits(elem) < 32)
                return lower < least || upper > most ? scalar_unknown() : scalar_int(d);
        return least >= 0 && lower < 0 ? scalar_unknown() : scalar_int(d);
}

/* The result of symbolic arithmetic; unknown after an overflow. */
static struct scalar int_done(struct node *n, enum elem elem, struct dim d)
{
        return dim_take_faults(n->dims) != DIM_FAULT_NONE ? scalar_unknown() : int_fit(n, elem, d);
}

static struct scalar float_done(enum elem elem, double f)
{
        return is_rounded(elem) ? scalar_float(float_round(elem, f)) : scalar_unknown();
}

/* A symbolic float: float32 holds the integers that are sizes, but narrower types do not. */
static struct scalar ratio_done(struct node *n, enum elem elem, struct dim d, int64_t den)
{
        if (dim_take_faults(n->dims) != DIM_FAULT_NONE || den > MAX_DENOMINATOR)
                return scalar_unknown();
        if (dim_is_int(d))
                return float_done(elem, (double)d.val / (double)den);
        if (elem != ELEM_FLOAT && elem != ELEM_DOUBLE)
                return scalar_unknown();
        return (struct scalar){.kind = SCALAR_RATIO, .d = d, .den = den};
}

bool scalar_fraction(struct scalar a, struct dim *ret, int64_t *ret_den)
{
        if (scalar_is_rounded(a))
                return false;
        *ret = a.d;
        *ret_den = a.kind == SCALAR_RATIO ? a.den : 1;
        if (a.kind != SCALAR_FLOAT)
                return a.kind != SCALAR_UNKNOWN;
        for (int64_t den = 1; den <= MAX_DENOMINATOR; den *= 2) {
                double scaled = a.f * (double)den;

                if (!(fabs(scaled) < 0x1p40))
                        return false;
                if (scaled == trunc(scaled)) {
                        *ret = dim_int((int64_t)scaled);
                        *ret_den = den;
                        return true;
                }
        }
        return false;
}

/* Whether arithmetic with this float and a symbol needs no rounding. Symbols themselves pass. */
static bool is_short(struct scalar a)
{
        struct dim d;
        int64_t den;

        if (a.kind != SCALAR_FLOAT)
                return true;
        if (!scalar_fraction(a, &d, &den))
                return false;
        while (d.val != 0 && d.val % 2 == 0)
                d.val /= 2;
        return -MAX_ODD_PART <= d.val && d.val <= MAX_ODD_PART;
}

/* Brings two fractions to a common denominator. */
static bool common_fractions(struct node *n, struct scalar a, struct scalar b, struct dim *ret_a, struct dim *ret_b,
                             int64_t *ret_den)
{
        int64_t a_den, b_den;

        if (!scalar_fraction(a, ret_a, &a_den) || !scalar_fraction(b, ret_b, &b_den))
                return false;
        *ret_den = a_den > b_den ? a_den : b_den;
        *ret_a = dim_mul(n->dims, *ret_a, dim_int(*ret_den / a_den));
        *ret_b = dim_mul(n->dims, *ret_b, dim_int(*ret_den / b_den));
        return dim_take_faults(n->dims) == DIM_FAULT_NONE;
}

static bool both(struct scalar a, struct scalar b, enum scalar_kind kind)
{
        return a.kind == kind && b.kind == kind;
}

static bool both_numbers(struct scalar a, struct scalar b, int64_t *ret_a, int64_t *ret_b)
{
        return scalar_is_number(a, ret_a) && scalar_is_number(b, ret_b);
}

/* -- sums and products -- */

static struct scalar sum(struct node *n, enum elem elem, struct scalar a, struct scalar b, bool minus)
{
        int64_t x, y, den;
        struct dim d, e;

        if (both_numbers(a, b, &x, &y))
                return (minus ? sub_i64(x, y, &x) : add_i64(x, y, &x)) ? int_fit(n, elem, dim_int(x))
                                                                       : scalar_unknown();
        if (both(a, b, SCALAR_INT))
                return int_done(n, elem, minus ? dim_sub(n->dims, a.d, b.d) : dim_add(n->dims, a.d, b.d));
        if (both(a, b, SCALAR_FLOAT))
                return float_done(elem, minus ? a.f - b.f : a.f + b.f);
        if (!is_short(a) || !is_short(b) || !common_fractions(n, a, b, &d, &e, &den))
                return scalar_unknown();
        return ratio_done(n, elem, minus ? dim_sub(n->dims, d, e) : dim_add(n->dims, d, e), den);
}

struct scalar scalar_add(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        return sum(n, elem, a, b, false);
}

struct scalar scalar_sub(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        return sum(n, elem, a, b, true);
}

/* A symbolic value times p / den, after powers of two are cancelled between factor and value. */
static struct scalar scaled(struct node *n, enum elem elem, struct scalar a, int64_t p, int64_t den)
{
        int64_t all;

        if (p == 0)
                return float_done(elem, 0);
        for (; p % 2 == 0 && a.den > 1; p /= 2)
                a.den /= 2;
        if (!mul_i64(a.den, den, &all))
                return scalar_unknown();
        return ratio_done(n, elem, dim_mul(n->dims, a.d, dim_int(p)), all);
}

struct scalar scalar_mul(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        int64_t x, y, den;
        struct dim factor;

        if (both_numbers(a, b, &x, &y))
                return mul_i64(x, y, &x) ? int_fit(n, elem, dim_int(x)) : scalar_unknown();
        if (both(a, b, SCALAR_INT))
                return int_done(n, elem, dim_mul(n->dims, a.d, b.d));
        if (both(a, b, SCALAR_FLOAT))
                return float_done(elem, a.f * b.f);
        if (a.kind == SCALAR_FLOAT && b.kind == SCALAR_RATIO)
                return scalar_mul(n, elem, b, a);
        if (a.kind != SCALAR_RATIO || scalar_is_rounded(a) || b.kind != SCALAR_FLOAT || !is_short(b) ||
            !scalar_fraction(b, &factor, &den))
                return scalar_unknown();
        return scaled(n, elem, a, factor.val, den);
}

/* -- quotients -- */

/* a / b, rounded towards zero. False if it is not certain. A symbolic divisor is assumed not to be 0, where the
   operator has no result. */
static bool truncated(struct node *n, struct dim a, struct dim b, struct dim *ret)
{
        struct dim zero = dim_int(0), rest;
        int64_t lower, upper;

        *ret = dim_floordiv(n->dims, a, b);
        if (dim_same(dim_mul(n->dims, *ret, b), a))
                return true;
        if (dim_proves_ge(n->dims, zero, b) && !dim_is(b, INT64_MIN)) {
                a = dim_sub(n->dims, zero, a);
                b = dim_sub(n->dims, zero, b);
                *ret = dim_floordiv(n->dims, a, b);
        }
        if (!dim_proves_ge(n->dims, b, zero))
                return false;
        if (dim_proves_ge(n->dims, a, zero))
                return true;
        *ret = dim_floordiv(n->dims, dim_max(n->dims, a, zero), b);
        dim_range(n->dims, a, &lower, &upper);
        /* For a between -b and 0 the quotient is 0, the same as that of max(a, 0). */
        if (dim_is_int(b) && lower > -b.val)
                return true;
        rest = dim_floordiv(n->dims, dim_max(n->dims, dim_sub(n->dims, zero, a), zero), b);
        *ret = dim_sub(n->dims, *ret, rest);
        return true;
}

static struct scalar int_div(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        struct dim quotient;
        int64_t x, y;

        if (dim_is(b.d, 0))
                return scalar_unknown();
        if (both_numbers(a, b, &x, &y))
                return x == INT64_MIN && y == -1 ? scalar_unknown() : int_fit(n, elem, dim_int(x / y));
        if (truncated(n, a.d, b.d, &quotient))
                return int_done(n, elem, quotient);
        dim_take_faults(n->dims);
        return scalar_unknown();
}

/* A power of two, of either sign, has an exact reciprocal. */
static bool is_power_of_two(int64_t p)
{
        uint64_t size = p < 0 ? 0 - (uint64_t)p : (uint64_t)p;

        return size != 0 && (size & (size - 1)) == 0;
}

/* dividend / den by a number whose reciprocal is not exact: the float next to the quotient, where sizes that occur
   leave that on the side of an integer that the quotient is on. It is 1 / (den * divisor) away from one at least, and a
   float32 is within 2^-24 of its own size. */
static struct scalar rounded_quotient(struct node *n, enum elem elem, struct dim dividend, int64_t den,
                                      struct dim divisor, int64_t factor)
{
        int64_t all;

        if (dim_take_faults(n->dims) != DIM_FAULT_NONE || !dim_is_int(divisor) || divisor.val < 1 ||
            factor > MAX_FACTOR || !mul_i64(den, divisor.val, &all) || all > MAX_ODD_PART)
                return scalar_unknown();
        return ratio_done(n, elem, dividend, all);
}

/* Divides one symbolic value by another: exact if there is no remainder. */
static struct scalar ratio_div(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        struct dim dividend = dim_mul(n->dims, a.d, dim_int(b.den)), quotient = dim_floordiv(n->dims, dividend, b.d);

        if (!dim_same(dim_mul(n->dims, quotient, b.d), dividend))
                return rounded_quotient(n, elem, dividend, a.den, b.d, b.den);
        return ratio_done(n, elem, quotient, a.den);
}

static struct scalar float_div(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        struct dim divisor;
        int64_t den, p;

        if (both(a, b, SCALAR_FLOAT))
                return b.f == 0 ? scalar_unknown() : float_done(elem, a.f / b.f);
        if (scalar_is_rounded(a) || scalar_is_rounded(b))
                return scalar_unknown();
        if (both(a, b, SCALAR_RATIO))
                return ratio_div(n, elem, a, b);
        if (a.kind != SCALAR_RATIO || b.kind != SCALAR_FLOAT || !scalar_fraction(b, &divisor, &den))
                return scalar_unknown();
        p = divisor.val;
        if (is_power_of_two(p))
                return p < 0 ? scaled(n, elem, a, -den, -p) : scaled(n, elem, a, den, p);
        return ratio_div(n, elem, a, (struct scalar){.kind = SCALAR_RATIO, .d = divisor, .den = den});
}

struct scalar scalar_div(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        return both(a, b, SCALAR_INT) ? int_div(n, elem, a, b) : float_div(n, elem, a, b);
}

static struct scalar int_mod(struct node *n, enum elem elem, struct scalar a, struct scalar b, bool like_c)
{
        int64_t x, y;

        if (dim_is_int(b.d) && b.d.val == 0)
                return scalar_unknown();
        if (both_numbers(a, b, &x, &y)) {
                if (like_c)
                        x = y == -1 ? 0 : x % y;
                else if (!mod_i64(x, y, &x))
                        return scalar_unknown();
                return int_fit(n, elem, dim_int(x));
        }
        if (like_c && (!dim_proves_ge(n->dims, a.d, dim_int(0)) || !dim_proves_ge(n->dims, b.d, dim_int(0))))
                return scalar_unknown();
        return int_done(n, elem, dim_mod(n->dims, a.d, b.d));
}

struct scalar scalar_mod(struct node *n, enum elem elem, struct scalar a, struct scalar b, bool like_c)
{
        if (both(a, b, SCALAR_INT))
                return int_mod(n, elem, a, b, like_c);
        if (!both(a, b, SCALAR_FLOAT) || !like_c || b.f == 0)
                return scalar_unknown();
        return float_done(elem, fmod(a.f, b.f));
}

/* Powers with a small integer exponent: products, which are exact in any order as long as they are integers that the
   type holds. */
struct scalar scalar_pow(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        struct scalar one = a.kind == SCALAR_INT ? scalar_int(dim_int(1)) : scalar_float(1), power = one;
        struct dim exponent;
        int64_t den;

        if (a.kind == SCALAR_UNKNOWN || !scalar_fraction(b, &exponent, &den) || !dim_is_int(exponent) || den != 1 ||
            exponent.val < 0 || exponent.val > 62)
                return scalar_unknown();
        if (a.kind == SCALAR_RATIO)
                return exponent.val == 1 ? a : scalar_unknown();
        for (int64_t k = 0; k < exponent.val; k++)
                power = scalar_mul(n, elem, power, a);
        if (power.kind == SCALAR_FLOAT && exponent.val > 1 && !(fabs(power.f) <= 0x1p24 && trunc(a.f) == a.f))
                return scalar_unknown();
        return power;
}

/* -- comparisons -- */

int scalar_equal(struct node *n, struct scalar a, struct scalar b)
{
        struct dim d, e;
        int64_t den;

        if (both(a, b, SCALAR_FLOAT))
                return a.f == b.f;
        if (!common_fractions(n, a, b, &d, &e, &den))
                return -1;
        return dim_proves_equal(n->dims, d, e) ? 1 : dim_proves_unequal(n->dims, d, e) ? 0 : -1;
}

int scalar_less(struct node *n, struct scalar a, struct scalar b)
{
        struct dim d, e;
        int64_t den;

        if (both(a, b, SCALAR_FLOAT))
                return a.f < b.f;
        if (!common_fractions(n, a, b, &d, &e, &den))
                return -1;
        if (dim_proves_ge(n->dims, d, e))
                return 0;
        return dim_proves_ge(n->dims, e, d) && dim_proves_unequal(n->dims, d, e) ? 1 : -1;
}

bool scalar_same(struct scalar a, struct scalar b)
{
        if (a.kind != b.kind || a.kind == SCALAR_UNKNOWN)
                return false;
        if (a.kind == SCALAR_FLOAT)
                return a.f == b.f && signbit(a.f) == signbit(b.f);
        return dim_same(a.d, b.d) && (a.kind == SCALAR_INT || a.den == b.den);
}

static struct scalar extreme(struct node *n, enum elem elem, struct scalar a, struct scalar b, bool max)
{
        int less = scalar_less(n, a, b);
        struct dim d, e;
        int64_t den;

        if (both(a, b, SCALAR_FLOAT) && (isnan(a.f) || isnan(b.f)))
                return scalar_unknown();
        if (less >= 0)
                return (less == 1) == max ? b : a;
        if (scalar_less(n, b, a) == 0)
                return max ? b : a;
        if (!common_fractions(n, a, b, &d, &e, &den))
                return scalar_unknown();
        d = max ? dim_max(n->dims, d, e) : dim_min(n->dims, d, e);
        return a.kind == SCALAR_INT ? int_done(n, elem, d) : ratio_done(n, elem, d, den);
}

struct scalar scalar_max(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        return extreme(n, elem, a, b, true);
}

struct scalar scalar_min(struct node *n, enum elem elem, struct scalar a, struct scalar b)
{
        return extreme(n, elem, a, b, false);
}

/* -- to integers and between types -- */

static struct scalar integral(struct node *n, struct scalar a, double (*round_float)(double),
                              struct dim (*round_ratio)(struct dim_table *, struct dim, struct dim))
{
        if (a.kind == SCALAR_FLOAT)
                return scalar_float(round_float(a.f));
        if (a.kind != SCALAR_RATIO || a.den == 1)
                return a;
        if (!round_ratio)
                return scalar_unknown();
        a.d = round_ratio(n->dims, a.d, dim_int(a.den));
        a.den = 1;
        return dim_take_faults(n->dims) != DIM_FAULT_NONE ? scalar_unknown() : a;
}

struct scalar scalar_ceil(struct node *n, struct scalar a)
{
        return integral(n, a, ceil, dim_ceildiv);
}

struct scalar scalar_floor(struct node *n, struct scalar a)
{
        return integral(n, a, floor, dim_floordiv);
}

struct scalar scalar_round(struct node *n, struct scalar a)
{
        return integral(n, a, nearbyint, NULL);
}

/* Truncates. A number that the integer type cannot hold gives a result that depends on the machine, so it is
   unknown. */
static struct scalar cast_to_int(struct node *n, enum elem to, struct scalar a)
{
        struct dim whole;
        int64_t least, most;

        if (a.kind == SCALAR_INT)
                return int_fit(n, to, a.d);
        if (a.kind == SCALAR_FLOAT) {
                if (!elem_int_range(to, &least, &most) || !(fabs(a.f) < 0x1p62))
                        return scalar_unknown();
                return int_fit(n, to, dim_int((int64_t)a.f));
        }
        return truncated(n, a.d, dim_int(a.den), &whole) ? int_done(n, to, whole) : scalar_unknown();
}

static struct scalar cast_to_float(struct node *n, enum elem to, struct scalar a)
{
        int64_t number;

        if (a.kind == SCALAR_FLOAT)
                return float_done(to, a.f);
        if (a.kind == SCALAR_RATIO)
                return ratio_done(n, to, a.d, a.den);
        /* Past 2^53 a conversion by way of double would round twice. */
        if (scalar_is_number(a, &number) && (number > (int64_t)1 << 53 || number < -((int64_t)1 << 53)))
                return scalar_unknown();
        return ratio_done(n, to, a.d, 1);
}

struct scalar scalar_cast(struct node *n, enum elem from, enum elem to, struct scalar a)
{
        int zero;

        if (a.kind == SCALAR_UNKNOWN || from == ELEM_STRING || from == ELEM_UNDEFINED)
                return scalar_unknown();
        if (from == to)
                return a;
        if (to == ELEM_BOOL) {
                zero = scalar_equal(n, a, a.kind == SCALAR_FLOAT ? scalar_float(0) : scalar_int(dim_int(0)));
                return scalar_of_truth(zero < 0 ? -1 : !zero);
        }
        return elem_is_integer(to) ? cast_to_int(n, to, a) : cast_to_float(n, to, a);
}
