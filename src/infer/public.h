/* What callers give and read that the engine takes and makes as it is. Part of shape.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- options -- */

/* Which values of a model are listed: inputs and all node outputs (inner ones too), graph outputs, those of unknown
   rank or type, or initializers as well. */
enum ox_values { OX_VALUES_INFERRED, OX_VALUES_OUTPUTS, OX_VALUES_UNKNOWN, OX_VALUES_ALL };

/* A number >= 0 for a symbol. */
struct ox_binding {
        const char *name;
        int64_t value;
};

/* Sizes for which shapes are wanted beside the symbolic ones. */
struct ox_bindings {
        const struct ox_binding *binding;
        size_t n_binding;
};

/* Replaces an input's shape: dimensions as text, each an integer, a name or an expression, of new names too. Empty, "?"
   and "-1" leave a size open, each for itself. */
struct ox_input_shape {
        const char *input;
        const char *const *dim;
        size_t rank;
};

/* The contents of an input of numbers, row-major, as text: integers, numbers with a point, or true and false, as the
   input's type wants. A size that the input leaves open is what their count makes it. */
struct ox_input_content {
        const char *input;
        const char *const *element;
        size_t count;
};

/* All zero: the defaults. What it points to must stay during the call only. */
struct ox_options {
        bool strict;          /* the first faulty node makes the answer an error */
        bool check_types;     /* element types are held against what each operator allows */
        bool ignore_declared; /* what the model declares of intermediate values and outputs does not count */
        bool no_assumptions;  /* of models: nothing is taken for granted that need not hold */
        enum ox_values values;
        const struct ox_binding *binding;
        size_t n_binding;
        const struct ox_input_shape *shape; /* of models alone */
        size_t n_shape;
        const struct ox_input_content *content; /* likewise */
        size_t n_content;
        const struct ox_bindings *bindings; /* likewise */
        size_t n_bindings;
        const char *const *explain; /* values of which to tell why they are not known: "y", "loop_1/body/h"; likewise */
        size_t n_explain;
        bool sizes;           /* which sizes of inputs run; likewise */
        uint64_t seed;        /* of the hash tables, so that a hostile model cannot choose names that collide */
        uint64_t work_budget; /* nodes after which inference gives up with OX_ABORTED, so that a worker may start anew;
                                 0: none */
        uint64_t work_ns;     /* the same for time, looked at now and then */
        /* Asked every few ms whether to go on: any code but OX_OK, for the reason *ret_why, ends the call with it.
           NULL: nobody is asked. */
        enum ox_code (*look)(void *user, const char **ret_why);
        void *look_user;
};

/* -- results: texts are never NULL, "" where nothing applies -- */

enum ox_kind { OX_KIND_INPUT, OX_KIND_INTERMEDIATE, OX_KIND_OUTPUT, OX_KIND_INITIALIZER };

/* A number or an expression. */
struct ox_bound {
        const char *text; /* "": not known */
        bool is_number;
        int64_t number;
};

/* A symbol that appears in the result, where it first arose, and between what it lies. */
struct ox_symbol {
        const char *name;
        const char *value;
        int axis;       /* -1: none */
        const char *op; /* "": a graph input */
        const char *node;
        const char *scope; /* "": the main graph */
        struct ox_bound min, max;
};

/* What must hold of two sizes for the model to run. `relation` is "==", "<=", ">=", "divides" (left divides right) or
   "either" (left is right, or one of the two is 1, as broadcasting wants it). In a `scope` it must hold only where that
   branch or body runs. */
struct ox_constraint {
        const char *left, *relation, *right; /* "M", "==", "N" */
        const char *node;
        const char *scope;
        int64_t node_index; /* -1: no node's */
        const char *op;
        const char *value; /* the value that has the size */
};

/* Sizes from, from + step ... to; INT64_MAX: without an end. */
struct ox_range {
        int64_t from, to, step;
};

/* Which numbers a size of an input may be, by the conditions that are about it alone. */
struct ox_size {
        const char *symbol;
        const struct ox_range *range;
        size_t n_range;
        bool is_complete; /* proven of all numbers; else of those up to `tried` */
        bool is_tied;     /* other conditions tie it to other sizes */
        int64_t tried;
};

/* How many values there are, and how much is known of them: exact (integers alone), symbolic (symbols of inputs),
   dynamic (symbols that data decides), unknown (rank or type); and how many diagnostics. */
struct ox_summary {
        size_t values, exact, symbolic, dynamic, unknown, errors, warnings;
};
