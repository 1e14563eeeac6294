#include "obs/line.h"

#include <string.h>

#include "engine.h"

#define END_BYTES    2  /* room for what line_end() writes */
#define NUMBER_BYTES 24 /* digits, point and sign of a number */

/* These write at `to`, where the caller has ensured that there is room, and return the end. */

static char *put(char *to, const char *text, size_t length)
{
        memcpy(to, text, length);
        return to + length;
}

static char *put_name(char *to, const struct log_field *field)
{
        memcpy(to, field->name, LINE_NAME);
        return to + field->length;
}

static char *put_digits(char *to, uint64_t number)
{
        char digits[NUMBER_BYTES];
        size_t at = sizeof(digits);

        if (number < 10) {
                *to = (char)('0' + number);
                return to + 1;
        }
        for (; number; number /= 10)
                digits[--at] = (char)('0' + number % 10);
        return put(to, digits + at, sizeof(digits) - at);
}

static char *put_number(char *to, int64_t number)
{
        if (number < 0)
                *to++ = '-';
        return put_digits(to, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static char *put_ms(char *to, int64_t ns)
{
        uint64_t us = ns > 0 ? (uint64_t)ns / 1000 : 0;

        if (us == 0)
                return put(to, "0.000", 5);
        unsigned part = (unsigned)(us % 1000);

        to = put_digits(to, us / 1000);
        to[0] = '.';
        to[1] = (char)('0' + part / 100);
        to[2] = (char)('0' + part / 10 % 10);
        to[3] = (char)('0' + part % 10);
        return to + 4;
}

/* -- texts -- */

/* Characters that need no quotes in logfmt, and characters that need no escape within quotes. */
static bool is_plain_char(unsigned char c)
{
        return (unsigned char)((c | 0x20) - 'a') < 26 || (c >= '-' && c <= ':') || c == '_' || c == '[' || c == ']';
}

static bool is_quotable_char(unsigned char c)
{
        return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Writes a text that needs no quotes; NULL if it needs them. */
static char *put_plain(char *to, const char *text)
{
        const char *at = text, *most = text + LINE_TEXT;

        while (at < most && is_plain_char((unsigned char)*at))
                *to++ = *at++;
        return at > text && !*at ? to : NULL;
}

/* The length of the character at this position if it has several bytes, is well-formed UTF-8 and not a control
   character; otherwise 0. */
static size_t wide_length(const char *text)
{
        unsigned char first = (unsigned char)text[0];
        size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;

        if (first >= 0xf5 || strnlen(text, length) < length || !utf8_is_clean(text, length))
                return 0;
        return first == 0xc2 && (unsigned char)text[1] < 0xa0 ? 0 : length;
}

#define ESCAPED_MOST 6 /* bytes of one escaped character */

/* Writes a character that must be escaped within quotes: as in JSON, and an invalid byte as "\\xff". Moves *text past
   it. */
static char *put_character(char *to, const char **text)
{
        static const char hex[] = "0123456789abcdef";
        unsigned char c = (unsigned char)**text;
        size_t wide = c < 0x80 ? 0 : wide_length(*text);

        if (wide) {
                to = put(to, *text, wide);
                *text += wide;
                return to;
        }
        ++*text;
        *to++ = '\\';
        if (c == '"' || c == '\\') {
                *to++ = (char)c;
                return to;
        }
        to = c < 0x80 ? put(to, "u00", 3) : put(to, "\\x", 2);
        *to++ = hex[c >> 4];
        *to++ = hex[c & 15];
        return to;
}

/* Texts come from clients; quotes keep them from forging a line. */
static char *put_quoted(char *to, const char *text)
{
        static const char cut[] = "...";
        const char *most = to + LINE_TEXT;

        *to++ = '"';
        while (*text && to + ESCAPED_MOST <= most) {
                if (is_quotable_char((unsigned char)*text))
                        *to++ = *text++;
                else
                        to = put_character(to, &text);
        }
        if (*text)
                to = put(to, cut, sizeof(cut) - 1);
        *to++ = '"';
        return to;
}

/* -- lines -- */

void line_begin(struct line *line, bool json)
{
        line->json = json;
        line->length = 0;
        if (json)
                line->text[line->length++] = '{';
}

static char *put_head(const struct line *line, char *to, const struct log_field *field)
{
        if (!line->json) {
                if (line->length)
                        *to++ = ' ';
                to = put_name(to, field);
                *to++ = '=';
                return to;
        }
        if (line->length > 1)
                *to++ = ',';
        *to++ = '"';
        to = put_name(to, field);
        return put(to, "\":", 2);
}

static char *put_text(const struct line *line, char *to, const char *text)
{
        char *end = line->json ? NULL : put_plain(to, text);

        return end ? end : put_quoted(to, text);
}

static inline void put_field(struct line *line, const struct log_field *field)
{
        static const size_t most = LINE_NAME + LINE_TEXT + sizeof("\"...\",\"\":") + END_BYTES;
        char *to = line->text + line->length;

        if ((field->kind <= LOG_WORD && !field->text) || line->length + most > sizeof(line->text))
                return;
        to = put_head(line, to, field);
        switch (field->kind) {
        case LOG_TEXT:
                to = put_text(line, to, field->text);
                break;
        case LOG_WORD:
                to = line->json ? put_quoted(to, field->text) : stpcpy(to, field->text);
                break;
        case LOG_INT:
                to = put_number(to, field->number);
                break;
        case LOG_MS:
                to = put_ms(to, field->number);
                break;
        }
        line->length = (size_t)(to - line->text);
}

void line_fields(struct line *line, const struct log_field *fields, int count)
{
        for (int i = 0; i < count; i++)
                put_field(line, &fields[i]);
}

void line_end(struct line *line)
{
        if (line->json)
                line->text[line->length++] = '}';
        line->text[line->length++] = '\n';
}
