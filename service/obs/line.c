#include "obs/line.h"

#include <string.h>

#include "engine.h"

#define END_BYTES   2  /* what line_end() writes */
#define NUMBER_MOST 24 /* digits, point and sign of a number */

/* Room is checked once a field: see line_field(). */
static void put(struct line *line, const char *text, size_t length)
{
        memcpy(line->text + line->length, text, length);
        line->length += length;
}

static void put_char(struct line *line, char c)
{
        line->text[line->length++] = c;
}

/* The digits of a number, at least so many. */
static void put_digits(struct line *line, uint64_t number, int least)
{
        char digits[NUMBER_MOST];
        size_t at = sizeof(digits);

        for (; number || least > 0; number /= 10, least--)
                digits[--at] = (char)('0' + number % 10);
        put(line, digits + at, sizeof(digits) - at);
}

static void put_number(struct line *line, int64_t number)
{
        if (number < 0)
                put_char(line, '-');
        put_digits(line, number < 0 ? -(uint64_t)number : (uint64_t)number, 1);
}

static void put_ms(struct line *line, int64_t ns)
{
        uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0;

        put_digits(line, us / 1000, 1);
        put_char(line, '.');
        put_digits(line, us % 1000, 3);
}

/* -- texts -- */

/* Which characters stand as they are without quotes, in logfmt, and which within them. */
static bool is_plain_char(unsigned char c)
{
        return (unsigned char)((c | 0x20) - 'a') < 26 || (c >= '-' && c <= ':') || c == '_' || c == '[' || c == ']';
}

static bool is_quotable_char(unsigned char c)
{
        return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static bool is_plain(const char *text)
{
        size_t length = 0;

        while (is_plain_char((unsigned char)text[length]))
                length++;
        return length > 0 && length <= LINE_TEXT && !text[length];
}

/* How many bytes the character has that begins here, when it is one of several in well-formed UTF-8 and no control
   character; 0 when not. */
static size_t wide_length(const char *text)
{
        unsigned char first = (unsigned char)text[0];
        size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;

        if (first >= 0xf5 || strnlen(text, length) < length || !utf8_is_clean(text, length))
                return 0;
        return first == 0xc2 && (unsigned char)text[1] < 0xa0 ? 0 : length;
}

#define ESCAPED_MOST 6 /* bytes that one character becomes */

/* One character as it stands within quotes: escaped as JSON has it, and a byte of no character as "\\xff". Returns how
   many bytes of the text that was. */
static size_t put_character(struct line *line, const char *text)
{
        static const char hex[] = "0123456789abcdef";
        unsigned char c = (unsigned char)*text;
        size_t wide = c < 0x80 ? 0 : wide_length(text);

        if (wide) {
                put(line, text, wide);
                return wide;
        }
        if (is_quotable_char(c)) {
                put_char(line, (char)c);
                return 1;
        }
        put_char(line, '\\');
        if (c == '"' || c == '\\') {
                put_char(line, (char)c);
                return 1;
        }
        put(line, c < 0x80 ? "u00" : "\\x", c < 0x80 ? 3 : 2);
        put_char(line, hex[c >> 4]);
        put_char(line, hex[c & 15]);
        return 1;
}

/* Texts come from clients: within quotes no line can be forged. */
static void put_quoted(struct line *line, const char *text)
{
        static const char cut[] = "...";
        size_t most = line->length + LINE_TEXT;

        put_char(line, '"');
        while (*text && line->length + ESCAPED_MOST <= most)
                text += put_character(line, text);
        if (*text)
                put(line, cut, sizeof(cut) - 1);
        put_char(line, '"');
}

/* -- lines -- */

void line_begin(struct line *line, bool json)
{
        line->json = json;
        line->length = 0;
        if (json)
                put_char(line, '{');
}

void line_field(struct line *line, const struct log_field *field)
{
        static const size_t most = LINE_TEXT + sizeof("\"...\",\"\":") + END_BYTES;
        size_t length = strlen(field->name);

        if ((field->kind == LOG_TEXT && !field->text) || line->length + length + most > sizeof(line->text))
                return;
        if (line->json) {
                put(line, line->length > 1 ? ",\"" : "\"", line->length > 1 ? 2 : 1);
                put(line, field->name, length);
                put(line, "\":", 2);
        } else {
                put(line, " ", line->length ? 1 : 0);
                put(line, field->name, length);
                put_char(line, '=');
        }
        if (field->kind == LOG_INT)
                put_number(line, field->number);
        else if (field->kind == LOG_MS)
                put_ms(line, field->number);
        else if (!line->json && is_plain(field->text))
                put(line, field->text, strlen(field->text));
        else
                put_quoted(line, field->text);
}

void line_end(struct line *line)
{
        if (line->json)
                put_char(line, '}');
        put_char(line, '\n');
}
