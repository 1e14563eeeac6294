/* Known elements of small tensors, moved about, and lists of integers that an operator takes: what the operators that
   lay out, pick and generate elements share. */
#pragma once

#include "ops/node/node.h"

/* -- shapes in numbers -- */

/* The shape of a small tensor, for walking its elements in row-major order. */
struct grid {
        int rank;
        int64_t *dim;
        int64_t *stride; /* elements between neighbours along an axis; 0 when there are no elements */
        int64_t count;
};

/* False unless every size is an integer and the elements are at most limits.content_elements. */
bool grid_of(struct node *n, const struct type *type, struct grid *ret);

/* The product of the sizes of axes [first, end); 0 too when it overflows, which it cannot beside known elements. */
int64_t grid_span(const struct grid *grid, int first, int end);

/* A position of `rank` zeros, and the step to the next position; after the last one it is all zeros again. */
int64_t *grid_start(struct node *n, const struct grid *grid);
void grid_next(const struct grid *grid, int64_t *at);

/* -- elements found axis by axis -- */

#define ELEMENT_FILL (-1)

/* Says where each element of an output comes from, one axis at a time: position i on axis d adds offset[d][i] to the
   position in the source, and ELEMENT_FILL on any axis means the fill instead. */
struct element_map {
        struct grid out;
        int64_t **offset;
};

/* A map of output `o` with every offset 0. False when there is nothing to map: the output's shape is not known or too
   large, or it has no elements, which is then what its contents are set to. */
bool element_map_new(struct node *n, int o, struct element_map *ret);
void element_map_apply(struct node *n, int o, const struct element_map *map, const struct content *source,
                       struct scalar fill);
