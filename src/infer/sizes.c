/* For each named or unnamed size of an input, the numbers for which all conditions on that size alone hold. */
#include "infer/sizes.h"

#include <string.h>

#include "infer/tied.h"
#include "infer/trial.h"

struct search {
        struct infer *f;
        struct trial trial;
        bool is_within;       /* others hold in a branch or body, which need not run */
        bool is_tied;         /* others tie it to other sizes */
        int64_t lower, upper; /* the range that bounds allow; INT64_MAX: no bound */
        bool runs[SIZES_TRIED];
        struct ox_range range[RANGES_TOLD];
};

/* -- conditions -- */

struct names {
        uint32_t symbol;
        bool has, has_others;
};

static void see_name(void *user, uint32_t symbol)
{
        struct names *n = user;

        n->has = n->has || symbol == n->symbol;
        n->has_others = n->has_others || symbol != n->symbol;
}

/* A numeric bound on the size, kept as a bound. */
static bool take_bound(struct search *s, const struct dim_condition *c)
{
        bool is_bound = dim_same(c->left, s->trial.size) && dim_is_int(c->right);

        if (is_bound && (c->relation == DIM_AT_MOST || c->relation == DIM_EQUAL) && c->right.val < s->upper)
                s->upper = c->right.val;
        if (is_bound && (c->relation == DIM_AT_LEAST || c->relation == DIM_EQUAL) && c->right.val > s->lower)
                s->lower = c->right.val;
        return is_bound && c->relation != DIM_DIVIDES && c->relation != DIM_EITHER;
}

static void take_conditions(struct search *s)
{
        struct infer *f = s->f;
        struct trial *t = &s->trial;

        t->condition = arena_new_array(f->arena, struct dim_condition, f->n_constraint);
        for (size_t i = 0; i < f->n_constraint; i++) {
                struct dim_condition c = f->constraint[i].is;
                struct names names = {.symbol = t->symbol};

                c.left = dim_resolve(f->dims, c.left);
                c.right = dim_resolve(f->dims, c.right);
                dim_condition_each_symbol(f->dims, &c, see_name, &names);
                if (names.has && !f->constraint[i].is_certain)
                        s->is_within = true;
                else if (names.has && names.has_others)
                        s->is_tied = true;
                else if (names.has && !take_bound(s, &c))
                        t->condition[t->n_condition++] = c;
        }
}

/* -- ranges -- */

/* The shortest equivalent period. */
static void shorten_period(struct trial *t)
{
        for (int64_t p = 1; p < t->period; p++) {
                bool repeats = t->period % p == 0;

                for (int64_t r = p; repeats && r < t->period; r++)
                        repeats = t->goes_on[r] == t->goes_on[r - p];
                if (repeats)
                        t->period = p;
        }
}

static void add_range(struct search *s, struct ox_size *size, int64_t from, int64_t to, int64_t step)
{
        if (from < s->lower)
                from += (s->lower - from + step - 1) / step * step;
        if (to > s->upper)
                to = s->upper < from ? -1 : s->upper - (s->upper - from) % step;
        if (to < from)
                return;
        if (size->n_range == RANGES_TOLD) {
                size->is_complete = false;
                return;
        }
        s->range[size->n_range++] = (struct ox_range){.from = from, .to = to, .step = to == from ? 1 : step};
}

/* Unbounded progressions first, then the other numbers, one after another. */
static void list_ranges(struct search *s, struct ox_size *size)
{
        struct trial *t = &s->trial;
        bool *covered = arena_zalloc(s->f->arena, SIZES_TRIED * sizeof(*covered));

        shorten_period(t);
        for (int64_t r = 0; r < t->period && t->is_proven; r++) {
                int64_t at = SIZES_TRIED - 1 - (SIZES_TRIED - 1 - r % t->period) % t->period;

                if (!t->goes_on[r])
                        continue;
                for (; at >= 0 && s->runs[at]; at -= t->period)
                        covered[at] = true;
                add_range(s, size, at + t->period, INT64_MAX, t->period);
        }
        for (int64_t v = 0; v < SIZES_TRIED; v++) {
                int64_t from = v;

                while (v < SIZES_TRIED && s->runs[v] && !covered[v])
                        v++;
                if (v > from)
                        add_range(s, size, from, v - 1, 1);
        }
}

/* `all_known`: what must hold for every node is known, for it has a rule, and the ranks of its inputs are. */
static void find(struct infer *f, uint32_t symbol, struct dim d, bool all_known, struct ox_size *ret)
{
        struct search *s = arena_new_zero(f->arena, struct search);

        s->f = f;
        s->trial = (struct trial){.dims = f->dims, .symbol = symbol, .size = d};
        s->upper = INT64_MAX;
        take_conditions(s);
        for (int64_t v = 0; v < SIZES_TRIED; v++)
                s->runs[v] = trial_at(&s->trial, v) == ALWAYS;
        trial_prove(&s->trial);
        *ret = (struct ox_size){
                .symbol = str_text(f->strings, dim_symbol_at(f->dims, symbol)->name),
                .range = s->range,
                .is_complete = s->trial.is_proven && !s->is_within && all_known,
                .is_tied = s->is_tied,
                .tried = SIZES_TRIED - 1,
        };
        list_ranges(s, ret);
}

/* Elements of inputs have no axis. */
static bool is_listed(struct infer *f, const struct dim_symbol *symbol, struct dim *ret)
{
        const char *name = str_text(f->strings, symbol->name);

        return symbol->from_input && symbol->origin.axis >= 0 && !symbol->is_bound &&
               dim_find(f->dims, name, strlen(name), ret);
}

void sizes_find(struct infer *f, struct ox_result *result)
{
        uint32_t count = dim_symbol_count(f->dims), *listed;
        struct ox_size *sizes;
        bool all_known = !f->diags.errors && !f->without_rule && !result->summary.unknown;

        if (!f->options->sizes)
                return;
        sizes = arena_new_array(f->arena, struct ox_size, SIZES_TOLD);
        listed = arena_new_array(f->arena, uint32_t, SIZES_TOLD);
        for (uint32_t i = 0; i < count && result->n_size < SIZES_TOLD; i++) {
                struct dim d;

                if (!is_listed(f, dim_symbol_at(f->dims, i), &d))
                        continue;
                listed[result->n_size] = i;
                find(f, i, d, all_known, &sizes[result->n_size++]);
        }
        result->size = sizes;
        tied_find(f, listed, result->n_size, all_known, result);
}
