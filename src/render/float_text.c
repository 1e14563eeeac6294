/* Floats as text: of the shortest decimals that read back as the same float, the one that is nearest to it. By the
   algorithm of Raffaello Giulietti, "The Schubfach way to render doubles" (2020). */
#include "render/float_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

/* A power of ten as a number of 128 bits. */
struct power {
        uint64_t high, low;
};

#include "powers.h"

/* Numbers with up to this many digits before the point, or more significant digits than that, are written without an
   exponent. */
#define NARROW_LEAST 6
#define WIDE_LEAST   15

/* digits * 10^exponent */
struct decimal {
        uint64_t digits;
        int exponent;
};

/* significand * 2^exponent; `is_edge`: the next float below is only half as far away as the next one above. */
struct binary {
        uint64_t significand;
        int exponent;
        bool is_edge;
};

/* Of the bits of a float > 0, whose significand has `width` of them; `bias` is that of an integer significand. */
static struct binary binary_of(uint64_t bits, int width, int bias)
{
        uint64_t fraction = bits & ((UINT64_C(1) << width) - 1);
        int biased = (int)(bits >> width);

        if (!biased)
                return (struct binary){fraction, 1 - bias, false};
        return (struct binary){fraction | UINT64_C(1) << width, biased - bias, fraction == 0 && biased > 1};
}

static struct binary read_binary(double value, bool narrow)
{
        float rounded = (float)value;
        uint32_t narrow_bits;
        uint64_t bits;

        memcpy(&narrow_bits, &rounded, sizeof(narrow_bits));
        memcpy(&bits, &value, sizeof(bits));
        return narrow ? binary_of(narrow_bits, 23, 150) : binary_of(bits, 52, 1075);
}

/* The upper half of a product, and *ret_low, the lower one. */
static inline uint64_t multiply(uint64_t a, uint64_t b, uint64_t *ret_low)
{
#ifdef __SIZEOF_INT128__
        __extension__ typedef unsigned __int128 wide;
        wide product = (wide)a * b;

        *ret_low = (uint64_t)product;
        return (uint64_t)(product >> 64);
#else
        uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), left = (a >> 32) * (b & UINT32_MAX);
        uint64_t right = (a & UINT32_MAX) * (b >> 32),
                 middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);

        *ret_low = middle << 32 | (low & UINT32_MAX);
        return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
#endif
}

/* power * factor / 2^128 without its fraction, of which the lowest bit says whether there was one. */
static inline uint64_t scaled(const struct power *power, uint64_t factor)
{
        uint64_t low, rest, carry = multiply(power->low, factor, &rest);
        uint64_t whole = multiply(power->high, factor, &low);

        low += carry;
        whole += low < carry;
        return whole | (low > 1);
}

/* All is counted in quarters of the last binary digit, so that the bounds halfway to the neighbours are integers. Those
   that lie on a bound read back as this float where its significand is even. */
static struct decimal shortest(const struct binary *b)
{
        int exponent =
                (b->exponent * 1262611 - (b->is_edge ? 524031 : 0)) >> 22; /* of ten, by the log of gen_powers.py */
        int shift = b->exponent + ((-exponent * 1741647) >> 19) + 1;
        const struct power *power = &powers[-exponent - POWER_LEAST];
        uint64_t quarters = 4 * b->significand, odd = b->significand & 1;
        uint64_t value = scaled(power, quarters << shift);
        uint64_t least = scaled(power, (quarters - 2 + b->is_edge) << shift) + odd;
        uint64_t most = scaled(power, (quarters + 2) << shift) - odd;
        uint64_t digits = value / 4, tens = digits / 10;
        bool below = least <= 40 * tens, above = 40 * tens + 40 <= most;

        if (tens && below != above)
                return (struct decimal){tens + above, exponent + 1};
        below = least <= 4 * digits;
        above = 4 * digits + 4 <= most;
        if (below == above)
                above = value % 4 > 2 || (value % 4 == 2 && digits % 2);
        return (struct decimal){digits + above, exponent};
}

static inline char *put(char *at, const char *text, size_t length)
{
        memcpy(at, text, length);
        return at + length;
}

/* Of digits that end at `end`, the end without zeros that say nothing. The first one is none. */
static char *without_zeros(char *end)
{
        while (end[-1] == '0')
                end--;
        return end;
}

/* d.ddde-07, from digits that begin one byte later, which leaves room for the point. */
static char *put_with_exponent(char *at, char *end, int exponent)
{
        at[0] = at[1];
        at[1] = '.';
        if (end == at + 2)
                end--;
        *end++ = 'e';
        *end++ = exponent < 0 ? '-' : '+';
        if (abs(exponent) < 10)
                *end++ = '0';
        return digits_put(end, (uint64_t)abs(exponent));
}

/* The same without an exponent: the digits before the point move down. */
static char *put_with_point(char *at, char *end, int exponent)
{
        for (; exponent >= 0; exponent--, at++)
                *at = at + 1 < end ? at[1] : '0';
        *at = '.';
        if (end > at + 1)
                return end;
        at[1] = '0';
        return at + 2;
}

/* Writes a float as "%g" does, with as many digits as needed, and ".0" after integers. */
static char *put_decimal(char *at, const struct decimal *d, int least)
{
        int count = (int)digits_count(d->digits), exponent = d->exponent + count - 1;

        if (exponent < 0 && exponent >= -4) {
                memcpy(at, "0.000", 5);
                at += 1 - exponent;
                return without_zeros(digits_put_counted(at, d->digits, (unsigned)count));
        }
        char *end = without_zeros(digits_put_counted(at + 1, d->digits, (unsigned)count));

        count = (int)(end - at) - 1;
        if (exponent < 0 || exponent >= (count > least ? count : least))
                return put_with_exponent(at, end, exponent);
        return put_with_point(at, end, exponent);
}

char *float_put(char *text, double value, bool narrow)
{
        if (isnan(value))
                return put(text, "NaN", 3);
        if (signbit(value))
                *text++ = '-';
        value = fabs(narrow ? (double)(float)value : value);
        if (isinf(value))
                return put(text, "Infinity", 8);
        if (value < 1e6 && value == (double)(unsigned)value)
                return put(digits_put(text, (uint64_t)value), ".0", 2);
        struct binary binary = read_binary(value, narrow);
        struct decimal decimal = shortest(&binary);

        return put_decimal(text, &decimal, narrow ? NARROW_LEAST : WIDE_LEAST);
}
