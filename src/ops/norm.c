/* Normalisations, and Dropout: the output has the input's shape; what varies are the statistics beside it. */
#include "ops/rules.h"

/* What the types of the row told before the rule. */
static enum elem prepared(const struct node *n, int o)
{
        return o < n->n_out ? n->out[o].type.elem : ELEM_UNDEFINED;
}

/* InstanceNormalization 1, 6, 22, GroupNormalization 18, 21, LRN 1, 13, MeanVarianceNormalization 9, 13,
   RMSNormalization 23 (whose output has the element type of scale) */
enum ox_code infer_Normalization(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, prepared(n, 0) != ELEM_UNDEFINED ? prepared(n, 0) : in_elem(n, 0), 0);
}

/* LpNormalization 1, 22: along an axis, which must be one. */
enum ox_code infer_LpNormalization(struct node *n)
{
        int axis;

        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", -1, in_rank(n, 0), &axis));
        return infer_Normalization(n);
}

/* BatchNormalization 1, 6, 7, 9, 14, 15: scale, B, mean and var have one element a channel, and so have the statistics
   that training gives. With `spatial` 0 (1 to 8) they have one for every element of a sample. */
enum ox_code infer_BatchNormalization(struct node *n)
{
        struct dim channels = dim_int(1);
        bool known = in_rank(n, 0) == 1 || in_rank(n, 0) > 1;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(infer_Normalization(n));
        if (n->row->since < 9 && attr_int_or(n, "spatial", 1) == 0)
                return OX_OK;
        if (in_rank(n, 0) > 1)
                channels = in_dim(n, 0, 1);
        for (int i = 1; i < 5; i++) {
                TRY(in_expect_rank(n, i, 1));
                if (!in_has_rank(n, i))
                        continue;
                if (known)
                        TRY(dim_agree(n, &channels, in_dim(n, i, 0), i));
                else
                        channels = in_dim(n, i, 0);
                known = true;
        }
        for (int o = 1; o < n->n_out; o++) {
                struct dim *dims = arena_new_array(n->arena, struct dim, 1);

                dims[0] = known ? channels : out_fresh(n, o, 0);
                TRY(out_tensor(n, o, prepared(n, o), 1, dims));
        }
        return OX_OK;
}

/* LayerNormalization 17: Mean and InvStdDev keep the axes before `axis`; those from it on are 1. stash_type is their
   element type. */
enum ox_code infer_LayerNormalization(struct node *n)
{
        int64_t stash = attr_int_or(n, "stash_type", ELEM_FLOAT);
        enum elem elem = elem_is_valid(stash) ? (enum elem)stash : ELEM_UNDEFINED;
        int axis;

        TRY(infer_Normalization(n));
        if (!in_has_rank(n, 0)) {
                out_elem(n, 1, elem);
                return out_elem(n, 2, elem);
        }
        TRY(attr_axis(n, "axis", -1, in_rank(n, 0), &axis));
        struct dim *dims = in_dims(n, 0);

        for (int d = axis; d < in_rank(n, 0); d++)
                dims[d] = dim_int(1);
        TRY(out_tensor(n, 1, elem, in_rank(n, 0), dims));
        return out_tensor(n, 2, elem, in_rank(n, 0), dims);
}

/* Dropout 1, 6, 7, 10, 12, 13, 22: the mask has the shape of the data; it is bool from 10 on. */
enum ox_code infer_Dropout(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(out_like(n, 1, prepared(n, 1), 0));
        return out_like(n, 0, in_elem(n, 0), 0);
}
