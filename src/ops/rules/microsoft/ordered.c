/* Operators of com.microsoft on matrices in cublasLt's orders, and operators whose text gives only types. */
#include "ops/kit/axes.h"
#include "ops/kit/sized.h"
#include "ops/rules/microsoft.h"

/* EPContext 1, Snpe 1, ComplexMul 1, ComplexMulConj 1, and what files of other makers hold. */
enum ox_code infer_declared_types(struct node *n)
{
        node_note(n, REASON_NO_RULE, -1, "the text of the operator does not tell the shapes of its outputs");
        return OX_OK;
}

/* QuantizeWithOrder 1, DequantizeWithOrder 1: the text does not give the shape; runtime 1.30 gives the input's. */
enum ox_code infer_ordered(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 1));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* QOrderedAttention 1: input (batch_size, sequence_length, input_hidden_size), each weight (input_hidden_size,
   hidden_size), each bias (hidden_size); the output is (batch_size, sequence_length, hidden_size). */
enum ox_code infer_QOrderedAttention(struct node *n)
{
        enum { INPUT = 0, WEIGHT = 5, BIAS = 11, PROJECTIONS = 3 };
        struct size batch = {0}, sequence = {0}, input = {0}, hidden = {0};

        TRY(IN_SIZED(n, INPUT, &batch, &sequence, &input));
        for (int k = 0; k < PROJECTIONS; k++) {
                TRY(IN_SIZED(n, WEIGHT + k, &input, &hidden));
                TRY(IN_SIZED(n, BIAS + k, &hidden));
        }
        return OUT_SIZED(n, 0, &batch, &sequence, &hidden);
}

/* QOrderedLayerNormalization 1: a normalization keeps the shape. */
enum ox_code infer_QOrderedLayerNormalization(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 0));
        if (in_has_rank(n, 0) && attr_given(n, "axis"))
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        return out_like(n, 0, out_row_elem(n, 0), 0);
}

/* QOrderedLongformerAttention 1: input and output (batch_size, sequence_length, hidden_size), mask and global
   (batch_size, sequence_length), weights (hidden_size, 3 * hidden_size). */
enum ox_code infer_QOrderedLongformerAttention(struct node *n)
{
        enum { INPUT = 0, WEIGHT = 2, MASK = 7, GLOBAL_WEIGHT = 8, GLOBAL = 12 };
        struct size batch = {0}, sequence = {0}, hidden = {0}, three;

        TRY(IN_SIZED(n, INPUT, &batch, &sequence, &hidden));
        TRY(IN_SIZED(n, WEIGHT, &hidden, NULL));
        TRY(IN_SIZED(n, GLOBAL_WEIGHT, &hidden, NULL));
        three = size_times(n, 3, hidden);
        TRY(IN_SIZED(n, WEIGHT, NULL, &three));
        TRY(IN_SIZED(n, GLOBAL_WEIGHT, NULL, &three));
        TRY(IN_SIZED(n, MASK, &batch, &sequence));
        TRY(IN_SIZED(n, GLOBAL, &batch, &sequence));
        return OUT_SIZED(n, 0, &batch, &sequence, &hidden);
}
