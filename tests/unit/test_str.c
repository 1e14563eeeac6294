/* Interned texts: each has one handle, counted up from 0, whatever the table grows to. */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define MANY 20000

static struct arena *arena;
static struct strings *strings;

static void setup(uint64_t seed)
{
        arena = arena_new((size_t)1 << 28);
        strings = strings_new(arena, seed);
}

static size_t text_of(char *text, size_t size, uint32_t i)
{
        return (size_t)snprintf(text, size, i % 3 == 0 ? "%u" : "/layer.%u/attention/output", i);
}

/* All of them, in order, the first of which has the handle after that of "". */
static void check_many(uint32_t count)
{
        char text[64];
        str_id id;

        ck_assert_uint_eq(str_count(strings), count + 1);
        for (uint32_t i = 0; i < count; i++) {
                const size_t length = text_of(text, sizeof(text), i);

                ck_assert(str_find(strings, text, length, &id));
                ck_assert_uint_eq(id, i + 1);
                ck_assert_uint_eq(str_length(strings, id), length);
                ck_assert_str_eq(str_text(strings, id), text);
                ck_assert(str_form(strings, id).is_plain);
                ck_assert_uint_eq(str_intern(strings, text, length), i + 1);
        }
        ck_assert_uint_eq(str_count(strings), count + 1);
}

static void intern_many(uint32_t count)
{
        char text[64];

        for (uint32_t i = 0; i < count; i++)
                ck_assert_uint_eq(str_intern(strings, text, text_of(text, sizeof(text), i)), i + 1);
}

START_TEST(each_text_has_one_handle)
{
        for (uint64_t seed = 0; seed < 3; seed++) {
                setup(seed);
                ck_assert_uint_eq(str_intern_z(strings, ""), STR_EMPTY);
                intern_many(MANY);
                check_many(MANY);
                arena_free(arena);
        }
}
END_TEST

START_TEST(room_is_made_before_or_between)
{
        setup(1);
        str_reserve(strings, MANY);
        intern_many(1000);
        str_reserve(strings, 10);
        str_reserve(strings, 10 * (size_t)MANY);
        check_many(1000);
        arena_free(arena);
}
END_TEST

/* A search for what is not there ends, and adds nothing. */
START_TEST(what_is_not_there_is_not_found)
{
        char text[64];
        str_id id;

        setup(1);
        intern_many(2000);
        for (uint32_t i = 2000; i < MANY; i++)
                ck_assert(!str_find(strings, text, text_of(text, sizeof(text), i), &id));
        ck_assert(!str_find(strings, "/layer.1/attention", strlen("/layer.1/attention"), &id));
        check_many(2000);
        arena_free(arena);
}
END_TEST

/* Nor are they added. */
START_TEST(texts_that_are_not_clean_are_refused)
{
        struct str_expected expected;
        str_id id;

        setup(1);
        ck_assert(!str_intern_clean(strings, "a\xff", 2, &id));
        ck_assert(!str_intern_clean(strings, "a\0b", 3, &id));
        ck_assert(!str_expect(strings, "a\xff", 2, &expected));
        ck_assert(!str_expect(strings, "a\0b", 3, &expected));
        ck_assert_uint_eq(str_count(strings), 1);
        ck_assert(str_intern_clean(strings, "\xc3\xa9", 2, &id));
        ck_assert_uint_eq(id, 1);
        ck_assert(!str_form(strings, id).is_plain);
        arena_free(arena);
}
END_TEST

/* However the table grows between the two. */
START_TEST(what_is_expected_is_interned_later)
{
        struct str_expected expected[3];

        setup(1);
        ck_assert(str_expect(strings, "first", 5, &expected[0]));
        ck_assert(str_expect(strings, "second", 6, &expected[1]));
        ck_assert(str_expect(strings, "first", 5, &expected[2]));
        intern_many(1000);
        for (int i = 0; i < 3; i++)
                ck_assert_uint_eq(str_intern_expected(strings, &expected[i]), i == 1 ? 1002 : 1001);
        ck_assert_str_eq(str_text(strings, 1002), "second");
        ck_assert(str_form(strings, 1002).is_plain);
        arena_free(arena);
}
END_TEST

UNIT_MAIN("str", each_text_has_one_handle, room_is_made_before_or_between, what_is_not_there_is_not_found,
          texts_that_are_not_clean_are_refused, what_is_expected_is_interned_later);
