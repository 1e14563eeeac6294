/* Finds the known name nearest to an unknown one, for "did you mean ...?". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Names are compared up to this length; a longer text is near no name. */
#define NEAREST_BYTES 64

struct nearest {
        const char *text;
        size_t length;
        const char *best; /* the nearest name so far, as it was given; NULL: none is near */
        size_t edits;     /* of `best` */
};

/* `text` must stay as long as the struct is in use. */
void nearest_begin(struct nearest *near, const char *text, size_t length);

/* Compares one known name with the text. It is near if the text becomes the name by at most one edit for every three
   characters, and at least one is allowed. An edit inserts, removes or replaces a character, or swaps two neighbours.
   Case is ignored. Of equally near names the first is kept. */
void nearest_try(struct nearest *near, const char *name);
