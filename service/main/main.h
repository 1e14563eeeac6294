/* The commands of the program. Each gets its arguments, from argv[1] on, and returns an exit status. */
#pragma once

#define EXIT_GOOD   0
#define EXIT_FAULTY 1 /* unreadable or, with --strict, faulty; not ready; cannot start */
#define EXIT_USAGE  2

#include "config/config.h"
#include "shape.h"

int serve_main(const struct config *config);
int infer_main(int argc, char **argv);
int operators_main(const struct config *config, const char *name); /* NULL: all operators */
int health_main(const struct config *config);

/* Called after the last output: false, with the reason on stderr, if a part of it did not reach standard output. */
bool output_end(void);

/* Operators of one's own, from a file or from the files *.ops of a folder, in the order of their names. */
struct operator_tables {
        struct ox_operators **table;
        size_t count;
};
/* False, with the reason on stderr, when one cannot be read. `path` "": none. */
bool operator_tables_load(struct operator_tables *tables, const char *path, int64_t most_bytes);
void operator_tables_free(struct operator_tables *tables);

void help_command(enum command command, FILE *to);
