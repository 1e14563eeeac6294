/* Settings from flags and the environment: one table (config.def and base/limits.def) gives the fields, the defaults,
   the flags, the variables and --help. A flag overrides its variable, which overrides the default. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shape.h"

enum command {
        COMMAND_SERVE = 1,
        COMMAND_INFER = 2,
        COMMAND_OPERATORS = 4,
        COMMAND_HEALTH = 8,
};

struct config {
#define TEXT(name, value, commands, help)             const char *name;
#define INT(name, value, least, most, commands, help) int64_t name;
#define BOOL(name, value, commands, help)             bool name;
#include "config/config.def"
#undef TEXT
#undef INT
#undef BOOL
        struct ox_limits limits;
};

/* Sets the defaults, then reads the environment variables of `command`. False for an invalid value, after printing the
   fault on stderr. Texts point into the environment. */
bool config_begin(struct config *config, enum command command);

/* Calls `each` for every variable SHAPED_... that no command has: it is misspelt, or belongs to another version. */
void config_each_unknown(void (*each)(const char *name));

/* Takes the flag at argv[*at] and moves *at past it and its value. Texts point into argv. */
enum config_outcome {
        CONFIG_TAKEN,
        CONFIG_UNKNOWN, /* no such flag of this command */
        CONFIG_FAULTY,  /* the fault was printed on stderr */
} config_flag(struct config *config, enum command command, char *const *argv, int *at);

/* Prints on stderr that a command has no such flag, and which one may have been meant. */
void config_complain(enum command command, const char *given);

/* Finds the value of a flag given as --name=value or --name value. */
const char *config_flag_value(char *const *argv, int *at);

/* The lines of --help for one command: each flag with its variable, default and meaning. */
void config_help(enum command command, FILE *to);
