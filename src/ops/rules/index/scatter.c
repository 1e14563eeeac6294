/* Operators that write elements into a copy of their first input: Scatter, ScatterElements, ScatterND, TensorScatter.
 */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/elements.h"
#include "ops/kit/indices.h"
#include "ops/kit/sizes.h"
#include "ops/rules/index.h"

/* -- Scatter 9-11, ScatterElements 11-18: data, indices and updates have the same rank -- */

enum ox_code infer_ScatterElements(struct node *n)
{
        const struct dim *shape;
        int axis, rank;

        for (int i = 0; i < 3; i++)
                TRY(in_expect_tensor(n, i));
        for (int i = 0; i < 3; i++)
                TRY(in_expect_rank_least(n, i, 1));
        TRY(same_shapes(n, 1, 2, &rank, &shape));
        if (in_has_rank(n, 0)) {
                rank = in_rank(n, 0);
                TRY(in_expect_rank(n, 1, rank));
                TRY(in_expect_rank(n, 2, rank));
        }
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        TRY(attr_axis(n, "axis", 0, rank, &axis));
        if (!in_has_rank(n, 0))
                return out_rank(n, 0, in_elem(n, 0), rank);
        TRY(indices_check(n, 1, in_dim(n, 0, axis)));
        return out_like(n, 0, in_elem(n, 0), 0);
}

/* A copy of the first input's elements, into which the updates are written. NULL if the elements or the output's sizes
   are unknown, or if the updates are combined with the elements (`reduction`, from version 16 on). */
static struct content *scatter_copy(struct node *n, struct grid *ret_grid)
{
        const struct content *data = in_content(n, 0);
        const char *reduction;

        if (!data || !in_content(n, 1) || !out_wanted(n, 0) || !grid_of(n, in_type(n, 0), ret_grid) ||
            (size_t)ret_grid->count != data->count)
                return NULL;
        if (attr_string(n, "reduction", &reduction) && !attr_is(n, "reduction", "none"))
                return NULL;
        struct content *copy = content_new(n->arena, data->count);

        for (size_t k = 0; k < data->count; k++)
                content_set(copy, k, content_at(data, k));
        return copy;
}

static struct scalar update_at(const struct node *n, int64_t position)
{
        const struct content *updates = in_content(n, 2);

        return updates && (size_t)position < updates->count ? content_at(updates, position) : scalar_unknown();
}

/* An unknown index may write anywhere, so it makes all elements unknown. */
void content_ScatterElements(struct node *n)
{
        const struct content *indices = in_content(n, 1);
        struct grid data, from;
        struct content *content = scatter_copy(n, &data);
        int64_t *at;
        int axis;

        if (!content || !grid_of(n, in_type(n, 1), &from) || from.rank != data.rank ||
            (size_t)from.count != indices->count || attr_axis(n, "axis", 0, data.rank, &axis) != OX_OK)
                return;
        at = grid_start(n, &from);
        for (int64_t k = 0; k < from.count; k++, grid_next(&from, at)) {
                int64_t position = 0;

                for (int d = 0; d < data.rank; d++) {
                        int64_t index = at[d];

                        if (d == axis && !scalar_is_number(content_at(indices, k), &index))
                                return;
                        if (!index_normalize(index, data.dim[d], &index))
                                return;
                        position += index * data.stride[d];
                }
                content_set(content, position, update_at(n, k));
        }
        out_content(n, 0, content);
}

/* -- ScatterND 11-18: the last axis of the indices holds tuples, each of which points at a slice of the data -- */

/* The updates have the shape indices.shape[:-1] ++ data.shape[width:]. */
static enum ox_code scatter_nd_updates(struct node *n, int width)
{
        int tuples = in_rank(n, 1) - 1, slice = in_rank(n, 0) - width;

        TRY(in_expect_rank(n, 2, tuples + slice));
        if (!in_has_rank(n, 2))
                return OX_OK;
        for (int d = 0; d < tuples + slice; d++) {
                struct dim wanted = d < tuples ? in_dim(n, 1, d) : in_dim(n, 0, width + d - tuples);

                TRY(in_agree(n, &wanted, 2, d));
        }
        return OX_OK;
}

enum ox_code infer_ScatterND(struct node *n)
{
        struct dim last;

        for (int i = 0; i < 3; i++)
                TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(in_expect_rank_least(n, 1, 1));
        if (in_has_rank(n, 0) && in_has_rank(n, 1)) {
                last = in_dim(n, 1, in_rank(n, 1) - 1);
                if (dim_is_int(last) && last.val > in_rank(n, 0))
                        return tuple_fault(n, in_rank(n, 0));
                if (dim_is_int(last)) {
                        TRY(scatter_nd_updates(n, (int)last.val));
                        TRY(tuples_check(n, 1, 0, (int)last.val));
                }
        }
        return out_like(n, 0, in_elem(n, 0), 0);
}

void content_ScatterND(struct node *n)
{
        const struct content *indices = in_content(n, 1);
        struct grid data, tuples;
        struct content *content = scatter_copy(n, &data);
        int64_t width, inner, count;

        if (!content || !grid_of(n, in_type(n, 1), &tuples) || tuples.rank == 0)
                return;
        width = tuples.dim[tuples.rank - 1];
        count = grid_span(&tuples, 0, tuples.rank - 1);
        if (width < 1 || width > data.rank || (size_t)(count * width) != indices->count)
                return;
        inner = grid_span(&data, (int)width, data.rank);
        for (int64_t t = 0; t < count; t++) {
                int64_t slice = 0, index;

                for (int64_t j = 0; j < width; j++) {
                        if (!scalar_is_number(content_at(indices, t * width + j), &index) ||
                            !index_normalize(index, data.dim[j], &index))
                                return;
                        slice = slice * data.dim[j] + index;
                }
                for (int64_t j = 0; j < inner; j++)
                        content_set(content, slice * inner + j, update_at(n, t * inner + j));
        }
        out_content(n, 0, content);
}

/* -- TensorScatter 24: updates a cache along one axis other than the batch; all other sizes agree -- */

enum ox_code infer_TensorScatter(struct node *n)
{
        struct dim *dims, batch;
        int axis, rank = in_has_rank(n, 0) ? in_rank(n, 0) : in_rank(n, 1);

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_tensor(n, 2));
        if (in_given(n, 2))
                TRY(in_expect_rank(n, 2, 1));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, in_elem(n, 0));
        TRY(in_expect_rank(n, 1, rank));
        TRY(attr_axis(n, "axis", -2, rank, &axis));
        if (axis == 0)
                return node_error(n, REASON_AXIS_OUT_OF_RANGE, 0, "axis must not be 0, which is the batch");
        dims = in_dims(n, in_has_rank(n, 0) ? 0 : 1);
        if (!in_has_rank(n, 0))
                dims[axis] = out_fresh(n, 0, axis);
        for (int d = 0; d < rank && in_has_rank(n, 1); d++) {
                if (d != axis)
                        TRY(in_agree(n, &dims[d], 1, d));
                else if (dim_is_int(dims[d]) && dim_is_int(in_dim(n, 1, d)) && in_dim(n, 1, d).val > dims[d].val)
                        return node_error_at(n, REASON_DIM_MISMATCH, 1, d,
                                             arena_printf(n->arena, "%lld or less", (long long)dims[d].val),
                                             node_number(n, in_dim(n, 1, d).val),
                                             "%s x %s: axis %d of the update must be at most that of the cache, %lld, "
                                             "got %lld",
                                             node_input_text(n, 0), node_input_text(n, 1), d, (long long)dims[d].val,
                                             (long long)in_dim(n, 1, d).val);
        }
        if (in_has_rank(n, 2)) {
                batch = in_dim(n, 2, 0);
                TRY(dim_agree(n, &dims[0], batch, 2));
        }
        return out_tensor(n, 0, in_elem(n, 0), rank, dims);
}
