/* Constant, versions 1-25. */
#include "ops/kit/sizes.h"
#include "ops/node/tensor.h"
#include "ops/rules/generate.h"

#include <string.h>

/* Exactly one attribute is given: `value` alone up to version 9, `sparse_value` from 11, the others from 12 on. The
   operator has no other attributes, and the check of the node has removed any that the row does not have. */
static enum ox_code constant_form(struct node *n, const struct model_attribute **ret)
{
        size_t given = n->source->n_attribute;

        if (given == 1) {
                *ret = node_attribute(n->source, 0);
                return OX_OK;
        }
        return node_error(n, given == 0 ? REASON_MISSING_ATTRIBUTE : REASON_ATTRIBUTE_VALUE, -1,
                          "exactly one of the attributes value, sparse_value and value_* must be given, got %zu",
                          given);
}

static enum ox_code constant_bad(struct node *n, const char *fault)
{
        return node_error(n, REASON_TENSOR_INVALID, -1, "the constant: %s", fault);
}

static enum ox_code constant_tensor(struct node *n, const struct model_tensor *tensor)
{
        const char *fault = NULL;
        const struct content *content;
        struct type type;

        if (!tensor)
                return constant_bad(n, "the attribute holds no tensor");
        content = tensor_content_small(n->arena, n->limits, tensor);
        if (content) {
                type = type_tensor((enum elem)tensor->data_type, (int)tensor->n_dim, tensor->dim);
                n->out[0] = (struct value){.type = type, .content = content};
                return OX_OK;
        }
        if (!tensor_type(n->arena, n->limits, tensor, &type, &fault))
                return constant_bad(n, fault);
        content = tensor_content_later(n->arena, n->limits, tensor, &fault);
        if (fault)
                return constant_bad(n, fault);
        TRY(out_type(n, 0, &type));
        if (content)
                out_content(n, 0, content);
        return OX_OK;
}

/* `sparse_value` gives a dense tensor. */
static enum ox_code constant_sparse(struct node *n, const struct model_attribute *form)
{
        const struct model_attribute *value = attribute_value(form, HELD_SPARSE_TENSOR);
        const OnnxSparseTensor *sparse = value ? value->sparse : NULL;
        const char *fault = NULL;
        struct type type;
        struct dim *dims;

        if (!sparse || !sparse->values)
                return constant_bad(n, "the attribute holds no values");
        if (!tensor_type(n->arena, n->limits, model_tensor_of(n->arena, sparse->values), &type, &fault))
                return constant_bad(n, fault);
        if (!rank_allowed(n, sparse->n_dims, -1))
                return out_elem(n, 0, type.elem);
        dims = arena_new_array(n->arena, struct dim, sparse->n_dims);
        for (size_t d = 0; d < sparse->n_dims; d++)
                dims[d] = dim_int(sparse->dims[d]);
        return out_tensor(n, 0, type.elem, (int)sparse->n_dims, dims);
}

static bool is_form(const struct model_attribute *attribute, const char *name)
{
        return strcmp(attribute->name, name) == 0;
}

static enum ox_code constant_number(struct node *n, enum elem elem, struct scalar number)
{
        struct content *content = content_new(n->arena, 1);

        content_set(content, 0, number);
        TRY(out_tensor(n, 0, elem, 0, NULL));
        out_content(n, 0, content);
        return OX_OK;
}

static enum ox_code constant_vector(struct node *n, enum elem elem, size_t count)
{
        struct dim *length = arena_new_array(n->arena, struct dim, 1);

        *length = dim_int((int64_t)count);
        return out_tensor(n, 0, elem, 1, length);
}

static enum ox_code constant_numbers(struct node *n, const struct model_attribute *form)
{
        bool floats = is_form(form, "value_floats");
        const struct model_attribute *list = attribute_value(form, floats ? HELD_FLOATS : HELD_INTS);
        size_t count = list ? list->count : 0;
        struct content *content;

        TRY(constant_vector(n, floats ? ELEM_FLOAT : ELEM_INT64, count));
        if (count > (size_t)n->limits->content_elements)
                return OX_OK;
        content = content_new(n->arena, count);
        for (size_t k = 0; k < count; k++)
                content_set(content, k, floats ? scalar_float(list->floats[k]) : scalar_int(dim_int(list->ints[k])));
        out_content(n, 0, content);
        return OX_OK;
}

/* Constant (1, 9, 11, 12, 13, 19, 21, 23, 24, 25). Sets contents too, because they stand in the same attribute. */
enum ox_code infer_Constant(struct node *n)
{
        const struct model_attribute *form = NULL;

        TRY(constant_form(n, &form));
        if (is_form(form, "value"))
                return constant_tensor(n, attribute_tensor(form));
        if (is_form(form, "sparse_value"))
                return constant_sparse(n, form);
        if (is_form(form, "value_float"))
                return constant_number(n, ELEM_FLOAT, scalar_float(attribute_float(form)));
        if (is_form(form, "value_int"))
                return constant_number(n, ELEM_INT64, scalar_int(dim_int(attribute_int(form))));
        if (is_form(form, "value_floats") || is_form(form, "value_ints"))
                return constant_numbers(n, form);
        if (is_form(form, "value_string"))
                return out_tensor(n, 0, ELEM_STRING, 0, NULL);
        return constant_vector(n, ELEM_STRING, attribute_count(form, HELD_STRINGS));
}
