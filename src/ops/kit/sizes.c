#include "ops/kit/sizes.h"

#include "ops/node/output.h"

enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int i)
{
        struct dim a = dim_resolve(n->dims, *dim), b = dim_resolve(n->dims, other);
        struct dim_fact fact;

        switch (dim_unify(n->dims, a, b, dim)) {
        case DIM_UNIFY_CONFLICT:
                if (dim_fact_against(n->dims, a, b, &fact))
                        return node_error(
                                n, REASON_DIM_MISMATCH, i, "wanted a size of %s, got %s, but %s (%s) takes %s to be %s",
                                dim_text(n->dims, a), dim_text(n->dims, b), fact.because.node, fact.because.op,
                                dim_text(n->dims, fact.symbol), dim_text(n->dims, fact.equal));
                return node_error(n, REASON_DIM_MISMATCH, i, "wanted a size of %s, got %s", dim_text(n->dims, a),
                                  dim_text(n->dims, b));
        case DIM_UNIFY_FACT:
                n->facts->add(n->facts->user, a, "==", b, n);
                return OX_OK;
        case DIM_UNIFY_SAME:
        case DIM_UNIFY_BOUND:
                return OX_OK;
        }
        return OX_OK;
}

bool scalar_as_size(struct node *n, struct scalar s, struct dim *ret)
{
        int64_t lower, upper;

        if (s.kind != SCALAR_INT)
                return false;
        struct dim d = dim_resolve(n->dims, s.d);

        dim_range(n->dims, d, &lower, &upper);
        if (lower < 0)
                return false;
        *ret = d;
        return true;
}

bool element_size(struct node *n, struct scalar element, struct dim *ret)
{
        if (element.kind != SCALAR_INT)
                return false;
        *ret = dim_resolve(n->dims, element.d);
        return true;
}

bool rank_allowed(struct node *n, size_t rank, int input)
{
        if (rank <= (size_t)n->limits->rank)
                return true;
        node_warn(n, REASON_RANK_LIMIT, input,
                  "a rank of %zu is more than the limit of %lld, so the shape is left open", rank,
                  (long long)n->limits->rank);
        return false;
}

struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most)
{
        struct dim fresh;

        if (dim_is(most, 0))
                return most;
        fresh = out_fresh(n, o, axis);

        if (dim_is_int(most) && most.val >= 0)
                dim_assume_le(n->dims, fresh, most.val);
        return fresh;
}

struct dim greater_dim(struct node *n, struct dim a, struct dim b)
{
        if (dim_proves_ge(n->dims, a, b))
                return a;
        if (dim_proves_ge(n->dims, b, a))
                return b;
        return dim_max(n->dims, a, b);
}

struct dim lesser_dim(struct node *n, struct dim a, struct dim b)
{
        if (dim_proves_ge(n->dims, a, b))
                return b;
        if (dim_proves_ge(n->dims, b, a))
                return a;
        return dim_min(n->dims, a, b);
}

struct dim dims_product(struct node *n, const struct dim *dims, int first, int end)
{
        struct dim product = dim_int(1);

        for (int d = first; d < end; d++)
                product = dim_mul(n->dims, product, dims[d]);
        return product;
}
