/* The writer of JSON: every text at every place of its block, numbers, and indentation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "render/json_out.h"
#include "render/json_pretty.h"
#include "unit.h"

#define MOST ((size_t)1 << 20)

struct text {
        char bytes[MOST];
        size_t length;
};

static struct text written, wanted;
static char block[JSON_BLOCK_BYTES];

static void collect(void *user, const char *bytes, size_t size)
{
        struct text *text = user;

        ck_assert_uint_lt(text->length + size, MOST);
        memcpy(text->bytes + text->length, bytes, size);
        text->length += size;
}

static void want(const char *text)
{
        collect(&wanted, text, strlen(text));
}

static void want_string(const char *text)
{
        char escaped[8];

        want("\"");
        for (size_t plain; *text; text++) {
                plain = strcspn(text, "\"\\\x01\x1f");
                collect(&wanted, text, plain);
                text += plain;
                if (!*text)
                        break;
                snprintf(escaped, sizeof(escaped), (unsigned char)*text < 0x20 ? "\\u%04x" : "\\%c", *text);
                want(escaped);
        }
        want("\"");
}

static void compare(void)
{
        ck_assert_uint_eq(written.length, wanted.length);
        ck_assert(memcmp(written.bytes, wanted.bytes, wanted.length) == 0);
        written.length = wanted.length = 0;
}

/* A text of so many bytes, one of which is `odd` unless that is 0. */
static const char *text_of(size_t length, char odd)
{
        static char text[MOST / 8];

        for (size_t i = 0; i < length; i++)
                text[i] = (char)('a' + i % 26);
        if (odd && length)
                text[(length * 7) % length ? (length * 7) % length : length / 2] = odd;
        text[length] = '\0';
        return text;
}

static void put_each_way(size_t before, const char *text)
{
        struct json_out out;
        struct json_record record;

        json_begin(&out, block, collect, &written);
        json_open(&out, '[');
        json_item(&out);
        json_text(&out, text_of(before, 0));
        json_close(&out, ']');
        want("[");
        want_string(text_of(before, 0));
        want("]");
        record = json_record(&out);
        json_record_open(&record);
        json_record_text(&record, "text", text);
        json_record_name(&record, "name", text, text_form(text));
        json_record_number(&record, "number", 18446744073709551615U);
        json_record_close(&record);
        json_settle(&record);
        json_end(&out);
        want(",{\"text\":");
        want_string(text);
        want(",\"name\":");
        want_string(text);
        want(",\"number\":18446744073709551615}\n");
        compare();
}

static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 100, JSON_SHORT, JSON_SHORT + 1, 65536};
static const char odds[] = {0, '"', '\\', 0x01, 0x1f};

START_TEST(writes_every_text_at_every_place)
{
        char text[MOST / 8];

        for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
                for (size_t o = 0; o < sizeof(odds); o++)
                        for (size_t left = 0; left < 200; left += 1 + left / 2) {
                                strcpy(text, text_of(lengths[l], odds[o]));
                                put_each_way(JSON_BLOCK_BYTES - left, text);
                        }
}
END_TEST

START_TEST(knows_plain_texts)
{
        char text[64];

        for (size_t length = 0; length < sizeof(text); length++)
                for (size_t at = 0; at < length; at++)
                        for (int c = 0; c < 256; c++) {
                                bool is_plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';

                                memset(text, '!', length);
                                text[at] = (char)c;
                                ck_assert_msg(plain_is(text, length) == is_plain, "byte %d at %zu of %zu", c, at,
                                              length);
                        }
}
END_TEST

START_TEST(writes_numbers)
{
        uint64_t value = 0;

        for (int i = 0; i < 64; i++, value = value * 3 + (uint64_t)i)
                for (uint64_t near = value - 2; near != value + 2; near++) {
                        char text[NUMBER_MOST + 1], by_printf[NUMBER_MOST + 1];

                        *digits_put(text, near) = '\0';
                        snprintf(by_printf, sizeof(by_printf), "%" PRIu64, near);
                        ck_assert_str_eq(text, by_printf);
                        *number_put(text, (int64_t)near) = '\0';
                        snprintf(by_printf, sizeof(by_printf), "%" PRId64, (int64_t)near);
                        ck_assert_str_eq(text, by_printf);
                }
}
END_TEST

START_TEST(indents_down_to_the_members_of_lists)
{
        static const char compact[] =
                "{\"a\":[],\"b\":[{\"c\":[1,2],\"d\":\"[,\\\"}\"},{}],\"e\":{\"f\":-1.5,\"g\":null}}\n";
        static const char indented[] =
                "{\n  \"a\": [],\n  \"b\": [\n    {\"c\": [1, 2], \"d\": \"[,\\\"}\"},\n    {}\n  ],\n"
                "  \"e\": {\n    \"f\": -1.5,\n    \"g\": null\n  }\n}\n";
        struct json_pretty pretty;

        for (size_t piece = 1; piece < sizeof(compact); piece++) {
                json_pretty_begin(&pretty, collect, &written);
                for (size_t at = 0; at < sizeof(compact) - 1; at += piece)
                        json_pretty_write(&pretty, compact + at,
                                          piece < sizeof(compact) - 1 - at ? piece : sizeof(compact) - 1 - at);
                json_pretty_end(&pretty);
                want(indented);
                compare();
        }
}
END_TEST

UNIT_MAIN("json_out", writes_every_text_at_every_place, knows_plain_texts, writes_numbers,
          indents_down_to_the_members_of_lists);
