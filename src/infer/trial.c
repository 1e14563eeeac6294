/* Conditions about one size: tried, and proven. */
#include "infer/trial.h"

struct number {
        uint32_t symbol;
        int64_t value;
};

static bool is_number(void *user, uint32_t symbol, int64_t *ret)
{
        const struct number *n = user;

        *ret = n->value;
        return symbol == n->symbol;
}

static enum outcome outcome_of(bool always, bool never)
{
        return always ? ALWAYS : never ? NEVER : NOBODY_KNOWS;
}

enum outcome trial_holds(const struct dim_table *dims, const struct dim_condition *c,
                         bool (*look_up)(void *user, uint32_t symbol, int64_t *ret), void *user)
{
        int64_t left, right;
        bool holds = false;

        if (!dim_eval(dims, c->left, look_up, user, &left) || !dim_eval(dims, c->right, look_up, user, &right))
                return NOBODY_KNOWS;
        switch (c->relation) {
        case DIM_EQUAL:
                holds = left == right;
                break;
        case DIM_AT_MOST:
                holds = left <= right;
                break;
        case DIM_AT_LEAST:
                holds = left >= right;
                break;
        case DIM_DIVIDES:
                holds = left != 0 && right % left == 0;
                break;
        case DIM_EITHER:
                holds = left == right || left == 1 || right == 1;
                break;
        }
        return outcome_of(holds, !holds);
}

enum outcome trial_at(const struct trial *t, int64_t value)
{
        struct number number = {t->symbol, value};
        enum outcome all = ALWAYS;

        for (size_t i = 0; i < t->n_condition && all != NEVER; i++) {
                enum outcome one = trial_holds(t->dims, &t->condition[i], is_number, &number);

                all = one == ALWAYS ? all : one;
        }
        return all;
}

enum outcome trial_decide(struct dim_table *dims, const struct dim_condition *c)
{
        struct dim a = c->left, b = c->right, one = dim_int(1);

        switch (c->relation) {
        case DIM_EQUAL:
                if (dim_proves_equal(dims, a, b))
                        return ALWAYS;
                return outcome_of(false, dim_proves_unequal(dims, a, b));
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
                if (dim_is(a, 1) || dim_is(b, 1) || dim_proves_equal(dims, a, b))
                        return ALWAYS;
                /* Seldom are both certain not to be 1, for then the condition is that they are equal. */
                return outcome_of(false, dim_proves_unequal(dims, a, one) && dim_proves_unequal(dims, b, one) &&
                                                 dim_proves_unequal(dims, a, b));
        }
        return NOBODY_KNOWS;
}

/* All numbers from SIZES_TRIED on that leave the same remainder. */
static enum outcome decide_all(struct trial *t, struct dim k, int64_t remainder)
{
        struct dim_table *dims = t->dims;
        int64_t start = SIZES_TRIED + (remainder - SIZES_TRIED % t->period + t->period) % t->period;
        struct dim by = dim_add(dims, dim_mul(dims, k, dim_int(t->period)), dim_int(start));
        enum outcome all = ALWAYS;

        for (size_t i = 0; i < t->n_condition && all != NEVER; i++) {
                struct dim_condition c = t->condition[i];

                c.left = dim_substitute(dims, c.left, t->size, by);
                c.right = dim_substitute(dims, c.right, t->size, by);
                enum outcome one = trial_decide(dims, &c);

                all = one == ALWAYS ? all : one;
        }
        return all;
}

void trial_prove(struct trial *t)
{
        struct dim_table *dims = t->dims;
        struct dim k = dim_fresh_numbered(dims, "k", NULL);

        dim_withdraw_multiples(dims); /* conditions about remainders are to hold by themselves */
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
        dim_restore_multiples(dims);
        dim_take_faults(dims);
}
