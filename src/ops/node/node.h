/* A node as its rule sees it.

   A rule is `enum ox_code infer_<Op>(struct node *n)`: it reads inputs (in_*) and attributes (attr_*), sets outputs
   (out_*), and returns OX_OK or what node_error() returned. Outputs that it does not set stay as they were prepared:
   with the element type that the row's types or an attribute (`to: int of T`) determine, and unknown rank. A content
   rule is `void content_<Op>(struct node *n)`, or `element_<Op>` for one element; it runs after the rule succeeded.

   Arity, required attributes, and the types and allowed values of attributes are checked before a rule runs. An
   optional input that is omitted or named "" is not given; an input whose producer failed is given and of unknown type.
   Everything that a rule allocates lives on n->arena. */
#pragma once

#include "base/diag.h"
#include "base/limits.h"
#include "base/reason.h"
#include "model/graph.h"
#include "ops/table/registry.h"
#include "value/value.h"

/* Shapes whose sizes are known not to be negative, by address: values pass them on. */
#define SIZED_KEPT 8
struct sized {
        const struct dim *dims;
        int rank;
        uint32_t bindings; /* of the table of dimensions, as of which they are */
};

/* Attributes of rows by the names that nodes gave them, whose texts are kept once for all nodes of a model. */
#define ATTRS_SEEN 32
struct attr_seen {
        const char *name;
        const struct op_attr *attr;
        const struct op_row *row; /* that has it */
};

struct node {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const struct ox_limits *limits;
        struct diags *diags;
        const struct model_node *source;
        const struct op_row *row;
        int64_t opset; /* version of the operator set of the node's domain */
        int64_t ir_version;
        const char *scope; /* "" is the main graph */
        int64_t index;     /* of the node in its graph */
        int n_in, n_out;
        const struct value *const *in; /* NULL: not given */
        struct value *out;
        const struct constraint_sink *facts;
        /* Once the node was checked: which of the row's attributes are given (bit a: attribute a), and where in
         * `source`. */
        bool has_given;
        uint64_t given;
        uint8_t given_at[OP_ATTRIBUTES_MOST];
        struct attr_seen *seen;         /* ATTRS_SEEN, for the check of attributes alone, of nodes before it */
        struct sized sized[SIZED_KEPT]; /* for out_tensor() alone; may be of nodes before it in the same graph */
};

/* The node's operator and name, as the model has them. */
static inline const char *node_op(const struct node *n)
{
        return n->source->op->type;
}

static inline const char *node_domain(const struct node *n)
{
        return n->source->op->domain;
}

static inline const char *node_name(const struct node *n)
{
        return n->source->name;
}

/* The name of input `i`, or output `o`, which the node must have; "" if it is omitted. */
static inline const char *in_name(const struct node *n, int i)
{
        return str_text(n->strings, node_input(n->source, (size_t)i));
}

static inline const char *out_name(const struct node *n, int o)
{
        return str_text(n->strings, node_output(n->source, (size_t)o));
}

/* Takes a condition on sizes that must hold for the model to run: {"left": "M", "relation": "==", "right": "N"}.
   `value` is the value whose size is at fault if it does not hold; NULL: none in particular. */
struct constraint_sink {
        void (*add)(void *user, const struct dim_condition *condition, const struct node *n, const char *value);
        /* Who has said before between which numbers a symbol in `size` lies, for a hint: "node 3 (r, Relu) takes K to
           be 7". NULL: nobody. */
        const char *(*said_before)(void *user, struct dim size, const struct node *n);
        void *user;
};

/* What an earlier node said of the symbols in a size that is at fault; NULL. */
static inline const char *node_said_before(const struct node *n, struct dim size)
{
        return n->facts->said_before ? n->facts->said_before(n->facts->user, size, n) : NULL;
}

/* Reports a condition; the size belongs to `input`, -1: to an output. */
void node_constrain(const struct node *n, const struct dim_condition *condition, int input);

/* -- faults -- */

/* Reports an error of the node and returns the code of its reason, for `return node_error(...)`. The message names the
   expected and the actual number. `input` -1: no input in particular. */
#define node_error(n, reason, ...)                                                                                     \
        (node_diagnose((n), OX_ERROR, (reason), __VA_ARGS__), node_failed(reason_code(reason)))

/* Reports a warning, which does not affect the outputs. */
#define node_warn(n, ...) node_diagnose((n), OX_WARNING, __VA_ARGS__)

/* Reports why an answer is open, which is not a fault. */
#define node_note(n, ...) node_diagnose((n), OX_INFO, __VA_ARGS__)

void node_diagnose(struct node *n, enum ox_severity severity, enum reason reason, int input, const char *format, ...)
        __attribute__((format(printf, 5, 6)));

/* node_error() with fields that a program can read. */
struct fault {
        enum reason reason;
        int input;                            /* -1: none in particular */
        int axis;                             /* of that input; -1 */
        const char *expected, *actual, *hint; /* as in struct ox_diag; NULL */
};
#define node_error_with(n, fault, ...)                                                                                 \
        (node_report((n), OX_ERROR, (fault), __VA_ARGS__), node_failed(reason_code((fault)->reason)))
/* The same with positional arguments: the input has `actual` at axis `axis` (-1: as a whole) instead of `expected`. */
#define node_error_at(n, reason, input, axis, expected, actual, ...)                                                   \
        (node_report((n), OX_ERROR, &(struct fault){(reason), (input), (axis), (expected), (actual), NULL},            \
                     __VA_ARGS__),                                                                                     \
         node_failed(reason_code(reason)))
void node_report(struct node *n, enum ox_severity severity, const struct fault *fault, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* The name of input `i` in messages: the value's name, else the parameter's. Long names are cut. */
const char *node_input_name(const struct node *n, int i);
/* Its shape as text: "[N, 768]", "?" for an unknown rank, "" if it is omitted. Long expressions are cut. */
const char *node_input_shape(const struct node *n, int i);
/* Both: "a [N, 768]". */
const char *node_input_text(const struct node *n, int i);
/* A number as text, for a fault. */
const char *node_number(const struct node *n, int64_t number);
/* The same for the shape of any tensor. */
const char *type_shape_text(struct arena *arena, struct dim_table *dims, const struct type *type);

/* A macro, so that compilers see that results which a failed call left unset are not read. */
static inline enum ox_code node_failed(enum ox_code code)
{
        return code;
}
