#include "ops/kit/window.h"

#include <string.h>

#include "base/checked.h"
#include "ops/kit/sizes.h"
#include "ops/node/attr.h"

/* (kernel - 1) * dilation + 1, the extent of a dilated kernel. */
static struct dim covered(struct node *n, const struct window *w)
{
        struct dim gaps = dim_mul(n->dims, dim_sub(n->dims, w->kernel, dim_int(1)), dim_int(w->dilation));

        return dim_add(n->dims, gaps, dim_int(1));
}

/* The number of windows of ceil_mode that begin before the end padding: limited by the strides that fit there, and by
   the padded size. `padded_steps` / stride is the number including those in the padding. */
static struct dim windows_in_data(struct node *n, const struct window *w, struct dim padded_steps)
{
        struct dim_table *t = n->dims;
        struct dim stride = dim_int(w->stride), data_steps = dim_add(t, w->size, dim_int(w->pad_begin));

        if (dim_proves_ge(t, padded_steps, data_steps))
                return dim_ceildiv(t, data_steps, stride);
        if (dim_proves_ge(t, data_steps, padded_steps))
                return dim_ceildiv(t, padded_steps, stride);
        return dim_min(t, dim_ceildiv(t, padded_steps, stride), dim_ceildiv(t, data_steps, stride));
}

/* The smallest size of an axis into which a window fits. */
static struct dim needed(struct node *n, const struct window *w)
{
        struct dim pads = dim_add(n->dims, dim_int(w->pad_begin), dim_int(w->pad_end));

        return w->auto_pad == WINDOW_NOTSET ? dim_sub(n->dims, covered(n, w), pads) : covered(n, w);
}

/* The pads minus the extent of a window: what is added to the size of the axis in the formulas. */
static struct dim beyond(struct node *n, const struct window *w)
{
        struct dim pads = dim_int(0);

        if (w->auto_pad == WINDOW_NOTSET)
                pads = dim_add(n->dims, dim_int(w->pad_begin), dim_int(w->pad_end));
        return dim_sub(n->dims, pads, covered(n, w));
}

static enum ox_code no_window_fits(struct node *n, const struct window *w, int axis)
{
        struct dim_table *t = n->dims;
        const char *covers = dim_text(t, covered(n, w));
        const char *padded = dim_text(t, dim_add(t, dim_add(t, w->size, beyond(n, w)), covered(n, w)));
        const struct fault fault = {.reason = REASON_KERNEL_EXCEEDS_INPUT,
                                    .input = axis < 0 ? -1 : 0,
                                    .axis = axis < 0 ? -1 : axis,
                                    .expected = arena_printf(n->arena, "%s or more with padding", covers),
                                    .actual = padded,
                                    .hint = node_said_before(n, w->size)};

        if (axis < 0)
                return node_error_with(n, &fault, "the kernel covers %s elements of an axis that has %s with padding",
                                       covers, padded);
        return node_error_with(n, &fault, "%s: the kernel covers %s elements of axis %d, which has %s with padding",
                               node_input_text(n, 0), covers, axis, padded);
}

/* With rounding down, a kernel larger than the padded input fits nowhere; with rounding up, one window may still begin
   in the data. An empty axis may have no window: the formulas give 0. If a window needs two elements or more, an empty
   axis is an error all the same. */
static enum ox_code expect_fit(struct node *n, const struct window *w, int axis, struct dim count)
{
        struct dim_table *t = n->dims;
        int64_t most, least;

        dim_range(t, count, &least, &most);
        if (most > 0 && !dim_is_int(count) && !dim_proves_ge(t, dim_int(1), needed(n, w)))
                return size_at_least(n, count, dim_int(dim_proves_ge(t, needed(n, w), dim_int(2))), 0);
        if (most > 0 || (most == 0 && !dim_proves_ge(t, needed(n, w), dim_int(2))))
                return OX_OK;
        return no_window_fits(n, w, axis);
}

/* Whether pads make up for what a window by single steps covers, so that there are as many windows as elements. */
static bool is_even(struct node *n, const struct window *w)
{
        int64_t covers, pads, most, least;

        if (w->stride != 1 || w->auto_pad != WINDOW_NOTSET || w->ceil_mode || !dim_is_int(w->kernel) ||
            !mul_i64(w->kernel.val - 1, w->dilation, &covers) || !add_i64(w->pad_begin, w->pad_end, &pads) ||
            covers != pads)
                return false;
        dim_range(n->dims, w->size, &least, &most);
        return most >= 0;
}

/* The texts of Conv and of all pools have the same formulas. `ceil_mode` rounds up; with VALID it changes nothing,
   because ceil((size - kernel + 1) / stride) is floor((size - kernel) / stride) + 1. Only the text of AveragePool-11
   rounds down for auto_pad without ceil_mode, which contradicts its own attribute (a ceiling for SAME_*) and omits a
   window of VALID that fits. Version 19 corrects it, so it is treated as an error of the text. */
enum ox_code window_output(struct node *n, const struct window *w, int axis, struct dim *ret)
{
        struct dim_table *t = n->dims;
        struct dim stride = dim_int(w->stride), steps, count;

        if (w->auto_pad == WINDOW_SAME_UPPER || w->auto_pad == WINDOW_SAME_LOWER) {
                *ret = dim_ceildiv(t, w->size, stride);
                return OX_OK;
        }
        if (is_even(n, w)) {
                *ret = w->size;
                return OX_OK;
        }
        /* Numbers are added up first, so that only one sum with the size is built. */
        steps = dim_add(t, w->size, dim_add(t, beyond(n, w), stride));
        if (!w->ceil_mode || w->auto_pad != WINDOW_NOTSET)
                count = dim_floordiv(t, steps, stride);
        else if (w->drop_last_in_padding)
                count = windows_in_data(n, w, steps);
        else
                count = dim_ceildiv(t, steps, stride);
        TRY(expect_fit(n, w, axis, count));
        *ret = count;
        return OX_OK;
}

/* An empty list counts as omitted. */
static enum ox_code read_list(struct node *n, const char *name, size_t count, int64_t otherwise, const int64_t **ret)
{
        size_t given = 0;

        if (!attr_ints(n, name, ret, &given) || given == 0) {
                int64_t *filled = arena_new_array(n->arena, int64_t, count);

                for (size_t i = 0; i < count; i++)
                        filled[i] = otherwise;
                *ret = filled;
                return OX_OK;
        }
        if (given != count)
                return node_error_at(n, REASON_ATTRIBUTE_LENGTH, -1, -1, node_number(n, (int64_t)count),
                                     node_number(n, (int64_t)given), "%s must have %zu elements, got %zu", name, count,
                                     given);
        return OX_OK;
}

static enum window_pad read_auto_pad(const struct node *n)
{
        static const struct {
                const char *name;
                enum window_pad pad;
        } pads[] = {{"NOTSET", WINDOW_NOTSET},
                    {"SAME_UPPER", WINDOW_SAME_UPPER},
                    {"SAME_LOWER", WINDOW_SAME_LOWER},
                    {"VALID", WINDOW_VALID}};

        for (size_t i = 0; i < sizeof(pads) / sizeof(pads[0]); i++)
                if (attr_is(n, "auto_pad", pads[i].name))
                        return pads[i].pad;
        return WINDOW_NOTSET;
}

enum ox_code windows_read(struct node *n, int spatial, struct windows *ret)
{
        const int64_t *kernel;
        size_t count = (size_t)spatial, given;

        *ret = (struct windows){.spatial = spatial};
        ret->auto_pad = read_auto_pad(n);
        if (attr_ints(n, "kernel_shape", &kernel, &given) && given > 0)
                TRY(read_list(n, "kernel_shape", count, 1, &ret->kernel));
        TRY(read_list(n, "strides", count, 1, &ret->stride));
        TRY(read_list(n, "dilations", count, 1, &ret->dilation));
        TRY(read_list(n, "pads", 2 * count, 0, &ret->pad));
        for (size_t i = 0; ret->auto_pad != WINDOW_NOTSET && i < 2 * count; i++)
                if (ret->pad[i] != 0)
                        return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1,
                                          "pads[%zu] is %lld, and auto_pad excludes pads", i, (long long)ret->pad[i]);
        return OX_OK;
}

bool windows_spatial(const struct node *n, int *ret)
{
        static const char *const lists[] = {"kernel_shape", "strides", "dilations", "pads"};
        const int64_t *values;
        size_t count = 0;

        for (size_t k = 0; count == 0 && k < sizeof(lists) / sizeof(lists[0]); k++)
                if (attr_ints(n, lists[k], &values, &count) && k == 3)
                        count = count / 2;
        if (count == 0 || (int64_t)count > n->limits->rank - 2)
                return false;
        *ret = (int)count;
        return true;
}

struct window windows_axis(const struct windows *w, int axis, struct dim size, struct dim kernel)
{
        return (struct window){
                .size = size,
                .kernel = kernel,
                .stride = w->stride[axis],
                .dilation = w->dilation[axis],
                .pad_begin = w->pad[axis],
                .pad_end = w->pad[axis + w->spatial],
                .auto_pad = w->auto_pad,
        };
}
