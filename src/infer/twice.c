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

static bool dims_same(const struct model_tensor *a, const struct model_tensor *b)
{
        if (a->n_dim != b->n_dim)
                return false;
        for (size_t d = 0; d < a->n_dim; d++)
                if (a->dim[d].val != b->dim[d].val)
                        return false;
        return true;
}

static bool tensors_same(const struct model_tensor *a, const struct model_tensor *b)
{
        return a == b || (a->data_type == b->data_type && dims_same(a, b) && a->place == PLACE_RAW &&
                          b->place == PLACE_RAW && a->n_data == b->n_data && memcmp(a->data, b->data, a->n_data) == 0);
}

/* Whether an attribute holds what stands for a zero as well as an omitted one. */
static bool is_zero(const struct model_attribute *a)
{
        return a->held == HELD_UNDEFINED || (a->held == HELD_INT && a->i == 0) ||
               (a->held == HELD_FLOAT && a->f == 0.0F) || (a->held == HELD_STRING && a->count == 0);
}

/* A list of anything except numbers counts as different from all others. */
static bool held_same(const struct model_attribute *a, const struct model_attribute *b)
{
        if (a->held != b->held || a->count != b->count)
                return is_zero(a) && is_zero(b);
        switch (a->held) {
        case HELD_UNDEFINED:
        case HELD_REFERENCE:
                return true;
        case HELD_INT:
                return a->i == b->i;
        case HELD_FLOAT:
                return a->f == b->f;
        case HELD_STRING:
                return a->count == 0 || memcmp(a->bytes, b->bytes, a->count) == 0;
        case HELD_INTS:
                return memcmp(a->ints, b->ints, a->count * sizeof(*a->ints)) == 0;
        case HELD_FLOATS:
                return memcmp(a->floats, b->floats, a->count * sizeof(*a->floats)) == 0;
        case HELD_TENSOR:
                return tensors_same(a->tensor, b->tensor);
        default:
                return false;
        }
}

static bool nodes_same(const struct twice *a, const struct node *b)
{
        if (a->row != b->row || a->n_in != b->n_in || a->n_out != b->n_out)
                return false;
        for (int i = 0; i < a->n_in; i++)
                if (a->in[i] != b->in[i])
                        return false;
        return node_attributes_same(a->source, b->source, held_same);
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
