#include "render/json_out.h"

#include <stdio.h>

#include "base/digits.h"
#include "render/float_text.h"

#define BLOCK_BYTES JSON_BLOCK_BYTES
#define WORD_BYTES  64 /* room for a key, a number or an escape, with what stands around it */

void json_begin(struct json_out *out, char *block, bool pretty, ox_write write, void *user)
{
        *out = (struct json_out){
                .block = block,
                .write = write,
                .user = user,
                .pretty = pretty,
                .fresh = true,
                .broken = 2,
        };
}

void json_flush(struct json_out *out)
{
        out->write(out->user, out->block, out->length);
        out->flushed += out->length;
        out->length = 0;
}

static inline void put_char(struct json_out *out, char c)
{
        *json_room(out, 1) = c;
        out->length++;
}

static void put(struct json_out *out, const char *text, size_t length)
{
        while (length > BLOCK_BYTES) {
                memcpy(json_room(out, BLOCK_BYTES), text, BLOCK_BYTES);
                out->length += BLOCK_BYTES;
                text += BLOCK_BYTES;
                length -= BLOCK_BYTES;
        }
        memcpy(json_room(out, length), text, length);
        out->length += length;
}

void json_end(struct json_out *out)
{
        put_char(out, '\n');
        json_flush(out);
}

/* -- structure -- */

static void new_line(struct json_out *out)
{
        put_char(out, '\n');
        for (int i = 0; i < out->depth; i++)
                put(out, "  ", 2);
}

static inline void separate(struct json_out *out)
{
        if (!out->fresh)
                put_char(out, ',');
        if (out->pretty) {
                if (out->depth <= out->broken)
                        new_line(out);
                else if (!out->fresh)
                        put_char(out, ' ');
        }
        out->fresh = false;
}

void json_open(struct json_out *out, char bracket)
{
        put_char(out, bracket);
        out->depth++;
        out->fresh = true;
}

void json_close(struct json_out *out, char bracket)
{
        bool broken = out->pretty && !out->fresh && out->depth <= out->broken;

        out->depth--;
        if (broken)
                new_line(out);
        put_char(out, bracket);
        out->fresh = false;
}

static void colon(struct json_out *out)
{
        put(out, ": ", out->pretty ? 2 : 1);
}

void json_key_pretty(struct json_out *out, const char *key, size_t length)
{
        separate(out);
        put_char(out, '"');
        put(out, key, length);
        put_char(out, '"');
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

static void put_escaped(struct json_out *out, unsigned char c)
{
        static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
        const char *found = strchr(plain, c);
        char *at = json_room(out, WORD_BYTES);

        if (found) {
                at[0] = '\\';
                at[1] = letter[found - plain];
                out->length += 2;
        } else {
                out->length += (size_t)snprintf(at, WORD_BYTES, "\\u%04x", c);
        }
}

/* Of eight bytes, the high bit of each that is not printable ASCII, or a quote or a backslash. A byte may have it that
   stands above such a one. */
static inline uint64_t odd_bytes(uint64_t word)
{
        const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
        uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\'), rubout = word ^ (ones * 0x7f);

        return (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones) | (rubout - ones)) & highs;
}

static inline uint64_t eight_bytes(const char *at)
{
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        return word;
}

static inline uint64_t four_bytes(const char *at)
{
        uint32_t word;

        memcpy(&word, at, sizeof(word));
        return word;
}

/* Whether all bytes are printable ASCII but for quotes and backslashes. The last bytes are read together with some that
   were read before. */
static bool is_plain(const char *text, size_t length)
{
        uint64_t odd = 0;

        if (length >= 8) {
                for (size_t i = 0; i + 8 < length; i += 8)
                        odd |= odd_bytes(eight_bytes(text + i));
                return (odd | odd_bytes(eight_bytes(text + length - 8))) == 0;
        }
        if (length >= 4)
                return odd_bytes(four_bytes(text) | four_bytes(text + length - 4) << 32) == 0;
        for (size_t i = 0; i < length; i++)
                odd |= odd_bytes(UINT64_C(0x2020202020202000) | (unsigned char)text[i]);
        return odd == 0;
}

static void put_text(struct json_out *out, const char *text, size_t length)
{
        const unsigned char *s = (const unsigned char *)text;
        size_t done = 0, at = 0;

        while (at < length) {
                size_t step = s[at] < 0x80 ? 1 : utf8_sequence(s + at, length - at);

                if (step == 0 || s[at] < 0x20 || s[at] == '"' || s[at] == '\\' || s[at] == 0x7f) {
                        put(out, text + done, at - done);
                        if (step == 0)
                                put(out, "\xef\xbf\xbd", 3);
                        else
                                put_escaped(out, s[at]);
                        step = 1;
                        done = at + 1;
                }
                at += step;
        }
        put(out, text + done, at - done);
}

void json_text(struct json_out *out, const char *text)
{
        size_t length = strlen(text);

        if (length <= BLOCK_BYTES - 2 && is_plain(text, length)) {
                char *at = json_room(out, length + 2);

                at[0] = '"';
                memcpy(at + 1, text, length);
                at[length + 1] = '"';
                out->length += length + 2;
                return;
        }
        put_char(out, '"');
        put_text(out, text, length);
        put_char(out, '"');
}

/* -- numbers -- */

void json_uint(struct json_out *out, uint64_t value)
{
        char *at = json_room(out, DIGITS_MOST);

        out->length = (size_t)(digits_put(at, value) - out->block);
}

void json_int(struct json_out *out, int64_t value)
{
        char *at = json_room(out, NUMBER_MOST);

        out->length = (size_t)(number_put(at, value) - out->block);
}

void json_bool(struct json_out *out, bool value)
{
        put(out, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json_out *out)
{
        put(out, "null", 4);
}

/* JSON has no numbers that are not finite: they are texts, and begin with a letter, behind a sign perhaps. */
void json_float(struct json_out *out, double value, bool narrow)
{
        char *at = json_room(out, FLOAT_TEXT + 2), *text = at + 1, *end = float_put(text, value, narrow);

        if (end[-1] <= '9') {
                memmove(at, text, (size_t)(end - text));
                out->length += (size_t)(end - text);
                return;
        }
        *at = '"';
        *end++ = '"';
        out->length += (size_t)(end - at);
}

/* -- again -- */

const char *json_since(const struct json_out *out, size_t mark, size_t *ret_length)
{
        if (mark < out->flushed)
                return NULL;
        *ret_length = out->flushed + out->length - mark;
        return out->block + (mark - out->flushed);
}

void json_again(struct json_out *out, const char *text, size_t length)
{
        put(out, text, length);
        out->fresh = false;
}
