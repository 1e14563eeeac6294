/* Known elements of operators that work along one axis: ArgMax, ArgMin, CumSum, TopK. */
#include <math.h>

#include "base/bounds.h"
#include "ops/kit/arith.h"
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/rules/reduce.h"

/* The elements along one axis, lane by lane: lane `first`, first + step ... of the tensor's elements. */
struct lanes {
        const struct content *of;
        size_t count;
        int64_t first, step, length;
        struct grid grid;
        int axis;
        int64_t *place;
        size_t next;
};

static bool lanes_begin(struct node *n, int axis, struct lanes *ret)
{
        const struct content *content = in_content(n, 0);

        *ret = (struct lanes){.axis = axis};
        if (!content || !grid_of(n, in_type(n, 0), &ret->grid) || content->count != (size_t)ret->grid.count ||
            content->count == 0)
                return false;
        ret->of = content;
        ret->count = content->count;
        ret->length = ret->grid.dim[axis];
        ret->step = ret->grid.stride[axis];
        ret->place = grid_start(n, &ret->grid);
        return true;
}

/* Lanes come in the order of the other axes. */
static bool lanes_next(struct lanes *l)
{
        for (; l->next < l->count; l->next++, grid_next(&l->grid, l->place)) {
                if (l->place[l->axis] != 0)
                        continue;
                l->first = (int64_t)l->next++;
                grid_next(&l->grid, l->place);
                return true;
        }
        return false;
}

static struct scalar lane_at(const struct lanes *l, int64_t i)
{
        return content_at(l->of, (size_t)(l->first + i * l->step));
}

/* Whether a comes before b if the greatest (or the least) comes first: 1, 0, or -1 if it is not certain. */
static int precedes(struct node *n, struct scalar a, struct scalar b, bool greatest)
{
        if ((a.kind == SCALAR_FLOAT && isnan(a.f)) || (b.kind == SCALAR_FLOAT && isnan(b.f)))
                return -1;
        return greatest ? scalar_less(n, b, a) : scalar_less(n, a, b);
}

/* -- ArgMax, ArgMin (1, 11, 12, 13). Since version 12 the text says which of several equal elements is taken -- */

static struct scalar arg_of_lane(struct node *n, const struct lanes *l, bool greatest)
{
        bool last = attr_int_or(n, "select_last_index", 0) != 0, tied = false;
        int64_t best = 0;

        if (precedes(n, lane_at(l, 0), lane_at(l, 0), greatest) < 0)
                return scalar_unknown();
        for (int64_t i = 1; i < l->length; i++) {
                int better = precedes(n, lane_at(l, i), lane_at(l, best), greatest);
                int worse = precedes(n, lane_at(l, best), lane_at(l, i), greatest);

                if (better < 0 || worse < 0)
                        return scalar_unknown();
                tied = !better && (tied || !worse);
                if (better || (!worse && last))
                        best = i;
        }
        return tied && n->row->since < 12 ? scalar_unknown() : scalar_int(dim_int(best));
}

static void arg_contents(struct node *n, bool greatest)
{
        int rank = in_rank(n, 0), axis;
        struct lanes lanes;
        size_t count = 0;

        if (rank <= 0 || attr_axis(n, "axis", 0, rank, &axis) != OX_OK || !lanes_begin(n, axis, &lanes))
                return;
        struct content *content = content_new(n->arena, lanes.count / (size_t)lanes.length);

        while (lanes_next(&lanes))
                content_set(content, count++, arg_of_lane(n, &lanes, greatest));
        out_content(n, 0, content);
}

void content_ArgMax(struct node *n)
{
        arg_contents(n, true);
}

void content_ArgMin(struct node *n)
{
        arg_contents(n, false);
}

/* -- CumSum (11, 14). The runtime chooses the order in which floats are added, and rounding depends on it -- */

void content_CumSum(struct node *n)
{
        bool exclusive = attr_int_or(n, "exclusive", 0) != 0, reverse = attr_int_or(n, "reverse", 0) != 0;
        enum elem elem = in_elem(n, 0);
        int rank = in_rank(n, 0), axis;
        struct lanes lanes;
        int64_t number;

        if (rank <= 0 || elem_is_float(elem) || !in_int(n, 1, &number) ||
            axis_normalize(n, number, rank, &axis) != OX_OK || !lanes_begin(n, axis, &lanes))
                return;
        struct content *content = content_new(n->arena, lanes.count);

        while (lanes_next(&lanes)) {
                struct scalar sum = scalar_int(dim_int(0));

                for (int64_t i = 0; i < lanes.length; i++) {
                        int64_t place = reverse ? lanes.length - 1 - i : i;
                        struct scalar with = scalar_add(n, elem, sum, lane_at(&lanes, place));

                        content_set(content, lanes.first + place * lanes.step, exclusive ? sum : with);
                        sum = with;
                }
        }
        out_content(n, 0, content);
}

/* -- TopK (1, 10, 11, 24): of equal elements the one with the lower index comes first. Without `sorted` the runtime
   chooses the order -- */

/* The indices of a lane's elements in order; false if a part of the order is not certain. */
static bool lane_order(struct node *n, const struct lanes *l, bool greatest, int64_t *order)
{
        for (int64_t i = 0; i < l->length; i++) {
                int64_t to = i;

                for (; to > 0; to--) {
                        int before = precedes(n, lane_at(l, i), lane_at(l, order[to - 1]), greatest);

                        if (before < 0)
                                return false;
                        if (!before)
                                break;
                        order[to] = order[to - 1];
                }
                order[to] = i;
        }
        return true;
}

void content_TopK(struct node *n)
{
        bool greatest = attr_int_or(n, "largest", 1) != 0;
        int rank = in_rank(n, 0), o = out_wanted(n, 0) ? 0 : 1, axis;
        struct grid out;
        struct lanes lanes;

        if (!out_wanted(n, o) || rank <= 0 || n->out[o].type.rank != rank ||
            attr_axis(n, "axis", -1, rank, &axis) != OX_OK || attr_int_or(n, "sorted", 1) == 0 ||
            !lanes_begin(n, axis, &lanes) || lanes.length > MAX_SORTED)
                return;
        struct type type = *in_type(n, 0);
        struct dim *dims = in_dims(n, 0);

        dims[axis] = n->out[o].type.dim[axis];
        type.dim = dims;
        if (!grid_of(n, &type, &out) || out.dim[axis] > lanes.length)
                return;
        struct content *of_values = content_new(n->arena, (size_t)out.count);
        struct content *of_indices = content_new(n->arena, (size_t)out.count);
        int64_t *order = arena_new_array(n->arena, int64_t, (size_t)lanes.length);

        while (lanes_next(&lanes)) {
                int64_t block = lanes.step * lanes.length;
                int64_t first = lanes.first / block * (out.stride[axis] * out.dim[axis]) + lanes.first % block;
                bool known = lane_order(n, &lanes, greatest, order);

                for (int64_t i = 0; i < out.dim[axis]; i++) {
                        content_set(of_values, first + i * out.stride[axis],
                                    known ? lane_at(&lanes, order[i]) : scalar_unknown());
                        content_set(of_indices, first + i * out.stride[axis],
                                    known ? scalar_int(dim_int(order[i])) : scalar_unknown());
                }
        }
        out_content(n, 0, of_values);
        out_content(n, 1, of_indices);
}
