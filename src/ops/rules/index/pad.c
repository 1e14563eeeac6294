/* Pad and CenterCropPad: axes that grow or shrink at both ends. */
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/index.h"

#include "base/checked.h"

/* -- Pad 1-25: `paddings` (1) and `pads` (2) are attributes, from 11 on inputs; from 18 on possibly for some axes only.
   Pad 1 of com.microsoft is Pad-13, whose pads may also have the shape [1, 2 * rank] -- */

/* The number of elements added before and after each axis; SCALAR_UNKNOWN if unknown. */
struct pads {
        int rank;
        struct scalar *begin, *end;
};

/* The version of ai.onnx to which the node's operator corresponds. */
static int pad_version(const struct node *n)
{
        return n->row->domain[0] == '\0' ? n->row->since : 13;
}

static enum ox_code pads_list(struct node *n, struct list *ret)
{
        struct dim one = dim_int(1), count;
        const struct content *content = in_content(n, 1);

        if (n->row->domain[0] == '\0' || in_rank(n, 1) != 2)
                return list_get(n, n->row->since == 1 ? "paddings" : "pads", 1, false, ret);
        TRY(in_agree(n, &one, 1, 0));
        count = in_dim(n, 1, 1);
        *ret = (struct list){.state = LIST_UNKNOWN};
        if (content && dim_is_int(count) && content->count == (size_t)count.val)
                *ret = list_of(content);
        return OX_OK;
}

/* The axes to which the pads belong; all axes if none are given. *ret_known is false if they are unknown. */
static enum ox_code pads_axes(struct node *n, int rank, const int64_t **ret, size_t *ret_count, bool *ret_known)
{
        struct list axes = {.state = LIST_ABSENT};
        int64_t *all;
        bool *seen;

        if (pad_version(n) >= 18)
                TRY(list_get(n, NULL, 3, false, &axes));
        *ret_known = true;
        if (axes.state == LIST_ABSENT) {
                all = arena_new_array(n->arena, int64_t, (size_t)rank);
                for (int d = 0; d < rank; d++)
                        all[d] = d;
                *ret = all;
                *ret_count = (size_t)rank;
                return OX_OK;
        }
        *ret_count = axes.count;
        *ret_known = list_numbers(n, &axes, ret);
        if (!*ret_known)
                return OX_OK;
        seen = arena_zalloc(n->arena, (size_t)(rank + 1) * sizeof(*seen));
        return axes_normalize(n, *ret, axes.count, rank, seen);
}

/* Checks that there are two pads for each axis, even if the rank is unknown. */
static enum ox_code pads_check(struct node *n, const struct list *pads)
{
        struct list axes = {.state = LIST_ABSENT};
        const int64_t *numbers;

        if (pad_version(n) >= 18)
                TRY(list_get(n, NULL, 3, false, &axes));
        if (axes.state == LIST_KNOWN && list_numbers(n, &axes, &numbers))
                TRY(axes_distinct(n, numbers, axes.count, 3));
        if (pads->state == LIST_KNOWN &&
            (pads->count % 2 != 0 || (axes.state == LIST_KNOWN && pads->count != 2 * axes.count)))
                return node_error(n, REASON_LENGTH_MISMATCH, 1, "pads must have two elements for each axis, got %zu",
                                  pads->count);
        return OX_OK;
}

static enum ox_code pads_parse(struct node *n, struct pads *ret)
{
        const int64_t *axes;
        struct list list;
        size_t count;
        bool known;

        ret->rank = in_rank(n, 0);
        ret->begin = arena_new_array(n->arena, struct scalar, (size_t)ret->rank);
        ret->end = arena_new_array(n->arena, struct scalar, (size_t)ret->rank);
        TRY(pads_list(n, &list));
        TRY(pads_check(n, &list));
        TRY(pads_axes(n, ret->rank, &axes, &count, &known));
        for (int d = 0; d < ret->rank; d++)
                ret->begin[d] = ret->end[d] = known ? scalar_int(dim_int(0)) : scalar_unknown();
        if (!known)
                return OX_OK;
        if (list.state == LIST_KNOWN && list.count != 2 * count)
                return node_error_at(n, REASON_LENGTH_MISMATCH, 1, 0, node_number(n, (int64_t)(2 * count)),
                                     node_number(n, (int64_t)list.count),
                                     "pads must have %zu elements, two for each axis, got %zu", 2 * count, list.count);
        for (size_t k = 0; k < count; k++) {
                int64_t d = axes[k] < 0 ? axes[k] + ret->rank : axes[k];

                ret->begin[d] = list.state == LIST_KNOWN ? list_at(&list, k) : scalar_unknown();
                ret->end[d] = list.state == LIST_KNOWN ? list_at(&list, count + k) : scalar_unknown();
        }
        return OX_OK;
}

/* Every mode gives the same shape; negative pads remove elements. */
enum ox_code infer_Pad(struct node *n)
{
        struct pads pads;
        struct list list;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 2));
        if (!in_has_rank(n, 0)) {
                TRY(pads_list(n, &list));
                TRY(pads_check(n, &list));
                if (list.state == LIST_KNOWN && !in_given(n, 3) && rank_allowed(n, list.count / 2, 1))
                        return out_rank(n, 0, in_elem(n, 0), (int)(list.count / 2));
                return out_elem(n, 0, in_elem(n, 0));
        }
        TRY(pads_parse(n, &pads));
        dims = in_dims(n, 0);
        for (int d = 0; d < pads.rank; d++) {
                if (pads.begin[d].kind != SCALAR_INT || pads.end[d].kind != SCALAR_INT)
                        dims[d] = out_fresh(n, 0, d);
                else
                        dims[d] = dim_add(n->dims, dims[d], dim_add(n->dims, pads.begin[d].d, pads.end[d].d));
        }
        return out_tensor(n, 0, in_elem(n, 0), pads.rank, dims);
}

enum pad_mode { PAD_CONSTANT, PAD_EDGE, PAD_REFLECT, PAD_WRAP, PAD_OTHER };

static enum pad_mode pad_mode(const struct node *n)
{
        return attr_is(n, "mode", "constant")                       ? PAD_CONSTANT
               : attr_is(n, "mode", "edge")                         ? PAD_EDGE
               : attr_is(n, "mode", "reflect")                      ? PAD_REFLECT
               : pad_version(n) >= 19 && attr_is(n, "mode", "wrap") ? PAD_WRAP
                                                                    : PAD_OTHER;
}

/* The source of position `at` of an axis of `size` elements: the position itself if it is inside, else by `mode`. */
static int64_t pad_source(enum pad_mode mode, int64_t at, int64_t size)
{
        int64_t period;

        if (at >= 0 && at < size)
                return at;
        if (size == 0 || mode == PAD_CONSTANT)
                return ELEMENT_FILL;
        if (mode == PAD_EDGE)
                return at < 0 ? 0 : size - 1;
        period = mode == PAD_WRAP ? size : 2 * (size - 1);
        if (period == 0)
                return 0;
        at %= period;
        if (at < 0)
                at += period;
        return at < size ? at : period - at;
}

/* The fill value: an attribute up to version 2, which has only floats, else an input whose default is 0. */
static struct scalar pad_fill(const struct node *n)
{
        double value;

        if (pad_version(n) < 11)
                return attr_float(n, "value", &value) ? scalar_float(value) : scalar_unknown();
        if (in_given(n, 2))
                return in_content(n, 2) && in_content(n, 2)->count == 1 ? content_at(in_content(n, 2), 0)
                                                                        : scalar_unknown();
        if (elem_is_integer(in_elem(n, 0)) || in_elem(n, 0) == ELEM_BOOL)
                return scalar_int(dim_int(0));
        return elem_is_float(in_elem(n, 0)) ? scalar_float(0) : scalar_unknown();
}

/* Whether `mode` determines the added elements of axis `d`. With a negative pad on the axis, the text leaves open
   whether reflecting and wrapping start from the elements before or after the removal. */
static bool pad_defined(enum pad_mode mode, const struct pads *pads, int d)
{
        int64_t begin, end;

        if (mode == PAD_CONSTANT || mode == PAD_EDGE)
                return true;
        return mode != PAD_OTHER && scalar_is_number(pads->begin[d], &begin) && scalar_is_number(pads->end[d], &end) &&
               begin >= 0 && end >= 0;
}

void content_Pad(struct node *n)
{
        struct pads pads;
        struct element_map map;
        struct grid in;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) || !element_map_new(n, 0, &map) ||
            pads_parse(n, &pads) != OX_OK)
                return;
        enum pad_mode mode = pad_mode(n);

        for (int d = 0; d < in.rank; d++) {
                int64_t begin;

                if (!scalar_is_number(pads.begin[d], &begin) || !pad_defined(mode, &pads, d))
                        return;
                for (int64_t k = 0; k < map.out.dim[d]; k++) {
                        int64_t at;

                        if (!sub_i64(k, begin, &at))
                                return;
                        at = pad_source(mode, at, in.dim[d]);
                        map.offset[d][k] = at == ELEMENT_FILL ? ELEMENT_FILL : at * in.stride[d];
                }
        }
        element_map_apply(n, 0, &map, in_content(n, 0), pad_fill(n));
}

/* -- CenterCropPad 18: the sizes of the given axes (all axes if none are given) are an input, the others do not change
   -- */

enum ox_code infer_CenterCropPad(struct node *n)
{
        const int64_t *axes = NULL;
        struct list sizes;
        struct dim *dims;
        size_t count;
        bool named = attr_ints(n, "axes", &axes, &count), *seen;
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, NULL, 1, false, &sizes));
        TRY(list_of_sizes(n, &sizes, 1));
        if (!in_has_rank(n, 0)) {
                if (named)
                        TRY(axes_distinct(n, axes, count, -1));
                if (named && sizes.state == LIST_KNOWN && sizes.count != count)
                        return node_error_at(n, REASON_LENGTH_MISMATCH, 1, 0, node_number(n, (int64_t)count),
                                             node_number(n, (int64_t)sizes.count),
                                             "shape must have %zu elements, one for each axis, got %zu", count,
                                             sizes.count);
                if (named || sizes.state != LIST_KNOWN || !rank_allowed(n, sizes.count, 1))
                        return out_elem(n, 0, in_elem(n, 0));
                return out_rank(n, 0, in_elem(n, 0), (int)sizes.count);
        }
        if (!named)
                count = (size_t)rank;
        seen = arena_zalloc(n->arena, (size_t)(rank + 1) * sizeof(*seen));
        if (named)
                TRY(axes_normalize(n, axes, count, rank, seen));
        if (sizes.state == LIST_KNOWN && sizes.count != count)
                return node_error_at(n, REASON_LENGTH_MISMATCH, 1, 0, node_number(n, (int64_t)count),
                                     node_number(n, (int64_t)sizes.count),
                                     "shape must have %zu elements, one for each axis, got %zu", count, sizes.count);
        dims = in_dims(n, 0);
        for (size_t k = 0; k < count; k++) {
                int64_t d = !named ? (int64_t)k : axes[k] < 0 ? axes[k] + rank : axes[k];

                if (sizes.state != LIST_KNOWN || !element_size(n, list_at(&sizes, k), &dims[d]))
                        dims[d] = out_fresh(n, 0, (int)d);
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}
