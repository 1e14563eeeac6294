/* Normal forms: which sums are one.

   Some atoms are a sum of others wherever they are defined, and so are products with them: y%n is y - n*(y//n),
   (y + n-1)//n is y less the sum of the other (y + i)//n, (y + q*n)//n is q + y//n, max(a, b) is b + max(a - b, 0),
   min(a, b) is a - max(a - b, 0), max(x, 0) is x + max(-x, 0), and max of three or more is written with 0 as the least
   constant of its arguments and the rest outside. With every such atom replaced a sum is in normal form. A monomial
   gets its normal form once, and keeps it as long as the table lives; that of a sum is the sum of those of its terms.
   So it does not depend on how a sum was put together, in which order or in which parts.

   The sum of the other (y + i)//n is an atom of its own, ATOM_RING, so that a rounded quotient does not bring forth n-1
   others. One of them, the one in the middle, which is seldom met, is that atom less the rest.

   Sums of one normal form are one dimension. Normal forms do not read well: a dimension is written as it first came,
   once relations made that shorter (relate.c), and what looks into a dimension looks at that. Past the limits a
   monomial or a sum is its own normal form, which says less, and nothing that is wrong: some sums that are equal are
   two. */
#include "dim/internal.h"

/* Whether the first nonconstant term is positive, which holds for exactly one of a - b and b - a. */
static bool is_positive(const struct dim_table *t, struct dim d)
{
        if (dim_is_int(d))
                return true;
        struct poly key = expr_key(t->expr[d.expr]);

        return key.term[key.term[0].mono == MONO_ONE].coef > 0;
}

static void normalise(struct dim_table *t, uint64_t id);

/* Adds up the normal forms of terms. */
static unsigned gather_normal(struct dim_table *t, struct gather *g, struct poly p)
{
        unsigned faults = 0;

        for (size_t i = 0; i < p.n && !faults; i++) {
                const struct mono *mono = t->mono[p.term[i].mono];

                normalise(t, p.term[i].mono);
                if (mono->state == NORMAL_BUSY)
                        faults = DIM_FAULT_LIMIT;
                else if (mono->state == NORMAL_OTHER)
                        faults = gather_poly(t, g, *mono->normal, p.term[i].coef);
                else
                        faults = gather_poly(t, g, (struct poly){&p.term[i], 1}, 1);
        }
        return faults;
}

/* Whether a term of y in y//n has to be in normal form for y to be like others: c * (x%m), where n divides c*m, is c *
   x and a multiple of n; and the constant of a max or min may be taken out of it. */
static bool opens(const struct dim_table *t, const struct term *term, int64_t n)
{
        const struct atom *atom = mono_atom(t, term->mono);
        int64_t whole;

        if (!atom || atom->kind != ATOM_MOD)
                return atom && (atom->kind == ATOM_MAX || atom->kind == ATOM_MIN);
        return dim_is_int(atom->arg[1]) && mul_i64(term->coef, atom->arg[1].val, &whole) && whole % n == 0;
}

/* Splits y into q*n + r, with every coefficient of r in [0, n). */
static unsigned split(struct dim_table *t, struct poly y, int64_t n, struct poly *ret_quotient, struct poly *ret_rest)
{
        struct term *rest = scratch_take(t, y.n, sizeof(*rest)), *quotient = scratch_take(t, y.n, sizeof(*quotient));
        size_t n_rest = 0, n_quotient = 0;

        for (size_t i = 0; i < y.n; i++) {
                struct term out = y.term[i], in = y.term[i];

                if (!floordiv_i64(y.term[i].coef, n, &out.coef) || !mod_i64(y.term[i].coef, n, &in.coef))
                        return DIM_FAULT_OVERFLOW;
                if (out.coef)
                        quotient[n_quotient++] = out;
                if (in.coef)
                        rest[n_rest++] = in;
        }
        *ret_quotient = (struct poly){quotient, n_quotient};
        *ret_rest = (struct poly){rest, n_rest};
        return 0;
}

/* Whether y is such an r already. */
static bool is_reduced(const struct dim_table *t, struct poly y, int64_t n)
{
        for (size_t i = 0; i < y.n; i++)
                if (y.term[i].coef < 0 || y.term[i].coef >= n || opens(t, &y.term[i], n))
                        return false;
        return true;
}

/* y//n is q + r//n for y = q*n + r, with the same r for all y that differ by multiples of n. Gathers nothing if q
   is 0. */
static unsigned gather_reduced(struct dim_table *t, uint64_t mono, struct gather *g)
{
        const struct atom *atom = mono_atom(t, mono);
        int64_t n = atom->arg[1].val;
        struct term room, lone = {.coef = 1, .mono = mono};
        struct poly y = poly_of(t, atom->arg[0], &room), quotient = {0}, rest = {0};
        struct gather opened = {0};
        struct dim reduced;
        unsigned faults = 0;

        if (is_reduced(t, y, n))
                return 0;
        for (size_t i = 0; i < y.n && !faults; i++) {
                struct poly term = {&y.term[i], 1};

                faults = opens(t, term.term, n) ? gather_normal(t, &opened, term) : gather_poly(t, &opened, term, 1);
        }
        if (!faults)
                faults = gather_join(t, &opened, &y);
        if (!faults)
                faults = split(t, y, n, &quotient, &rest);
        if (faults || quotient.n == 0)
                return faults;
        faults = poly_intern(t, rest, &reduced);
        if (!faults)
                faults = expr_floordiv(t, reduced, atom->arg[1], &reduced);
        if (!faults)
                faults = gather_dim(t, g, reduced, -1);
        if (!faults)
                faults = gather_poly(t, g, quotient, -1);
        return faults ? faults : gather_poly(t, g, (struct poly){&lone, 1}, 1);
}

/* Whether (y + i)//n, for i = 0 ... n-1, is the last one that is not an integer. */
static bool ends_ring(struct dim_table *t, const struct atom *atom)
{
        int64_t n = atom->arg[1].val, place = ring_place(t, atom), least, most, quotient = 0, other = 0;
        struct range range = range_of(t, atom->arg[0]);

        if (n > MAX_RELATED || (place < n - 1 && (range.lower == INT64_MIN || range.upper == INT64_MAX)))
                return false;
        for (int64_t i = place + 1; i < n; i++)
                if (!add_i64(range.lower, i - place, &least) || !add_i64(range.upper, i - place, &most) ||
                    !floordiv_i64(least, n, &quotient) || !floordiv_i64(most, n, &other) || quotient != other)
                        return false;
        return true;
}

/* Max and min of three or more, where the least constant in an argument is not 0: the same of all arguments less that
   constant, plus it. */
static unsigned gather_level(struct dim_table *t, const struct atom *atom, uint64_t mono, struct gather *g)
{
        struct term room, lone = {.coef = 1, .mono = mono}, least = {.coef = INT64_MAX, .mono = MONO_ONE};
        struct dim arg[MAX_ARGUMENTS], level = dim_int(0);
        unsigned faults = 0;

        for (uint32_t i = 0; i < atom->n; i++) {
                int64_t constant = poly_constant(poly_of(t, atom->arg[i], &room));

                least.coef = constant < least.coef ? constant : least.coef;
        }
        if (least.coef == 0 || least.coef == INT64_MIN)
                return 0;
        for (uint32_t i = 0; i < atom->n && !faults; i++)
                faults = expr_add_int(t, atom->arg[i], -least.coef, &arg[i]);
        if (!faults)
                faults = expr_extreme(t, atom->kind, arg, atom->n, &level);
        if (!faults)
                faults = gather_dim(t, g, level, -1);
        if (!faults)
                faults = gather_poly(t, g, (struct poly){&least, 1}, -1);
        return faults ? faults : gather_poly(t, g, (struct poly){&lone, 1}, 1);
}

/* Gathers the relation by which a (y + i)//n is replaced, where all of them together are y. For n = 2 the only other
   one is what ATOM_RING would stand for. */
static unsigned gather_ring_rule(struct dim_table *t, const struct atom *atom, uint64_t mono, struct gather *g)
{
        int64_t n = atom->arg[1].val, place = ring_place(t, atom), last;
        bool ends = ends_ring(t, atom);
        struct term lone = {.coef = 1, .mono = mono}, ring = {.coef = 1};
        struct dim arg[2] = {atom->arg[0], atom->arg[1]}, end;
        unsigned faults;

        if (n == 2 || n > MAX_RELATED || place != (ends ? n - 1 : n / 2))
                return ends ? gather_relation(t, mono, RELATION_RING, g) : 0;
        faults = expr_add_int(t, atom->arg[0], -place, &arg[0]);
        if (!faults && !ends) {
                faults = expr_add_int(t, arg[0], n - 1, &end);
                if (faults || quotient_by_range(t, end, n, &last))
                        return faults;
        }
        if (!faults)
                faults = atom_mono(t, ATOM_RING, arg, 2, &ring.mono);
        if (!faults)
                faults = gather_poly(t, g, (struct poly){&ring, 1}, ends ? 1 : -1);
        if (!faults)
                faults = gather_poly(t, g, (struct poly){&lone, 1}, 1);
        if (!faults && ends)
                faults = gather_dim(t, g, arg[0], -1);
        for (int64_t i = 0; i < n - 1 && !faults && !ends; i++)
                if (i != place)
                        faults = gather_member(t, arg[0], i, n, g);
        return faults;
}

/* Gathers the relation by which an atom is replaced; nothing if it is not replaced. */
static unsigned gather_rule(struct dim_table *t, uint64_t mono, struct gather *g)
{
        const struct atom *atom = mono_atom(t, mono);
        struct dim difference;
        unsigned faults;

        switch (atom->kind) {
        case ATOM_FLOORDIV:
                if (!dim_is_int(atom->arg[1]))
                        return 0;
                faults = gather_reduced(t, mono, g);
                return !faults && g->n == 0 ? gather_ring_rule(t, atom, mono, g) : faults;
        case ATOM_MOD:
                return gather_relation(t, mono, RELATION_REST, g);
        case ATOM_MAX:
        case ATOM_MIN:
                if (atom->n != 2)
                        return gather_level(t, atom, mono, g);
                faults = expr_combine(t, atom->arg[0], 1, atom->arg[1], -1, &difference);
                if (faults)
                        return faults;
                return gather_relation(t, mono, is_positive(t, difference) ? RELATION_EXCESS : RELATION_OTHER_EXCESS,
                                       g);
        case ATOM_SYMBOL:
        case ATOM_BROADCAST:
        case ATOM_RING:
                break;
        }
        return 0;
}

/* The normal form of a single atom, on scratch; false if it is the atom itself. */
static bool normal_atom(struct dim_table *t, uint64_t id, struct poly *ret)
{
        struct gather rule = {0}, others = {0}, normal = {0};
        struct term lone = {.coef = 1, .mono = id};
        struct poly relation;

        if (gather_rule(t, id, &rule) || gather_join(t, &rule, &relation))
                return false;
        int64_t coef = poly_coefficient(relation, id);

        /* Where coef * atom + others is 0, with coef 1 or -1, the atom is -coef * others. */
        return (coef == 1 || coef == -1) && !gather_poly(t, &others, relation, -coef) &&
               !gather_poly(t, &others, (struct poly){&lone, 1}, 1) && !gather_join(t, &others, &relation) &&
               !gather_normal(t, &normal, relation) && !gather_join(t, &normal, ret) && ret->n <= MAX_NORMAL;
}

/* That of a product. */
static bool normal_product(struct dim_table *t, const struct mono *mono, struct poly *ret)
{
        static const struct term one = {.coef = 1, .mono = MONO_ONE};
        bool changed = false;

        *ret = (struct poly){&one, 1};
        for (uint32_t i = 0; i < mono->n; i++) {
                struct term term = {.coef = 1, .mono = mono_intern(t, &mono->atom[i], 1)};
                struct poly factor = {&term, 1};
                const struct mono *lone = t->mono[term.mono];

                normalise(t, term.mono);
                if (lone->state == NORMAL_BUSY)
                        return false;
                if (lone->state == NORMAL_OTHER) {
                        changed = true;
                        factor = *lone->normal;
                }
                if (ret->n * factor.n > (size_t)4 * MAX_NORMAL || poly_mul(t, *ret, factor, ret) || ret->n > MAX_NORMAL)
                        return false;
        }
        return changed;
}

/* Finds a monomial's normal form, once. If it is long, or exceeds the limits, the monomial is its own normal form. */
static void normalise(struct dim_table *t, uint64_t id)
{
        struct mono *mono = t->mono[id];
        struct poly normal;

        if (mono->state != NORMAL_UNKNOWN)
                return;
        if (!mono->relates || t->normal_level >= MAX_NORMAL_LEVEL) {
                mono->state = NORMAL_ITSELF;
                return;
        }
        struct scratch_mark mark = scratch_mark(t);

        mono->state = NORMAL_BUSY;
        t->normal_level++;
        bool other = mono->n == 1 ? normal_atom(t, id, &normal) : normal_product(t, mono, &normal);

        t->normal_level--;
        if (other)
                mono->normal = poly_keep(t, normal);
        mono->state = other ? NORMAL_OTHER : NORMAL_ITSELF;
        scratch_release(t, mark);
}

/* Whether all terms of a sum are normal forms; a fault if finding one fails. */
static unsigned is_normal(struct dim_table *t, struct poly p, bool *ret)
{
        *ret = true;
        for (size_t i = 0; i < p.n; i++) {
                const struct mono *mono = t->mono[p.term[i].mono];

                normalise(t, p.term[i].mono);
                if (mono->state == NORMAL_BUSY)
                        return DIM_FAULT_LIMIT;
                *ret = *ret && mono->state == NORMAL_ITSELF;
        }
        return 0;
}

/* The normal form of a sum that is not in normal form, on scratch; the sum itself if the form exceeds the limits. */
static struct poly normal_form(struct dim_table *t, struct poly p)
{
        struct gather g = {0};
        struct poly normal;

        return gather_normal(t, &g, p) || gather_join(t, &g, &normal) ? p : normal;
}

bool poly_is_zero(struct dim_table *t, struct poly p)
{
        bool normal;

        return !is_normal(t, p, &normal) && !normal && normal_form(t, p).n == 0;
}

static bool is_number(struct poly p, struct dim *ret)
{
        if (p.n > 1 || (p.n == 1 && p.term[0].mono != MONO_ONE))
                return false;
        *ret = dim_int(poly_constant(p));
        return true;
}

/* The dimension of a normal form that already exists. */
static bool is_known(const struct dim_table *t, struct poly key, struct dim *ret)
{
        return is_number(key, ret) || expr_find(t, key, ret);
}

/* Whether a sum reads well: an ATOM_RING is not written. */
static bool is_writable(const struct dim_table *t, struct poly p)
{
        for (size_t i = 0; i < p.n; i++)
                if (t->mono[p.term[i].mono]->ringed)
                        return false;
        return true;
}

/* A new sum, in the shortest form that relations give, or in its normal form if that is shorter. */
static unsigned intern_new(struct dim_table *t, struct poly p, struct poly key, struct dim *ret)
{
        bool normal, shorter = key.n < p.n && is_writable(t, key);

        /* Where there was nothing to try, nothing was made, this sum least of all. */
        if (!relate_shorten(t, &p) && !shorter)
                return expr_store(t, p, key, ret);
        if (shorter && key.n < p.n) {
                p = key;
                relate_shorten(t, &p);
        }
        /* Of the sum as it is written, whose normal form is another one past the limits. */
        unsigned faults = is_normal(t, p, &normal);

        if (faults)
                return faults;
        key = normal ? p : normal_form(t, p);
        return is_known(t, key, ret) ? 0 : expr_store(t, p, key, ret);
}

unsigned poly_intern(struct dim_table *t, struct poly p, struct dim *ret)
{
        if (is_number(p, ret))
                return 0;
        struct scratch_mark mark = scratch_mark(t);
        struct poly key = p;
        bool normal;
        unsigned faults = is_normal(t, p, &normal);

        if (!faults && (normal || !expr_find_written(t, p, ret))) {
                if (!normal)
                        key = normal_form(t, p);
                if (!is_known(t, key, ret))
                        faults = intern_new(t, p, key, ret);
        }
        scratch_release(t, mark);
        return faults;
}
