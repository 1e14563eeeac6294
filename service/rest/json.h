/* JSON texts (RFC 8259), read in one pass into values on an arena. No hash tables and no copies of names, because
   requests are small objects whose members are read once. */
#pragma once

#include <stdbool.h>

#include "engine.h"

enum json_kind {
        JSON_IS_NULL,
        JSON_IS_BOOL,
        JSON_IS_INTEGER,
        JSON_IS_REAL,
        JSON_IS_TEXT,
        JSON_IS_LIST,
        JSON_IS_OBJECT
};

/* Immutable once read. Texts and names are clean UTF-8 without NULs and end with one. */
struct json {
        union {
                int64_t i;                /* of an integer; 0 or 1 of a bool */
                double f;                 /* of a real: a number with a point or an exponent; finite */
                const char *text;         /* of a text: `count` bytes */
                const struct json *first; /* of a list or object: the first of `count` elements or members, or NULL */
        };
        const char *name;        /* of a member; NULL otherwise */
        const struct json *next; /* the next element or member of the same list or object; NULL: none */
        uint32_t count;
        enum json_kind kind;
};

/* Reads a whole text. Lists and objects nest as deep as limits.message_depth; a name stands once in an object; integers
   are those of 64 bits. `seed` keeps hostile names from colliding. Everything lives on the arena, whose guard must be
   set. OX_INVALID_ARGUMENT: *ret_error, on the arena, has the fault with its line and column (in characters, from
   1). */
enum ox_code json_read(struct arena *arena, const struct ox_limits *limits, uint64_t seed, const char *text,
                       size_t length, const struct json **ret, const char **ret_error);
