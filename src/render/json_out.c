#include "render/json_out.h"

#include <stdio.h>

#include "base/plain.h"
#include "base/str.h"
#include "render/float_text.h"

#define WORD_BYTES JSON_PIECE /* room for a number or an escape, with what stands around it */
_Static_assert(FLOAT_TEXT + 2 < WORD_BYTES, "a float is a piece");

void json_begin(struct json_out *out, char *block, ox_write write, void *user)
{
        *out = (struct json_out){
                .block = block,
                .end = block + JSON_BLOCK_BYTES,
                .at = block,
                .fresh = true,
                .write = write,
                .user = user,
        };
}

void json_begin_in(struct json_out *out, ox_room room, void *user)
{
        size_t size;
        char *block = room(user, 0, JSON_BLOCK_BYTES, &size);

        *out = (struct json_out){
                .block = block, .end = block + size, .at = block, .fresh = true, .room = room, .user = user};
}

/* Hands on what is before `at`, with room for `least` more bytes behind it. */
static char *hand_on(struct json_out *out, char *at, size_t least)
{
        const size_t size = (size_t)(at - out->block);
        size_t room;

        out->flushed += size;
        if (out->write) {
                out->write(out->user, out->block, size);
        } else {
                out->block = out->room(out->user, size, least, &room);
                out->end = out->block + room;
        }
        return out->block;
}

char *json_empty(struct json_out *out, char *at)
{
        return hand_on(out, at, JSON_BLOCK_BYTES);
}

void json_flush(struct json_out *out)
{
        out->at = json_empty(out, out->at);
}

/* Room for `size` more bytes, at most JSON_BLOCK_BYTES. */
static inline void need(struct json_out *out, size_t size)
{
        if (size > (size_t)(out->end - out->at))
                json_flush(out);
}

static inline void put_char(struct json_out *out, char c)
{
        need(out, 1);
        *out->at++ = c;
}

static void put(struct json_out *out, const char *text, size_t length)
{
        while (length > JSON_BLOCK_BYTES) {
                need(out, JSON_BLOCK_BYTES);
                memcpy(out->at, text, JSON_BLOCK_BYTES);
                out->at += JSON_BLOCK_BYTES;
                text += JSON_BLOCK_BYTES;
                length -= JSON_BLOCK_BYTES;
        }
        need(out, length);
        memcpy(out->at, text, length);
        out->at += length;
}

void json_end(struct json_out *out)
{
        put_char(out, '\n');
        out->at = hand_on(out, out->at, 0);
}

/* -- structure -- */

void json_open(struct json_out *out, char bracket)
{
        put_char(out, bracket);
        out->fresh = true;
}

void json_close(struct json_out *out, char bracket)
{
        put_char(out, bracket);
        out->fresh = false;
}

void json_key(struct json_out *out, const char *key)
{
        json_item(out);
        json_text(out, key);
        put_char(out, ':');
}

void json_item(struct json_out *out)
{
        if (!out->fresh)
                put_char(out, ',');
        out->fresh = false;
}

/* -- texts -- */

static void put_escaped(struct json_out *out, unsigned char c)
{
        static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
        const char *found = strchr(plain, c);

        need(out, WORD_BYTES);
        if (found) {
                *out->at++ = '\\';
                *out->at++ = letter[found - plain];
        } else {
                out->at += snprintf(out->at, WORD_BYTES, "\\u%04x", c);
        }
}

/* Copies a text; false where it is not plain. */
static bool copy_plain_long(char *at, const char *text, size_t length)
{
        uint64_t odd = 0, word;

        for (size_t i = 0; i + 8 < length; i += 8) {
                word = text_eight(text + i);
                odd |= plain_odd(word);
                memcpy(at + i, &word, 8);
        }
        word = text_eight(text + length - 8);
        memcpy(at + length - 8, &word, 8);
        return (odd | plain_odd(word)) == 0;
}

static inline bool copy_plain(char *at, const char *text, size_t length)
{
        if (length > 16)
                return copy_plain_long(at, text, length);
        text_copy(at, text, length);
        return plain_is(text, length);
}

static void put_text(struct json_out *out, const char *text, size_t length)
{
        const unsigned char *s = (const unsigned char *)text;
        size_t done = 0, at = 0;

        while (at < length) {
                size_t step = utf8_sequence(s + at, length - at);

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

static char *put_any(struct json_out *out, char *at, const char *text, size_t length)
{
        out->at = at;
        put_char(out, '"');
        put_text(out, text, length);
        put_char(out, '"');
        return out->at;
}

char *json_put_string(struct json_out *out, char *at, const char *text, size_t length)
{
        if (length + 2 > (size_t)(out->end - at) || !copy_plain(at + 1, text, length))
                return put_any(out, at, text, length);
        at[0] = '"';
        at[length + 1] = '"';
        return at + length + 2;
}

void json_text(struct json_out *out, const char *text)
{
        out->at = json_put_string(out, out->at, text, strlen(text));
}

/* -- numbers -- */

void json_uint(struct json_out *out, uint64_t value)
{
        need(out, WORD_BYTES);
        out->at = digits_put(out->at, value);
}

void json_int(struct json_out *out, int64_t value)
{
        need(out, WORD_BYTES);
        out->at = number_put(out->at, value);
}

void json_bool(struct json_out *out, bool value)
{
        put(out, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json_out *out)
{
        put(out, "null", 4);
}

/* JSON has no infinite numbers or NaN, so these are texts, which end with a letter. */
char *json_put_float(char *at, double value, bool narrow)
{
        char *end = float_put(at, value, narrow);

        if (end[-1] <= '9')
                return end;
        memmove(at + 1, at, (size_t)(end - at));
        *at = '"';
        end[1] = '"';
        return end + 2;
}

void json_float(struct json_out *out, double value, bool narrow)
{
        need(out, WORD_BYTES);
        out->at = json_put_float(out->at, value, narrow);
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
