#include "render/json_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FLUSH_BYTES 16384

void json_begin(struct json_out *out, struct arena *arena, bool pretty, render_write write, void *user)
{
        *out = (struct json_out){.write = write, .user = user, .pretty = pretty, .fresh = true, .broken = 2};
        buf_init(&out->buf, arena);
}

static void flush(struct json_out *out)
{
        out->write(out->user, out->buf.text, out->buf.length);
        out->buf.length = 0;
}

void json_end(struct json_out *out)
{
        buf_putc(&out->buf, '\n');
        flush(out);
}

/* -- structure -- */

static void new_line(struct json_out *out)
{
        buf_putc(&out->buf, '\n');
        for (int i = 0; i < out->depth; i++)
                buf_put(&out->buf, "  ", 2);
}

static void separate(struct json_out *out)
{
        if (!out->fresh)
                buf_putc(&out->buf, ',');
        if (out->pretty) {
                if (out->depth <= out->broken)
                        new_line(out);
                else if (!out->fresh)
                        buf_putc(&out->buf, ' ');
        }
        out->fresh = false;
}

void json_open(struct json_out *out, char bracket)
{
        buf_putc(&out->buf, bracket);
        out->depth++;
        out->fresh = true;
}

void json_close(struct json_out *out, char bracket)
{
        if (out->pretty && !out->fresh && out->depth <= out->broken) {
                out->depth--;
                new_line(out);
        } else {
                out->depth--;
        }
        buf_putc(&out->buf, bracket);
        out->fresh = false;
        if (out->buf.length >= FLUSH_BYTES)
                flush(out);
}

static void colon(struct json_out *out)
{
        buf_put(&out->buf, ": ", out->pretty ? 2 : 1);
}

void json_key(struct json_out *out, const char *key)
{
        separate(out);
        buf_putc(&out->buf, '"');
        buf_puts(&out->buf, key);
        buf_putc(&out->buf, '"');
        colon(out);
}

void json_key_any(struct json_out *out, const char *key)
{
        separate(out);
        json_text(out, key);
        colon(out);
}

void json_item(struct json_out *out)
{
        separate(out);
}

/* -- texts -- */

/* The length of the well-formed UTF-8 sequence (RFC 3629) that begins with a byte >= 0x80; 0 when there is none. */
static size_t utf8_sequence(const unsigned char *s, size_t left)
{
        unsigned char low = 0x80, high = 0xbf;
        size_t length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                        : (s[0] & 0xf0) == 0xe0        ? 3
                        : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                       : 0;

        if (length == 0 || length > left)
                return 0;
        if (s[0] == 0xe0)
                low = 0xa0;
        else if (s[0] == 0xed)
                high = 0x9f;
        else if (s[0] == 0xf0)
                low = 0x90;
        else if (s[0] == 0xf4)
                high = 0x8f;
        if (s[1] < low || s[1] > high)
                return 0;
        for (size_t i = 2; i < length; i++)
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
        return length;
}

static void put_escaped(struct buf *buf, unsigned char c)
{
        static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
        const char *at = c ? strchr(plain, c) : NULL;
        char text[8];

        if (at) {
                text[0] = '\\';
                text[1] = letter[at - plain];
                buf_put(buf, text, 2);
        } else {
                buf_put(buf, text, (size_t)snprintf(text, sizeof(text), "\\u%04x", c));
        }
}

void buf_put_json(struct buf *buf, const char *text, size_t length)
{
        const unsigned char *s = (const unsigned char *)text;
        size_t done = 0, at = 0;

        buf_putc(buf, '"');
        while (at < length) {
                size_t step = s[at] < 0x80 ? 1 : utf8_sequence(s + at, length - at);

                if (step == 0 || s[at] < 0x20 || s[at] == '"' || s[at] == '\\' || s[at] == 0x7f) {
                        buf_put(buf, text + done, at - done);
                        if (step == 0)
                                buf_put(buf, "\xef\xbf\xbd", 3);
                        else
                                put_escaped(buf, s[at]);
                        step = 1;
                        done = at + 1;
                }
                at += step;
        }
        buf_put(buf, text + done, at - done);
        buf_putc(buf, '"');
}

void json_text(struct json_out *out, const char *text)
{
        buf_put_json(&out->buf, text, strlen(text));
}

/* -- numbers -- */

void json_int(struct json_out *out, int64_t value)
{
        buf_put_i64(&out->buf, value);
}

void json_uint(struct json_out *out, uint64_t value)
{
        char text[24];

        buf_put(&out->buf, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)value));
}

void json_bool(struct json_out *out, bool value)
{
        buf_puts(&out->buf, value ? "true" : "false");
}

void float_text(char *text, double value, bool narrow)
{
        if (isnan(value) || isinf(value)) {
                snprintf(text, FLOAT_TEXT, "%s", isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
                return;
        }
        for (int digits = narrow ? 6 : 15; digits <= 17; digits++) {
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

void json_float(struct json_out *out, double value, bool narrow)
{
        char text[FLOAT_TEXT];

        float_text(text, value, narrow);
        if (isfinite(value))
                buf_puts(&out->buf, text);
        else
                json_text(out, text);
}

/* -- members -- */

void json_put_text(struct json_out *out, const char *key, const char *text)
{
        json_key(out, key);
        json_text(out, text);
}

void json_put_text_some(struct json_out *out, const char *key, const char *text)
{
        if (text[0])
                json_put_text(out, key, text);
}

void json_put_int(struct json_out *out, const char *key, int64_t value)
{
        json_key(out, key);
        json_int(out, value);
}

void json_put_int_some(struct json_out *out, const char *key, int64_t value)
{
        if (value != -1)
                json_put_int(out, key, value);
}
