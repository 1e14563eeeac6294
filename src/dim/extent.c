/* The bounds of a size that depends on data, as expressions in the sizes of inputs: 2*NonZero_1 + 1 is at most 2*N + 1,
   when NonZero_1 is at most N. */
#include "dim/internal.h"

struct extent {
        struct dim_table *t;
        unsigned depth, steps;
};

static bool bound_dim(struct extent *x, struct dim d, bool upper, struct dim *ret);

/* The bound that is a number. */
static bool by_range(struct range range, bool upper, struct dim *ret)
{
        *ret = dim_int(upper ? range.upper : range.lower);
        return upper ? range.upper != INT64_MAX : range.lower != INT64_MIN;
}

static bool bound_symbol(struct extent *x, uint32_t number, bool upper, struct dim *ret)
{
        const struct dim_symbol *symbol = &x->t->symbol[number]->info;
        struct dim pair[2] = {dim_int(0), dim_int(symbol->upper)};

        if (symbol->from_input) {
                *ret = symbol_lone(x->t->symbol[number]);
                return true;
        }
        if (!upper || !symbol->has_most || !bound_dim(x, dim_resolve(x->t, symbol->facts->most), true, &pair[0]))
                return by_range((struct range){symbol->lower, symbol->upper}, upper, ret);
        *ret = pair[0];
        return symbol->upper == INT64_MAX || !expr_extreme(x->t, ATOM_MIN, pair, 2, ret);
}

/* Of max, min and broadcast: max is at most the max of what its arguments are at most, and at least what any of them is
   at least. What broadcasts is at most the largest argument. */
static bool bound_extreme(struct extent *x, const struct atom *atom, bool upper, struct dim *ret)
{
        struct dim arg[MAX_ARGUMENTS];
        bool needs_all = atom->kind == ATOM_BROADCAST || upper == (atom->kind == ATOM_MAX);
        uint32_t n = 0;

        if (atom->kind == ATOM_BROADCAST && !upper)
                return false;
        for (uint32_t i = 0; i < atom->n; i++) {
                bool found = bound_dim(x, atom->arg[i], upper, &arg[n]);

                if (!found && needs_all)
                        return false;
                n += found;
        }
        return n > 0 && !expr_extreme(x->t, atom->kind == ATOM_MIN ? ATOM_MIN : ATOM_MAX, arg, n, ret);
}

static bool bound_atom(struct extent *x, uint32_t id, bool upper, struct dim *ret)
{
        const struct atom *atom = x->t->atom[id];
        struct dim numerator;

        switch (atom->kind) {
        case ATOM_SYMBOL:
                return bound_symbol(x, atom->symbol, upper, ret);
        case ATOM_FLOORDIV:
                if (dim_is_int(atom->arg[1]) && atom->arg[1].val > 0 && bound_dim(x, atom->arg[0], upper, &numerator) &&
                    !expr_floordiv(x->t, numerator, atom->arg[1], ret))
                        return true;
                break;
        case ATOM_MAX:
        case ATOM_MIN:
        case ATOM_BROADCAST:
                if (bound_extreme(x, atom, upper, ret))
                        return true;
                break;
        case ATOM_MOD:
        case ATOM_RING:
                break;
        }
        return by_range(range_of_mono(x->t, mono_intern(x->t, &id, 1)), upper, ret);
}

/* A product of factors that are not negative, each at its bound. */
static bool bound_mono(struct extent *x, uint64_t id, bool upper, struct dim *ret)
{
        const struct mono *mono = x->t->mono[id];
        struct dim product = dim_int(1), factor = dim_int(0);

        for (uint32_t i = 0; i < mono->n; i++) {
                uint32_t atom = x->t->mono[id]->atom[i];

                if (!bound_atom(x, atom, upper, &factor))
                        return false;
                if (mono->n > 1 &&
                    (range_of_mono(x->t, mono_intern(x->t, &atom, 1)).lower < 0 || range_of(x->t, factor).lower < 0))
                        return by_range(range_of_mono(x->t, id), upper, ret);
                if (expr_mul(x->t, product, factor, &product))
                        return false;
        }
        *ret = product;
        return true;
}

static bool bound_sum(struct extent *x, struct dim d, bool upper, struct dim *ret)
{
        struct dim sum = dim_int(0), part = dim_int(0);

        for (uint32_t i = 0; i < x->t->expr[d.expr]->n; i++) {
                struct term term = x->t->expr[d.expr]->term[i];

                if (!bound_mono(x, term.mono, upper == (term.coef > 0), &part) ||
                    expr_combine(x->t, sum, 1, part, term.coef, &sum))
                        return false;
        }
        *ret = sum;
        return true;
}

static bool bound_dim(struct extent *x, struct dim d, bool upper, struct dim *ret)
{
        bool found = false;

        if (dim_is_int(d)) {
                *ret = d;
                return true;
        }
        if (x->depth >= MAX_EXTENT_DEPTH || x->steps++ >= MAX_EXTENT)
                return false;
        x->depth++;
        found = bound_sum(x, d, upper, ret);
        x->depth--;
        return found;
}

bool dim_extent(struct dim_table *t, struct dim d, bool upper, struct dim *ret)
{
        struct extent x = {.t = t};
        struct dim pair[2] = {dim_int(0), dim_int(0)};

        d = dim_resolve(t, d);
        bool has_number = by_range(range_of(t, d), upper, &pair[1]);

        *ret = pair[1];
        if (!bound_dim(&x, d, upper, &pair[0]))
                return has_number;
        *ret = pair[0];
        /* Both hold: the closer one, or what both come to. */
        return !has_number || !expr_extreme(t, upper ? ATOM_MIN : ATOM_MAX, pair, 2, ret);
}
