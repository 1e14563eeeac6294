/* Elementwise operators of com.microsoft on quantized tensors: each tensor is followed by its scale and zero point,
   those of the output come last, and each has one element. */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/list.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* Broadcasts the operands; all other inputs are scales and zero points. */
static enum ox_code broadcast_operands(struct node *n, const int *operands, int count)
{
        struct broadcast_side shape = {.rank = RANK_UNKNOWN, .input = -1};
        const struct dim *dims;
        int rank, next = 0;

        for (int i = 0; i < n->n_in; i++) {
                if (next == count || i != operands[next]) {
                        TRY(in_expect_scalar(n, i));
                        continue;
                }
                TRY(in_expect_tensor(n, i));
                next++;
        }
        for (int k = 0; k < count; k++) {
                struct broadcast_side side = {.rank = in_rank(n, operands[k]), .input = operands[k]};

                if (!in_has_rank(n, operands[k]))
                        return out_elem(n, 0, out_row_elem(n, 0));
                side.dim = in_shape(n, operands[k]);
                if (k == 0) {
                        shape = side;
                        continue;
                }
                TRY(broadcast_shapes(n, &shape, &side, &rank, &dims));
                shape = (struct broadcast_side){.rank = rank, .dim = dims, .input = -1};
        }
        return out_tensor(n, 0, out_row_elem(n, 0), shape.rank, shape.dim);
}

/* QLinearAdd 1, QLinearMul 1 */
enum ox_code infer_qlinear_binary(struct node *n)
{
        return broadcast_operands(n, (const int[]){0, 3}, 2);
}

/* QLinearWhere 1 */
enum ox_code infer_QLinearWhere(struct node *n)
{
        return broadcast_operands(n, (const int[]){0, 1, 4}, 3);
}

/* MulInteger 1: each operand is followed only by a zero point. */
enum ox_code infer_MulInteger(struct node *n)
{
        return broadcast_operands(n, (const int[]){0, 2}, 2);
}

/* QLinearSigmoid 1, QLinearLeakyRelu 1, QOrderedGelu 1 */
enum ox_code infer_qlinear_unary(struct node *n)
{
        return broadcast_operands(n, (const int[]){0}, 1);
}

/* QLinearSoftmax 1: the axis is one of X for any version of Softmax in `opset`. */
enum ox_code infer_QLinearSoftmax(struct node *n)
{
        int axis;

        if (in_has_rank(n, 0) && attr_given(n, "axis"))
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        return infer_qlinear_unary(n);
}

/* QuantizeBFP 1: the length of the blob depends on the format; the shape and the strides have one number an axis. */
enum ox_code infer_QuantizeBFP(struct node *n)
{
        struct size length = {0}, axes = {0};

        TRY(in_expect_tensor(n, 0));
        if (in_has_rank(n, 0))
                axes = size_int(in_rank(n, 0));
        TRY(OUT_SIZED(n, 0, &length));
        TRY(OUT_SIZED(n, 1, &axes));
        return OUT_SIZED(n, 2, &axes);
}

/* DequantizeBFP 1: the shape is the contents of input 1. */
enum ox_code infer_DequantizeBFP(struct node *n)
{
        struct list shape;

        TRY(in_expect_rank(n, 0, 1));
        TRY(list_get(n, NULL, 1, false, &shape));
        TRY(list_of_sizes(n, &shape, 1));
        if (shape.state != LIST_KNOWN || !rank_allowed(n, shape.count, 1))
                return out_elem(n, 0, out_row_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, shape.count);

        for (size_t d = 0; d < shape.count; d++)
                if (!element_size(n, list_at(&shape, d), &dims[d]))
                        dims[d] = out_fresh(n, 0, (int)d);
        return out_tensor(n, 0, out_row_elem(n, 0), (int)shape.count, dims);
}

/* The number of elements in one entry of the last axis: 8 / bits in uint8 data; 0 if the type is unknown. The text
   gives `bits` no default; runtime 1.30 takes 4. */
static int64_t elements_packed(const struct node *n)
{
        if (in_elem(n, 0) == ELEM_UNDEFINED)
                return 0;
        return in_elem(n, 0) == ELEM_UINT8 ? 8 / attr_int_or(n, "bits", 4) : 1;
}

/* GatherBlockQuantized 1: Gather from dequantized data, which have the type of the scales. An index out of range gives
   zeros. */
enum ox_code infer_GatherBlockQuantized(struct node *n)
{
        enum { DATA, INDICES, SCALES };
        enum elem elem = out_row_elem(n, 0);
        int axis, indices = in_rank(n, INDICES), rank = in_rank(n, DATA), made = 0;

        TRY(in_expect_tensor(n, DATA));
        TRY(in_expect_tensor(n, INDICES));
        TRY(in_expect_rank_least(n, DATA, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, elem);
        TRY(in_expect_rank(n, SCALES, rank));
        TRY(attr_axis(n, "gather_axis", 0, rank, &axis));
        if (indices == RANK_UNKNOWN)
                return out_elem(n, 0, elem);
        int64_t packed = elements_packed(n);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)(rank - 1 + indices));

        for (int d = 0; d < rank; d++) {
                if (d == axis)
                        for (int k = 0; k < indices; k++)
                                dims[made++] = in_dim(n, INDICES, k);
                else if (d < rank - 1)
                        dims[made++] = in_dim(n, DATA, d);
                else if (packed > 0)
                        dims[made++] = dim_mul(n->dims, in_dim(n, DATA, d), dim_int(packed));
                else
                        dims[made++] = out_fresh(n, 0, rank - 2 + indices);
        }
        return out_tensor(n, 0, elem, made, dims);
}
