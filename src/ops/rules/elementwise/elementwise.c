/* Operators that go element by element: activations, arithmetic, comparisons, logic, casts. Types and shapes; what is
   known of the elements is in elementwise_content.c. */
#include "ops/rules/elementwise.h"
#include "ops/kit/broadcast.h"

#include <ctype.h>
#include <string.h>

/* The result's element type as the row's types alone tell it. */
static enum elem prepared_elem(const struct node *n)
{
        return n->n_out > 0 ? n->out[0].type.elem : ELEM_UNDEFINED;
}

static enum ox_code out_shape(struct node *n, int rank, const struct dim *dims)
{
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, prepared_elem(n));
        return out_tensor(n, 0, prepared_elem(n), rank, dims);
}

/* One input gives its shape, and the row the type, which is the input's or bool (IsInf, IsNaN). All versions of: Abs,
   Acos, Acosh, Asin, Asinh, Atan, Atanh, BitwiseNot, Ceil, Celu, Cos, Cosh, Elu, Erf, Exp, Floor, Gelu, HardSigmoid,
   HardSwish, IsInf, IsNaN, LeakyRelu, Log, Mish, Neg, Not, Reciprocal, Relu, Round, Selu, Shrink, Sigmoid, Sign, Sin,
   Sinh, Softplus, Softsign, Sqrt, Swish, Tan, Tanh, ThresholdedRelu. */
enum ox_code infer_unary(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, prepared_elem(n), 0);
}

/* Two inputs broadcast. Operator sets before 7 have an attribute `broadcast` and their own rules. All versions of: Add,
   And, BitwiseAnd, BitwiseOr, BitwiseXor, Div, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Mul, Or, Pow, Sub,
   Xor. The row tells the type: of comparisons bool, of Pow the base's. */
enum ox_code infer_binary(struct node *n)
{
        const struct dim *dims;
        int rank;

        if (op_find_attr(n->row, "broadcast") != NULL)
                TRY(broadcast_legacy(n, &rank, &dims));
        else
                TRY(broadcast_inputs(n, 0, 2, &rank, &dims));
        return out_shape(n, rank, dims);
}

/* Mod 10-13: floats need fmod=1. */
enum ox_code infer_Mod(struct node *n)
{
        if (attr_int_or(n, "fmod", 0) != 1 && (elem_is_float(in_elem(n, 0)) || elem_is_float(in_elem(n, 1))))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "fmod must be 1 for floats");
        return infer_binary(n);
}

/* BitShift 11. */
enum ox_code infer_BitShift(struct node *n)
{
        if (!attr_is(n, "direction", "LEFT") && !attr_is(n, "direction", "RIGHT"))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "direction must be LEFT or RIGHT");
        return infer_binary(n);
}

/* Max, Mean, Min, Sum 1-13: before 8 all inputs have one shape, since then they broadcast. */
enum ox_code infer_variadic(struct node *n)
{
        const struct dim *dims;
        int rank;

        if (n->row->since < 8)
                TRY(same_shapes(n, 0, n->n_in, &rank, &dims));
        else
                TRY(broadcast_inputs(n, 0, n->n_in, &rank, &dims));
        return out_shape(n, rank, dims);
}

/* Where 9-16: condition, X and Y broadcast together. */
enum ox_code infer_Where(struct node *n)
{
        const struct dim *dims;
        int rank;

        TRY(broadcast_inputs(n, 0, 3, &rank, &dims));
        return out_shape(n, rank, dims);
}

/* PRelu 1-16: since 7 the slope broadcasts into X's shape. Before that it is a single element or one for each channel,
   which leaves X's shape as it is too. */
enum ox_code infer_PRelu(struct node *n)
{
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        if (!in_has_rank(n, 0))
                return out_shape(n, RANK_UNKNOWN, NULL);
        dims = in_dims(n, 0);
        if (n->row->since >= 7)
                TRY(broadcast_into(n, in_rank(n, 0), dims, 1));
        return out_shape(n, in_rank(n, 0), dims);
}

/* Clip 1-13: since 11 the bounds are inputs. */
enum ox_code infer_Clip(struct node *n)
{
        for (int i = 1; i < n->n_in; i++)
                TRY(in_expect_scalar(n, i));
        return infer_unary(n);
}

/* -- casts -- */

/* Cast-1 spells the type as TensorProto.DataType does: "FLOAT". */
static bool elem_of_word(struct node *n, enum elem *ret)
{
        const char *word;
        char lower[32];
        size_t length;

        if (!attr_string(n, "to", &word))
                return false;
        length = strlen(word);
        if (length >= sizeof(lower))
                return false;
        for (size_t k = 0; k < length; k++)
                lower[k] = (char)tolower((unsigned char)word[k]);
        return elem_by_name(lower, length, ret);
}

static enum ox_code elem_of_to(struct node *n, enum elem *ret)
{
        int64_t number = 0;

        if (n->row->since == 1) {
                if (elem_of_word(n, ret))
                        return OX_OK;
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "to names no element type");
        }
        attr_int(n, "to", &number);
        if (!elem_is_valid(number))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "to is %lld, which is no element type",
                                  (long long)number);
        *ret = (enum elem)number;
        return OX_OK;
}

/* Cast 1-25. */
enum ox_code infer_Cast(struct node *n)
{
        enum elem elem;

        TRY(in_expect_tensor(n, 0));
        TRY(elem_of_to(n, &elem));
        return out_like(n, 0, elem, 0);
}

/* CastLike 15-25: the type is the second input's, whose shape does not matter. */
enum ox_code infer_CastLike(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        return out_like(n, 0, in_elem(n, 1), 0);
}

/* BitCast 26: the same bits, so that both types must be of the same width. */
enum ox_code infer_BitCast(struct node *n)
{
        enum elem from = in_elem(n, 0), to;

        TRY(in_expect_tensor(n, 0));
        TRY(elem_of_to(n, &to));
        if (to == ELEM_STRING || (from != ELEM_UNDEFINED && elem_bits(from) != elem_bits(to)))
                return node_error(n, REASON_TYPE_MISMATCH, 0, "%s cannot be taken for %s", elem_name((int)from),
                                  elem_name((int)to));
        return out_like(n, 0, to, 0);
}
