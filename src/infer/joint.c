/* Tries combinations of a few numbers for each of some sizes: whether any fulfils all conditions. */
#include "infer/joint.h"

#include "infer/trial.h"

/* A size and the numbers that it can be: those from `from` to `to` that divide `multiple`, unless that is 0. */
struct few {
        uint32_t symbol;
        int64_t from, to, multiple;
        int64_t value; /* that is tried */
};

struct joint {
        struct infer *f;
        const struct dim_condition *condition;
        size_t n_condition;
        struct few size[JOINT_SIZES];
        size_t n_size, n_set; /* of them with a value */
        int64_t *tries;
        bool is_too_much;
};

/* -- sizes -- */

static void see_size(void *user, uint32_t symbol)
{
        struct joint *j = user;
        const struct dim_symbol *known = dim_symbol_at(j->f->dims, symbol);

        for (size_t i = 0; i < j->n_size; i++)
                if (j->size[i].symbol == symbol)
                        return;
        if (j->n_size < JOINT_SIZES)
                j->size[j->n_size++] =
                        (struct few){.symbol = symbol, .from = known->lower, .to = known->upper, .multiple = 0};
}

/* Restricts a size by one condition. */
static void narrow(struct joint *j, struct few *few, const struct dim_condition *c)
{
        struct dim_table *dims = j->f->dims;
        struct dim lone = dim_symbol_lone(dims, few->symbol);

        if (!dim_is_int(c->right) || c->right.val < 1)
                return;
        if (c->relation == DIM_EQUAL && dim_has_factor(dims, c->left, few->symbol)) {
                few->multiple = c->right.val;
                few->from = few->from > 1 ? few->from : 1;
                few->to = few->to < c->right.val ? few->to : c->right.val;
        }
        /* What broadcasts with 1 may be anything. */
        if (c->relation == DIM_EITHER && c->right.val > 1 && dim_same(c->left, lone) && few->from >= 0) {
                few->from = few->from > 1 ? few->from : 1;
                few->to = few->to < c->right.val ? few->to : c->right.val;
        }
}

static void find_sizes(struct joint *j)
{
        size_t kept = 0;

        for (size_t i = 0; i < j->n_condition; i++) {
                dim_condition_each_symbol(j->f->dims, &j->condition[i], see_size, j);
        }
        for (size_t s = 0; s < j->n_size; s++) {
                struct few few = j->size[s];

                for (size_t i = 0; i < j->n_condition; i++)
                        narrow(j, &few, &j->condition[i]);
                if (few.from >= 0 && few.to < SIZES_TRIED)
                        j->size[kept++] = few;
        }
        j->n_size = kept;
}

/* -- trying -- */

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const struct joint *j = user;

        for (size_t i = 0; i < j->n_set; i++)
                if (j->size[i].symbol == symbol) {
                        *ret = j->size[i].value;
                        return true;
                }
        return false;
}

/* Whether the sizes that have values by now leave every condition possible. */
static bool is_possible(struct joint *j)
{
        for (size_t i = 0; i < j->n_condition; i++)
                if (trial_holds(j->f->dims, &j->condition[i], look_up, j) == NEVER)
                        return false;
        return true;
}

/* The recursion is bounded by the number of sizes. */
static bool finds_numbers(struct joint *j, size_t at)
{
        struct few *few = &j->size[at];

        if (at == j->n_size)
                return true;
        for (int64_t v = few->from; v <= few->to && !j->is_too_much; v++) {
                if (few->multiple && few->multiple % v)
                        continue;
                *j->tries -= (int64_t)j->n_condition;
                j->is_too_much = *j->tries <= 0;
                few->value = v;
                j->n_set = at + 1;
                if (is_possible(j) && finds_numbers(j, at + 1))
                        return true;
        }
        j->n_set = at;
        return j->is_too_much;
}

bool joint_leaves_nothing(struct infer *f, const struct dim_condition *condition, size_t count, int64_t *tries)
{
        struct joint j = {.f = f, .condition = condition, .n_condition = count, .tries = tries};

        find_sizes(&j);
        return j.n_size > 0 && !finds_numbers(&j, 0);
}
