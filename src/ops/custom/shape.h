/* What a text states of an operator's shapes, read into trees: patterns of its inputs, shapes of its outputs. */
#pragma once

#include <assert.h>
#include <stddef.h>

#include "ops/custom/lex.h"
#include "ops/table/registry.h"

/* A number that is made of sizes, attributes and elements. */
struct custom_number {
        enum custom_operation {
                CUSTOM_INTEGER,  /* 3 */
                CUSTOM_NAMED,    /* a size that a pattern names */
                CUSTOM_AXIS,     /* x[0], of an input */
                CUSTOM_RANK,     /* rank(x) */
                CUSTOM_SIZE,     /* size(x): its number of elements */
                CUSTOM_GIVEN,    /* given(x): how many values stand for an input; 0 where it is left out */
                CUSTOM_ATTR,     /* attr.n, an integer */
                CUSTOM_ATTR_AT,  /* attr.n[0], of a list of integers */
                CUSTOM_ATTR_LEN, /* len(attr.n) */
                CUSTOM_VALUE,    /* value(x): its only element */
                CUSTOM_VALUE_AT, /* value(x)[0]: one of its elements */
                CUSTOM_ADD,
                CUSTOM_SUB,
                CUSTOM_MUL,
                CUSTOM_FLOORDIV,
                CUSTOM_MOD,
                CUSTOM_CEILDIV,
                CUSTOM_MAX,
                CUSTOM_MIN
        } operation;
        int64_t integer;                          /* of CUSTOM_INTEGER */
        int at;                                   /* the name's, the input's */
        const char *attr;                         /* the attribute's name */
        const struct custom_number *left, *right; /* `right`: also the index of CUSTOM_*AXIS and CUSTOM_*_AT */
};

/* A part of a shape in brackets. */
struct custom_part {
        enum custom_part_kind {
                CUSTOM_ONE,     /* one size: `number` */
                CUSTOM_OPEN,    /* ?: one size that data decides */
                CUSTOM_RUN,     /* *rest: the sizes that a pattern names so */
                CUSTOM_AXES,    /* *x, *x[1:], *x[a:b]: sizes of an input; NULL: from its first, to its last one */
                CUSTOM_ATTRS,   /* *attr.n: a list of integers */
                CUSTOM_ELEMENTS /* *value(x): the elements of an input */
        } kind;
        const struct custom_number *number, *from, *to;
        int at;           /* the run's, the input's */
        const char *attr; /* the attribute's name */
};

struct custom_condition {
        enum custom_relation { CUSTOM_EQ, CUSTOM_NE, CUSTOM_LT, CUSTOM_LE, CUSTOM_GT, CUSTOM_GE } relation;
        const struct custom_number *left, *right;
};

/* The shape of an output. */
struct custom_shape {
        enum custom_shape_kind {
                CUSTOM_UNKNOWN,   /* ? */
                CUSTOM_LIKE,      /* x: that of an input */
                CUSTOM_LIST,      /* [...] */
                CUSTOM_BROADCAST, /* broadcast(a, b) */
                CUSTOM_CHOICE     /* a if condition else b */
        } kind;
        int at; /* the input's */
        const struct custom_part *part;
        int n_part;
        const struct custom_condition *condition;
        const struct custom_shape *left, *right; /* of CUSTOM_CHOICE: where the condition holds, and where not */
};

/* What an input must look like. */
struct custom_pattern {
        const struct custom_item {
                enum custom_item_kind {
                        CUSTOM_ANY,    /* _ */
                        CUSTOM_NUMBER, /* 3 */
                        CUSTOM_NAME,   /* batch */
                        CUSTOM_REST    /* *rest: any number of axes, none too; at most once */
                } kind;
                int64_t number;
                int at; /* the name's, the run's */
        } * item;
        int n_item, rest; /* `rest`: the place of *rest; -1: none */
};

/* What a row of its own has beside what all rows have. */
struct custom_row {
        struct op_row row;
        const struct custom_pattern *const *pattern; /* of each input parameter; NULL: any shape */
        const struct custom_shape *const *shape;     /* of each output parameter; NULL: not stated, so unknown */
        unsigned line;                               /* where its name stands */
        int n_name, n_run;                           /* sizes and runs that the patterns name */
};

static_assert(offsetof(struct custom_row, row) == 0, "a row that says `custom` is a struct custom_row");

/* The statements `input: [...]` and `output: shape` of a row, up to the next row, whose parameters and attributes are
   there already. False after a fault. */
bool custom_read_shapes(struct lexer *lexer, struct custom_row *row);

/* The rule of all such rows. */
enum ox_code custom_infer(struct node *n);
