/* Symbols and their names. */
#include <string.h>

#include "dim/internal.h"

#define NUMBER_ROOM 11 /* of _4294967295 */

static uint32_t name_hash(const struct dim_table *t, str_id name)
{
        /* Names are numbered in order of their first use, so any hash spreads them. */
        return (name ^ (uint32_t)t->seed) * 2654435761u;
}

static struct name_entry *name_at(const struct dim_table *t, uint32_t index)
{
        return &t->name[index / NAMES_CHUNK][index % NAMES_CHUNK];
}

static struct name_entry *name_find(struct dim_table *t, str_id name)
{
        for (uint32_t at = name_hash(t, name) & t->name_slots.mask; t->name_slots.at[at];
             at = (at + 1) & t->name_slots.mask) {
                struct name_entry *entry = name_at(t, t->name_slots.at[at] - 1);

                if (entry->name == name)
                        return entry;
        }
        return NULL;
}

static void name_place(struct dim_table *t, uint32_t index)
{
        uint32_t at = name_hash(t, name_at(t, index)->name) & t->name_slots.mask;

        while (t->name_slots.at[at])
                at = (at + 1) & t->name_slots.mask;
        t->name_slots.at[at] = index + 1;
}

/* The entry of a name, created if there is none. */
static struct name_entry *name_entry(struct dim_table *t, str_id name)
{
        struct name_entry *found = name_find(t, name);

        if (found)
                return found;
        if (t->names == t->name_chunks * NAMES_CHUNK) {
                if ((t->name_chunks & (t->name_chunks - 1)) == 0)
                        t->name = arena_grow(t->arena, t->name, t->name_chunks * sizeof(*t->name),
                                             (t->name_chunks ? 2 * t->name_chunks : 1) * sizeof(*t->name));
                t->name[t->name_chunks++] = arena_new_array(t->arena, struct name_entry, NAMES_CHUNK);
        }
        *name_at(t, t->names) = (struct name_entry){.name = name, .next_suffix = 2};
        if (t->names >= t->name_slots.mask / 2) {
                uint32_t slots = 2 * (t->name_slots.mask + 1);

                t->name_slots.at = arena_zalloc(t->arena, slots * sizeof(*t->name_slots.at));
                t->name_slots.mask = slots - 1;
                for (uint32_t i = 0; i < t->names; i++)
                        name_place(t, i);
        }
        name_place(t, t->names);
        return name_at(t, t->names++);
}

static struct symbol *symbol_new(struct dim_table *t, str_id name, bool anonymous, const struct dim_origin *origin)
{
        if (t->symbols == t->symbol_room) {
                uint32_t room = t->symbol_room ? 2 * t->symbol_room : 32;

                t->symbol = arena_grow(t->arena, t->symbol, t->symbol_room * sizeof(struct symbol *),
                                       room * sizeof(struct symbol *));
                t->symbol_room = room;
        }
        struct symbol *symbol = arena_new_zero(t->arena, struct symbol);
        uint32_t number = t->symbols++;

        t->symbol[number] = symbol;
        symbol->info.name = name;
        symbol->info.anonymous = anonymous;
        symbol->info.lower = 0;
        symbol->info.upper = INT64_MAX;
        symbol->info.origin = origin ? *origin : t->origin;
        symbol->atom = atom_of_symbol(t, number);
        const struct term term = {.coef = 1, .mono = mono_intern(t, &symbol->atom, 1)};
        const struct poly lone = {&term, 1};
        struct dim made = dim_int(0);

        t->mono[term.mono]->state = NORMAL_ITSELF;
        expr_store(t, lone, lone, &made); /* a new one, in normal form, within every limit */
        symbol->lone = made.expr;
        struct name_entry *entry = name_entry(t, name);

        entry->symbol = number + 1;
        if (entry->defined)
                define_symbol(t, number, t->defined[entry->defined - 1]);
        return symbol;
}

struct dim_symbol_facts *symbol_facts(struct dim_table *t, struct symbol *symbol)
{
        if (!symbol->info.facts)
                symbol->info.facts = arena_new_zero(t->arena, struct dim_symbol_facts);
        return symbol->info.facts;
}

void symbol_bind(struct dim_table *t, struct symbol *symbol, struct dim value)
{
        symbol_facts(t, symbol)->bound = value;
        symbol->info.is_bound = true;
        t->bind_generation++;
}

void symbol_set_most(struct dim_table *t, struct symbol *symbol, struct dim most)
{
        symbol_facts(t, symbol)->most = most;
        symbol->info.has_most = true;
        t->fact_generation++;
}

/* A symbol as callers see it, or the number that it is defined as. */
static struct dim as_defined(const struct symbol *symbol)
{
        return symbol->info.is_bound && dim_is_int(symbol->info.facts->bound) ? symbol->info.facts->bound
                                                                              : symbol_lone(symbol);
}

static bool is_taken(struct dim_table *t, str_id name)
{
        const struct name_entry *entry = name_find(t, name);

        return entry && (entry->symbol || entry->is_reserved);
}

/* stem_number; nothing but the name is kept. */
static str_id name_with(struct dim_table *t, const char *stem, size_t length, uint32_t number)
{
        struct scratch_mark mark = scratch_mark(t);
        char *text = scratch_take(t, length + NUMBER_ROOM, 1), *at = text + length + NUMBER_ROOM, *end = at;

        do
                *--at = (char)('0' + number % 10);
        while (number /= 10);
        *--at = '_';
        memmove(text + length, at, (size_t)(end - at));
        memcpy(text, stem, length);
        str_id name = str_intern(t->strings, text, length + (size_t)(end - at));

        scratch_release(t, mark);
        return name;
}

/* An unused name: the hint, or the hint with the first number that makes it unused. */
static str_id fresh_name(struct dim_table *t, str_id hint)
{
        if (hint != STR_EMPTY && !is_taken(t, hint))
                return hint;
        const char *stem = hint == STR_EMPTY ? "dim" : str_text(t->strings, hint);

        for (size_t length = strlen(stem);;) {
                str_id name = name_with(t, stem, length, name_entry(t, hint)->next_suffix++);

                if (!is_taken(t, name))
                        return name;
        }
}

/* The stem with the first number that makes it an unused name. */
static str_id numbered_name(struct dim_table *t, const char *stem)
{
        const size_t length = strlen(stem);
        str_id of = str_intern(t->strings, stem, length);

        for (;;) {
                str_id name = name_with(t, stem, length, ++name_entry(t, of)->last_number);

                if (!is_taken(t, name))
                        return name;
        }
}

struct dim dim_named(struct dim_table *t, str_id name, const struct dim_origin *origin, bool from_input)
{
        struct name_entry *entry = name_find(t, name);

        if (entry && entry->symbol) {
                uint32_t number = entry->symbol;
                struct symbol *symbol = t->symbol[number - 1];

                if (!symbol->info.anonymous) {
                        symbol->info.from_input = symbol->info.from_input || from_input;
                        return as_defined(symbol);
                }
                /* A name of the model that appears late takes precedence over a made-up one. */
                symbol->info.name = fresh_name(t, name);
                name_entry(t, symbol->info.name)->symbol = number;
                t->text_generation++;
        }
        struct symbol *symbol = symbol_new(t, name, false, origin);

        symbol->info.from_input = from_input;
        return as_defined(symbol);
}

bool dim_find(struct dim_table *t, const char *text, size_t length, struct dim *ret)
{
        str_id name;

        return str_find(t->strings, text, length, &name) && dim_find_name(t, name, ret);
}

bool dim_find_name(struct dim_table *t, str_id name, struct dim *ret)
{
        const struct name_entry *entry = name_find(t, name);

        if (!entry || !entry->symbol)
                return false;
        *ret = symbol_lone(t->symbol[entry->symbol - 1]);
        return true;
}

struct dim dim_fresh(struct dim_table *t, const char *hint, const struct dim_origin *origin)
{
        return as_defined(symbol_new(t, fresh_name(t, str_intern_z(t->strings, hint)), true, origin));
}

struct dim dim_fresh_numbered(struct dim_table *t, const char *stem, const struct dim_origin *origin)
{
        return as_defined(symbol_new(t, numbered_name(t, stem), true, origin));
}

struct dim dim_fresh_input(struct dim_table *t, const char *hint, const struct dim_origin *origin)
{
        struct symbol *symbol = symbol_new(t, fresh_name(t, str_intern_z(t->strings, hint)), true, origin);

        symbol->info.from_input = true;
        return as_defined(symbol);
}

struct dim dim_fresh_element(struct dim_table *t, const char *hint, int64_t lower, int64_t upper,
                             const struct dim_origin *origin)
{
        struct symbol *symbol = symbol_new(t, fresh_name(t, str_intern_z(t->strings, hint)), true, origin);

        symbol->info.from_input = true;
        symbol->info.lower = lower;
        symbol->info.upper = upper;
        return as_defined(symbol);
}

void dim_reserve(struct dim_table *t, str_id name)
{
        name_entry(t, name)->is_reserved = true;
}

bool dim_is_reserved(struct dim_table *t, str_id name)
{
        const struct name_entry *entry = name_find(t, name);

        return entry && entry->is_reserved;
}

void dim_define(struct dim_table *t, str_id name, int64_t value)
{
        struct name_entry *entry = name_entry(t, name);

        if (!entry->defined) {
                t->defined = arena_grow(t->arena, t->defined, t->n_defined * sizeof(*t->defined),
                                        (t->n_defined + 1) * sizeof(*t->defined));
                entry->defined = ++t->n_defined;
        }
        t->defined[entry->defined - 1] = value;
        if (entry->symbol)
                define_symbol(t, entry->symbol - 1, value);
}

bool dim_is_used(struct dim_table *t, str_id name)
{
        const struct name_entry *entry = name_find(t, name);

        return entry && entry->symbol;
}

static bool is_given(const char *text)
{
        return text && text[0];
}

struct dim symbol_for_faults(struct dim_table *t, unsigned faults, bool never_negative)
{
        const char *stem = is_given(t->origin.op) ? t->origin.op : "dim";
        struct symbol *symbol = symbol_new(t, numbered_name(t, stem), true, &t->origin);

        t->faults |= faults;
        symbol->info.lower = never_negative ? 0 : INT64_MIN; /* only sizes are never negative */
        return as_defined(symbol);
}

unsigned dim_take_faults(struct dim_table *t)
{
        unsigned faults = t->faults;

        t->faults = DIM_FAULT_NONE;
        return faults;
}

void dim_set_origin(struct dim_table *t, const struct dim_origin *origin)
{
        t->origin = *origin;
}

const struct dim_origin *origin_keep(struct dim_table *t)
{
        struct dim_origin *kept = arena_new_array(t->arena, struct dim_origin, 1);

        *kept = t->origin;
        return kept;
}

uint32_t dim_symbol_count(const struct dim_table *t)
{
        return t->symbols;
}

const struct dim_symbol *dim_symbol_at(const struct dim_table *t, uint32_t index)
{
        return &t->symbol[index]->info;
}

struct dim dim_symbol_lone(const struct dim_table *t, uint32_t index)
{
        return symbol_lone(t->symbol[index]);
}

bool dim_as_symbol(const struct dim_table *t, struct dim d, uint32_t *ret_index)
{
        const struct expr *expr = d.expr ? t->expr[d.expr] : NULL;

        if (!expr || expr->memo)
                return false;
        *ret_index = expr->symbol;
        return true;
}

void dim_symbol_joins(struct dim_table *t, struct dim d)
{
        uint32_t index;

        if (dim_as_symbol(t, d, &index))
                t->symbol[index]->info.joins = true;
}

void dim_symbol_place(struct dim_table *t, uint32_t index, const char *value, int axis)
{
        struct dim_origin *origin = &t->symbol[index]->info.origin;

        if (is_given(origin->value))
                return;
        origin->value = value;
        origin->axis = axis;
}

void dim_assume_ge(struct dim_table *t, struct dim d, int64_t lower)
{
        uint32_t index;

        if (!dim_as_symbol(t, dim_resolve(t, d), &index) || index < t->held)
                return;
        struct dim_symbol *symbol = &t->symbol[index]->info;

        if (lower >= 1)
                symbol->presumed = false; /* the assumption is no longer needed */
        /* A bound that contradicts another is the model's error, and would make everything provable. */
        if (lower <= symbol->lower || lower > symbol->upper)
                return;
        symbol->lower = lower;
        t->fact_generation++;
}

static void look_before(void *user, uint32_t symbol)
{
        uint32_t *least = user;

        if (symbol < *least)
                *least = symbol;
}

void dim_assume_size(struct dim_table *t, struct dim d)
{
        uint32_t least = UINT32_MAX;

        if (dim_is_int(d) || t->expr[d.expr]->not_negative)
                return;
        d = dim_resolve(t, d);
        if (dim_is_int(d))
                return;
        struct range range = range_of(t, d);

        /* As above: a bound that contradicts another is not added. */
        if (range.upper < 0)
                return;
        if (range.lower >= 0) {
                t->expr[d.expr]->not_negative = true;
                return;
        }
        dim_each_symbol(t, d, look_before, &least);
        if (least < t->held)
                return;
        dim_assume_ge(t, d, 0); /* where it is a symbol, of all that it stands in */
        t->expr[d.expr]->not_negative = true;
        t->fact_generation++;
}

void dim_assume_le(struct dim_table *t, struct dim d, int64_t upper)
{
        uint32_t index;

        if (!dim_as_symbol(t, dim_resolve(t, d), &index) || index < t->held)
                return;
        struct dim_symbol *symbol = &t->symbol[index]->info;

        if (upper >= symbol->upper || upper < symbol->lower)
                return;
        symbol->upper = upper;
        t->fact_generation++;
}

void dim_assume_most(struct dim_table *t, struct dim d, struct dim most)
{
        uint32_t index;
        int64_t lower, upper;

        dim_range(t, most, &lower, &upper);
        if (upper >= 0 && upper != INT64_MAX)
                dim_assume_le(t, d, upper);
        if (dim_is_int(most) || !dim_as_symbol(t, d, &index) || index < t->held || t->symbol[index]->info.has_most ||
            dim_names_since(t, most, index))
                return;
        symbol_set_most(t, t->symbol[index], most);
}

uint32_t dim_hold(struct dim_table *t, uint32_t first)
{
        uint32_t before = t->held;

        t->held = first > before ? first : before;
        t->holds++;
        return before;
}

void dim_release(struct dim_table *t, uint32_t before)
{
        t->held = before;
        t->holds--;
}

bool dim_is_held(const struct dim_table *t)
{
        return t->holds > 0;
}
