/* Known elements of small tensors, moved about, and lists of integers that an operator takes: what the operators that
   lay out, pick and generate elements share. */
#pragma once

#include "ops/node.h"

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

/* -- lists of integers -- */

/* An operand that newer versions of an operator take as an input and older ones as an attribute. */
struct list {
        enum { LIST_ABSENT, LIST_UNKNOWN, LIST_KNOWN } state; /* UNKNOWN: given, but not even its length is known */
        size_t count;
        const struct scalar *at; /* single ones may be SCALAR_UNKNOWN */
};

/* From the attribute when the operator's version has it, else from input `i`, which must be a vector (or, with
   `scalar_too`, a scalar): error RANK_MISMATCH. */
enum ox_code list_get(struct node *n, const char *attribute, int i, bool scalar_too, struct list *ret);

/* Floats that are whole numbers become integers: the first versions of Split and Tile take sizes of the data's type. */
void list_whole(struct node *n, struct list *list);

/* What holds for lists whether or not the rank of the data is known: sizes are not negative (error NEGATIVE_SIZE), and
   no axis stands twice (error DUPLICATE_AXIS; a negative axis is another one until the rank is known). */
enum ox_code list_of_sizes(struct node *n, const struct list *list, int input);
enum ox_code axes_distinct(struct node *n, const int64_t *axes, size_t count, int input);

/* The list as numbers; false when one is not known. */
bool list_numbers(struct node *n, const struct list *list, const int64_t **ret);

/* The size that an element gives where a negative one is an error of the model: unlike scalar_as_size(), an expression
   need not be proven not to be negative. False when nothing is known of the element. */
bool element_size(struct node *n, struct scalar element, struct dim *ret);

/* Whether a rank is within limits.rank; if not, a warning RANK_LIMIT names `input`, and the shape stays open. */
bool rank_allowed(struct node *n, size_t rank, int input);

/* An index normalised into [0, size): negative ones count from the end. False out of bounds. */
bool index_normalize(int64_t index, int64_t size, int64_t *ret);

/* Known indices, the elements of `input`, must lie within [-size, size - 1] (OUT_OF_RANGE INDEX_OUT_OF_RANGE); a size
   that is not known allows all. */
enum ox_code indices_check(struct node *n, int input, struct dim size);
/* The same of tuples of `width`, which index the axes of input 0 from `first` on. */
enum ox_code tuples_check(struct node *n, int input, int first, int width);

/* A fresh symbol for axis `axis` of output `o`, known to be at most `most` (where that is an integer); 0 of nothing. */
struct dim out_fresh_at_most(struct node *n, int o, int axis, struct dim most);

/* The greater (lesser) of two, decided by what is proven wherever that can be. */
struct dim greater_dim(struct node *n, struct dim a, struct dim b);
struct dim lesser_dim(struct node *n, struct dim a, struct dim b);

/* Every dimension of a tensor of known rank, multiplied, over axes [first, end). */
struct dim dims_product(struct node *n, const struct dim *dims, int first, int end);
