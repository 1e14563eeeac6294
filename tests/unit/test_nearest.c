#include "base/nearest.h"

#include <string.h>

#include "unit.h"

/* The best of three names for a text. */
static const char *best(const char *text)
{
        static const char *const names[] = {"nearest", "linear", "cubic"};
        struct nearest near;

        nearest_begin(&near, text, strlen(text));
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                nearest_try(&near, names[i]);
        return near.best != NULL ? near.best : "none";
}

START_TEST(finds_what_was_meant)
{
        ck_assert_str_eq(best("linaer"), "linear");
        ck_assert_str_eq(best("LINEAR"), "linear");
        ck_assert_str_eq(best("nearst"), "nearest");
        ck_assert_str_eq(best("cuibc"), "cubic");
        ck_assert_str_eq(best("cubics"), "cubic");
        ck_assert_str_eq(best("bilinear"), "linear");
}
END_TEST

START_TEST(finds_nothing_far_away)
{
        char many[NEAREST_BYTES + 2];

        memset(many, 'n', sizeof(many) - 1);
        many[sizeof(many) - 1] = '\0';
        ck_assert_str_eq(best(""), "none");
        ck_assert_str_eq(best("x"), "none");
        ck_assert_str_eq(best("bicubics!"), "none");
        ck_assert_str_eq(best(many), "none");
}
END_TEST

START_TEST(takes_no_name_that_is_empty_or_too_long)
{
        char many[NEAREST_BYTES + 2];
        struct nearest near;

        memset(many, 'n', sizeof(many) - 1);
        many[sizeof(many) - 1] = '\0';
        nearest_begin(&near, many, NEAREST_BYTES);
        nearest_try(&near, many);
        nearest_try(&near, "");
        ck_assert_ptr_null(near.best);
        nearest_try(&near, many + 1);
        ck_assert_ptr_eq(near.best, many + 1);
        ck_assert_uint_eq(near.edits, 0);
}
END_TEST

UNIT_MAIN("nearest", finds_what_was_meant, finds_nothing_far_away, takes_no_name_that_is_empty_or_too_long);
