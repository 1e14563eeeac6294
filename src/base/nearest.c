#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

void nearest_begin(struct nearest *near, const char *text, size_t length)
{
        *near = (struct nearest){.text = text, .length = length};
}

static size_t least(size_t a, size_t b, size_t c)
{
        size_t ab = a < b ? a : b;

        return ab < c ? ab : c;
}

static bool same_letter(char a, char b)
{
        return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Levenshtein's distance, with two neighbours that changed places as one edit: the last three rows of the table. */
static size_t count_edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
        size_t rows[3][NEAREST_BYTES + 1] = {{0}};
        size_t *row = rows[0], *above = rows[1], *over = rows[2];

        for (size_t j = 0; j <= b_length; j++)
                row[j] = j;
        for (size_t i = 1; i <= a_length; i++) {
                size_t *spent = over;

                over = above;
                above = row;
                row = spent;
                row[0] = i;
                for (size_t j = 1; j <= b_length; j++) {
                        bool same = same_letter(a[i - 1], b[j - 1]);

                        row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same);
                        if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                                row[j] = least(row[j], over[j - 2] + 1, row[j]);
                }
        }
        return row[b_length];
}

void nearest_try(struct nearest *near, const char *name)
{
        size_t length = strnlen(name, NEAREST_BYTES + 1);
        size_t most = near->length / 3 > 1 ? near->length / 3 : 1;

        if (length == 0 || length > NEAREST_BYTES || near->length == 0 || near->length > NEAREST_BYTES ||
            length > near->length + most || near->length > length + most)
                return;
        size_t edits = count_edits(near->text, near->length, name, length);

        if (edits > most || (near->best && edits >= near->edits))
                return;
        near->best = name;
        near->edits = edits;
}
