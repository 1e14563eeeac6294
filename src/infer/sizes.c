/* Which sizes run: for each named or unnamed size of an input the numbers at which all conditions hold that are about
   it alone.

   Small numbers are tried one by one. Above them conditions repeat with the least common multiple of all divisors in
   them, so that one proof decides all numbers of one remainder: the size is written as period * k + start, and each
   condition then holds for every k, or for none, or nobody knows. */
#include "infer/sizes.h"

#include <string.h>

#include "base/bounds.h"

struct trial {
        struct infer *f;
        uint32_t symbol;
        struct dim size;
        struct dim_condition *condition; /* about the size alone */
        size_t n_condition;
        bool is_within;       /* others hold in a branch or body, which need not run */
        bool is_tied;         /* others tie it to other sizes */
        int64_t lower, upper; /* what conditions that are bounds leave; INT64_MAX: no bound */
        int64_t period;
        bool runs[SIZES_TRIED];
        bool goes_on[SIZES_TRIED]; /* by remainder: all from SIZES_TRIED on run */
        bool is_proven;
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

/* A number that bounds the size: kept as that. */
static bool take_bound(struct trial *t, const struct dim_condition *c)
{
        bool is_bound = dim_same(c->left, t->size) && dim_is_int(c->right);

        if (is_bound && (c->relation == DIM_AT_MOST || c->relation == DIM_EQUAL) && c->right.val < t->upper)
                t->upper = c->right.val;
        if (is_bound && (c->relation == DIM_AT_LEAST || c->relation == DIM_EQUAL) && c->right.val > t->lower)
                t->lower = c->right.val;
        return is_bound && c->relation != DIM_DIVIDES && c->relation != DIM_EITHER;
}

static void take_conditions(struct trial *t)
{
        struct infer *f = t->f;

        t->condition = arena_new_array(f->arena, struct dim_condition, f->n_constraint);
        for (size_t i = 0; i < f->n_constraint; i++) {
                struct dim_condition c = f->constraint[i].is;
                struct names names = {.symbol = t->symbol};

                c.left = dim_resolve(f->dims, c.left);
                c.right = dim_resolve(f->dims, c.right);
                dim_each_symbol(f->dims, c.left, see_name, &names);
                dim_each_symbol(f->dims, c.right, see_name, &names);
                if (names.has && f->constraint[i].scope[0])
                        t->is_within = true;
                else if (names.has && names.has_others)
                        t->is_tied = true;
                else if (names.has && !take_bound(t, &c))
                        t->condition[t->n_condition++] = c;
        }
}

/* -- trying -- */

struct number {
        uint32_t symbol;
        int64_t value;
};

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const struct number *n = user;

        *ret = n->value;
        return symbol == n->symbol;
}

static bool holds_at(const struct trial *t, const struct dim_condition *c, int64_t value)
{
        struct number number = {t->symbol, value};
        int64_t left, right;

        if (!dim_eval(t->f->dims, c->left, look_up, &number, &left) ||
            !dim_eval(t->f->dims, c->right, look_up, &number, &right))
                return false;
        switch (c->relation) {
        case DIM_EQUAL:
                return left == right;
        case DIM_AT_MOST:
                return left <= right;
        case DIM_AT_LEAST:
                return left >= right;
        case DIM_DIVIDES:
                return left != 0 && right % left == 0;
        case DIM_EITHER:
                return left == right || left == 1 || right == 1;
        }
        return false;
}

static void try_sizes(struct trial *t)
{
        for (int64_t v = 0; v < SIZES_TRIED; v++) {
                t->runs[v] = true;
                for (size_t i = 0; i < t->n_condition && t->runs[v]; i++)
                        t->runs[v] = holds_at(t, &t->condition[i], v);
        }
}

/* -- proving -- */

enum outcome { NEVER, ALWAYS, NOBODY_KNOWS };

static enum outcome outcome_of(bool always, bool never)
{
        return always ? ALWAYS : never ? NEVER : NOBODY_KNOWS;
}

/* A condition whose sides are written over a symbol >= 0. */
static enum outcome decide(struct dim_table *dims, enum dim_relation relation, struct dim a, struct dim b)
{
        bool same = dim_same(a, b) || dim_proves_equal(dims, a, b), differ = dim_proves_unequal(dims, a, b);
        struct dim one = dim_int(1);

        switch (relation) {
        case DIM_EQUAL:
                return outcome_of(same, differ);
        case DIM_AT_MOST:
                return outcome_of(dim_proves_ge(dims, b, a), dim_proves_ge(dims, a, dim_add(dims, b, one)));
        case DIM_AT_LEAST:
                return outcome_of(dim_proves_ge(dims, a, b), dim_proves_ge(dims, b, dim_add(dims, a, one)));
        case DIM_DIVIDES:
                if (!dim_is_int(a) || a.val <= 0)
                        return NOBODY_KNOWS;
                b = dim_mod(dims, b, a);
                return outcome_of(dim_is(b, 0), dim_proves_unequal(dims, b, dim_int(0)));
        case DIM_EITHER:
                return outcome_of(same || dim_is(a, 1) || dim_is(b, 1),
                                  differ && dim_proves_unequal(dims, a, one) && dim_proves_unequal(dims, b, one));
        }
        return NOBODY_KNOWS;
}

/* All numbers from SIZES_TRIED on that leave the same remainder. */
static enum outcome decide_all(struct trial *t, struct dim k, int64_t remainder)
{
        struct dim_table *dims = t->f->dims;
        int64_t start = SIZES_TRIED + (remainder - SIZES_TRIED % t->period + t->period) % t->period;
        struct dim by = dim_add(dims, dim_mul(dims, k, dim_int(t->period)), dim_int(start));
        enum outcome all = ALWAYS;

        for (size_t i = 0; i < t->n_condition && all != NEVER; i++) {
                const struct dim_condition *c = &t->condition[i];
                enum outcome one = decide(dims, c->relation, dim_substitute(dims, c->left, t->size, by),
                                          dim_substitute(dims, c->right, t->size, by));

                all = one == ALWAYS ? all : one;
        }
        return all;
}

static void prove_rest(struct trial *t)
{
        struct dim_table *dims = t->f->dims;
        struct dim k = dim_fresh_numbered(dims, "k", NULL);

        t->is_proven = true;
        t->period = 1;
        for (size_t i = 0; i < t->n_condition && t->is_proven; i++)
                t->is_proven =
                        dim_period(dims, t->condition[i].left, SIZES_TRIED, &t->period) &&
                        dim_period(dims, t->condition[i].right, SIZES_TRIED, &t->period) &&
                        (t->condition[i].relation != DIM_DIVIDES ||
                         dim_period(dims, dim_mod(dims, t->size, t->condition[i].left), SIZES_TRIED, &t->period));
        if (!t->is_proven)
                t->period = 1;
        for (int64_t r = 0; r < t->period && t->is_proven; r++) {
                enum outcome all = decide_all(t, k, r);

                t->goes_on[r] = all == ALWAYS;
                t->is_proven = all != NOBODY_KNOWS;
        }
        dim_take_faults(dims);
}

/* -- ranges -- */

/* The shortest period that tells the same. */
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

static void add_range(struct trial *t, struct ox_size *size, int64_t from, int64_t to, int64_t step)
{
        if (from < t->lower)
                from += (t->lower - from + step - 1) / step * step;
        if (to > t->upper)
                to = t->upper < from ? -1 : t->upper - (t->upper - from) % step;
        if (to < from)
                return;
        if (size->n_range == RANGES_TOLD) {
                size->is_complete = false;
                return;
        }
        t->range[size->n_range++] = (struct ox_range){.from = from, .to = to, .step = to == from ? 1 : step};
}

/* Progressions without an end first, then what runs besides, one after another. */
static void list_ranges(struct trial *t, struct ox_size *size)
{
        bool *covered = arena_zalloc(t->f->arena, SIZES_TRIED * sizeof(*covered));

        shorten_period(t);
        for (int64_t r = 0; r < t->period && t->is_proven; r++) {
                int64_t at = SIZES_TRIED - 1 - (SIZES_TRIED - 1 - r % t->period) % t->period;

                if (!t->goes_on[r])
                        continue;
                for (; at >= 0 && t->runs[at]; at -= t->period)
                        covered[at] = true;
                add_range(t, size, at + t->period, INT64_MAX, t->period);
        }
        for (int64_t v = 0; v < SIZES_TRIED; v++) {
                int64_t from = v;

                while (v < SIZES_TRIED && t->runs[v] && !covered[v])
                        v++;
                if (v > from)
                        add_range(t, size, from, v - 1, 1);
        }
}

static void find(struct infer *f, uint32_t symbol, struct dim d, struct ox_size *ret)
{
        struct trial *t = arena_new_zero(f->arena, struct trial);

        t->f = f;
        t->symbol = symbol;
        t->size = d;
        t->upper = INT64_MAX;
        take_conditions(t);
        try_sizes(t);
        prove_rest(t);
        *ret = (struct ox_size){
                .symbol = str_text(f->strings, dim_symbol_at(f->dims, symbol)->name),
                .range = t->range,
                .is_complete = t->is_proven && !t->is_within && !f->diags.errors,
                .is_tied = t->is_tied,
                .tried = SIZES_TRIED - 1,
        };
        list_ranges(t, ret);
}

void sizes_find(struct infer *f, struct ox_result *result)
{
        uint32_t count = dim_symbol_count(f->dims);
        struct ox_size *sizes;

        if (!f->options->sizes)
                return;
        sizes = arena_new_array(f->arena, struct ox_size, SIZES_TOLD);
        for (uint32_t i = 0; i < count && result->n_size < SIZES_TOLD; i++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, i);
                const char *name = str_text(f->strings, symbol->name);
                struct dim d;

                /* Elements of inputs have no axis. */
                if (symbol->from_input && symbol->origin.axis >= 0 && !symbol->is_bound &&
                    dim_find(f->dims, name, strlen(name), &d))
                        find(f, i, d, &sizes[result->n_size++]);
        }
        result->size = sizes;
}
