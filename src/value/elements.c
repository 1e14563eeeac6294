#include <string.h>

#include "value/value.h"

struct elements *elements_new(struct arena *arena, size_t room)
{
        struct elements *elements = arena_new_zero(arena, struct elements);

        elements->at = (const struct type **)arena_array(arena, room, sizeof(*elements->at));
        elements->room = room;
        return elements;
}

/* A new list that begins with the first `count` elements, with room for another. */
static struct elements *copy_of(struct arena *arena, const struct elements *elements, size_t count)
{
        struct elements *copy = elements_new(arena, count + 1);

        if (elements && count)
                memcpy(copy->at, elements->at, count * sizeof(const struct type *));
        copy->count = count;
        return copy;
}

struct elements *elements_add(struct arena *arena, struct elements *elements, size_t count, const struct type *type)
{
        if (!elements || elements->count != count)
                elements = copy_of(arena, elements, count);
        if (elements->count == elements->room) {
                size_t room = 2 * elements->room + 4;

                elements->at = arena_grow(arena, elements->at, elements->room * sizeof(*elements->at),
                                          room * sizeof(*elements->at));
                elements->room = room;
        }
        elements->at[elements->count++] = type;
        return elements;
}

/* The same tensor type, unless a size changes. */
static const struct type *map_element(const struct value_map *map, const struct type *type)
{
        bool same = type_is_tensor(type);

        for (int d = 0; same && d < type->rank; d++)
                same = dim_is_int(type->dim[d]) || dim_same(map->size(map->user, type->dim[d], d), type->dim[d]);
        return same ? type : type_keep(map->arena, type_map(map, type));
}

/* The result of an earlier map, of which *ret_count elements are done; at first the list itself. */
static struct elements *map_from(const struct value_map *map, struct elements *elements, size_t *ret_count)
{
        *ret_count = 0;
        if (map->since == 0 || elements->mapper != map->user || elements->mapped_since != map->since)
                return elements;
        *ret_count = elements->mapped_count;
        return elements->mapped;
}

struct elements *elements_map(const struct value_map *map, struct elements *elements, size_t count)
{
        const struct type *last = NULL;
        size_t done;
        struct elements *mapped = map_from(map, elements, &done);

        for (size_t i = done; i < count; i++) {
                if (!last || elements->at[i] != elements->at[i - 1])
                        last = map_element(map, elements->at[i]);
                if (mapped != elements || last != elements->at[i])
                        mapped = elements_add(map->arena, mapped == elements ? copy_of(map->arena, mapped, i) : mapped,
                                              i, last);
        }
        if (count > done) {
                elements->mapper = map->user;
                elements->mapped_since = map->since;
                elements->mapped = mapped;
                elements->mapped_count = count;
        }
        return mapped;
}
