/* Operators that keep the order of elements or move whole axes: Identity, Shape, Size, Flatten, Transpose, Unsqueeze,
   Squeeze, DepthToSpace, SpaceToDepth. */
#include "ops/rules/layout.h"
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"

/* -- Identity 1-25: the output is the input, whatever its kind (sequences from 14, optionals from 16) -- */

enum ox_code infer_Identity(struct node *n)
{
        TRY(out_copy(n, 0, 0));
        if (in_given(n, 0) && out_wanted(n, 0))
                n->out[0].members = n->in[0]->members;
        return OX_OK;
}

/* The elements of the input, in order: the contents of Identity and of operators that only change the shape. */
void content_same_elements(struct node *n)
{
        if (in_has_content(n, 0))
                out_content(n, 0, n->in[0]->content);
}

/* -- Shape 1-25, Size 1-25 -- */

static int64_t clamp_axis(int64_t axis, int rank)
{
        if (axis < 0)
                axis += rank;
        return axis < 0 ? 0 : axis > rank ? rank : axis;
}

/* Shape-15 added `start` and `end`: axes that count from the back when negative and are clamped to [0, rank]. Earlier
   versions have neither attribute, and give all axes. */
static void shape_axes(const struct node *n, int *ret_start, int *ret_end)
{
        int rank = in_rank(n, 0);

        *ret_start = (int)clamp_axis(attr_int_or(n, "start", 0), rank);
        *ret_end = (int)clamp_axis(attr_int_or(n, "end", rank), rank);
}

enum ox_code infer_Shape(struct node *n)
{
        struct dim *length = arena_new_array(n->arena, struct dim, 1);
        int start, end;

        TRY(in_expect_tensor(n, 0));
        if (in_has_rank(n, 0)) {
                shape_axes(n, &start, &end);
                *length = dim_int(end > start ? end - start : 0);
        } else {
                *length = out_fresh(n, 0, 0);
        }
        return out_tensor(n, 0, ELEM_INT64, 1, length);
}

void content_Shape(struct node *n)
{
        int start, end;

        if (!in_has_rank(n, 0))
                return;
        shape_axes(n, &start, &end);
        if (end > start)
                out_content(n, 0, content_of_sizes(n->arena, &in_shape(n, 0)[start], (size_t)(end - start)));
        else
                out_content(n, 0, content_new(n->arena, 0));
}

enum ox_code infer_Size(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_tensor(n, 0, ELEM_INT64, 0, NULL);
}

void content_Size(struct node *n)
{
        struct content *content;
        struct dim elements;

        if (!type_elements(n->dims, in_type(n, 0), &elements))
                return;
        content = content_new(n->arena, 1);
        content_set(content, 0, scalar_int(elements));
        out_content(n, 0, content);
}

/* -- Flatten 1-25 -- */

/* The outer size is the product of the axes before `axis`, the inner one that of the rest. The axis may be the rank
   itself, and counts from the back when negative from Flatten-11 on. */
enum ox_code infer_Flatten(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);
        int64_t axis = attr_int_or(n, "axis", 1);
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        if (axis < 0 && n->row->since < 11)
                return node_error_at(n, REASON_AXIS_OUT_OF_RANGE, 0, -1, "0 or more", node_number(n, axis),
                                     "axis must be 0 or more before version 11, got %lld", (long long)axis);
        if (!in_has_rank(n, 0)) {
                dims[0] = axis == 0 ? dim_int(1) : out_fresh(n, 0, 0);
                dims[1] = out_fresh(n, 0, 1);
                return out_tensor(n, 0, in_elem(n, 0), 2, dims);
        }
        if (axis > rank || axis < -rank)
                return node_error_at(n, REASON_AXIS_OUT_OF_RANGE, 0, -1,
                                     arena_printf(n->arena, "[-%d, %d]", rank, rank), node_number(n, axis),
                                     "axis must be in [-%d, %d], got %lld", rank, rank, (long long)axis);
        if (axis < 0)
                axis += rank;
        dims[0] = dims_product(n, in_dims(n, 0), 0, (int)axis);
        dims[1] = dims_product(n, in_dims(n, 0), (int)axis, rank);
        return out_tensor(n, 0, in_elem(n, 0), 2, dims);
}

/* -- Transpose 1-25 -- */

/* The source axis of each output axis: `perm`, or all axes reversed. An error if it is not a permutation. */
static enum ox_code transpose_perm(struct node *n, int rank, const int64_t **ret)
{
        const int64_t *perm;
        int64_t *reversed;
        size_t count;
        bool *seen;

        if (!attr_ints(n, "perm", &perm, &count)) {
                reversed = arena_new_array(n->arena, int64_t, (size_t)rank);
                for (int d = 0; d < rank; d++)
                        reversed[d] = rank - 1 - d;
                *ret = reversed;
                return OX_OK;
        }
        if (count != (size_t)rank)
                return node_error_at(n, REASON_RANK_MISMATCH, 0, -1, node_number(n, rank),
                                     node_number(n, (int64_t)count),
                                     "%s: perm must have %d elements, one for each axis, got %zu",
                                     node_input_text(n, 0), rank, count);
        seen = arena_zalloc(n->arena, count * sizeof(*seen));
        for (size_t k = 0; k < count; k++) {
                if (perm[k] < 0 || perm[k] >= rank)
                        return node_error_at(n, REASON_AXIS_OUT_OF_RANGE, 0, -1,
                                             arena_printf(n->arena, "[0, %d]", rank - 1), node_number(n, perm[k]),
                                             "%s: perm[%zu] must be in [0, %d], got %lld", node_input_text(n, 0), k,
                                             rank - 1, (long long)perm[k]);
                if (seen[perm[k]])
                        return node_error(n, REASON_DUPLICATE_AXIS, 0, "perm has axis %lld twice", (long long)perm[k]);
                seen[perm[k]] = true;
        }
        *ret = perm;
        return OX_OK;
}

enum ox_code infer_Transpose(struct node *n)
{
        const int64_t *perm;
        struct dim *dims;
        size_t count;
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        if (!in_has_rank(n, 0)) {
                if (!attr_ints(n, "perm", &perm, &count) || !rank_allowed(n, count, -1))
                        return out_elem(n, 0, in_elem(n, 0));
                TRY(transpose_perm(n, (int)count, &perm));
                return out_rank(n, 0, in_elem(n, 0), (int)count);
        }
        TRY(transpose_perm(n, rank, &perm));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, 0, (int)perm[d]);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

void content_Transpose(struct node *n)
{
        const int64_t *perm;
        struct element_map map;
        struct grid in;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) || !element_map_new(n, 0, &map) ||
            transpose_perm(n, in.rank, &perm) != OX_OK)
                return;
        for (int d = 0; d < in.rank; d++)
                for (int64_t k = 0; k < map.out.dim[d]; k++)
                        map.offset[d][k] = k * in.stride[perm[d]];
        element_map_apply(n, 0, &map, in_content(n, 0), scalar_unknown());
}

/* -- Unsqueeze 1-25, Squeeze 1-25: `axes` is an attribute before version 13, an input since then -- */

/* One flag for each axis of `rank`. Before version 11 an axis is not negative. */
static enum ox_code squeeze_axes(struct node *n, const struct list *axes, const int64_t *numbers, int rank, bool *flags)
{
        for (size_t k = 0; n->row->since < 11 && k < axes->count; k++)
                if (numbers[k] < 0)
                        return node_error_at(
                                n, REASON_AXIS_OUT_OF_RANGE, -1, -1, "0 or more", node_number(n, numbers[k]),
                                "axes must be 0 or more before version 11, got %lld", (long long)numbers[k]);
        return axes_normalize(n, numbers, axes->count, rank, flags);
}

static enum ox_code squeeze_distinct(struct node *n, const struct list *axes)
{
        const int64_t *numbers;

        if (axes->state != LIST_KNOWN || axes->count < 2 || !list_numbers(n, axes, &numbers))
                return OX_OK;
        return axes_distinct(n, numbers, axes->count, in_given(n, 1) ? 1 : -1);
}

/* One new axis, as most nodes have. */
static enum ox_code unsqueeze_one(struct node *n, int64_t number)
{
        const int rank = in_rank(n, 0) + 1;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        int axis;

        TRY(axis_normalize(n, number, rank, &axis));
        for (int d = 0; d < rank; d++)
                dims[d] = d == axis ? dim_int(1) : in_dim(n, 0, d - (d > axis));
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* Axes are positions in the output, so a negative one counts from the output's rank. */
enum ox_code infer_Unsqueeze(struct node *n)
{
        const int64_t *numbers;
        struct list axes;
        struct dim *dims;
        bool *is_new;
        int64_t one;
        int rank;

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, "axes", 1, true, &axes));
        TRY(squeeze_distinct(n, &axes));
        if (axes.state != LIST_KNOWN || !in_has_rank(n, 0) || !rank_allowed(n, axes.count, 1))
                return out_elem(n, 0, in_elem(n, 0));
        if (axes.count == 1 && scalar_is_number(list_at(&axes, 0), &one) && (one >= 0 || n->row->since >= 11))
                return unsqueeze_one(n, one);
        rank = in_rank(n, 0) + (int)axes.count;
        if (!list_numbers(n, &axes, &numbers))
                return out_rank(n, 0, in_elem(n, 0), rank);
        is_new = arena_zalloc(n->arena, (size_t)rank * sizeof(*is_new));
        TRY(squeeze_axes(n, &axes, numbers, rank, is_new));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0, from = 0; d < rank; d++)
                dims[d] = is_new[d] ? dim_int(1) : in_dim(n, 0, from++);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* Without axes every dimension of 1 is removed. A symbol may be 1, so the rank is unknown unless each symbol is proven
   to differ from 1. */
static enum ox_code squeeze_ones(struct node *n)
{
        struct dim *dims = in_dims(n, 0);
        int rank = 0;

        for (int d = 0; d < in_rank(n, 0); d++) {
                if (dim_is(dims[d], 1))
                        continue;
                if (!dim_proves_unequal(n->dims, dims[d], dim_int(1)))
                        return out_elem(n, 0, in_elem(n, 0));
                dims[rank++] = dims[d];
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* Unknown axes of a known number: if exactly that many axes can be 1, they are the ones. */
static enum ox_code squeeze_some(struct node *n, size_t count)
{
        struct dim *dims = in_dims(n, 0);
        int rank = in_rank(n, 0), kept = 0;

        for (int d = 0; d < rank; d++)
                if (dim_proves_unequal(n->dims, dims[d], dim_int(1)))
                        dims[kept++] = dims[d];
        if (count > (size_t)(rank - kept))
                return node_error_at(n, REASON_RANK_MISMATCH, 1, 0, arena_printf(n->arena, "%d or less", rank - kept),
                                     node_number(n, (int64_t)count),
                                     "%s: %zu axes cannot be removed, only %d can have size 1", node_input_text(n, 0),
                                     count, rank - kept);
        if (count == (size_t)(rank - kept))
                return out_tensor(n, 0, in_elem(n, 0), kept, dims);
        return out_rank(n, 0, in_elem(n, 0), rank - (int)count);
}

enum ox_code infer_Squeeze(struct node *n)
{
        const int64_t *numbers;
        struct list axes;
        struct dim *dims;
        bool *gone;
        int rank = in_rank(n, 0), kept = 0;

        TRY(in_expect_tensor(n, 0));
        TRY(list_get(n, "axes", 1, true, &axes));
        TRY(squeeze_distinct(n, &axes));
        if (axes.state == LIST_UNKNOWN || !in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        if (axes.state == LIST_ABSENT)
                return squeeze_ones(n);
        if (!list_numbers(n, &axes, &numbers))
                return squeeze_some(n, axes.count);
        gone = arena_zalloc(n->arena, (size_t)rank * sizeof(*gone));
        TRY(squeeze_axes(n, &axes, numbers, rank, gone));
        dims = in_dims(n, 0);
        for (int d = 0; d < rank; d++) {
                struct dim one = dim_int(1);

                if (gone[d])
                        TRY(dim_agree(n, &one, dims[d], 0));
                else
                        dims[kept++] = dims[d];
        }
        return out_tensor(n, 0, in_elem(n, 0), kept, dims);
}

/* -- DepthToSpace 1-13, SpaceToDepth 1-13: [N, C, H, W]; of com.ms.internal.nhwc [N, H, W, C] -- */

static enum ox_code block_size(struct node *n, struct dim *ret_block, struct dim *ret_area)
{
        int64_t block = attr_int_or(n, "blocksize", 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank(n, 0, 4));
        *ret_block = dim_int(block);
        *ret_area = dim_mul(n->dims, *ret_block, *ret_block);
        return OX_OK;
}

/* A size is a multiple of the block size, so the quotient is exact. */
static enum ox_code divide_size(struct node *n, struct dim *dim, struct dim by, const char *what, int axis)
{
        if (dim_is_int(by) && by.val > 0)
                TRY(in_expect_multiple(n, 0, axis, by.val, what));
        return size_quotient(n, *dim, by, 0, dim);
}

/* The image begins at axis `image`. */
static enum ox_code depth_to_space(struct node *n, int channels, int image)
{
        struct dim block, area, *dims;

        TRY(block_size(n, &block, &area));
        if (!in_has_rank(n, 0))
                return out_rank(n, 0, in_elem(n, 0), 4);
        dims = in_dims(n, 0);
        TRY(divide_size(n, &dims[channels], area, "the square of blocksize", channels));
        for (int d = image; d < image + 2; d++)
                dims[d] = dim_mul(n->dims, dims[d], block);
        return out_tensor(n, 0, in_elem(n, 0), 4, dims);
}

enum ox_code infer_DepthToSpace(struct node *n)
{
        return depth_to_space(n, 1, 2);
}

enum ox_code infer_com_ms_internal_nhwc_DepthToSpace(struct node *n)
{
        return depth_to_space(n, 3, 1);
}

static enum ox_code space_to_depth(struct node *n, int channels, int image)
{
        struct dim block, area, *dims;

        TRY(block_size(n, &block, &area));
        if (!in_has_rank(n, 0))
                return out_rank(n, 0, in_elem(n, 0), 4);
        dims = in_dims(n, 0);
        dims[channels] = dim_mul(n->dims, dims[channels], area);
        for (int d = image; d < image + 2; d++)
                TRY(divide_size(n, &dims[d], block, "blocksize", d));
        return out_tensor(n, 0, in_elem(n, 0), 4, dims);
}

enum ox_code infer_SpaceToDepth(struct node *n)
{
        return space_to_depth(n, 1, 2);
}

enum ox_code infer_com_ms_internal_nhwc_SpaceToDepth(struct node *n)
{
        return space_to_depth(n, 3, 1);
}
