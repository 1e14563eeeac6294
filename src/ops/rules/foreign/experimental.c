/* The experimental operators of ONNX before 1.5. */
#include "ops/kit/axes.h"
#include "ops/kit/list.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/foreign.h"

/* The sizes of the attribute `name`, none when it is not given. */
static size_t attr_sizes(const struct node *n, const char *name, const int64_t **ret)
{
        size_t count = 0;

        *ret = NULL;
        return attr_ints(n, name, ret, &count) ? count : 0;
}

/* The shape of a tensor that is filled: the attribute `shape`; with an input, its shape, or its elements with
   input_as_shape; and `extra_shape` behind. *ret_rank is RANK_UNKNOWN where the elements' number is not known. */
static enum ox_code filled_shape(struct node *n, int *ret_rank, struct dim **ret_dims)
{
        struct list sizes = {.state = LIST_ABSENT};
        const int64_t *shape, *extra;
        size_t given = attr_sizes(n, "shape", &shape), extras = attr_sizes(n, "extra_shape", &extra), rank = given;
        bool by_elements = in_given(n, 0) && attr_int_or(n, "input_as_shape", 0) != 0;

        *ret_rank = RANK_UNKNOWN;
        if (in_given(n, 0) && attr_given(n, "shape"))
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, 0, "shape must not be given beside an input");
        TRY(in_expect_tensor(n, 0));
        if (by_elements) {
                TRY(list_get(n, NULL, 0, false, &sizes));
                list_whole(n, &sizes);
                TRY(list_of_sizes(n, &sizes, 0));
                if (sizes.state != LIST_KNOWN)
                        return OX_OK;
                rank = sizes.count;
        } else if (in_given(n, 0)) {
                if (!in_has_rank(n, 0))
                        return OX_OK;
                rank = (size_t)in_rank(n, 0);
        }
        if (!rank_allowed(n, rank + extras, 0))
                return OX_OK;
        *ret_rank = (int)(rank + extras);
        *ret_dims = arena_new_array(n->arena, struct dim, rank + extras);
        for (size_t d = 0; d < rank; d++)
                if (!in_given(n, 0))
                        (*ret_dims)[d] = dim_int(shape[d]);
                else if (!by_elements)
                        (*ret_dims)[d] = in_dim(n, 0, (int)d);
                else if (!element_size(n, list_at(&sizes, d), &(*ret_dims)[d]))
                        (*ret_dims)[d] = out_fresh(n, 0, (int)d);
        for (size_t d = 0; d < extras; d++)
                (*ret_dims)[rank + d] = dim_int(extra[d]);
        return OX_OK;
}

/* ConstantFill 1: the type is `dtype`. */
enum ox_code infer_ConstantFill(struct node *n)
{
        enum elem elem = attr_elem(n, "dtype", ELEM_FLOAT);
        struct dim *dims;
        int rank;

        TRY(filled_shape(n, &rank, &dims));
        return rank == RANK_UNKNOWN ? out_elem(n, 0, elem) : out_tensor(n, 0, elem, rank, dims);
}

/* GivenTensorFill 1: its text names the attributes alone, which are those of ConstantFill. Where no input tells the
   type, none does. */
enum ox_code infer_GivenTensorFill(struct node *n)
{
        struct dim *dims;
        int rank;

        TRY(filled_shape(n, &rank, &dims));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* One axis of Crop: `before` and `behind` are cut off; with `size`, -1: none, what follows `before` is cut to it. */
static enum ox_code crop_axis(struct node *n, int64_t before, int64_t behind, int64_t size, struct dim *dim)
{
        struct dim whole = *dim, least;

        if (size >= 0) {
                *dim = dim_int(size);
                least = dim_add(n->dims, dim_int(before), *dim);
        } else {
                least = dim_add(n->dims, dim_int(before), dim_int(behind));
                *dim = dim_sub(n->dims, whole, least);
        }
        return size_at_least(n, whole, least, 0);
}

/* Crop 1: of [N, C, H, W], `border` is (left, top, right, bottom); with `scale`, (height, width), the left and top ones
   alone say where the image begins, which they "optionally" do. */
enum ox_code infer_Crop(struct node *n)
{
        enum { LEFT, TOP, RIGHT, BOTTOM };
        static const int64_t none[] = {0, 0, 0, 0}, whole[] = {-1, -1};
        const int64_t *border = none, *scale = whole;
        struct dim *dims;
        size_t count;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank(n, 0, 4));
        attr_ints(n, "scale", &scale, &count);
        if (!attr_ints(n, "border", &border, &count) && scale == whole)
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1, "border or scale is required");
        if (!in_has_rank(n, 0))
                return out_rank(n, 0, out_row_elem(n, 0), 4);
        dims = in_dims(n, 0);
        TRY(crop_axis(n, border[TOP], border[BOTTOM], scale[0], &dims[2]));
        TRY(crop_axis(n, border[LEFT], border[RIGHT], scale[1], &dims[3]));
        return out_tensor(n, 0, out_row_elem(n, 0), 4, dims);
}

/* Embedding 1: of [N] indices, [N, O]. O is `output_dim`; which axis of the weights it is, the text leaves open. */
enum ox_code infer_Embedding(struct node *n)
{
        struct size N = {0}, O = {0};
        int64_t size;

        if (attr_int(n, "output_dim", &size))
                O = size_int(size);
        TRY(IN_SIZED(n, 0, &N));
        return OUT_SIZED(n, 0, &N, &O);
}

/* FC 1: X is coerced into a matrix (M x K) at `axis`, W into one (N x K) at `axis_w`; B is (N). */
enum ox_code infer_FC(struct node *n)
{
        struct size sizes[2][2] = {{{0}}};
        const char *const names[] = {"axis", "axis_w"};

        for (int i = 0; i < 2; i++) {
                int64_t at = attr_int_or(n, names[i], 1);
                int rank = in_rank(n, i);

                TRY(in_expect_tensor(n, i));
                if (rank == RANK_UNKNOWN)
                        continue;
                if (at < 0 || at > rank)
                        return node_error(n, REASON_AXIS_OUT_OF_RANGE, i, "%s must be in [0, %d], got %lld", names[i],
                                          rank, (long long)at);
                sizes[i][0] = (struct size){true, dims_product(n, in_dims(n, i), 0, (int)at)};
                sizes[i][1] = (struct size){true, dims_product(n, in_dims(n, i), (int)at, rank)};
        }
        TRY(size_is(n, &sizes[0][1], sizes[1][1], 1));
        TRY(IN_SIZED(n, 2, &sizes[1][0]));
        return OUT_SIZED(n, 0, &sizes[0][0], &sizes[1][0]);
}

/* GRUUnit 1: the new hidden state is as the previous one, which the text gives as (NxD); sequence lengths are (N). */
enum ox_code infer_GRUUnit(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* ImageScaler 1: of [N, C, H, W], with one bias for each channel. */
enum ox_code infer_ImageScaler(struct node *n)
{
        struct size N = {0}, C = {0}, H = {0}, W = {0};
        const float *bias;
        size_t count;

        if (attr_floats(n, "bias", &bias, &count) && count > 0)
                C = size_int((int64_t)count);
        TRY(IN_SIZED(n, 0, &N, &C, &H, &W));
        return OUT_SIZED(n, 0, &N, &C, &H, &W);
}

/* LoopIndexTensor 1: one axis less. */
enum ox_code infer_LoopIndexTensor(struct node *n)
{
        int rank = in_rank(n, 0), axis;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        TRY(attr_axis(n, "axis", 0, rank, &axis));
        dims = in_dims(n, 0);
        for (int d = axis; d + 1 < rank; d++)
                dims[d] = dims[d + 1];
        return out_tensor(n, 0, out_row_elem(n, 0), rank - 1, dims);
}
