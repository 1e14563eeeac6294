/* Results of calls of the model's functions, kept so that doubling chains of calls stay linear. */
#pragma once

#include "infer/internal.h"

/* A symbol that a call made, as it is known at the end of the call. */
struct made {
        uint32_t symbol;
        bool joins, has_most;
        int64_t lower, upper;
        struct dim most;
};

/* The results of a call for its arguments. */
struct function_memo {
        struct function_memo *next; /* made before, of any function */
        struct function_memo *same; /* made before, of the same function */
        struct function *function;
        const struct model_node *call; /* whose attributes it had */
        const struct value *args;      /* for each input of the function */
        const bool *given;
        uint64_t hash;                     /* of the arguments' types */
        struct value *outputs;             /* for each output of the function */
        uint32_t first_symbol, end_symbol; /* those between were made by the call, and stand for data of that call */
        struct made *made;                 /* those of them that stand in the outputs, RENEWED at most */
        int n_made;
        bool is_cut;       /* something in it was nested too deep; a less nested call may know more */
        bool is_unreached; /* it was in code that never runs, so its faults were not reported */
        int depth;
};

/* Of the arguments' types, so that most calls that are not alike are told apart at once. */
uint64_t call_hash(const struct function_memo *memo);

/* The results of an equal earlier call, by function, call, args and given of `wanted`; NULL: none. */
const struct function_memo *call_find(const struct function_memo *wanted);

/* Resolves the outputs at the end of the call, and keeps what is known of the symbols in them: what is learned of these
   later holds for no other call. */
void call_resolve(struct infer *f, struct function_memo *memo);

/* Gives a node the outputs of an equal earlier call, with symbols of its own in place of those that the call made. */
void call_repeat(struct node *n, const struct function_memo *memo);
