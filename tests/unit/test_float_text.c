/* Floats as text, held against printf() and what reads them. FLOATS in the environment: how many random ones. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "render/float_text.h"
#include "unit.h"

static const char *written(double value, bool narrow)
{
        static char text[FLOAT_TEXT + 1];

        *float_put(text, value, narrow) = '\0';
        return text;
}

static void writes(double value, bool narrow, const char *wanted)
{
        ck_assert_str_eq(written(value, narrow), wanted);
}

START_TEST(writes_what_people_write)
{
        writes(0.0, true, "0.0");
        writes(-0.0, true, "-0.0");
        writes(1.0, true, "1.0");
        writes(-2.5, false, "-2.5");
        writes((double)0.1F, true, "0.1");
        writes((double)0.1F, false, "0.10000000149011612");
        writes(100000.0, true, "100000.0");
        writes(999999.0, true, "999999.0");
        writes(1000000.0, true, "1e+06");
        writes(1000000.0, false, "1000000.0");
        writes(16777216.0, true, "16777216.0");
        writes(34669808.0, true, "3.466981e+07");
        writes(0.0001, false, "0.0001");
        writes(0.00001, false, "1e-05");
        writes((double)9.999999F, true, "9.999999");
        writes((double)1.17549435e-38F, true, "1.1754944e-38");
        writes((double)1e-45F, true, "1e-45");
        writes(-5e-324, false, "-5e-324");
        writes(1.7976931348623157e308, false, "1.7976931348623157e+308");
        writes((double)NAN, true, "NaN");
        writes((double)-INFINITY, false, "-Infinity");
        writes(1e300, true, "Infinity");
        writes(1e-300, true, "0.0");
}
END_TEST

/* What "%g" makes of it with the fewest digits that read back as the same. Below the least normal number these may be
   fewer than any decimal keeps. */
static const char *by_printf(double value, bool narrow)
{
        bool is_normal = fabs(value) >= (narrow ? (double)FLT_MIN : DBL_MIN);
        static char text[FLOAT_TEXT + 1];

        for (int digits = !is_normal ? 1 : narrow ? FLT_DIG : DBL_DIG; digits <= 17; digits++) {
                snprintf(text, sizeof(text), "%.*g", digits, value);
                if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
                        break;
        }
        if (!strpbrk(text, ".en"))
                memcpy(text + strlen(text), ".0", 3);
        return text;
}

static void agrees(double value, bool narrow)
{
        if (isfinite(value))
                ck_assert_msg(strcmp(written(value, narrow), by_printf(value, narrow)) == 0, "%a is %s, not %s", value,
                              written(value, narrow), by_printf(value, narrow));
}

static void agrees_in_bits(uint64_t bits)
{
        uint32_t narrow_bits = (uint32_t)(bits >> 32);
        double value;
        float narrow;

        memcpy(&narrow, &narrow_bits, sizeof(narrow));
        memcpy(&value, &bits, sizeof(value));
        agrees((double)narrow, true);
        agrees(value, false);
}

static bool reads_back(double value, bool narrow)
{
        const char *text = written(value, narrow);

        return narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* A power of two, below which floats are nearer to each other: a decimal above it may do that is not the nearest with
   as many digits, which is below it and reads back as another. */
static void agrees_or_is_shorter(double value, bool narrow)
{
        ck_assert_msg(reads_back(value, narrow), "%a is %s", value, written(value, narrow));
        if (strlen(written(value, narrow)) >= strlen(by_printf(value, narrow)))
                agrees(value, narrow);
}

/* Checks every exponent with the smallest and largest significands. */
START_TEST(agrees_with_printf_at_powers_of_two)
{
        for (int exponent = -1074; exponent < 1024; exponent++) {
                double value = ldexp(1.0, exponent);

                agrees_or_is_shorter(value, false);
                agrees(nextafter(value, 0.0), false);
                agrees(nextafter(value, INFINITY), false);
                if (exponent >= -149 && exponent < 128)
                        agrees_or_is_shorter((double)(float)value, true);
                agrees((double)nextafterf((float)value, 0.0F), true);
                agrees((double)nextafterf((float)value, INFINITY), true);
        }
}
END_TEST

/* Checks random bits, and numbers near those that people write. */
START_TEST(agrees_with_printf_at_random)
{
        const char *wanted = getenv("FLOATS");
        long count = wanted ? strtol(wanted, NULL, 10) : 20000;
        uint64_t bits = 88172645463325252;

        for (long i = 0; i < count; i++) {
                double value = (double)(int64_t)bits / (double)(UINT64_C(1) << i % 63);

                agrees_in_bits(bits);
                agrees(value, false);
                agrees((double)(float)value, true);
                agrees((double)((float)(bits % 100000) / 1000.0F), true);
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
        }
}
END_TEST

UNIT_MAIN("float_text", writes_what_people_write, agrees_with_printf_at_powers_of_two, agrees_with_printf_at_random);
