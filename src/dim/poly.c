/* Sums and products. */
#include <string.h>

#include "dim/internal.h"

unsigned poly_combine(struct poly a, int64_t ka, struct poly b, int64_t kb, struct term *out, size_t *ret_n)
{
        size_t i = 0, j = 0, n = 0;

        while (i < a.n || j < b.n) {
                int64_t left = 0, right = 0, coef;
                uint64_t mono;

                if (j == b.n || (i < a.n && a.term[i].mono <= b.term[j].mono))
                        mono = a.term[i].mono;
                else
                        mono = b.term[j].mono;
                if (i < a.n && a.term[i].mono == mono && !mul_i64(a.term[i++].coef, ka, &left))
                        return DIM_FAULT_OVERFLOW;
                if (j < b.n && b.term[j].mono == mono && !mul_i64(b.term[j++].coef, kb, &right))
                        return DIM_FAULT_OVERFLOW;
                if (!add_i64(left, right, &coef))
                        return DIM_FAULT_OVERFLOW;
                if (coef != 0)
                        out[n++] = (struct term){.coef = coef, .mono = mono};
        }
        *ret_n = n;
        return 0;
}

/* Merge sort, because the C library's qsort() may call malloc. */
static void poly_sort(struct dim_table *t, struct term *term, size_t n)
{
        bool sorted = true;

        if (t->spend)
                t->spend(t->spend_user, n);
        for (size_t i = 1; i < n && sorted; i++)
                sorted = term[i - 1].mono <= term[i].mono;
        if (sorted)
                return;
        struct scratch_mark mark = scratch_mark(t);
        struct term *other = scratch_take(t, n, sizeof(*other));

        for (size_t width = 1; width < n; width *= 2) {
                for (size_t at = 0; at < n; at += 2 * width) {
                        size_t i = at, mid = at + width < n ? at + width : n,
                               end = at + 2 * width < n ? at + 2 * width : n;
                        size_t j = mid;

                        for (size_t to = at; to < end; to++)
                                other[to] =
                                        j == end || (i < mid && term[i].mono <= term[j].mono) ? term[i++] : term[j++];
                }
                memcpy(term, other, n * sizeof(*term));
        }
        scratch_release(t, mark);
}

/* Adds up neighbours with the same monomial. */
static unsigned poly_join(struct term *term, size_t *n)
{
        size_t to = 0;

        for (size_t i = 0; i < *n;) {
                struct term sum = term[i++];

                for (; i < *n && term[i].mono == sum.mono; i++)
                        if (!add_i64(sum.coef, term[i].coef, &sum.coef))
                                return DIM_FAULT_OVERFLOW;
                if (sum.coef != 0)
                        term[to++] = sum;
        }
        *n = to;
        return 0;
}

unsigned poly_scale_mono(struct dim_table *t, struct poly p, int64_t coef, uint64_t mono, struct term *out)
{
        for (size_t i = 0; i < p.n; i++) {
                if (!mul_i64(p.term[i].coef, coef, &out[i].coef))
                        return DIM_FAULT_OVERFLOW;
                unsigned faults = mono_mul(t, p.term[i].mono, mono, &out[i].mono);

                if (faults)
                        return faults;
        }
        poly_sort(t, out, p.n);
        return 0;
}

uint64_t poly_content(struct poly p, bool constant)
{
        uint64_t content = 0;

        for (size_t i = 0; i < p.n && content != 1; i++) {
                if (p.term[i].mono == MONO_ONE && !constant)
                        continue;
                uint64_t a = p.term[i].coef < 0 ? -(uint64_t)p.term[i].coef : (uint64_t)p.term[i].coef;

                while (a) {
                        uint64_t rest = content % a;

                        content = a;
                        a = rest;
                }
        }
        return content;
}

int64_t poly_constant(struct poly p)
{
        return p.n && p.term[0].mono == MONO_ONE ? p.term[0].coef : 0;
}

unsigned mono_mul(struct dim_table *t, uint64_t a, uint64_t b, uint64_t *ret)
{
        uint32_t atom[MAX_DEGREE];

        if (a == MONO_ONE || b == MONO_ONE) {
                *ret = a == MONO_ONE ? b : a;
                return 0;
        }
        const struct mono *x = t->mono[a], *y = t->mono[b];

        if (x->n + y->n > MAX_DEGREE)
                return DIM_FAULT_LIMIT;
        for (uint32_t i = 0, j = 0, n = 0; n < x->n + y->n; n++)
                atom[n] = j == y->n || (i < x->n && x->atom[i] <= y->atom[j]) ? x->atom[i++] : y->atom[j++];
        *ret = mono_intern(t, atom, x->n + y->n);
        return 0;
}

bool mono_div(struct dim_table *t, uint64_t a, uint64_t b, uint64_t *ret)
{
        uint32_t atom[MAX_DEGREE];
        const struct mono *x = t->mono[a], *y = t->mono[b];
        uint32_t n = 0, j = 0;

        if (y->n > x->n)
                return false;
        for (uint32_t i = 0; i < x->n; i++) {
                if (j < y->n && x->atom[i] == y->atom[j])
                        j++;
                else
                        atom[n++] = x->atom[i];
        }
        if (j != y->n)
                return false;
        *ret = mono_intern(t, atom, n);
        return true;
}

int mono_compare(const struct dim_table *t, uint64_t a, uint64_t b)
{
        const struct mono *x = t->mono[a], *y = t->mono[b];

        if (x->n != y->n)
                return x->n < y->n ? -1 : 1;
        for (uint32_t i = 0; i < x->n; i++)
                if (x->atom[i] != y->atom[i])
                        return x->atom[i] > y->atom[i] ? -1 : 1;
        return 0;
}

unsigned poly_settle(struct dim_table *t, struct term *term, size_t n, struct dim *ret)
{
        poly_sort(t, term, n);
        unsigned faults = poly_join(term, &n);

        return faults ? faults : poly_intern(t, (struct poly){term, n}, ret);
}

/* Makes room for `more` terms; like terms are added up before the room is doubled. */
static unsigned gather_room(struct dim_table *t, struct gather *g, size_t more)
{
        struct poly joined;

        if (g->room - g->n >= more)
                return 0;
        unsigned faults = gather_join(t, g, &joined);

        if (faults || joined.n + more > (size_t)MAX_PRODUCT * t->max_terms)
                return faults ? faults : DIM_FAULT_LIMIT;
        size_t room = 2 * (joined.n + more);
        struct term *grown = scratch_take(t, room, sizeof(*grown));

        if (joined.n)
                memcpy(grown, joined.term, joined.n * sizeof(*grown));
        *g = (struct gather){.term = grown, .n = joined.n, .room = room};
        return 0;
}

unsigned gather_poly(struct dim_table *t, struct gather *g, struct poly p, int64_t coef)
{
        unsigned faults = gather_room(t, g, p.n);

        for (size_t i = 0; i < p.n && !faults; i++) {
                struct term *term = &g->term[g->n++];

                term->mono = p.term[i].mono;
                if (!mul_i64(p.term[i].coef, coef, &term->coef))
                        faults = DIM_FAULT_OVERFLOW;
        }
        return faults;
}

unsigned gather_dim(struct dim_table *t, struct gather *g, struct dim d, int64_t coef)
{
        struct term room;

        return gather_poly(t, g, poly_of(t, d, &room), coef);
}

unsigned gather_join(struct dim_table *t, struct gather *g, struct poly *ret)
{
        poly_sort(t, g->term, g->n);
        unsigned faults = poly_join(g->term, &g->n);

        *ret = (struct poly){.term = g->term, .n = g->n};
        return faults;
}

unsigned poly_mul(struct dim_table *t, struct poly a, struct poly b, struct poly *ret)
{
        size_t n;

        if (!mul_size(a.n, b.n, &n) || n > (size_t)MAX_PRODUCT * t->max_terms)
                return DIM_FAULT_LIMIT;
        struct term *out = scratch_take(t, n, sizeof(*out));
        unsigned faults = 0;

        for (size_t i = 0; i < b.n && !faults; i++)
                faults = poly_scale_mono(t, a, b.term[i].coef, b.term[i].mono, out + i * a.n);
        poly_sort(t, out, faults ? 0 : n);
        if (!faults)
                faults = poly_join(out, &n);
        *ret = (struct poly){.term = out, .n = n};
        return faults;
}

unsigned expr_combine(struct dim_table *t, struct dim a, int64_t ka, struct dim b, int64_t kb, struct dim *ret)
{
        struct term room_a, room_b;
        int64_t left, right, sum;

        if (dim_is_int(a) && dim_is_int(b) && mul_i64(a.val, ka, &left) && mul_i64(b.val, kb, &right) &&
            add_i64(left, right, &sum)) {
                *ret = dim_int(sum);
                return 0;
        }
        struct poly pa = poly_of(t, a, &room_a), pb = poly_of(t, b, &room_b);
        struct scratch_mark mark = scratch_mark(t);
        struct term *out = scratch_take(t, pa.n + pb.n + 1, sizeof(*out));
        size_t n = 0;
        unsigned faults = poly_combine(pa, ka, pb, kb, out, &n);

        if (!faults)
                faults = poly_intern(t, (struct poly){out, n}, ret);
        scratch_release(t, mark);
        return faults;
}

unsigned expr_mul(struct dim_table *t, struct dim a, struct dim b, struct dim *ret)
{
        struct term room_a, room_b;
        struct poly product;

        if (dim_is_int(a))
                return expr_combine(t, b, a.val, dim_int(0), 0, ret);
        if (dim_is_int(b))
                return expr_combine(t, a, b.val, dim_int(0), 0, ret);
        struct scratch_mark mark = scratch_mark(t);
        unsigned faults = poly_mul(t, poly_of(t, a, &room_a), poly_of(t, b, &room_b), &product);

        if (!faults)
                faults = poly_intern(t, product, ret);
        scratch_release(t, mark);
        return faults;
}

unsigned expr_negate(struct dim_table *t, struct dim a, struct dim *ret)
{
        return expr_combine(t, a, -1, dim_int(0), 0, ret);
}

unsigned expr_add_int(struct dim_table *t, struct dim a, int64_t b, struct dim *ret)
{
        return expr_combine(t, a, 1, dim_int(b), 1, ret);
}
