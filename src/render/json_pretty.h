/* Makes JSON readable on its way out: the members of the answer and of its lists have lines of their own, and what
   these consist of stands on one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/write.h"

struct json_pretty {
        ox_write write;
        void *user;
        int depth;
        bool is_text;    /* within quotes */
        bool is_escaped; /* behind a backslash there */
        bool is_opened;  /* nothing stands yet behind the last bracket */
        size_t length;
        char block[4096];
};

void json_pretty_begin(struct json_pretty *pretty, ox_write write, void *user);

/* An ox_write for JSON without blanks; `pretty` is the struct. */
void json_pretty_write(void *pretty, const char *bytes, size_t size);

/* Hands on what is left. */
void json_pretty_end(struct json_pretty *pretty);
