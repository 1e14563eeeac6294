/* What does not hang on sizes that are at fault. The rule runs once more with a symbol in the place of each size of the
   inputs, one for all that are the same: then nothing contradicts anything, and the rank of an output is known. A size
   of it that is one of those symbols alone is the input's, unless the symbol had to be another's as well, which is
   where the fault lies. All others are left open. */
#include <string.h>

#include "infer/internal.h"
#include "ops/node/output.h"

struct stand_ins {
        struct infer *f;
        const struct node *n;
        uint32_t first; /* the number of the first symbol that stands in */
        struct dim *size;
        uint32_t count, room;
};

static struct dim stand_in(struct stand_ins *s, struct dim size)
{
        struct dim_table *dims = s->f->dims;

        /* What broadcasts does so still. */
        if (dim_is(size, 1) || s->count == s->room)
                return size;
        for (uint32_t i = 0; i < s->count; i++)
                if (dim_same(s->size[i], size))
                        return dim_symbol_lone(dims, s->first + i);
        s->size[s->count++] = size;
        return dim_fresh_numbered(dims, "size", NULL);
}

/* Inputs whose elements are known keep their sizes, for these say how many there are. */
static const struct value *apart(struct stand_ins *s, const struct value *given)
{
        struct value *value = arena_new_array(s->f->arena, struct value, 1);
        struct dim *dims;

        *value = *given;
        if (!type_is_tensor(&given->type) || given->type.rank <= 0 || given->content)
                return given;
        dims = arena_new_array(s->f->arena, struct dim, (size_t)given->type.rank);
        for (int d = 0; d < given->type.rank; d++)
                dims[d] = stand_in(s, dim_resolve(s->f->dims, given->type.dim[d]));
        value->type.dim = dims;
        return value;
}

/* Whether every symbol that stands in and is `symbol` by now stands for the same size: which. */
static bool stands_for(const struct stand_ins *s, struct dim symbol, struct dim *ret)
{
        bool found = false;

        for (uint32_t i = 0; i < s->count; i++) {
                if (!dim_same(dim_resolve(s->f->dims, dim_symbol_lone(s->f->dims, s->first + i)), symbol))
                        continue;
                if (found && !dim_same(*ret, s->size[i]))
                        return false;
                *ret = s->size[i];
                found = true;
        }
        return found;
}

/* The rank and sizes of what the rule made of stand-ins, for an output. */
static void restore(struct stand_ins *s, struct node *n, int o, const struct type *made)
{
        struct dim *dims;

        if (!type_is_tensor(made) || !type_has_shape(made))
                return;
        dims = arena_new_array(s->f->arena, struct dim, (size_t)made->rank);
        for (int d = 0; d < made->rank; d++) {
                dims[d] = dim_resolve(s->f->dims, made->dim[d]);
                if (!dim_is_int(dims[d]) && !stands_for(s, dims[d], &dims[d]))
                        dims[d] = out_fresh(n, o, d);
        }
        n->out[o].type = *made;
        n->out[o].type.dim = dims;
}

static void no_condition(void *user, const struct dim_condition *condition, const struct node *n, const char *value)
{
        (void)user;
        (void)condition;
        (void)n;
        (void)value;
}

void salvage_outputs(struct infer *f, struct node *n)
{
        static const struct constraint_sink nobody = {.add = no_condition};
        struct stand_ins s = {.f = f, .n = n, .first = dim_symbol_count(f->dims)};
        const struct value **in = (const struct value **)arena_array(f->arena, (size_t)n->n_in, sizeof(*in));
        struct diags diags = {0};
        struct node again = *n;
        uint32_t held;
        bool is_fine;

        for (int i = 0; i < n->n_in; i++)
                if (n->in[i] && type_is_tensor(&n->in[i]->type) && n->in[i]->type.rank > 0)
                        s.room += (uint32_t)n->in[i]->type.rank;
        s.size = arena_new_array(f->arena, struct dim, s.room);
        for (int i = 0; i < n->n_in; i++)
                in[i] = n->in[i] ? apart(&s, n->in[i]) : NULL;
        again.in = in;
        again.out = arena_new_array(f->arena, struct value, (size_t)n->n_out);
        memcpy(again.out, n->out, (size_t)n->n_out * sizeof(*n->out));
        again.facts = &nobody;
        again.diags = &diags;
        held = dim_hold(f->dims, s.first);
        is_fine = n->row->rule(&again) == OX_OK;
        dim_release(f->dims, held);
        dim_take_faults(f->dims);
        for (int o = 0; is_fine && o < n->n_out; o++)
                restore(&s, n, o, &again.out[o].type);
}
