/* Inputs of a node. */
#include "ops/node/input.h"

#include <assert.h>

enum ox_code in_tensor_fault(struct node *n, int i)
{
        struct buf buf;

        buf_init(&buf, n->arena);
        if (!type_print(in_type(n, i), &buf))
                buf_puts(&buf, "no tensor");
        return node_error(n, REASON_TYPE_MISMATCH, i, "input %d must be a tensor, got %s", i, buf_text(&buf));
}

struct dim in_dim(const struct node *n, int i, int axis)
{
        assert(in_has_rank(n, i) && axis >= 0 && axis < in_rank(n, i));
        struct dim d = n->in[i]->type.dim[axis];

        return dim_is_int(d) ? d : dim_resolve(n->dims, d);
}

const struct dim *in_shape_resolved(const struct node *n, int i)
{
        const struct dim *dims = in_type(n, i)->dim;

        assert(in_has_rank(n, i));
        for (int d = 0; d < in_rank(n, i); d++)
                if (!dim_is_int(dims[d]) && !dim_same(dim_resolve(n->dims, dims[d]), dims[d]))
                        return in_dims(n, i);
        return dims;
}

struct dim *in_dims(const struct node *n, int i)
{
        int rank = in_rank(n, i);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, i, d);
        return dims;
}

bool in_has_content(const struct node *n, int i)
{
        return in_given(n, i) && n->in[i]->content;
}

const struct content *in_content(const struct node *n, int i)
{
        return in_given(n, i) ? content_read(n->in[i]->content) : NULL;
}

bool in_int(const struct node *n, int i, int64_t *ret)
{
        const struct content *content = in_content(n, i);

        return content && content->count == 1 && scalar_is_number(content_at(content, 0), ret);
}

bool in_length(const struct node *n, int i, bool scalar_too, int64_t *ret)
{
        int rank = in_rank(n, i);

        if (rank == 0 && scalar_too) {
                *ret = 1;
                return true;
        }
        if (rank != 1)
                return false;
        struct dim length = in_dim(n, i, 0);

        if (!dim_is_int(length))
                return false;
        *ret = length.val;
        return true;
}

enum ox_code in_rank_fault(struct node *n, int i, const char *expected)
{
        return node_error_at(n, REASON_RANK_MISMATCH, i, -1, expected, node_number(n, in_rank(n, i)),
                             "%s: expected rank %s, got %d", node_input_text(n, i), expected, in_rank(n, i));
}

enum ox_code in_expect_rank(struct node *n, int i, int rank)
{
        if (in_has_rank(n, i) && in_rank(n, i) != rank)
                return in_rank_fault(n, i, node_number(n, rank));
        return OX_OK;
}

enum ox_code in_expect_rank_least(struct node *n, int i, int least)
{
        if (in_has_rank(n, i) && in_rank(n, i) < least)
                return in_rank_fault(n, i, arena_printf(n->arena, "%d or more", least));
        return OX_OK;
}

enum ox_code in_expect_rank_most(struct node *n, int i, int most)
{
        if (in_has_rank(n, i) && in_rank(n, i) > most)
                return in_rank_fault(n, i, arena_printf(n->arena, "%d or less", most));
        return OX_OK;
}

enum ox_code in_expect_scalar(struct node *n, int i)
{
        int64_t length;

        TRY(in_expect_tensor(n, i));
        if (in_rank(n, i) > 1)
                return in_expect_rank(n, i, 0);
        if (!in_length(n, i, false, &length) || length == 1)
                return OX_OK;
        return node_error_at(n, REASON_LENGTH_MISMATCH, i, 0, "1", node_number(n, length),
                             "%s must be a scalar, got %lld elements", node_input_name(n, i), (long long)length);
}

enum ox_code in_expect_same_elem(struct node *n, int i, int j)
{
        enum elem a = in_elem(n, i), b = in_elem(n, j);

        if (a != ELEM_UNDEFINED && b != ELEM_UNDEFINED && a != b)
                return node_error(n, REASON_TYPE_MISMATCH, j, "input %d must be of input %d's element type %s, got %s",
                                  j, i, elem_name((int)a), elem_name((int)b));
        return OX_OK;
}
