/* Optionals. Their `length`, if known, is 0 (empty) or 1. */
#include "ops/node/tensor.h"
#include "ops/rules/sequence.h"

/* Checks the content of an optional: a tensor or a sequence of tensors. */
static bool is_element(const struct type *type)
{
        return type->kind == TYPE_UNKNOWN || type->kind == TYPE_TENSOR || type->kind == TYPE_SEQUENCE;
}

/* Since version 18 a plain tensor or sequence is accepted in place of an optional. */
static enum ox_code expect_optional(struct node *n, int i)
{
        const struct type *type = in_type(n, i);

        if (type->kind == TYPE_OPTIONAL || type->kind == TYPE_UNKNOWN || (n->row->since >= 18 && is_element(type)))
                return OX_OK;
        return node_error(n, REASON_TYPE_MISMATCH, i, "%s must be an optional%s", node_input_name(n, i),
                          n->row->since >= 18 ? ", a tensor or a sequence" : "");
}

static enum ox_code out_optional(struct node *n, const struct type *of, bool has_element)
{
        struct type type = type_optional(of);

        TRY(out_type(n, 0, &type));
        if (out_wanted(n, 0))
                value_hold(n->arena, &n->out[0],
                           &(struct members){.has_length = true, .length = dim_int(has_element ? 1 : 0)});
        return OX_OK;
}

/* A tensor's type from an attribute; its symbols are not dimensions of the model. */
static enum ox_code tensor_from_proto(struct node *n, int64_t elem, const OnnxShape *shape, struct type *ret)
{
        if (!elem_is_valid(elem))
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "the attribute type must name an element type, got the number %lld", (long long)elem);
        *ret = type_tensor((enum elem)elem, RANK_UNKNOWN, NULL);
        if (!shape)
                return OX_OK;
        if ((int64_t)shape->n_dim > n->limits->rank)
                return node_error(n, REASON_RANK_LIMIT, -1,
                                  "the attribute type has rank %zu, more than the limit rank, %lld", shape->n_dim,
                                  (long long)n->limits->rank);
        struct dim *dims = arena_new_array(n->arena, struct dim, shape->n_dim);
        for (size_t d = 0; d < shape->n_dim; d++) {
                const OnnxDim *dim = shape->dim[d];
                bool is_int = dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                if (is_int && dim->dim_value < 0)
                        return node_error(n, REASON_NEGATIVE_SIZE, -1,
                                          "a size in the attribute type must be 0 or more, got %lld",
                                          (long long)dim->dim_value);
                dims[d] = is_int ? dim_int(dim->dim_value) : out_fresh(n, 0, (int)d);
        }
        ret->rank = (int)shape->n_dim;
        ret->dim = dims;
        return OX_OK;
}

/* The type in the attribute `type`: a tensor or a sequence of tensors, as the schema's constraints say. The text says
   that it is the element's type; the type of the whole optional is accepted too. */
static enum ox_code type_from_proto(struct node *n, const OnnxType *proto, struct type *ret)
{
        if (proto->value_case == SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE && proto->optional_type->elem_type)
                proto = proto->optional_type->elem_type;
        if (proto->value_case == SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE)
                return tensor_from_proto(n, proto->tensor_type->elem_type, proto->tensor_type->shape, ret);
        const OnnxType *of = proto->value_case == SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE
                                     ? proto->sequence_type->elem_type
                                     : NULL;
        if (!of || of->value_case != SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE)
                return node_error(n, REASON_ATTRIBUTE_VALUE, -1,
                                  "the attribute type must be a tensor or a sequence of tensors");
        struct type element = type_unknown;
        TRY(tensor_from_proto(n, of->tensor_type->elem_type, of->tensor_type->shape, &element));
        *ret = type_sequence(type_keep(n->arena, element));
        return OX_OK;
}

/* Optional (15): holds its input, or is empty and has the type in `type`. */
enum ox_code infer_Optional(struct node *n)
{
        const struct model_attribute *attr = attr_find(n, "type");
        struct type type = type_unknown;

        if (in_given(n, 0)) {
                if (!is_element(in_type(n, 0)))
                        return node_error(n, REASON_TYPE_MISMATCH, 0,
                                          "the input must be a tensor or a sequence of tensors");
                return out_optional(n, in_type(n, 0), true);
        }
        attr = attr ? attribute_value(attr, HELD_TYPE_PROTO) : NULL;
        if (!attr)
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1, "an input or the attribute 'type' is required");
        TRY(type_from_proto(n, attr->type_proto, &type));
        return out_optional(n, type_keep(n->arena, type), false);
}

/* OptionalGetElement (15, 18): since 18 a value that is not an optional passes through. Getting the element of an empty
   optional is an error. */
enum ox_code infer_OptionalGetElement(struct node *n)
{
        const struct type *type = in_type(n, 0);

        TRY(expect_optional(n, 0));
        if (type->kind != TYPE_OPTIONAL)
                return out_copy(n, 0, 0);
        const struct members *members = value_members(n->in[0]);

        if (members->has_length && dim_is(members->length, 0))
                return node_error(n, REASON_EMPTY_OPTIONAL, 0, "the optional is empty");
        return type->of->kind == TYPE_UNKNOWN ? OX_OK : out_type(n, 0, type->of);
}

/* OptionalGetElement (15, 18): elements are known only if the input is not an optional. */
void content_OptionalGetElement(struct node *n)
{
        out_content(n, 0, in_content(n, 0));
}

/* OptionalHasElement (15, 18): since 18 the input may be omitted, or not be an optional. */
enum ox_code infer_OptionalHasElement(struct node *n)
{
        TRY(expect_optional(n, 0));
        return out_tensor(n, 0, ELEM_BOOL, 0, NULL);
}

/* OptionalHasElement (15, 18) */
void content_OptionalHasElement(struct node *n)
{
        struct dim has = dim_int(0);

        if (in_given(n, 0)) {
                enum type_kind kind = in_type(n, 0)->kind;
                if (kind == TYPE_UNKNOWN || (kind == TYPE_OPTIONAL && !value_members(n->in[0])->has_length))
                        return;
                has = kind == TYPE_OPTIONAL ? value_members(n->in[0])->length : dim_int(1);
        }
        struct content *content = content_new(n->arena, 1);
        content_set(content, 0, scalar_int(has));
        out_content(n, 0, content);
}
