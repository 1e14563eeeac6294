/* Elementwise operators: activations, arithmetic, comparisons, logic, casts. Their known elements are in content.c. */
#include "ops/rules/elementwise.h"
#include "ops/kit/broadcast.h"

#include <ctype.h>
#include <string.h>

static enum ox_code out_shape(struct node *n, int rank, const struct dim *dims)
{
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, out_row_elem(n, 0));
        return out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* All versions of the operators of unary.ops: the output has the shape of the input, and the type of the row, which is
   the input's or bool (IsInf, IsNaN). */
enum ox_code infer_unary(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* All versions of arithmetic, comparisons and logic of two inputs, which broadcast; before operator set 7 the attribute
   `broadcast` decides how. The row gives the type: bool for comparisons, that of the base for Pow. */
enum ox_code infer_binary(struct node *n)
{
        const struct dim *dims;
        int rank;

        if (op_find_attr(n->row, "broadcast"))
                TRY(broadcast_legacy(n, &rank, &dims));
        else
                TRY(broadcast_inputs(n, 0, 2, &rank, &dims));
        return out_shape(n, rank, dims);
}

/* Mod 10, 13: floats need fmod=1. */
enum ox_code infer_Mod(struct node *n)
{
        if (attr_int_or(n, "fmod", 0) != 1 && (elem_is_float(in_elem(n, 0)) || elem_is_float(in_elem(n, 1))))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "fmod must be 1 for floats");
        return infer_binary(n);
}

/* Max, Mean, Min, Sum 1-13: before 8 all inputs have the same shape, since then they broadcast, as in DmlFusedSum 1 of
   com.microsoft.dml. */
enum ox_code infer_variadic(struct node *n)
{
        const struct dim *dims;
        int rank;

        if (n->row->since < 8 && n->row->domain[0] == '\0')
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

/* PRelu 1-16: since 7 the slope broadcasts into X's shape. Before that it has a single element or one for each channel,
   which also leaves X's shape unchanged. */
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

/* Cast-1 names the type as TensorProto.DataType does: "FLOAT". */
static enum ox_code elem_of_word(struct node *n, enum elem *ret)
{
        const char *word = "";
        char lower[32] = "";
        size_t length;

        attr_string(n, "to", &word);
        length = strlen(word);
        for (size_t k = 0; k < length && k < sizeof(lower); k++)
                lower[k] = (char)tolower((unsigned char)word[k]);
        if (length < sizeof(lower) && elem_by_name(lower, length, ret))
                return OX_OK;
        return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "to must be the name of an element type, got '%.32s'", word);
}

/* Cast 1-25. */
enum ox_code infer_Cast(struct node *n)
{
        enum elem elem = ELEM_UNDEFINED;

        TRY(in_expect_tensor(n, 0));
        if (n->row->since == 1)
                TRY(elem_of_word(n, &elem));
        else
                elem = attr_elem(n, "to", ELEM_UNDEFINED);
        return out_like(n, 0, elem, 0);
}

/* CastLike 15-25: the output has the type of the second input, whose shape does not matter. */
enum ox_code infer_CastLike(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        return out_like(n, 0, in_elem(n, 1), 0);
}

/* BitCast 26 keeps the bits, so both types must have the same width. */
enum ox_code infer_BitCast(struct node *n)
{
        enum elem from = in_elem(n, 0), to = attr_elem(n, "to", ELEM_UNDEFINED);

        TRY(in_expect_tensor(n, 0));
        if (to == ELEM_STRING || (from != ELEM_UNDEFINED && elem_bits(from) != elem_bits(to)))
                return node_error(n, REASON_TYPE_MISMATCH, 0, "the bits of %s cannot be those of %s",
                                  elem_name((int)from), elem_name((int)to));
        return out_like(n, 0, to, 0);
}
