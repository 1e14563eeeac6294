/* A log line stays one whole line of one form, whatever its fields hold. */
#include <string.h>

#include "obs/line.h"
#include "unit.h"

static struct line line;

static const char *written(bool json, const struct log_field *fields, int count)
{
        static char text[LINE_BYTES + 1];

        line_begin(&line, json);
        line_fields(&line, fields, count);
        line_end(&line);
        ck_assert_uint_le(line.length, LINE_BYTES);
        memcpy(text, line.text, line.length);
        text[line.length] = '\0';
        return text;
}

static const char *quoted(const char *text)
{
        return written(true, &(struct log_field){LOG_NAME("x"), .text = text}, 1);
}

START_TEST(each_kind_is_written)
{
        const struct log_field fields[] = {
                {LOG_NAME("a"), .text = "plain/text.1"},
                {LOG_NAME("b"), .text = "two words"},
                {LOG_NAME("none"), .text = NULL},
                {LOG_NAME("word"), .kind = LOG_WORD, .text = "ok"},
                {LOG_NAME("c"), .kind = LOG_INT, .number = INT64_MIN},
                {LOG_NAME("d"), .kind = LOG_INT},
                {LOG_NAME("e"), .kind = LOG_MS, .number = 1002003004},
                {LOG_NAME("f"), .kind = LOG_MS, .number = 999},
        };

        ck_assert_str_eq(written(false, fields, 8),
                         "a=plain/text.1 b=\"two words\" word=ok c=-9223372036854775808 d=0 e=1002.003 f=0.000\n");
        ck_assert_str_eq(written(true, fields, 8), "{\"a\":\"plain/text.1\",\"b\":\"two words\",\"word\":\"ok\","
                                                   "\"c\":-9223372036854775808,\"d\":0,\"e\":1002.003,\"f\":0.000}\n");
        ck_assert_str_eq(written(false, &(struct log_field){LOG_NAME("x"), .text = ""}, 1), "x=\"\"\n");
}
END_TEST

START_TEST(what_could_forge_a_line_is_escaped)
{
        ck_assert_str_eq(quoted("a\n\"b\\\x01\x7f"), "{\"x\":\"a\\u000a\\\"b\\\\\\u0001\\u007f\"}\n");
        ck_assert_str_eq(written(false, &(struct log_field){LOG_NAME("x"), .text = "a=b"}, 1), "x=\"a=b\"\n");
}
END_TEST

START_TEST(utf8_stays_and_other_bytes_are_told)
{
        ck_assert_str_eq(quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                         "{\"x\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}\n");
        ck_assert_str_eq(quoted("\xff\xc3"), "{\"x\":\"\\\\xff\\\\xc3\"}\n");
        ck_assert_str_eq(quoted("\xc2\x9b"), "{\"x\":\"\\\\xc2\\\\x9b\"}\n");            /* a control character */
        ck_assert_str_eq(quoted("\xed\xa0\x80"), "{\"x\":\"\\\\xed\\\\xa0\\\\x80\"}\n"); /* a surrogate */
        ck_assert_str_eq(quoted("\xf0\x9f\x98"), "{\"x\":\"\\\\xf0\\\\x9f\\\\x98\"}\n"); /* half a character */
}
END_TEST

START_TEST(what_is_long_leaves_room_for_the_rest)
{
        static const char *const fillers[] = {"a", "\x01", "\"", "\xff", "\xc3\xa9"};
        static char text[40000];
        struct log_field fields[] = {
                {LOG_NAME("path"), .text = text},
                {LOG_NAME("method"), .text = text},
                {LOG_NAME("status"), .kind = LOG_INT, .number = 404},
                {LOG_NAME("error"), .text = text},
                {LOG_NAME("more"), .text = text},
                {LOG_NAME("and_more"), .text = text},
        };

        for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
                for (int json = 0; json < 2; json++) {
                        text[0] = '\0';
                        for (size_t at = 0; at + 4 < sizeof(text); at += strlen(fillers[i]))
                                strcpy(text + at, fillers[i]);
                        const char *got = written(json, fields, 6);

                        ck_assert_ptr_nonnull(
                                strstr(got, json ? ",\"status\":404,\"error\":\"" : " status=404 error=\""));
                        ck_assert_ptr_nonnull(strstr(got, "...\""));
                        ck_assert_uint_eq(strcspn(got, "\n"), strlen(got) - 1);
                        ck_assert_int_eq(got[strlen(got) - 2], json ? '}' : '"');
                }
        }
}
END_TEST

UNIT_MAIN("line", each_kind_is_written, what_could_forge_a_line_is_escaped, utf8_stays_and_other_bytes_are_told,
          what_is_long_leaves_room_for_the_rest);
