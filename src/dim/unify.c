/* Equalities: an anonymous symbol is bound to a dimension that does not contain it; any other equality is a fact to
   report. */
#include "dim/internal.h"

/* Kinds of dimensions, from the most to the least preferred. */
enum made_of { OF_INTEGERS, OF_NAMES, OF_INPUTS, OF_ANONYMOUS };

struct made_of_walk {
        const struct dim_table *t;
        enum made_of worst;
};

static void see_symbol(void *user, uint32_t number)
{
        struct made_of_walk *walk = user;
        const struct dim_symbol *symbol = &walk->t->symbol[number]->info;
        enum made_of of = !symbol->anonymous ? OF_NAMES : symbol->from_input ? OF_INPUTS : OF_ANONYMOUS;

        if (of > walk->worst)
                walk->worst = of;
}

static enum made_of made_of(const struct dim_table *t, struct dim d)
{
        struct made_of_walk walk = {.t = t, .worst = OF_INTEGERS};

        dim_each_symbol(t, d, see_symbol, &walk);
        return walk.worst;
}

static void push_unseen(void *user, uint32_t number)
{
        struct dim_table *t = user;

        if (t->symbol[number]->mark == t->mark)
                return;
        t->symbol[number]->mark = t->mark;
        resolve_push(t, number);
}

/* Whether a dimension holds a symbol, also by what symbols in it are bound to (which resolving leaves standing where
   it would go past a limit). */
static bool holds(struct dim_table *t, struct dim d, uint32_t number)
{
        uint32_t bottom = t->stack_n;
        bool found = false;

        t->mark++;
        dim_each_symbol(t, d, push_unseen, t);
        while (t->stack_n > bottom && !found) {
                uint32_t top = t->stack[--t->stack_n];

                found = top == number;
                if (!found && t->symbol[top]->info.is_bound)
                        dim_each_symbol(t, t->symbol[top]->info.facts->bound, push_unseen, t);
        }
        t->stack_n = bottom;
        return found;
}

/* A bound symbol passes its bounds on. The upper bound of a symbol consists of older symbols. */
static void pass_bounds(struct dim_table *t, const struct dim_symbol *from, uint32_t to)
{
        struct dim_symbol *symbol = &t->symbol[to]->info;

        if (to < t->held)
                return;
        if (from->has_most && !symbol->has_most && !dim_names_since(t, from->facts->most, to))
                symbol_set_most(t, t->symbol[to], from->facts->most);
        if (from->lower > symbol->lower && from->lower <= symbol->upper) {
                symbol->lower = from->lower;
                t->fact_generation++;
        }
        if (from->upper < symbol->upper && from->upper >= symbol->lower) {
                symbol->upper = from->upper;
                t->fact_generation++;
        }
}

static enum dim_unify bind(struct dim_table *t, uint32_t number, struct dim value)
{
        struct dim_symbol *symbol = &t->symbol[number]->info;
        struct range range = range_of(t, value);
        uint32_t other;

        if (range.upper < symbol->lower || range.lower > symbol->upper)
                return DIM_UNIFY_CONFLICT;
        if (holds(t, value, number))
                return DIM_UNIFY_FACT;
        symbol_bind(t, t->symbol[number], value);
        if (dim_as_symbol(t, value, &other))
                pass_bounds(t, symbol, other);
        return DIM_UNIFY_BOUND;
}

/* Whether a dimension is a single symbol that can be bound. */
static bool is_bindable(const struct dim_table *t, struct dim d, uint32_t *ret)
{
        return dim_as_symbol(t, d, ret) && *ret >= t->held && t->symbol[*ret]->info.anonymous &&
               !t->symbol[*ret]->info.from_input && !t->symbol[*ret]->info.is_bound;
}

bool dim_is_free(const struct dim_table *t, struct dim d)
{
        uint32_t symbol;

        return is_bindable(t, d, &symbol);
}

/* Whether a symbol stands in one term alone of a sum: `at`, without factors. */
static bool stands_alone(struct dim_table *t, const struct expr *expr, uint32_t at, uint32_t *ret_symbol)
{
        const struct atom *atom = mono_atom(t, expr->term[at].mono);

        if (!atom || atom->kind != ATOM_SYMBOL)
                return false;
        if (!is_bindable(t, symbol_lone(t->symbol[atom->symbol]), ret_symbol))
                return false;
        for (uint32_t i = 0; i < expr->n; i++)
                if (i != at && expr->term[i].coef % expr->term[at].coef != 0)
                        return false;
        return true;
}

/* From 0 = difference: binds the youngest anonymous symbol that it gives as a sum of others, none of them anonymous
   unless it is alone (2*u == 2*v). */
static enum dim_unify solve(struct dim_table *t, struct dim difference)
{
        const struct expr *expr = t->expr[difference.expr];
        uint32_t symbol, best = 0, best_at = UINT32_MAX;
        struct dim rest;

        for (uint32_t i = 0; i < expr->n; i++) {
                if (expr->term[i].coef == INT64_MIN)
                        return DIM_UNIFY_FACT;
                if (stands_alone(t, expr, i, &symbol) && (best_at == UINT32_MAX || symbol > best)) {
                        best = symbol;
                        best_at = i;
                }
        }
        if (best_at == UINT32_MAX)
                return DIM_UNIFY_FACT;
        int64_t coef = expr->term[best_at].coef;
        struct dim lone = symbol_lone(t->symbol[best]);

        if (expr_combine(t, difference, 1, lone, -coef, &rest) || expr_floordiv(t, rest, dim_int(-coef), &rest) ||
            (made_of(t, rest) == OF_ANONYMOUS && !lone_atom(t, rest)))
                return DIM_UNIFY_FACT;
        return bind(t, best, rest);
}

static enum dim_unify equate(struct dim_table *t, struct dim a, struct dim b)
{
        uint32_t left, right;
        bool a_bindable = is_bindable(t, a, &left), b_bindable = is_bindable(t, b, &right);
        enum dim_unify outcome = DIM_UNIFY_FACT;
        struct dim difference;

        /* Binds the younger of two symbols to the older one. */
        if (a_bindable && !(b_bindable && right > left))
                outcome = bind(t, left, b);
        else if (b_bindable)
                outcome = bind(t, right, a);
        if (outcome != DIM_UNIFY_FACT)
                return outcome;
        if (dim_proves_unequal(t, a, b))
                return DIM_UNIFY_CONFLICT;
        if (a_bindable || b_bindable || expr_combine(t, a, 1, b, -1, &difference) || dim_is_int(difference))
                return DIM_UNIFY_FACT;
        return solve(t, difference);
}

/* -- facts -- */

/* Whether a term is a symbol alone in the sum, which the sum gives as a sum of the others. */
static bool gives_symbol(const struct dim_table *t, const struct expr *expr, uint32_t at, uint32_t *ret)
{
        const struct atom *atom = mono_atom(t, expr->term[at].mono);

        if (!atom || atom->kind != ATOM_SYMBOL || expr->term[at].coef == INT64_MIN)
                return false;
        *ret = atom->symbol;
        for (uint32_t i = 0; i < expr->n; i++)
                if (i != at && expr->term[i].coef % expr->term[at].coef != 0)
                        return false;
        return true;
}

/* Stores an equality for later proofs, as an expression for the youngest symbol that it gives as a sum of others.
   Nothing is stored for a symbol made before dim_hold(). */
static void keep_fact(struct dim_table *t, struct dim a, struct dim b)
{
        struct dim difference, rest;
        uint32_t symbol, best = 0, best_at = UINT32_MAX;

        if (expr_combine(t, dim_under_facts(t, a), 1, dim_under_facts(t, b), -1, &difference) || dim_is_int(difference))
                return;
        const struct expr *expr = t->expr[difference.expr];

        for (uint32_t i = 0; i < expr->n; i++)
                if (gives_symbol(t, expr, i, &symbol) && symbol >= t->held &&
                    (best_at == UINT32_MAX || symbol > best)) {
                        best = symbol;
                        best_at = i;
                }
        if (best_at == UINT32_MAX)
                return;
        struct symbol *s = t->symbol[best];
        int64_t coef = expr->term[best_at].coef;

        if (expr_combine(t, difference, 1, symbol_lone(s), -coef, &rest) ||
            expr_floordiv(t, rest, dim_int(-coef), &rest) || holds(t, rest, best))
                return;
        struct range range = range_of(t, rest);

        if (range.upper < s->info.lower || range.lower > s->info.upper)
                return;
        struct dim_symbol_facts *by = symbol_facts(t, s);

        by->is_equal = true;
        by->equal = rest;
        by->because = origin_keep(t);
        t->equalities++;
        t->fact_generation++;
        if (dim_is_int(rest))
                s->info.lower = s->info.upper = rest.val;
}

struct fact_search {
        const struct dim_table *t;
        uint32_t found; /* + 1 */
};

static void find_fact(void *user, uint32_t symbol)
{
        struct fact_search *search = user;

        if (!search->found && symbol_is_equal(search->t, symbol))
                search->found = symbol + 1;
}

bool dim_fact_against(struct dim_table *t, struct dim a, struct dim b, struct dim_fact *ret)
{
        struct fact_search search = {.t = t};

        dim_each_symbol(t, dim_resolve(t, a), find_fact, &search);
        dim_each_symbol(t, dim_resolve(t, b), find_fact, &search);
        if (!search.found)
                return false;
        const struct symbol *symbol = t->symbol[search.found - 1];

        const struct dim lone = symbol_lone(symbol);

        *ret = (struct dim_fact){
                .symbol = lone, .equal = dim_under_facts(t, lone), .because = *symbol->info.facts->because};
        return true;
}

/* -- how an equality is written -- */

static void swap_dims(struct dim *a, struct dim *b)
{
        struct dim kept = *a;

        *a = *b;
        *b = kept;
}

/* Moves the constant of the left sum to the number on the right, and the sign of a sum of negative terms. */
static void gather_numbers(struct dim_table *t, struct dim *left, struct dim *right)
{
        struct term room;
        struct dim sum, number, negated;
        struct poly p = poly_of(t, *left, &room);
        bool negative = true;

        if (expr_combine(t, *left, 1, dim_int(poly_constant(p)), -1, &sum) ||
            expr_combine(t, *right, 1, dim_int(poly_constant(p)), -1, &number) || dim_is_int(sum))
                return;
        *left = sum;
        *right = number;
        p = poly_of(t, *left, &room);
        for (size_t i = 0; i < p.n; i++)
                negative = negative && p.term[i].coef < 0;
        if (negative && !expr_negate(t, *left, &negated) && !expr_negate(t, *right, &number)) {
                *left = negated;
                *right = number;
        }
}

struct factor_search {
        const struct dim_table *t;
        struct dim left, right;
        uint32_t found; /* + 1 */
};

static void find_factor(void *user, uint32_t symbol)
{
        struct factor_search *search = user;
        const struct dim_symbol *known = &search->t->symbol[symbol]->info;

        if (known->lower >= 1 && !known->presumed && dim_has_factor(search->t, search->left, symbol) &&
            (dim_is(search->right, 0) || dim_has_factor(search->t, search->right, symbol)))
                search->found = symbol + 1;
}

/* Cancels common factors that are not 0. */
static void cancel(struct dim_table *t, struct dim *left, struct dim *right)
{
        for (int i = 0; i < MAX_REDUCTIONS; i++) {
                struct factor_search search = {.t = t, .left = *left, .right = *right};
                struct dim a, b;

                dim_each_symbol(t, *left, find_factor, &search);
                if (!search.found)
                        return;
                struct dim factor = symbol_lone(t->symbol[search.found - 1]);

                if (expr_floordiv(t, *left, factor, &a) || expr_floordiv(t, *right, factor, &b))
                        return;
                *left = a;
                *right = b;
        }
}

void dim_equation(struct dim_table *t, struct dim *left, struct dim *right)
{
        struct term room_a, room_b;
        struct dim a, b;

        if (dim_is_int(*left))
                swap_dims(left, right);
        if (dim_is_int(*left))
                return;
        cancel(t, left, right);
        if (dim_is_int(*left))
                swap_dims(left, right);
        if (dim_is_int(*left))
                return;
        if (dim_is_int(*right))
                gather_numbers(t, left, right);
        uint64_t g = gcd_u64(poly_content(poly_of(t, *left, &room_a), true),
                             poly_content(poly_of(t, *right, &room_b), true));

        if (g < 2 || g > INT64_MAX)
                return;
        if (!expr_floordiv(t, *left, dim_int((int64_t)g), &a) && !expr_floordiv(t, *right, dim_int((int64_t)g), &b)) {
                *left = a;
                *right = b;
        }
}

enum dim_unify dim_unify(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        enum dim_unify outcome;

        if (!dim_same(a, b)) {
                a = dim_resolve(t, a);
                b = dim_resolve(t, b);
        }
        if (dim_same(a, b) || (t->n_multiple && dim_same(dim_under_facts(t, a), dim_under_facts(t, b))))
                outcome = DIM_UNIFY_SAME;
        else
                outcome = equate(t, a, b);
        if (outcome == DIM_UNIFY_FACT)
                keep_fact(t, a, b);
        if (ret) {
                if (outcome == DIM_UNIFY_BOUND) {
                        a = dim_resolve(t, a);
                        b = dim_resolve(t, b);
                }
                *ret = made_of(t, b) < made_of(t, a) ? b : a;
        }
        return outcome;
}
