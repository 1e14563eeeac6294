#include "ops/kit/sized.h"

#include "ops/kit/sizes.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

struct size size_int(int64_t value)
{
        return (struct size){.known = true, .dim = dim_int(value)};
}

struct size size_add(struct node *n, struct size a, struct size b)
{
        if (!a.known || !b.known)
                return (struct size){0};
        return (struct size){.known = true, .dim = dim_add(n->dims, a.dim, b.dim)};
}

struct size size_times(struct node *n, int64_t factor, struct size a)
{
        return size_product(n, size_int(factor), a);
}

struct size size_product(struct node *n, struct size a, struct size b)
{
        if (!a.known || !b.known)
                return (struct size){0};
        return (struct size){.known = true, .dim = dim_mul(n->dims, a.dim, b.dim)};
}

enum ox_code size_part(struct node *n, struct size a, int64_t parts, int input, struct size *ret)
{
        *ret = (struct size){.known = a.known};
        if (!a.known)
                return OX_OK;
        if (dim_is_int(a.dim) && a.dim.val % parts != 0)
                return node_error(n, REASON_DIM_MISMATCH, input, "%lld is not divisible into %lld equal parts",
                                  (long long)a.dim.val, (long long)parts);
        ret->dim = dim_exactdiv(n->dims, a.dim, dim_int(parts));
        return OX_OK;
}

enum ox_code size_at(struct node *n, struct size *size, int i, int axis)
{
        if (!in_has_rank(n, i))
                return OX_OK;
        if (size->known)
                return in_agree(n, &size->dim, i, axis);
        *size = (struct size){.known = true, .dim = in_dim(n, i, axis)};
        return OX_OK;
}

enum ox_code size_is(struct node *n, struct size *size, struct size other, int i)
{
        if (!other.known)
                return OX_OK;
        if (size->known)
                return dim_agree(n, &size->dim, other.dim, i);
        *size = other;
        return OX_OK;
}

enum ox_code size_at_or_one(struct node *n, struct size *size, int i, int axis)
{
        if (!in_has_rank(n, i) || !dim_is_int(in_dim(n, i, axis)) || dim_is(in_dim(n, i, axis), 1))
                return OX_OK;
        return size_at(n, size, i, axis);
}

enum ox_code in_sized(struct node *n, int i, int rank, struct size *const *sizes)
{
        if (!in_given(n, i))
                return OX_OK;
        TRY(in_expect_tensor(n, i));
        TRY(in_expect_rank(n, i, rank));
        for (int d = 0; d < rank; d++)
                if (sizes[d])
                        TRY(size_at(n, sizes[d], i, d));
        return OX_OK;
}

enum ox_code out_sized(struct node *n, int o, int rank, struct size *const *sizes)
{
        if (!out_wanted(n, o))
                return OX_OK;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++) {
                if (!sizes[d] || !sizes[d]->known)
                        dims[d] = out_fresh(n, o, d);
                else
                        dims[d] = dim_resolve(n->dims, sizes[d]->dim);
                if (sizes[d])
                        *sizes[d] = (struct size){.known = true, .dim = dims[d]};
        }
        return out_tensor(n, o, out_row_elem(n, o), rank, dims);
}

enum ox_code in_size(struct node *n, int i, struct size *ret)
{
        const struct content *content = in_content(n, i);

        *ret = (struct size){0};
        if (!content || content->count != 1 || !element_size(n, content_at(content, 0), &ret->dim))
                return OX_OK;
        if (dim_is_int(ret->dim) && ret->dim.val < 0)
                return node_error(n, REASON_NEGATIVE_SIZE, i, "input %d is a size, got %lld", i,
                                  (long long)ret->dim.val);
        ret->known = true;
        return OX_OK;
}
