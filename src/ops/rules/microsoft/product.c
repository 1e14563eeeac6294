/* Products with a quantized matrix of two axes: the last axis of A, (..., K), becomes N, and the others do not
   change. */
#include "ops/kit/list.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* Output `o`, which is A with another last axis; the last axis of A is K. */
static enum ox_code out_product(struct node *n, int o, struct size K, struct size N)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 1));
        if (!in_has_rank(n, 0))
                return OX_OK;
        struct dim *dims = in_dims(n, 0);

        TRY(size_at(n, &K, 0, rank - 1));
        dims[rank - 1] = N.known ? N.dim : out_fresh(n, o, rank - 1);
        return out_tensor(n, o, out_row_elem(n, o), rank, dims);
}

static struct size attr_size(const struct node *n, const char *name)
{
        return size_int(attr_int_or(n, name, 0));
}

/* MatMulNBits 1: B is (N, blocks, bytes of a block) unless it is packed for a device; the bias is (N). */
enum ox_code infer_MatMulNBits(struct node *n)
{
        enum { B = 1, BIAS = 5 };
        struct size N = attr_size(n, "N");

        if (attr_int_or(n, "weight_prepacked", 0) == 0 && in_rank(n, B) == 3)
                TRY(size_at(n, &N, B, 0));
        TRY(IN_SIZED(n, BIAS, &N));
        return out_product(n, 0, attr_size(n, "K"), N);
}

/* MatMulNBitsMlp 1: norm_scale is (K), the biases are (N); the sum of A and skip has A's shape. */
enum ox_code infer_MatMulNBitsMlp(struct node *n)
{
        enum { SCALE = 2, GATE_BIAS = 5, UP_BIAS = 8 };
        struct size K = attr_size(n, "K"), N = attr_size(n, "N");

        TRY(IN_SIZED(n, SCALE, &K));
        TRY(IN_SIZED(n, GATE_BIAS, &N));
        TRY(IN_SIZED(n, UP_BIAS, &N));
        TRY(out_product(n, 0, K, N));
        return out_product(n, 1, K, K);
}

/* MatMulNBitsQkv 1: the same of Q, which has Nq columns, and of K and V, which have Nkv. */
enum ox_code infer_MatMulNBitsQkv(struct node *n)
{
        enum { SCALE = 2, Q_BIAS = 5, K_BIAS = 8, V_BIAS = 11 };
        struct size K = attr_size(n, "K"), Nq = attr_size(n, "Nq"), Nkv = attr_size(n, "Nkv");

        TRY(IN_SIZED(n, SCALE, &K));
        TRY(IN_SIZED(n, Q_BIAS, &Nq));
        TRY(IN_SIZED(n, K_BIAS, &Nkv));
        TRY(IN_SIZED(n, V_BIAS, &Nkv));
        TRY(out_product(n, 0, K, Nq));
        TRY(out_product(n, 1, K, Nkv));
        TRY(out_product(n, 2, K, Nkv));
        return out_product(n, 3, K, K);
}

/* MatMulBnb4 1: with transB 0 the matrix is not transposed, so that N becomes K. */
enum ox_code infer_MatMulBnb4(struct node *n)
{
        struct size K = attr_size(n, "K"), N = attr_size(n, "N");
        bool transposed = attr_int_or(n, "transB", 1) != 0;

        return out_product(n, 0, transposed ? K : N, transposed ? N : K);
}

/* MatMulBlockQuantizedFp4Weight 1: B is (N, K / 2), two elements to a byte, the bias (N). */
enum ox_code infer_MatMulBlockQuantizedFp4Weight(struct node *n)
{
        struct size N = {0}, half = {0};

        TRY(IN_SIZED(n, 1, &N, &half));
        TRY(IN_SIZED(n, 5, &N));
        return out_product(n, 0, size_times(n, 2, half), N);
}

/* MatMulBlockQuantizedFp8Weight 1: B is (N, K), the bias (N). */
enum ox_code infer_MatMulBlockQuantizedFp8Weight(struct node *n)
{
        struct size N = {0}, K = {0};

        TRY(IN_SIZED(n, 1, &N, &K));
        TRY(IN_SIZED(n, 4, &N));
        return out_product(n, 0, K, N);
}

/* MatMulFpQ4 1: B is a blob, whose shape as a matrix, (K, N), is the contents of input 2. */
enum ox_code infer_MatMulFpQ4(struct node *n)
{
        enum { B = 1, B_SHAPE };
        struct size K = {0}, N = {0};
        struct list shape;

        TRY(in_expect_rank(n, B, 1));
        TRY(list_get(n, NULL, B_SHAPE, false, &shape));
        TRY(list_of_sizes(n, &shape, B_SHAPE));
        if (shape.state == LIST_KNOWN && shape.count == 2) {
                K.known = element_size(n, list_at(&shape, 0), &K.dim);
                N.known = element_size(n, list_at(&shape, 1), &N.dim);
        }
        return out_product(n, 0, K, N);
}

/* QOrderedMatMul 1: A is (batch, M, K), and Y (batch, M, N). B is stored in an order in which its sizes cannot be
   distinguished, so N comes from the bias or from C, (batch, M, N) or (M, N), whose batch may be 1. */
enum ox_code infer_QOrderedMatMul(struct node *n)
{
        enum { A = 0, B = 2, BIAS = 5, C };
        struct size batch = {0}, M = {0}, N = {0};

        TRY(IN_SIZED(n, A, &batch, &M, NULL));
        TRY(IN_SIZED(n, B, NULL, NULL));
        TRY(IN_SIZED(n, BIAS, &N));
        if (in_rank(n, C) == 2)
                TRY(IN_SIZED(n, C, &M, &N));
        else
                TRY(IN_SIZED(n, C, NULL, &M, &N));
        return OUT_SIZED(n, 0, &batch, &M, &N);
}
