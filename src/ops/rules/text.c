/* Operators on texts. */
#include "ops/rules/text.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/sizes.h"

/* StringConcat (20): the inputs broadcast. */
enum ox_code infer_StringConcat(struct node *n)
{
        int rank;
        const struct dim *dims;

        TRY(broadcast_inputs(n, 0, 2, &rank, &dims));
        return rank == RANK_UNKNOWN ? out_elem(n, 0, ELEM_STRING) : out_tensor(n, 0, ELEM_STRING, rank, dims);
}

/* StringSplit (20): the last axis of the substrings is as long as the text with the most substrings needs, at most
   maxsplit + 1. */
enum ox_code infer_StringSplit(struct node *n)
{
        int64_t most;

        TRY(in_expect_tensor(n, 0));
        TRY(out_like(n, 1, ELEM_INT64, 0));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, ELEM_STRING);

        int rank = in_rank(n, 0);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, 0, d);
        dims[rank] = out_fresh(n, 0, rank);
        if (attr_int(n, "maxsplit", &most) && most >= 0 && most < INT64_MAX)
                dim_assume_le(n->dims, dims[rank], most + 1);
        return out_tensor(n, 0, ELEM_STRING, rank + 1, dims);
}

/* StringNormalizer (10): [C] or [1, C]. Stop words remove elements; if none is left, the output is one empty text. */
enum ox_code infer_StringNormalizer(struct node *n)
{
        const struct model_attribute *stopwords = attr_find(n, "stopwords");

        if (!in_has_rank(n, 0))
                return out_elem(n, 0, ELEM_STRING);
        int rank = in_rank(n, 0);
        if (rank != 1 && rank != 2)
                return in_rank_fault(n, 0, "1 or 2");
        struct dim *dims = in_dims(n, 0);
        if (rank == 2)
                TRY(dim_agree(n, &dims[0], dim_int(1), 0));
        struct dim most = dim_max(n->dims, dims[rank - 1], dim_int(1));
        dims[rank - 1] = most;
        if (stopwords && attribute_count(stopwords, HELD_STRINGS) > 0 && !dim_is(most, 1)) {
                dims[rank - 1] = out_fresh(n, 0, rank - 1);
                dim_assume_ge(n->dims, dims[rank - 1], 1);
                if (dim_is_int(most))
                        dim_assume_le(n->dims, dims[rank - 1], most.val);
        }
        return out_tensor(n, 0, ELEM_STRING, rank, dims);
}

/* RegexFullMatch (20) */
enum ox_code infer_RegexFullMatch(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, ELEM_BOOL, 0);
}

/* TfIdfVectorizer (9): a row of max(ngram_indexes) + 1 counts for each row of the input. */
enum ox_code infer_TfIdfVectorizer(struct node *n)
{
        const int64_t *indexes;
        size_t count = 0;
        int64_t greatest = 0;

        TRY(in_expect_tensor(n, 0));
        attr_ints(n, "ngram_indexes", &indexes, &count);
        for (size_t i = 0; i < count; i++)
                if (indexes[i] > greatest)
                        greatest = indexes[i];
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, ELEM_FLOAT);
        int rank = in_rank(n, 0);
        if (rank != 1 && rank != 2)
                return in_rank_fault(n, 0, "1 or 2");
        struct dim *dims = in_dims(n, 0);
        dims[rank - 1] = dim_add(n->dims, dim_int(greatest), dim_int(1));
        return out_tensor(n, 0, ELEM_FLOAT, rank, dims);
}
