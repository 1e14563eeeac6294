/* Floats as text: the shortest that reads back as the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_out.h"

/* Powers of ten that doubles hold exactly. */
#define POWERS 23

static const double power[POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define NARROW_LEAST 6 /* digits that any decimal keeps through a float32 (FLT_DIG) */
#define NARROW_MOST  9 /* digits that any float32 keeps through a decimal */
#define WIDE_LEAST   15

/* A number > 0 as digits * 10^(exponent + 1 - count), `count` digits of which the last is not 0. */
struct decimal {
        uint64_t digits;
        int count, exponent;
};

/* digits * 10^-scale, rounded once. */
static double scaled(double digits, int scale)
{
        return scale < 0 ? digits * power[-scale] : digits / power[scale];
}

/* Whether a double is halfway between two float32: then its own rounding may have made it so. */
static bool is_halfway(double value)
{
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        return (bits & 0x1fffffff) == 0x10000000;
}

enum outcome { SAME, OTHER, UNSURE };

/* With `count` digits, of which the first stands for 10^exponent. Both conversions round once, for what they start from
   is exact; so whoever reads the digits as a double gets what is compared here. */
static enum outcome round_to(double value, bool narrow, int count, int exponent, struct decimal *ret)
{
        int scale = count - 1 - exponent;
        double digits = rint(scaled(value, -scale)), back = scaled(digits, scale);

        if (digits < power[count - 1] || (narrow && is_halfway(back)))
                return UNSURE;
        if (narrow ? (float)back != (float)value : back != value)
                return OTHER;
        if (digits >= power[count]) { /* 9.9999996 becomes 10.0000 */
                digits /= 10;
                exponent++;
        }
        *ret = (struct decimal){.digits = (uint64_t)digits, .count = count, .exponent = exponent};
        for (; ret->digits % 10 == 0; ret->count--)
                ret->digits /= 10;
        return SAME;
}

/* False when that takes more digits than doubles hold exactly, or the number is very large or small. */
static bool shortest(double value, bool narrow, int *ret_precision, struct decimal *ret)
{
        int least = narrow ? NARROW_LEAST : WIDE_LEAST, most = narrow ? NARROW_MOST : WIDE_LEAST;
        int exponent = (int)floor(log10(value));
        enum outcome outcome = OTHER;

        if (least - 1 - exponent <= -POWERS || most - 1 - exponent >= POWERS)
                return false;
        for (int count = least; count <= most && outcome == OTHER; count++) {
                *ret_precision = count;
                outcome = round_to(value, narrow, count, exponent, ret);
        }
        return outcome == SAME;
}

/* As "%.*g" writes it, and ".0" behind integers. */
static void write_decimal(char *text, const struct decimal *d, int precision)
{
        char digits[24] = {0};
        uint64_t rest = d->digits;

        for (int i = d->count; i-- > 0; rest /= 10)
                digits[i] = (char)('0' + rest % 10);
        if (d->exponent < -4 || d->exponent >= precision) {
                *text++ = digits[0];
                if (d->count > 1)
                        *text++ = '.';
                memcpy(text, digits + 1, (size_t)d->count - 1);
                text += d->count - 1;
                *text++ = 'e';
                *text++ = d->exponent < 0 ? '-' : '+';
                *text++ = (char)('0' + abs(d->exponent) / 10);
                *text++ = (char)('0' + abs(d->exponent) % 10);
                *text = '\0';
                return;
        }
        if (d->exponent < 0) {
                *text++ = '0';
                *text++ = '.';
                for (int i = -1; i > d->exponent; i--)
                        *text++ = '0';
        }
        for (int i = 0; i < d->count || i <= d->exponent; i++) {
                *text++ = i < d->count ? digits[i] : '0';
                if (i == d->exponent)
                        *text++ = '.';
        }
        if (d->count <= d->exponent + 1)
                *text++ = '0';
        *text = '\0';
}

static void write_any(char *text, double value, bool narrow)
{
        for (int digits = narrow ? NARROW_LEAST : WIDE_LEAST; digits <= 17; digits++) {
                snprintf(text, FLOAT_TEXT, "%.*g", digits, value);
                if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
                        break;
        }
        /* A program that links the library may have a locale with another decimal point. */
        char *point = strchr(text, ',');

        if (point)
                *point = '.';
        if (!strpbrk(text, ".e"))
                memcpy(text + strlen(text), ".0", 3);
}

void float_text(char *text, double value, bool narrow)
{
        struct decimal decimal;
        int precision;

        if (isnan(value) || isinf(value)) {
                snprintf(text, FLOAT_TEXT, "%s", isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
                return;
        }
        if (value == 0.0) {
                memcpy(text, signbit(value) ? "-0.0" : "0.0", signbit(value) ? 5 : 4);
                return;
        }
        if (!shortest(fabs(value), narrow, &precision, &decimal)) {
                write_any(text, value, narrow);
                return;
        }
        if (value < 0)
                *text++ = '-';
        write_decimal(text, &decimal, precision);
}
