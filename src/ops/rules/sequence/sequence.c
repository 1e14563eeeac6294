/* Sequences. The type of each element is known while the length is known; otherwise a joined type holds for all of
   them. */
#include "ops/rules/sequence.h"
#include "ops/kit/axes.h"
#include "ops/kit/sizes.h"

/* -- helpers -- */

struct joining {
        struct node *n;
        const struct type *a, *b;
};

static struct dim fresh_axis(void *user, int axis)
{
        const struct joining *j = user;
        struct dim size = out_fresh(j->n, 0, axis);

        size_between(j->n, size, type_innermost(j->a)->dim[axis], type_innermost(j->b)->dim[axis]);
        return size;
}

static struct type join(struct node *n, const struct type *a, const struct type *b)
{
        struct joining j = {n, a, b};

        return type_same(a, b) ? *a : type_join(n->arena, n->dims, a, b, fresh_axis, &j);
}

/* Marks differing sizes in a shape that is being joined. */
static struct dim mark_axis(void *user, int axis)
{
        return dim_int(-1);
}

/* Whether the type joined so far also holds for a tensor. */
static bool holds_for(const struct type *joined, const struct type *type)
{
        if (joined->kind != type->kind || joined->elem != type->elem || joined->rank != type->rank)
                return false;
        for (int d = 0; d < joined->rank; d++)
                if (!dim_is(joined->dim[d], -1) && !dim_same(joined->dim[d], type->dim[d]))
                        return false;
        return true;
}

/* Joins the first `count`, continuing an earlier join if no differing sizes were found to be equal since. */
static struct type join_marked(struct node *n, struct elements *elements, size_t count)
{
        uint32_t facts = dim_facts(n->dims);
        bool begun = elements->joined_count > 0 && elements->joined_count <= count && elements->joined_at == facts;
        struct type joined = begun ? elements->joined : *elements->at[0];

        for (size_t i = begun ? elements->joined_count : 1; i < count; i++)
                if (elements->at[i] != elements->at[i - 1] && !holds_for(&joined, elements->at[i]))
                        joined = type_join(n->arena, n->dims, &joined, elements->at[i], mark_axis, n);
        elements->joined = joined;
        elements->joined_count = count;
        elements->joined_at = facts;
        return joined;
}

/* A symbol for the differing sizes of elements on an axis, with the numbers between which they are. */
static struct dim joined_size(struct node *n, const struct elements *elements, size_t count, int axis)
{
        struct dim size = out_fresh(n, 0, axis);
        int64_t least = INT64_MAX, most = INT64_MIN, lower, upper;

        for (size_t i = 0; i < count; i++) {
                dim_range(n->dims, elements->at[i]->dim[axis], &lower, &upper);
                least = lower < least ? lower : least;
                most = upper > most ? upper : most;
        }
        dim_assume_ge(n->dims, size, least);
        dim_assume_le(n->dims, size, most);
        return size;
}

/* One symbol stands for all differing sizes on an axis, for any number of elements. */
static struct type join_all(struct node *n, struct elements *elements, size_t count)
{
        struct type joined = join_marked(n, elements, count);

        if (!type_is_tensor(&joined) || joined.rank <= 0)
                return joined;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)joined.rank);

        for (int d = 0; d < joined.rank; d++)
                dims[d] = dim_is(joined.dim[d], -1) ? joined_size(n, elements, count, d) : joined.dim[d];
        joined.dim = dims;
        return joined;
}

static enum ox_code expect_sequence(struct node *n, int i)
{
        if (in_type(n, i)->kind == TYPE_SEQUENCE || in_type(n, i)->kind == TYPE_UNKNOWN)
                return OX_OK;
        return node_error(n, REASON_TYPE_MISMATCH, i, "%s must be a sequence", node_input_name(n, i));
}

/* A type that holds for every element of a sequence. */
static const struct type *element_type(const struct node *n, int i)
{
        return in_type(n, i)->kind == TYPE_SEQUENCE ? in_type(n, i)->of : &type_unknown;
}

/* The number of elements, with bound symbols replaced; false if it is unknown. */
static bool length_of(const struct node *n, int i, struct dim *ret)
{
        const struct members *members = value_members(n->in[i]);

        if (!members->has_length)
                return false;
        *ret = dim_resolve(n->dims, members->length);
        return true;
}

/* The type of each element; false if they are not known one by one. */
static bool elements_known(const struct node *n, int i, size_t *ret_count)
{
        struct dim length;

        if (!length_of(n, i, &length) || !dim_is_int(length) || (!value_members(n->in[i])->elements && length.val != 0))
                return false;
        *ret_count = (size_t)length.val;
        return true;
}

static bool is_small(const struct node *n, int64_t count)
{
        return count <= n->limits->content_elements;
}

static enum ox_code out_sequence(struct node *n, struct type of, const struct dim *length, struct elements *elements)
{
        struct type type = type_sequence(type_keep(n->arena, of));

        TRY(out_type(n, 0, &type));
        if (out_wanted(n, 0) && length)
                value_hold(n->arena, &n->out[0],
                           &(struct members){.has_length = true, .length = *length, .elements = elements});
        return OX_OK;
}

/* A sequence of known elements. `elem` is its element type if it is empty. */
static enum ox_code out_elements(struct node *n, enum elem elem, struct elements *elements, size_t count)
{
        struct dim length = dim_int((int64_t)count);
        struct type of = count > 0 ? join_all(n, elements, count) : type_tensor(elem, RANK_UNKNOWN, NULL);

        return out_sequence(n, of, &length, count > 0 ? elements : NULL);
}

static bool is_named(const struct dim_symbol *symbol)
{
        return !symbol->anonymous || symbol->from_input;
}

/* One element of a sequence with only a joined type. A fresh symbol may stand for another size in each element;
   integers and symbols of the model and its inputs hold for all. */
static struct type any_element(struct node *n, const struct type *of)
{
        struct type type = *of;

        if ((of->kind != TYPE_TENSOR && of->kind != TYPE_SPARSE_TENSOR) || of->rank <= 0)
                return type;
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)of->rank);
        for (int d = 0; d < of->rank; d++)
                dims[d] = dim_all_symbols(n->dims, of->dim[d], is_named) ? of->dim[d] : out_fresh(n, 0, d);
        type.dim = dims;
        return type;
}

/* Checks a position in a sequence of `length` against the greatest allowed, `last`, and counts negative ones from the
   back. */
static enum ox_code check_position(struct node *n, int i, int64_t length, int64_t last, int64_t *ret)
{
        int64_t position = *ret;

        if (position < -length || position > last)
                return node_error_at(n, REASON_INDEX_OUT_OF_RANGE, i, -1,
                                     arena_printf(n->arena, "[%lld, %lld]", (long long)-length, (long long)last),
                                     node_number(n, position), "position must be in [%lld, %lld], got %lld",
                                     (long long)-length, (long long)last, (long long)position);
        *ret = position < 0 ? position + length : position;
        return OX_OK;
}

/* The same for input `i` and a sequence of unknown elements: a condition if the length is not a number. With `end` the
   position after the last element is valid too. The default is the end, or the last element. */
static enum ox_code expect_position(struct node *n, int i, bool end)
{
        struct dim length;
        int64_t position = end ? 0 : -1, least;

        if (!length_of(n, 0, &length))
                return OX_OK;
        bool known = in_given(n, i) && in_int(n, i, &position);
        if (known && dim_is_int(length))
                return check_position(n, i, length.val, end ? length.val : length.val - 1, &position);
        if (position == INT64_MAX || position == INT64_MIN)
                return OX_OK;
        least = position < 0 ? -position : position + (end ? 0 : 1);
        return size_at_least(n, length, dim_int(least), 0);
}

/* -- sequences -- */

/* SequenceConstruct (11): all inputs are tensors of one element type. */
enum ox_code infer_SequenceConstruct(struct node *n)
{
        struct elements *elements = elements_new(n->arena, (size_t)n->n_in);
        enum elem elem = ELEM_UNDEFINED;

        for (int i = 0; i < n->n_in; i++) {
                TRY(in_expect_tensor(n, i));
                if (elem == ELEM_UNDEFINED)
                        elem = in_elem(n, i);
                else if (in_elem(n, i) != ELEM_UNDEFINED && in_elem(n, i) != elem)
                        return node_error(n, REASON_TYPE_MISMATCH, i, "all inputs must be of one type, %s, got %s",
                                          elem_name((int)elem), elem_name((int)in_elem(n, i)));
        }
        for (int i = 0; i < n->n_in; i++) {
                struct type type = *in_type(n, i);
                if (type.kind == TYPE_UNKNOWN)
                        type = type_tensor(elem, RANK_UNKNOWN, NULL);
                type.elem = elem;
                elements_add(n->arena, elements, (size_t)i, type_keep(n->arena, type));
        }
        return out_elements(n, elem, elements, (size_t)n->n_in);
}

/* SequenceEmpty (11): only the text, not the schema, has the default of `dtype`. */
enum ox_code infer_SequenceEmpty(struct node *n)
{
        return out_elements(n, attr_elem(n, "dtype", ELEM_FLOAT), NULL, 0);
}

/* SequenceAt (11) */
enum ox_code infer_SequenceAt(struct node *n)
{
        size_t count;
        int64_t position = 0;
        struct type type;

        TRY(expect_sequence(n, 0));
        TRY(in_expect_scalar(n, 1));
        if (!elements_known(n, 0, &count)) {
                TRY(expect_position(n, 1, false));
                type = any_element(n, element_type(n, 0));
                return type.kind == TYPE_UNKNOWN ? OX_OK : out_type(n, 0, &type);
        }
        if (count == 0)
                return node_error(n, REASON_INDEX_OUT_OF_RANGE, 1, "the sequence is empty");
        if (in_int(n, 1, &position)) {
                TRY(check_position(n, 1, (int64_t)count, (int64_t)count - 1, &position));
                return out_type(n, 0, value_members(n->in[0])->elements->at[position]);
        }
        type = join_all(n, value_members(n->in[0])->elements, count);
        return out_type(n, 0, &type);
}

/* The tensor of SequenceInsert gets the sequence's element type if its own is unknown, and the other way round. */
static enum ox_code unify_elem(struct node *n, struct type *of, struct type *tensor)
{
        if (of->kind == TYPE_UNKNOWN)
                *of = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
        if (tensor->kind == TYPE_UNKNOWN)
                *tensor = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
        if (of->kind != tensor->kind)
                return node_error(n, REASON_TYPE_MISMATCH, 1,
                                  "the sequence holds tensors, and the value to insert must be one");
        if (of->elem != ELEM_UNDEFINED && tensor->elem != ELEM_UNDEFINED && of->elem != tensor->elem)
                return node_error(n, REASON_TYPE_MISMATCH, 1,
                                  "the element type must be that of the sequence, %s, got %s", elem_name((int)of->elem),
                                  elem_name((int)tensor->elem));
        if (of->elem == ELEM_UNDEFINED)
                of->elem = tensor->elem;
        if (tensor->elem == ELEM_UNDEFINED)
                tensor->elem = of->elem;
        return OX_OK;
}

/* SequenceInsert (11): without `position` at the end. */
enum ox_code infer_SequenceInsert(struct node *n)
{
        struct type of = *element_type(n, 0), tensor = *in_type(n, 1);
        size_t count = 0;
        int64_t position = 0;

        TRY(expect_sequence(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(unify_elem(n, &of, &tensor));
        bool known = elements_known(n, 0, &count);
        bool placed = !in_given(n, 2) || in_int(n, 2, &position);
        if (!in_given(n, 2))
                position = (int64_t)count;
        if (known && placed)
                TRY(check_position(n, 2, (int64_t)count, (int64_t)count, &position));
        else
                TRY(expect_position(n, 2, true));

        if (known && (placed || count == 0) && is_small(n, (int64_t)count + 1)) {
                size_t at = count == 0 ? 0 : (size_t)position;
                struct elements *elements =
                        elements_add(n->arena, value_members(n->in[0])->elements, at, type_keep(n->arena, tensor));

                for (size_t i = at; i < count; i++)
                        elements_add(n->arena, elements, i + 1, value_members(n->in[0])->elements->at[i]);
                return out_elements(n, of.elem, elements, count + 1);
        }
        struct dim length;

        if (!length_of(n, 0, &length))
                return out_sequence(n, join(n, &of, &tensor), NULL, NULL);
        length = dim_add(n->dims, length, dim_int(1));
        return out_sequence(n, join(n, &of, &tensor), &length, NULL);
}

/* SequenceErase (11): without `position` the last. The rest may share a size that the erased element does not have, so
   its symbols are new. */
enum ox_code infer_SequenceErase(struct node *n)
{
        size_t count;
        int64_t position = -1;

        TRY(expect_sequence(n, 0));
        TRY(in_expect_scalar(n, 1));
        if (in_type(n, 0)->kind == TYPE_UNKNOWN)
                return OX_OK;
        bool placed = !in_given(n, 1) || in_int(n, 1, &position);
        struct dim length;

        if (!elements_known(n, 0, &count)) {
                TRY(expect_position(n, 1, false));
                if (!length_of(n, 0, &length))
                        return out_sequence(n, any_element(n, element_type(n, 0)), NULL, NULL);
                length = dim_sub(n->dims, length, dim_int(1));
                return out_sequence(n, any_element(n, element_type(n, 0)), &length, NULL);
        }
        if (count == 0)
                return node_error(n, REASON_INDEX_OUT_OF_RANGE, 1, "the sequence is empty");
        if (!placed) {
                length = dim_int((int64_t)count - 1);
                return out_sequence(n, any_element(n, element_type(n, 0)), &length, NULL);
        }
        TRY(check_position(n, 1, (int64_t)count, (int64_t)count - 1, &position));
        struct elements *elements = value_members(n->in[0])->elements;

        if ((size_t)position + 1 < count) {
                elements = elements_new(n->arena, count - 1);
                for (size_t i = 0; i + 1 < count; i++)
                        elements_add(n->arena, elements, i,
                                     value_members(n->in[0])->elements->at[i < (size_t)position ? i : i + 1]);
        }
        return out_elements(n, element_type(n, 0)->elem, elements, count - 1);
}

/* SequenceLength (11) */
enum ox_code infer_SequenceLength(struct node *n)
{
        TRY(expect_sequence(n, 0));
        return out_tensor(n, 0, ELEM_INT64, 0, NULL);
}

/* SequenceLength (11) */
void content_SequenceLength(struct node *n)
{
        struct dim length;

        if (!length_of(n, 0, &length))
                return;
        struct content *content = content_new(n->arena, 1);
        content_set(content, 0, scalar_int(length));
        out_content(n, 0, content);
}

/* -- between tensors and sequences -- */

/* The input with `size` along `axis`. */
static const struct type *chunk_type(const struct node *n, int axis, struct dim size)
{
        struct dim *dims = in_dims(n, 0);

        dims[axis] = size;
        return type_keep(n->arena, type_tensor(in_elem(n, 0), in_rank(n, 0), dims));
}

/* The input without `axis`. */
static const struct type *slice_type(const struct node *n, int axis)
{
        int rank = in_rank(n, 0);
        struct dim *dims = in_dims(n, 0);

        for (int d = axis; d + 1 < rank; d++)
                dims[d] = dims[d + 1];
        return type_keep(n->arena, type_tensor(in_elem(n, 0), rank - 1, dims));
}

/* Records that the chunks add up to the input on `axis`. */
static void out_along(struct node *n, int axis)
{
        struct along *along = arena_new_array(n->arena, struct along, 1);
        struct members members;

        if (!out_wanted(n, 0))
                return;
        *along = (struct along){axis, in_dim(n, 0, axis)};
        members = *value_members(&n->out[0]);
        members.along = along;
        value_hold(n->arena, &n->out[0], &members);
}

/* `count` elements of one type, except possibly the last. */
static enum ox_code out_chunks(struct node *n, int axis, struct dim count, const struct type *each,
                               const struct type *last)
{
        if (!dim_is_int(count) || !is_small(n, count.val) || count.val < 1) {
                TRY(out_sequence(n, join(n, each, last), &count, NULL));
                if (each->rank == in_rank(n, 0))
                        out_along(n, axis);
                return OX_OK;
        }
        struct elements *elements = elements_new(n->arena, (size_t)count.val);

        for (int64_t i = 0; i < count.val; i++)
                elements_add(n->arena, elements, (size_t)i, i + 1 < count.val ? each : last);
        return out_elements(n, in_elem(n, 0), elements, (size_t)count.val);
}

/* A scalar `split`: chunks of that size, of which the last may be smaller. */
static enum ox_code split_evenly(struct node *n, int axis, int64_t chunk)
{
        struct dim size = in_dim(n, 0, axis);
        const struct type *each = chunk_type(n, axis, dim_int(chunk));
        struct dim count = dim_ceildiv(n->dims, size, dim_int(chunk));
        if (dim_is(dim_mod(n->dims, size, dim_int(chunk)), 0))
                return out_chunks(n, axis, count, each, each);
        if (!dim_is_int(size))
                return out_chunks(n, axis, count, each,
                                  chunk_type(n, axis, out_fresh_at_most(n, 0, axis, dim_int(chunk))));
        return out_chunks(n, axis, count, each, chunk_type(n, axis, dim_int(size.val % chunk)));
}

/* A `split` of rank 1: the size of each chunk. They add up to the input's size. */
static enum ox_code split_by_sizes(struct node *n, int axis, const struct content *sizes)
{
        struct elements *elements = elements_new(n->arena, sizes->count);
        struct dim *chunk = arena_new_array(n->arena, struct dim, sizes->count), size = in_dim(n, 0, axis);
        bool all_known = true;

        for (size_t i = 0; i < sizes->count; i++) {
                if (!element_size(n, content_at(sizes, i), &chunk[i])) {
                        all_known = false;
                        chunk[i] = out_fresh_at_most(n, 0, axis, size);
                }
                elements_add(n->arena, elements, i, chunk_type(n, axis, chunk[i]));
        }
        if (all_known)
                TRY(dim_agree(n, &size, dim_sum(n->dims, chunk, sizes->count), 1));
        return out_elements(n, in_elem(n, 0), elements, sizes->count);
}

/* The number of chunks if `split` has rank 1. */
static bool chunk_count(const struct node *n, struct dim *ret)
{
        if (in_rank(n, 1) != 1)
                return false;
        *ret = in_dim(n, 1, 0);
        return true;
}

/* `split` is a scalar, which is positive, or a vector without negative elements. */
static enum ox_code check_split(struct node *n)
{
        const struct content *split = in_content(n, 1);
        int64_t least = in_rank(n, 1) == 0 ? 1 : 0, number;

        TRY(in_expect_tensor(n, 1));
        if (in_has_rank(n, 1) && in_rank(n, 1) > 1)
                return in_rank_fault(n, 1, "0 or 1");
        for (size_t i = 0; split && i < split->count; i++)
                if (scalar_is_number(content_at(split, i), &number) && number < least)
                        return node_error_at(n, REASON_SIZE_OUT_OF_RANGE, 1, -1,
                                             arena_printf(n->arena, "%lld or more", (long long)least),
                                             node_number(n, number),
                                             "element %zu of split must be %lld or more, got %lld", i, (long long)least,
                                             (long long)number);
        return OX_OK;
}

/* SplitToSequence (11, 24): without `split` the slices have size 1, and `keepdims` 0 removes the axis. With `split`
   that attribute is ignored. */
enum ox_code infer_SplitToSequence(struct node *n)
{
        int axis;
        int64_t chunk;
        struct dim count;

        TRY(in_expect_tensor(n, 0));
        TRY(check_split(n));
        bool counted = in_given(n, 1) && chunk_count(n, &count);
        if (!in_has_rank(n, 0))
                return out_sequence(n, type_tensor(in_elem(n, 0), RANK_UNKNOWN, NULL), counted ? &count : NULL, NULL);
        TRY(attr_axis(n, "axis", 0, in_rank(n, 0), &axis));
        if (!in_given(n, 1)) {
                bool keep_axis = attr_int_or(n, "keepdims", 1) != 0;
                const struct type *each = keep_axis ? chunk_type(n, axis, dim_int(1)) : slice_type(n, axis);
                return out_chunks(n, axis, in_dim(n, 0, axis), each, each);
        }
        if (in_rank(n, 1) == 0 && in_int(n, 1, &chunk))
                return split_evenly(n, axis, chunk);
        if (in_rank(n, 1) == 1 && in_content(n, 1))
                return split_by_sizes(n, axis, in_content(n, 1));
        TRY(out_sequence(n, *chunk_type(n, axis, out_fresh_at_most(n, 0, axis, in_dim(n, 0, axis))),
                         counted ? &count : NULL, NULL));
        out_along(n, axis);
        return OX_OK;
}

/* The size that all elements have on `axis`. If elements disagree, a warning and an unknown size, because the types of
   the specification allow such a sequence. */
static enum ox_code shared_size(struct node *n, size_t count, int axis, struct dim *ret)
{
        bool found = false;

        for (size_t i = 0; i < count; i++) {
                const struct type *element = value_members(n->in[0])->elements->at[i];

                if (element->rank == RANK_UNKNOWN)
                        continue;
                if (found && dim_proves_unequal(n->dims, *ret, element->dim[axis])) {
                        node_warn(n, REASON_DIM_MISMATCH, 0,
                                  "axis %d must be equal in all elements of the sequence, got %s and %s", axis,
                                  dim_text(n->dims, *ret), dim_text(n->dims, element->dim[axis]));
                        *ret = out_fresh(n, 0, axis);
                        return OX_OK;
                }
                if (!found)
                        *ret = element->dim[axis];
                else
                        TRY(dim_agree(n, ret, element->dim[axis], 0));
                found = true;
        }
        return OX_OK;
}

/* The sum of the elements' sizes on `axis`. */
static struct dim added_size(struct node *n, size_t count, int axis)
{
        struct dim *sizes = arena_new_array(n->arena, struct dim, count);

        for (size_t i = 0; i < count; i++) {
                const struct type *element = value_members(n->in[0])->elements->at[i];

                if (element->rank == RANK_UNKNOWN)
                        return out_fresh(n, 0, axis);
                sizes[i] = element->dim[axis];
        }
        return dim_sum(n->dims, sizes, count);
}

/* The rank that a sequence's elements share; RANK_UNKNOWN if none is known, and, with a warning, if they differ. */
static int shared_rank(struct node *n, size_t count)
{
        int rank = RANK_UNKNOWN;

        for (size_t i = 0; i < count; i++) {
                const struct type *element = value_members(n->in[0])->elements->at[i];
                if (element->kind != TYPE_TENSOR || element->rank == RANK_UNKNOWN)
                        continue;
                if (rank != RANK_UNKNOWN && element->rank != rank) {
                        node_warn(n, REASON_RANK_MISMATCH, 0,
                                  "all elements of the sequence must have one rank, got %d and %d", rank,
                                  element->rank);
                        return RANK_UNKNOWN;
                }
                rank = element->rank;
        }
        return rank;
}

/* The sum of all elements' sizes along `axis`, if only their joined type is known. */
static struct dim joined_total(struct node *n, const struct type *of, int axis)
{
        const struct along *along = value_members(n->in[0])->along;
        struct dim length;

        if (along && along->axis == axis)
                return dim_resolve(n->dims, along->total);
        if (length_of(n, 0, &length) && dim_all_symbols(n->dims, of->dim[axis], is_named))
                return dim_mul(n->dims, length, of->dim[axis]);
        return out_fresh(n, 0, axis);
}

/* ConcatFromSequence (11): numpy.concatenate, or numpy.stack with `new_axis`. */
enum ox_code infer_ConcatFromSequence(struct node *n)
{
        const struct type *of = element_type(n, 0);
        bool stack = attr_int_or(n, "new_axis", 0) != 0;
        size_t count = 0;
        int rank = of->kind == TYPE_TENSOR ? of->rank : RANK_UNKNOWN, axis;
        struct dim length;

        TRY(expect_sequence(n, 0));
        bool known = elements_known(n, 0, &count);
        if (known && count == 0)
                return node_error(n, REASON_EMPTY_SEQUENCE, 0, "the sequence has no elements to concatenate");
        if (!known && length_of(n, 0, &length))
                TRY(size_at_least(n, length, dim_int(1), 0));
        if (known)
                rank = shared_rank(n, count);
        if (rank == RANK_UNKNOWN)
                return out_elem(n, 0, of->kind == TYPE_TENSOR ? of->elem : ELEM_UNDEFINED);
        TRY(attr_axis(n, "axis", 0, stack ? rank + 1 : rank, &axis));

        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        for (int d = 0; d < rank; d++) {
                if (d == axis && !stack)
                        dims[d] = known ? added_size(n, count, axis) : joined_total(n, of, axis);
                else if (known)
                        TRY(shared_size(n, count, d, &dims[d]));
                else
                        dims[d] = of->dim[d];
        }
        if (stack) {
                for (int d = rank; d > axis; d--)
                        dims[d] = dims[d - 1];
                if (!length_of(n, 0, &dims[axis]))
                        dims[axis] = out_fresh(n, 0, axis);
        }
        return out_tensor(n, 0, of->elem, stack ? rank + 1 : rank, dims);
}
