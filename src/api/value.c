/* Values and shapes as callers see them. */
#include "api/internal.h"

/* -- from callers -- */

enum ox_code shape_import(struct ox_context *context, const char *name, const struct ox_shape *given, struct type *ret)
{
        return context_built(context,
                             build_shape(&context->builder, (struct build_subject){"shape", name}, given, ret));
}

enum ox_code value_import(struct ox_context *context, const char *name, const struct ox_value *given,
                          struct named_value *ret)
{
        build_names(&context->builder, given);
        return context_built(context, build_value(&context->builder, (struct build_subject){"value", name}, given,
                                                  &ret->value, &ret->dropped));
}

/* -- to callers -- */

static struct ox_dim export_dim(struct dim_table *dims, struct dim d)
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
                to[d] = export_dim(dims, dim[d]);
        *shape = (struct ox_shape){.rank = (size_t)rank, .dims = to};
        return shape;
}

static struct ox_element export_element(struct dim_table *dims, struct scalar s)
{
        struct dim d = s.kind == SCALAR_INT || s.kind == SCALAR_RATIO ? dim_resolve(dims, s.d) : dim_int(0);

        switch (s.kind) {
        case SCALAR_UNKNOWN:
                break;
        case SCALAR_FLOAT:
                return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = s.f};
        case SCALAR_INT:
                if (dim_is_int(d))
                        return (struct ox_element){.kind = OX_ELEMENT_INT, .i = d.val};
                return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
        case SCALAR_RATIO:
                if (dim_is_int(d) && !scalar_is_rounded(s))
                        return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = (double)d.val / (double)s.den};
                if (s.den == 1) /* else it is a fraction of symbols, which cannot be spelled */
                        return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = dim_text(dims, d)};
                break;
        }
        return (struct ox_element){.kind = OX_ELEMENT_UNKNOWN};
}

static const struct ox_value *export_elements(struct arena *arena, struct dim_table *dims,
                                              const struct members *members)
{
        struct ox_value *elements = arena_new_array(arena, struct ox_value, (size_t)members->length.val);

        for (int64_t i = 0; i < members->length.val; i++) {
                const struct value element = {.type = *members->elements->at[i]};

                value_export(arena, dims, &element, &elements[i]);
        }
        return elements;
}

void value_export(struct arena *arena, struct dim_table *dims, const struct value *value, struct ox_value *ret)
{
        const struct content *content = content_read(value->content);
        const struct members *members = value_members(value);
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
        if (members->has_length && ret->type) {
                struct ox_dim *length = arena_new_array(arena, struct ox_dim, 1);

                *length = export_dim(dims, members->length);
                ret->length = length;
                if (members->elements && dim_is_int(members->length)) {
                        ret->elements = export_elements(arena, dims, members);
                        ret->n_elements = (size_t)members->length.val;
                }
        }
        if (content) {
                struct ox_element *elements = arena_new_array(arena, struct ox_element, content->count);

                for (size_t i = 0; i < content->count; i++)
                        elements[i] = export_element(dims, content_at(content, i));
                ret->content = elements;
                ret->n_content = content->count;
        }
}
