/* Nodes that are written twice: the same operator of the same inputs and attributes gives the same sizes. Exporters
   write one NonZero for each use of a mask, and what is made of both has one size. Of a random operator that holds too,
   for what is random are elements. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"

/* A node of the main graph that made symbols, and its outputs. */
struct twice {
        const struct op_row *row;
        const struct model_node *source;
        const struct value *const *in;
        int n_in, n_out;
        const struct value *out;
        const struct twice *next; /* with the same key */
};

static bool tensors_same(const OnnxTensor *a, const OnnxTensor *b)
{
        return a == b || (a && b && a->data_type == b->data_type && a->n_dims == b->n_dims &&
                          (a->n_dims == 0 || memcmp(a->dims, b->dims, a->n_dims * sizeof(*a->dims)) == 0) &&
                          a->raw_data.len == b->raw_data.len && a->raw_data.len > 0 &&
                          memcmp(a->raw_data.data, b->raw_data.data, a->raw_data.len) == 0);
}

/* An attribute with a list of anything except numbers counts as different from all others. */
static bool attributes_same(const OnnxAttribute *a, const OnnxAttribute *b)
{
        return strcmp(text_or_empty(a->name), text_or_empty(b->name)) == 0 && a->type == b->type && a->i == b->i &&
               a->f == b->f && a->s.len == b->s.len && (a->s.len == 0 || memcmp(a->s.data, b->s.data, a->s.len) == 0) &&
               a->n_ints == b->n_ints &&
               (a->n_ints == 0 || memcmp(a->ints, b->ints, a->n_ints * sizeof(*a->ints)) == 0) &&
               a->n_floats == b->n_floats &&
               (a->n_floats == 0 || memcmp(a->floats, b->floats, a->n_floats * sizeof(*a->floats)) == 0) &&
               tensors_same(a->t, b->t) && !a->g && !b->g && a->n_strings + b->n_strings == 0 &&
               a->n_tensors + b->n_tensors == 0 && a->n_graphs + b->n_graphs == 0 && !a->sparse_tensor &&
               !b->sparse_tensor && !a->tp && !b->tp && a->n_type_protos + b->n_type_protos == 0;
}

static bool nodes_same(const struct twice *a, const struct node *b)
{
        if (a->row != b->row || a->n_in != b->n_in || a->n_out != b->n_out ||
            a->source->n_attribute != b->source->n_attribute)
                return false;
        for (int i = 0; i < a->n_in; i++)
                if (a->in[i] != b->in[i])
                        return false;
        for (size_t i = 0; i < a->source->n_attribute; i++)
                if (!attributes_same(node_attribute(a->source, i), node_attribute(b->source, i)))
                        return false;
        return true;
}

/* Operator and first input as a text that is no name: names have no NUL. */
static str_id key_of(struct infer *f, const struct node *n)
{
        const struct value *first = n->n_in > 0 ? n->in[0] : NULL;
        char key[1 + sizeof(n->row) + sizeof(first)] = {0};

        memcpy(key + 1, &n->row, sizeof(n->row));
        memcpy(key + 1 + sizeof(n->row), &first, sizeof(first));
        return str_intern(f->strings, key, sizeof(key));
}

static void remember(struct infer *f, const struct node *n, str_id key, const struct twice *next)
{
        struct twice *made = arena_new_array(f->arena, struct twice, 1);
        const struct value **in = (const struct value **)arena_array(f->arena, (size_t)n->n_in, sizeof(*in));
        struct value *out = arena_new_array(f->arena, struct value, (size_t)n->n_out);

        for (int i = 0; i < n->n_in; i++)
                in[i] = n->in[i];
        for (int o = 0; o < n->n_out; o++)
                out[o] = n->out[o];
        *made = (struct twice){n->row, n->source, in, n->n_in, n->n_out, out, next};
        if (next) {
                f->twice[map_get(&f->twice_by_key, key)] = made;
                return;
        }
        if (f->n_twice == f->twice_room) {
                size_t room = f->twice_room ? 2 * f->twice_room : 16;

                f->twice = arena_grow(f->arena, f->twice, f->twice_room * sizeof(*f->twice), room * sizeof(*f->twice));
                f->twice_room = room;
        }
        map_put(f, &f->twice_by_key, key, (uint32_t)f->n_twice);
        f->twice[f->n_twice++] = made;
}

void twice_share(struct infer *f, struct node *n, size_t n_constraint)
{
        str_id key = key_of(f, n);
        int64_t at = map_get(&f->twice_by_key, key);
        const struct twice *first = at < 0 ? NULL : f->twice[at];
        int looked = 0;

        for (const struct twice *other = first; other && looked < TWICE_SEARCHED; other = other->next, looked++) {
                if (!nodes_same(other, n))
                        continue;
                for (int o = 0; o < n->n_out; o++) {
                        n->out[o] = other->out[o];
                        value_resolve(f->arena, f->dims, &n->out[o]);
                }
                f->n_constraint = n_constraint; /* they are of the other's symbols already */
                return;
        }
        remember(f, n, key, first);
}
