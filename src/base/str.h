/* Interned strings: equal texts have equal handles, so that names are compared and looked up as numbers. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/plain.h"

/* A handle; handles count up from 0, which is the empty string, so that they can index arrays. */
typedef uint32_t str_id;
#define STR_EMPTY ((str_id)0)

/* Properties of a text that writers need: its length, and whether it is plain (base/plain.h). */
struct text_form {
        uint32_t length : 31;
        uint32_t is_plain : 1;
};

#define STR_CHUNK 256

/* Only str.c touches more than `chunk`. */
struct strings {
        const char ***chunk; /* texts by handle, STR_CHUNK in each, which never move; before a text stands its form */
        struct arena *arena;
        uint64_t seed;
        uint32_t count, n_chunk;
        struct str_slot *slot; /* slot_mask + 1 of them */
        uint32_t slot_mask;
        char *text; /* where the next one is copied to */
        size_t text_left, text_block;
};

/* Lives on the arena and dies with it. `seed` keeps a hostile model from choosing names that collide. */
struct strings *strings_new(struct arena *arena, uint64_t seed);

/* Makes room for this many texts in total. */
void str_reserve(struct strings *strings, size_t count);

/* Copies the text if it is new. */
str_id str_intern(struct strings *strings, const char *text, size_t length);
str_id str_intern_z(struct strings *strings, const char *text);

/* str_intern() with a check: false if the text is not clean (see utf8_is_clean()). */
bool str_intern_clean(struct strings *strings, const char *text, size_t length, str_id *ret);

/* A text that will be interned before long, so that its place in the table is in the cache by then. It must stay where
   it is until that. */
struct str_expected {
        const char *text;
        struct text_form form;
        uint32_t hash;
};
/* False if the text is not clean. */
bool str_expect(const struct strings *strings, const char *text, size_t length, struct str_expected *ret);
str_id str_intern_expected(struct strings *strings, const struct str_expected *expected);

/* A copy of a text, ended by a NUL, which lives as long as the strings, without padding. Its form stands before it, as
   that of a text that is interned. */
const char *str_keep(struct strings *strings, const char *text, struct text_form form);

/* Whether a text is interned, and its handle if so; never adds one. */
bool str_find(const struct strings *strings, const char *text, size_t length, str_id *ret);

/* A text that is interned. */
static inline const char *str_text(const struct strings *strings, str_id id)
{
        return strings->chunk[id / STR_CHUNK][id % STR_CHUNK];
}

/* The form of a text that is interned or kept, which must be the one that the strings have. */
static inline struct text_form str_text_form(const char *text)
{
        struct text_form form;

        memcpy(&form, text - sizeof(form), sizeof(form));
        return form;
}

static inline struct text_form str_form(const struct strings *strings, str_id id)
{
        return str_text_form(str_text(strings, id));
}

static inline size_t str_length(const struct strings *strings, str_id id)
{
        return str_form(strings, id).length;
}

/* The form of any text. */
struct text_form text_form(const char *text);

/* The largest handle in use, plus 1. */
uint32_t str_count(const struct strings *strings);

/* Whether two texts are equal. Most texts are empty or differ in their first character. */
static inline bool text_same(const char *a, const char *b)
{
        return *a == *b && (*a == '\0' || strcmp(a, b) == 0);
}

/* Where pieces of 16 bytes begin, beside the first, that make up a text of 16 to 64: they overlap where it is shorter.
   They are four whatever its length, because that of names cannot be foretold. */
struct text_pieces {
        size_t second, third, last;
};

static inline struct text_pieces text_pieces(size_t length)
{
        const size_t last = length - 16;

        return (struct text_pieces){last < 16 ? last : 16, last < 16 ? 0 : last - 16, last};
}

static inline bool text_same_middle(const char *a, const char *b, size_t length)
{
        const struct text_pieces at = text_pieces(length);

        return plain_none_is_odd((text_sixteen(a) ^ text_sixteen(b)) |
                                 (text_sixteen(a + at.second) ^ text_sixteen(b + at.second)) |
                                 (text_sixteen(a + at.third) ^ text_sixteen(b + at.third)) |
                                 (text_sixteen(a + at.last) ^ text_sixteen(b + at.last)));
}

static inline void text_copy_middle(char *to, const char *text, size_t length)
{
        const struct text_pieces at = text_pieces(length);

        memcpy(to, text, 16);
        memcpy(to + at.second, text + at.second, 16);
        memcpy(to + at.third, text + at.third, 16);
        memcpy(to + at.last, text + at.last, 16);
}

/* Whether texts of one length are equal, most of which are short: they are compared by words that overlap. */
static inline bool text_same_of(const char *a, const char *b, size_t length)
{
        if (length > 64)
                return memcmp(a, b, length) == 0;
        if (length >= 16)
                return text_same_middle(a, b, length);
        if (length >= 8)
                return ((text_eight(a) ^ text_eight(b)) | (text_eight(a + length - 8) ^ text_eight(b + length - 8))) ==
                       0;
        if (length >= 4)
                return ((text_four(a) ^ text_four(b)) | (text_four(a + length - 4) ^ text_four(b + length - 4))) == 0;
        return length == 0 || (a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1]);
}

/* In protobuf-c NULL is a text that the model omits. */
static inline const char *text_or_empty(const char *text)
{
        return text ? text : "";
}

/* Copies a text, a short one by moves that overlap, and returns its end. Always inlined, because the length is often a
   constant. */
static inline __attribute__((always_inline)) char *text_copy(char *at, const char *text, size_t length)
{
        if (length > 64) {
                memcpy(at, text, length);
        } else if (length >= 16) {
                text_copy_middle(at, text, length);
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
