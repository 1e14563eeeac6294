/* Operators that pick elements by indices: Gather, GatherElements, GatherND. */
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/indices.h"
#include "ops/kit/sizes.h"
#include "ops/rules/index.h"

/* The element of `data` at a position; unknown if the position is. */
static struct scalar element_at(const struct content *data, int64_t position)
{
        return position >= 0 && (size_t)position < data->count ? content_at(data, position) : scalar_unknown();
}

/* -- Gather 1-13: the indices' shape takes the place of `axis` -- */

enum ox_code infer_Gather(struct node *n)
{
        struct dim *dims;
        int axis, rank, indices = in_rank(n, 1);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        TRY(indices_check(n, 1, in_dim(n, 0, axis)));
        if (!in_has_rank(n, 1))
                return out_elem(n, 0, in_elem(n, 0));
        rank = in_rank(n, 0) - 1 + indices;
        dims = arena_new_array(n->arena, struct dim, (size_t)rank);
        for (int d = 0; d < axis; d++)
                dims[d] = in_dim(n, 0, d);
        for (int d = 0; d < indices; d++)
                dims[axis + d] = in_dim(n, 1, d);
        for (int d = axis + 1; d < in_rank(n, 0); d++)
                dims[indices - 1 + d] = in_dim(n, 0, d);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* The elements of a vector, as those of a shape are picked: mostly one. */
static const struct content *pick(struct node *n, const struct content *data, const struct content *indices)
{
        struct content *content = indices->count == 1 ? NULL : content_new(n->arena, indices->count);

        for (size_t i = 0; i < indices->count; i++) {
                int64_t index;
                const bool known = scalar_is_number(content_at(indices, i), &index) &&
                                   index_normalize(index, (int64_t)data->count, &index);
                const struct scalar s = known ? element_at(data, index) : scalar_unknown();

                if (!content)
                        return content_single(n->arena, s);
                content_set(content, i, s);
        }
        return content;
}

/* Treats the data as [outer, axis, inner] and the indices as a flat list. An unknown index makes only its own elements
   unknown. */
void content_Gather(struct node *n)
{
        const struct content *data = in_content(n, 0), *indices = in_content(n, 1);
        struct content *content;
        struct grid in, out;
        int64_t inner, k = 0;
        int axis;

        if (!data || !indices || !out_wanted(n, 0))
                return;
        if (in_rank(n, 0) == 1) {
                out_content(n, 0, pick(n, data, indices));
                return;
        }
        if (!grid_of(n, in_type(n, 0), &in) || !grid_of(n, &n->out[0].type, &out) ||
            attr_axis(n, "axis", 0, in.rank, &axis) != OX_OK)
                return;
        content = content_new(n->arena, (size_t)out.count);
        inner = grid_span(&in, axis + 1, in.rank);
        for (int64_t outer = 0; inner > 0 && indices->count > 0 && k < out.count; outer++) {
                for (size_t i = 0; i < indices->count; i++) {
                        int64_t index;
                        bool known = scalar_is_number(content_at(indices, i), &index) &&
                                     index_normalize(index, in.dim[axis], &index);

                        for (int64_t j = 0; j < inner; j++, k++)
                                content_set(content, k,
                                            known ? element_at(data, (outer * in.dim[axis] + index) * inner + j)
                                                  : scalar_unknown());
                }
        }
        out_content(n, 0, content);
}

/* TorchEmbedding 1 of com.microsoft: weight is N x M; the output's shape is the indices' shape with M appended. */
enum ox_code infer_TorchEmbedding(struct node *n)
{
        TRY(in_expect_rank(n, 0, 2));
        TRY(in_expect_scalar(n, 2));
        TRY(in_expect_scalar(n, 3));
        return infer_Gather(n);
}

/* ShrunkenGather 1 of com.microsoft: Gather with a vector of indices. */
enum ox_code infer_ShrunkenGather(struct node *n)
{
        TRY(in_expect_rank(n, 1, 1));
        return infer_Gather(n);
}

/* -- GatherElements 11-13: the output has the indices' shape -- */

enum ox_code infer_GatherElements(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(in_expect_rank_least(n, 1, 1));
        if (in_has_rank(n, 0)) {
                TRY(in_expect_rank(n, 1, in_rank(n, 0)));
                TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
                TRY(indices_check(n, 1, in_dim(n, 0, axis)));
                if (!in_has_rank(n, 1))
                        return out_rank(n, 0, in_elem(n, 0), in_rank(n, 0));
        } else if (in_has_rank(n, 1)) {
                TRY(attr_axis(n, "axis", 0, in_rank(n, 1), &axis));
        }
        return out_like(n, 0, in_elem(n, 0), 1);
}

void content_GatherElements(struct node *n)
{
        const struct content *data = in_content(n, 0), *indices = in_content(n, 1);
        struct content *content;
        struct grid in, out;
        int64_t *at;
        int axis;

        if (!data || !indices || !out_wanted(n, 0) || !grid_of(n, in_type(n, 0), &in) ||
            !grid_of(n, &n->out[0].type, &out) || out.rank != in.rank || (size_t)out.count != indices->count ||
            attr_axis(n, "axis", 0, in.rank, &axis) != OX_OK)
                return;
        content = content_new(n->arena, (size_t)out.count);
        at = grid_start(n, &out);
        for (int64_t k = 0; k < out.count; k++, grid_next(&out, at)) {
                int64_t index, position = 0;

                content_set(content, k, scalar_unknown());
                if (!scalar_is_number(content_at(indices, k), &index) || !index_normalize(index, in.dim[axis], &index))
                        continue;
                for (int d = 0; d < in.rank; d++)
                        position += (d == axis ? index : at[d]) * in.stride[d];
                content_set(content, k, element_at(data, position));
        }
        out_content(n, 0, content);
}

/* -- GatherND 11-13, and 1 of com.microsoft: the last axis of the indices holds tuples, from 12 on after `batch_dims`
   shared axes -- */

static enum ox_code gather_nd_tuples(struct node *n, int batch, int64_t *ret_width)
{
        struct dim last = in_dim(n, 1, in_rank(n, 1) - 1);

        *ret_width = -1;
        if (!dim_is_int(last))
                return OX_OK;
        if (last.val < 1)
                return node_error_at(n, REASON_DIM_MISMATCH, 1, in_rank(n, 1) - 1, "1 or more",
                                     node_number(n, last.val),
                                     "%s: axis %d, the length of an index, must be 1 or more, got %lld",
                                     node_input_text(n, 1), in_rank(n, 1) - 1, (long long)last.val);
        if (in_has_rank(n, 0) && last.val > in_rank(n, 0) - batch)
                return tuple_fault(n, in_rank(n, 0) - batch);
        *ret_width = last.val;
        return OX_OK;
}

enum ox_code infer_GatherND(struct node *n)
{
        int64_t batch = attr_int_or(n, "batch_dims", 0), width;
        int data = in_rank(n, 0), indices = in_rank(n, 1), rank = 0;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(in_expect_rank_least(n, 1, 1));
        if ((in_has_rank(n, 0) && batch >= data) || (in_has_rank(n, 1) && batch >= indices))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "batch_dims must be less than both ranks, got %lld",
                                  (long long)batch);
        if (!in_has_rank(n, 1))
                return out_elem(n, 0, in_elem(n, 0));
        TRY(gather_nd_tuples(n, (int)batch, &width));
        if (width < 0 || !in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        TRY(tuples_check(n, 1, (int)batch, (int)width));
        dims = arena_new_array(n->arena, struct dim, (size_t)(data + indices));
        for (int d = 0; d < indices - 1; d++) {
                dims[rank] = in_dim(n, 1, d);
                if (d < batch)
                        TRY(in_agree(n, &dims[rank], 0, d));
                rank++;
        }
        for (int d = (int)(batch + width); d < data; d++)
                dims[rank++] = in_dim(n, 0, d);
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}

/* The position in the data to which tuple `tuple` of batch `batch` points, in slices of the remaining axes. */
static bool gather_nd_find(const struct grid *data, int first, int width, int64_t batch, const struct content *indices,
                           size_t tuple, int64_t *ret)
{
        *ret = batch;
        for (int j = 0; j < width; j++) {
                int64_t index;

                if (!scalar_is_number(content_at(indices, tuple + (size_t)j), &index) ||
                    !index_normalize(index, data->dim[first + j], &index))
                        return false;
                *ret = *ret * data->dim[first + j] + index;
        }
        return true;
}

void content_GatherND(struct node *n)
{
        const struct content *data = in_content(n, 0), *indices = in_content(n, 1);
        int batch = (int)attr_int_or(n, "batch_dims", 0), width;
        struct content *content;
        struct grid in, tuples, out;
        int64_t per_batch, inner, k = 0;

        if (!data || !indices || !out_wanted(n, 0) || !grid_of(n, in_type(n, 0), &in) ||
            !grid_of(n, in_type(n, 1), &tuples) || !grid_of(n, &n->out[0].type, &out))
                return;
        content = content_new(n->arena, (size_t)out.count);
        width = (int)tuples.dim[tuples.rank - 1];
        per_batch = grid_span(&tuples, batch, tuples.rank - 1);
        inner = grid_span(&in, batch + width, in.rank);
        for (int64_t t = 0; inner > 0 && per_batch > 0 && k < out.count; t++) {
                int64_t slice;
                bool known = gather_nd_find(&in, batch, width, t / per_batch, indices, (size_t)(t * width), &slice);

                for (int64_t j = 0; j < inner; j++, k++)
                        content_set(content, k, known ? element_at(data, slice * inner + j) : scalar_unknown());
        }
        out_content(n, 0, content);
}
