#include <math.h>
#include <stdio.h>

#include "render/json_out.h"
#include "unit.h"

static void writes(double value, bool narrow, const char *wanted)
{
        char text[FLOAT_TEXT];

        float_text(text, value, narrow);
        ck_assert_str_eq(text, wanted);
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
        writes(1000000.0, true, "1e+06");
        writes(16777216.0, true, "16777216.0");
        writes(34669808.0, true, "3.466981e+07");
        writes(0.0001, false, "0.0001");
        writes(0.00001, false, "1e-05");
        writes((double)9.999999F, true, "9.999999");
        writes((double)1.17549435e-38F, true, "1.1754944e-38");
        writes(1.7976931348623157e308, false, "1.7976931348623157e+308");
        writes((double)NAN, true, "NaN");
        writes((double)-INFINITY, false, "-Infinity");
}
END_TEST

/* The fewest digits that "%g" can do it with. */
static size_t fewest(double value, bool narrow)
{
        char text[FLOAT_TEXT];

        for (int digits = narrow ? 6 : 15; digits <= 17; digits++) {
                snprintf(text, sizeof(text), "%.*g", digits, value);
                if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
                        break;
        }
        return strlen(text) + (strpbrk(text, ".e") ? 0 : 2);
}

START_TEST(reads_back_as_the_same)
{
        uint64_t bits = 88172645463325252;

        for (int i = 0; i < 200000; i++) {
                bool narrow = i % 2;
                char text[FLOAT_TEXT];
                double value = (double)(int64_t)bits / (double)(UINT64_C(1) << i % 63);
                float rounded = (float)value;

                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                if (narrow)
                        value = (double)rounded;
                float_text(text, value, narrow);
                ck_assert_msg(narrow ? strtof(text, NULL) == rounded : strtod(text, NULL) == value, "%a is %s", value,
                              text);
                ck_assert_uint_eq(strlen(text), fewest(value, narrow));
        }
}
END_TEST

UNIT_MAIN("float_text", writes_what_people_write, reads_back_as_the_same);
