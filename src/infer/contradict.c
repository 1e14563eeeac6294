/* Conditions of which each can hold, and no sizes fulfil all. Where one of them gives a symbol a number, the node that
   asks for another finds that as it is walked, for what must hold is a fact from there on. The others are looked for
   here, once all are known: those that facts make impossible which came after them, those about one symbol that leave
   it no number, and those about a few that can be few numbers each. */
#include "infer/contradict.h"

#include <string.h>

#include "infer/joint.h"
#include "infer/trial.h"

#define NONE UINT32_MAX

/* A condition, and the node that requires it. */
struct wish {
        struct dim_condition is;    /* as it was written */
        struct dim_condition under; /* what the facts leave of it */
        const char *scope, *node, *op, *value;
        int64_t node_index;
        uint32_t order;     /* of being asked for */
        uint32_t symbol;    /* the one symbol in `under`; NONE */
        uint32_t next;      /* wish about that symbol; NONE */
        bool has_several;   /* symbols in `under` */
        bool names_several; /* in `is` */
        bool is_told;
};

struct contradiction {
        struct infer *f;
        struct wish *wish;
        uint32_t count;
        int64_t tries; /* of numbers in conditions that may still be made */
};

/* -- messages -- */

static const char *must(struct infer *f, const struct dim_condition *c)
{
        const char *a = dim_text(f->dims, c->left), *b = dim_text(f->dims, c->right);

        switch (c->relation) {
        case DIM_EQUAL:
                return arena_printf(f->arena, "%.*s must be %.*s", DIM_SHOWN, a, DIM_SHOWN, b);
        case DIM_AT_MOST:
                return arena_printf(f->arena, "%.*s must be at most %.*s", DIM_SHOWN, a, DIM_SHOWN, b);
        case DIM_AT_LEAST:
                return arena_printf(f->arena, "%.*s must be at least %.*s", DIM_SHOWN, a, DIM_SHOWN, b);
        case DIM_DIVIDES:
                return arena_printf(f->arena, "%.*s must be a multiple of %.*s", DIM_SHOWN, b, DIM_SHOWN, a);
        case DIM_EITHER:
                break;
        }
        return dim_is_int(c->right) ? arena_printf(f->arena, "%.*s must be 1 or %.*s", DIM_SHOWN, a, DIM_SHOWN, b)
                                    : arena_printf(f->arena, "%.*s and %.*s must be equal, or one of them 1", DIM_SHOWN,
                                                   a, DIM_SHOWN, b);
}

/* `other` is NULL where no other condition alone is what one cannot hold beside. */
static void tell(struct contradiction *x, struct wish *one, struct wish *other, bool with_others)
{
        struct infer *f = x->f;
        struct ox_diag diag = {.severity = OX_ERROR,
                               .code = reason_code(REASON_DIM_MISMATCH),
                               .reason = reason_word(REASON_DIM_MISMATCH),
                               .input = -1,
                               .axis = -1,
                               .expected = "",
                               .actual = "",
                               .hint = ""};

        if (one->is_told)
                return;
        one->is_told = true;
        if (other)
                other->is_told = true;
        const struct wish *last = other && other->order > one->order ? other : one, *first = last == one ? other : one;
        const char *here = must(f, &last->is);

        diag.scope = last->scope;
        diag.node = last->node;
        diag.node_index = last->node_index;
        diag.op = last->op;
        diag.value = last->value;
        if (!first)
                diag.message = arena_printf(f->arena, "%s, which no size fulfils beside the other conditions", here);
        else
                diag.message = arena_printf(f->arena, "%s, but %s for %s%s%.*s%s", here, must(f, &first->is),
                                            node_party(f->arena, first->node_index, first->node, first->op),
                                            first->scope[0] ? " in " : "", NAME_SHOWN, first->scope,
                                            with_others ? ", and no size fulfils both and all other conditions" : "");
        diags_add(&f->diags, f->arena, &diag);
}

/* -- by facts -- */

struct seen {
        uint32_t symbol;
        bool has_others;
};

static void see(void *user, uint32_t symbol)
{
        struct seen *seen = user;

        seen->has_others = seen->has_others || (seen->symbol != NONE && seen->symbol != symbol);
        seen->symbol = symbol;
}

static struct seen symbols_of(const struct dim_table *dims, const struct dim_condition *c)
{
        struct seen seen = {NONE, false};

        dim_condition_each_symbol(dims, c, see, &seen);
        return seen;
}

/* The origin of the fact that excludes a condition. */
static bool by_fact(struct contradiction *x, struct wish *wish)
{
        struct dim_fact fact;

        if (!dim_fact_against(x->f->dims, wish->is.left, wish->is.right, &fact) ||
            (fact.because.node_index == wish->node_index &&
             strcmp(text_or_empty(fact.because.scope), wish->scope) == 0))
                return false;
        /* Had it been known before, the node would have found that its condition cannot hold. */
        struct wish other = {.order = NONE,
                             .scope = text_or_empty(fact.because.scope),
                             .is = {fact.symbol, DIM_EQUAL, fact.equal},
                             .node = text_or_empty(fact.because.node),
                             .op = text_or_empty(fact.because.op),
                             .value = text_or_empty(fact.because.value),
                             .node_index = fact.because.node_index};

        tell(x, wish, &other, false);
        return true;
}

/* -- by numbers -- */

/* Whether no number fulfils all conditions. */
static bool leaves_nothing(struct contradiction *x, struct trial *t)
{
        for (int64_t v = 0; v < SIZES_TRIED; v++) {
                x->tries -= (int64_t)t->n_condition;
                if (trial_at(t, v) != NEVER)
                        return false;
        }
        trial_prove(t);
        for (int64_t r = 0; r < t->period && t->is_proven; r++)
                if (t->goes_on[r])
                        return false;
        return t->is_proven;
}

/* For a symbol whose conditions leave no number: two conditions that do so alone, else any two. */
static void tell_of(struct contradiction *x, struct trial *t, uint32_t first)
{
        struct wish *wish = x->wish;

        t->n_condition = 2;
        for (uint32_t i = first; i != NONE; i = wish[i].next)
                for (uint32_t j = first; j != i && x->tries > 0; j = wish[j].next) {
                        t->condition[0] = wish[i].under;
                        t->condition[1] = wish[j].under;
                        if (leaves_nothing(x, t)) {
                                tell(x, &wish[i], &wish[j], false);
                                return;
                        }
                }
        tell(x, &wish[first], wish[first].next == NONE ? NULL : &wish[wish[first].next], true);
}

static void try_symbol(struct contradiction *x, struct trial *t, uint32_t first)
{
        t->n_condition = 0;
        for (uint32_t i = first; i != NONE; i = x->wish[i].next)
                t->condition[t->n_condition++] = x->wish[i].under;
        t->symbol = x->wish[first].symbol;
        t->size = dim_symbol_lone(t->dims, t->symbol);
        if (leaves_nothing(x, t))
                tell_of(x, t, first);
}

/* -- by few numbers -- */

/* A group of conditions that are connected by common symbols. */
struct group {
        uint32_t symbol[JOINT_SIZES];
        size_t n_symbol;
        uint32_t wish[JOINT_CONDITIONS];
        size_t n_wish;
        int64_t looks; /* at symbols so far, which count as tries: a size may be written with thousands */
        bool shares;
};

static void see_shared(void *user, uint32_t symbol)
{
        struct group *group = user;

        group->looks++;
        for (size_t i = 0; i < group->n_symbol; i++)
                group->shares = group->shares || group->symbol[i] == symbol;
}

static void add_symbol(void *user, uint32_t symbol)
{
        struct group *group = user;

        group->looks++;
        for (size_t i = 0; i < group->n_symbol; i++)
                if (group->symbol[i] == symbol)
                        return;
        if (group->n_symbol < JOINT_SIZES)
                group->symbol[group->n_symbol++] = symbol;
}

/* Adds conditions that share a symbol with the group. */
static void grow(struct contradiction *x, struct group *group)
{
        const struct dim_table *dims = x->f->dims;
        size_t before = group->n_wish;

        group->looks = x->count;
        for (size_t i = 0; i < before; i++)
                dim_condition_each_symbol(dims, &x->wish[group->wish[i]].under, add_symbol, group);
        for (uint32_t i = 0; i < x->count && group->n_wish < JOINT_CONDITIONS; i++) {
                bool is_in = false;

                for (size_t k = 0; k < group->n_wish; k++)
                        is_in = is_in || group->wish[k] == i;
                group->shares = false;
                dim_condition_each_symbol(dims, &x->wish[i].under, see_shared, group);
                if (group->shares && !is_in)
                        group->wish[group->n_wish++] = i;
        }
        x->tries -= group->looks;
}

static bool group_leaves_nothing(struct contradiction *x, const uint32_t *wish, size_t count)
{
        struct dim_condition condition[JOINT_CONDITIONS];

        for (size_t i = 0; i < count; i++)
                condition[i] = x->wish[wish[i]].under;
        return joint_leaves_nothing(x->f, condition, count, &x->tries);
}

/* Of what a product that is a number ties. */
static void try_product(struct contradiction *x, uint32_t at)
{
        struct group group = {.wish = {at}, .n_wish = 1};

        grow(x, &group);
        grow(x, &group);
        if (group.n_wish < 2 || !group_leaves_nothing(x, group.wish, group.n_wish))
                return;
        for (size_t i = 1; i < group.n_wish; i++) {
                uint32_t pair[2] = {at, group.wish[i]};

                if (group_leaves_nothing(x, pair, 2)) {
                        tell(x, &x->wish[at], &x->wish[pair[1]], false);
                        return;
                }
        }
        tell(x, &x->wish[at], &x->wish[group.wish[1]], true);
}

/* -- by sums -- */

#define SUM_TRIES 64 /* that looking at one sum of two conditions counts for */

/* What is not negative where a condition holds: for an equality the difference of its sides and its negative. */
static size_t excesses(struct contradiction *x, const struct dim_condition *c, struct dim *ret)
{
        struct dim_table *dims = x->f->dims;
        size_t n = 0;

        if (c->relation == DIM_AT_LEAST || c->relation == DIM_EQUAL)
                ret[n++] = dim_sub(dims, c->left, c->right);
        if (c->relation == DIM_AT_MOST || c->relation == DIM_EQUAL)
                ret[n++] = dim_sub(dims, c->right, c->left);
        return n;
}

static bool is_negative(struct contradiction *x, struct dim d)
{
        int64_t lower, upper;

        x->tries -= SUM_TRIES;
        dim_range(x->f->dims, d, &lower, &upper);
        return upper < 0;
}

/* Whether bounds of the sizes in it exclude a condition, and not what its own fact says of one of them. */
static bool is_out_of_range(struct contradiction *x, const struct wish *wish)
{
        struct dim excess[2];
        size_t n = excesses(x, &wish->is, excess);
        bool found = false;

        for (size_t i = 0; i < n && !found; i++)
                found = is_negative(x, excess[i]);
        return found;
}

/* Whether two conditions exclude each other because what each says is not negative adds up to less than 0: M <= N + 1
   and M >= N + 3. */
static bool exclude_each_other(struct contradiction *x, const struct wish *a, const struct wish *b)
{
        struct dim of_a[2], of_b[2];
        size_t n_a = excesses(x, &a->is, of_a), n_b = excesses(x, &b->is, of_b);
        bool found = false;

        for (size_t i = 0; i < n_a; i++)
                for (size_t k = 0; k < n_b && !found; k++)
                        found = is_negative(x, dim_add(x->f->dims, of_a[i], of_b[k]));
        return found;
}

static bool share_symbols(struct contradiction *x, const struct wish *a, const struct wish *b)
{
        struct group group = {.n_wish = 0};

        dim_condition_each_symbol(x->f->dims, &a->is, add_symbol, &group);
        dim_condition_each_symbol(x->f->dims, &b->is, see_shared, &group);
        x->tries -= group.looks;
        return group.shares;
}

/* The number in another condition, about one symbol of this one, that excludes it. */
static void tell_out_of_range(struct contradiction *x, uint32_t at)
{
        struct wish *found = NULL;
        bool is_only = true;

        for (uint32_t i = 0; i < x->count && x->tries > 0; i++) {
                struct wish *other = &x->wish[i];

                if (i == at || other->has_several || other->is.relation == DIM_DIVIDES ||
                    !share_symbols(x, &x->wish[at], other))
                        continue;
                is_only = !found;
                found = found ? found : other;
        }
        tell(x, &x->wish[at], found, !is_only);
}

static void try_sums(struct contradiction *x)
{
        for (uint32_t i = 0; i < x->count && x->tries > 0; i++) {
                if (!x->wish[i].names_several || x->wish[i].is_told)
                        continue;
                if (is_out_of_range(x, &x->wish[i]))
                        tell_out_of_range(x, i);
                for (uint32_t j = 0; j < i && x->tries > 0; j++)
                        if (x->wish[j].names_several && !x->wish[j].is_told &&
                            share_symbols(x, &x->wish[i], &x->wish[j]) &&
                            exclude_each_other(x, &x->wish[i], &x->wish[j]))
                                tell(x, &x->wish[i], &x->wish[j], false);
        }
}

/* -- all -- */

/* Symbols that are not negative: numbers are tried from 0 on. */
static bool is_size(const struct dim_table *dims, uint32_t symbol)
{
        return dim_symbol_at(dims, symbol)->lower >= 0 && !dim_symbol_at(dims, symbol)->is_bound;
}

/* The conditions that must hold in any case, those about one symbol in a list for each. */
static void gather(struct contradiction *x, struct name_map *by_symbol, uint32_t *first, uint32_t *ret_symbols)
{
        struct infer *f = x->f;

        *ret_symbols = 0;
        for (size_t i = 0; i < f->n_constraint; i++) {
                const struct constraint *c = &f->constraint[i];
                struct wish *wish = &x->wish[x->count];

                if (!c->is_certain)
                        continue;
                *wish = (struct wish){.is = c->is,
                                      .order = (uint32_t)i,
                                      .scope = c->scope,
                                      .node = c->node,
                                      .op = c->op,
                                      .value = c->value,
                                      .node_index = c->node_index,
                                      .next = NONE};
                wish->is.left = dim_resolve(f->dims, wish->is.left);
                wish->is.right = dim_resolve(f->dims, wish->is.right);
                dim_write_condition(f->dims, &wish->is); /* which a claim is not yet */
                wish->under = wish->is;
                wish->under.left = dim_under_facts(f->dims, wish->is.left);
                wish->under.right = dim_under_facts(f->dims, wish->is.right);
                dim_write_condition(f->dims, &wish->under);
                struct seen seen = symbols_of(f->dims, &wish->under);

                wish->has_several = seen.has_others;
                wish->names_several = symbols_of(f->dims, &wish->is).has_others;
                wish->symbol = seen.has_others ? NONE : seen.symbol;
                x->count++;
                if (wish->symbol == NONE || !is_size(f->dims, wish->symbol))
                        continue;
                str_id name = dim_symbol_at(f->dims, wish->symbol)->name;
                int64_t at = map_get(by_symbol, name);

                if (at < 0) {
                        at = (*ret_symbols)++;
                        map_put(f, by_symbol, name, (uint32_t)at);
                        first[at] = NONE;
                }
                wish->next = first[at];
                first[at] = x->count - 1;
        }
}

void contradict_find(struct infer *f)
{
        struct contradiction x = {.f = f, .tries = CONTRADICTION_TRIES};
        struct name_map by_symbol = {0};
        struct trial *trial;
        uint32_t *first, symbols;
        bool *never;

        if (!f->n_constraint)
                return;
        x.wish = arena_new_array(f->arena, struct wish, f->n_constraint);
        first = arena_new_array(f->arena, uint32_t, f->n_constraint);
        never = arena_new_array(f->arena, bool, f->n_constraint);
        trial = arena_new_zero(f->arena, struct trial);
        trial->dims = f->dims;
        trial->condition = arena_new_array(f->arena, struct dim_condition, f->n_constraint + 1);
        dim_withdraw_presumed(f->dims);
        dim_withdraw_multiples(f->dims); /* which conditions are to say, and not to lose by one another */
        gather(&x, &by_symbol, first, &symbols);
        for (uint32_t i = 0; i < x.count; i++)
                never[i] = trial_decide(f->dims, &x.wish[i].under) == NEVER && !by_fact(&x, &x.wish[i]);
        for (uint32_t i = 0; i < symbols && x.tries > 0; i++)
                try_symbol(&x, trial, first[i]);
        for (uint32_t i = 0; i < x.count && x.tries > 0; i++)
                if (x.wish[i].has_several && x.wish[i].is.relation == DIM_EQUAL && dim_is_int(x.wish[i].under.right))
                        try_product(&x, i);
        try_sums(&x);
        for (uint32_t i = 0; i < x.count; i++)
                if (never[i])
                        tell(&x, &x.wish[i], NULL, false);
        dim_restore_multiples(f->dims);
        dim_restore_presumed(f->dims);
        dim_take_faults(f->dims);
}
