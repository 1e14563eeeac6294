#include "ops/kit/axes.h"

#include "ops/node/attr.h"

static enum ox_code axis_fault(struct node *n, int64_t axis, int rank)
{
        struct fault fault = {.reason = REASON_AXIS_OUT_OF_RANGE,
                              .input = -1,
                              .axis = -1,
                              .expected = rank > 0 ? arena_printf(n->arena, "[%d, %d]", -rank, rank - 1) : NULL,
                              .actual = arena_printf(n->arena, "%lld", (long long)axis)};

        if (rank == 0)
                return node_error_with(n, &fault, "a scalar has no axis, got axis %s", fault.actual);
        return node_error_with(n, &fault, "axis must be in %s, got %s", fault.expected, fault.actual);
}

enum ox_code axis_normalize(struct node *n, int64_t axis, int rank, int *ret)
{
        if (axis < -(int64_t)rank || axis >= rank)
                return axis_fault(n, axis, rank);
        *ret = (int)(axis < 0 ? axis + rank : axis);
        return OX_OK;
}

enum ox_code axes_normalize(struct node *n, const int64_t *axes, size_t count, int rank, bool *ret_is)
{
        for (int d = 0; d < rank; d++)
                ret_is[d] = false;
        for (size_t i = 0; i < count; i++) {
                int axis;

                TRY(axis_normalize(n, axes[i], rank, &axis));
                if (ret_is[axis])
                        return node_error(n, REASON_DUPLICATE_AXIS, -1, "axis %lld is given twice", (long long)axes[i]);
                ret_is[axis] = true;
        }
        return OX_OK;
}

enum ox_code attr_axis(struct node *n, const char *name, int64_t otherwise, int rank, int *ret)
{
        return axis_normalize(n, attr_int_or(n, name, otherwise), rank, ret);
}

/* A list longer than the limit of ranks fails anyway once the rank is known, so comparing all pairs is bounded. */
enum ox_code axes_distinct(struct node *n, const int64_t *axes, size_t count, int input)
{
        for (size_t k = 0; k < count && count <= (size_t)n->limits->rank; k++)
                for (size_t j = 0; j < k; j++)
                        if (axes[j] == axes[k])
                                return node_error(n, REASON_DUPLICATE_AXIS, input, "axis %lld is given twice",
                                                  (long long)axes[k]);
        return OX_OK;
}
