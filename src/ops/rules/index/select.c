/* Operators whose result depends on the values of elements: NonZero, Compress, Unique, OneHot; and operators that
   change elements in place: Trilu, ReverseSequence. */
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/rules/index.h"

/* Whether an element is nonzero: 1, 0, or -1 if unknown. */
static int scalar_truth(struct node *n, struct scalar s)
{
        if (s.kind == SCALAR_FLOAT)
                return s.f != 0;
        if (s.kind == SCALAR_UNKNOWN)
                return -1;
        if (dim_is_int(s.d))
                return s.d.val != 0;
        return dim_proves_unequal(n->dims, s.d, dim_int(0)) ? 1 : -1;
}

/* The number of nonzero elements; false if it is unknown. */
static bool count_true(struct node *n, const struct content *content, int64_t *ret)
{
        *ret = 0;
        if (!content)
                return false;
        for (size_t k = 0; k < content->count; k++) {
                int truth = scalar_truth(n, content_at(content, k));

                if (truth < 0)
                        return false;
                *ret += truth;
        }
        return true;
}

/* -- NonZero 9-13: [rank, count]; for a scalar [0, count] -- */

enum ox_code infer_NonZero(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2), elements = dim_int(-1);
        int64_t count;

        TRY(in_expect_tensor(n, 0));
        dims[0] = in_has_rank(n, 0) ? dim_int(in_rank(n, 0)) : out_fresh(n, 0, 0);
        if (count_true(n, in_content(n, 0), &count)) {
                dims[1] = dim_int(count);
        } else {
                type_elements(n->dims, in_type(n, 0), &elements);
                dims[1] = out_fresh_at_most(n, 0, 1, elements);
        }
        return out_tensor(n, 0, ELEM_INT64, 2, dims);
}

void content_NonZero(struct node *n)
{
        const struct content *in = in_content(n, 0);
        struct content *content;
        struct grid grid;
        int64_t count, found = 0, *at;

        if (!count_true(n, in, &count) || !grid_of(n, in_type(n, 0), &grid) ||
            grid.rank * count > n->limits->content_elements)
                return;
        content = content_new(n->arena, (size_t)(grid.rank * count));
        at = grid_start(n, &grid);
        for (size_t k = 0; k < in->count; k++, grid_next(&grid, at)) {
                if (scalar_truth(n, content_at(in, k)) == 0)
                        continue;
                for (int d = 0; d < grid.rank; d++)
                        content_set(content, d * count + found, scalar_int(dim_int(at[d])));
                found++;
        }
        out_content(n, 0, content);
}

/* -- Compress 9-11 -- */

/* There may be fewer flags than elements, but a flag that is set must have its element. */
static enum ox_code compress_size(struct node *n, int axis, struct dim from, struct dim *ret)
{
        int64_t count;

        if (!count_true(n, in_content(n, 1), &count)) {
                struct dim most = in_has_rank(n, 1) ? lesser_dim(n, from, in_dim(n, 1, 0)) : from;

                *ret = out_fresh_at_most(n, 0, axis, most);
                return OX_OK;
        }
        if (dim_is_int(from) && count > from.val)
                return node_error_at(n, REASON_DIM_MISMATCH, 1, 0,
                                     arena_printf(n->arena, "%lld or less", (long long)from.val), node_number(n, count),
                                     "%s: the condition selects %lld elements of %lld", node_input_text(n, 0),
                                     (long long)count, (long long)from.val);
        *ret = dim_int(count);
        return OX_OK;
}

/* Without an axis the input is flattened first. Negative axes count from the back since version 11; Compress-9 does not
   mention them, and they are treated alike there. */
enum ox_code infer_Compress(struct node *n)
{
        struct dim *dims, elements = dim_int(-1);
        int64_t number;
        int axis;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank(n, 1, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        if (!attr_int(n, "axis", &number)) {
                dims = arena_new_array(n->arena, struct dim, 1);
                if (!type_elements(n->dims, in_type(n, 0), &elements))
                        elements = out_fresh(n, 0, 0);
                TRY(compress_size(n, 0, elements, &dims[0]));
                return out_tensor(n, 0, in_elem(n, 0), 1, dims);
        }
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        TRY(axis_normalize(n, number, in_rank(n, 0), &axis));
        dims = in_dims(n, 0);
        TRY(compress_size(n, axis, dims[axis], &dims[axis]));
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}

void content_Compress(struct node *n)
{
        const struct content *chosen = in_content(n, 1), *in = in_content(n, 0);
        struct element_map map;
        struct grid grid;
        int64_t number, found = 0, size, step = 1;
        int axis = 0;

        if (!chosen || !in || !grid_of(n, in_type(n, 0), &grid) || !element_map_new(n, 0, &map))
                return;
        size = grid.count;
        if (attr_int(n, "axis", &number)) {
                if (axis_normalize(n, number, grid.rank, &axis) != OX_OK)
                        return;
                for (int d = 0; d < grid.rank; d++)
                        for (int64_t k = 0; d != axis && k < grid.dim[d]; k++)
                                map.offset[d][k] = k * grid.stride[d];
                size = grid.dim[axis];
                step = grid.stride[axis];
        }
        for (size_t k = 0; k < chosen->count; k++) {
                int truth = scalar_truth(n, content_at(chosen, k));

                if (truth < 0 || (truth && ((int64_t)k >= size || found >= map.out.dim[axis])))
                        return;
                if (truth)
                        map.offset[axis][found++] = (int64_t)k * step;
        }
        element_map_apply(n, 0, &map, in, scalar_unknown());
}

/* -- Unique 11 -- */

/* A number that a double holds exactly. NaN is excluded, because the text does not define whether two NaNs are
   equal. */
static bool scalar_number(struct scalar s, double *ret)
{
        int64_t number;

        if (s.kind == SCALAR_FLOAT) {
                *ret = s.f;
                return s.f == s.f;
        }
        if (!scalar_is_number(s, &number) || number >= (1LL << 53) || number <= -(1LL << 53))
                return false;
        *ret = (double)number;
        return true;
}

static int compare_slices(const double *a, const double *b, int64_t width)
{
        for (int64_t k = 0; k < width; k++)
                if (a[k] != b[k])
                        return a[k] > b[k] ? 1 : -1;
        return 0;
}

/* Moves slice `at` of a max-heap down to its place. */
static void sink_slice(const double **slice, int64_t at, int64_t count, int64_t width)
{
        const double *sinking = slice[at];

        for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
                if (child + 1 < count && compare_slices(slice[child + 1], slice[child], width) > 0)
                        child++;
                if (compare_slices(slice[child], sinking, width) <= 0)
                        break;
                slice[at] = slice[child];
                at = child;
        }
        slice[at] = sinking;
}

/* Heap sort, because the C library's qsort() may call malloc. */
static void sort_slices(const double **slice, int64_t count, int64_t width)
{
        for (int64_t at = count / 2; at-- > 0;)
                sink_slice(slice, at, count, width);
        for (int64_t left = count - 1; left > 0; left--) {
                const double *greatest = slice[0];

                slice[0] = slice[left];
                slice[left] = greatest;
                sink_slice(slice, 0, left, width);
        }
}

/* The elements grouped into contiguous slices along `axis`. NULL if one is unknown. */
static double *unique_slices(struct node *n, const struct content *content, const struct grid *grid, int axis)
{
        double *numbers = arena_new_array(n->arena, double, content->count);
        int64_t *filled = arena_zalloc(n->arena, (size_t)grid->dim[axis] * sizeof(*filled));
        int64_t *at = grid_start(n, grid), width = grid->count / grid->dim[axis];

        for (size_t k = 0; k < content->count; k++, grid_next(grid, at)) {
                int64_t slice = at[axis];

                if (!scalar_number(content_at(content, k), &numbers[slice * width + filled[slice]++]))
                        return NULL;
        }
        return numbers;
}

/* The number of different slices along `axis` (-1: of different elements); false if it is unknown. */
static bool count_unique(struct node *n, int axis, int64_t *ret)
{
        const struct content *content = in_content(n, 0);
        struct grid grid;
        const double *numbers, **slice;
        int64_t size, width;

        if (!content || content->count == 0 || !grid_of(n, in_type(n, 0), &grid) ||
            (size_t)grid.count != content->count)
                return false;
        if (axis < 0) {
                grid = (struct grid){.rank = 1, .dim = &size, .stride = &width, .count = grid.count};
                size = grid.count;
                axis = 0;
        }
        numbers = unique_slices(n, content, &grid, axis);
        if (!numbers)
                return false;
        size = grid.dim[axis];
        width = grid.count / size;
        slice = (const double **)arena_array(n->arena, (size_t)size, sizeof(*slice));
        for (int64_t k = 0; k < size; k++)
                slice[k] = numbers + k * width;
        sort_slices(slice, size, width);
        *ret = 1;
        for (int64_t k = 1; k < size; k++)
                *ret += compare_slices(slice[k - 1], slice[k], width) != 0;
        return true;
}

/* Y, first positions and counts have the same number of elements; the inverse has one index for each element or slice
   of the input. */
static enum ox_code unique_vectors(struct node *n, struct dim unique, struct dim from)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);

        dims[0] = unique;
        dims[1] = from;
        TRY(out_tensor(n, 1, ELEM_INT64, 1, &dims[0]));
        TRY(out_tensor(n, 2, ELEM_INT64, 1, &dims[1]));
        return out_tensor(n, 3, ELEM_INT64, 1, &dims[0]);
}

/* One element has one distinct value, an empty input has none. `axis` -1: the input is flattened. */
static struct dim unique_size(struct node *n, int axis, struct dim from)
{
        int64_t count;

        if (dim_is(from, 1))
                return from;
        if (count_unique(n, axis, &count))
                return dim_int(count);
        return out_fresh_at_most(n, 0, axis < 0 ? 0 : axis, from);
}

enum ox_code infer_Unique(struct node *n)
{
        struct dim *dims, from;
        int64_t number;
        int axis;

        TRY(in_expect_tensor(n, 0));
        if (!attr_int(n, "axis", &number)) {
                dims = arena_new_array(n->arena, struct dim, 1);
                if (!type_elements(n->dims, in_type(n, 0), &from))
                        from = out_fresh(n, 2, 0);
                dims[0] = unique_size(n, -1, from);
                TRY(unique_vectors(n, dims[0], from));
                return out_tensor(n, 0, in_elem(n, 0), 1, dims);
        }
        if (!in_has_rank(n, 0)) {
                TRY(unique_vectors(n, out_fresh(n, 1, 0), out_fresh(n, 2, 0)));
                return out_elem(n, 0, in_elem(n, 0));
        }
        TRY(axis_normalize(n, number, in_rank(n, 0), &axis));
        dims = in_dims(n, 0);
        from = dims[axis];
        dims[axis] = unique_size(n, axis, from);
        TRY(unique_vectors(n, dims[axis], from));
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}

/* Unique 1 of com.microsoft: for a vector; the indices are the positions in y of each element's value. */
enum ox_code infer_com_microsoft_Unique(struct node *n)
{
        struct size values = {0}, elements = {0};

        TRY(IN_SIZED(n, 0, &elements));
        TRY(OUT_SIZED(n, 1, &elements));
        if (elements.known)
                values = (struct size){.known = true, .dim = unique_size(n, -1, elements.dim)};
        TRY(OUT_SIZED(n, 0, &values));
        return OUT_SIZED(n, 2, &values);
}

/* -- OneHot 9-11: an axis of `depth` is inserted; the element type is that of `values` -- */

/* `depth` is a scalar, or a vector of one element, of any numeric type, cast to int64. ONNX's own inference takes an
   empty vector as an unknown size. */
static enum ox_code one_hot_depth(struct node *n, int axis, struct dim *ret)
{
        const struct content *content = in_content(n, 1);
        int64_t length;

        if (!in_length(n, 1, false, &length) || length != 0)
                TRY(in_expect_scalar(n, 1));
        if (content && content->count == 1) {
                struct scalar depth = content_at(content, 0);

                if (depth.kind == SCALAR_FLOAT && depth.f >= 0 && depth.f < 0x1p53)
                        depth = scalar_int(dim_int((int64_t)depth.f));
                if (depth.kind == SCALAR_INT && dim_is_int(depth.d) && depth.d.val < 0)
                        return node_error_at(n, REASON_NEGATIVE_SIZE, 1, -1, "0 or more", node_number(n, depth.d.val),
                                             "depth must be 0 or more, got %lld", (long long)depth.d.val);
                if (element_size(n, depth, ret))
                        return OX_OK;
        }
        *ret = out_fresh(n, 0, axis);
        return OX_OK;
}

/* OneHot-9 has no negative indices: "the values must be non-negative integers". The shape does not depend on it. */
static void one_hot_indices(struct node *n)
{
        const struct content *indices = n->row->since < 11 ? in_content(n, 0) : NULL;
        int64_t number;

        for (size_t k = 0; indices && k < indices->count; k++)
                if ((scalar_is_number(content_at(indices, k), &number) && number < 0) ||
                    (content_at(indices, k).kind == SCALAR_FLOAT && content_at(indices, k).f < 0)) {
                        node_diagnose(n, OX_ERROR, REASON_INDEX_OUT_OF_RANGE, 0,
                                      "index %zu is negative, which OneHot allows from version 11 on", k);
                        return;
                }
}

enum ox_code infer_OneHot(struct node *n)
{
        struct dim *dims, depth;
        int axis, rank = in_rank(n, 0);
        int64_t values;

        for (int i = 0; i < 3; i++)
                TRY(in_expect_tensor(n, i));
        one_hot_indices(n);
        TRY(in_expect_rank(n, 2, 1));
        if (in_length(n, 2, false, &values) && values != 2)
                return node_error_at(n, REASON_LENGTH_MISMATCH, 2, 0, "2", node_number(n, values),
                                     "values must have 2 elements, off and on, got %lld", (long long)values);
        if (!in_has_rank(n, 0)) {
                TRY(one_hot_depth(n, 0, &depth));
                return out_elem(n, 0, in_elem(n, 2));
        }
        TRY(attr_axis(n, "axis", -1, rank + 1, &axis));
        TRY(one_hot_depth(n, axis, &depth));
        dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        for (int d = 0, from = 0; d <= rank; d++)
                dims[d] = d == axis ? depth : in_dim(n, 0, from++);
        return out_tensor(n, 0, in_elem(n, 2), rank + 1, dims);
}

/* An index in [-depth, depth - 1] selects a position, any other index none. Before version 11 the meaning of a negative
   index is undefined. */
void content_OneHot(struct node *n)
{
        const struct content *indices = in_content(n, 0), *values = in_content(n, 2);
        struct content *content;
        struct grid out;
        int64_t depth, step, block;
        int axis;

        if (!indices || !values || values->count != 2 || !out_wanted(n, 0) || !grid_of(n, &n->out[0].type, &out) ||
            out.count == 0 || attr_axis(n, "axis", -1, out.rank, &axis) != OX_OK)
                return;
        depth = out.dim[axis];
        step = out.stride[axis];
        block = depth * step;
        if (indices->count * (size_t)depth != (size_t)out.count)
                return;
        content = content_new(n->arena, (size_t)out.count);
        for (int64_t k = 0; k < out.count; k++) {
                int64_t index, place = k % block / step;
                bool known = scalar_is_number(content_at(indices, k / block * step + k % step), &index);

                if (known && index < 0) {
                        known = n->row->since >= 11;
                        index += depth;
                }
                content_set(content, k, known ? content_at(values, index == place) : scalar_unknown());
        }
        out_content(n, 0, content);
}

/* -- Trilu 14 -- */

enum ox_code infer_Trilu(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_scalar(n, 1));
        return out_like(n, 0, in_elem(n, 0), 0);
}

/* With `upper`, the elements with j - i >= k are kept, for row i and column j; else those with j - i <= k. */
void content_Trilu(struct node *n)
{
        const struct content *in = in_content(n, 0);
        bool upper = attr_int_or(n, "upper", 1) != 0;
        struct scalar zero = elem_is_float(in_elem(n, 0)) ? scalar_float(0) : scalar_int(dim_int(0));
        struct content *content;
        struct grid grid;
        int64_t k = 0, *at;

        if (!in || (in_given(n, 1) && !in_int(n, 1, &k)) || !grid_of(n, in_type(n, 0), &grid) || grid.rank < 2 ||
            in->count != (size_t)grid.count)
                return;
        content = content_new(n->arena, in->count);
        at = grid_start(n, &grid);
        for (size_t i = 0; i < in->count; i++, grid_next(&grid, at)) {
                int64_t diagonal = at[grid.rank - 1] - at[grid.rank - 2];

                content_set(content, i, (upper ? diagonal >= k : diagonal <= k) ? content_at(in, i) : zero);
        }
        out_content(n, 0, content);
}

/* -- ReverseSequence 10: one length for each entry of the batch; the two axes are 0 and 1, in either order -- */

enum ox_code infer_ReverseSequence(struct node *n)
{
        int64_t batch = attr_int_or(n, "batch_axis", 1), time = attr_int_or(n, "time_axis", 0);
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank(n, 1, 1));
        if (batch == time)
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1,
                                  "batch_axis and time_axis must be different axes, got %lld for both",
                                  (long long)batch);
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        dims = in_dims(n, 0);
        if (in_has_rank(n, 1))
                TRY(in_agree(n, &dims[batch], 1, 0));
        return out_tensor(n, 0, in_elem(n, 0), in_rank(n, 0), dims);
}
