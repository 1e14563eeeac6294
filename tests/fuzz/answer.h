/* What inference gave for a subject's node, and what must hold of it. */
#pragma once

#include "subject.h"

struct answer {
        struct ox_context *context;
        enum ox_code code;
        const struct ox_result *result; /* NULL when there is none */
        const char *error;
        const char *json; /* the answer, or the error */
        const struct value *in;
        const struct strings *strings;
};

/* Infers the subject's node with the inputs `in`, whose dimensions are the subject's. `bound` (may be NULL) gives every
   symbol its value as the option `dim` does. With `check_types` a node of the wrong types is an error. The answer lives
   on `context`, which is reset before. False when no memory is left. */
bool answer_get(struct subject *s, struct ox_context *context, const struct value *in, const struct assignment *bound,
                bool check_types, uint64_t seed, struct answer *ret);

/* answer_hold.c: what holds of every answer. */
void answer_hold(struct subject *s, const struct answer *answer);

/* What the weaker answer says must hold for the stronger one, whose inputs are the weaker one's with every symbol
   replaced by its value, or with more known of them. */
void answer_hold_for(struct subject *s, const struct answer *weak, const struct assignment *assignment,
                     const struct answer *strong);
