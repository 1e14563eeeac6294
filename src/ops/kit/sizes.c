#include "ops/kit/sizes.h"

#include "base/bounds.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

/* -- sizes that must agree -- */

/* The axis of another input that has this size, if there is exactly one, so that naming it cannot mislead. */
static struct place only_place(const struct node *n, struct dim size, int input)
{
        struct place found = PLACE_NONE;

        for (int i = 0; i < n->n_in && i < INPUTS_SEARCHED; i++)
                for (int d = 0; i != input && d < in_rank(n, i); d++) {
                        if (!dim_same(in_dim(n, i, d), size))
                                continue;
                        if (found.axis >= 0)
                                return PLACE_NONE;
                        found = (struct place){i, d};
                }
        return found;
}

enum ox_code sizes_differ(struct node *n, struct dim expected, struct place origin, struct dim actual,
                          struct place place, const char *hint)
{
        struct fault fault = {.reason = REASON_DIM_MISMATCH,
                              .input = place.input,
                              .axis = place.axis,
                              .expected = dim_text(n->dims, expected),
                              .actual = dim_text(n->dims, actual),
                              .hint = hint};
        const char *name = node_input_name(n, place.input), *shape = node_input_shape(n, place.input);

        if (origin.axis >= 0 && !dim_same(in_dim(n, origin.input, origin.axis), expected))
                origin = PLACE_ANY;
        if (origin.input == PLACE_ANY.input)
                origin = only_place(n, expected, place.input);
        if (place.axis < 0)
                return node_error_with(n, &fault, "%s %s: expected a size of %s, got %s", name, shape, fault.expected,
                                       fault.actual);
        if (origin.axis < 0)
                return node_error_with(n, &fault, "%s %s: axis %d must be %s, got %s", name, shape, place.axis,
                                       fault.expected, fault.actual);
        if (origin.input == place.input)
                return node_error_with(n, &fault, "%s %s: axes %d and %d must be equal, got %s and %s", name, shape,
                                       origin.axis, place.axis, fault.expected, fault.actual);
        const char *other = node_input_name(n, origin.input);

        return node_error_with(n, &fault, "%s %s x %s %s: axis %d of %s is %s, axis %d of %s is %s", other,
                               node_input_shape(n, origin.input), name, shape, origin.axis, other, fault.expected,
                               place.axis, name, fault.actual);
}

static enum ox_code agree(struct node *n, struct dim *dim, struct place origin, struct dim other, struct place place)
{
        if (dim_same(*dim, other))
                return OX_OK;
        struct dim a = dim_resolve(n->dims, *dim), b = dim_resolve(n->dims, other);
        struct dim_fact fact;
        const char *hint;

        switch (dim_unify(n->dims, a, b, dim)) {
        case DIM_UNIFY_CONFLICT:
                hint = dim_fact_against(n->dims, a, b, &fact)
                               ? arena_printf(n->arena, "%s (%s) takes %s to be %s", fact.because.node, fact.because.op,
                                              dim_text(n->dims, fact.symbol), dim_text(n->dims, fact.equal))
                               : node_said_before(n, b);
                return sizes_differ(n, a, origin, b, place, hint);
        case DIM_UNIFY_FACT:
                node_constrain(n, &(struct dim_condition){a, DIM_EQUAL, b}, place.input);
                return OX_OK;
        case DIM_UNIFY_SAME:
        case DIM_UNIFY_BOUND:
                return OX_OK;
        }
        return OX_OK;
}

enum ox_code in_agree(struct node *n, struct dim *dim, int input, int axis)
{
        return in_agree_with(n, dim, input, axis, PLACE_ANY);
}

enum ox_code in_agree_with(struct node *n, struct dim *dim, int input, int axis, struct place origin)
{
        return agree(n, dim, origin, in_dim(n, input, axis), (struct place){input, axis});
}

enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int input)
{
        return agree(n, dim, PLACE_NONE, other, (struct place){input, -1});
}

/* -- sizes that elements give -- */

/* The axis is named if only one axis of the input has the size. */
static enum ox_code size_fault(struct node *n, struct dim size, const char *expected, int input)
{
        int axis = -1, count = 0;

        for (int d = 0; input >= 0 && d < in_rank(n, input); d++)
                if (dim_same(in_dim(n, input, d), size)) {
                        axis = d;
                        count++;
                }
        const struct fault fault = {.reason = REASON_DIM_MISMATCH,
                                    .input = input,
                                    .axis = count == 1 ? axis : -1,
                                    .expected = expected,
                                    .actual = dim_text(n->dims, size),
                                    .hint = node_said_before(n, size)};

        if (count == 1)
                return node_error_with(n, &fault, "%s: axis %d must be %s, got %s", node_input_text(n, input), axis,
                                       expected, fault.actual);
        if (input < 0 || !in_given(n, input))
                return node_error_with(n, &fault, "expected a size that is %s, got %s", expected, fault.actual);
        return node_error_with(n, &fault, "%s: expected a size that is %s, got %s", node_input_text(n, input), expected,
                               fault.actual);
}

/* Reports the outcome of a requirement on a size: nothing, a condition, or an error that it cannot be `what` `of`. */
static enum ox_code size_required(struct node *n, enum dim_require required, const struct dim_condition *condition,
                                  struct dim size, const char *what, struct dim of, int input)
{
        if (required == DIM_FAILS)
                return size_fault(n, size, arena_printf(n->arena, "%s %s", what, dim_text(n->dims, of)), input);
        if (required == DIM_REQUIRED)
                node_constrain(n, condition, input);
        return OX_OK;
}

enum ox_code size_at_least(struct node *n, struct dim size, struct dim least, int input)
{
        struct dim_condition condition = {.left = size};
        enum dim_require required = dim_require_ge(n->dims, size, least, &condition);

        return size_required(n, required, &condition, size, "at least", least, input);
}

enum ox_code size_divides(struct node *n, struct dim divisor, struct dim size, int input)
{
        struct dim_condition condition = {.left = divisor};
        enum dim_require required = dim_require_divides(n->dims, divisor, size, &condition);

        return size_required(n, required, &condition, size, "a multiple of", divisor, input);
}

enum ox_code in_expect_multiple(struct node *n, int input, int axis, int64_t divisor, const char *what)
{
        struct dim size = in_dim(n, input, axis);

        if (!dim_is_int(size) || size.val % divisor == 0)
                return OX_OK;
        return node_error_at(n, REASON_DIM_MISMATCH, input, axis,
                             arena_printf(n->arena, "a multiple of %lld", (long long)divisor), node_number(n, size.val),
                             "%s: axis %d must be a multiple of %s, %lld, got %lld", node_input_text(n, input), axis,
                             what, (long long)divisor, (long long)size.val);
}

enum ox_code size_quotient(struct node *n, struct dim size, struct dim divisor, int input, struct dim *ret)
{
        TRY(size_divides(n, divisor, size, input));
        *ret = dim_exactdiv(n->dims, size, divisor);
        return OX_OK;
}

bool sizes_broadcast(struct node *n, struct dim a, struct dim b, int input, struct dim *ret)
{
        struct dim_condition condition;

        if (dim_same(a, b) || dim_is(b, 1)) {
                *ret = a;
                return true;
        }
        if (dim_is(a, 1)) {
                *ret = b;
                return true;
        }
        if (!dim_broadcast(n->dims, a, b, ret))
                return false;
        switch (dim_require_broadcast(n->dims, a, b, &condition)) {
        case DIM_HOLDS:
                return true;
        case DIM_FAILS:
                return false;
        case DIM_REQUIRED:
                break;
        }
        if (condition.relation == DIM_EQUAL) {
                switch (dim_unify(n->dims, condition.left, condition.right, ret)) {
                case DIM_UNIFY_CONFLICT:
                        return false;
                case DIM_UNIFY_FACT:
                        break;
                case DIM_UNIFY_SAME:
                case DIM_UNIFY_BOUND:
                        return true;
                }
        }
        node_constrain(n, &condition, input);
        return true;
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
        node_warn(n, REASON_RANK_LIMIT, input, "rank %zu is more than the limit rank, %lld; the shape is left open",
                  rank, (long long)n->limits->rank);
        return false;
}

struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most)
{
        struct dim fresh;

        if (dim_is(most, 0))
                return most;
        fresh = out_fresh(n, o, axis);
        dim_assume_most(n->dims, fresh, most);
        return fresh;
}

void size_between(struct node *n, struct dim size, struct dim a, struct dim b)
{
        int64_t least_a, least_b, most;

        dim_range(n->dims, a, &least_a, &most);
        dim_range(n->dims, b, &least_b, &most);
        dim_assume_ge(n->dims, size, least_a < least_b ? least_a : least_b);
        dim_assume_most(n->dims, size, greater_dim(n, a, b));
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
