/* Training and devices that share a model (com.microsoft), beside gradients. */
#include "ops/kit/axes.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/list.h"
#include "ops/kit/sizes.h"
#include "ops/rules/microsoft.h"

/* The output has the shape of the input, and the row's element type. */
static enum ox_code shaped_like(struct node *n, int o, int i)
{
        TRY(in_expect_tensor(n, i));
        return out_like(n, o, out_row_elem(n, o), i);
}

/* -- optimizers: what is updated keeps its type -- */

/* AdamOptimizer 1 */
enum ox_code infer_AdamOptimizer(struct node *n)
{
        enum { STEP = 1, WEIGHTS, GRADIENTS, MOMENT_1, MOMENT_2, MIXED };
        static const int updated[] = {STEP, MOMENT_1, MOMENT_2, WEIGHTS, GRADIENTS, MIXED};

        TRY(in_expect_scalar(n, 0));
        TRY(in_expect_scalar(n, STEP));
        TRY(in_expect_scalar(n, MIXED + 1));
        TRY(in_expect_scalar(n, MIXED + 3));
        for (int o = 0; o < n->n_out; o++)
                TRY(shaped_like(n, o, updated[o]));
        return OX_OK;
}

/* SGDOptimizer 1 */
enum ox_code infer_SGDOptimizer(struct node *n)
{
        TRY(in_expect_scalar(n, 0));
        TRY(shaped_like(n, 0, 1));
        return shaped_like(n, 1, 2);
}

/* LambOptimizer 1: behind five inputs, groups of weights, gradients, moments and weights of half precision, any of
   which may be omitted; the outputs are the new step and the same groups. */
enum ox_code infer_LambOptimizer(struct node *n)
{
        enum { RATE = 3, STEP, GROUPS };

        for (int i = 0; i <= STEP; i++)
                TRY(in_expect_scalar(n, i));
        TRY(shaped_like(n, 0, STEP));
        for (int o = 1; o < n->n_out; o++) {
                int i = GROUPS + o - 1;

                if (!out_wanted(n, o) || !in_given(n, i))
                        continue;
                TRY(in_expect_tensor(n, i));
                TRY(out_like(n, o, in_elem(n, i), i));
        }
        return OX_OK;
}

static int param_index(const struct node *n, const char *name)
{
        for (int i = 0; i < (int)n->row->n_in; i++)
                if (text_same(n->row->in[i].name, name))
                        return i;
        return -1;
}

/* AdamWOptimizer 1, SGDOptimizerV2 1: sequences of weights, and of both moments; whether the step was made is a flag,
   whose shape the text does not give. */
enum ox_code infer_optimizer_of_sequences(struct node *n)
{
        static const char *const updated[] = {"weights", "momentums_1", "momentums_2"};
        const int count = sizeof(updated) / sizeof(*updated);

        TRY(in_expect_scalar(n, 0));
        for (int o = 1; o < n->n_out && o <= count; o++) {
                int i = param_index(n, updated[o - 1]);

                if (in_type(n, i)->kind == TYPE_SEQUENCE)
                        TRY(out_copy(n, o, i));
        }
        return OX_OK;
}

/* InplaceClipGradNorm 1: scaling keeps the gradients' shapes. */
enum ox_code infer_InplaceClipGradNorm(struct node *n)
{
        return in_type(n, 0)->kind == TYPE_SEQUENCE ? out_copy(n, 0, 0) : OX_OK;
}

/* The shape that the first two inputs share. */
static enum ox_code accumulated(struct node *n, int o)
{
        const struct dim *dims;
        int rank;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(same_shapes(n, 0, 2, &rank, &dims));
        return rank == RANK_UNKNOWN ? OX_OK : out_tensor(n, o, out_row_elem(n, o), rank, dims);
}

/* InPlaceAccumulator 1 */
enum ox_code infer_InPlaceAccumulator(struct node *n)
{
        return accumulated(n, 0);
}

/* InPlaceAccumulatorV2 1: the text does not give the shape of the flag. */
enum ox_code infer_InPlaceAccumulatorV2(struct node *n)
{
        return accumulated(n, 1);
}

/* ZeroGradient 1: "reset the gradient". */
enum ox_code infer_ZeroGradient(struct node *n)
{
        return shaped_like(n, 0, 0);
}

/* -- tensors that pass -- */

static enum ox_code expect_pairs(struct node *n, int first)
{
        if (n->n_out > n->n_in - first)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be at most %d, got %d",
                                  n->n_in - first, n->n_out);
        return OX_OK;
}

/* PassThrough 1: "outputs = inputs". AllReduce 1, NcclAllReduce 1, AdasumAllReduce 1: a tensor is reduced over devices,
   element by element. */
enum ox_code infer_each_alike(struct node *n)
{
        TRY(expect_pairs(n, 0));
        for (int o = 0; o < n->n_out; o++)
                if (in_given(n, o)) {
                        TRY(in_expect_tensor(n, o));
                        TRY(out_like(n, o, in_elem(n, o), o));
                }
        return OX_OK;
}

/* AllGather 1: the parts of `group_size` devices along `axis`. */
enum ox_code infer_AllGather(struct node *n)
{
        int64_t devices = attr_int_or(n, "group_size", 1);
        int axis;

        TRY(expect_pairs(n, 0));
        for (int o = 0; o < n->n_out; o++) {
                TRY(in_expect_tensor(n, o));
                if (!in_has_rank(n, o))
                        continue;
                TRY(attr_axis(n, "axis", 1, in_rank(n, o), &axis));
                struct dim *dims = in_dims(n, o);

                dims[axis] = dim_mul(n->dims, dims[axis], dim_int(devices));
                TRY(out_tensor(n, o, in_elem(n, o), in_rank(n, o), dims));
        }
        return OX_OK;
}

/* The attribute `name` lists a number for each of `count` tensors. */
static enum ox_code attr_for_each(struct node *n, const char *name, int count, const int64_t **ret)
{
        size_t given;

        *ret = NULL;
        if (!attr_ints(n, name, ret, &given))
                return OX_OK;
        if (given != (size_t)count)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "%s must have %d numbers, got %zu", name, count,
                                  given);
        return OX_OK;
}

/* Send 1: both signals "must be a scalar". */
enum ox_code infer_Send(struct node *n)
{
        const int64_t *types;

        TRY(in_expect_scalar(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(attr_for_each(n, "element_types", n->n_in - 2, &types));
        return out_tensor(n, 0, ELEM_BOOL, 0, NULL);
}

/* Outputs from `first` on have the element types, and if they are given the ranks, that attributes list. */
static enum ox_code out_listed(struct node *n, int first, const char *types_name, const char *ranks_name)
{
        const int64_t *types, *ranks = NULL;

        TRY(attr_for_each(n, types_name, n->n_out - first, &types));
        if (ranks_name)
                TRY(attr_for_each(n, ranks_name, n->n_out - first, &ranks));
        for (int o = first; o < n->n_out; o++) {
                int64_t number = types ? types[o - first] : ELEM_UNDEFINED;
                enum elem elem = elem_is_valid(number) ? (enum elem)number : ELEM_UNDEFINED;

                if (types && elem == ELEM_UNDEFINED)
                        return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                          "%s must hold numbers of element types, got %lld", types_name,
                                          (long long)number);
                if (ranks && ranks[o - first] <= n->limits->rank)
                        TRY(out_rank(n, o, elem, (int)ranks[o - first]));
                else
                        TRY(out_elem(n, o, elem));
        }
        return OX_OK;
}

/* Recv 1: what is received has the types that are listed. */
enum ox_code infer_Recv(struct node *n)
{
        TRY(in_expect_scalar(n, 0));
        TRY(in_expect_scalar(n, 1));
        TRY(out_tensor(n, 0, ELEM_BOOL, 0, NULL));
        return out_listed(n, 1, "element_types", NULL);
}

/* PythonOp 1, PythonOpGrad 1: the attributes list types and ranks. The first output of PythonOp is "the address of the
   context", whose shape the text does not give. */
enum ox_code infer_python_op(struct node *n)
{
        bool forward = text_same(n->row->out[0].name, "context");

        return out_listed(n, forward ? 1 : 0, "output_tensor_types", "output_tensor_ranks");
}

static bool is_listed(const int64_t *list, size_t count, int64_t number)
{
        for (size_t k = 0; k < count; k++)
                if (list[k] == number)
                        return true;
        return false;
}

/* YieldOp 1: the gradients of all outputs of a module that have one, in their order; those "that must have full shape"
   have the shape of their output. */
enum ox_code infer_YieldOp(struct node *n)
{
        const int64_t *full = NULL, *without = NULL;
        size_t n_full = 0, n_without = 0;
        int o = 0;

        attr_ints(n, "full_shape_outputs", &full, &n_full);
        attr_ints(n, "non_differentiable_outputs", &without, &n_without);
        for (int i = 0; i < n->n_in && o < n->n_out; i++) {
                if (is_listed(without, n_without, i))
                        continue;
                TRY(in_expect_tensor(n, i));
                TRY(is_listed(full, n_full, i) ? out_like(n, o, in_elem(n, i), i) : out_elem(n, o, in_elem(n, i)));
                o++;
        }
        if (o < n->n_out)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be at most %d, got %d", o,
                                  n->n_out);
        return OX_OK;
}

/* -- elements -- */

/* Scale 1: the scale is "a scalar tensor". */
enum ox_code infer_com_microsoft_Scale(struct node *n)
{
        TRY(in_expect_scalar(n, 1));
        return shaped_like(n, 0, 0);
}

/* ScaledSum 1: "tensors in same shape (no broadcasting)". */
enum ox_code infer_ScaledSum(struct node *n)
{
        const struct dim *dims;
        int rank;

        for (int i = 0; i < n->n_in; i++)
                TRY(in_expect_tensor(n, i));
        if (in_given(n, 2) && !attr_given(n, "scale_2"))
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1,
                                  "the attribute scale_2 is required for three inputs");
        TRY(same_shapes(n, 0, n->n_in, &rank, &dims));
        return rank == RANK_UNKNOWN ? OX_OK : out_tensor(n, 0, out_row_elem(n, 0), rank, dims);
}

/* BatchScale 1 */
enum ox_code infer_BatchScale(struct node *n)
{
        if (out_wanted(n, 2) && !attr_given(n, "scale_2"))
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1,
                                  "the attribute scale_2 is required for three outputs");
        for (int o = 0; o < n->n_out; o++)
                TRY(shaped_like(n, o, 0));
        return OX_OK;
}

/* FakeQuant 1: scale and zero point "must be a scalar"; the mask "has the same shape as the input". */
enum ox_code infer_FakeQuant(struct node *n)
{
        TRY(in_expect_scalar(n, 1));
        TRY(in_expect_scalar(n, 2));
        TRY(shaped_like(n, 0, 0));
        return shaped_like(n, 1, 0);
}

/* BiasSoftmaxDropout 1: softmax and dropout keep the shape of data, which the mask has too. */
enum ox_code infer_BiasSoftmaxDropout(struct node *n)
{
        int axis;

        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_scalar(n, 2));
        if (in_has_rank(n, 0))
                TRY(attr_axis(n, "axis", 1, in_rank(n, 0), &axis));
        for (int o = 0; o < n->n_out; o++)
                TRY(shaped_like(n, o, 0));
        return OX_OK;
}

/* SoftmaxCrossEntropy 1, BinaryCrossEntropy 1: one-hot labels have the shape of the logits, (-1, num_classes) or (-1,
   1). Without a reduction there is a loss "for each sample in the batch". */
enum ox_code infer_dense_entropy(struct node *n)
{
        const struct dim *dims;
        int rank;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(same_shapes(n, 0, 2, &rank, &dims));
        if (rank != RANK_UNKNOWN)
                TRY(out_tensor(n, 1, out_row_elem(n, 1), rank, dims));
        if (!attr_is(n, "reduction", "none"))
                return out_tensor(n, 0, out_row_elem(n, 0), 0, NULL);
        return rank == 2 ? out_tensor(n, 0, out_row_elem(n, 0), 1, dims) : OX_OK;
}

/* MixedPrecisionScale 1: each tensor keeps its shape, unless all are "fused into one continuous buffer". */
enum ox_code infer_MixedPrecisionScale(struct node *n)
{
        TRY(in_expect_scalar(n, 0));
        if (attr_int_or(n, "fuse_outputs", 0) != 0)
                return OX_OK;
        TRY(expect_pairs(n, 1));
        for (int o = 0; o < n->n_out; o++)
                TRY(shaped_like(n, o, o + 1));
        return OX_OK;
}

/* -- shapes -- */

/* The elements of input `i` as sizes from axis `first` on. */
static void sizes_read(struct node *n, int o, const struct list *sizes, int first, struct dim *dims)
{
        for (size_t k = 0; k < sizes->count; k++)
                if (!element_size(n, list_at(sizes, k), &dims[first + (int)k]))
                        dims[first + (int)k] = out_fresh(n, o, first + (int)k);
}

/* View 1: outputs map one to one to the shapes. */
enum ox_code infer_View(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        TRY(expect_pairs(n, 1));
        for (int o = 0; o < n->n_out; o++) {
                struct list sizes;

                TRY(list_get(n, NULL, o + 1, false, &sizes));
                if (sizes.state != LIST_KNOWN || !rank_allowed(n, sizes.count, o + 1))
                        continue;
                struct dim *dims = arena_new_array(n->arena, struct dim, sizes.count);

                TRY(list_of_sizes(n, &sizes, o + 1));
                sizes_read(n, o, &sizes, 0, dims);
                TRY(out_tensor(n, o, out_row_elem(n, o), (int)sizes.count, dims));
        }
        return OX_OK;
}

/* PadAndUnflatten 1: input [d1, d2 ... dN], indices [d1], unflatten_dims [M1, M2]; the output is [M1, M2, d2 ... dN].
 */
enum ox_code infer_PadAndUnflatten(struct node *n)
{
        enum { FOLDED = 2 };
        int rank = in_rank(n, 0);
        struct list sizes;
        struct dim *dims;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 1));
        TRY(in_expect_rank(n, 1, 1));
        TRY(list_get(n, NULL, FOLDED, false, &sizes));
        if (sizes.state == LIST_KNOWN && sizes.count != FOLDED)
                return node_error(n, REASON_LENGTH_MISMATCH, FOLDED, "unflatten_dims must have 2 elements, got %zu",
                                  sizes.count);
        TRY(list_of_sizes(n, &sizes, FOLDED));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        if (in_has_rank(n, 1)) {
                struct dim rows = in_dim(n, 0, 0);

                TRY(in_agree(n, &rows, 1, 0));
        }
        dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        if (sizes.state == LIST_KNOWN)
                sizes_read(n, 0, &sizes, 0, dims);
        else
                for (int d = 0; d < FOLDED; d++)
                        dims[d] = out_fresh(n, 0, d);
        for (int d = 1; d < rank; d++)
                dims[d + 1] = in_dim(n, 0, d);
        return out_tensor(n, 0, out_row_elem(n, 0), rank + 1, dims);
}

/* FlattenAndUnpad 1: input [M1, M2, d2 ... dN], indices [d1]; the output is [d1, d2 ... dN], and [M1, M2] is given
   beside it. */
enum ox_code infer_FlattenAndUnpad(struct node *n)
{
        struct dim *pair = arena_new_array(n->arena, struct dim, 1), *dims;
        int rank = in_rank(n, 0);

        pair[0] = dim_int(2);
        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_rank_least(n, 0, 2));
        TRY(in_expect_rank(n, 1, 1));
        TRY(out_tensor(n, 1, out_row_elem(n, 1), 1, pair));
        if (rank == RANK_UNKNOWN)
                return OX_OK;
        dims = arena_new_array(n->arena, struct dim, (size_t)rank - 1);
        dims[0] = in_has_rank(n, 1) ? in_dim(n, 1, 0) : out_fresh(n, 0, 0);
        for (int d = 2; d < rank; d++)
                dims[d - 1] = in_dim(n, 0, d);
        return out_tensor(n, 0, out_row_elem(n, 0), rank - 1, dims);
}

void content_FlattenAndUnpad(struct node *n)
{
        struct content *pair;

        if (!in_has_rank(n, 0))
                return;
        pair = content_new(n->arena, 2);
        content_set(pair, 0, scalar_int(in_dim(n, 0, 0)));
        content_set(pair, 1, scalar_int(in_dim(n, 0, 1)));
        out_content(n, 1, pair);
}
