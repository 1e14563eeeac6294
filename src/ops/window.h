/* The attributes of a window that slides over the axes behind batch and channels: Conv, its kin, and the pools. */
#pragma once

#include "ops/shared.h"

struct windows {
        int spatial; /* axes that it slides over */
        enum window_pad auto_pad;
        const int64_t *kernel;                  /* NULL: not given */
        const int64_t *stride, *dilation, *pad; /* `spatial` of the first two, twice as many pads; never NULL */
};

/* Reads auto_pad, kernel_shape, strides, dilations and pads for `spatial` axes. Errors ATTRIBUTE_LENGTH,
   ATTRIBUTE_VALUE, ATTRIBUTE_CONFLICT. */
enum ox_code windows_read(struct node *n, int spatial, struct windows *ret);

/* How many axes kernel_shape, or any other list, is for, which tells the rank of an input that does not; false when
   there is none. */
bool windows_spatial(const struct node *n, int *ret);

/* What one axis has of them. */
struct window windows_axis(const struct windows *w, int axis, struct dim size, struct dim kernel);
