/* One line of the log as text, logfmt or JSON, which is complete whatever its fields hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES 4096 /* PIPE_BUF: a line is written to a pipe as a whole or not at all */
#define LINE_TEXT  768  /* of one field's text as written; the rest is replaced by "..." */
#define LINE_NAME  16   /* of a field's name */

enum log_kind { LOG_TEXT, LOG_WORD, LOG_INT, LOG_MS };

/* A field of a line: a text (NULL: the field is omitted), a number, or with LOG_MS a duration in ns, written as
   milliseconds. LOG_WORD is a short text of ours (or NULL) that needs quotes only in JSON. */
struct log_field {
        char name[LINE_NAME];
        size_t length; /* of the name */
        enum log_kind kind;
        const char *text;
        int64_t number;
};

/* The first members of a field: its name, a literal. */
#define LOG_NAME(name) name, sizeof(name) - 1

struct line {
        bool json;
        size_t length;
        char text[LINE_BYTES]; /* without a NUL at its end */
};

void line_begin(struct line *line, bool json);

/* A field for which there is no room is omitted as a whole. */
void line_fields(struct line *line, const struct log_field *fields, int count);
void line_end(struct line *line);
