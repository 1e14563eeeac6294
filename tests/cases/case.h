/* Rows of the case files (README.md has the format), read into plain structs that know nothing of the engine. */
#pragma once

#include "base/arena.h"

enum case_kind {
        CASE_LEFT_OUT,
        CASE_ABSENT, /* named by the node, but not among the inputs */
        CASE_UNKNOWN,
        CASE_TENSOR,
        CASE_SPARSE,
        CASE_SEQUENCE,
        CASE_OPTIONAL,
        CASE_MAP,
};

/* A value as it is written: dimensions and elements stay text. */
struct case_value {
        enum case_kind kind;
        const char *elem; /* of tensors; the key's type of maps; "?": unknown */
        int rank;         /* -1: unknown */
        const char **dim;
        bool has_content;
        const char **content;
        size_t n_content;
        struct case_value *of;   /* of sequences, optionals and maps */
        const char *length;      /* of a sequence or optional; NULL: unknown */
        struct case_value *each; /* a sequence's elements one by one; NULL: not told */
        size_t n_each;
};

struct case_attr {
        const char *name;
        const char *text; /* of a number or a bare or quoted word, without the quotes; NULL otherwise */
        bool quoted;
        bool is_list;
        const char **item; /* of a list */
        size_t n_item;
        bool items_quoted;
        struct case_value *value; /* a tensor if it has contents, a type if it has none; NULL: none */
};

struct case_relation {
        const char *left, *relation, *right;
};

#define CASE_MAX 64 /* operators, inputs, outputs, attributes, opsets and relations of one row */

struct case_row {
        const char *domain;
        const char *op[CASE_MAX];
        size_t n_op;
        struct case_opset {
                int version;
                bool and_newer; /* and every later version of the operator */
        } opset[CASE_MAX];      /* none: every version of the operator */
        size_t n_opset;
        struct case_attr attr[CASE_MAX];
        size_t n_attr;
        struct case_value in[CASE_MAX];
        size_t n_in;
        struct case_value out[CASE_MAX];
        size_t n_out;
        bool check_types;
        const char *operators;     /* that the row's file declares, as text; NULL: none */
        bool no_outputs;           /* the node names none */
        const char *code, *reason; /* the expected error; NULL: none, and any reason */
        struct case_relation relation[CASE_MAX];
        size_t n_relation;
};

/* False with *ret_error (on the arena) for a row that cannot be read. */
bool case_parse(struct arena *arena, const char *line, struct case_row *ret, const char **ret_error);
