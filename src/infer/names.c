/* Maps from names to numbers, entries, and notes. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"

static uint32_t first_slot(const struct name_map *map, str_id name)
{
        return (name * UINT32_C(0x9e3779b1)) & map->mask;
}

int64_t map_find(const struct name_map *map, str_id name)
{
        for (uint32_t at = first_slot(map, name);; at = (at + 1) & map->mask) {
                if (!map->slot[at].number)
                        return -1;
                if (map->slot[at].name == name)
                        return (int64_t)map->slot[at].number - 1;
        }
}

static void map_grow(struct infer *f, struct name_map *map)
{
        struct name_map grown = {.mask = map->slot ? 2 * map->mask + 1 : 15, .count = map->count};

        grown.slot = arena_zalloc(f->arena, ((size_t)grown.mask + 1) * sizeof(*grown.slot));
        for (uint32_t i = 0; map->slot && i <= map->mask; i++) {
                if (!map->slot[i].number)
                        continue;
                uint32_t at = first_slot(&grown, map->slot[i].name);

                while (grown.slot[at].number)
                        at = (at + 1) & grown.mask;
                grown.slot[at] = map->slot[i];
        }
        *map = grown;
}

/* map_add() for an array with room for every name. */
static bool array_put(struct infer *f, struct name_map *map, str_id name, uint32_t number)
{
        if (name >= map->room) {
                uint32_t room = str_count(f->strings);

                if (room < 2 * map->room)
                        room = 2 * map->room;

                map->number = arena_grow(f->arena, map->number, map->room * sizeof(*map->number),
                                         room * sizeof(*map->number));
                memset(map->number + map->room, 0, (room - map->room) * sizeof(*map->number));
                map->room = room;
        }
        if (map->number[name])
                return false;
        map->number[name] = number + 1;
        return true;
}

bool map_add(struct infer *f, struct name_map *map, str_id name, uint32_t number)
{
        if (map->by_name)
                return array_put(f, map, name, number);
        if (!map->slot || 2 * (map->count + 1) > map->mask)
                map_grow(f, map);
        for (uint32_t at = first_slot(map, name);; at = (at + 1) & map->mask) {
                if (!map->slot[at].number) {
                        map->slot[at] = (struct name_slot){name, number + 1};
                        map->count++;
                        return true;
                }
                if (map->slot[at].name == name)
                        return false;
        }
}

const struct result_more result_main = {.scope = ""};

static struct result_value *new_chunk(struct arena *arena)
{
        unsigned char *at = arena_alloc(arena, RESULT_CHUNK * sizeof(struct result_value) + RESULT_LINE - 1);

        return (struct result_value *)(at + (RESULT_LINE - (uintptr_t)at % RESULT_LINE) % RESULT_LINE);
}

void entries_grow(struct infer *f)
{
        size_t chunk = f->n_chunk;

        if ((chunk & (chunk - 1)) == 0) /* the array has room for a power of two */
                f->chunk = arena_grow(f->arena, f->chunk, chunk * sizeof(*f->chunk),
                                      (chunk ? 2 * chunk : 1) * sizeof(*f->chunk));
        f->chunk[f->n_chunk++] = new_chunk(f->arena);
}

bool entry_add(struct infer *f, struct scope *scope, const struct result_value *entry)
{
        *entry_room(f) = *entry;
        return entry_keep(f, scope, entry);
}

void entry_declare(struct infer *f, struct result_value *entry, const struct declared_shape *declared)
{
        struct result_more *more;

        if (entry->more->declared == declared)
                return;
        more = arena_new_array(f->arena, struct result_more, 1);
        *more = *entry->more;
        more->declared = declared;
        entry->more = more;
}

void entry_resolve_since(struct infer *f, struct result_value *entry)
{
        entry->bindings = dim_bindings(f->dims);
        value_resolve(f->arena, f->dims, &entry->value);
}

void entry_place(struct infer *f, const struct type *type, const char *name)
{
        uint32_t symbol;

        while (type_within(type))
                type = type->of;
        if (type->kind != TYPE_TENSOR)
                return;
        for (int d = 0; d < type->rank; d++)
                if (!dim_is_int(type->dim[d]) && dim_as_symbol(f->dims, type->dim[d], &symbol))
                        dim_symbol_place(f->dims, symbol, name, d);
}

const char *entry_party(const struct infer *f, const struct result_value *entry)
{
        static const char *const kinds[] = {[OX_KIND_INPUT] = "an input", [OX_KIND_INITIALIZER] = "an initializer"};

        if (!entry->made_by)
                return entry->kind == OX_KIND_INPUT || entry->kind == OX_KIND_INITIALIZER ? kinds[entry->kind]
                                                                                          : "a value";
        return arena_printf(f->arena, "an output of %s",
                            node_party(f->arena, result_node_index(entry), result_node(entry), result_op(entry)));
}

const char *node_party(struct arena *arena, int64_t index, const char *name, const char *op)
{
        return arena_printf(arena, "node %lld (%.*s%s%.*s)", (long long)index, NAME_SHOWN, name, name[0] ? ", " : "",
                            NAME_SHOWN, op);
}

void infer_note(struct infer *f, const struct note *note, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        struct ox_diag diag = {
                .severity = note->severity,
                .code = reason_code(note->reason),
                .reason = reason_word(note->reason),
                .scope = text_or_empty(note->scope),
                .node = note->node ? note->node->name : "",
                .node_index = note->node ? note->node_index : -1,
                .op = note->node ? note->node->op->type : "",
                .input = note->has_input ? note->input : -1,
                .value = text_or_empty(note->value),
                .axis = note->has_axis ? note->axis : -1,
                .expected = text_or_empty(note->expected),
                .actual = text_or_empty(note->actual),
                .hint = text_or_empty(note->hint),
                .message = diags_full(&f->diags) ? "" : arena_vprintf(f->arena, format, args),
        };

        va_end(args);
        diags_add(&f->diags, f->arena, &diag);
}
