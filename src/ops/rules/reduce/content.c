/* Known elements of ReduceSum, ReduceProd, ReduceMax and ReduceMin, which exporters apply to shapes. */
#include "ops/kit/arith.h"
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/rules/reduce.h"

typedef struct scalar (*fold_fn)(struct node *n, enum elem elem, struct scalar a, struct scalar b);

/* The distance between outputs along each of the input's axes: 0 along folded ones. False if the axes are unknown. */
static bool folded_steps(struct node *n, const struct grid *in, const struct grid *out, int64_t *steps)
{
        bool noop = attr_int_or(n, "noop_with_empty_axes", 0) != 0, keep = attr_int_or(n, "keepdims", 1) != 0;
        bool *is = arena_zalloc(n->arena, (size_t)in->rank + 1);
        const int64_t *axes = NULL;
        struct list list;
        int to = 0;

        if (list_get(n, "axes", 1, true, &list) != OX_OK || list.state == LIST_UNKNOWN)
                return false;
        if (list.state == LIST_ABSENT || list.count == 0)
                for (int d = 0; d < in->rank; d++)
                        is[d] = !noop;
        else if (!list_numbers(n, &list, &axes) || axes_normalize(n, axes, list.count, in->rank, is) != OX_OK)
                return false;
        for (int d = 0; d < in->rank; d++) {
                steps[d] = is[d] ? 0 : out->stride[to];
                to += !is[d] || keep;
        }
        return true;
}

/* Folding zero elements gives `none`. The runtime chooses the order in which more than two floats are added or
   multiplied, and rounding depends on it. */
static void reduce(struct node *n, fold_fn fold, bool any_order, struct scalar none)
{
        const struct content *from = in_content(n, 0);
        enum elem elem = in_elem(n, 0);
        struct grid in, out;
        struct content *content;
        int64_t *steps, *at;
        bool *begun;

        if (!from || !out_wanted(n, 0) || !grid_of(n, in_type(n, 0), &in) || !grid_of(n, &n->out[0].type, &out) ||
            (int64_t)from->count != in.count || (elem_is_float(elem) && !any_order && in.count > 2 * out.count))
                return;
        steps = grid_start(n, &in);
        if (!folded_steps(n, &in, &out, steps))
                return;
        content = content_new(n->arena, (size_t)out.count);
        begun = arena_zalloc(n->arena, (size_t)out.count + 1);
        for (int64_t k = 0; k < out.count; k++)
                content_set(content, k, none);
        at = grid_start(n, &in);
        for (int64_t k = 0; k < in.count; k++, grid_next(&in, at)) {
                int64_t found = 0;

                for (int d = 0; d < in.rank; d++)
                        found += at[d] * steps[d];
                content_set(content, found,
                            begun[found] ? fold(n, elem, content_at(content, found), content_at(from, k))
                                         : content_at(from, k));
                begun[found] = true;
        }
        out_content(n, 0, content);
}

static struct scalar number_of(const struct node *n, int number)
{
        return elem_is_float(in_elem(n, 0)) ? scalar_float(number) : scalar_int(dim_int(number));
}

/* -- ReduceSum (1, 11, 13), ReduceProd (1, 11, 13, 18), ReduceMax and ReduceMin (1, 11, 12, 13, 18, 20). Versions
   differ only in the source of the axes, which the rule reads -- */

void content_ReduceSum(struct node *n)
{
        reduce(n, scalar_add, false, number_of(n, 0));
}

void content_ReduceProd(struct node *n)
{
        reduce(n, scalar_mul, false, number_of(n, 1));
}

void content_ReduceMax(struct node *n)
{
        reduce(n, scalar_max, true, scalar_unknown());
}

void content_ReduceMin(struct node *n)
{
        reduce(n, scalar_min, true, scalar_unknown());
}
