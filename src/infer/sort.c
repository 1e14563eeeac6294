/* Nodes that do not stand in topological order, sorted (IR.md: they must be; some exporters' are not). */
#include <string.h>

#include "infer/internal.h"

struct sorting {
        struct infer *f;
        struct name_map maker; /* of an output: its node */
        /* Edges from a maker to its users, as lists in arrays. */
        uint32_t *first;   /* of a node: edge + 1 */
        uint32_t *waiting; /* of a node: edges that lead to it from nodes not yet placed */
        struct edge {
                uint32_t to, next;
        } * edge;
        size_t n_edge, capacity;
};

static void add_edge(struct sorting *s, const char *input, uint32_t user)
{
        str_id name;

        if (!str_find(s->f->strings, input, strlen(input), &name))
                return;
        int64_t maker = map_get(&s->maker, name);

        if (maker < 0)
                return;
        if (s->n_edge == s->capacity) {
                size_t capacity = s->capacity ? 2 * s->capacity : 256;

                s->edge = arena_grow(s->f->arena, s->edge, s->capacity * sizeof(*s->edge), capacity * sizeof(*s->edge));
                s->capacity = capacity;
        }
        s->edge[s->n_edge] = (struct edge){user, s->first[maker]};
        s->first[maker] = (uint32_t)++s->n_edge;
        s->waiting[user]++;
}

/* What the node takes, and what its subgraphs take from around it. */
static void add_edges(struct sorting *s, const OnnxNode *node, uint32_t user, int64_t depth)
{
        for (size_t i = 0; i < node->n_input; i++)
                if (node->input[i][0])
                        add_edge(s, node->input[i], user);
        if (depth >= s->f->limits->graph_depth)
                return;
        for (size_t a = 0; a < node->n_attribute; a++) {
                const OnnxGraph *graph = node->attribute[a]->g;

                for (size_t i = 0; graph && i < graph->n_node; i++)
                        add_edges(s, graph->node[i], user, depth + 1);
                for (size_t o = 0; graph && o < graph->n_output; o++)
                        if (graph->output[o]->name)
                                add_edge(s, graph->output[o]->name, user);
        }
}

const uint32_t *sort_nodes(struct infer *f, OnnxNode *const *nodes, size_t count, size_t *ret_cyclic)
{
        struct sorting s = {.f = f};
        uint32_t *order = arena_new_array(f->arena, uint32_t, count);
        size_t placed = 0;

        s.first = arena_zalloc(f->arena, count * sizeof(*s.first));
        s.waiting = arena_zalloc(f->arena, count * sizeof(*s.waiting));
        for (size_t i = 0; i < count; i++)
                for (size_t o = 0; o < nodes[i]->n_output; o++)
                        if (nodes[i]->output[o][0])
                                map_put(f, &s.maker, str_intern_z(f->strings, nodes[i]->output[o]), (uint32_t)i);
        for (size_t i = 0; i < count; i++)
                add_edges(&s, nodes[i], (uint32_t)i, 0);
        for (size_t i = 0; i < count; i++)
                if (!s.waiting[i])
                        order[placed++] = (uint32_t)i;
        for (size_t i = 0; i < placed; i++)
                for (uint32_t e = s.first[order[i]]; e && s.edge; e = s.edge[e - 1].next)
                        if (--s.waiting[s.edge[e - 1].to] == 0)
                                order[placed++] = s.edge[e - 1].to;
        *ret_cyclic = count - placed;
        for (size_t i = 0; i < count && placed < count; i++)
                if (s.waiting[i])
                        order[placed++] = (uint32_t)i;
        return order;
}
