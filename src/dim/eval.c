/* Values under an assignment, and walks over symbols. */
#include "dim/internal.h"

struct evaluation {
        const struct dim_table *t;
        bool (*lookup)(void *user, uint32_t symbol, int64_t *ret);
        void *user;
};

/* The recursion is bounded, because no dimension exceeds the limits on expressions. */
static bool eval_dim(const struct evaluation *e, struct dim d, int64_t *ret);

/* The size that is not 1, else 1. Sizes that do not broadcast have no value. */
static bool eval_broadcast(int64_t *value, int64_t other)
{
        if (other != 1 && *value != 1 && other != *value)
                return false;
        if (*value == 1)
                *value = other;
        return true;
}

static bool eval_atom(const struct evaluation *e, const struct atom *atom, int64_t *ret)
{
        int64_t other;

        if (atom->kind == ATOM_SYMBOL)
                return e->lookup(e->user, atom->symbol, ret);
        if (!eval_dim(e, atom->arg[0], ret))
                return false;
        for (uint32_t i = 1; i < atom->n; i++) {
                if (!eval_dim(e, atom->arg[i], &other))
                        return false;
                switch (atom->kind) {
                case ATOM_FLOORDIV:
                        if (!floordiv_i64(*ret, other, ret))
                                return false;
                        break;
                case ATOM_MOD:
                        if (!mod_i64(*ret, other, ret))
                                return false;
                        break;
                case ATOM_MAX:
                        *ret = other > *ret ? other : *ret;
                        break;
                case ATOM_MIN:
                        *ret = other < *ret ? other : *ret;
                        break;
                case ATOM_BROADCAST:
                        if (!eval_broadcast(ret, other))
                                return false;
                        break;
                case ATOM_RING:
                case ATOM_SYMBOL:
                        break;
                }
        }
        return true;
}

static bool eval_dim(const struct evaluation *e, struct dim d, int64_t *ret)
{
        int64_t sum = 0;

        if (dim_is_int(d)) {
                *ret = d.val;
                return true;
        }
        const struct expr *expr = e->t->expr[d.expr];

        for (uint32_t i = 0; i < expr->n; i++) {
                const struct mono *mono = e->t->mono[expr->term[i].mono];
                int64_t product = expr->term[i].coef, factor;

                for (uint32_t k = 0; k < mono->n; k++)
                        if (!eval_atom(e, e->t->atom[mono->atom[k]], &factor) || !mul_i64(product, factor, &product))
                                return false;
                if (!add_i64(sum, product, &sum))
                        return false;
        }
        *ret = sum;
        return true;
}

bool dim_eval(const struct dim_table *t, struct dim d, bool (*lookup)(void *user, uint32_t symbol, int64_t *ret),
              void *user, int64_t *ret)
{
        const struct evaluation e = {.t = t, .lookup = lookup, .user = user};

        return eval_dim(&e, d, ret);
}

void dim_each_symbol(const struct dim_table *t, struct dim d, void (*visit)(void *user, uint32_t symbol), void *user)
{
        if (dim_is_int(d))
                return;
        const struct expr *expr = t->expr[d.expr];

        for (uint32_t i = 0; i < expr->n; i++) {
                const struct mono *mono = t->mono[expr->term[i].mono];

                for (uint32_t k = 0; k < mono->n; k++) {
                        const struct atom *atom = t->atom[mono->atom[k]];

                        if (atom->kind == ATOM_SYMBOL)
                                visit(user, atom->symbol);
                        for (uint32_t j = 0; j < atom->n; j++)
                                dim_each_symbol(t, atom->arg[j], visit, user);
                }
        }
}

void dim_condition_each_symbol(const struct dim_table *t, const struct dim_condition *c,
                               void (*visit)(void *user, uint32_t symbol), void *user)
{
        dim_each_symbol(t, c->left, visit, user);
        dim_each_symbol(t, c->right, visit, user);
}

struct acceptance {
        const struct dim_table *t;
        bool (*accept)(const struct dim_symbol *symbol);
        bool all;
};

static void check_symbol(void *user, uint32_t symbol)
{
        struct acceptance *a = user;

        a->all = a->all && a->accept(&a->t->symbol[symbol]->info);
}

bool dim_all_symbols(const struct dim_table *t, struct dim d, bool (*accept)(const struct dim_symbol *symbol))
{
        struct acceptance a = {.t = t, .accept = accept, .all = true};

        dim_each_symbol(t, d, check_symbol, &a);
        return a.all;
}

struct since {
        uint32_t first;
        bool found;
};

static void look_since(void *user, uint32_t symbol)
{
        struct since *since = user;

        since->found = since->found || symbol >= since->first;
}

bool dim_names_since(const struct dim_table *t, struct dim d, uint32_t first)
{
        struct since since = {.first = first};

        dim_each_symbol(t, d, look_since, &since);
        return since.found;
}

bool dim_has_factor(const struct dim_table *t, struct dim d, uint32_t symbol)
{
        if (dim_is_int(d))
                return false;
        const struct expr *expr = t->expr[d.expr];

        for (uint32_t i = 0; i < expr->n; i++) {
                const struct mono *mono = t->mono[expr->term[i].mono];
                bool found = false;

                for (uint32_t k = 0; k < mono->n; k++)
                        found = found || mono->atom[k] == t->symbol[symbol]->atom;
                if (!found)
                        return false;
        }
        return true;
}
