#include "value/value.h"

static bool is_symbolic(const struct dim *dims, int rank)
{
        for (int d = 0; d < rank; d++)
                if (!dim_is_int(dims[d]))
                        return true;
        return false;
}

struct type type_map(const struct value_map *map, const struct type *type)
{
        struct type ret = *type;

        if (type_within(type)) {
                struct type *of = arena_new_array(map->arena, struct type, 1);

                *of = type_map(map, type->of); /* the depth that declared types and rules of operators allow */
                ret.of = of;
        }
        if (!type_is_tensor(type) || !is_symbolic(type->dim, type->rank))
                return ret;
        struct dim *dims = arena_new_array(map->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++) {
                dims[d] = type->dim[d];
                if (!dim_is_int(dims[d]))
                        dims[d] = map->size(map->user, dims[d], d);
        }
        ret.dim = dims;
        return ret;
}

static bool has_symbol(struct scalar s)
{
        return (s.kind == SCALAR_INT || s.kind == SCALAR_RATIO) && !dim_is_int(s.d);
}

/* Element `i`, mapped. */
static struct scalar map_scalar(const struct value_map *map, const struct content *content, size_t i)
{
        struct scalar s = content_at(content, i);

        return !has_symbol(s) || map->number(map->user, &s.d) ? s : scalar_unknown();
}

/* The content itself where nothing changes. */
static const struct content *content_map(const struct value_map *map, const struct content *content)
{
        struct content *copy = NULL;

        if (!content || !content_may_have_symbols(content))
                return content;
        for (size_t i = 0; i < content->count; i++) {
                struct scalar s = map_scalar(map, content, i), was = content_at(content, i);

                if (!copy && (s.kind != was.kind || !dim_same(s.d, was.d))) {
                        copy = content_new(map->arena, content->count);
                        for (size_t k = 0; k < i; k++)
                                content_set(copy, k, content_at(content, k));
                }
                if (copy)
                        content_set(copy, i, s);
        }
        return copy ? copy : content;
}

static void map_members(const struct value_map *map, struct value *value)
{
        const struct members *members = value->members;
        struct members mapped = *members;

        mapped.elements = NULL;
        if (members->elements && dim_is_int(members->length))
                mapped.elements = elements_map(map, members->elements, (size_t)members->length.val);
        if (members->along && !dim_is_int(members->along->total)) {
                struct along *along = arena_new_array(map->arena, struct along, 1);

                *along = *members->along;
                mapped.along = map->number(map->user, &along->total) ? along : NULL;
        }
        if (members->has_length && !dim_is_int(members->length))
                mapped.has_length = map->number(map->user, &mapped.length);
        value_hold(map->arena, value, &mapped);
}

struct value value_map(const struct value_map *map, const struct value *value)
{
        struct value ret = *value;

        ret.type = type_map(map, &value->type);
        if (value->members)
                map_members(map, &ret);
        ret.content = content_map(map, content_read(value->content));
        return ret;
}

/* -- what is bound -- */

static struct dim resolve_size(void *dims, struct dim d, int axis)
{
        (void)axis;
        return dim_resolve(dims, d);
}

static bool resolve_number(void *dims, struct dim *d)
{
        *d = dim_resolve(dims, *d);
        return true;
}

static bool is_stale(struct dim_table *dims, struct dim d)
{
        return !dim_is_int(d) && !dim_same(dim_resolve(dims, d), d);
}

static bool is_type_stale(struct dim_table *dims, const struct type *type)
{
        while (type_within(type))
                type = type->of;
        for (int d = 0; type_is_tensor(type) && d < type->rank; d++)
                if (is_stale(dims, type->dim[d]))
                        return true;
        return false;
}

void value_resolve(struct arena *arena, struct dim_table *dims, struct value *value)
{
        const struct value_map map = {arena, resolve_size, resolve_number, dims, dim_bindings(dims)};
        const struct content *content = value->content;

        if (!dim_is_any_bound(dims))
                return;
        const struct members *members = value_members(value);
        bool stale = is_type_stale(dims, &value->type) || (members->has_length && is_stale(dims, members->length));

        if (members->elements && !stale)
                stale = elements_map(&map, members->elements, (size_t)members->length.val) != members->elements;
        /* Unread elements are numbers of the model. */
        bool is_read = content && !content->unread;

        for (size_t i = 0; is_read && content_may_have_symbols(content) && !stale && i < content->count; i++) {
                const struct scalar s = content_at(content, i);

                stale = has_symbol(s) && is_stale(dims, s.d);
        }
        if (!stale)
                return;
        value->content = content && !content->unread ? content : NULL;
        *value = value_map(&map, value);
        if (content && content->unread)
                value->content = content;
}
