/* Groups of sizes that conditions tie together. Equations that give one size by others are solved; numbers are tried
   for the others, small ones first. */
#include "infer/tied.h"

#include "base/bounds.h"
#include "infer/trial.h"

#define NONE SIZE_MAX

/* A condition about symbols of a group alone: as it is tried, and as it is told. The second is a fact by now, from
   which others, and itself, might seem to follow. */
struct tie {
        struct dim_condition is, told;
        bool has_several; /* symbols */
        bool is_dropped;  /* it is not told: it is solved, or follows from others */
};

/* A symbol of a group: free, or given by others. */
struct member {
        uint32_t symbol;
        struct dim lone, by; /* by: in so far as is_solved */
        bool is_solved;
        bool is_alone;      /* for numbers >= 1 no condition ties it */
        int64_t *candidate; /* of a free one: numbers that fulfil all conditions on it alone */
        size_t n_candidate;
        int64_t value; /* that is tried */
};

struct group {
        struct infer *f;
        struct member *member;
        size_t n_member;
        struct tie *tie;
        size_t n_tie;
        bool is_open;        /* further conditions, of which some need not hold, or hang on data */
        int64_t most, tries; /* trying: the largest number, and conditions that may still be looked at */
        struct ox_bindings *found;
        size_t n_found;
};

/* -- symbols of a condition -- */

struct seen {
        const size_t *group_of; /* by symbol; NONE */
        uint32_t of;            /* a symbol, which is seen or not */
        size_t first;           /* symbol that has a group */
        bool has_it, has_several, has_others;
};

static void see(void *user, uint32_t symbol)
{
        struct seen *s = user;

        s->has_it = s->has_it || symbol == s->of;
        if (s->group_of[symbol] == NONE)
                s->has_others = true;
        else if (s->first == NONE)
                s->first = symbol;
        else
                s->has_several = s->has_several || s->first != symbol;
}

static struct seen look(const struct dim_table *dims, const size_t *group_of, const struct dim_condition *c)
{
        struct seen s = {.group_of = group_of, .of = UINT32_MAX, .first = NONE};

        dim_condition_each_symbol(dims, c, see, &s);
        return s;
}

static void see_one(void *user, uint32_t symbol)
{
        struct seen *s = user;

        s->has_it = s->has_it || symbol == s->of;
        s->has_others = s->has_others || symbol != s->of;
}

static struct seen look_for(const struct dim_table *dims, uint32_t symbol, const struct dim_condition *c)
{
        struct seen s = {.of = symbol};

        dim_condition_each_symbol(dims, c, see_one, &s);
        return s;
}

/* -- groups -- */

struct joining {
        size_t *group_of;
        uint32_t count; /* of symbols */
        size_t to;
};

/* Puts a symbol that has a group, with all others of it, into one group. */
static void join(void *user, uint32_t symbol)
{
        const struct joining *j = user;
        size_t from = j->group_of[symbol];

        for (uint32_t i = 0; from != NONE && from != j->to && i < j->count; i++)
                if (j->group_of[i] == from)
                        j->group_of[i] = j->to;
}

static struct dim_condition resolved(struct infer *f, const struct dim_condition *c)
{
        return (struct dim_condition){dim_resolve(f->dims, c->left), c->relation, dim_resolve(f->dims, c->right)};
}

/* The number of the group of each symbol; NONE: it is not listed. Symbols that certain conditions connect have one. */
static size_t *find_groups(struct infer *f, const uint32_t *symbol, size_t n_symbol)
{
        struct joining j = {.count = dim_symbol_count(f->dims)};

        j.group_of = arena_new_array(f->arena, size_t, j.count);
        for (uint32_t i = 0; i < j.count; i++)
                j.group_of[i] = NONE;
        for (size_t i = 0; i < n_symbol; i++)
                j.group_of[symbol[i]] = i;
        for (size_t i = 0; i < f->n_constraint; i++) {
                struct dim_condition c = resolved(f, &f->constraint[i].is);
                struct seen s = look(f->dims, j.group_of, &c);

                if (!f->constraint[i].is_certain || !s.has_several || s.has_others)
                        continue;
                j.to = j.group_of[s.first];
                dim_condition_each_symbol(f->dims, &c, join, &j);
        }
        return j.group_of;
}

static void take_conditions(struct group *g, const size_t *group_of, size_t number)
{
        struct infer *f = g->f;

        g->tie = arena_new_array(f->arena, struct tie, f->n_constraint + g->n_member);
        for (size_t i = 0; i < f->n_constraint; i++) {
                struct dim_condition c = resolved(f, &f->constraint[i].is);
                struct seen s = look(f->dims, group_of, &c);

                if (s.first == NONE || group_of[s.first] != number)
                        continue;
                if (f->constraint[i].is_certain && !s.has_others)
                        g->tie[g->n_tie++] = (struct tie){.is = c,
                                                          .told = c,
                                                          .has_several = s.has_several,
                                                          .is_dropped = !f->constraint[i].is_listed};
                else
                        g->is_open = true;
        }
}

/* -- equations -- */

/* left - right, solved for a symbol that it has exactly once; false where it has not. */
static bool solve(struct dim_table *dims, const struct dim_condition *c, const struct member *m, struct dim *ret)
{
        struct dim_condition rest = {.left = dim_sub(dims, c->left, c->right), .right = dim_int(0)};

        if (!look_for(dims, m->symbol, &rest).has_it)
                return false;
        struct dim apart = rest.left;

        rest.left = dim_sub(dims, apart, m->lone);
        *ret = dim_sub(dims, dim_int(0), rest.left);
        if (!look_for(dims, m->symbol, &rest).has_it)
                return true;
        *ret = rest.left = dim_add(dims, apart, m->lone);
        return !look_for(dims, m->symbol, &rest).has_it;
}

static void substitute(struct group *g, const struct member *m)
{
        struct dim_table *dims = g->f->dims;

        for (size_t i = 0; i < g->n_tie; i++) {
                g->tie[i].told.left = dim_substitute(dims, g->tie[i].told.left, m->lone, m->by);
                g->tie[i].told.right = dim_substitute(dims, g->tie[i].told.right, m->lone, m->by);
        }
        for (size_t i = 0; i < g->n_member; i++)
                if (g->member[i].is_solved && &g->member[i] != m)
                        g->member[i].by = dim_substitute(dims, g->member[i].by, m->lone, m->by);
}

/* Later symbols are given by earlier ones. */
static void solve_all(struct group *g)
{
        size_t solved = 0;

        for (size_t i = 0; i < g->n_tie && solved < TIED_SOLVED; i++)
                for (size_t k = g->n_member; k-- > 0 && !g->tie[i].is_dropped;) {
                        struct member *m = &g->member[k];

                        if (g->tie[i].told.relation != DIM_EQUAL || m->is_solved ||
                            !solve(g->f->dims, &g->tie[i].told, m, &m->by))
                                continue;
                        m->is_solved = g->tie[i].is_dropped = true;
                        solved++;
                        substitute(g, m);
                }
}

static bool same_condition(const struct dim_condition *a, const struct dim_condition *b)
{
        bool is_symmetric = a->relation == DIM_EQUAL || a->relation == DIM_EITHER;

        return a->relation == b->relation &&
               ((dim_same(a->left, b->left) && dim_same(a->right, b->right)) ||
                (is_symmetric && dim_same(a->left, b->right) && dim_same(a->right, b->left)));
}

/* Writes what is left of the conditions, once each. */
static void simplify(struct group *g)
{
        for (size_t i = 0; i < g->n_tie; i++) {
                struct tie *tie = &g->tie[i];

                if (tie->is_dropped)
                        continue;
                dim_write_condition(g->f->dims, &tie->told);
                tie->is_dropped = dim_same(tie->told.left, tie->told.right);
                for (size_t k = 0; k < i && !tie->is_dropped; k++)
                        tie->is_dropped = !g->tie[k].is_dropped && same_condition(&tie->told, &g->tie[k].told);
        }
}

/* A common factor of both sides is gone by now. */
static void find_alone(struct group *g)
{
        for (size_t i = 0; i < g->n_member; i++) {
                struct member *m = &g->member[i];

                m->is_alone = !m->is_solved;
                for (size_t k = 0; k < g->n_tie && m->is_alone; k++)
                        m->is_alone = g->tie[k].is_dropped || !g->tie[k].has_several ||
                                      !look_for(g->f->dims, m->symbol, &g->tie[k].told).has_it;
                for (size_t k = 0; k < g->n_member && m->is_alone; k++) {
                        const struct dim_condition by = {.left = g->member[k].by};

                        m->is_alone = !g->member[k].is_solved || !look_for(g->f->dims, m->symbol, &by).has_it;
                }
        }
}

/* -- trying -- */

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const struct group *g = user;

        for (size_t i = 0; i < g->n_member; i++)
                if (g->member[i].symbol == symbol) {
                        *ret = g->member[i].value;
                        return g->member[i].value > 0;
                }
        return false;
}

/* Whether the values by now leave every condition possible; with `all`, whether all hold. */
static bool is_possible(struct group *g, bool all)
{
        for (size_t i = 0; i < g->n_tie; i++) {
                enum outcome outcome = trial_holds(g->f->dims, &g->tie[i].is, look_up, g);

                g->tries--;
                if (outcome == NEVER || (outcome == NOBODY_KNOWS && all))
                        return false;
        }
        return true;
}

/* Gives solved members their values; false where one is no number >= 1. */
static bool set_solved(struct group *g)
{
        bool all = true;

        for (size_t i = 0; i < g->n_member; i++)
                if (g->member[i].is_solved)
                        g->member[i].value = 0;
        for (size_t i = 0; i < g->n_member && all; i++)
                if (g->member[i].is_solved)
                        all = dim_eval(g->f->dims, g->member[i].by, look_up, g, &g->member[i].value) &&
                              g->member[i].value > 0;
        return all;
}

static void keep_found(struct group *g)
{
        struct ox_binding *binding = arena_new_array(g->f->arena, struct ox_binding, g->n_member);
        struct ox_bindings *found = &g->found[g->n_found++];

        *found = (struct ox_bindings){binding, 0};
        for (size_t i = 0; i < g->n_member; i++)
                if (!g->member[i].is_alone)
                        binding[found->n_binding++] = (struct ox_binding){
                                str_text(g->f->strings, dim_symbol_at(g->f->dims, g->member[i].symbol)->name),
                                g->member[i].value};
}

static void forget_from(struct group *g, size_t at)
{
        for (size_t i = 0; i < g->n_member; i++)
                if (i >= at || g->member[i].is_solved)
                        g->member[i].value = 0;
}

/* Combinations in which the largest number of a free member is g->most; one that is alone has its least number. The
   recursion is bounded by the number of members. */
static void try_from(struct group *g, size_t at, bool has_most)
{
        struct member *m = &g->member[at];

        if (at == g->n_member) {
                if (has_most && set_solved(g) && is_possible(g, true))
                        keep_found(g);
                return;
        }
        if (m->is_solved) {
                try_from(g, at + 1, has_most);
                return;
        }
        for (size_t i = 0; i < m->n_candidate && (m->is_alone || m->candidate[i] <= g->most); i++) {
                if (g->tries <= 0 || g->n_found == COMBINATIONS_TOLD || (m->is_alone && i > 0))
                        break;
                forget_from(g, at);
                m->value = m->candidate[i];
                g->tries--;
                if (is_possible(g, false))
                        try_from(g, at + 1, has_most || (!m->is_alone && m->value == g->most));
        }
        forget_from(g, at);
}

/* Numbers from 1 on that fulfil the conditions on one symbol alone. */
static void find_candidates(struct group *g, struct member *m)
{
        struct infer *f = g->f;
        struct trial trial = {.dims = f->dims, .symbol = m->symbol, .size = m->lone};

        trial.condition = arena_new_array(f->arena, struct dim_condition, g->n_tie);
        m->candidate = arena_new_array(f->arena, int64_t, SIZES_TRIED);
        for (size_t i = 0; i < g->n_tie; i++) {
                struct seen s = look_for(f->dims, m->symbol, &g->tie[i].is);

                if (s.has_it && !s.has_others)
                        trial.condition[trial.n_condition++] = g->tie[i].is;
        }
        for (int64_t v = 1; v < SIZES_TRIED; v++)
                if (trial_at(&trial, v) == ALWAYS)
                        m->candidate[m->n_candidate++] = v;
}

/* Returns the number up to which all combinations were tried. */
static int64_t try_all(struct group *g)
{
        g->found = arena_new_array(g->f->arena, struct ox_bindings, COMBINATIONS_TOLD);
        for (size_t i = 0; i < g->n_member; i++)
                if (!g->member[i].is_solved)
                        find_candidates(g, &g->member[i]);
        for (g->most = 1; g->most < SIZES_TRIED; g->most++) {
                try_from(g, 0, false);
                if (g->tries <= 0)
                        return g->most - 1;
                if (g->n_found == COMBINATIONS_TOLD)
                        return g->most;
        }
        return g->most - 1;
}

static size_t count_free(const struct group *g)
{
        size_t count = 0;

        for (size_t i = 0; i < g->n_member; i++)
                count += !g->member[i].is_solved && !g->member[i].is_alone;
        return count;
}

/* -- what is told -- */

static struct ox_constraint row(struct infer *f, const struct dim_condition *c)
{
        return (struct ox_constraint){.left = dim_text(f->dims, c->left),
                                      .relation = dim_relation_text(c->relation),
                                      .right = dim_text(f->dims, c->right),
                                      .node = "",
                                      .scope = "",
                                      .node_index = -1,
                                      .op = "",
                                      .value = ""};
}

/* Solved equations, and what is left of the other conditions that tie. */
static void tell_conditions(struct group *g, struct ox_tied_sizes *ret)
{
        struct ox_constraint *rows = arena_new_array(g->f->arena, struct ox_constraint, g->n_tie + g->n_member);

        for (size_t i = 0; i < g->n_member; i++)
                if (g->member[i].is_solved)
                        rows[ret->n_condition++] =
                                row(g->f, &(struct dim_condition){g->member[i].lone, DIM_EQUAL, g->member[i].by});
        for (size_t i = 0; i < g->n_tie; i++)
                if (g->tie[i].has_several && !g->tie[i].is_dropped)
                        rows[ret->n_condition++] = row(g->f, &g->tie[i].told);
        ret->condition = rows;
}

static void tell(struct infer *f, const size_t *group_of, const uint32_t *symbol, size_t n_symbol, size_t number,
                 int64_t tries, struct ox_tied_sizes *ret)
{
        struct group g = {.f = f, .tries = tries};
        const char **names = (const char **)arena_array(f->arena, n_symbol, sizeof(*names));

        g.member = arena_new_array(f->arena, struct member, n_symbol);
        for (size_t i = 0; i < n_symbol; i++)
                if (group_of[symbol[i]] == number) {
                        struct dim lone = dim_symbol_lone(f->dims, symbol[i]);

                        dim_assume_ge(f->dims, lone, 1);
                        g.member[g.n_member++] = (struct member){.symbol = symbol[i], .lone = lone};
                }
        take_conditions(&g, group_of, number);
        simplify(&g);
        if (g.n_tie <= TIED_CONDITIONS)
                solve_all(&g);
        simplify(&g);
        find_alone(&g);
        *ret = (struct ox_tied_sizes){.symbol = names, .tried = -1, .is_complete = !g.is_open};
        for (size_t i = 0; i < g.n_member; i++)
                if (!g.member[i].is_alone)
                        names[ret->n_symbol++] = str_text(f->strings, dim_symbol_at(f->dims, g.member[i].symbol)->name);
        if (g.n_tie <= TIED_CONDITIONS && count_free(&g) <= TIED_SIZES)
                ret->tried = try_all(&g);
        ret->combination = g.found;
        ret->n_combination = g.n_found;
        tell_conditions(&g, ret);
}

void tied_find(struct infer *f, const uint32_t *symbol, size_t n_symbol, bool all_known, struct ox_result *result)
{
        const size_t *group_of = find_groups(f, symbol, n_symbol);
        size_t *members = arena_zalloc(f->arena, n_symbol * sizeof(*members)), groups = 0;
        struct ox_tied_sizes *tied;

        for (size_t i = 0; i < n_symbol; i++)
                groups += ++members[group_of[symbol[i]]] == 2;
        const int64_t tries = groups > 0 ? COMBINATION_TRIES / (int64_t)groups : 0;

        tied = arena_new_array(f->arena, struct ox_tied_sizes, groups);
        for (size_t number = 0; number < n_symbol; number++) {
                struct ox_tied_sizes *one = &tied[result->n_tied];

                if (members[number] < 2)
                        continue;
                tell(f, group_of, symbol, n_symbol, number, tries, one);
                one->is_complete = one->is_complete && one->tried >= 0 && all_known;
                result->n_tied += one->n_symbol > 1;
        }
        result->tied = tied;
        dim_take_faults(f->dims);
}
