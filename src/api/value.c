/* Values and shapes as callers see them. */
#include <inttypes.h>
#include <string.h>

#include "api/internal.h"
#include "base/checked.h"
#include "ops/table/registry.h"

enum ox_code context_check_text(struct ox_context *context, const char *what, const char *text)
{
        size_t length = strlen(text);

        if (length > (size_t)context->limits.name_bytes)
                return context_fail(context, OX_RESOURCE_EXHAUSTED,
                                    "%s has %zu bytes, the limit name_bytes is %" PRId64, what, length,
                                    context->limits.name_bytes);
        if (!utf8_is_clean(text, length))
                return context_fail(context, OX_INVALID_ARGUMENT, "%s is no UTF-8", what);
        return OX_OK;
}

/* -- reading what a caller says -- */

/* One value that is being read. */
struct reading {
        struct ox_context *context;
        const char *name;
};

/* A symbol of this context stands for itself in what is read, alone and in expressions. */
static bool is_known(void *user, str_id name)
{
        struct reading *r = user;
        struct dim d;

        return dim_find(r->context->dims, str_text(r->context->strings, name), str_length(r->context->strings, name),
                        &d);
}

static enum ox_code read_text(struct reading *r, const char *text, int axis, struct dim *ret)
{
        struct ox_context *context = r->context;
        const char *name = str_text(context->strings, str_intern_z(context->strings, r->name));
        const struct dim_origin origin = {.value = name, .axis = axis};
        size_t length = strlen(text);

        TRY(context_check_text(context, "a size or element", text));
        if (!length)
                *ret = dim_fresh_input(context->dims,
                                       axis < 0 ? arena_printf(context->arena, "%s_length", r->name)
                                                : arena_printf(context->arena, "%s_%d", r->name, axis),
                                       &origin);
        else if (!dim_find(context->dims, text, length, ret))
                *ret = dim_read(context->dims, text, length, is_known, r, &origin);
        return OX_OK;
}

/* A size, or with axis -1 a length. */
static enum ox_code read_size(struct reading *r, const struct ox_dim *given, int axis, struct dim *ret)
{
        *ret = dim_int(given->value);
        if (given->text)
                TRY(read_text(r, given->text, axis, ret));
        if (!dim_is_int(*ret) || ret->val >= 0)
                return OX_OK;
        if (axis < 0)
                return context_fail(r->context, OX_INVALID_ARGUMENT,
                                    "%s: the length is %" PRId64 ", it must be 0 or more", r->name, ret->val);
        return context_fail(r->context, OX_INVALID_ARGUMENT, "%s: axis %d is %" PRId64 ", a size is 0 or more", r->name,
                            axis, ret->val);
}

enum ox_code shape_import(struct ox_context *context, const char *name, const struct ox_shape *given, struct type *ret)
{
        struct reading r = {context, name};
        struct dim *dims;

        if (given->rank > (size_t)context->limits.rank)
                return context_fail(context, OX_RESOURCE_EXHAUSTED, "%s: rank %zu, the limit rank is %" PRId64, name,
                                    given->rank, context->limits.rank);
        dims = arena_new_array(context->arena, struct dim, given->rank);
        for (size_t d = 0; d < given->rank; d++)
                TRY(read_size(&r, &given->dims[d], (int)d, &dims[d]));
        ret->rank = (int)given->rank;
        ret->dim = dims;
        return OX_OK;
}

/* The tensor within sequences and optionals, which are copied on the way; NULL when there is none. */
static struct type *tensor_within(struct ox_context *context, struct type *type)
{
        while (type->kind == TYPE_SEQUENCE || type->kind == TYPE_OPTIONAL) {
                struct type *of = arena_new_array(context->arena, struct type, 1);

                *of = *type->of;
                type->of = of;
                type = of;
        }
        return type_is_tensor(type) ? type : NULL;
}

static enum ox_code read_element(struct reading *r, enum elem elem, const struct ox_element *given, struct scalar *ret)
{
        bool is_float = elem_is_float(elem);
        int64_t lower, upper;
        struct dim d;

        *ret = scalar_unknown();
        switch (given->kind) {
        case OX_ELEMENT_UNKNOWN:
                return OX_OK;
        case OX_ELEMENT_INT:
                if (is_float)
                        *ret = scalar_float(float_round(elem, (double)given->i));
                else if (elem_int_range(elem, &lower, &upper) && given->i >= lower && given->i <= upper)
                        *ret = scalar_int(dim_int(given->i));
                else
                        return context_fail(r->context, OX_INVALID_ARGUMENT, "%s: element %" PRId64 " is no %s",
                                            r->name, given->i, elem_name((int)elem));
                return OX_OK;
        case OX_ELEMENT_FLOAT:
                if (!is_float)
                        return context_fail(r->context, OX_INVALID_ARGUMENT, "%s: element %g is no %s", r->name,
                                            given->f, elem_name((int)elem));
                *ret = scalar_float(float_round(elem, given->f));
                return OX_OK;
        case OX_ELEMENT_TEXT:
                if (!given->text || !given->text[0])
                        return OX_OK;
                TRY(read_text(r, given->text, -1, &d));
                *ret = (struct scalar){.kind = is_float ? SCALAR_RATIO : SCALAR_INT, .d = d, .den = 1};
                return OX_OK;
        }
        return context_fail(r->context, OX_INVALID_ARGUMENT, "%s: an element is of no kind", r->name);
}

/* The number of elements that a shape in integers has. */
static bool count_elements(const struct type *type, size_t *ret)
{
        int64_t count = 1;

        if (type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++)
                if (!dim_is_int(type->dim[d]) || !mul_i64(count, type->dim[d].val, &count))
                        return false;
        *ret = (size_t)count;
        return true;
}

static enum ox_code read_content(struct reading *r, const struct ox_value *given, struct value *ret)
{
        const struct type *type = &ret->type;
        struct scalar *at;
        size_t wanted;

        if (type->kind != TYPE_TENSOR || type->elem == ELEM_UNDEFINED)
                return context_fail(r->context, OX_INVALID_ARGUMENT,
                                    "%s: it has contents, and is no tensor of a known type", r->name);
        if (!count_elements(type, &wanted) || wanted != given->n_content)
                return context_fail(r->context, OX_INVALID_ARGUMENT,
                                    "%s: its contents are %zu elements, which is not what the shape says", r->name,
                                    given->n_content);
        if (given->n_content > (size_t)r->context->limits.content_elements)
                return OX_OK;
        if (!elem_is_float(type->elem) && !elem_is_integer(type->elem) && type->elem != ELEM_BOOL)
                return OX_OK; /* texts and complex numbers decide no shape */
        ret->content = content_new(r->context->arena, given->n_content, &at);
        for (size_t i = 0; i < given->n_content; i++)
                TRY(read_element(r, type->elem, &given->content[i], &at[i]));
        return OX_OK;
}

enum ox_code value_import(struct ox_context *context, const char *name, const struct ox_value *given, struct value *ret)
{
        struct reading r = {context, name};
        struct type *tensor;

        *ret = (struct value){.type = type_unknown};
        if (given->type && given->type[0] && !type_parse(context->arena, given->type, strlen(given->type), &ret->type))
                return context_fail(context, OX_INVALID_ARGUMENT, "%s: '%.100s' is no type", name, given->type);
        if (given->shape) {
                if (ret->type.kind == TYPE_UNKNOWN)
                        ret->type = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
                tensor = tensor_within(context, &ret->type);
                if (!tensor)
                        return context_fail(context, OX_INVALID_ARGUMENT,
                                            "%s: it has a shape, and there is no tensor in %s", name, given->type);
                TRY(shape_import(context, name, given->shape, tensor));
        }
        if (given->length) {
                if (ret->type.kind != TYPE_SEQUENCE && ret->type.kind != TYPE_OPTIONAL)
                        return context_fail(context, OX_INVALID_ARGUMENT,
                                            "%s: it has a length, and is no sequence or optional", name);
                ret->has_length = true;
                TRY(read_size(&r, given->length, -1, &ret->length));
        }
        return given->content ? read_content(&r, given, ret) : OX_OK;
}

/* -- telling what is known -- */

static struct ox_dim tell_dim(struct dim_table *dims, struct dim d)
{
        d = dim_resolve(dims, d);
        return dim_is_int(d) ? (struct ox_dim){.value = d.val} : (struct ox_dim){.text = dim_text(dims, d)};
}

const struct ox_shape *shape_export(struct arena *arena, struct dim_table *dims, int rank, const struct dim *dim)
{
        struct ox_shape *shape;
        struct ox_dim *to;

        if (rank == RANK_UNKNOWN)
                return NULL;
        shape = arena_new_array(arena, struct ox_shape, 1);
        to = arena_new_array(arena, struct ox_dim, (size_t)rank);
        for (int d = 0; d < rank; d++)
                to[d] = tell_dim(dims, dim[d]);
        *shape = (struct ox_shape){.rank = (size_t)rank, .dims = to};
        return shape;
}

static struct ox_element tell_element(struct dim_table *dims, const struct scalar *s)
{
        struct dim d = s->kind == SCALAR_INT || s->kind == SCALAR_RATIO ? dim_resolve(dims, s->d) : dim_int(0);

        switch (s->kind) {
        case SCALAR_UNKNOWN:
                break;
        case SCALAR_FLOAT:
                return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = s->f};
        case SCALAR_INT:
                if (dim_is_int(d))
                        return (struct ox_element){.kind = OX_ELEMENT_INT, .i = d.val};
                return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
        case SCALAR_RATIO:
                if (dim_is_int(d))
                        return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = (double)d.val / (double)s->den};
                if (s->den == 1) /* else it is a fraction of symbols, for which there is no spelling */
                        return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
                break;
        }
        return (struct ox_element){.kind = OX_ELEMENT_UNKNOWN};
}

void value_export(struct arena *arena, struct dim_table *dims, const struct value *value, struct ox_value *ret)
{
        const struct content *content = content_read(value->content);
        const struct type *tensor = &value->type;
        struct buf buf;

        *ret = (struct ox_value){.type = NULL};
        buf_init(&buf, arena);
        if (type_print(&value->type, &buf))
                ret->type = buf_text(&buf);
        while (ret->type && (tensor->kind == TYPE_SEQUENCE || tensor->kind == TYPE_OPTIONAL))
                tensor = tensor->of;
        if (type_is_tensor(tensor))
                ret->shape = shape_export(arena, dims, tensor->rank, tensor->dim);
        if (value->has_length && ret->type) {
                struct ox_dim *length = arena_new_array(arena, struct ox_dim, 1);

                *length = tell_dim(dims, value->length);
                ret->length = length;
        }
        if (content) {
                struct ox_element *elements = arena_new_array(arena, struct ox_element, content->count);

                for (size_t i = 0; i < content->count; i++)
                        elements[i] = tell_element(dims, &content->at[i]);
                ret->content = elements;
                ret->n_content = content->count;
        }
}
