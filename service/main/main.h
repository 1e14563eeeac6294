/* The commands of the program. Each gets its arguments, from argv[1] on, and returns an exit status. */
#pragma once

#define EXIT_GOOD   0
#define EXIT_FAULTY 1 /* unreadable or, with --strict, faulty; not ready; cannot start */
#define EXIT_USAGE  2

#include "config/config.h"

int serve_main(const struct config *config);
int infer_main(int argc, char **argv);
int operators_main(const struct config *config, const char *name); /* NULL: all operators */
int health_main(const struct config *config);

/* Once all is printed: false, with the reason on stderr, when not all of it reached standard output. */
bool output_end(void);

void help_command(enum command command, FILE *to);
