/* Conditions on sizes that must hold for the model to run, and assumptions: collected while nodes are walked, and
   listed once each in the result. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"

static bool is_same(const struct constraint *c, const struct dim_condition *is, const char *scope)
{
        bool alike = dim_same(c->is.left, is->left) && dim_same(c->is.right, is->right);
        bool swapped = dim_same(c->is.left, is->right) && dim_same(c->is.right, is->left);

        return c->is.relation == is->relation &&
               (alike || (swapped && (is->relation == DIM_EITHER || is->relation == DIM_EQUAL))) &&
               (!c->scope[0] || strcmp(c->scope, scope) == 0);
}

/* Whether both are bounds on the same side of the same size in one scope, by numbers. */
static bool is_rival(const struct constraint *c, const struct dim_condition *is, const char *scope)
{
        return (is->relation == DIM_AT_LEAST || is->relation == DIM_AT_MOST) && c->is.relation == is->relation &&
               dim_is_int(is->right) && dim_is_int(c->is.right) && dim_same(c->is.left, is->left) &&
               strcmp(c->scope, scope) == 0;
}

/* The constraint that a new one replaces, or -1; *ret_told: an existing one already says as much. */
static int64_t find_place(const struct infer *f, const struct dim_condition *is, const char *scope, bool *ret_told)
{
        *ret_told = false;
        for (size_t i = 0; i < f->n_constraint && i < CONSTRAINTS_SEARCHED; i++) {
                const struct constraint *c = &f->constraint[f->n_constraint - 1 - i];
                bool is_stronger = is->relation == DIM_AT_LEAST ? is->right.val > c->is.right.val
                                                                : is->right.val < c->is.right.val;

                if (is_rival(c, is, scope) && is_stronger)
                        return (int64_t)(f->n_constraint - 1 - i);
                *ret_told = is_same(c, is, scope) || is_rival(c, is, scope);
                if (*ret_told)
                        break;
        }
        return -1;
}

static void add(struct infer *f, const struct dim_condition *condition, const struct node *n, const char *value,
                bool is_claim)
{
        struct dim_condition is = *condition;
        bool told;
        int64_t at;

        /* A claim is written at the end: a sum is written as it first comes, which no declaration is to decide. */
        if (!is_claim)
                dim_write_condition(f->dims, &is);
        if (is.relation == DIM_DIVIDES && !is_claim)
                dim_assume_multiple(f->dims, is.left, is.right);
        at = find_place(f, &is, n->scope, &told);
        if (told)
                return;
        if (at < 0 && f->n_constraint >= CONSTRAINTS_KEPT) {
                f->constraints_dropped++;
                return;
        }
        if (at < 0 && f->n_constraint == f->constraint_capacity) {
                size_t capacity = f->constraint_capacity ? 2 * f->constraint_capacity : 16;

                f->constraint = arena_grow(f->arena, f->constraint, f->constraint_capacity * sizeof(*f->constraint),
                                           capacity * sizeof(*f->constraint));
                f->constraint_capacity = capacity;
        }
        at = at < 0 ? (int64_t)f->n_constraint++ : at;
        f->constraint[at] = (struct constraint){
                .is = is,
                .node = n->source ? node_name(n) : "",
                .node_index = n->source ? n->index : -1,
                .op = n->source ? node_op(n) : "",
                .value = text_or_empty(value),
                .scope = n->scope,
                .is_certain = !dim_is_held(f->dims),
                .is_claim = is_claim,
        };
}

void condition_add(void *f, const struct dim_condition *condition, const struct node *n, const char *value)
{
        add(f, condition, n, value, false);
}

void condition_claim(struct infer *f, const struct dim_condition *condition, const struct node *n, const char *value)
{
        add(f, condition, n, value, true);
}

struct mention {
        struct dim_table *dims;
        struct dim of;
        bool found;
};

static void look_for(void *user, uint32_t symbol)
{
        struct mention *mention = user;

        mention->found = mention->found || dim_same(dim_symbol_lone(mention->dims, symbol), mention->of);
}

/* What a condition takes a size to be; NULL where that is no number. */
static const char *taken_to_be(struct infer *f, const struct dim_condition *is)
{
        const struct dim size = is->relation == DIM_DIVIDES ? is->right : is->left;
        const struct dim number = is->relation == DIM_DIVIDES ? is->left : is->right;
        static const char *const hows[] = {[DIM_EQUAL] = "",
                                           [DIM_AT_MOST] = "at most ",
                                           [DIM_AT_LEAST] = "at least ",
                                           [DIM_DIVIDES] = "a multiple of ",
                                           [DIM_EITHER] = "1 or "};

        if (!dim_is_int(number))
                return NULL;
        return arena_printf(f->arena, "takes %s to be %s%s", dim_text(f->dims, size), hows[is->relation],
                            dim_text(f->dims, number));
}

const char *condition_said_before(void *user, struct dim size, const struct node *n)
{
        struct infer *f = user;

        for (size_t i = 0; i < f->n_constraint && i < CONSTRAINTS_SEARCHED; i++) {
                const struct constraint *c = &f->constraint[f->n_constraint - 1 - i];
                struct mention mention = {.dims = f->dims,
                                          .of = c->is.relation == DIM_DIVIDES ? c->is.right : c->is.left};

                if (!c->is_certain && strcmp(c->scope, n->scope) != 0)
                        continue;
                dim_each_symbol(f->dims, dim_resolve(f->dims, size), look_for, &mention);
                const char *taken = mention.found ? taken_to_be(f, &c->is) : NULL;

                if (taken)
                        return arena_printf(f->arena, "%s %s", node_party(f->arena, c->node_index, c->node, c->op),
                                            taken);
        }
        return NULL;
}

/* Numbers stand on the right, including sides that have become numbers since. */
static void arrange(struct infer *f, struct dim_condition *is)
{
        struct dim left = is->left;

        dim_write_condition(f->dims, is);
        if (!dim_is_int(is->left) || is->relation == DIM_EQUAL || is->relation == DIM_DIVIDES)
                return;
        is->left = is->right;
        is->right = left;
        if (is->relation != DIM_EITHER)
                is->relation = is->relation == DIM_AT_LEAST ? DIM_AT_MOST : DIM_AT_LEAST;
}

/* Whether a stronger bound of the same symbol is listed too, by its known bounds outside of branches. */
static bool is_weaker(struct infer *f, const struct dim_condition *is)
{
        uint32_t symbol;

        if (!dim_as_symbol(f->dims, is->left, &symbol) || !dim_is_int(is->right))
                return false;
        const struct dim_symbol *s = dim_symbol_at(f->dims, symbol);

        return (is->relation == DIM_AT_LEAST && is->right.val < s->lower) ||
               (is->relation == DIM_AT_MOST && is->right.val > s->upper);
}

/* Whether a condition holds by facts found after it was added. Sizes that must broadcast and are now known not to be 1
   must be equal. */
static bool is_settled(struct infer *f, struct dim_condition *is)
{
        struct dim_condition again;
        bool is_bound = dim_is_int(is->right);
        enum dim_require outcome;

        switch (is->relation) {
        case DIM_EQUAL:
                return dim_same(is->left, is->right);
        case DIM_AT_MOST:
        case DIM_AT_LEAST:
                if (dim_is_int(is->left) && is_bound)
                        return true;
                return dim_same(is->left, is->right) || is_weaker(f, is);
        case DIM_DIVIDES:
                dim_withdraw_multiples(f->dims); /* it is such a fact itself */
                outcome = dim_require_divides(f->dims, is->left, is->right, &again);
                dim_restore_multiples(f->dims);
                return outcome == DIM_HOLDS;
        case DIM_EITHER:
                outcome = dim_require_broadcast(f->dims, is->left, is->right, &again);
                if (outcome == DIM_REQUIRED) {
                        *is = again;
                        dim_write_condition(f->dims, is);
                }
                return outcome == DIM_HOLDS;
        }
        return false;
}

/* Removes conditions that have become equal: the first one stays, and a branch's condition is removed if the main graph
   has it too. */
static bool is_told(const struct constraint *told, size_t count, const struct dim_condition *is, const char *scope)
{
        for (size_t i = 0; i < count && i < CONSTRAINTS_SEARCHED; i++)
                if (is_same(&told[count - 1 - i], is, scope))
                        return true;
        return false;
}

static void presume_for(struct infer *f, const struct result_value *entry, struct dim size)
{
        dim_set_origin(f->dims, &(struct dim_origin){.value = entry_name(f, entry),
                                                     .axis = -1,
                                                     .op = result_op(entry),
                                                     .node = result_node(entry),
                                                     .scope = result_scope(entry),
                                                     .node_index = result_node_index(entry)});
        dim_presume_for(f->dims, dim_settle(f->dims, size));
}

void condition_presume(struct infer *f)
{
        struct result_value *entry = NULL;
        const size_t count = dim_may_presume(f->dims) ? f->n_entry : 0;

        for (size_t i = 0; i < count; i++) {
                entry = entry_after(f, entry, i);
                const struct type *type = &entry->value.type;

                while (type_within(type))
                        type = type->of;
                const int rank = entry->made_by && type_is_tensor(type) ? type->rank : 0;

                for (int d = 0; d < rank; d++)
                        if (!dim_is_int(type->dim[d]) && dim_may_presume_for(f->dims, type->dim[d]))
                                presume_for(f, entry, type->dim[d]);
        }
}

/* Collects the assumption about each symbol, unless it is a constraint. */
static void finish_assumptions(struct infer *f, struct dim (*see)(void *user, struct dim d), void *user,
                               struct ox_result *result)
{
        uint32_t count = dim_symbol_count(f->dims);
        struct ox_constraint *rows = arena_new_array(f->arena, struct ox_constraint, dim_presumed_count(f->dims));

        for (uint32_t i = 0; i < count && result->n_assumption < dim_presumed_count(f->dims); i++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, i);

                if (!symbol->presumed || symbol->is_bound)
                        continue;
                const struct dim_origin *origin = symbol->facts->presumed_for;

                rows[result->n_assumption++] = (struct ox_constraint){
                        .left = dim_text(f->dims, see(user, dim_symbol_lone(f->dims, i))),
                        .relation = dim_relation_text(DIM_AT_LEAST),
                        .right = dim_text(f->dims, dim_int(1)),
                        .node = text_or_empty(origin->node),
                        .node_index = origin->node_index,
                        .op = text_or_empty(origin->op),
                        .value = text_or_empty(origin->value),
                        .scope = text_or_empty(origin->scope),
                };
        }
        result->assumption = rows;
}

/* The text of a side, with all facts applied. If both sides then are different numbers, an error that is reported
   elsewhere, the original text. */
static const char *side_text(struct infer *f, struct dim settled, struct dim other, struct dim was,
                             struct dim (*see)(void *user, struct dim d), void *user)
{
        bool is_impossible = dim_is_int(settled) && dim_is_int(other);

        return dim_text(f->dims, is_impossible ? dim_resolve(f->dims, was) : see(user, settled));
}

/* A condition under all facts, in its simplest form. False if nothing is left of it. */
static bool settle_condition(struct infer *f, struct dim_condition *is)
{
        is->left = dim_settle(f->dims, is->left);
        is->right = dim_settle(f->dims, is->right);
        arrange(f, is);
        return !is_settled(f, is);
}

struct pinned {
        const struct dim_table *dims;
        uint32_t symbol;
        bool found;
};

static void see_pinned(void *user, uint32_t number)
{
        struct pinned *pinned = user;
        const struct dim_symbol *symbol = dim_symbol_at(pinned->dims, number);

        if (!pinned->found && symbol->from_input && !symbol->is_bound && symbol->lower == symbol->upper) {
                pinned->symbol = number;
                pinned->found = true;
        }
}

/* An equality of which nothing is left because it leaves a symbol of an input one number, which is a bound by now: that
   is what it says. False for any other condition. */
static bool is_pinning(struct infer *f, const struct dim_condition *was, struct dim_condition *ret)
{
        struct dim left = dim_resolve(f->dims, was->left), right = dim_resolve(f->dims, was->right);
        struct pinned pinned = {.dims = f->dims};

        if (was->relation != DIM_EQUAL || dim_same(left, right))
                return false;
        dim_each_symbol(f->dims, left, see_pinned, &pinned);
        dim_each_symbol(f->dims, right, see_pinned, &pinned);
        if (pinned.found)
                *ret = (struct dim_condition){dim_symbol_lone(f->dims, pinned.symbol), DIM_EQUAL,
                                              dim_int(dim_symbol_at(f->dims, pinned.symbol)->lower)};
        return pinned.found;
}

/* Whether it may come to be a condition about a remainder: an equality may, and so may what broadcasts where neither
   size is 1. */
static bool may_divide(struct infer *f, const struct dim_condition *is)
{
        if (is->relation == DIM_EITHER)
                return dim_is_never_one(f->dims, is->left) && dim_is_never_one(f->dims, is->right);
        return is->relation == DIM_DIVIDES || is->relation == DIM_EQUAL;
}

void condition_take_multiples(struct infer *f)
{
        for (size_t i = 0; i < f->n_constraint; i++) {
                const struct constraint *c = &f->constraint[i];
                struct dim_condition is = c->is;

                if (c->is_certain && !c->is_claim && may_divide(f, &is) && settle_condition(f, &is) &&
                    is.relation == DIM_DIVIDES)
                        dim_assume_multiple(f->dims, is.left, is.right);
        }
}

/* Whether one condition follows from another: 2 divides H from 4 divides H, and M >= N + 2 from M >= N + 3. */
static bool follows(struct infer *f, const struct dim_condition *one, const struct dim_condition *other)
{
        struct dim more;

        if (one->relation != other->relation)
                return false;
        if (one->relation == DIM_DIVIDES)
                return dim_same(one->right, other->right) && dim_is_int(one->left) && dim_is_int(other->left) &&
                       one->left.val > 0 && one->left.val != other->left.val && other->left.val % one->left.val == 0;
        if ((one->relation != DIM_AT_LEAST && one->relation != DIM_AT_MOST) || !dim_same(one->left, other->left) ||
            dim_is_int(one->right) || dim_is_int(other->right))
                return false;
        more = dim_sub(f->dims, other->right, one->right);
        return dim_is_int(more) && (one->relation == DIM_AT_LEAST ? more.val > 0 : more.val < 0);
}

/* Whether another condition says as much and more, wherever this one holds. */
static bool is_told_by_another(struct infer *f, const struct constraint *told, size_t count, size_t at)
{
        for (size_t i = at > CONSTRAINTS_SEARCHED ? at - CONSTRAINTS_SEARCHED : 0;
             i < count && i < at + CONSTRAINTS_SEARCHED; i++)
                if (i != at && follows(f, &told[at].is, &told[i].is) &&
                    (!told[i].scope[0] || strcmp(told[i].scope, told[at].scope) == 0))
                        return true;
        return false;
}

static void finish_conditions(struct infer *f, struct dim (*see)(void *user, struct dim d), void *user,
                              struct ox_result *result)
{
        struct ox_constraint *rows = arena_new_array(f->arena, struct ox_constraint, f->n_constraint);
        struct constraint *told = arena_new_array(f->arena, struct constraint, f->n_constraint);
        struct dim_condition *was = arena_new_array(f->arena, struct dim_condition, f->n_constraint);
        size_t count = 0;

        for (size_t i = 0; i < f->n_constraint; i++) {
                struct constraint *c = &f->constraint[i];
                struct dim_condition is = c->is;

                if ((!settle_condition(f, &is) && !is_pinning(f, &c->is, &is)) || is_told(told, count, &is, c->scope))
                        continue;
                c->is_listed = true;
                was[count] = c->is;
                told[count] = *c;
                told[count++].is = is;
        }
        for (size_t i = 0; i < count; i++) {
                const struct constraint *c = &told[i];

                if (is_told_by_another(f, told, count, i))
                        continue;
                rows[result->n_constraint++] = (struct ox_constraint){
                        .left = side_text(f, c->is.left, c->is.right, was[i].left, see, user),
                        .relation = dim_relation_text(c->is.relation),
                        .right = side_text(f, c->is.right, c->is.left, was[i].right, see, user),
                        .node = c->node,
                        .node_index = c->node_index,
                        .op = c->op,
                        .value = c->value,
                        .scope = c->scope,
                };
        }
        result->constraint = rows;
}

void condition_finish(struct infer *f, struct dim (*see)(void *user, struct dim d), void *user,
                      struct ox_result *result)
{
        if (f->n_constraint > 0)
                finish_conditions(f, see, user, result);
        if (dim_presumed_count(f->dims) > 0)
                finish_assumptions(f, see, user, result);
}
