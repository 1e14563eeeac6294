/* Max, min and broadcast: operations on sets of arguments. */
#include "dim/internal.h"

/* The order of arguments: expressions by age, integers last. */
static bool goes_before(struct dim a, struct dim b)
{
        if (dim_is_int(a) || dim_is_int(b))
                return !dim_is_int(a) || (dim_is_int(b) && a.val < b.val);
        return a.expr < b.expr;
}

/* The max (min) of which a sum is a multiple > 0, plus a constant; NULL. */
static const struct atom *shifted(const struct dim_table *t, enum atom_kind kind, struct dim d, int64_t *ret_coef,
                                  int64_t *ret_constant)
{
        const struct expr *expr = d.expr ? t->expr[d.expr] : NULL;

        if (!expr || expr->n > 2 || (expr->n == 2 && expr->term[0].mono != MONO_ONE))
                return NULL;
        const struct term *last = &expr->term[expr->n - 1];
        const struct atom *atom = mono_atom(t, last->mono);

        if (!atom || (kind != ATOM_MAX && kind != ATOM_MIN) || atom->kind != kind || last->coef < 1)
                return NULL;
        *ret_coef = last->coef;
        *ret_constant = expr->n == 2 ? expr->term[0].coef : 0;
        return atom;
}

/* Adds an argument, in order. False past the limit. */
static bool collect_one(struct dim d, struct dim *arg, uint32_t *n)
{
        uint32_t at = 0;

        while (at < *n && goes_before(arg[at], d))
                at++;
        if (at < *n && dim_same(arg[at], d))
                return true;
        if (*n == MAX_ARGUMENTS)
                return false;
        for (uint32_t i = (*n)++; i > at; i--)
                arg[i] = arg[i - 1];
        arg[at] = d;
        return true;
}

/* The same; a nested operation of the same kind is replaced by its arguments, and so is a multiple of one plus a
   constant: max(2*max(a, b) + 1, c) is max(2*a + 1, 2*b + 1, c). */
static bool collect(struct dim_table *t, enum atom_kind kind, struct dim d, struct dim *arg, uint32_t *n)
{
        const struct atom *atom = lone_atom(t, d);
        int64_t coef = 1, constant = 0;

        if (!atom || atom->kind != kind)
                atom = shifted(t, kind, d, &coef, &constant);
        if (!atom)
                return collect_one(d, arg, n);
        for (uint32_t i = 0; i < atom->n; i++) {
                struct dim part = atom->arg[i];

                if ((coef != 1 || constant != 0) && expr_combine(t, part, coef, dim_int(constant), 1, &part))
                        return false;
                if (!collect(t, kind, part, arg, n))
                        return false;
        }
        return true;
}

/* Drops every argument that another one always exceeds. */
static void drop_beaten(struct dim_table *t, enum atom_kind kind, struct dim *arg, uint32_t *n)
{
        for (uint32_t i = 0; i < *n && *n <= MAX_PAIRWISE;) {
                bool beaten = false;

                for (uint32_t j = 0; j < *n && !beaten; j++)
                        beaten = j != i &&
                                 (kind == ATOM_MAX ? proves_ge(t, arg[j], arg[i]) : proves_ge(t, arg[i], arg[j]));
                if (!beaten) {
                        i++;
                        continue;
                }
                (*n)--;
                for (uint32_t j = i; j < *n; j++)
                        arg[j] = arg[j + 1];
        }
}

/* max(g*a, g*b) is g * max(a, b) for g > 0. False if the arguments have no divisor in common. */
static bool take_content(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, struct dim *ret,
                         unsigned *ret_faults)
{
        struct dim part[MAX_ARGUMENTS];
        uint64_t content = 0;

        for (uint32_t i = 0; i < n && content != 1; i++) {
                struct term room;

                content = gcd_u64(content, poly_content(poly_of(t, arg[i], &room), true));
        }
        if (content < 2 || content > INT64_MAX)
                return false;
        *ret_faults = 0;
        for (uint32_t i = 0; i < n && !*ret_faults; i++)
                *ret_faults = expr_floordiv(t, arg[i], dim_int((int64_t)content), &part[i]);
        if (!*ret_faults)
                *ret_faults = expr_extreme(t, kind, part, n, ret);
        if (!*ret_faults)
                *ret_faults = expr_combine(t, *ret, (int64_t)content, dim_int(0), 0, ret);
        return true;
}

unsigned expr_extreme(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, struct dim *ret)
{
        struct dim all[MAX_ARGUMENTS];
        uint32_t count = 0;
        unsigned faults;

        for (uint32_t i = 0; i < n; i++)
                if (!collect(t, kind, arg[i], all, &count))
                        return DIM_FAULT_LIMIT;
        /* Integers stand last, in order; only one of them counts. */
        while (count > 1 && dim_is_int(all[count - 2])) {
                if (kind == ATOM_MAX)
                        all[count - 2] = all[count - 1];
                count--;
        }
        drop_beaten(t, kind, all, &count);
        if (count == 1) {
                *ret = all[0];
                return 0;
        }
        if (take_content(t, kind, all, count, ret, &faults))
                return faults;
        return atom_dim(t, kind, all, count, ret);
}

uint32_t min_arguments(struct dim_table *t, struct dim d, struct dim *arg)
{
        struct term room;
        struct poly p = poly_of(t, d, &room);
        const struct atom *atom = p.n == 1 ? mono_atom(t, p.term[0].mono) : NULL;

        if (!atom || atom->kind != ATOM_MIN || p.term[0].coef < 1)
                return 0;
        for (uint32_t i = 0; i < atom->n; i++) {
                arg[i] = atom->arg[i];
                if (p.term[0].coef != 1 && expr_combine(t, arg[i], p.term[0].coef, dim_int(0), 0, &arg[i]))
                        return 0;
        }
        return atom->n;
}

bool dim_is_never_one(struct dim_table *t, struct dim d)
{
        struct range range = range_of(t, d);
        struct term room;
        struct poly p = poly_of(t, d, &room);
        uint64_t content = poly_content(p, false);
        int64_t rest;

        if (range.lower >= 2 || range.upper <= 0)
                return true;
        return content >= 2 && content <= INT64_MAX && mod_i64(poly_constant(p), (int64_t)content, &rest) && rest != 1;
}

/* Whether `lesser` is min(d, c) for some c >= 1: wherever d and that broadcast, they give d. */
static bool is_lesser_of(struct dim_table *t, struct dim lesser, struct dim d)
{
        struct dim arg[MAX_ARGUMENTS];
        uint32_t n = min_arguments(t, lesser, arg);
        bool has_d = false;

        for (uint32_t i = 0; i < n; i++) {
                has_d = has_d || dim_same(arg[i], d);
                if (!dim_same(arg[i], d) && range_of(t, arg[i]).lower < 1)
                        return false;
        }
        return has_d;
}

/* Drops every argument that is a `lesser` of another one. */
static void drop_lesser(struct dim_table *t, struct dim *arg, uint32_t *n)
{
        for (uint32_t i = 0; i < *n && *n <= MAX_PAIRWISE;) {
                bool is_lesser = false;

                for (uint32_t j = 0; j < *n && !is_lesser; j++)
                        is_lesser = j != i && is_lesser_of(t, arg[i], arg[j]);
                if (!is_lesser) {
                        i++;
                        continue;
                }
                (*n)--;
                for (uint32_t j = i; j < *n; j++)
                        arg[j] = arg[j + 1];
        }
}

bool expr_broadcast(struct dim_table *t, const struct dim *arg, uint32_t n, unsigned *ret_faults, struct dim *ret)
{
        struct dim all[MAX_ARGUMENTS];
        uint32_t count = 0;

        *ret_faults = 0;
        for (uint32_t i = 0; i < n; i++) {
                if (!dim_is(arg[i], 1) && !collect(t, ATOM_BROADCAST, arg[i], all, &count)) {
                        *ret_faults = DIM_FAULT_LIMIT;
                        return true;
                }
        }
        if (count == 0) {
                *ret = dim_int(1);
                return true;
        }
        /* An integer other than 1 is the size; two of them contradict each other. */
        if (dim_is_int(all[count - 1])) {
                if (count > 1 && dim_is_int(all[count - 2]))
                        return false;
                *ret = all[count - 1];
                return true;
        }
        drop_lesser(t, all, &count);
        /* A size that is never 1 is the result, too. */
        for (uint32_t i = 0; i < count; i++) {
                if (count == 1 || dim_is_never_one(t, all[i])) {
                        *ret = all[i];
                        return true;
                }
        }
        *ret_faults = atom_dim(t, ATOM_BROADCAST, all, count, ret);
        return true;
}
