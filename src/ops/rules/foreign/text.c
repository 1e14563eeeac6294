/* Operators of ai.onnx.contrib, on texts and images. */
#include "ops/kit/axes.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/foreign.h"

/* BasicTokenizer, SentencepieceTokenizer, WordpieceTokenizer: lists of what all texts have together, and of where each
   text begins. The pieces of WordpieceTokenizer are as many as their indices. */
enum ox_code infer_vector_outputs(struct node *n)
{
        bool shared = n->row->n_out == 3;
        struct size pieces = {0};

        TRY(in_expect_tensor(n, 0));
        for (int o = 0; o < (int)n->row->n_out; o++) {
                struct size length = {0};

                TRY(OUT_SIZED(n, o, shared && o < 2 ? &pieces : &length));
        }
        return OX_OK;
}

/* StringRegexSplitWithOffsets, StringECMARegexSplitWithOffsets: a word has the three numbers of its place. */
enum ox_code infer_split_with_offsets(struct node *n)
{
        struct size words = {0}, three = size_int(3), rows = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(OUT_SIZED(n, 0, &words));
        TRY(OUT_SIZED(n, 1, &words, &three));
        return OUT_SIZED(n, 2, &rows);
}

/* StringConcat of ai.onnx.contrib: "two input tensors should have the same dimension". */
enum ox_code infer_ai_onnx_contrib_StringConcat(struct node *n)
{
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        if (rank == RANK_UNKNOWN)
                return out_like(n, 0, ELEM_STRING, 1);
        TRY(in_expect_rank(n, 1, rank));
        struct dim *dims = in_dims(n, 0);

        for (int d = 0; d < rank && in_has_rank(n, 1); d++)
                TRY(in_agree(n, &dims[d], 1, d));
        return out_tensor(n, 0, ELEM_STRING, rank, dims);
}

/* StringJoin: the axis is lost. What becomes of a vector, the text does not say. */
enum ox_code infer_StringJoin(struct node *n)
{
        int rank = in_rank(n, 0), axis;
        int64_t number;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_scalar(n, 2));
        if (rank == RANK_UNKNOWN || rank < 2)
                return out_elem(n, 0, ELEM_STRING);
        if (!in_int(n, 2, &number))
                return out_rank(n, 0, ELEM_STRING, rank - 1);
        TRY(axis_normalize(n, number, rank, &axis));
        struct dim *dims = in_dims(n, 0);

        for (int d = axis; d + 1 < rank; d++)
                dims[d] = dims[d + 1];
        return out_tensor(n, 0, ELEM_STRING, rank - 1, dims);
}

/* MaskedFill: of vectors, those elements whose mask is set. */
enum ox_code infer_MaskedFill(struct node *n)
{
        struct size elements = {0}, kept = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        if (in_rank(n, 0) != 1 && in_rank(n, 1) != 1)
                return out_elem(n, 0, ELEM_STRING);
        TRY(IN_SIZED(n, 0, &elements));
        TRY(IN_SIZED(n, 1, &elements));
        if (elements.known)
                kept = (struct size){true, out_fresh_at_most(n, 0, 0, elements.dim)};
        return OUT_SIZED(n, 0, &kept);
}

/* DecodeImage: bytes become {height, width, 3}. */
enum ox_code infer_DecodeImage(struct node *n)
{
        struct size height = {0}, width = {0}, three = size_int(3);

        TRY(IN_SIZED(n, 0, NULL));
        return OUT_SIZED(n, 0, &height, &width, &three);
}

/* EncodeImage: {height, width, 3} becomes bytes. */
enum ox_code infer_EncodeImage(struct node *n)
{
        struct size three = size_int(3), bytes = {0};

        TRY(IN_SIZED(n, 0, NULL, NULL, &three));
        return OUT_SIZED(n, 0, &bytes);
}

/* DrawBoundingBoxes: image {height, width, 3}, boxes {num_boxes, 6}. */
enum ox_code infer_DrawBoundingBoxes(struct node *n)
{
        struct size height = {0}, width = {0}, three = size_int(3), six = size_int(6);

        TRY(IN_SIZED(n, 0, &height, &width, &three));
        TRY(IN_SIZED(n, 1, NULL, &six));
        return OUT_SIZED(n, 0, &height, &width, &three);
}
