/* Replaces bound symbols. A result past the limits leaves the dimension unchanged, which is still correct. */
#include "dim/internal.h"

/* What a substitution does: replaces bound symbols; replaces those, too, that equal something by a fact, and remembers
   nothing; or makes every operation anew, for what is known of its operands by now. */
enum substitution { OF_BOUND, OF_EQUAL, OF_OPERATIONS };

static struct dim substitute(struct dim_table *t, struct dim d, enum substitution of);

static bool is_stale(const struct dim_table *t, uint32_t symbol)
{
        const struct symbol *s = t->symbol[symbol];

        return s->info.is_bound && s->info.facts->resolve_generation != t->bind_generation;
}

void resolve_push(struct dim_table *t, uint32_t symbol)
{
        if (t->stack_n == t->stack_room) {
                uint32_t room = t->stack_room ? 2 * t->stack_room : 64;

                t->stack = arena_grow(t->arena, t->stack, t->stack_room * sizeof(*t->stack), room * sizeof(*t->stack));
                t->stack_room = room;
        }
        t->stack[t->stack_n++] = symbol;
}

static void push_stale(void *user, uint32_t symbol)
{
        if (is_stale(user, symbol))
                resolve_push(user, symbol);
}

/* Updates the expression of every bound symbol in `d`. Chains of symbols that are bound to sums of others may be as
   long as the model, so they are walked with an explicit stack. */
static void refresh(struct dim_table *t, struct dim d)
{
        uint32_t bottom = t->stack_n;

        dim_each_symbol(t, d, push_stale, t);
        while (t->stack_n > bottom) {
                uint32_t number = t->stack[t->stack_n - 1], before = t->stack_n;
                struct symbol *symbol = t->symbol[number];

                if (!is_stale(t, number)) {
                        t->stack_n--;
                        continue;
                }
                dim_each_symbol(t, symbol->info.facts->bound, push_stale, t);
                if (t->stack_n > before)
                        continue;
                symbol->info.facts->resolved = substitute(t, symbol->info.facts->bound, OF_BOUND);
                symbol->info.facts->resolve_generation = t->bind_generation;
                t->stack_n--;
        }
}

static bool substitute_symbol(const struct symbol *symbol, enum substitution of, struct dim *ret)
{
        const struct dim_symbol_facts *by = symbol->info.facts;

        if (!by)
                return false;
        bool is_equal = of == OF_EQUAL && by->is_equal;

        *ret = is_equal ? by->equal : by->resolved;
        return is_equal || (of != OF_OPERATIONS && symbol->info.is_bound);
}

/* An atom with its arguments replaced. False if it does not change. */
static bool substitute_atom(struct dim_table *t, const struct atom *atom, enum substitution of, struct dim *ret)
{
        struct dim arg[MAX_ARGUMENTS];
        bool changed = false;
        unsigned faults = 0;

        if (!atom->open && of == OF_BOUND)
                return false;
        if (atom->kind == ATOM_SYMBOL)
                return substitute_symbol(t->symbol[atom->symbol], of, ret);
        for (uint32_t i = 0; i < atom->n; i++) {
                arg[i] = substitute(t, atom->arg[i], of);
                changed = changed || !dim_same(arg[i], atom->arg[i]);
        }
        if ((!changed && of != OF_OPERATIONS) || atom->n < 2) /* every atom but a symbol has two arguments or more */
                return false;
        switch (atom->kind) {
        case ATOM_FLOORDIV:
                return !expr_floordiv(t, arg[0], arg[1], ret);
        case ATOM_MOD:
                return !expr_mod(t, arg[0], arg[1], ret);
        case ATOM_MAX:
        case ATOM_MIN:
                return !expr_extreme(t, atom->kind, arg, atom->n, ret);
        case ATOM_BROADCAST:
                return expr_broadcast(t, arg, atom->n, &faults, ret) && !faults;
        case ATOM_RING:
        case ATOM_SYMBOL:
                break;
        }
        return false;
}

/* coef * the product of the replaced atoms. False if none of them changes. */
static bool substitute_mono(struct dim_table *t, const struct term *term, enum substitution of, struct dim *ret,
                            unsigned *ret_faults)
{
        const struct mono *mono = t->mono[term->mono];
        struct dim product = dim_int(term->coef), factor;
        bool changed = false;

        for (uint32_t i = 0; i < mono->n && !*ret_faults; i++) {
                if (substitute_atom(t, t->atom[mono->atom[i]], of, &factor)) {
                        changed = true;
                } else {
                        struct term lone = {.coef = 1};

                        lone.mono = mono_intern(t, &mono->atom[i], 1);
                        *ret_faults = poly_intern(t, (struct poly){&lone, 1}, &factor);
                }
                if (!*ret_faults)
                        *ret_faults = expr_mul(t, product, factor, &product);
        }
        *ret = product;
        return changed;
}

/* In the place of a term's replacement: it stays. No handle is that large. */
static const struct dim STAYS = {.expr = UINT32_MAX};

static unsigned substitute_terms(struct dim_table *t, struct dim d, enum substitution of, struct dim *ret)
{
        const struct expr *expr = t->expr[d.expr];
        struct dim *product = scratch_take(t, expr->n, sizeof(*product));
        size_t n = 0;
        unsigned faults = 0;
        bool changed = false;

        for (uint32_t i = 0; i < expr->n && !faults; i++) {
                struct term room;
                struct dim replaced;

                if ((of != OF_BOUND || t->mono[expr->term[i].mono]->open) &&
                    substitute_mono(t, &expr->term[i], of, &replaced, &faults)) {
                        changed = true;
                        product[i] = replaced;
                        n += poly_of(t, replaced, &room).n;
                } else {
                        product[i] = STAYS;
                        n++;
                }
        }
        if (faults || n > (size_t)MAX_PRODUCT * t->max_terms)
                return faults ? faults : DIM_FAULT_LIMIT;
        if (!changed) {
                *ret = d;
                return 0;
        }
        struct term *out = scratch_take(t, n, sizeof(*out));

        n = 0;
        for (uint32_t i = 0; i < expr->n; i++) {
                struct term room;
                struct poly p = {.term = &expr->term[i], .n = 1};

                if (!dim_same(product[i], STAYS))
                        p = poly_of(t, product[i], &room);
                for (size_t k = 0; k < p.n; k++)
                        out[n++] = p.term[k];
        }
        return poly_settle(t, out, n, ret);
}

static struct dim substitute(struct dim_table *t, struct dim d, enum substitution of)
{
        if (dim_is_int(d) || (!t->expr[d.expr]->open && of == OF_BOUND))
                return d;
        struct expr *expr = t->expr[d.expr];

        if (of == OF_BOUND && expr->resolve_generation == t->bind_generation)
                return expr->resolved;
        struct scratch_mark mark = scratch_mark(t);
        struct dim result;

        if (of == OF_BOUND) {
                expr->resolved = d;
                expr->resolve_generation = t->bind_generation;
        }
        if (substitute_terms(t, d, of, &result))
                result = d;
        if (of == OF_OPERATIONS && t->n_multiple && !t->multiples_withdrawn)
                result = under_multiples(t, result);
        if (of == OF_BOUND)
                expr->resolved = result;
        scratch_release(t, mark);
        return result;
}

uint32_t dim_bindings(const struct dim_table *t)
{
        return t->bind_generation;
}

bool dim_is_any_bound(const struct dim_table *t)
{
        return t->bind_generation != 1;
}

uint32_t dim_facts(const struct dim_table *t)
{
        return t->fact_generation + t->bind_generation;
}

struct dim dim_resolve(struct dim_table *t, struct dim d)
{
        if (dim_is_int(d) || !t->expr[d.expr]->open || t->bind_generation == 1)
                return d;
        if (t->expr[d.expr]->resolve_generation == t->bind_generation)
                return t->expr[d.expr]->resolved;
        refresh(t, d);
        return substitute(t, d, OF_BOUND);
}

struct fact_walk {
        const struct dim_table *t;
        bool found;
};

static void look_fact(void *user, uint32_t symbol)
{
        struct fact_walk *walk = user;

        walk->found = walk->found || symbol_is_equal(walk->t, symbol);
}

struct dim dim_under_facts(struct dim_table *t, struct dim d)
{
        d = dim_resolve(t, d);
        for (int round = 0; round < MAX_FACT_ROUNDS && t->equalities && !dim_is_int(d); round++) {
                struct fact_walk walk = {.t = t};

                dim_each_symbol(t, d, look_fact, &walk);
                if (!walk.found)
                        break;
                d = dim_resolve(t, substitute(t, d, OF_EQUAL));
        }
        return t->n_multiple ? dim_settle(t, d) : d;
}

static bool is_affected(struct dim_table *t, struct dim d);

/* Whether facts may make an operation simpler. Those about bounds make a number of a quotient by a number only where
   the numerator lies between two numbers; of the others nothing is said here. */
static bool is_atom_affected(struct dim_table *t, const struct atom *atom)
{
        struct range range;

        if (atom->kind == ATOM_SYMBOL)
                return false;
        if (atom->kind != ATOM_FLOORDIV || !dim_is_int(atom->arg[1]) || t->n_multiple || is_affected(t, atom->arg[0]))
                return true;
        range = range_of(t, atom->arg[0]);
        return range.lower != INT64_MIN && range.upper != INT64_MAX;
}

static bool is_affected(struct dim_table *t, struct dim d)
{
        for (uint32_t i = 0; !dim_is_int(d) && i < t->expr[d.expr]->n; i++) {
                const struct mono *mono = t->mono[t->expr[d.expr]->term[i].mono];

                for (uint32_t k = 0; mono->relates && k < mono->n; k++)
                        if (is_atom_affected(t, t->atom[mono->atom[k]]))
                                return true;
        }
        return false;
}

struct dim dim_settle(struct dim_table *t, struct dim d)
{
        d = dim_resolve(t, d);
        if (dim_is_int(d) || t->fact_generation == 1)
                return d;
        struct expr_memo *memo = t->expr[d.expr]->memo;
        uint32_t generation = dim_facts(t);

        if (!memo)
                return d;
        if (memo->settle_generation != generation) {
                memo->settled = is_affected(t, d) ? substitute(t, d, OF_OPERATIONS) : d;
                memo->settle_generation = generation;
        }
        return memo->settled;
}

static bool atom_is_open(const struct dim_table *t, const struct atom *atom)
{
        bool open = atom->open;

        for (uint32_t k = 0; k < atom->n && !open; k++)
                open = atom->arg[k].expr && t->expr[atom->arg[k].expr]->open;
        return open;
}

/* Named symbols are not thought to be replaced, until one is given a value: everything made of it is then open. An atom
   may be made of expressions, and these of atoms: until a pass opens no more expressions. */
static void reopen(struct dim_table *t)
{
        for (bool changed = true; changed;) {
                changed = false;
                for (uint32_t i = 0; i < t->atoms; i++)
                        t->atom[i]->open = atom_is_open(t, t->atom[i]);
                for (uint32_t i = 0; i < t->monos; i++)
                        for (uint32_t k = 0; k < t->mono[i]->n; k++)
                                t->mono[i]->open = t->mono[i]->open || t->atom[t->mono[i]->atom[k]]->open;
                for (uint32_t i = 1; i < t->exprs; i++) {
                        bool open = t->expr[i]->open;

                        for (uint32_t k = 0; k < t->expr[i]->n && !open; k++)
                                open = t->mono[t->expr[i]->term[k].mono]->open;
                        changed = changed || open != t->expr[i]->open;
                        t->expr[i]->open = open;
                }
        }
}

static void define(struct dim_table *t, struct symbol *s, struct dim value)
{
        symbol_bind(t, s, value);
        if (!t->atom[s->atom]->open) {
                t->atom[s->atom]->open = true;
                reopen(t);
        }
}

void define_symbol(struct dim_table *t, uint32_t number, int64_t value)
{
        define(t, t->symbol[number], dim_int(value));
}

static struct dim replace(struct dim_table *t, struct dim d, uint32_t symbol, struct dim by)
{
        struct symbol *s = t->symbol[symbol];
        struct dim_symbol_facts *facts = symbol_facts(t, s);
        const struct dim bound = facts->bound;
        bool is_bound = s->info.is_bound;

        define(t, s, by);
        d = dim_resolve(t, d);
        s->info.is_bound = is_bound;
        facts->bound = bound;
        t->bind_generation++;
        return d;
}

struct dim dim_substitute(struct dim_table *t, struct dim d, struct dim symbol, struct dim by)
{
        static const struct dim_origin nowhere = {.axis = -1};
        uint32_t index, between;

        if (!dim_as_symbol(t, symbol, &index) || dim_same(symbol, by))
                return d;
        /* `by` may contain the symbol, which must not be replaced in it again. */
        struct dim stand_in = dim_fresh(t, "substitute", &nowhere);

        if (!dim_as_symbol(t, stand_in, &between))
                return d;
        return replace(t, replace(t, d, index, stand_in), between, by);
}
