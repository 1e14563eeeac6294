/* Assumptions: a size of an input is not 0, where only an empty tensor would have another shape. */
#include "dim/internal.h"

#define MAX_TRIES 8 /* symbols of one operation */

void dim_allow_presuming(struct dim_table *t)
{
        t->may_presume = true;
}

bool dim_may_presume(const struct dim_table *t)
{
        return t->may_presume && t->extremes > 0;
}

bool dim_may_presume_for(struct dim_table *t, struct dim d)
{
        if (dim_is_int(d) || (!t->expr[d.expr]->extreme && !t->expr[d.expr]->open))
                return false;
        d = dim_resolve(t, d);
        return !dim_is_int(d) && t->expr[d.expr]->extreme && dim_may_presume(t);
}

static bool is_presumable(const struct dim_table *t, uint32_t number)
{
        const struct dim_symbol *symbol = &t->symbol[number]->info;

        return t->may_presume && number >= t->held && symbol->from_input && !symbol->is_bound && !symbol->presumed &&
               !symbol->may_be_none && symbol->lower == 0 && symbol->upper >= 1 && t->n_presumed < MAX_PRESUMED;
}

static void set_lower(struct dim_table *t, uint32_t number, int64_t lower)
{
        t->symbol[number]->info.lower = lower;
        t->fact_generation++;
}

/* Assumes that the symbol is at least 1. */
static void presume(struct dim_table *t, uint32_t number)
{
        set_lower(t, number, 1);
        t->symbol[number]->info.presumed = true;
        symbol_facts(t, t->symbol[number])->presumed_for = origin_keep(t);
        t->presumed[t->n_presumed++] = number;
}

struct presumed_walk {
        const struct dim_table *t;
        bool found;
};

static void see_presumed(void *user, uint32_t number)
{
        struct presumed_walk *walk = user;

        walk->found = walk->found || walk->t->symbol[number]->info.presumed;
}

bool presumed_in(struct dim_table *t, struct dim d)
{
        struct presumed_walk walk = {.t = t};

        if (t->n_presumed > 0 && !dim_is_int(d))
                dim_each_symbol(t, d, see_presumed, &walk);
        return walk.found;
}

void dim_withdraw_presumed(struct dim_table *t)
{
        for (uint32_t i = 0; i < t->n_presumed; i++)
                if (t->symbol[t->presumed[i]]->info.presumed)
                        set_lower(t, t->presumed[i], 0);
}

void dim_restore_presumed(struct dim_table *t)
{
        for (uint32_t i = 0; i < t->n_presumed; i++)
                if (t->symbol[t->presumed[i]]->info.presumed)
                        set_lower(t, t->presumed[i], 1);
}

uint32_t dim_presumed_count(const struct dim_table *t)
{
        return t->n_presumed;
}

void dim_may_be_none(struct dim_table *t, struct dim d)
{
        uint32_t number;

        if (dim_as_symbol(t, d, &number))
                t->symbol[number]->info.may_be_none = true;
}

bool dim_presume_some(struct dim_table *t, struct dim d)
{
        struct term room;

        d = dim_resolve(t, d);
        struct poly p = poly_of(t, d, &room);
        const struct atom *found = NULL;

        for (size_t i = 0; i < p.n; i++) {
                const struct atom *atom = mono_atom(t, p.term[i].mono);

                if (p.term[i].coef < 0 || range_of_mono(t, p.term[i].mono).lower < 0)
                        return false;
                if (!found && atom && atom->kind == ATOM_SYMBOL && is_presumable(t, atom->symbol))
                        found = atom;
        }
        if (range_of(t, d).lower >= 1)
                return true;
        if (!found)
                return false;
        presume(t, found->symbol);
        return true;
}

/* -- operations that stay only because a symbol may be 0 -- */

struct candidates {
        const struct dim_table *t;
        uint32_t at[MAX_TRIES];
        uint32_t n;
};

static void see_candidate(void *user, uint32_t number)
{
        struct candidates *c = user;

        for (uint32_t i = 0; i < c->n; i++)
                if (c->at[i] == number)
                        return;
        if (c->n < MAX_TRIES && is_presumable(c->t, number))
                c->at[c->n++] = number;
}

/* Whether max or min loses an argument by the facts known now. */
static bool is_simpler(struct dim_table *t, const struct atom *atom)
{
        struct dim simpler;
        const struct atom *left;

        if (expr_extreme(t, atom->kind, atom->arg, atom->n, &simpler))
                return false;
        left = lone_atom(t, simpler);
        return !left || left->kind != atom->kind || left->n < atom->n;
}

static void presume_for_atom(struct dim_table *t, const struct atom *atom)
{
        struct candidates c = {.t = t};

        if ((atom->kind != ATOM_MAX && atom->kind != ATOM_MIN) || is_simpler(t, atom))
                return;
        for (uint32_t i = 0; i < atom->n; i++)
                dim_each_symbol(t, atom->arg[i], see_candidate, &c);
        for (uint32_t i = 0; i < c.n; i++) {
                set_lower(t, c.at[i], 1);
                bool decides = is_simpler(t, atom);

                set_lower(t, c.at[i], 0);
                if (decides) {
                        presume(t, c.at[i]);
                        return;
                }
        }
}

void dim_presume_for(struct dim_table *t, struct dim d)
{
        if (!t->may_presume || dim_is_int(d) || !t->expr[d.expr]->extreme ||
            t->expr[d.expr]->memo->presume_generation == t->fact_generation)
                return;
        for (uint32_t i = 0; i < t->expr[d.expr]->n; i++) {
                const struct mono *mono = t->mono[t->expr[d.expr]->term[i].mono];

                for (uint32_t k = 0; k < mono->n; k++) {
                        const struct atom *atom = t->atom[mono->atom[k]];

                        for (uint32_t a = 0; a < atom->n; a++)
                                dim_presume_for(t, atom->arg[a]);
                        presume_for_atom(t, atom);
                }
        }
        t->expr[d.expr]->memo->presume_generation = t->fact_generation;
}
