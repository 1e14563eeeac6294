/* Classical machine learning (ai.onnx.ml). */
#include <string.h>

#include "ops/kit/sizes.h"
#include "ops/rules/ml.h"

/* -- helpers -- */

static size_t count_of(const struct node *n, const char *name, enum attribute_held held)
{
        const struct model_attribute *attr = attr_find(n, name);

        return attr ? attribute_count(attr, held) : 0;
}

static size_t count_ints(const struct node *n, const char *name)
{
        return count_of(n, name, HELD_INTS);
}

static size_t count_floats(const struct node *n, const char *name)
{
        return count_of(n, name, HELD_FLOATS);
}

static size_t count_strings(const struct node *n, const char *name)
{
        return count_of(n, name, HELD_STRINGS);
}

/* The number of examples: N for [N, C], 1 for [C]. */
static struct dim examples(struct node *n, int o)
{
        if (in_rank(n, 0) == 1)
                return dim_int(1);
        return in_rank(n, 0) == 2 ? in_dim(n, 0, 0) : out_fresh(n, o, 0);
}

/* `columns` results for each example. */
static enum ox_code out_results(struct node *n, int o, enum elem elem, struct dim columns)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);

        dims[0] = examples(n, o);
        dims[1] = columns;
        return out_tensor(n, o, elem, 2, dims);
}

static enum ox_code same_shape(struct node *n, enum elem elem)
{
        TRY(in_expect_tensor(n, 0));
        return out_like(n, 0, elem, 0);
}

/* The labels in two attributes, of which only one may be set: their number (0: neither is set) and type. */
static enum ox_code class_labels(struct node *n, const char *ints, const char *strings, size_t *ret_count,
                                 enum elem *ret_elem)
{
        size_t n_ints = count_ints(n, ints), n_strings = count_strings(n, strings);

        if (n_ints > 0 && n_strings > 0)
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1, "attributes '%s' and '%s' exclude each other", ints,
                                  strings);
        *ret_count = n_ints + n_strings;
        *ret_elem = n_strings > 0 ? ELEM_STRING : n_ints > 0 ? ELEM_INT64 : ELEM_UNDEFINED;
        return OX_OK;
}

/* A classifier's outputs: a label and `columns` scores for each example; `columns` NULL: an unknown number. */
static enum ox_code out_classes(struct node *n, enum elem label, const struct dim *columns)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 1);

        TRY(in_expect_tensor(n, 0));
        dims[0] = examples(n, 0);
        TRY(out_tensor(n, 0, label, 1, dims));
        return out_results(n, 1, ELEM_FLOAT, columns ? *columns : out_fresh(n, 1, 1));
}

/* As many columns as there are labels. */
static enum ox_code classify(struct node *n, const char *ints, const char *strings)
{
        size_t count = 0;
        enum elem elem = ELEM_UNDEFINED;

        TRY(class_labels(n, ints, strings, &count, &elem));
        struct dim columns = dim_int((int64_t)count);
        return out_classes(n, elem, count > 0 ? &columns : NULL);
}

/* -- rules -- */

/* ArrayFeatureExtractor (1): picks along the last axis. Runtimes take a vector, which the text does not mention, as one
   row, because converted classifiers look up their labels so. */
enum ox_code infer_ArrayFeatureExtractor(struct node *n)
{
        struct dim picked;

        TRY(in_expect_tensor(n, 0));
        TRY(in_expect_tensor(n, 1));
        TRY(in_expect_rank_least(n, 0, 1));
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, in_elem(n, 0));
        int last = in_rank(n, 0) > 1 ? in_rank(n, 0) - 1 : 1;
        if (!type_elements(n->dims, in_type(n, 1), &picked))
                picked = out_fresh(n, 0, last);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)last + 1);
        for (int d = 0; d < last; d++)
                dims[d] = in_rank(n, 0) > 1 ? in_dim(n, 0, d) : dim_int(1);
        dims[last] = picked;
        return out_tensor(n, 0, in_elem(n, 0), last + 1, dims);
}

/* Binarizer (1) */
enum ox_code infer_Binarizer(struct node *n)
{
        return same_shape(n, in_elem(n, 0));
}

/* CastMap (1): the text does not give the shape. */
enum ox_code infer_CastMap(struct node *n)
{
        static const struct {
                const char *name;
                enum elem elem;
        } casts[] = {{"TO_FLOAT", ELEM_FLOAT}, {"TO_INT64", ELEM_INT64}, {"TO_STRING", ELEM_STRING}};

        for (size_t c = 0; c < sizeof(casts) / sizeof(casts[0]); c++)
                if (attr_is(n, "cast_to", casts[c].name))
                        return out_elem(n, 0, casts[c].elem);
        return OX_OK;
}

/* Integers to strings, strings to integers. */
static enum ox_code swap_types(struct node *n)
{
        enum elem elem = in_elem(n, 0);

        if (elem == ELEM_UNDEFINED)
                return same_shape(n, ELEM_UNDEFINED);
        return same_shape(n, elem == ELEM_STRING ? ELEM_INT64 : ELEM_STRING);
}

/* CategoryMapper (1) */
enum ox_code infer_CategoryMapper(struct node *n)
{
        size_t ints = count_ints(n, "cats_int64s"), strings = count_strings(n, "cats_strings");

        if (ints == 0 || strings == 0 || ints != strings)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "cats_int64s and cats_strings must be of one length, got %zu and %zu", ints, strings);
        return swap_types(n);
}

/* DictVectorizer (1): the values of the map. The text says that the output is 1-D, but runtimes give [1, C]. */
enum ox_code infer_DictVectorizer(struct node *n)
{
        const struct type *type = in_type(n, 0);

        return out_elem(n, 0,
                        type->kind == TYPE_MAP && type->of->kind == TYPE_TENSOR ? type->of->elem : ELEM_UNDEFINED);
}

/* FeatureVectorizer (1): concatenates along axis 1; [C] counts as [1, C]. */
enum ox_code infer_FeatureVectorizer(struct node *n)
{
        struct dim *dims = arena_new_array(n->arena, struct dim, 2);
        const int64_t *sizes = NULL;
        size_t n_sizes = 0;
        bool has_rows = false, has_columns = true;

        attr_ints(n, "inputdimensions", &sizes, &n_sizes);
        struct dim *widths = arena_new_array(n->arena, struct dim, (size_t)n->n_in);
        size_t n_widths = 0;

        for (int i = 0; i < n->n_in; i++) {
                TRY(in_expect_tensor(n, i));
                int rank = in_rank(n, i);
                if (rank != 1 && rank != 2) {
                        has_columns = false;
                        continue;
                }
                struct dim rows = rank == 2 ? in_dim(n, i, 0) : dim_int(1), columns = in_dim(n, i, rank - 1);
                if (has_rows)
                        TRY(dim_agree(n, &dims[0], rows, i));
                else
                        dims[0] = rows;
                has_rows = true;
                /* Runtimes cut or pad an input to its size in `inputdimensions`, which the text does not mention. */
                if ((size_t)i < n_sizes && !dim_is(columns, sizes[i]))
                        has_columns = false;
                widths[n_widths++] = columns;
        }
        if (!has_rows)
                dims[0] = out_fresh(n, 0, 0);
        dims[1] = has_columns ? dim_sum(n->dims, widths, n_widths) : out_fresh(n, 0, 1);
        return out_tensor(n, 0, ELEM_FLOAT, 2, dims);
}

/* Imputer (1) */
enum ox_code infer_Imputer(struct node *n)
{
        return same_shape(n, in_elem(n, 0));
}

/* The number of the attributes `prefix`_int64s, _floats, _strings and (version 4) _tensor that are set, and the element
   type of the last one. */
static int encoder_side(const struct node *n, const char *prefix, enum elem *ret)
{
        const struct {
                const char *suffix;
                enum elem elem;
        } lists[] = {{"int64s", ELEM_INT64}, {"floats", ELEM_FLOAT}, {"strings", ELEM_STRING}};
        const struct model_tensor *tensor = attr_tensor(n, arena_printf(n->arena, "%s_tensor", prefix));
        int filled = 0;

        *ret = ELEM_UNDEFINED;
        for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
                const char *name = arena_printf(n->arena, "%s_%s", prefix, lists[l].suffix);
                if (count_ints(n, name) + count_floats(n, name) + count_strings(n, name) == 0)
                        continue;
                *ret = lists[l].elem;
                filled++;
        }
        if (tensor) {
                *ret = elem_is_valid(tensor->data_type) ? (enum elem)tensor->data_type : ELEM_UNDEFINED;
                filled++;
        }
        return filled;
}

/* LabelEncoder (4): the default tensor holds one element of the values' type. */
static enum ox_code check_default(struct node *n, enum elem values)
{
        const struct model_tensor *tensor = attr_tensor(n, "default_tensor");

        if (!tensor)
                return OX_OK;
        if (values != ELEM_UNDEFINED && (int64_t)tensor->data_type != (int64_t)values)
                return node_error(n, REASON_TYPE_MISMATCH, -1,
                                  "the element type of default_tensor must be that of the values, %s, got %s",
                                  elem_name((int)values), elem_name((int)tensor->data_type));
        if (tensor->n_dim != 1 || tensor->dim[0].val != 1)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "default_tensor must hold one element and be of rank 1");
        return OX_OK;
}

/* LabelEncoder: version 1 has one list of strings; since version 2 it has a list of keys and a list of values, each
   with its own type. */
enum ox_code infer_LabelEncoder(struct node *n)
{
        enum elem keys, values;

        if (n->row->since < 2)
                return swap_types(n);
        if (encoder_side(n, "keys", &keys) != 1 || encoder_side(n, "values", &values) != 1)
                return node_error(n, REASON_ATTRIBUTE_CONFLICT, -1,
                                  "one of the attributes keys_* and one of values_* are required");
        if (keys != ELEM_UNDEFINED && in_elem(n, 0) != ELEM_UNDEFINED && keys != in_elem(n, 0))
                return node_error(n, REASON_TYPE_MISMATCH, 0,
                                  "the element type of the input must be that of the keys, %s, got %s",
                                  elem_name((int)keys), elem_name((int)in_elem(n, 0)));
        TRY(check_default(n, values));
        return same_shape(n, values);
}

/* LinearClassifier (1) */
enum ox_code infer_LinearClassifier(struct node *n)
{
        return classify(n, "classlabels_ints", "classlabels_strings");
}

/* LinearRegressor (1) */
enum ox_code infer_LinearRegressor(struct node *n)
{
        int64_t targets = attr_int_or(n, "targets", 1);

        TRY(in_expect_tensor(n, 0));
        return out_results(n, 0, ELEM_FLOAT, dim_int(targets));
}

/* Normalizer (1) */
enum ox_code infer_Normalizer(struct node *n)
{
        return same_shape(n, ELEM_FLOAT);
}

/* OneHotEncoder (1): one more axis, as long as the list of categories. */
enum ox_code infer_OneHotEncoder(struct node *n)
{
        size_t count = 0;
        enum elem elem = ELEM_UNDEFINED;

        TRY(in_expect_tensor(n, 0));
        TRY(class_labels(n, "cats_int64s", "cats_strings", &count, &elem));
        if (count == 0)
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1,
                                  "one of the attributes 'cats_int64s' and 'cats_strings' is required");
        if (!in_has_rank(n, 0))
                return out_elem(n, 0, ELEM_FLOAT);
        int rank = in_rank(n, 0);
        struct dim *dims = arena_new_array(n->arena, struct dim, (size_t)rank + 1);
        for (int d = 0; d < rank; d++)
                dims[d] = in_dim(n, 0, d);
        dims[rank] = dim_int((int64_t)count);
        return out_tensor(n, 0, ELEM_FLOAT, rank + 1, dims);
}

/* SVMClassifier (1): a probability for each class. Without probabilities runtimes give scores for classes or for pairs
   of classes. */
enum ox_code infer_SVMClassifier(struct node *n)
{
        size_t count = 0;
        enum elem elem = ELEM_UNDEFINED;

        TRY(class_labels(n, "classlabels_ints", "classlabels_strings", &count, &elem));
        struct dim columns = dim_int((int64_t)count);
        return out_classes(n, elem, count > 0 && count_floats(n, "prob_a") > 0 ? &columns : NULL);
}

/* SVMRegressor (1) */
enum ox_code infer_SVMRegressor(struct node *n)
{
        TRY(in_expect_tensor(n, 0));
        return out_results(n, 0, ELEM_FLOAT, dim_int(1));
}

/* Scaler (1) */
enum ox_code infer_Scaler(struct node *n)
{
        return same_shape(n, ELEM_FLOAT);
}

/* Checks that a list of TreeEnsemble (5) is as long as another one. */
static enum ox_code same_length(struct node *n, const char *name, size_t wanted)
{
        size_t got = count_ints(n, name);

        if (got == wanted)
                return OX_OK;
        return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "%s must have %zu elements, got %zu", name, wanted, got);
}

/* Checks that a tensor of TreeEnsemble (5) has rank 1, the length of a list, and an element type (ELEM_UNDEFINED:
   any). */
static enum ox_code tree_tensor(struct node *n, const char *name, size_t wanted, enum elem elem)
{
        const struct model_tensor *tensor = attr_tensor(n, name);

        if (!tensor)
                return OX_OK;
        if (elem != ELEM_UNDEFINED && (int64_t)tensor->data_type != (int64_t)elem)
                return node_error(n, REASON_TYPE_MISMATCH, -1, "%s must be of type %s, got %s", name,
                                  elem_name((int)elem), elem_name((int)tensor->data_type));
        if (tensor->n_dim != 1 || tensor->dim[0].val < 0 || (uint64_t)tensor->dim[0].val != wanted)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1, "%s must be of rank 1 with %zu elements", name,
                                  wanted);
        return OX_OK;
}

static enum ox_code out_targets(struct node *n, enum elem elem)
{
        int64_t targets;

        TRY(in_expect_tensor(n, 0));
        return out_results(n, 0, elem, attr_int(n, "n_targets", &targets) ? dim_int(targets) : out_fresh(n, 0, 1));
}

/* TreeEnsemble (5): lists with the same prefix have the same length. */
enum ox_code infer_TreeEnsemble(struct node *n)
{
        static const char *const lists[] = {"nodes_falseleafs", "nodes_falsenodeids", "nodes_trueleafs",
                                            "nodes_truenodeids"};
        size_t nodes = count_ints(n, "nodes_featureids");

        for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
                TRY(same_length(n, lists[l], nodes));
        TRY(tree_tensor(n, "nodes_modes", nodes, ELEM_UINT8));
        TRY(tree_tensor(n, "nodes_splits", nodes, in_elem(n, 0)));
        TRY(tree_tensor(n, "nodes_hitrates", nodes, in_elem(n, 0)));
        TRY(tree_tensor(n, "leaf_weights", count_ints(n, "leaf_targetids"), in_elem(n, 0)));
        return out_targets(n, in_elem(n, 0));
}

/* TreeEnsembleClassifier (1, 3, 5) */
enum ox_code infer_TreeEnsembleClassifier(struct node *n)
{
        return classify(n, "classlabels_int64s", "classlabels_strings");
}

/* TreeEnsembleRegressor (1, 3, 5) */
enum ox_code infer_TreeEnsembleRegressor(struct node *n)
{
        return out_targets(n, ELEM_FLOAT);
}

/* ZipMap (1): one map for each row, with one key for each column. */
enum ox_code infer_ZipMap(struct node *n)
{
        struct type *value = arena_new_array(n->arena, struct type, 1),
                    *map = arena_new_array(n->arena, struct type, 1);
        size_t count = 0;
        enum elem key;

        TRY(in_expect_tensor(n, 0));
        TRY(class_labels(n, "classlabels_int64s", "classlabels_strings", &count, &key));
        if (count > 0 && (in_rank(n, 0) == 1 || in_rank(n, 0) == 2)) {
                struct dim columns = in_dim(n, 0, in_rank(n, 0) - 1);
                TRY(dim_agree(n, &columns, dim_int((int64_t)count), 0));
        }
        *value = type_tensor(ELEM_FLOAT, 0, NULL);
        *map = (struct type){.kind = TYPE_MAP, .elem = key, .rank = RANK_UNKNOWN, .of = value};
        struct type type = type_sequence(map);
        TRY(out_type(n, 0, &type));
        if (out_wanted(n, 0) && (in_rank(n, 0) == 1 || in_rank(n, 0) == 2))
                value_hold(n->arena, &n->out[0], &(struct members){.has_length = true, .length = examples(n, 0)});
        return OX_OK;
}
