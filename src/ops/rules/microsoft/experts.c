/* Mixtures of experts. */
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* MoE 1, QMoE 1: input (num_tokens, hidden_size) or (batch_size, sequence_length, hidden_size), as is the output;
   router_probs (num_tokens, num_experts), with the tokens of all batches. The packing of the weights does not affect
   the output. */
enum ox_code infer_MoE(struct node *n)
{
        struct size tokens = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank_most(n, 0, 3));
        for (int axis = 0; axis < in_rank(n, 0) - 1; axis++) {
                struct size more = {.known = true, .dim = in_dim(n, 0, axis)};
                tokens = axis == 0 ? more : size_product(n, tokens, more);
        }
        TRY(IN_SIZED(n, 1, &tokens, NULL));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}
