#include "ops/kit/attend.h"

#include "ops/node/input.h"

enum ox_code agree_attention_bias(struct node *n, int i, struct size *batch, struct size *heads, struct size *length,
                                  struct size *total)
{
        TRY(IN_SIZED(n, i, NULL, NULL, length, total));
        TRY(size_at_or_one(n, batch, i, 0));
        return size_at_or_one(n, heads, i, 1);
}

enum ox_code agree_mask(struct node *n, int i, int most, struct size *batch, struct size *length, struct size *total)
{
        if (!in_given(n, i))
                return OX_OK;
        TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank_least(n, i, 1));
        TRY(in_expect_rank_most(n, i, most));
        switch (in_rank(n, i)) {
        case 2:
                TRY(size_at_or_one(n, batch, i, 0));
                return size_at_or_one(n, total, i, 1);
        case 3:
                return IN_SIZED(n, i, batch, length, total);
        case 4:
                return size_at(n, batch, i, 0);
        default:
                return OX_OK;
        }
}
