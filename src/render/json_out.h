/* Writes JSON piece by piece, commas and indentation included. What it writes is kept in one block on the arena, which
   `write` empties time and again. */
#pragma once

#include <string.h>

#include "render/render.h"

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

void json_begin(struct json_out *out, struct arena *arena, bool pretty, ox_write write, void *user);

/* Hands on all that is left, with a newline at the end. */
void json_end(struct json_out *out);

/* `{` or `[`, and what closes it. */
void json_open(struct json_out *out, char bracket);
void json_close(struct json_out *out, char bracket);

/* The name of the member that comes next: a short plain word of ours. */
void json_key_sized(struct json_out *out, const char *key, size_t length);

static inline void json_key(struct json_out *out, const char *key)
{
        json_key_sized(out, key, strlen(key));
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

void json_put_text(struct json_out *out, const char *key, const char *text);
void json_put_text_some(struct json_out *out, const char *key, const char *text);
void json_put_int(struct json_out *out, const char *key, int64_t value);
void json_put_int_some(struct json_out *out, const char *key, int64_t value); /* -1 is left out */

/* "diagnostics" as one list of objects: what answers and errors have in common. */
void json_diags(struct json_out *out, const struct diags *diags);

/* The text of a float without quotes; `text` has room for FLOAT_TEXT bytes. */
#define FLOAT_TEXT 40
void float_text(char *text, double value, bool narrow);
