/* JSON texts are read as the values that they stand for; other texts are refused, with the place of the fault. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rest/json.h"
#include "unit.h"

static struct arena *arena;
static struct ox_limits limits;

static void begin(void)
{
        arena = arena_new((size_t)64 << 20);
        ox_limits_default(&limits);
        ck_assert_ptr_nonnull(arena);
}

/* A value as a text that names every kind: i1 for an integer, r1.5 for a real, 'x' for a text. */
static void print(struct buf *buf, const struct json *json)
{
        size_t count = 0;

        if (json->name)
                buf_puts(buf, arena_printf(arena, "%s:", json->name));
        if (json->kind == JSON_IS_NULL)
                buf_puts(buf, "null");
        else if (json->kind == JSON_IS_BOOL)
                buf_puts(buf, json->i == 1 ? "true" : "false");
        else if (json->kind == JSON_IS_INTEGER)
                buf_puts(buf, arena_printf(arena, "i%" PRId64, json->i));
        else if (json->kind == JSON_IS_REAL)
                buf_puts(buf, arena_printf(arena, "r%.17g", json->f));
        else if (json->kind == JSON_IS_TEXT)
                buf_puts(buf, arena_printf(arena, "'%s'", json->text));
        if (json->kind == JSON_IS_TEXT)
                ck_assert_uint_eq(json->count, strlen(json->text));
        if (json->kind < JSON_IS_LIST)
                return;
        buf_puts(buf, json->kind == JSON_IS_LIST ? "[" : "{");
        for (const struct json *element = json->first; element; element = element->next) {
                buf_puts(buf, count++ ? "," : "");
                print(buf, element);
        }
        buf_puts(buf, json->kind == JSON_IS_LIST ? "]" : "}");
        ck_assert_uint_eq(json->count, count);
}

static const char *read_as(const char *text, size_t length)
{
        const struct json *json;
        const char *error;
        struct buf buf;

        buf_init(&buf, arena);
        if (json_read(arena, &limits, 1, text, length, &json, &error) != OX_OK)
                return error;
        print(&buf, json);
        return buf_text(&buf);
}

static const char *const rows[][2] = {
        {"null", "null"},
        {" true ", "true"},
        {"\n\tfalse\r\n", "false"},
        {"0", "i0"},
        {"-0", "i0"},
        {"-12", "i-12"},
        {"9223372036854775807", "i9223372036854775807"},
        {"-9223372036854775808", "i-9223372036854775808"},
        {"1.5", "r1.5"},
        {"-0.0", "r-0"},
        {"1e3", "r1000"},
        {"1E+3", "r1000"},
        {"12.5e-1", "r1.25"},
        {"1e-400", "r0"},
        {"0.1", "r0.10000000000000001"},
        {"\"\"", "''"},
        {"\"abc\"", "'abc'"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'"},
        {"\"\\u00e9\\u20AC\"", "'\xc3\xa9\xe2\x82\xac'"},
        {"\"\\ud83d\\ude00!\"", "'\xf0\x9f\x98\x80!'"},
        {"\"\xc3\xa9\xf0\x9f\x98\x80\"", "'\xc3\xa9\xf0\x9f\x98\x80'"},
        {"[]", "[]"},
        {"{ }", "{}"},
        {"[1,2.0,\"x\",null,[],{}]", "[i1,r2,'x',null,[],{}]"},
        {"{\"a\":1,\"b\":{\"c\":[true]},\"\":[[2]]}", "{a:i1,b:{c:[true]},:[[i2]]}"},
        {"{\"a\":{\"a\":1},\"b\":{\"a\":2}}", "{a:{a:i1},b:{a:i2}}"},
        {"{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"\":1}",
         "{1:i1,2:i1,3:i1,4:i1,5:i1,6:i1,7:i1,8:i1,:i1}"},

        {"", "line 1, column 1: expected a value, got the end of the text"},
        {"  ", "line 1, column 3: expected a value, got the end of the text"},
        {"nul", "line 1, column 1: expected a value, got 'n'"},
        {"True", "line 1, column 1: expected a value, got 'T'"},
        {"NaN", "line 1, column 1: expected a value, got 'N'"},
        {"{} {}", "line 1, column 4: expected the end of the text, got '{'"},
        {"[1,\n 2 3]", "line 2, column 4: expected ',' or ']', got '3'"},
        {"[1,]", "line 1, column 4: expected a value, got ']'"},
        {"[,1]", "line 1, column 2: expected a value, got ','"},
        {"[1", "line 1, column 3: expected ',' or ']', got the end of the text"},
        {"[1}", "line 1, column 3: expected ',' or ']', got '}'"},
        {"{\"a\":1]", "line 1, column 7: expected ',' or '}', got ']'"},
        {"{a:1}", "line 1, column 2: expected a name in quotes, got 'a'"},
        {"{\"a\" 1}", "line 1, column 6: expected ':', got '1'"},
        {"{\"a\":1,}", "line 1, column 8: expected a name in quotes, got '}'"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "line 1, column 15: the object has 'a' twice"},
        {"{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"1\":1}",
         "line 1, column 51: the object has '1' twice"},
        {"{\"\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"\":1}",
         "line 1, column 50: the object has '' twice"},
        {"01", "line 1, column 1: a number must not begin with 0"},
        {"-", "line 1, column 2: expected a digit after -"},
        {"+1", "line 1, column 1: expected a value, got '+'"},
        {".5", "line 1, column 1: expected a value, got '.'"},
        {"1.", "line 1, column 3: expected a digit after the point"},
        {"1e", "line 1, column 3: expected a digit in the exponent"},
        {"0x10", "line 1, column 2: expected the end of the text, got 'x'"},
        {"1e400", "line 1, column 1: the number is too large"},
        {"9223372036854775808", "line 1, column 1: the integer does not fit into 64 bits"},
        {"-9223372036854775809", "line 1, column 1: the integer does not fit into 64 bits"},
        {"99999999999999999999999999", "line 1, column 1: the integer does not fit into 64 bits"},
        {"\"abc", "line 1, column 1: the text that begins here has no closing quote"},
        {"\"abc\\", "line 1, column 5: unknown escape after \\"},
        {"\"a\nb\"", "line 1, column 3: a control character must be escaped"},
        {"\"\\x\"", "line 1, column 2: unknown escape after \\"},
        {"\"\\u12\"", "line 1, column 2: expected four hexadecimal digits after \\u"},
        {"\"\\u0000\"", "line 1, column 2: \\u0000 must not stand in a string"},
        {"\"\\ud800\"", "line 1, column 2: half of a surrogate pair stands alone"},
        {"\"\\udc00\\ud800\"", "line 1, column 2: half of a surrogate pair stands alone"},
        {"\"\\ud800\\u0041\"", "line 1, column 2: half of a surrogate pair stands alone"},
        {"\"\xff\"", "line 1, column 2: the text is not UTF-8"},
        {"\"\xed\xa0\x80\"", "line 1, column 2: the text is not UTF-8"},
        {"[\"\xc3\xa9\xc3\xa9\", x]", "line 1, column 8: expected a value, got 'x'"},
        {"[\"\\n\\n\",\n x]", "line 2, column 2: expected a value, got 'x'"},
        {"\xef\xbb\xbf{}", "line 1, column 1: expected a value, got the byte 0xEF"},
};

START_TEST(texts_and_what_they_are_read_as)
{
        begin();
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                ck_assert_str_eq(read_as(rows[i][0], strlen(rows[i][0])), rows[i][1]);
        arena_free(arena);
}
END_TEST

START_TEST(a_nul_is_no_end)
{
        begin();
        ck_assert_str_eq(read_as("1\0002", 3), "line 1, column 2: expected the end of the text, got the byte 0x00");
        ck_assert_str_eq(read_as("\"a\0b\"", 5), "line 1, column 3: a control character must be escaped");
        arena_free(arena);
}
END_TEST

/* Every text that is cut off anywhere is refused, and nothing behind its end is read. */
START_TEST(no_beginning_of_an_object_is_one)
{
        static const char whole[] = "{\"a\":[1,-2.5e3,\"\\ud83d\\ude00\xc3\xa9\",true,false,null,{\"b\":{}}]}";

        begin();
        for (size_t length = 0; length < strlen(whole); length++) {
                char *part = malloc(length ? length : 1);

                ck_assert_ptr_nonnull(part);
                memcpy(part, whole, length);
                ck_assert_ptr_nonnull(strstr(read_as(part, length), "line 1, column"));
                free(part);
        }
        arena_free(arena);
}
END_TEST

START_TEST(nesting_is_bounded)
{
        char text[64];

        begin();
        limits.message_depth = 10;
        snprintf(text, sizeof(text), "[[[[[[[[[[]]]]]]]]]]");
        ck_assert_str_eq(read_as(text, strlen(text)), text);
        snprintf(text, sizeof(text), "[[[[[[[[[[[1]]]]]]]]]]]");
        ck_assert_str_eq(read_as(text, strlen(text)),
                         "line 1, column 12: lists and objects nest deeper than the limit message_depth, 10");
        arena_free(arena);
}
END_TEST

UNIT_MAIN("json", texts_and_what_they_are_read_as, a_nul_is_no_end, no_beginning_of_an_object_is_one,
          nesting_is_bounded);
