/* Interned strings: equal texts have equal handles, so that names are compared and looked up as numbers. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* A handle; handles count up from 0, which is the empty string, so that they can index arrays. */
typedef uint32_t str_id;
#define STR_EMPTY ((str_id)0)

struct strings;

/* Lives on the arena and dies with it. `seed` keeps a hostile model from choosing names that collide. */
struct strings *strings_new(struct arena *arena, uint64_t seed);

/* Makes room for that many texts in all. */
void str_reserve(struct strings *strings, size_t count);

/* Copies the text unless it is known already. */
str_id str_intern(struct strings *strings, const char *text, size_t length);
str_id str_intern_z(struct strings *strings, const char *text);

/* As str_intern(), without the copy: `text` must stay as it is for as long as the arena and end with a NUL. */
str_id str_intern_static(struct strings *strings, const char *text);

/* Says that a text will be interned before long, so that its place in the table is in the cache by then, and gives what
   its second reading would. */
struct str_expected {
        const char *text;
        size_t length;
        uint32_t hash;
};
struct str_expected str_expect(const struct strings *strings, const char *text, size_t length);

/* As str_intern(), but false when the text is not known and not clean (see utf8_is_clean()). */
bool str_intern_clean(struct strings *strings, const struct str_expected *expected, str_id *ret);

/* A copy of a text that lives as long as the strings do, with a NUL behind it, and no byte more. */
const char *str_keep(struct strings *strings, const char *text, size_t length);

/* Whether a text is interned, and its handle if so; never adds one. */
bool str_find(const struct strings *strings, const char *text, size_t length, str_id *ret);

const char *str_text(const struct strings *strings, str_id id);
size_t str_length(const struct strings *strings, str_id id);

/* What a writer asks of a text, remembered: how long it is, and whether it is plain (base/plain.h). */
struct text_form {
        uint32_t length : 31;
        uint32_t is_plain : 1;
};
struct text_form str_form(const struct strings *strings, str_id id);
struct text_form text_form(const char *text);

/* One more than the largest handle in use. */
uint32_t str_count(const struct strings *strings);

/* Whether two texts are equal. Most are not at their first character, or are empty. */
static inline bool text_same(const char *a, const char *b)
{
        return *a == *b && (*a == '\0' || strcmp(a, b) == 0);
}

/* protobuf-c has NULL for a text that the model leaves out. */
static inline const char *text_or_empty(const char *text)
{
        return text ? text : "";
}

/* Copies a text, a short one in two moves that overlap, and returns where it ends. Inlined whatever the compiler thinks
   of it, for the length is often known. */
static inline __attribute__((always_inline)) char *text_copy(char *at, const char *text, size_t length)
{
        if (length > 16) {
                memcpy(at, text, length);
        } else if (length >= 8) {
                memcpy(at, text, 8);
                memcpy(at + length - 8, text + length - 8, 8);
        } else if (length >= 4) {
                memcpy(at, text, 4);
                memcpy(at + length - 4, text + length - 4, 4);
        } else if (length) {
                at[0] = text[0];
                at[length / 2] = text[length / 2];
                at[length - 1] = text[length - 1];
        }
        return at + length;
}

/* Whether bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms) without a NUL. */
bool utf8_is_clean(const char *text, size_t length);

/* The length of the well-formed UTF-8 sequence that begins the `left` bytes, at least 1; 0: there is none. RFC 3629,
 * section 4. */
size_t utf8_sequence(const unsigned char *at, size_t left);
