/* Resize and Upsample: sizes, or scales by which input sizes are multiplied, rounding down. */
#include <math.h>

#include "ops/kit/axes.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/image.h"

/* Sizes up to here are exact in float32, in which runtimes multiply. */
#define EXACT_SIZE (1 << 24)
/* A scale with at most this many significant bits, times a size that occurs in models, is exact in float32. */
#define SHORT_MANTISSA (1 << 12)
/* Of a fraction that stands for a scale. Sizes up to 2^15 times the former are below 2^23. */
#define FRACTION_ABOVE 256
#define FRACTION_BELOW 4096

/* -- scales -- */

/* floor(size * scale), of float32 numbers: scales are float32, and runtimes and the standard's own inference multiply
   in it. If roi selects a part of the axis, the order of multiplications matters as well: a product that differs from
   the exact one gives a fresh symbol. */
static struct dim scale_number(struct node *n, int axis, int64_t size, double scale, bool is_part)
{
        double exact = floor((double)size * scale), runtime = floor((double)((float)size * (float)scale));

        if (!(exact < 9007199254740992.0) || (size <= EXACT_SIZE && is_part && exact != runtime))
                return out_fresh(n, 0, axis);
        return dim_int((int64_t)(size <= EXACT_SIZE ? runtime : exact));
}

/* A fraction near a scale. */
struct fraction {
        int64_t above, below;
};

/* What above * size / below is beside the product of size and scale: in multiples of 2^-25 of it, above 0 where it is
   greater. Exact, for both have few bits. */
static double excess(struct fraction f, double scale)
{
        return ldexp((double)f.above - scale * (double)f.below, 25) / (double)f.above;
}

/* The fraction of small numbers that is nearest to a float32; false if none is as near as 2^-23 of it. */
static bool fraction_near(double scale, struct fraction *ret)
{
        struct fraction before = {0, 1}, f = {1, 0};
        double rest = scale;

        if (!(scale < FRACTION_ABOVE) || scale != (double)(float)scale)
                return false;
        /* By its continued fraction. The denominators grow at least as fast as Fibonacci's numbers. */
        for (;;) {
                int64_t whole = (int64_t)floor(rest);
                struct fraction next = {whole * f.above + before.above, whole * f.below + before.below};

                before = f;
                f = next;
                if (f.above > FRACTION_ABOVE || f.below > FRACTION_BELOW)
                        return false;
                if (f.above > 0 && fabs(excess(f, scale)) <= 4) {
                        *ret = f;
                        return true;
                }
                if (rest - (double)whole < 1.0 / (2 * FRACTION_BELOW))
                        return false;
                rest = 1 / (rest - (double)whole);
        }
}

/* Whether floor(size * scale) in float32 is above*size // below for every size with above*size < 2^23: 7*N//10 for 0.7,
   though that float is less than 7/10. Where the fraction is an integer m, rounding makes m of what lies less than
   2^-25 of it below m; where it is none, it lies at least 1/below away from the next one, and the float's error and
   that of rounding are less. In double, of which the specification does not speak either, 10 * 0.7 would be 6. */
static bool is_exact_fraction(struct fraction f, double scale)
{
        double by = excess(f, scale);

        return by < 1 && by >= -2;
}

static struct dim fraction_of(struct node *n, struct dim size, struct fraction f)
{
        return dim_floordiv(n->dims, dim_mul(n->dims, size, dim_int(f.above)), dim_int(f.below));
}

/* What rounds somewhere is at most the size times what is next to the scale above it: a fraction, or an integer, which
   a size below EXACT_SIZE does not round past. */
static struct dim scale_fresh(struct node *n, int axis, struct dim size, double scale, const struct fraction *near)
{
        if (!(scale < EXACT_SIZE))
                return out_fresh(n, 0, axis);
        if (near && excess(*near, scale) >= 0)
                return out_fresh_at_most(n, 0, axis, fraction_of(n, size, *near));
        return out_fresh_at_most(n, 0, axis, dim_mul(n->dims, size, dim_int((int64_t)ceil(scale))));
}

/* The same for a symbolic size, for scales p / 2^k such as 2 and 0.5 and for those next to a fraction of small
   numbers. */
static struct dim scale_symbol(struct node *n, int axis, struct dim size, double scale, bool is_part)
{
        int exponent;
        double mantissa = frexp(scale, &exponent);
        int64_t whole = 0, shift = 0;

        while (shift < 12 && mantissa != floor(mantissa)) {
                mantissa *= 2;
                shift++;
        }
        if (mantissa != floor(mantissa) || mantissa > SHORT_MANTISSA || exponent > 30 || exponent < -30) {
                struct fraction near = {0};
                bool is_near = !is_part && fraction_near(scale, &near);

                return is_near && is_exact_fraction(near, scale)
                               ? fraction_of(n, size, near)
                               : scale_fresh(n, axis, size, scale, is_near ? &near : NULL);
        }
        whole = (int64_t)mantissa;
        shift -= exponent;
        if (shift <= 0)
                return dim_mul(n->dims, size, dim_int(whole << -shift));
        return dim_floordiv(n->dims, dim_mul(n->dims, size, dim_int(whole)), dim_int((int64_t)1 << shift));
}

static struct dim scale_size(struct node *n, int axis, struct dim size, double scale, double part)
{
        if (part * scale == 1.0 || dim_is(size, 0))
                return size;
        return dim_is_int(size) ? scale_number(n, axis, size.val, part * scale, part != 1.0)
                                : scale_symbol(n, axis, size, part * scale, part != 1.0);
}

static enum ox_code scale_check(struct node *n, double scale, double least, int input)
{
        if (isfinite(scale) && scale > 0 && scale >= least)
                return OX_OK;
        return node_error(n, REASON_ATTRIBUTE_VALUE, input, "scales must be %s, got %g",
                          least > 0 ? "at least 1" : "greater than 0", scale);
}

/* One axis resized by an element of scales; `part` is the fraction that roi selects (Resize from 11 on). */
static enum ox_code scale_axis(struct node *n, int axis, struct scalar scale, double part, int input, struct dim *dim)
{
        if (scale.kind == SCALAR_RATIO && !scalar_is_rounded(scale) && part == 1.0) {
                *dim = dim_floordiv(n->dims, dim_mul(n->dims, *dim, scale.d), dim_int(scale.den));
                return OX_OK;
        }
        if (scale.kind != SCALAR_FLOAT) {
                *dim = out_fresh(n, 0, axis);
                return OX_OK;
        }
        TRY(scale_check(n, scale.f, 0, input));
        if (isnan(part) || part < 0)
                *dim = out_fresh(n, 0, axis);
        else
                *dim = scale_size(n, axis, *dim, scale.f, part);
        return OX_OK;
}

/* -- Resize -- */

/* The operands of Resize: axes, and their scales or sizes. */
struct resize {
        size_t count;        /* axes */
        const int64_t *axes; /* within the rank; NULL: all, in order */
        int scales_at;       /* inputs; -1: this version has none */
        int sizes_at;
        struct list scales, sizes; /* an empty input counts as omitted */
        struct list roi;           /* absent unless tf_crop_and_resize */
};

static enum ox_code operand_get(struct node *n, int i, struct list *ret)
{
        *ret = (struct list){.state = LIST_ABSENT};
        if (i >= 0)
                TRY(list_get(n, NULL, i, false, ret));
        if (ret->state == LIST_KNOWN && ret->count == 0)
                ret->state = LIST_ABSENT;
        return OX_OK;
}

static enum ox_code resize_axes(struct node *n, int rank, struct resize *r)
{
        const int64_t *given;
        size_t count;

        r->count = (size_t)rank;
        if (!op_find_attr(n->row, "axes") || !attr_ints(n, "axes", &given, &count) || count == 0)
                return OX_OK;
        bool *seen = arena_zalloc(n->arena, (size_t)rank + 1);
        int64_t *axes = arena_new_array(n->arena, int64_t, count);

        TRY(axes_normalize(n, given, count, rank, seen));
        for (size_t k = 0; k < count; k++)
                axes[k] = given[k] < 0 ? given[k] + rank : given[k];
        r->count = count;
        r->axes = axes;
        return OX_OK;
}

static int resize_axis(const struct resize *r, size_t k)
{
        return r->axes ? (int)r->axes[k] : (int)k;
}

static enum ox_code resize_operands(struct node *n, struct resize *r)
{
        bool old = n->row->since < 11;

        r->scales_at = old ? 1 : 2;
        r->sizes_at = old ? -1 : 3;
        TRY(operand_get(n, r->scales_at, &r->scales));
        TRY(operand_get(n, r->sizes_at, &r->sizes));
        TRY(list_of_sizes(n, &r->sizes, r->sizes_at));
        TRY(operand_get(n, !old && attr_is(n, "coordinate_transformation_mode", "tf_crop_and_resize") ? 1 : -1,
                        &r->roi));
        /* In version 11 scales are required, and sizes take precedence if both have elements. If sizes may have
           elements, it is open whether scales decide. */
        if (n->row->since == 11 && r->sizes.state != LIST_ABSENT && !in_content(n, r->scales_at))
                r->scales.state = r->sizes.state == LIST_KNOWN ? LIST_ABSENT : LIST_UNKNOWN;
        if (r->scales.state == LIST_KNOWN && r->sizes.state == LIST_KNOWN)
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, r->sizes_at,
                                  "scales and sizes exclude each other, got %zu and %zu elements", r->scales.count,
                                  r->sizes.count);
        if (r->scales.state == LIST_ABSENT && r->sizes.state == LIST_ABSENT)
                return node_error(n, REASON_MISSING_INPUT, r->scales_at, "either scales or sizes must have elements");
        return OX_OK;
}

static enum ox_code resize_length(struct node *n, const struct list *list, int input, size_t count)
{
        if (list->state != LIST_KNOWN || list->count == count)
                return OX_OK;
        return node_error_at(
                n, REASON_LENGTH_MISMATCH, input, 0, node_number(n, (int64_t)count),
                node_number(n, (int64_t)list->count), "%s must have %zu elements, one for each axis, got %zu",
                input >= 0 && in_given(n, input) ? node_input_name(n, input) : "scales", count, list->count);
}

/* The fraction of axis k that roi selects. roi is [start1, ..., startN, end1, ..., endN] as fractions of the sizes;
   NaN: unknown. */
static double roi_part(const struct node *n, const struct resize *r, size_t k)
{
        if (!attr_is(n, "coordinate_transformation_mode", "tf_crop_and_resize") || n->row->since < 11)
                return 1.0;
        if (r->roi.state != LIST_KNOWN || r->roi.count != 2 * r->count || list_at(&r->roi, k).kind != SCALAR_FLOAT ||
            list_at(&r->roi, k + r->count).kind != SCALAR_FLOAT)
                return (double)NAN;
        return list_at(&r->roi, k + r->count).f - list_at(&r->roi, k).f;
}

/* Axis k if the ratio of sizes is kept (18): the scale is the least (not_larger) or greatest (not_smaller) of sizes[j]
   / in[j], and the size is in * scale, rounded to the nearest integer, halves up. Rounding is monotonic, so the size is
   the least or greatest of the rounded sizes that each j alone would give. */
static bool aspect_axis(struct node *n, const struct resize *r, const struct dim *in, size_t k, bool larger,
                        struct dim *ret)
{
        struct dim two = dim_int(2), own = in[resize_axis(r, k)];

        for (size_t j = 0; j < r->count; j++) {
                struct dim other = in[resize_axis(r, j)], size, rounded;

                if (!element_size(n, list_at(&r->sizes, j), &size) || dim_is(other, 0))
                        return false;
                struct dim twice = dim_mul(n->dims, two, dim_mul(n->dims, size, own));

                rounded = dim_same(own, other)
                                  ? size
                                  : dim_floordiv(n->dims, dim_add(n->dims, twice, other), dim_mul(n->dims, two, other));
                if (j == 0)
                        *ret = rounded;
                else
                        *ret = larger ? dim_max(n->dims, *ret, rounded) : dim_min(n->dims, *ret, rounded);
        }
        return true;
}

static void sizes_axis(struct node *n, const struct resize *r, const struct dim *in, size_t k, struct dim *dims)
{
        int axis = resize_axis(r, k);
        bool larger = attr_is(n, "keep_aspect_ratio_policy", "not_smaller");
        bool known;

        if (larger || attr_is(n, "keep_aspect_ratio_policy", "not_larger"))
                known = aspect_axis(n, r, in, k, larger, &dims[axis]);
        else
                known = element_size(n, list_at(&r->sizes, k), &dims[axis]);
        if (!known)
                dims[axis] = out_fresh(n, 0, axis);
}

/* An unknown rank of X equals the number of scales or sizes. */
static enum ox_code resize_unranked(struct node *n, const struct resize *r)
{
        const int64_t *axes;
        size_t count;
        const struct list *list = r->sizes.state == LIST_KNOWN ? &r->sizes : &r->scales;
        bool stretch = !attr_is(n, "keep_aspect_ratio_policy", "not_larger") &&
                       !attr_is(n, "keep_aspect_ratio_policy", "not_smaller");

        for (size_t k = 0; list == &r->scales && list->state == LIST_KNOWN && k < list->count; k++)
                if (list_at(list, k).kind == SCALAR_FLOAT)
                        TRY(scale_check(n, list_at(list, k).f, 0, r->scales_at));
        if (op_find_attr(n->row, "axes") && attr_ints(n, "axes", &axes, &count) && count > 0) {
                TRY(axes_distinct(n, axes, count, -1));
                TRY(resize_length(n, list, list == &r->sizes ? r->sizes_at : r->scales_at, count));
                return out_elem(n, 0, in_elem(n, 0));
        }
        if (list->state != LIST_KNOWN || !rank_allowed(n, list->count, 0))
                return out_elem(n, 0, in_elem(n, 0));
        struct dim *dims = arena_new_array(n->arena, struct dim, list->count);

        for (size_t d = 0; d < list->count; d++)
                if (list != &r->sizes || !stretch || !element_size(n, list_at(list, d), &dims[d]))
                        dims[d] = out_fresh(n, 0, (int)d);
        return out_tensor(n, 0, in_elem(n, 0), (int)list->count, dims);
}

/* Resize (10, 11, 13, 18, 19): sizes, or floor(in * scale); with tf_crop_and_resize, floor(in * (end - start) * scale),
   the part that roi selects. */
enum ox_code infer_Resize(struct node *n)
{
        struct resize r = {0};

        TRY(in_expect_tensor(n, 0));
        TRY(resize_operands(n, &r));
        if (!in_has_rank(n, 0))
                return resize_unranked(n, &r);
        const struct dim *in = in_dims(n, 0);
        struct dim *dims = in_dims(n, 0);

        TRY(resize_axes(n, in_rank(n, 0), &r));
        TRY(resize_length(n, &r.scales, r.scales_at, r.count));
        TRY(resize_length(n, &r.sizes, r.sizes_at, r.count));
        TRY(resize_length(n, &r.roi, 1, 2 * r.count));
        for (size_t k = 0; k < r.count; k++) {
                int axis = resize_axis(&r, k);

                if (r.scales.state == LIST_KNOWN)
                        TRY(scale_axis(n, axis, list_at(&r.scales, k), roi_part(n, &r, k), r.scales_at, &dims[axis]));
                else if (r.sizes.state == LIST_KNOWN)
                        sizes_axis(n, &r, in, k, dims);
                else
                        dims[axis] = out_fresh(n, 0, axis);
        }
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}

/* -- Upsample -- */

/* Upsample-1 has only scales of height and width, -7 has an attribute with all scales, -9 and the deprecated -10 an
   input. */
static enum ox_code upsample_scales(struct node *n, struct list *ret)
{
        const float *floats;
        double height, width;
        size_t count = 4;

        if (n->row->since >= 9)
                return list_get(n, NULL, 1, false, ret);
        if (n->row->since >= 7 && !attr_floats(n, "scales", &floats, &count))
                return OX_OK;
        struct content *content = content_new(n->arena, count);

        for (size_t k = 0; k < count; k++)
                content_set(content, k, scalar_float(n->row->since >= 7 ? (double)floats[k] : 1.0));
        if (n->row->since < 7 && attr_float(n, "height_scale", &height) && attr_float(n, "width_scale", &width)) {
                content_set(content, 2, scalar_float(height));
                content_set(content, 3, scalar_float(width));
        }
        *ret = list_of(content);
        return OX_OK;
}

/* Upsample (1, 7, 9, 10): floor(in * scale); scales are 1 or more. */
enum ox_code infer_Upsample(struct node *n)
{
        struct list scales = {.state = LIST_UNKNOWN};
        int input = n->row->since >= 9 ? 1 : -1;

        TRY(in_expect_tensor(n, 0));
        if (n->row->since < 7)
                TRY(in_expect_rank(n, 0, 4));
        TRY(upsample_scales(n, &scales));
        bool known = scales.state == LIST_KNOWN;

        for (size_t k = 0; known && k < scales.count; k++)
                if (list_at(&scales, k).kind == SCALAR_FLOAT)
                        TRY(scale_check(n, list_at(&scales, k).f, 1.0, input));
        if (!in_has_rank(n, 0)) {
                if (!known || !rank_allowed(n, scales.count, 0))
                        return out_elem(n, 0, in_elem(n, 0));
                return out_rank(n, 0, in_elem(n, 0), (int)scales.count);
        }
        struct dim *dims = in_dims(n, 0);

        TRY(resize_length(n, &scales, input, (size_t)in_rank(n, 0)));
        for (int d = 0; d < in_rank(n, 0); d++)
                TRY(scale_axis(n, d, known ? list_at(&scales, d) : scalar_unknown(), 1.0, input, &dims[d]));
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}
