/* The known name that somebody may have meant who wrote an unknown one: for "did you mean ...?". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Names are compared up to this length; a longer text is near to nothing. */
#define NEAREST_BYTES 64

struct nearest {
        const char *text;
        size_t length;
        const char *best; /* the nearest name so far, as it was given; NULL: none is near */
        size_t edits;     /* of `best` */
};

/* `text` must stay as long as the struct is in use. */
void nearest_begin(struct nearest *near, const char *text, size_t length);

/* Holds one known name against the text. It is near when as few edits as one in three characters, and at least one,
   make it from the text: inserting, removing or replacing a character, or two neighbours that changed places. Upper and
   lower case count as the same. Of equally near names the first is kept. */
void nearest_try(struct nearest *near, const char *name);
