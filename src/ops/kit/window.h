/* A window that slides over the axes after batch and channels: convolutions and pools. */
#pragma once

#include "ops/node/node.h"

/* One output dimension of a sliding window over `size` (Conv, pools): the formulas of the specification, symbolic. */
struct window {
        struct dim size;            /* of the axis, before padding */
        struct dim kernel;          /* as given, before dilation */
        int64_t stride, dilation;   /* > 0 */
        int64_t pad_begin, pad_end; /* explicit pads */
        enum window_pad { WINDOW_NOTSET, WINDOW_VALID, WINDOW_SAME_UPPER, WINDOW_SAME_LOWER } auto_pad;
        bool ceil_mode;
        bool drop_last_in_padding; /* a last window that begins in the end padding does not count */
};
/* Error KERNEL_EXCEEDS_INPUT if the size is known and no window fits. `axis` is that of input 0; -1: no axis. */
enum ox_code window_output(struct node *n, const struct window *w, int axis, struct dim *ret);

struct windows {
        int spatial; /* the number of axes over which it slides */
        enum window_pad auto_pad;
        const int64_t *kernel;                  /* NULL: not given */
        const int64_t *stride, *dilation, *pad; /* `spatial` of the first two, twice as many pads; never NULL */
};

/* Reads auto_pad, kernel_shape, strides, dilations and pads for `spatial` axes; the row limits their values. Errors
   ATTRIBUTE_LENGTH, ATTRIBUTE_CONFLICT. */
enum ox_code windows_read(struct node *n, int spatial, struct windows *ret);

/* The number of spatial axes by the length of kernel_shape or another list, for an input of unknown rank; false if
   there is no list. */
bool windows_spatial(const struct node *n, int *ret);

/* Their values for one axis. */
struct window windows_axis(const struct windows *w, int axis, struct dim size, struct dim kernel);
