/* Nodes that do not stand in topological order, sorted (IR.md: they must be; some exporters' are not). */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"

/* -- names that subgraphs take from around them -- */

/* The names that a subgraph takes from around it, each once; found once, for subgraphs are asked for at every level
   around them and walked any number of times. */
struct captures {
        str_id *name;
        size_t count, room;
};

struct capture {
        struct infer *f;
        struct name_map defined, taken;
        struct captures found;
};

static void define(struct capture *c, const char *name)
{
        if (name && name[0])
                map_put(c->f, &c->defined, str_intern_z(c->f->strings, name), 0);
}

static void define_names(struct capture *c, const OnnxGraph *graph)
{
        for (size_t i = 0; i < graph->n_input; i++)
                define(c, graph->input[i]->name);
        for (const struct model_tensor *tensor = graph_initializers(graph)->first; tensor; tensor = tensor->next)
                if (tensor->name != STR_EMPTY)
                        map_put(c->f, &c->defined, tensor->name, 0);
        for (size_t i = 0; i < graph->n_sparse_initializer; i++)
                if (graph->sparse_initializer[i]->values)
                        define(c, graph->sparse_initializer[i]->values->name);
        for (const struct model_node *node = graph_nodes(graph)->first; node; node = node->next)
                for (size_t o = 0; o < node->n_output; o++)
                        if (node_output(node, o) != STR_EMPTY)
                                map_put(c->f, &c->defined, node_output(node, o), 0);
}

static void take_name(struct capture *c, str_id name)
{
        struct captures *found = &c->found;

        if (map_get(&c->defined, name) >= 0 || !map_put(c->f, &c->taken, name, 0))
                return;
        if (found->count == found->room) {
                size_t room = found->room ? 2 * found->room : 8;

                found->name = arena_grow(c->f->arena, found->name, found->room * sizeof(*found->name),
                                         room * sizeof(*found->name));
                found->room = room;
        }
        found->name[found->count++] = name;
}

/* A graph by its address, as a text that is no name: names have no NUL. */
static str_id graph_key(struct infer *f, const OnnxGraph *graph)
{
        char key[1 + sizeof(graph)] = {0};

        memcpy(key + 1, &graph, sizeof(graph));
        return str_intern(f->strings, key, sizeof(key));
}

static struct captures captures_remember(struct infer *f, str_id key, const struct captures *found)
{
        if (f->n_captures == f->captures_room) {
                size_t room = f->captures_room ? 2 * f->captures_room : 16;

                f->captures = arena_grow(f->arena, f->captures, f->captures_room * sizeof(*f->captures),
                                         room * sizeof(*f->captures));
                f->captures_room = room;
        }
        map_put(f, &f->capture_of, key, (uint32_t)f->n_captures);
        f->captures[f->n_captures++] = *found;
        return *found;
}

/* The depth is bounded: subgraphs deeper than that are not walked either. */
static struct captures captures_of(struct infer *f, const OnnxGraph *graph, int64_t depth)
{
        str_id key = graph_key(f, graph);
        int64_t at = map_get(&f->capture_of, key);
        struct capture c = {.f = f};

        if (at >= 0)
                return f->captures[at];
        define_names(&c, graph);
        for (const struct model_node *node = graph_nodes(graph)->first; node; node = node->next) {
                for (size_t k = 0; k < node->n_input; k++)
                        if (node_input(node, k) != STR_EMPTY)
                                take_name(&c, node_input(node, k));
                for (size_t a = 0; a < node->n_attribute && depth < f->limits->graph_depth; a++) {
                        const OnnxGraph *body = attribute_graph(node_attribute(node, a));

                        if (!body)
                                continue;
                        struct captures inner = captures_of(f, body, depth + 1);

                        for (size_t k = 0; k < inner.count; k++)
                                take_name(&c, inner.name[k]);
                }
        }
        for (size_t o = 0; o < graph->n_output; o++)
                if (graph->output[o]->name && graph->output[o]->name[0])
                        take_name(&c, str_intern_z(f->strings, graph->output[o]->name));
        return captures_remember(f, key, &c.found);
}

void sort_each_capture(struct infer *f, const struct model_node *node, void (*visit)(void *user, str_id name),
                       void *user)
{
        for (size_t a = 0; a < node->n_attribute; a++) {
                const OnnxGraph *body = attribute_graph(node_attribute(node, a));

                if (!body)
                        continue;
                struct captures found = captures_of(f, body, 1);

                for (size_t i = 0; i < found.count; i++)
                        visit(user, found.name[i]);
        }
}

/* -- edges from makers to users -- */

struct sorting {
        struct infer *f;
        struct name_map maker; /* of an output: its node */
        /* Edges from a node to the users of its outputs, as lists in arrays. */
        uint32_t *first;   /* of a node: edge + 1 */
        uint32_t *waiting; /* of a node: edges that lead to it from nodes not yet placed */
        struct edge {
                uint32_t to, next;
        } * edge;
        size_t n_edge, capacity;
        uint32_t user;  /* whose edges are being added */
        uint32_t *heap; /* nodes whose inputs are ready, a heap with the first of the list on top */
        size_t n_heap;
};

static void add_edge(void *user, str_id name)
{
        struct sorting *s = user;
        int64_t maker = map_get(&s->maker, name);

        if (maker < 0)
                return;
        if (s->n_edge == s->capacity) {
                size_t capacity = 2 * s->capacity;

                s->edge = arena_grow(s->f->arena, s->edge, s->capacity * sizeof(*s->edge), capacity * sizeof(*s->edge));
                s->capacity = capacity;
        }
        s->edge[s->n_edge] = (struct edge){s->user, s->first[maker]};
        s->first[maker] = (uint32_t)++s->n_edge;
        s->waiting[s->user]++;
}

static void add_edges(struct sorting *s, const struct model_node *node, uint32_t user)
{
        s->user = user;
        for (size_t i = 0; i < node->n_input; i++)
                if (node_input(node, i) != STR_EMPTY)
                        add_edge(s, node_input(node, i));
        sort_each_capture(s->f, node, add_edge, s);
}

/* -- the order: of the nodes that may come next always the one that stands first in the model -- */

static void heap_push(struct sorting *s, uint32_t node)
{
        size_t at = s->n_heap++;

        for (; at > 0 && s->heap[(at - 1) / 2] > node; at = (at - 1) / 2)
                s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[at] = node;
}

static uint32_t heap_pop(struct sorting *s)
{
        uint32_t top = s->heap[0], last = s->heap[--s->n_heap];
        size_t at = 0;

        for (size_t child = 1; child < s->n_heap; child = 2 * at + 1) {
                if (child + 1 < s->n_heap && s->heap[child + 1] < s->heap[child])
                        child++;
                if (last <= s->heap[child])
                        break;
                s->heap[at] = s->heap[child];
                at = child;
        }
        s->heap[at] = last;
        return top;
}

/* -- cycles -- */

/* A node that computes an input of this node and has no place in the order either. */
struct waiting_maker {
        const struct sorting *s;
        int64_t found; /* -1: none yet */
};

static void take_waiting_maker(void *user, str_id name)
{
        struct waiting_maker *w = user;
        int64_t maker = map_get(&w->s->maker, name);

        if (w->found < 0 && maker >= 0 && w->s->waiting[maker])
                w->found = maker;
}

static uint32_t waiting_maker(const struct sorting *s, const struct model_node *node)
{
        struct waiting_maker w = {s, -1};

        for (size_t i = 0; i < node->n_input && w.found < 0; i++)
                if (node_input(node, i) != STR_EMPTY)
                        take_waiting_maker(&w, node_input(node, i));
        if (w.found < 0)
                sort_each_capture(s->f, node, take_waiting_maker, &w);
        return (uint32_t)w.found;
}

/* From a node that waits back to its makers, until one comes again: from there on it is a cycle, of which the first
   nodes are named, each before the one that takes what it makes. */
static const char *cycle_text(const struct sorting *s, const struct model_node *const *nodes, size_t count,
                              size_t first, uint32_t start)
{
        uint32_t *step = arena_zalloc(s->f->arena, count * sizeof(*step)); /* + 1; 0: not been there */
        uint32_t *path = arena_new_array(s->f->arena, uint32_t, count), at = start, length = 0;
        struct buf buf;

        for (; !step[at]; at = waiting_maker(s, nodes[at])) {
                path[length] = at;
                step[at] = ++length;
        }
        buf_init(&buf, s->f->arena);
        uint32_t begin = step[at] - 1, shown = length - begin < CYCLE_SHOWN ? length - begin : CYCLE_SHOWN;

        for (uint32_t i = 0; i < shown; i++) {
                uint32_t node = path[length - 1 - i];

                buf_printf(&buf, "%s -> ",
                           node_party(s->f->arena, (int64_t)(first + node), nodes[node]->name, nodes[node]->op->type));
        }
        if (shown < length - begin)
                buf_printf(&buf, "%u more -> ", length - begin - shown);
        buf_printf(&buf, "node %zu", first + path[length - 1]);
        return buf_text(&buf);
}

const uint32_t *sort_nodes(struct infer *f, const struct model_node *const *nodes, size_t count, size_t first,
                           size_t *ret_cyclic, const char **ret_cycle)
{
        struct sorting s = {.f = f};
        uint32_t *order = arena_new_array(f->arena, uint32_t, count);
        size_t placed = 0;

        s.first = arena_zalloc(f->arena, count * sizeof(*s.first));
        s.waiting = arena_zalloc(f->arena, count * sizeof(*s.waiting));
        s.heap = arena_new_array(f->arena, uint32_t, count);
        s.capacity = 2 * count + 1; /* most nodes use the outputs of one or two others */
        s.edge = arena_new_array(f->arena, struct edge, s.capacity);
        for (size_t i = 0; i < count; i++)
                for (size_t o = 0; o < nodes[i]->n_output; o++)
                        if (node_output(nodes[i], o) != STR_EMPTY)
                                map_put(f, &s.maker, node_output(nodes[i], o), (uint32_t)i);
        for (size_t i = 0; i < count; i++)
                add_edges(&s, nodes[i], (uint32_t)i);
        for (size_t i = 0; i < count; i++)
                if (!s.waiting[i])
                        heap_push(&s, (uint32_t)i);
        while (s.n_heap) {
                order[placed] = heap_pop(&s);
                for (uint32_t e = s.first[order[placed++]]; e; e = s.edge[e - 1].next)
                        if (--s.waiting[s.edge[e - 1].to] == 0)
                                heap_push(&s, s.edge[e - 1].to);
        }
        *ret_cyclic = count - placed;
        *ret_cycle = "";
        for (size_t i = 0; i < count && placed < count && !*ret_cycle[0]; i++)
                if (s.waiting[i])
                        *ret_cycle = cycle_text(&s, nodes, count, first, (uint32_t)i);
        for (size_t i = 0; i < count && placed < count; i++)
                if (s.waiting[i])
                        order[placed++] = (uint32_t)i;
        return order;
}
