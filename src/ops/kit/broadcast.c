/* Numpy's broadcasting (Broadcasting.md), and the limited one of operator sets before 7. */
#include "ops/kit/broadcast.h"

#include <string.h>

#include "base/bounds.h"
#include "ops/kit/elements.h"
#include "ops/kit/sizes.h"
#include "ops/node/attr.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

static int greater_rank(int a, int b)
{
        return a > b ? a : b;
}

/* The error for sizes that do not broadcast. If `a` is the broadcast of several inputs, the message names one of them
   that has the size on the same axis, counted from the last. */
static enum ox_code broadcast_fault(struct node *n, const struct broadcast_side *a, const struct broadcast_side *b,
                                    int i, int j)
{
        struct place origin = {a->input, i};

        for (int k = 0; a->input < 0 && k < b->input; k++) {
                int axis = i - a->rank + in_rank(n, k);

                if (axis >= 0 && dim_same(in_dim(n, k, axis), a->dim[i]))
                        origin = (struct place){k, axis};
        }
        if (origin.input < 0)
                origin = PLACE_ANY;
        return sizes_differ(n, a->dim[i], origin, b->dim[j], (struct place){b->input, j},
                            "sizes broadcast when they are equal or one of them is 1");
}

/* Whether the broadcast of two shapes of known rank is the first one: the other's sizes are the same, or 1. */
static bool takes_in(const struct broadcast_side *a, const struct broadcast_side *b)
{
        const int lead = a->rank - b->rank;

        if (lead < 0)
                return false;
        for (int d = 0; d < b->rank; d++)
                if (!dim_same(a->dim[lead + d], b->dim[d]) && !dim_is(b->dim[d], 1)) /* NOLINT: no scalar has sizes */
                        return false;
        return true;
}

static enum ox_code broadcast_sizes(struct node *n, const struct broadcast_side *left,
                                    const struct broadcast_side *right, int *ret_rank, const struct dim **ret_dims)
{
        int a_rank = left->rank, b_rank = right->rank;
        const struct dim *a = left->dim, *b = right->dim;
        int rank = greater_rank(a_rank, b_rank);
        bool is_a = rank == a_rank, is_b = rank == b_rank;
        struct dim few[FEW_DIMS], *dims = few;

        if (rank > FEW_DIMS)
                dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++) {
                int i = d - (rank - a_rank), j = d - (rank - b_rank);

                if (i < 0 || j < 0)
                        dims[d] = i < 0 ? b[j] : a[i];                            /* NOLINT: no scalar has sizes */
                else if (!sizes_broadcast(n, a[i], b[j], right->input, &dims[d])) /* NOLINT: no scalar has sizes */
                        return broadcast_fault(n, left, right, i, j);
                is_a = is_a && dim_same(dims[d], a[i]);
                is_b = is_b && dim_same(dims[d], b[j]);
        }
        if (dims == few && !is_a && !is_b) {
                dims = arena_new_array(n->arena, struct dim, (size_t)rank);
                memcpy(dims, few, (size_t)rank * sizeof(*dims));
        }
        *ret_rank = rank;
        *ret_dims = is_a ? a : is_b ? b : dims;
        return OX_OK;
}

enum ox_code broadcast_shapes(struct node *n, const struct broadcast_side *left, const struct broadcast_side *right,
                              int *ret_rank, const struct dim **ret_dims)
{
        *ret_rank = RANK_UNKNOWN;
        *ret_dims = NULL;
        if (left->rank == RANK_UNKNOWN || right->rank == RANK_UNKNOWN)
                return OX_OK;
        const bool is_left = (left->dim == right->dim && left->rank == right->rank) || takes_in(left, right);

        if (!is_left && !takes_in(right, left))
                return broadcast_sizes(n, left, right, ret_rank, ret_dims);
        *ret_rank = is_left ? left->rank : right->rank;
        *ret_dims = is_left ? left->dim : right->dim;
        return OX_OK;
}

enum ox_code broadcast_inputs(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims)
{
        const struct dim *dims;
        int rank;

        *ret_rank = RANK_UNKNOWN;
        *ret_dims = NULL;
        for (int i = first; i < first + count; i++) {
                TRY(in_expect_tensor(n, i));
                if (!in_has_rank(n, i))
                        return OX_OK;
        }
        rank = count > 0 ? in_rank(n, first) : 0;
        dims = count > 0 ? in_shape(n, first) : NULL;
        for (int i = first + 1; i < first + count; i++)
                TRY(broadcast_shapes(n, &(struct broadcast_side){rank, dims, -1},
                                     &(struct broadcast_side){in_rank(n, i), in_shape(n, i), i}, &rank, &dims));
        *ret_rank = rank;
        *ret_dims = dims;
        return OX_OK;
}

enum ox_code broadcast_into(struct node *n, int rank, struct dim *dims, int input)
{
        int b_rank = in_rank(n, input), lead = rank - b_rank;

        TRY(in_expect_tensor(n, input));
        if (b_rank == RANK_UNKNOWN)
                return OX_OK;
        if (lead < 0)
                return in_expect_rank_most(n, input, rank);
        for (int d = 0; d < b_rank; d++) {
                struct dim size = in_dim(n, input, d);

                if (dim_is_int(size) && size.val != 1)
                        TRY(in_agree(n, &dims[lead + d], input, d));
        }
        return OX_OK;
}

enum ox_code same_shapes(struct node *n, int first, int count, int *ret_rank, const struct dim **ret_dims)
{
        int rank = RANK_UNKNOWN, origin = first;
        struct dim *dims = NULL;

        for (int i = first; i < first + count; i++) {
                TRY(in_expect_tensor(n, i));
                if (!in_has_rank(n, i))
                        continue;
                if (rank == RANK_UNKNOWN) {
                        rank = in_rank(n, i);
                        dims = in_dims(n, i);
                        origin = i;
                        continue;
                }
                TRY(in_expect_rank(n, i, rank));
                for (int d = 0; d < rank; d++)
                        TRY(in_agree_with(n, &dims[d], i, d, (struct place){origin, d}));
        }
        *ret_rank = rank;
        *ret_dims = dims;
        return OX_OK;
}

static bool has_one_element(struct node *n, int i)
{
        struct dim count;

        return type_elements(n->dims, in_type(n, i), &count) && dim_is(count, 1);
}

static bool may_have_one_element(struct node *n, int i)
{
        struct dim count;

        return !type_elements(n->dims, in_type(n, i), &count) || !dim_proves_unequal(n->dims, count, dim_int(1));
}

/* Whether the second shape equals the first one's sizes from `axis` on. Sizes of 1 pass, although the text says that
   they are not expanded. */
static enum ox_code legacy_run(struct node *n, int rank, struct dim *dims, int64_t axis)
{
        int b_rank = in_rank(n, 1);

        if (axis < 0)
                axis += rank;
        if (axis < 0 || axis > rank - b_rank) {
                if (may_have_one_element(n, 1)) /* which goes with any shape, whatever the axis */
                        return OX_OK;
                return node_error_at(n, REASON_AXIS_OUT_OF_RANGE, 1, -1,
                                     b_rank > rank ? NULL : arena_printf(n->arena, "[0, %d]", rank - b_rank),
                                     node_number(n, axis),
                                     "%s x %s: at axis %lld of the first shape the second one does not fit",
                                     node_input_text(n, 0), node_input_text(n, 1), (long long)axis);
        }
        for (int d = 0; d < b_rank; d++) {
                struct dim size = in_dim(n, 1, d);

                if (dim_is_int(size) && size.val != 1)
                        TRY(dim_agree(n, &dims[axis + d], size, 1));
        }
        return OX_OK;
}

/* Whether two shapes are certain to differ. */
static bool shapes_differ(struct node *n, int i, int j)
{
        if (!in_has_rank(n, i) || !in_has_rank(n, j))
                return false;
        if (in_rank(n, i) != in_rank(n, j))
                return true;
        for (int d = 0; d < in_rank(n, i); d++)
                if (dim_proves_unequal(n->dims, in_dim(n, i, d), in_dim(n, j, d)))
                        return true;
        return false;
}

enum ox_code broadcast_legacy(struct node *n, int *ret_rank, const struct dim **ret_dims)
{
        int rank = in_rank(n, 0), b_rank = in_rank(n, 1);
        bool broadcast = attr_int_or(n, "broadcast", 0) != 0;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        struct dim *dims = rank == RANK_UNKNOWN ? NULL : in_dims(n, 0);

        *ret_rank = rank;
        *ret_dims = dims;
        if (rank == RANK_UNKNOWN || b_rank == RANK_UNKNOWN)
                return OX_OK;
        if (!broadcast && shapes_differ(n, 0, 1)) {
                node_warn(n, REASON_DIM_MISMATCH, 1, "%s x %s: the shapes must be equal while broadcast is 0",
                          node_input_text(n, 0), node_input_text(n, 1));
                return OX_OK;
        }
        if (b_rank > rank)
                return in_expect_rank_most(n, 1, rank);
        if (has_one_element(n, 1))
                return OX_OK;
        return legacy_run(n, rank, dims, broadcast ? attr_int_or(n, "axis", rank - b_rank) : 0);
}

/* -- contents -- */

/* Maps the output's positions to an input's elements. `of` is NULL if nothing is known about them. */
struct operand {
        const struct content *of;
        int64_t *step; /* step in the input for each axis of the output; 0 if broadcast */
};

/* Aligns an input at its last axis, or at `axis`, the attribute of operator sets before 7. */
static bool operand_of(struct node *n, int i, const struct grid *out, struct operand *ret)
{
        struct grid in;
        int64_t axis;
        int lead;

        *ret = (struct operand){.of = in_content(n, i)};
        if (!ret->of)
                return true;
        if (!grid_of(n, in_type(n, i), &in) || in.rank > out->rank || (int64_t)ret->of->count != in.count)
                return false;
        lead = out->rank - in.rank;
        if (i == 1 && attr_int(n, "axis", &axis) && in.count != 1)
                lead = (int)(axis < 0 ? axis + out->rank : axis);
        if (lead < 0 || lead > out->rank - in.rank)
                return false;
        ret->step = grid_start(n, out);
        for (int d = 0; d < in.rank; d++) {
                if (in.dim[d] != 1 && in.dim[d] != out->dim[lead + d])
                        return false;
                ret->step[lead + d] = in.dim[d] == 1 ? 0 : in.stride[d];
        }
        return true;
}

static struct scalar operand_at(const struct operand *operand, const int64_t *at, int rank)
{
        int64_t found = 0;

        if (!operand->of)
                return scalar_unknown();
        for (int d = 0; d < rank; d++)
                found += at[d] * operand->step[d];
        return content_at(operand->of, (size_t)found);
}

void content_broadcast_partial(struct node *n, scalar_fn f)
{
        struct operand *operands = arena_new_array(n->arena, struct operand, (size_t)n->n_in);
        struct scalar *args = arena_new_array(n->arena, struct scalar, (size_t)n->n_in);
        struct content *content;
        struct grid out;
        int64_t *at;

        if (!out_wanted(n, 0) || !grid_of(n, &n->out[0].type, &out) || out.count * n->n_in > MAX_READS)
                return;
        for (int i = 0; i < n->n_in; i++)
                if (!operand_of(n, i, &out, &operands[i]))
                        return;
        content = content_new(n->arena, (size_t)out.count);
        at = grid_start(n, &out);
        for (int64_t k = 0; k < out.count; k++, grid_next(&out, at)) {
                for (int i = 0; i < n->n_in; i++)
                        args[i] = operand_at(&operands[i], at, out.rank);
                content_set(content, (size_t)k, f(n, args, n->n_in));
        }
        out_content(n, 0, content);
}

void content_broadcast(struct node *n, scalar_fn f)
{
        for (int i = 0; i < n->n_in; i++)
                if (!in_has_content(n, i))
                        return;
        content_broadcast_partial(n, f);
}
