/* Floats as text: of the shortest decimals that read back as the same float, the one that is nearest to it. By the
   algorithm of Raffaello Giulietti, "The Schubfach way to render doubles" (2020). */
#include "render/float_text.h"

#include <endian.h>
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

/* The same for a factor of 32 bits, for which half of the power is enough: whatever is below the upper half of the
   fraction may stem from its rounding. */
static inline uint64_t scaled_narrow(const struct power *power, uint64_t factor)
{
        uint64_t fraction, whole = multiply(power->high + 1, factor, &fraction);

        return whole | (fraction >> 32 > 1);
}

/* All is counted in quarters of the last binary digit, so that the bounds halfway to the neighbours are integers. Those
   that lie on a bound read back as this float where its significand is even. What is shortest no branch can foretell.
 */
static inline __attribute__((always_inline)) struct decimal
shortest(const struct binary *b, uint64_t (*scale)(const struct power *power, uint64_t factor))
{
        int exponent =
                (b->exponent * 1262611 - (b->is_edge ? 524031 : 0)) >> 22; /* of ten, by the log of gen_powers.py */
        int shift = b->exponent + ((-exponent * 1741647) >> 19) + 1;
        const struct power *power = &powers[-exponent - POWER_LEAST];
        uint64_t quarters = 4 * b->significand, odd = b->significand & 1;
        uint64_t value = scale(power, quarters << shift);
        uint64_t least = scale(power, (quarters - 2 + b->is_edge) << shift) + odd;
        uint64_t most = scale(power, (quarters + 2) << shift) - odd;
        uint64_t digits = value / 4, tens = digits / 10;
        bool below = least <= 40 * tens, above = 40 * tens + 40 <= most;
        const bool is_shorter = tens && below != above;
        const uint64_t shorter = tens + above;

        below = least <= 4 * digits;
        above = below == (4 * digits + 4 <= most) ? value % 4 + digits % 2 > 2 : !below;
        return (struct decimal){is_shorter ? shorter : digits + above, exponent + is_shorter};
}

static inline char *put(char *at, const char *text, size_t length)
{
        memcpy(at, text, length);
        return at + length;
}

#define FEW_DIGITS 9 /* of every float32 */

static const uint32_t tens[FEW_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                              100000, 1000000, 10000000, 100000000, 1000000000};

/* digits_count() without a loop, for a number of FEW_DIGITS at most and 1 at least. */
static inline unsigned count_few(uint32_t digits)
{
        const unsigned bits = 32 - (unsigned)__builtin_clz(digits), least = bits * 1233 >> 12;

        return least + (digits >= tens[least]);
}

/* Writes FEW_DIGITS, the last of which are zeros that say nothing. Eight of them are divided in one word: into fours,
   twos and ones, the first of each pair in its lower half. No branch depends on how many there are. */
static inline void put_few(char *at, uint32_t digits, unsigned count)
{
        const uint32_t all = digits * tens[FEW_DIGITS - count], eight = all % tens[8];
        uint64_t word = eight / 10000 | (uint64_t)(eight % 10000) << 32, upper;

        upper = (word * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
        word = upper | (word - upper * 100) << 16;
        upper = (word * 103 >> 10) & UINT64_C(0x000f000f000f000f);
        word = upper | (word - upper * 10) << 8;
        word = htole64(word | UINT64_C(0x3030303030303030));
        at[0] = (char)('0' + all / tens[8]);
        memcpy(at + 1, &word, sizeof(word));
}

/* Writes digits, and returns where they end without zeros that say nothing. The first one is none. */
static inline char *put_digits(char *at, uint64_t digits, unsigned count)
{
        char *end = at + count;

        if (count <= FEW_DIGITS)
                put_few(at, (uint32_t)digits, count);
        else
                digits_put_counted(at, digits, count);
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
        unsigned count = d->digits < tens[FEW_DIGITS] ? count_few((uint32_t)d->digits) : digits_count(d->digits);
        int exponent = d->exponent + (int)count - 1;

        if (exponent < 0 && exponent >= -4) {
                memcpy(at, "0.000", 5);
                return put_digits(at + 1 - exponent, d->digits, count);
        }
        char *end = put_digits(at + 1, d->digits, count);
        const int left = (int)(end - at) - 1;

        if (exponent < 0 || exponent >= (left > least ? left : least))
                return put_with_exponent(at, end, exponent);
        return put_with_point(at, end, exponent);
}

char *float_put(char *text, double value, bool narrow)
{
        if (isnan(value))
                return put(text, "NaN", 3);
        *text = '-'; /* which is written over where there is none: no branch can foretell it */
        text += signbit(value) != 0;
        value = fabs(narrow ? (double)(float)value : value);
        if (isinf(value))
                return put(text, "Infinity", 8);
        if (value < 1e6 && value == (double)(unsigned)value)
                return put(digits_put(text, (uint64_t)value), ".0", 2);
        struct binary binary = read_binary(value, narrow);
        struct decimal decimal = narrow ? shortest(&binary, scaled_narrow) : shortest(&binary, scaled);

        return put_decimal(text, &decimal, narrow ? NARROW_LEAST : WIDE_LEAST);
}
