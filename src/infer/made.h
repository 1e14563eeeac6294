/* The nodes of an answer. */
#pragma once

#include "infer/internal.h"

/* The nodes of the answer, which has all of them, whichever values it shows. */
struct made_by {
        struct infer *f;
        struct ox_graph_node *node; /* NULL: nobody asks for them */
        size_t count;
        const struct model_node *last;
        const char *last_scope;
};

/* Makes room for the nodes of all values. */
void made_begin(struct made_by *made);
/* Adds the node that makes a value, unless it was added for the one before. */
void made_note(struct made_by *made, const struct result_value *entry);
