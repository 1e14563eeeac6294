/* QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */
#include "ops/rules.h"

static enum elem elem_attribute(const struct node *n, const char *name)
{
        int64_t elem = op_find_attr(n->row, name) != NULL ? attr_int_or(n, name, 0) : 0;

        return elem_is_valid(elem) ? (enum elem)elem : ELEM_UNDEFINED;
}

/* QuantizeLinear 10 to 25: of the zero point's type; without one of output_dtype (from 21), else uint8. */
enum ox_code infer_QuantizeLinear(struct node *n)
{
        enum elem zero = in_elem(n, 2), wanted = elem_attribute(n, "output_dtype");
        enum elem elem = wanted != ELEM_UNDEFINED ? wanted : zero;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 2));
        if (wanted != ELEM_UNDEFINED && zero != ELEM_UNDEFINED && wanted != zero)
                return node_error(n, OX_INVALID_ARGUMENT, "TYPE_MISMATCH", 2,
                                  "the zero point must be of output_dtype %s, got %s", elem_name((int)wanted),
                                  elem_name((int)zero));
        if (elem == ELEM_UNDEFINED && !in_given(n, 2))
                elem = ELEM_UINT8;
        return out_like(n, 0, elem, 0);
}

/* DequantizeLinear: float in 10 and 13; of the scale's type from 19 on, unless output_dtype (from 23) says another. */
enum ox_code infer_DequantizeLinear(struct node *n)
{
        enum elem elem = elem_attribute(n, "output_dtype");

        TRY(in_expect_tensor(n, 0));
        if (elem == ELEM_UNDEFINED)
                elem = n->row->since < 19 ? ELEM_FLOAT : in_elem(n, 1);
        return out_like(n, 0, elem, 0);
}

/* DynamicQuantizeLinear 11 */
enum ox_code infer_DynamicQuantizeLinear(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(out_like(n, 0, ELEM_UINT8, 0));
        TRY(out_tensor(n, 1, ELEM_FLOAT, 0, NULL));
        return out_tensor(n, 2, ELEM_UINT8, 0, NULL);
}
