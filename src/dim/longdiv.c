/* Common factors, and division of polynomials. */
#include "dim/internal.h"

/* Keeps the atoms of `common`, which are in order, that monomial `mono` also holds. */
static uint32_t intersect(const struct dim_table *t, uint32_t *common, uint32_t n, uint64_t mono)
{
        const struct mono *m = t->mono[mono];
        uint32_t to = 0, j = 0;

        for (uint32_t i = 0; i < n; i++) {
                while (j < m->n && m->atom[j] < common[i])
                        j++;
                if (j < m->n && m->atom[j] == common[i]) {
                        common[to++] = common[i];
                        j++;
                }
        }
        return to;
}

/* The monomial that divides every term of both. */
static uint64_t common_mono(struct dim_table *t, struct poly a, struct poly b)
{
        uint32_t common[MAX_DEGREE], n;
        const struct mono *first = t->mono[b.term[0].mono];

        for (n = 0; n < first->n; n++)
                common[n] = first->atom[n];
        for (size_t i = 1; i < b.n && n; i++)
                n = intersect(t, common, n, b.term[i].mono);
        for (size_t i = 0; i < a.n && n; i++)
                n = intersect(t, common, n, a.term[i].mono);
        return mono_intern(t, common, n);
}

static unsigned divide_terms(struct dim_table *t, struct poly p, int64_t coef, uint64_t mono, struct dim *ret)
{
        struct scratch_mark mark = scratch_mark(t);
        struct term *out = scratch_take(t, p.n, sizeof(*out));

        for (size_t i = 0; i < p.n; i++) {
                out[i].coef = p.term[i].coef / coef;
                mono_div(t, p.term[i].mono, mono, &out[i].mono);
        }
        unsigned faults = poly_settle(t, out, p.n, ret);

        scratch_release(t, mark);
        return faults;
}

bool cancel_common(struct dim_table *t, struct dim *a, struct dim *b, int64_t *ret_coef, uint64_t *ret_mono)
{
        struct term room_a, room_b;
        struct poly pa = poly_of(t, *a, &room_a), pb = poly_of(t, *b, &room_b);
        uint64_t g = poly_content(pa, true), other = poly_content(pb, true);
        struct dim a_left, b_left;

        while (other) {
                uint64_t rest = g % other;

                g = other;
                other = rest;
        }
        if (g > INT64_MAX)
                g = 1;
        *ret_coef = (int64_t)g;
        *ret_mono = common_mono(t, pa, pb);
        if (*ret_coef == 1 && *ret_mono == MONO_ONE)
                return false;
        if (divide_terms(t, pa, *ret_coef, *ret_mono, &a_left) || divide_terms(t, pb, *ret_coef, *ret_mono, &b_left))
                return false;
        *a = a_left;
        *b = b_left;
        return true;
}

static size_t leading(const struct dim_table *t, struct poly p)
{
        size_t best = 0;

        for (size_t i = 1; i < p.n; i++)
                if (mono_compare(t, p.term[i].mono, p.term[best].mono) > 0)
                        best = i;
        return best;
}

/* The state of a long division: the terms left to divide, and the quotient and rest so far. Each array has room for
   `room` terms. */
struct long_division {
        struct term *left, *next, *scaled, *quotient, *rest;
        size_t n, n_quotient, n_rest, room;
};

/* Moves the leading term that is left to the quotient or to the rest. False past the bounds of work. */
static bool divide_step(struct dim_table *t, struct long_division *d, struct poly by, struct term lead)
{
        size_t top = leading(t, (struct poly){d->left, d->n});
        struct term term = d->left[top], factor;
        int64_t left;

        if (!(mod_i64(term.coef, lead.coef, &left) && left == 0 && floordiv_i64(term.coef, lead.coef, &factor.coef) &&
              mono_div(t, term.mono, lead.mono, &factor.mono))) {
                d->rest[d->n_rest++] = term;
                d->n--;
                for (size_t i = top; i < d->n; i++)
                        d->left[i] = d->left[i + 1];
                return true;
        }
        if (d->n + by.n > d->room || poly_scale_mono(t, by, factor.coef, factor.mono, d->scaled))
                return false;
        d->quotient[d->n_quotient++] = factor;
        if (poly_combine((struct poly){d->left, d->n}, 1, (struct poly){d->scaled, by.n}, -1, d->next, &d->n))
                return false;
        struct term *swap = d->left;

        d->left = d->next;
        d->next = swap;
        return true;
}

bool poly_divide(struct dim_table *t, struct dim a, struct dim b, struct dim *ret_quotient, struct dim *ret_rest)
{
        struct term room_a, room_b;
        struct poly pa = poly_of(t, a, &room_a), by = poly_of(t, b, &room_b);
        struct scratch_mark mark = scratch_mark(t);
        struct long_division d = {.n = pa.n, .room = pa.n + by.n + MAX_DIVISION};
        struct term lead = by.term[leading(t, by)];
        unsigned steps = 0;
        bool done = true;

        d.left = scratch_take(t, d.room, sizeof(*d.left));
        d.next = scratch_take(t, d.room, sizeof(*d.next));
        d.scaled = scratch_take(t, by.n, sizeof(*d.scaled));
        d.quotient = scratch_take(t, MAX_DIVISION, sizeof(*d.quotient));
        d.rest = scratch_take(t, MAX_DIVISION, sizeof(*d.rest));
        for (size_t i = 0; i < pa.n; i++)
                d.left[i] = pa.term[i];
        while (d.n > 0 && done)
                done = steps++ < MAX_DIVISION && divide_step(t, &d, by, lead);
        if (done) {
                done = !poly_settle(t, d.quotient, d.n_quotient, ret_quotient) &&
                       !poly_settle(t, d.rest, d.n_rest, ret_rest);
        }
        scratch_release(t, mark);
        return done;
}
