/* Concat and Split: sizes that add up along one axis. */
#include "base/checked.h"
#include "ops/kit/axes.h"
#include "ops/kit/elements.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/layout.h"

/* -- Concat 1-13, QLinearConcat 1 of com.microsoft -- */

/* The inputs that are parts: `first`, and every `step`th after it. */
struct parts {
        int first, step;
};

static const struct parts all_parts = {.first = 0, .step = 1};

/* The rank that all inputs share; RANK_UNKNOWN if none is known. */
static enum ox_code concat_rank(struct node *n, struct parts parts, int *ret_rank)
{
        *ret_rank = RANK_UNKNOWN;
        for (int i = parts.first; i < n->n_in; i += parts.step) {
                TRY(in_expect_tensor(n, i));
                TRY(in_expect_same_elem(n, parts.first, i));
                if (*ret_rank == RANK_UNKNOWN)
                        *ret_rank = in_rank(n, i);
                else
                        TRY(in_expect_rank(n, i, *ret_rank));
        }
        return OX_OK;
}

static enum elem concat_elem(const struct node *n, struct parts parts)
{
        for (int i = parts.first; i < n->n_in; i += parts.step)
                if (in_elem(n, i) != ELEM_UNDEFINED)
                        return in_elem(n, i);
        return ELEM_UNDEFINED;
}

/* All axes of input `i` except the concatenated one agree with the parts before it; `first` is the first of known
   rank. */
static enum ox_code concat_agree(struct node *n, int i, int first, int axis, int rank, struct dim *dims)
{
        for (int d = 0; d < rank; d++)
                if (d != axis)
                        TRY(in_agree_with(n, &dims[d], i, d, (struct place){first, d}));
        return OX_OK;
}

/* The length of vectors together; false where one is not a number. */
static bool concat_length(struct node *n, struct parts parts, struct dim *ret)
{
        int64_t sum = 0, length;

        for (int i = parts.first; i < n->n_in; i += parts.step)
                if (!in_length(n, i, false, &length) || !add_i64(sum, length, &sum))
                        return false;
        *ret = dim_int(sum);
        return true;
}

/* Sizes add up along `axis`; all other dimensions agree, which is recorded as a fact. An input of unknown rank leaves
   only the sum open, because all ranks are the same. `axis` is 1 by default in version 1 and required later. */
static enum ox_code concat(struct node *n, struct parts parts)
{
        struct dim *dims = NULL, *sizes;
        size_t n_sizes = 0;
        bool open = false;
        int rank, axis, first = parts.first; /* of known rank */

        TRY(concat_rank(n, parts, &rank));
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, concat_elem(n, parts));
        TRY(attr_axis(n, "axis", 1, rank, &axis));
        if (rank == 1) {
                dims = arena_new_array(n->arena, struct dim, 1);
                if (concat_length(n, parts, dims))
                        return out_tensor(n, 0, concat_elem(n, parts), rank, dims);
                dims = NULL;
        }
        sizes = arena_new_array(n->arena, struct dim, (size_t)n->n_in);
        for (int i = parts.first; i < n->n_in; i += parts.step) {
                if (!in_has_rank(n, i)) {
                        open = true;
                        continue;
                }
                if (i + parts.step < n->n_in) /* a cache, to which the last input is added */
                        dim_may_be_none(n->dims, in_dim(n, i, axis));
                if (!dims) {
                        first = i;
                        dims = in_dims(n, i);
                } else {
                        TRY(concat_agree(n, i, first, axis, rank, dims));
                }
                sizes[n_sizes++] = in_dim(n, i, axis);
        }
        if (dims)
                dims[axis] = open ? out_fresh(n, 0, axis) : dim_sum(n->dims, sizes, n_sizes);
        return out_tensor(n, 0, concat_elem(n, parts), rank, dims);
}

enum ox_code infer_Concat(struct node *n)
{
        return concat(n, all_parts);
}

/* ConcatTraining 1 of com.microsoft: beside the result, the size of each input along the axis. */
enum ox_code infer_ConcatTraining(struct node *n)
{
        struct dim *lengths = arena_new_array(n->arena, struct dim, 1);

        lengths[0] = dim_int(n->n_in);
        TRY(infer_Concat(n));
        return out_tensor(n, 1, ELEM_INT64, 1, lengths);
}

/* The inputs begin with the output's scale and zero point; then each part is followed by its own. */
enum ox_code infer_QLinearConcat(struct node *n)
{
        const struct parts parts = {.first = 2, .step = 3};

        if ((n->n_in - parts.first) % parts.step != 0)
                return node_error(n, REASON_INPUT_COUNT, -1,
                                  "each part must have a scale and a zero point, got %d inputs behind those of Y",
                                  n->n_in - parts.first);
        for (int i = 0; i < n->n_in; i++)
                if (i < parts.first || (i - parts.first) % parts.step != 0)
                        TRY(in_expect_scalar(n, i));
        TRY(in_expect_same_elem(n, 1, parts.first));
        return concat(n, parts);
}

/* Copies the elements of one input into the output, from position `base` of the axis on. */
static void concat_place(struct node *n, int i, int axis, int64_t base, const struct grid *in, const struct grid *out,
                         struct content *to)
{
        const struct content *from = in_content(n, i);
        int64_t *at = grid_start(n, in);

        for (int64_t k = 0; k < in->count; k++, grid_next(in, at)) {
                int64_t position = base * out->stride[axis];

                for (int d = 0; d < in->rank; d++)
                        position += at[d] * out->stride[d];
                content_set(to, position, from ? content_at(from, k) : scalar_unknown());
        }
}

/* The same for vectors, as those that shapes are put together from. */
static void concat_vectors(struct node *n)
{
        struct content *content;
        struct dim whole;
        int64_t length;
        size_t at = 0;

        if (!concat_length(n, all_parts, &whole) || whole.val > n->limits->content_elements)
                return;
        content = content_new(n->arena, (size_t)whole.val);
        for (int i = 0; i < n->n_in; i++) {
                const struct content *from = in_content(n, i);
                struct dim element;

                if (!in_length(n, i, false, &length))
                        return;
                for (size_t k = 0; k < (size_t)length; k++, at++)
                        if (from && content_int(from, k, &element))
                                content_set(content, at, scalar_int(element));
                        else
                                content_set(content, at, from ? content_at(from, k) : scalar_unknown());
        }
        out_content(n, 0, content);
}

void content_Concat(struct node *n)
{
        struct content *content;
        struct grid out, in;
        int64_t base = 0;
        bool any = false;
        int axis;

        for (int i = 0; i < n->n_in && !any; i++)
                any = in_content(n, i);
        if (!any || !out_wanted(n, 0))
                return;
        if (n->out[0].type.rank == 1) {
                concat_vectors(n);
                return;
        }
        if (!grid_of(n, &n->out[0].type, &out) || attr_axis(n, "axis", 1, out.rank, &axis) != OX_OK)
                return;
        content = content_new(n->arena, (size_t)out.count);
        for (int i = 0; i < n->n_in; i++) {
                if (!grid_of(n, in_type(n, i), &in))
                        return;
                concat_place(n, i, axis, base, &in, &out, content);
                base += in.dim[axis];
        }
        out_content(n, 0, content);
}

void content_ConcatTraining(struct node *n)
{
        struct content *lengths = content_new(n->arena, (size_t)n->n_in);
        int axis;

        content_Concat(n);
        for (int i = 0; i < n->n_in; i++) {
                bool known = in_has_rank(n, i) && attr_axis(n, "axis", 0, in_rank(n, i), &axis) == OX_OK;

                content_set(lengths, (size_t)i, known ? scalar_int(in_dim(n, i, axis)) : scalar_unknown());
        }
        out_content(n, 1, lengths);
}

/* -- Split 1-18, SplitTraining 1 of com.microsoft -- */

/* The sizes of all parts along the axis. */
struct split {
        int axis;
        struct dim size;
        struct dim *part; /* one an output */
};

/* Sizes given one by one, by attribute (1-11) or input (1, 13-18). They add up to the size of the axis, which
   determines a single unknown one. */
static enum ox_code split_given(struct node *n, const struct list *sizes, struct split *s)
{
        struct dim sum, *known = arena_new_array(n->arena, struct dim, (size_t)n->n_out);
        size_t n_known = 0;
        int unknown = -1, n_unknown = 0;

        if (sizes->count != (size_t)n->n_out)
                return node_error_at(n, REASON_OUTPUT_COUNT, -1, -1, node_number(n, (int64_t)sizes->count),
                                     node_number(n, n->n_out),
                                     "the number of outputs must be the number of sizes in split, %zu, got %d",
                                     sizes->count, n->n_out);
        for (int o = 0; o < n->n_out; o++) {
                if (!element_size(n, list_at(sizes, o), &s->part[o])) {
                        s->part[o] = out_fresh_at_most(n, o, s->axis, s->size);
                        unknown = o;
                        n_unknown++;
                        continue;
                }
                known[n_known++] = s->part[o];
        }
        sum = dim_sum(n->dims, known, n_known);
        if (n_unknown == 0)
                TRY(dim_agree(n, &s->size, sum, 0));
        for (int o = 0; o < n->n_out && dim_is(s->size, 0); o++)
                s->part[o] = dim_int(0); /* whatever it is written as */
        if (n_unknown == 0)
                return OX_OK;
        if (dim_is_int(sum) && dim_is_int(s->size) && sum.val > s->size.val)
                return node_error_at(
                        n, REASON_DIM_MISMATCH, 0, s->axis, arena_printf(n->arena, "%lld or more", (long long)sum.val),
                        node_number(n, s->size.val), "%s: the known sizes in split add up to %lld, but axis %d is %lld",
                        node_input_text(n, 0), (long long)sum.val, s->axis, (long long)s->size.val);
        if (n_unknown == 1)
                s->part[unknown] = dim_sub(n->dims, s->size, sum);
        return OX_OK;
}

/* Equal parts. Up to Split-13 the size must be a multiple of the number of outputs. */
static enum ox_code split_equal(struct node *n, struct split *s)
{
        if (in_has_rank(n, 0))
                TRY(in_expect_multiple(n, 0, s->axis, n->n_out, "the number of outputs"));
        for (int o = 0; o < n->n_out; o++)
                TRY(size_quotient(n, s->size, dim_int(n->n_out), 0, &s->part[o]));
        return OX_OK;
}

/* Split-18's `num_outputs`: parts of ceil(size / n), the last one smaller. The text does not define the case where the
   parts before the last exceed the size ([5] in 4), so no size is known then. */
static enum ox_code split_chunks(struct node *n, int64_t count, struct split *s)
{
        struct dim chunk, before;

        if (count != n->n_out)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be num_outputs, %lld, got %d",
                                  (long long)count, n->n_out);
        chunk = dim_ceildiv(n->dims, s->size, dim_int(count));
        before = dim_mul(n->dims, chunk, dim_int(count - 1));
        if (dim_is_int(s->size) && dim_is_int(before) && before.val > s->size.val) {
                for (int o = 0; o < n->n_out; o++)
                        s->part[o] = out_fresh(n, o, s->axis);
                return OX_OK;
        }
        for (int o = 0; o < n->n_out - 1; o++)
                s->part[o] = chunk;
        s->part[n->n_out - 1] = dim_sub(n->dims, s->size, before);
        return OX_OK;
}

static enum ox_code split_parts(struct node *n, const struct list *sizes, struct split *s)
{
        int64_t count;

        if (sizes->state == LIST_KNOWN)
                return split_given(n, sizes, s);
        if (sizes->state == LIST_UNKNOWN) {
                for (int o = 0; o < n->n_out; o++)
                        s->part[o] = out_fresh_at_most(n, o, s->axis, s->size);
                return OX_OK;
        }
        if (n->row->since < 18)
                return split_equal(n, s);
        if (!attr_int(n, "num_outputs", &count))
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1,
                                  "the input split or the attribute num_outputs is required");
        return split_chunks(n, count, s);
}

/* The list of sizes, from the source of the version: Split-1 has both an attribute and an input, which has the type of
   the data. */
static enum ox_code split_sizes(struct node *n, struct list *ret)
{
        TRY(list_get(n, "split", 1, false, ret));
        if (ret->state == LIST_ABSENT && n->row->since == 1) {
                TRY(list_get(n, NULL, 1, false, ret));
                list_whole(n, ret);
        }
        return list_of_sizes(n, ret, in_given(n, 1) ? 1 : -1);
}

enum ox_code infer_Split(struct node *n)
{
        struct list sizes;
        struct split s;
        int rank = in_rank(n, 0);

        TRY(in_expect_tensor(n, 0));
        TRY(split_sizes(n, &sizes));
        if (sizes.state != LIST_ABSENT && attr_given(n, "num_outputs"))
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, 1,
                                  "the input split and the attribute num_outputs exclude each other");
        s.axis = 0;
        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", 0, rank, &s.axis));
        s.size = in_has_rank(n, 0) ? in_dim(n, 0, s.axis) : out_fresh(n, 0, 0);
        s.part = arena_new_array(n->arena, struct dim, (size_t)n->n_out);
        TRY(split_parts(n, &sizes, &s));
        if (!in_has_rank(n, 0)) {
                for (int o = 0; o < n->n_out; o++)
                        TRY(out_elem(n, o, in_elem(n, 0)));
                return OX_OK;
        }
        for (int o = 0; o < n->n_out; o++) {
                struct dim *dims = in_dims(n, 0);

                dims[s.axis] = s.part[o];
                TRY(out_tensor(n, o, in_elem(n, 0), rank, dims));
        }
        return OX_OK;
}

void content_Split(struct node *n)
{
        struct element_map map;
        struct grid in;
        int64_t base = 0;
        int axis;

        if (!in_has_content(n, 0) || !grid_of(n, in_type(n, 0), &in) ||
            attr_axis(n, "axis", 0, in.rank, &axis) != OX_OK)
                return;
        for (int o = 0; o < n->n_out; o++) {
                struct dim part;

                if (!out_wanted(n, o) || n->out[o].type.rank != in.rank)
                        return;
                part = dim_resolve(n->dims, n->out[o].type.dim[axis]);
                if (!dim_is_int(part))
                        return;
                if (element_map_new(n, o, &map)) {
                        for (int d = 0; d < in.rank; d++)
                                for (int64_t k = 0; k < map.out.dim[d]; k++)
                                        map.offset[d][k] = (k + (d == axis ? base : 0)) * in.stride[d];
                        element_map_apply(n, o, &map, in_content(n, 0), scalar_unknown());
                }
                base += part.val;
        }
}
