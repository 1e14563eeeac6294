/* Training (ai.onnx.preview.training). */
#include "ops/rules/training.h"

/* Optimizers: R and T are followed by groups with the same number of tensors: X (to optimize), G (gradients), then the
   optimizer's state. The outputs are the new X and the new state, in the same order. */
static enum ox_code optimize(struct node *n, int groups)
{
        int tensors = n->n_in - 2, size = tensors / groups;

        if (tensors % groups != 0)
                return node_error(n, REASON_INPUT_COUNT, -1,
                                  "the number of inputs must be 2 and a multiple of %d more, got %d", groups, n->n_in);
        if (n->n_out != size * (groups - 1))
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be %d for %d tensors, got %d",
                                  size * (groups - 1), size, n->n_out);
        for (int o = 0; o < n->n_out; o++) {
                int i = 2 + (o < size ? o : o + size);
                TRY(in_expect_tensor(n, i));
                TRY(out_like(n, o, in_elem(n, i), i));
        }
        return OX_OK;
}

/* Adagrad (1): X, G, H (accumulated squared gradient). */
enum ox_code infer_Adagrad(struct node *n)
{
        return optimize(n, 3);
}

/* Adam (1): X, G, V (accumulated gradient), H (accumulated squared gradient). */
enum ox_code infer_Adam(struct node *n)
{
        return optimize(n, 4);
}

/* Momentum (1): X, G, V. */
enum ox_code infer_Momentum(struct node *n)
{
        return optimize(n, 3);
}

/* Gradient (1): the i-th output is the gradient of `y` with respect to the i-th of `xs`, whose value is the i-th
   input. */
enum ox_code infer_Gradient(struct node *n)
{
        const size_t n_xs = attribute_count(attr_find(n, "xs"), HELD_STRINGS);

        if ((size_t)n->n_out > n_xs || n->n_out > n->n_in)
                return node_error(n, REASON_OUTPUT_COUNT, -1,
                                  "the number of outputs must be the number of xs, %zu, got %d", n_xs, n->n_out);
        for (int o = 0; o < n->n_out; o++) {
                TRY(in_expect_tensor(n, o));
                TRY(out_like(n, o, in_elem(n, o), o));
        }
        return OX_OK;
}
