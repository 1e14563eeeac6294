/* The node that one fuzz input is about, and a weaker twin of its inputs: some sizes and elements became symbols, some
   things are not known any more. What inference says of the twin must hold for the node, and for every node that
   the twin becomes once its symbols are numbers. */
#pragma once

#include "draw.h"
#include "engine.h"
#include "ops/table/registry.h"

#define SUBJECT_INPUTS  64
#define SUBJECT_SYMBOLS 192

struct subject {
        struct ox_context *context;
        struct arena *arena; /* the context's */
        struct strings *strings;
        struct dim_table *dims; /* never used for inference */
        struct draw draw;
        OnnxNode *proto;
        int64_t opset;
        bool check_types;
        size_t n_in;
        struct value ground[SUBJECT_INPUTS], weak[SUBJECT_INPUTS];
        /* By the number of a symbol: what it stands for in `ground`, for those that `weak` alone has. */
        struct dim stands_for[SUBJECT_SYMBOLS];
        bool is_made[SUBJECT_SYMBOLS];
        uint32_t made;
};

/* One value for each symbol of the subject. */
struct assignment {
        int64_t value[SUBJECT_SYMBOLS];
        uint32_t count;
};

/* subject_random.c: a node of an operator of the registry, whose every part the bytes choose. */
void subject_random(struct subject *s);

/* subject_row.c: the node that a row of tests/cases tells; false for text that is no row. */
bool subject_row(struct subject *s, const char *text, size_t length);

/* subject_vary.c: changes parts of the node; then makes `weak` from `ground`. */
void subject_vary(struct subject *s);
void subject_weaken(struct subject *s);

/* Draws values of all symbols; with `natural`, those that were made for `weak` are what they stand for. False when that
   is no size. */
bool subject_assign(struct subject *s, bool natural, struct assignment *ret);

/* Whether a symbol of the subject has a value, by its number: what dim_eval() takes, with an assignment for `user`. */
bool assignment_look_up(void *user, uint32_t symbol, int64_t *ret);

/* The inputs with every symbol replaced by its value. False when some size is none. */
bool subject_concrete(struct subject *s, const struct value *from, const struct assignment *assignment,
                      struct value *ret);

/* subject_print.c: a row of tests/cases, and what inference gave, to stderr. `result` may be NULL. */
void subject_print(struct subject *s, const char *what, const struct value *in, enum ox_code code,
                   const struct ox_result *result);
