/* Moves known elements of small tensors, for the operators that lay out, pick and generate elements. */
#pragma once

#include "ops/node/node.h"

/* -- shapes in numbers -- */

/* The shape of a small tensor, for walking its elements in row-major order. */
struct grid {
        int rank;
        int64_t *dim;
        int64_t *stride; /* elements between neighbours along an axis; 0 if the tensor is empty */
        int64_t count;
};

/* False unless every size is an integer and the number of elements is at most limits.content_elements. */
bool grid_of(struct node *n, const struct type *type, struct grid *ret);

/* The product of the sizes of axes [first, end); 0 on overflow, which cannot happen for a tensor with known
   elements. */
int64_t grid_span(const struct grid *grid, int first, int end);

/* A position of `rank` zeros, and the step to the next position, which wraps to all zeros after the last one. */
int64_t *grid_start(struct node *n, const struct grid *grid);
void grid_next(const struct grid *grid, int64_t *at);

/* -- elements found axis by axis -- */

#define ELEMENT_FILL (-1)

/* The source of each element of an output, axis by axis: position i on axis d adds offset[d][i] to the position in the
   source; ELEMENT_FILL on any axis means the fill value. */
struct element_map {
        struct grid out;
        int64_t **offset;
};

/* A map of output `o` with every offset 0. False if there is nothing to map: the output's shape is unknown or too
   large, or it has no elements, and then its contents are set to none. */
bool element_map_new(struct node *n, int o, struct element_map *ret);
void element_map_apply(struct node *n, int o, const struct element_map *map, const struct content *source,
                       struct scalar fill);
