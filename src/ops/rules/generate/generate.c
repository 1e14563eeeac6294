/* Operators that create a tensor from attributes or a few numbers: constants, Range, windows, random tensors. */
#include "ops/rules/generate.h"
#include "ops/kit/arith.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/node/tensor.h"

#include "base/checked.h"

/* -- ConstantOfShape 9-25: an empty shape gives a scalar; the elements are that of `value`, a float 0 by default -- */

/* The shape must be a vector. Known elements of a tensor of another rank are used in order, with a warning, as ONNX's
   own inference does. */
static enum ox_code constant_sizes(struct node *n, struct list *ret)
{
        const struct content *content = in_content(n, 0);

        if (!content || in_rank(n, 0) == 1)
                return list_get(n, NULL, 0, false, ret);
        node_warn(n, REASON_RANK_MISMATCH, 0, "the shape must have rank 1, got %d", in_rank(n, 0));
        *ret = list_of(content);
        return OX_OK;
}

enum ox_code infer_ConstantOfShape(struct node *n)
{
        const struct model_tensor *value = attr_tensor(n, "value");
        struct type type = {.elem = ELEM_FLOAT};
        const char *fault = NULL;
        struct list sizes;
        struct dim *dims, one;

        TRY(constant_sizes(n, &sizes));
        if (in_elem(n, 0) != ELEM_UNDEFINED && in_elem(n, 0) != ELEM_INT64)
                return node_error(n, REASON_TYPE_MISMATCH, 0, "the shape must be of int64, got %s",
                                  elem_name((int)in_elem(n, 0)));
        if (value && !tensor_type(n->arena, n->limits, value, &type, &fault))
                return node_error(n, REASON_TENSOR_INVALID, -1, "the attribute value: %s", fault);
        if (value && type_elements(n->dims, &type, &one) && !dim_is(one, 1))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "value must have one element");
        if (sizes.state != LIST_KNOWN || !rank_allowed(n, sizes.count, 0))
                return out_elem(n, 0, type.elem);
        dims = arena_new_array(n->arena, struct dim, sizes.count);
        for (int d = 0; d < (int)sizes.count; d++) {
                if (!element_size(n, list_at(&sizes, d), &dims[d]))
                        dims[d] = out_fresh(n, 0, d);
        }
        return out_tensor(n, 0, type.elem, (int)sizes.count, dims);
}

/* Elements that are all one, made when something asks for them: most fill weights, which decide no shape. */
struct filled {
        struct content content;
        struct unread unread;
        struct scalar fill;
};

static const struct content *fill_content(struct unread *unread)
{
        const struct filled *filled = unread->source;
        struct content *content = content_new(unread->arena, filled->content.count);

        for (size_t k = 0; k < content->count; k++)
                content_set(content, k, filled->fill);
        return content;
}

void content_ConstantOfShape(struct node *n)
{
        const struct model_tensor *value = attr_tensor(n, "value");
        const struct content *element;
        struct scalar fill = scalar_float(0);
        struct grid out;

        if (value) {
                element = tensor_content(n->arena, n->limits, value, NULL);
                if (!element || element->count != 1)
                        return;
                fill = content_at(element, 0);
        }
        if (!out_wanted(n, 0) || !grid_of(n, &n->out[0].type, &out))
                return;
        struct filled *filled = arena_new_array(n->arena, struct filled, 1);

        *filled = (struct filled){
                .content = {.count = (size_t)out.count, .unread = &filled->unread},
                .unread = {.fetch = fill_content, .arena = n->arena, .source = filled},
                .fill = fill,
        };
        out_content(n, 0, &filled->content);
}

/* -- Range 11-27, and 1 of com.microsoft, where delta is optional: max(ceil((limit - start) / delta), 0) elements -- */

/* start, limit and delta, which is 1 if omitted. */
static enum ox_code range_scalars(struct node *n, struct scalar *ret)
{
        for (int i = 0; i < 3; i++) {
                const struct content *content = in_content(n, i);

                TRY(in_expect_scalar(n, i));
                ret[i] = content && content->count == 1 ? content_at(content, 0) : scalar_unknown();
        }
        if (!in_given(n, 2))
                ret[2] = ret[0].kind == SCALAR_FLOAT ? scalar_float(1) : scalar_int(dim_int(1));
        return OX_OK;
}

/* The count for known integers: the distance of two int64 fits into a uint64. */
static bool range_integers(const struct scalar *operands, struct dim *ret)
{
        int64_t start, limit, delta;
        uint64_t distance, step, count;

        if (!scalar_is_number(operands[0], &start) || !scalar_is_number(operands[1], &limit) ||
            !scalar_is_number(operands[2], &delta))
                return false;
        *ret = dim_int(0);
        if (delta > 0 ? limit <= start : limit >= start)
                return true;
        distance = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
        step = delta > 0 ? (uint64_t)delta : -(uint64_t)delta;
        count = (distance - 1) / step + 1;
        *ret = dim_int((int64_t)count);
        return count <= INT64_MAX;
}

/* The count for an unknown delta: if it cannot be negative it is positive, since it must not be 0. */
static bool range_symbolic(struct node *n, const struct scalar *operands, struct dim *ret)
{
        struct dim zero = dim_int(0), span;
        int64_t start, limit, distance;

        for (int i = 0; i < 3; i++)
                if (operands[i].kind != SCALAR_INT)
                        return false;
        if (dim_is_int(operands[2].d) || !dim_proves_ge(n->dims, operands[2].d, zero))
                return false;
        *ret = zero;
        if (scalar_is_number(operands[0], &start) && scalar_is_number(operands[1], &limit)) {
                if (limit <= start)
                        return true;
                if (!sub_i64(limit, start, &distance))
                        return false;
        }
        span = dim_sub(n->dims, operands[1].d, operands[0].d);
        if (!dim_proves_ge(n->dims, zero, span))
                *ret = greater_dim(n, dim_ceildiv(n->dims, span, operands[2].d), zero);
        return true;
}

/* The count for fractions. Denominators are powers of two, so the larger one is a common denominator. */
static bool range_exact(struct node *n, const struct scalar *operands, struct dim *ret)
{
        struct dim start, limit, delta, span;
        int64_t start_den, limit_den, delta_den, den, step;

        if (!scalar_fraction(operands[0], &start, &start_den) || !scalar_fraction(operands[1], &limit, &limit_den) ||
            !scalar_fraction(operands[2], &delta, &delta_den) || !dim_is_int(delta) || delta.val == INT64_MIN)
                return false;
        den = start_den > limit_den ? start_den : limit_den;
        span = dim_sub(n->dims, dim_mul(n->dims, limit, dim_int(den / limit_den)),
                       dim_mul(n->dims, start, dim_int(den / start_den)));
        span = dim_mul(n->dims, span, dim_int(delta_den));
        if (delta.val < 0)
                span = dim_sub(n->dims, dim_int(0), span);
        if (!mul_i64(delta.val < 0 ? -delta.val : delta.val, den, &step))
                return false;
        if (step != 1)
                span = dim_ceildiv(n->dims, span, dim_int(step));
        *ret = greater_dim(n, span, dim_int(0));
        return true;
}

static bool float_count(double span, double delta, int64_t *ret)
{
        double quotient = span / delta;

        if (!(quotient < 0x1p53))
                return false;
        *ret = quotient <= 0 ? 0 : (int64_t)quotient + (quotient > (double)(int64_t)quotient);
        return true;
}

/* The count for other floats. The text does not give the precision, and runtimes differ: the count is unknown if that
   decides. */
static bool range_float(const struct scalar *operands, enum elem elem, struct dim *ret)
{
        double start = operands[0].f, limit = operands[1].f, delta = operands[2].f;
        double rounded = float_round(elem, limit - start);
        int64_t exact, mixed, narrow;

        for (int i = 0; i < 3; i++)
                if (operands[i].kind != SCALAR_FLOAT)
                        return false;
        if (!float_count(limit - start, delta, &exact) || !float_count(rounded, delta, &mixed) ||
            !float_count(float_round(elem, rounded / delta), 1, &narrow) || exact != mixed || exact != narrow)
                return false;
        *ret = dim_int(exact);
        return true;
}

/* Integers from one number to another are no more than these are apart, whatever the step. */
static struct dim range_fresh(struct node *n, const struct scalar *operands)
{
        struct dim start = operands[0].d, limit = operands[1].d;
        int64_t apart;

        if (operands[0].kind != SCALAR_INT || operands[1].kind != SCALAR_INT || !dim_is_int(start) ||
            !sub_i64(limit.val, start.val, &apart) || apart == INT64_MIN)
                return out_fresh(n, 0, 0);
        if (dim_is_int(limit))
                return out_fresh_at_most(n, 0, 0, dim_int(apart < 0 ? -apart : apart));
        return out_fresh_at_most(n, 0, 0,
                                 greater_dim(n, dim_sub(n->dims, limit, start), dim_sub(n->dims, start, limit)));
}

enum ox_code infer_Range(struct node *n)
{
        struct dim *length = arena_new_array(n->arena, struct dim, 1);
        struct scalar operands[3];
        enum elem elem = ELEM_UNDEFINED;

        TRY(range_scalars(n, operands));
        for (int i = 0; i < 3; i++) {
                TRY(in_expect_same_elem(n, 0, i));
                if (elem == ELEM_UNDEFINED)
                        elem = in_elem(n, i);
        }
        if ((operands[2].kind == SCALAR_INT && dim_is(operands[2].d, 0)) ||
            (operands[2].kind == SCALAR_FLOAT && operands[2].f == 0))
                return node_error(n, REASON_STEP_ZERO, 2, "delta must not be 0");
        if (!range_integers(operands, length) && !range_symbolic(n, operands, length) &&
            !range_exact(n, operands, length) && !range_float(operands, elem, length))
                *length = range_fresh(n, operands);
        return out_tensor(n, 0, elem, 1, length);
}

/* Only integer elements are known: floats depend on the order in which a runtime adds. */
void content_Range(struct node *n)
{
        struct scalar operands[3], start, delta;
        struct content *content;
        struct grid out;

        if (range_scalars(n, operands) != OX_OK || !out_wanted(n, 0) || !grid_of(n, &n->out[0].type, &out))
                return;
        start = operands[0];
        delta = operands[2];
        if (start.kind != SCALAR_INT || delta.kind != SCALAR_INT)
                return;
        content = content_new(n->arena, (size_t)out.count);
        for (int64_t k = 0; k < out.count; k++)
                content_set(content, k, scalar_int(dim_add(n->dims, start.d, dim_mul(n->dims, delta.d, dim_int(k)))));
        out_content(n, 0, content);
}

/* -- EyeLike, Random*, Bernoulli, Multinomial: shapes of an input or an attribute, types of `dtype` -- */

/* EyeLike 9-22: two dimensions. */
enum ox_code infer_EyeLike(struct node *n)
{
        enum elem elem;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank(n, 0, 2));
        elem = attr_elem(n, "dtype", in_elem(n, 0));
        return in_has_rank(n, 0) ? out_like(n, 0, elem, 0) : out_rank(n, 0, elem, 2);
}

/* RandomNormalLike, RandomUniformLike 1-22, Bernoulli 15-22. */
enum ox_code infer_random_like(struct node *n)
{
        enum elem elem;

        TRY(in_expect_tensor(n, 0));
        elem = attr_elem(n, "dtype", in_elem(n, 0));
        return out_like(n, 0, elem, 0);
}

/* RandomNormal, RandomUniform 1-22. */
enum ox_code infer_random(struct node *n)
{
        const int64_t *shape;
        struct dim *dims;
        enum elem elem;
        size_t count;

        elem = attr_elem(n, "dtype", ELEM_FLOAT);
        if (!attr_ints(n, "shape", &shape, &count) || !rank_allowed(n, count, -1))
                return out_elem(n, 0, elem);
        dims = arena_new_array(n->arena, struct dim, count);
        for (size_t k = 0; k < count; k++)
                dims[k] = dim_int(shape[k]);
        return out_tensor(n, 0, elem, (int)count, dims);
}

/* Multinomial 7-22: [batch, classes] gives [batch, samples]. */
enum ox_code infer_Multinomial(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);
        enum elem elem;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank(n, 0, 2));
        elem = attr_elem(n, "dtype", ELEM_INT32);
        dims[0] = in_has_rank(n, 0) ? in_dim(n, 0, 0) : out_fresh(n, 0, 0);
        dims[1] = dim_int(attr_int_or(n, "sample_size", 1));
        return out_tensor(n, 0, elem, 2, dims);
}

/* -- HannWindow, HammingWindow, BlackmanWindow 17, MelWeightMatrix 17 -- */

/* Reads a scalar operand as a size; false if it is unknown. A negative number is an error. */
static enum ox_code size_operand(struct node *n, int i, struct dim *ret, bool *ret_known)
{
        const struct content *content = in_content(n, i);
        int64_t number;

        *ret_known = false;
        TRY(in_expect_scalar(n, i));
        if (!content || content->count != 1)
                return OX_OK;
        if (scalar_is_number(content_at(content, 0), &number) && number < 0)
                return node_error_at(n, REASON_NEGATIVE_SIZE, i, -1, "0 or more", node_number(n, number),
                                     "%s must be 0 or more, got %lld", node_input_name(n, i), (long long)number);
        *ret_known = element_size(n, content_at(content, 0), ret);
        return OX_OK;
}

enum ox_code infer_window(struct node *n)
{
        struct dim *length = arena_new_array(n->arena, struct dim, 1);
        enum elem elem;
        bool known;

        elem = attr_elem(n, "output_datatype", ELEM_FLOAT);
        TRY(size_operand(n, 0, length, &known));
        if (!known)
                *length = out_fresh(n, 0, 0);
        return out_tensor(n, 0, elem, 1, length);
}

/* [floor(dft_length / 2) + 1, num_mel_bins] */
enum ox_code infer_MelWeightMatrix(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);
        enum elem elem;
        bool known;

        elem = attr_elem(n, "output_datatype", ELEM_FLOAT);
        TRY(size_operand(n, 1, &dims[0], &known));
        if (known)
                dims[0] = dim_add(n->dims, dim_floordiv(n->dims, dims[0], dim_int(2)), dim_int(1));
        else
                dims[0] = out_fresh(n, 0, 0);
        TRY(size_operand(n, 0, &dims[1], &known));
        if (!known)
                dims[1] = out_fresh(n, 0, 1);
        for (int i = 2; i < 5; i++) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_rank(n, i, 0));
        }
        return out_tensor(n, 0, elem, 2, dims);
}
