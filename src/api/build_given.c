/* Values that are tensors of a message. */
#include "api/build.h"
#include "ops/node/tensor.h"

/* Whether a tensor agrees with the description of the value. */
static bool agrees(const struct type *said, const struct type *tensor)
{
        if (!type_kinds_agree(said, tensor))
                return false;
        if (said->kind == TYPE_UNKNOWN || said->rank == RANK_UNKNOWN)
                return true;
        for (int d = 0; d < tensor->rank && said->rank == tensor->rank; d++)
                if (dim_is_int(said->dim[d]) && said->dim[d].val != tensor->dim[d].val)
                        return false;
        return said->rank == tensor->rank;
}

static size_t count_of(const struct type *tensor)
{
        size_t count = 1;

        for (int d = 0; d < tensor->rank; d++) /* tensor_content() has read as many */
                if (__builtin_mul_overflow(count, (size_t)tensor->dim[d].val, &count))
                        return SIZE_MAX;
        return count;
}

enum ox_code build_given_tensor(struct builder *b, struct build_subject subject, const OnnxTensor *proto,
                                struct value *value, size_t *ret_dropped)
{
        const struct model_tensor *tensor = model_tensor_of(b->arena, proto);
        const char *fault = NULL;
        struct type type;

        *ret_dropped = 0;
        if (!tensor_type(b->arena, b->limits, tensor, &type, &fault))
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "%s", fault);
        if (!agrees(&value->type, &type))
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "the tensor contradicts the type that is given");
        *value = (struct value){.type = type, .content = tensor_content(b->arena, b->limits, tensor, &fault)};
        if (fault)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "%s", fault);
        if (!value->content && count_of(&type) > (size_t)b->limits->content_elements)
                *ret_dropped = count_of(&type);
        return OX_OK;
}
