/* From entries to the result: every dimension resolved, values chosen, symbols and constraints listed. */
#include <string.h>

#include "infer/internal.h"
#include "infer/made.h"

/* Levels of knowledge about a type, from exact to unknown. */
enum extent { EXTENT_EXACT, EXTENT_SYMBOLIC, EXTENT_DYNAMIC, EXTENT_UNKNOWN, EXTENT_COUNT };

struct finishing {
        struct infer *f;
        bool *seen; /* symbols that appear, by number */
        size_t room, n_seen;
        struct dim *compound; /* sizes of values that depend on data and are more than a symbol */
        size_t n_compound;
        const struct result_value *entry; /* whose type is being finished; NULL: none */
        struct symbol_place {             /* the first place of a symbol as a dimension by itself, by number */
                const struct result_value *entry;
                int axis;
        } * place;
        size_t place_room; /* in bytes */
        struct seen_size { /* of expressions, by handle */
                struct dim settled;
                uint8_t extent; /* + 1; 0: it is not seen yet */
                bool is_placed; /* as a size of a value */
                bool is_listed; /* among `compound` */
        } * size, once;         /* of a node alone, in a table of dimensions that may have those of many, each anew */
        size_t size_room;       /* in bytes */
        /* The shape that was finished last: values often share one. */
        const struct dim *last_from, *last_to;
        int last_rank;
        enum extent last_extent;
        size_t n_of[EXTENT_COUNT]; /* values, but for initializers */
};

/* Room for index `at` in an array of bytes that are 0. */
static void *grow_bytes(struct finishing *x, void *bytes, size_t *room, size_t at)
{
        size_t grown = 2 * at + 64;

        if (at < *room)
                return bytes;
        bytes = arena_grow(x->f->arena, bytes, *room, grown);
        memset((unsigned char *)bytes + *room, 0, grown - *room);
        *room = grown;
        return bytes;
}

/* Room up to the last symbol that appears, because most symbols of a large model are replaced by an equal. */
static void see_symbol(void *user, uint32_t symbol)
{
        struct finishing *x = user;

        x->seen = grow_bytes(x, x->seen, &x->room, symbol);
        x->n_seen += !x->seen[symbol];
        x->seen[symbol] = true;
}

/* A symbol that is a size of the value that is being finished stands there. */
static void see_place(struct finishing *x, struct dim d, int axis)
{
        uint32_t symbol;

        if (!x->entry || dim_is_int(d) || !dim_as_symbol(x->f->dims, d, &symbol))
                return;
        x->place = grow_bytes(x, x->place, &x->place_room, (symbol + 1) * sizeof(*x->place) - 1);
        if (!x->place[symbol].entry)
                x->place[symbol] = (struct symbol_place){x->entry, axis};
}

static void see_places(struct finishing *x, const struct type *type)
{
        while (type_within(type))
                type = type->of;
        for (int d = 0; type_has_shape(type) && d < type->rank; d++)
                if (!dim_is_int(type->dim[d]))
                        see_place(x, dim_resolve(x->f->dims, type->dim[d]), d);
}

static bool is_input_symbol(const struct dim_symbol *symbol)
{
        return symbol->from_input;
}

/* see_size() of one that was not seen before. */
static __attribute__((noinline)) struct seen_size *see_new_size(struct finishing *x, struct dim d)
{
        struct dim_table *dims = x->f->dims;
        struct seen_size *size = &x->once;

        x->once = (struct seen_size){.extent = 0};
        if (x->f->model) {
                x->size = grow_bytes(x, x->size, &x->size_room, (d.expr + (size_t)1) * sizeof(*x->size) - 1);
                size = &x->size[d.expr];
        }
        enum extent extent = EXTENT_EXACT;

        size->settled = dim_settle(dims, d);
        if (!dim_is_int(size->settled)) {
                dim_each_symbol(dims, size->settled, see_symbol, x);
                extent = dim_all_symbols(dims, size->settled, is_input_symbol) ? EXTENT_SYMBOLIC : EXTENT_DYNAMIC;
        }
        size->extent = (uint8_t)(1 + extent);
        return size;
}

/* A size that appears, as it is known to be by now: its symbols are seen. Valid until another one is seen. */
static inline struct seen_size *see_size(struct finishing *x, struct dim d)
{
        if ((d.expr + (size_t)1) * sizeof(*x->size) <= x->size_room && x->size[d.expr].extent)
                return &x->size[d.expr];
        return see_new_size(x, d);
}

static struct dim finish_dim(struct finishing *x, struct dim d)
{
        return dim_is_int(d) ? d : see_size(x, d)->settled;
}

static struct dim finish_size(void *user, struct dim d, int axis)
{
        (void)axis;
        return finish_dim(user, d);
}

static bool finish_number(void *user, struct dim *d)
{
        *d = finish_dim(user, *d);
        return true;
}

/* Remembers a size that depends on data, for its bounds, unless it is a symbol, which has a row of its own. */
static void see_compound(struct finishing *x, const struct seen_size *size)
{
        const struct dim settled = size->settled;
        uint32_t symbol;

        if (size->extent != 1 + EXTENT_DYNAMIC || x->n_compound == EXTENTS_TOLD ||
            dim_as_symbol(x->f->dims, settled, &symbol))
                return;
        for (size_t i = 0; !x->f->model && i < x->n_compound; i++)
                if (dim_same(x->compound[i], settled))
                        return;
        if (x->f->model) {
                struct seen_size *own = see_size(x, settled);

                if (own->is_listed)
                        return;
                own->is_listed = true;
        }
        if (!x->compound)
                x->compound = arena_new_array(x->f->arena, struct dim, EXTENTS_TOLD);
        x->compound[x->n_compound++] = settled;
}

/* Sets `last_to` to the resolved dimensions, in a new array only if one changes, and `last_extent`. */
static void finish_dims(struct finishing *x, const struct dim *dim, int rank)
{
        struct dim *changed = NULL;
        enum extent extent = EXTENT_EXACT;

        rank = dim ? rank : 0;
        for (int d = 0; d < rank; d++) {
                if (dim_is_int(dim[d]))
                        continue;
                struct seen_size *size = see_size(x, dim[d]);

                const struct dim settled = size->settled;
                bool is_new = !size->is_placed;

                size->is_placed = true;
                extent = size->extent - 1u > extent ? (enum extent)(size->extent - 1) : extent;
                if (is_new) {
                        see_place(x, settled, d);
                        see_compound(x, size);
                }
                if (dim_same(settled, dim[d]))
                        continue;
                if (!changed) {
                        changed = arena_new_array(x->f->arena, struct dim, (size_t)rank);
                        memcpy(changed, dim, (size_t)rank * sizeof(*dim));
                }
                changed[d] = settled;
        }
        x->last_from = dim;
        x->last_to = changed ? changed : dim;
        x->last_rank = rank;
        x->last_extent = extent;
}

/* A type with none within. */
static inline enum extent finish_tensor(struct finishing *x, struct type *type)
{
        if (!type_has_shape(type))
                return EXTENT_UNKNOWN;
        if (type->dim != x->last_from || type->rank != x->last_rank)
                finish_dims(x, type->dim, type->rank);
        type->dim = x->last_to;
        return type->elem == ELEM_UNDEFINED ? EXTENT_UNKNOWN : x->last_extent;
}

static enum extent finish_outer(struct finishing *x, struct type *type)
{
        bool is_map = false;

        /* A loop, because the depth of types comes from the model. Inner types may be shared. */
        while (type_within(type)) {
                struct type *of = arena_new_array(x->f->arena, struct type, 1);

                is_map = is_map || type->kind == TYPE_MAP;
                *of = *type->of;
                type->of = of;
                type = of;
        }
        const enum extent extent = finish_tensor(x, type);

        return is_map ? EXTENT_EXACT : extent;
}

static inline enum extent finish_type(struct finishing *x, struct type *type)
{
        return type_within(type) ? finish_outer(x, type) : finish_tensor(x, type);
}

/* Sees the symbols in elements: whether there are any that are known to be something else by now. Those in elements
   that are not shown do not appear, and unread ones are numbers of the model. */
static bool see_elements(struct finishing *x, const struct content *content)
{
        bool changes = false;

        if (!content || content->unread || !content_may_have_symbols(content) || !content_is_known(content))
                return false;
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar s = content_at(content, i);

                if (s.kind != SCALAR_FLOAT && !dim_is_int(s.d))
                        changes |= !dim_same(see_size(x, s.d)->settled, s.d);
        }
        return changes;
}

/* Resolves the parts of a value besides its type. */
static void finish_rest(struct finishing *x, struct value *value)
{
        bool has_symbols = see_elements(x, value->content);

        if (!has_symbols && !value_members(value)->has_length)
                return;
        const struct value_map map = {x->f->arena, finish_size, finish_number, x, 1};
        struct value rest = *value;

        rest.type = type_unknown;
        if (!has_symbols)
                rest.content = NULL;
        rest = value_map(&map, &rest);
        value->members = rest.members;
        if (rest.content)
                value->content = rest.content;
}

static void count_extents(const struct finishing *x, struct ox_summary *ret)
{
        ret->exact = x->n_of[EXTENT_EXACT];
        ret->symbolic = x->n_of[EXTENT_SYMBOLIC];
        ret->dynamic = x->n_of[EXTENT_DYNAMIC];
        ret->unknown = x->n_of[EXTENT_UNKNOWN];
        ret->values = ret->exact + ret->symbolic + ret->dynamic + ret->unknown;
}

static bool is_wanted(enum ox_values values, const struct result_value *entry, enum extent extent)
{
        switch (values) {
        case OX_VALUES_INFERRED:
                return entry->kind != OX_KIND_INITIALIZER;
        case OX_VALUES_OUTPUTS:
                return entry->is_output;
        case OX_VALUES_UNKNOWN:
                return entry->kind != OX_KIND_INITIALIZER && extent == EXTENT_UNKNOWN;
        case OX_VALUES_ALL:
                return true;
        }
        return false;
}

/* Whether a declared size equals the shown one, or reads the same. */
static bool says_same_size(struct finishing *x, struct dim shown, const struct declared_dim *declared)
{
        struct dim_table *dims = x->f->dims;

        return dim_same(shown, dim_settle(dims, declared->size)) ||
               (declared->name && !dim_is_int(shown) && strcmp(declared->name, dim_text(dims, shown)) == 0);
}

/* A declared shape is reported if it differs from the inferred one after all facts are known. */
static const struct declared_shape *finish_declared(struct finishing *x, const struct type *type,
                                                    const struct declared_shape *declared)
{
        bool alike = type_has_shape(type) && type->rank == declared->rank;

        for (int d = 0; alike && d < type->rank; d++)
                alike = says_same_size(x, type->dim[d], &declared->dim[d]);
        return alike ? NULL : declared;
}

/* The entries that are shown, by number. */
struct shown {
        struct infer *f;
        uint32_t *number; /* NULL: the first ones */
        size_t count;
};

static void show(struct shown *shown, size_t number)
{
        if (!shown->number && number != shown->count) {
                shown->number = arena_new_array(shown->f->arena, uint32_t, shown->f->n_entry);
                for (size_t i = 0; i < shown->count; i++)
                        shown->number[i] = (uint32_t)i;
        }
        if (shown->number)
                shown->number[shown->count] = (uint32_t)number;
        shown->count++;
}

/* Whether a value is shown. */
static inline bool finish_entry(struct finishing *x, struct result_value *entry)
{
        struct infer *f = x->f;

        x->entry = entry;
        if (!f->model && entry->kind == OX_KIND_INPUT) {
                see_places(x, &entry->value.type);
                return false; /* the caller of a single node knows its inputs */
        }
        /* Counts knowledge as shown, after every bound symbol is replaced. */
        const enum extent extent = finish_type(x, &entry->value.type);

        x->entry = NULL;
        x->n_of[extent] += entry->kind != OX_KIND_INITIALIZER;
        if (!f->model)
                entry->kind = OX_KIND_OUTPUT;
        else if (!is_wanted(f->options->values, entry, extent))
                return false;
        if (entry->value.content || entry->value.members)
                finish_rest(x, &entry->value);
        if (entry->more->declared)
                entry_declare(f, entry, finish_declared(x, &entry->value.type, entry->more->declared));
        return true;
}

static void finish_values(struct finishing *x, struct ox_result *result, const OnnxGraph *graph)
{
        struct infer *f = x->f;
        struct shown shown = {.f = f};
        struct made_by made = {.f = f};
        struct result_value *entry = NULL;

        if (graph && f->options->nodes)
                made_begin(&made);
        for (size_t i = 0; i < f->n_entry; i++) {
                entry = entry_after(f, entry, i);
                if (entry->is_absent)
                        continue;
                if (made.node)
                        made_note(&made, entry);
                if (finish_entry(x, entry))
                        show(&shown, i);
        }
        count_extents(x, &result->summary);
        result->node = made.node;
        result->n_node = made.count;
        result->strings = f->strings;
        result->chunk = f->chunk;
        result->shown = shown.number;
        result->n_value = shown.count;
}

static struct dim finish_side(void *user, struct dim d)
{
        return finish_dim(user, d);
}

static const char *text_of(const char *text)
{
        return text_or_empty(text);
}

/* Where it arose, unless it stands alone elsewhere and not there: what is made by an iteration, say, or first met
   within an expression. */
static struct ox_bound bound_row(const struct finishing *x, struct dim d)
{
        return (struct ox_bound){
                .text = dim_text(x->f->dims, d), .is_number = dim_is_int(d), .number = dim_is_int(d) ? d.val : 0};
}

static const struct ox_bound not_known = {.text = ""};

/* Only proven bounds; assumptions are listed elsewhere. */
static struct ox_bound least_of(const struct finishing *x, const struct dim_symbol *symbol)
{
        return symbol->lower == INT64_MIN ? not_known : bound_row(x, dim_int(symbol->presumed ? 0 : symbol->lower));
}

static struct ox_bound most_of(const struct finishing *x, const struct dim_symbol *symbol)
{
        struct dim_table *dims = x->f->dims;

        if (!symbol->has_most)
                return symbol->upper == INT64_MAX ? not_known : bound_row(x, dim_int(symbol->upper));
        if (symbol->upper == INT64_MAX)
                return bound_row(x, dim_settle(dims, symbol->facts->most));
        return bound_row(x, dim_min(dims, dim_settle(dims, symbol->facts->most), dim_int(symbol->upper)));
}

/* What symbols are at most appears too. It is made of older ones. */
static void see_bounds(struct finishing *x)
{
        for (uint32_t i = dim_symbol_count(x->f->dims); i-- > 0;) {
                const struct dim_symbol *symbol = dim_symbol_at(x->f->dims, i);

                if (i < x->room && x->seen[i] && symbol->has_most)
                        finish_dim(x, symbol->facts->most);
        }
}

static struct ox_symbol symbol_row(const struct finishing *x, uint32_t number, const struct dim_symbol *symbol)
{
        const struct dim_origin *origin = &symbol->origin;
        struct ox_symbol row = {
                .name = str_text(x->f->strings, symbol->name),
                .value = text_of(origin->value),
                .axis = origin->axis,
                .op = text_of(origin->op),
                .node = text_of(origin->node),
                .scope = text_of(origin->scope),
                .min = least_of(x, symbol),
                .max = most_of(x, symbol),
        };
        bool is_placed = x->place && (number + 1) * sizeof(*x->place) <= x->place_room && x->place[number].entry;

        if (is_placed) {
                const struct symbol_place *place = &x->place[number];

                row.value = entry_name(x->f, place->entry);
                row.scope = result_scope(place->entry);
                row.axis = place->axis;
        } else {
                row.axis = -1;
        }
        return row;
}

/* Proven bounds of the sizes that are more than a symbol, in so far as they say more than that a size is not
   negative. */
static void finish_compounds(struct finishing *x, struct ox_result *result)
{
        struct infer *f = x->f;
        struct dim least = dim_int(0), most = dim_int(0);

        if (x->n_compound == 0)
                return;
        struct ox_dynamic_size *rows = arena_new_array(f->arena, struct ox_dynamic_size, x->n_compound);

        dim_withdraw_presumed(f->dims);
        for (size_t i = 0; i < x->n_compound; i++) {
                const struct dim size = x->compound[i];
                bool has_least = dim_extent(f->dims, size, false, &least),
                     has_most = dim_extent(f->dims, size, true, &most);

                has_most = has_most && !dim_same(size, most);
                /* A size is not negative, whatever its parts are. */
                if (!has_least || dim_proves_ge(f->dims, dim_int(0), least))
                        least = dim_int(0);
                if (!has_most && dim_is(least, 0))
                        continue;
                rows[result->n_dynamic++] =
                        (struct ox_dynamic_size){.size = dim_text(f->dims, size),
                                                 .min = bound_row(x, finish_dim(x, least)),
                                                 .max = has_most ? bound_row(x, finish_dim(x, most)) : not_known};
        }
        dim_restore_presumed(f->dims);
        dim_take_faults(f->dims);
        result->dynamic = rows;
}

static void finish_symbols(struct finishing *x, struct ox_result *result)
{
        struct infer *f = x->f;
        see_bounds(x);
        uint32_t count = dim_symbol_count(f->dims);
        struct ox_symbol *symbols = arena_new_array(f->arena, struct ox_symbol, x->n_seen);

        for (uint32_t i = 0; i < count; i++) {
                const struct dim_symbol *symbol = dim_symbol_at(f->dims, i);

                if (i >= x->room || !x->seen[i])
                        continue;
                symbols[result->n_symbol++] = symbol_row(x, i, symbol);
        }
        result->symbol = symbols;
}

static void finish_model(struct infer *f, struct ox_result *result, const OnnxGraph *graph)
{
        const OnnxModel *model = f->model;
        size_t n_opset = model->n_opset_import ? f->opsets->count : 0;
        struct result_opset *opset = arena_new_array(f->arena, struct result_opset, n_opset);

        for (size_t i = 0; i < n_opset; i++)
                opset[i] = (struct result_opset){f->opsets->at[i].written, f->opsets->at[i].version};
        result->is_model = true;
        result->model = (struct result_model){
                .ir_version = model->ir_version,
                .producer_name = text_or_empty(model->producer_name),
                .graph_name = text_or_empty(graph->name),
                .opset = opset,
                .n_opset = n_opset,
                .functions = model->n_functions,
                .nodes = graph_nodes(graph)->count,
                .initializers = graph_initializers(graph)->count + graph->n_sparse_initializer,
                .bytes = f->bytes.seen,
                .bytes_skipped = f->bytes.skipped,
        };
}

/* Reports the number of diagnostics and constraints that are not listed. */
static void note_omitted(struct infer *f)
{
        if (!f->diags.dropped && !f->constraints_dropped)
                return;
        struct ox_diag diag = {
                .severity = OX_INFO,
                .code = reason_code(REASON_OMITTED),
                .reason = reason_word(REASON_OMITTED),
                .scope = "",
                .node = "",
                .node_index = -1,
                .op = "",
                .input = -1,
                .value = "",
                .message =
                        arena_printf(f->arena, "more diagnostics (%zu) or constraints (%zu) were found than are listed",
                                     f->diags.dropped, f->constraints_dropped),
                .axis = -1,
                .expected = "",
                .actual = "",
                .hint = "",
        };

        diags_end(&f->diags, f->arena, &diag);
}

struct ox_result *finish_result(struct infer *f, const OnnxGraph *graph)
{
        struct ox_result *result = arena_new_zero(f->arena, struct ox_result);
        struct finishing x = {.f = f};

        condition_take_multiples(f);
        condition_presume(f);
        finish_values(&x, result, graph);
        condition_finish(f, finish_side, &x, result);
        finish_compounds(&x, result);
        finish_symbols(&x, result);
        note_omitted(f);
        result->diags = &f->diags;
        result->summary.errors = f->diags.errors;
        result->summary.warnings = f->diags.warnings;
        result->dims = f->dims;
        if (graph)
                finish_model(f, result, graph);
        dim_watch(f->dims, NULL, NULL); /* the result outlives the inference */
        return result;
}
