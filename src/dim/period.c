/* How floor divisions and remainders of a dimension repeat. */
#include "dim/internal.h"

static bool lcm_into(int64_t *period, int64_t by, int64_t most)
{
        int64_t a = *period, b = by, rest;

        while (b) {
                rest = a % b;
                a = b;
                b = rest;
        }
        return mul_i64(*period / a, by, period) && *period <= most;
}

bool dim_period(const struct dim_table *t, struct dim d, int64_t most, int64_t *period)
{
        const struct expr *expr = t->expr[d.expr];

        if (dim_is_int(d))
                return true;
        for (uint32_t i = 0; i < expr->n; i++) {
                const struct mono *mono = t->mono[expr->term[i].mono];

                for (uint32_t k = 0; k < mono->n; k++) {
                        const struct atom *atom = t->atom[mono->atom[k]];
                        bool divides = atom->kind == ATOM_FLOORDIV || atom->kind == ATOM_MOD;
                        int64_t inner = 1;

                        for (uint32_t j = 0; j < atom->n; j++)
                                if (!dim_period(t, atom->arg[j], most, &inner))
                                        return false;
                        if (divides && (!dim_is_int(atom->arg[1]) || atom->arg[1].val <= 0 ||
                                        !mul_i64(inner, atom->arg[1].val, &inner)))
                                return false;
                        if (!lcm_into(period, inner, most))
                                return false;
                }
        }
        return true;
}
