#include "infer/made.h"

void made_begin(struct made_by *made)
{
        made->node = arena_new_array(made->f->arena, struct ox_graph_node, made->f->n_entry);
}

static const char *const *names_of(const struct infer *f, const str_id *id, size_t count)
{
        const char **names = arena_new_array(f->arena, const char *, count);

        for (size_t i = 0; i < count; i++)
                names[i] = str_text(f->strings, id[i]);
        return names;
}

/* The outputs of a node stand one after another. */
void made_note(struct made_by *made, const struct result_value *entry)
{
        const struct model_node *node = entry->made_by;
        const char *scope = result_scope(entry);

        if (!node || (node == made->last && scope == made->last_scope))
                return;
        made->last = node;
        made->last_scope = scope;
        made->node[made->count++] = (struct ox_graph_node){
                .name = node->name,
                .scope = scope,
                .node_index = entry->place,
                .op = node->op->type,
                .domain = node->op->domain,
                .input = names_of(made->f, node->value, node->n_input),
                .n_input = node->n_input,
                .output = names_of(made->f, node->value + node->n_input, node->n_output),
                .n_output = node->n_output,
        };
}
