/* The options of an inference, as names and values from a query or from flags. */
#pragma once

#include <stdio.h>

#include "shape.h"

struct options {
        struct ox_options infer;
        bool pretty;
        bool last_counts;           /* flags: an option that is not a list may be repeated; otherwise that is a fault */
        uint32_t given;             /* bits of the options already given, by their place in the table */
        struct ox_binding *binding; /* infer.binding, with room to grow */
        struct ox_input_shape *shape;
        struct ox_input_content *content;
        struct ox_bindings *bindings;
        const char **explain;
        void **block; /* holds the texts */
        size_t n_block;
        char error[256];
};

/* `seed` keeps a hostile model from choosing names that collide. */
void options_begin(struct options *options, uint64_t seed);
void options_done(struct options *options);

/* Whether an option has this name; flags spell _ as -. */
bool options_known(const char *name, size_t length);
bool options_is_bool(const char *name, size_t length);

/* Takes one option. False, with `error` set, for an invalid value or an unknown name. `value` is copied. */
bool options_set(struct options *options, const char *name, size_t length, const char *value);

void options_help(FILE *to);
