/* Options and parts of results that callers share with the engine. Part of shape.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- options -- */

/* The values of a model that are listed: inputs and all node outputs (those of subgraphs too), graph outputs only,
   values of unknown rank or type, or all including initializers. */
enum ox_values { OX_VALUES_INFERRED, OX_VALUES_OUTPUTS, OX_VALUES_UNKNOWN, OX_VALUES_ALL };

/* A number >= 0 for a symbol. */
struct ox_binding {
        const char *name;
        int64_t value;
};

/* Sizes for which shapes are also inferred, beside the symbolic ones. */
struct ox_bindings {
        const struct ox_binding *binding;
        size_t n_binding;
};

/* Replaces an input's shape. Each dimension is a text: an integer, a name, or an expression, whose names may be new.
   "", "?" and "-1" each mean an unknown size of its own. */
struct ox_input_shape {
        const char *input;
        const char *const *dim;
        size_t rank;
};

/* The elements of an input, row-major, as texts: integers, floats, or true and false, depending on the input's type.
   Their count determines a size that the input leaves open. */
struct ox_input_content {
        const char *input;
        const char *const *element;
        size_t count;
};

/* Operators that the caller declares: ox_operators_new(). */
struct ox_operators;

/* All zero: the defaults. Pointers need to be valid only during the call. */
struct ox_options {
        bool strict;          /* the first faulty node makes the answer an error */
        bool check_types;     /* element types are checked against those each operator allows */
        bool ignore_declared; /* types that the model declares for intermediate values and outputs are ignored */
        bool no_assumptions;  /* of models: no condition is assumed that need not hold */
        enum ox_values values;
        const struct ox_binding *binding;
        size_t n_binding;
        const struct ox_input_shape *shape; /* only for models */
        size_t n_shape;
        const struct ox_input_content *content; /* likewise */
        size_t n_content;
        const struct ox_bindings *bindings; /* likewise */
        size_t n_bindings;
        const char *const *explain; /* values for which to explain why they are unknown: "y", "loop_1/body/h";
                                       likewise */
        size_t n_explain;
        const struct ox_operators *const *operators; /* tables of operators; the first that has one counts */
        size_t n_operators;
        bool nodes;           /* list the nodes, with what they read and make; likewise */
        bool sizes;           /* list the numbers with which each size of an input runs; likewise */
        uint64_t seed;        /* for hash tables, so that a hostile model cannot choose names that collide */
        uint64_t work_budget; /* nodes after which inference ends with OX_ABORTED, so that a worker may start anew;
                                 0: no limit */
        uint64_t work_ns;     /* the same for time, checked now and then */
        /* Called every few ms: any code other than OX_OK ends the inference with that code and the reason *ret_why. May
           be NULL. */
        enum ox_code (*look)(void *user, const char **ret_why);
        void *look_user;
};

/* -- results: texts are never NULL, "" where nothing applies -- */

enum ox_kind { OX_KIND_INPUT, OX_KIND_INTERMEDIATE, OX_KIND_OUTPUT, OX_KIND_INITIALIZER };

/* A number or an expression. */
struct ox_bound {
        const char *text; /* "": unknown */
        bool is_number;
        int64_t number;
};

/* A symbol that appears in the result, the place where it first occurs, and its bounds. */
struct ox_symbol {
        const char *name;
        const char *value;
        int axis;       /* -1: none */
        const char *op; /* "": a graph input */
        const char *node;
        const char *scope; /* "": the main graph */
        struct ox_bound min, max;
};

/* A size that depends on data and is more than a symbol, "2*NonZero_1 + 1", and its bounds. */
struct ox_dynamic_size {
        const char *size;
        struct ox_bound min, max;
};

/* A condition on two sizes that must hold for the model to run. `relation` is "==", "<=", ">=", "divides" (left divides
   right) or "either" (left equals right, or one of the two is 1, as for broadcasting). With a `scope` it must hold only
   where that branch or body runs. */
struct ox_constraint {
        const char *left, *relation, *right; /* "M", "==", "N" */
        const char *node;
        const char *scope;
        int64_t node_index; /* -1: no node */
        const char *op;
        const char *value; /* the value to which the size belongs */
};

/* A node, and the names of what it reads and makes; "" where an input or output is left out. */
struct ox_graph_node {
        const char *name;   /* "" */
        const char *scope;  /* "": the main graph; "loop_1/body" */
        int64_t node_index; /* its position in its graph */
        const char *op;
        const char *domain; /* "": ai.onnx */
        const char *const *input;
        size_t n_input;
        const char *const *output;
        size_t n_output;
};

/* The sizes from, from + step ... to; `to` is INT64_MAX if there is no end. */
struct ox_range {
        int64_t from, to, step;
};

/* The numbers that a size of an input may be, by the conditions on that size alone. */
struct ox_size {
        const char *symbol;
        const struct ox_range *range;
        size_t n_range;
        bool is_complete; /* proven for all numbers; else only those up to `tried` */
        bool is_tied;     /* further conditions relate it to other sizes */
        int64_t tried;
};

/* Sizes of inputs that conditions tie together, and combinations of numbers with which they run. */
struct ox_tied_sizes {
        const char *const *symbol;
        size_t n_symbol;
        const struct ox_constraint *condition; /* without a node; equations that give one of the sizes by others are
                                                  solved: "W", "==", "2*H" */
        size_t n_condition;
        const struct ox_bindings *combination; /* each has a number >= 1 for every symbol; those with small numbers come
                                                  first, and only the first few are listed */
        size_t n_combination;
        int64_t tried;    /* for sizes that no equation gives, numbers up to this one were tried; -1: there are too many
                             sizes */
        bool is_complete; /* no other conditions on these sizes exist */
};

/* The number of values, and how much is known about them: exact (only integers), symbolic (symbols of inputs), dynamic
   (symbols that depend on data), unknown (rank or type); and the number of diagnostics. */
struct ox_summary {
        size_t values, exact, symbolic, dynamic, unknown, errors, warnings;
};
