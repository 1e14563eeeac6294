/* Elementwise operators of com.microsoft on quantized tensors: scale and zero point of a tensor stand behind it, those
   of the output come last, and each is one element. */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/rules/microsoft.h"

/* The operands, broadcast; all inputs beside them are scales and zero points. */
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

/* QLinearSigmoid 1, QLinearLeakyRelu 1 */
enum ox_code infer_qlinear_unary(struct node *n)
{
        return broadcast_operands(n, (const int[]){0}, 1);
}

/* QLinearSoftmax 1: the axis is one of X whatever version of Softmax `opset` names. */
enum ox_code infer_QLinearSoftmax(struct node *n)
{
        int axis;

        if (in_has_rank(n, 0) && attr_given(n, "axis"))
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        return infer_qlinear_unary(n);
}
