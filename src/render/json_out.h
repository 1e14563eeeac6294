/* Writes JSON piece by piece, commas and indentation included. What it writes is kept in one block, which `write`
   empties time and again. */
#pragma once

#include <string.h>

#include "render/render.h"

#define JSON_BLOCK_BYTES ((size_t)32 * 1024)

struct json_out {
        char *block;
        size_t length, flushed;
        ox_write write;
        void *user;
        bool pretty;
        bool fresh; /* nothing stands yet in the object or list that is open */
        int depth;
        int broken; /* when pretty: down to this depth every member has its line, below it all stands on one */
};

/* `block` has JSON_BLOCK_BYTES. */
void json_begin(struct json_out *out, char *block, bool pretty, ox_write write, void *user);

/* Hands on all that is left, with a newline at the end. */
void json_end(struct json_out *out);

/* `{` or `[`, and what closes it. */
void json_open(struct json_out *out, char bracket);
void json_close(struct json_out *out, char bracket);

/* Empties the block. */
void json_flush(struct json_out *out);

/* Where the next bytes go; there is room for `size` of them, at most JSON_BLOCK_BYTES. */
static inline char *json_room(struct json_out *out, size_t size)
{
        if (size > JSON_BLOCK_BYTES - out->length)
                json_flush(out);
        return out->block + out->length;
}

/* What json_key() does when the text is pretty. */
void json_key_pretty(struct json_out *out, const char *key, size_t length);

/* Inlined whatever the compiler thinks of it: only so is the length of a key known when it is compiled. */
#define JSON_INLINE static inline __attribute__((always_inline))

/* The name of the member that comes next: a short plain word of ours, whose length the compiler knows. */
JSON_INLINE void json_key(struct json_out *out, const char *key)
{
        size_t length = strlen(key);

        if (out->pretty) {
                json_key_pretty(out, key, length);
                return;
        }
        char *at = json_room(out, length + 4);

        *at = ',';
        at += !out->fresh;
        *at++ = '"';
        memcpy(at, key, length);
        at[length] = '"';
        at[length + 1] = ':';
        out->length = (size_t)(at + length + 2 - out->block);
        out->fresh = false;
}

/* The same for a name that came from outside. */
void json_key_any(struct json_out *out, const char *key);
/* Begins the next element of a list. */
void json_item(struct json_out *out);

/* A text; bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json_out *out, const char *text);
void json_int(struct json_out *out, int64_t value);
void json_uint(struct json_out *out, uint64_t value);
void json_bool(struct json_out *out, bool value);
void json_null(struct json_out *out);
/* The shortest text that reads back as the same float32 (`narrow`) or double, with a point or an exponent in it;
   "NaN", "Infinity" and "-Infinity" as texts. */
void json_float(struct json_out *out, double value, bool narrow);

/* What was written since json_mark(), *ret_length bytes of it; NULL when a part is gone to `write` already. */
static inline size_t json_mark(const struct json_out *out)
{
        return out->flushed + out->length;
}
const char *json_since(const struct json_out *out, size_t mark, size_t *ret_length);
/* Members as they were written before, in an object of the same depth that had a member already. */
void json_again(struct json_out *out, const char *text, size_t length);

/* -- members: key and value in one; the _some forms leave out what is empty -- */

JSON_INLINE void json_put_text(struct json_out *out, const char *key, const char *text)
{
        json_key(out, key);
        json_text(out, text);
}

JSON_INLINE void json_put_text_some(struct json_out *out, const char *key, const char *text)
{
        if (text[0])
                json_put_text(out, key, text);
}

JSON_INLINE void json_put_int(struct json_out *out, const char *key, int64_t value)
{
        json_key(out, key);
        json_int(out, value);
}

/* -1 is left out. */
JSON_INLINE void json_put_int_some(struct json_out *out, const char *key, int64_t value)
{
        if (value != -1)
                json_put_int(out, key, value);
}
