/* The result of an inference, as the sinks of render/ walk it. Lives on the request's arena; immutable once made. */
#pragma once

#include <assert.h>

#include "base/diag.h"
#include "infer/public.h"
#include "model/graph.h"
#include "value/value.h"

/* A shape as the model declares it. */
struct declared_shape {
        int rank;
        const struct declared_dim {
                struct dim size;  /* as it is read; -1: it says nothing */
                const char *name; /* as it is written; NULL: a number, or left open */
        } * dim;
};

/* What values share with those of their scope, or few have. Immutable. */
struct result_more {
        const char *scope;                     /* "": the main graph; "loop_1/body" */
        const struct declared_shape *declared; /* where the model declares other sizes, or less; NULL */
        const struct type **bound; /* for each set of sizes of the result its type then; NULL: it is not there */
};

extern const struct result_more result_main; /* of most values of the main graph */

/* There is one for every value of a model. It is small, and fills a line of the processor's cache, on which each
   begins. */
#define RESULT_LINE 64
struct result_value {
        struct value value;               /* every dimension resolved */
        const struct model_node *made_by; /* NULL: no node makes it */
        const struct result_more *more;   /* never NULL */
        str_id name;                      /* in the result's strings */
        uint32_t place;                   /* of `made_by` in its graph, which has no more nodes than its model bytes */
        uint32_t bindings;                /* of the table of dimensions, when `value` was resolved last */
        enum ox_kind kind : 8;
        bool is_output;     /* of the main graph, of whatever kind */
        bool is_absent;     /* a function's input that the call leaves out; not in a result */
        bool declared_type; /* the main graph's value_info or output already declares it: the ONNX patch leaves it out
                             */
};

static_assert(sizeof(void *) > 4 ? sizeof(struct result_value) == RESULT_LINE : true, "a value fills a line");

/* "": the main graph */
static inline const char *result_scope(const struct result_value *value)
{
        return value->more->scope;
}

/* The node that makes a value, its operator, and its place in its graph, -1. */
static inline const char *result_node(const struct result_value *value)
{
        return value->made_by ? value->made_by->name : "";
}

static inline const char *result_op(const struct result_value *value)
{
        return value->made_by ? value->made_by->op->type : "";
}

static inline int64_t result_node_index(const struct result_value *value)
{
        return value->made_by ? (int64_t)value->place : -1;
}

/* One place on the way back to where something was lost: what is to be said of a value there. */
struct result_step {
        const struct result_value *value;
        const char *text; /* "hangs on the elements of size" */
};

struct result_explanation {
        const struct result_value *value; /* that was asked for */
        const struct result_step *step;   /* from it to the first place; none where all of it is known */
        size_t n_step;
        const char *decide; /* what would decide it: "dim=M=1", "value=size:..."; "": nobody knows */
};

/* A value at which something was lost first, and how many values know less for it, itself among them. */
struct result_cause {
        const struct result_value *value;
        size_t values;
};

/* An operator that is not known: its nodes, and how many values are made of what these make, that among them. */
struct result_operator {
        const struct model_op *op;
        size_t nodes, values;
};

struct result_opset {
        const char *domain;
        int64_t version;
};

struct result_model {
        int64_t ir_version;
        const char *producer_name;
        const char *graph_name;
        const struct result_opset *opset;
        size_t n_opset;
        size_t functions, nodes, initializers;
        uint64_t bytes, bytes_skipped;
};

/* Values that were found, shown or not, stand in chunks of so many, which never move. A request for one node takes a
   chunk too. */
#define RESULT_CHUNK 64

struct ox_result {
        bool is_model; /* false: of a single node, which has no `model` and no `summary` */
        struct result_model model;
        const struct strings *strings;     /* that have the names of values */
        struct result_value *const *chunk; /* values in the order of the model: inputs, then each node's outputs */
        const uint32_t *shown;             /* which of them the answer has; NULL: the first n_value */
        size_t n_value;
        const struct ox_symbol *symbol;
        size_t n_symbol;
        const struct ox_dynamic_size *dynamic;
        size_t n_dynamic;
        const struct ox_constraint *constraint;
        size_t n_constraint;
        const struct ox_constraint *assumption;
        size_t n_assumption;
        const struct diags *diags;
        struct ox_summary summary;
        const struct result_explanation *explanation; /* as many as were asked for */
        size_t n_explanation;
        /* The costliest first; told with explanations, or where a rank or type is unknown. */
        const struct result_cause *cause;
        size_t n_cause;
        const struct result_operator *unknown; /* that on which most hangs first */
        size_t n_unknown;
        const struct ox_graph_node *node; /* in the order of values, where they were asked for */
        size_t n_node;
        const struct ox_size *size; /* of inputs, where they were asked for */
        size_t n_size;
        const struct ox_tied_sizes *tied; /* with `size` */
        size_t n_tied;
        const struct ox_bindings *bindings;   /* sets of sizes that are shown beside */
        const struct ox_result *const *bound; /* for each, the model's result; its dimensions are of its own table */
        size_t n_bound;
        struct dim_table *dims; /* prints the dimensions: dim_text() */
};

/* Value `i` < n_value of the answer. */
static inline struct result_value *result_at(const struct ox_result *result, size_t i)
{
        const size_t at = result->shown ? result->shown[i] : i;

        return &result->chunk[at / RESULT_CHUNK][at % RESULT_CHUNK];
}

static inline const char *result_name(const struct ox_result *result, const struct result_value *value)
{
        return str_text(result->strings, value->name);
}
