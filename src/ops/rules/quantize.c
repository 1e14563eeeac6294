/* QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */
#include "ops/rules/quantize.h"
#include "ops/kit/axes.h"
#include "ops/kit/scales.h"
#include "ops/kit/sizes.h"

/* Blocks of `block_size` along `axis` share a scale; the other sizes are those of x. Without block_size, any size of a
   block is accepted that gives the number of scales. */
static enum ox_code blocks_agree(struct node *n, int axis, int64_t block, struct dim *dims)
{
        struct dim blocks = in_dim(n, 1, axis), size = dims[axis];

        for (int d = 0; d < in_rank(n, 0); d++)
                if (d != axis)
                        TRY(in_agree(n, &dims[d], 1, d));
        if (block > 0) {
                size = dim_ceildiv(n->dims, size, dim_int(block));
                return dim_agree(n, &size, blocks, 1);
        }
        if (dim_is_int(size) && dim_is_int(blocks) && blocks.val > size.val)
                return node_error_at(
                        n, REASON_DIM_MISMATCH, 1, axis, arena_printf(n->arena, "%lld or less", (long long)size.val),
                        node_number(n, blocks.val), "%s x %s: axis %d has %lld elements, which cannot be %lld blocks",
                        node_input_text(n, 0), node_input_text(n, 1), axis, (long long)size.val, (long long)blocks.val);
        return OX_OK;
}

/* Version 10 has only scalars. The shape of y does not depend on them, and models with larger ones exist, so this is a
   warning. */
static void warn_of_vectors(struct node *n)
{
        for (int i = 1; i < 3; i++)
                if (in_rank(n, i) > 1 || scale_is_vector(n, i))
                        node_warn(n, REASON_RANK_MISMATCH, i, "input %d must be a scalar up to version 12", i);
}

/* Refines `dims` of x (NULL: unknown rank) by the shape of the scale. One element, the only form in version 10, says
   nothing; a vector, from 13 on, gives the size of `axis`; a blocked scale, from 21 on, gives all sizes except that of
   `axis`. An x of one axis has one scale then. */
static enum ox_code scale_shape(struct node *n, struct dim *dims)
{
        bool blocked = op_find_attr(n->row, "block_size");
        int64_t block = blocked ? attr_int_or(n, "block_size", 0) : 0;
        int axis, rank = in_rank(n, 0);

        if (!op_find_attr(n->row, "axis")) {
                warn_of_vectors(n);
                return OX_OK;
        }
        TRY(scale_agree(n, 1, 2));
        if (in_rank(n, 1) > 1 && !blocked)
                return in_expect_rank(n, 1, 1);
        if (!dims || (in_rank(n, 1) < 2 && !scale_is_vector(n, 1)))
                return OX_OK;
        if (in_rank(n, 1) > 1)
                TRY(in_expect_rank(n, 1, rank));
        else if (blocked && rank == 1)
                return OX_OK;
        TRY(attr_axis(n, "axis", 1, rank, &axis));
        return in_rank(n, 1) == 1 ? per_channel_agree(n, 1, &dims[axis]) : blocks_agree(n, axis, block, dims);
}

/* y has the shape of x. A blocked scale determines it too, except for the blocked axis. */
static enum ox_code out_quantized(struct node *n, enum elem elem)
{
        struct dim *dims = in_has_rank(n, 0) ? in_dims(n, 0) : NULL;
        int axis;

        TRY(scale_shape(n, dims));
        if (dims)
                return out_tensor(n, 0, elem, in_rank(n, 0), dims);
        if (in_rank(n, 1) < 2 || !op_find_attr(n->row, "block_size"))
                return out_elem(n, 0, elem);
        dims = in_dims(n, 1);
        TRY(attr_axis(n, "axis", 1, in_rank(n, 1), &axis));
        dims[axis] = out_fresh(n, 0, axis);
        return out_tensor(n, 0, elem, in_rank(n, 1), dims);
}

/* QuantizeLinear 10 to 25, 1 of com.microsoft: y has the type of the zero point; without one, output_dtype (from 21),
   else uint8. */
enum ox_code infer_QuantizeLinear(struct node *n)
{
        enum elem zero = in_elem(n, 2), wanted = attr_elem(n, "output_dtype", ELEM_UNDEFINED), elem;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 2));
        elem = wanted != ELEM_UNDEFINED ? wanted : zero;
        if (wanted != ELEM_UNDEFINED && zero != ELEM_UNDEFINED && wanted != zero)
                return node_error(n, REASON_TYPE_MISMATCH, 2, "the zero point must be of output_dtype %s, got %s",
                                  elem_name((int)wanted), elem_name((int)zero));
        if (elem == ELEM_UNDEFINED && !in_given(n, 2))
                elem = ELEM_UINT8;
        return out_quantized(n, elem);
}

/* DequantizeLinear: y is float in 10 and 13; from 19 on, and in version 1 of com.microsoft, it has the scale's type,
   unless output_dtype (from 23) gives another. */
enum ox_code infer_DequantizeLinear(struct node *n)
{
        enum elem elem = attr_elem(n, "output_dtype", ELEM_UNDEFINED);

        TRY(in_expect_tensor(n, 0));
        if (elem == ELEM_UNDEFINED)
                elem = out_row_elem(n, 0);
        if (elem == ELEM_UNDEFINED)
                elem = in_elem(n, 1);
        return out_quantized(n, elem);
}

/* DynamicQuantizeLinear 11 */
enum ox_code infer_DynamicQuantizeLinear(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(out_like(n, 0, ELEM_UINT8, 0));
        TRY(out_tensor(n, 1, ELEM_FLOAT, 0, NULL));
        return out_tensor(n, 2, ELEM_UINT8, 0, NULL);
}
