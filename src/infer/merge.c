/* What a model declares of values that its nodes make, beside what is proven of them. A declaration fills in what
   inference does not know and gives names to sizes that data decides. It never takes the place of what is proven: a
   name that no input has is then another name for it, and a claim in inputs' sizes is a condition that is reported. */
#include "infer/internal.h"

struct merging {
        struct infer *f;
        const struct declare_site *site;
        int64_t node_index;
        bool undecided; /* data decides the rank among proven ones */
};

/* The error for a conflict of the inferred and the declared type, both shown as a whole; the sizes `inferred` and
   `declared` differ on `axis`, unless it is -1. */
struct contradiction {
        const char *whole_inferred, *whole_declared;
        int axis;
        const char *inferred, *declared;
};

static void conflict(const struct merging *m, const struct contradiction *c)
{
        const struct declare_site *site = m->site;
        struct note note = {.severity = OX_ERROR,
                            .reason = REASON_DECLARED_CONFLICT,
                            .scope = site->scope,
                            .node = site->node,
                            .node_index = m->node_index,
                            .value = site->value,
                            .has_axis = c->axis >= 0,
                            .axis = c->axis,
                            .expected = c->declared,
                            .actual = c->inferred};

        if (c->axis >= 0)
                infer_note(m->f, &note, "%s: inferred %s, declared %s: axis %d is %s, declared as %s", site->value,
                           c->whole_inferred, c->whole_declared, c->axis, c->inferred, c->declared);
        else
                infer_note(m->f, &note, "%s: inferred %s, declared %s", site->value, c->whole_inferred,
                           c->whole_declared);
}

static void add_fact(const struct merging *m, struct dim inferred, struct dim declared, bool is_claim)
{
        const struct node at = {.source = m->site->node, .scope = m->site->scope, .index = m->node_index};
        const struct dim_condition equal = {inferred, DIM_EQUAL, declared};

        if (is_claim)
                condition_claim(m->f, &equal, &at, m->site->value);
        else
                condition_add(m->f, &equal, &at, m->site->value);
}

/* -- names that no input has -- */

static bool is_of_input(const struct dim_symbol *symbol)
{
        return symbol->from_input;
}

/* Whether data decides every symbol, and among sizes that are not proven: a declared number may be the one. */
static bool is_of_data(const struct dim_symbol *symbol)
{
        return symbol->anonymous && !symbol->from_input && !symbol->joins;
}

/* The entry of a declared size that is a single name which no input has; NULL if it is not. */
static struct dim_name *declared_name(struct infer *f, struct dim declared)
{
        uint32_t number;

        if (!dim_as_symbol(f->dims, declared, &number))
                return NULL;
        const struct dim_symbol *symbol = dim_symbol_at(f->dims, number);

        return symbol->anonymous || symbol->from_input ? NULL : dim_name_entry(f, symbol->name);
}

static struct dim_place place_of(const struct merging *m, int axis)
{
        return (struct dim_place){.scope = m->site->scope, .value = m->site->value, .axis = axis};
}

/* Gives an anonymous symbol a name, or a proven size another name. */
static void merge_name(const struct merging *m, struct dim inferred, struct dim declared, struct dim_name *name,
                       int axis)
{
        struct infer *f = m->f;
        uint32_t number;

        if (dim_is_free(f->dims, inferred)) {
                dim_unify(f->dims, inferred, declared, NULL);
                if (!name->names_data)
                        name->of_data = place_of(m, axis);
                name->names_data = true;
                return;
        }
        /* In a body a name belongs to one iteration. A symbol made outside of a branch gets no name from within it. */
        if (m->site->repeats ||
            (dim_as_symbol(f->dims, inferred, &number) && is_of_data(dim_symbol_at(f->dims, number))))
                return;
        if (!name->names_size) {
                name->names_size = true;
                name->size = inferred;
                name->of_size = place_of(m, axis);
        } else if (!name->names_others && !dim_proves_equal(f->dims, name->size, inferred)) {
                name->names_others = true;
                name->other = inferred;
                name->of_other = place_of(m, axis);
        }
}

static const char *split_text(struct infer *f, const struct dim_name *name)
{
        const char *text = str_text(f->strings, name->name),
                   *size = dim_text(f->dims, dim_resolve(f->dims, name->size));
        const struct dim_place *a = &name->of_size, *b = name->names_others ? &name->of_other : &name->of_data;
        const char *other =
                name->names_others ? dim_text(f->dims, dim_resolve(f->dims, name->other)) : "a size that data decides";

        return arena_printf(
                f->arena,
                "%s is declared for axis %d of %s, which is %s, and for axis %d of %s, which is %s: the name "
                "is taken for none of them",
                text, a->axis, a->value, size, b->axis, b->value, other);
}

size_t merge_split_names(struct infer *f)
{
        size_t found = 0;

        for (size_t i = 0; i < f->n_dim_name; i++) {
                struct dim_name *name = &f->dim_name[i];

                if (!name->is_split && name->names_size && (name->names_others || name->names_data)) {
                        name->is_split = true;
                        name->split_at = name->of_size;
                        name->split_text = split_text(f, name);
                        found++;
                }
                name->names_data = name->names_size = name->names_others = false;
        }
        return found;
}

void merge_note_split(struct infer *f)
{
        for (size_t i = 0; i < f->n_dim_name; i++) {
                const struct dim_name *name = &f->dim_name[i];

                if (name->split_text)
                        infer_note(f,
                                   &(struct note){.severity = OX_WARNING,
                                                  .reason = REASON_DECLARED_NAME,
                                                  .scope = name->split_at.scope,
                                                  .value = name->split_at.value},
                                   "%s", name->split_text);
        }
}

/* -- sizes -- */

/* False if they contradict each other. `declared` is not a name without a size. */
static bool merge_claim(const struct merging *m, struct dim *dim, struct dim declared)
{
        struct infer *f = m->f;
        struct dim inferred = *dim;

        if (m->site->is_input || (dim_is_int(declared) && dim_all_symbols(f->dims, inferred, is_of_data))) {
                switch (dim_unify(f->dims, inferred, declared, NULL)) {
                case DIM_UNIFY_CONFLICT:
                        return false;
                case DIM_UNIFY_FACT:
                        add_fact(m, inferred, declared, false);
                        break;
                case DIM_UNIFY_SAME:
                case DIM_UNIFY_BOUND:
                        *dim = dim_resolve(f->dims, inferred);
                        break;
                }
                return true;
        }
        if (dim_proves_unequal(f->dims, inferred, declared))
                return false;
        if (dim_all_symbols(f->dims, declared, is_of_input))
                add_fact(m, inferred, declared, true);
        return true;
}

static bool merge_size(const struct merging *m, struct dim *dim, struct dim declared, int axis)
{
        struct infer *f = m->f;
        struct dim inferred = dim_resolve(f->dims, *dim);

        declared = dim_resolve(f->dims, declared);
        *dim = inferred;
        if (dim_is(inferred, -1)) {
                *dim = declared;
                return true;
        }
        if (dim_is(declared, -1) || dim_same(inferred, declared))
                return true;
        struct dim_name *name = m->site->is_input ? NULL : declared_name(f, declared);

        if (!name)
                return merge_claim(m, dim, declared);
        merge_name(m, inferred, declared, name, axis);
        *dim = dim_resolve(f->dims, inferred);
        return true;
}

static void merge_shape(const struct merging *m, struct type *type, const struct type *declared)
{
        struct infer *f = m->f;
        struct contradiction c = {.axis = -1};
        struct type inferred = *type;

        if (type->rank != declared->rank) {
                c.whole_inferred = type_shape_text(f->arena, f->dims, type);
                c.whole_declared = type_shape_text(f->arena, f->dims, declared);
                c.inferred = arena_printf(f->arena, "rank %d", type->rank);
                c.declared = arena_printf(f->arena, "rank %d", declared->rank);
                conflict(m, &c);
                return;
        }
        struct dim *dims = arena_new_array(f->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++) {
                dims[d] = type->dim[d];
                if (merge_size(m, &dims[d], declared->dim[d], d) || c.axis >= 0)
                        continue;
                c.axis = d;
                c.inferred = dim_text(f->dims, dims[d]);
                c.declared = dim_text(f->dims, declared->dim[d]);
        }
        type->dim = dims;
        if (c.axis < 0)
                return;
        c.whole_inferred = type_shape_text(f->arena, f->dims, &inferred);
        c.whole_declared = type_shape_text(f->arena, f->dims, declared);
        conflict(m, &c);
}

/* -- types -- */

static const char *type_text(struct infer *f, const struct type *type)
{
        struct buf buf;

        buf_init(&buf, f->arena);
        return type_print(type, &buf) ? buf_text(&buf) : "unknown";
}

/* The innermost level that both tell, which is a tensor's or one that inference does not know. What is between is
   copied. */
static struct type *innermost(struct infer *f, struct type *type, const struct type **declared)
{
        while (type_within(type) && type_within(*declared)) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = *type->of;
                type->of = of;
                type = of;
                *declared = (*declared)->of;
                if (type->kind == TYPE_UNKNOWN)
                        break;
        }
        return type;
}

static void merge(const struct merging *m, struct type *type, const struct type *declared)
{
        struct infer *f = m->f;

        if (declared->kind == TYPE_UNKNOWN)
                return;
        if (!type_kinds_agree(type, declared)) {
                struct contradiction c = {
                        .axis = -1, .whole_inferred = type_text(f, type), .whole_declared = type_text(f, declared)};

                c.inferred = c.whole_inferred;
                c.declared = c.whole_declared;
                conflict(m, &c);
                return;
        }
        type = innermost(f, type, &declared);
        if (type->kind == TYPE_UNKNOWN) {
                *type = declare_close(f, declared, m->site);
                return;
        }
        if (type->elem == ELEM_UNDEFINED)
                type->elem = declared->elem;
        if (!type_has_shape(declared))
                return;
        if (type_has_shape(type)) {
                merge_shape(m, type, declared);
        } else if (!m->undecided) {
                struct type closed = declare_close(f, declared, m->site);

                type->rank = closed.rank;
                type->dim = closed.dim;
        }
}

void merge_declared(struct infer *f, struct value *value, const struct type *declared, const struct declare_site *site,
                    int64_t node_index)
{
        const struct merging m = {.f = f, .site = site, .node_index = node_index, .undecided = value->type.undecided};

        merge(&m, &value->type, declared);
}

/* -- the shown part of a declaration -- */

const struct declared_shape *merge_declared_shape(struct infer *f, const struct type *inferred,
                                                  const struct type *declared, const OnnxType *proto)
{
        const OnnxShape *shape =
                proto->value_case == SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE ? proto->tensor_type->shape : NULL;
        bool alike = type_has_shape(inferred) && inferred->rank == declared->rank;

        if (!shape || !type_has_shape(declared))
                return NULL;
        for (int d = 0; alike && d < declared->rank; d++)
                alike = dim_same(inferred->dim[d], declared->dim[d]);
        if (alike)
                return NULL;
        struct declared_shape *kept = arena_new_array(f->arena, struct declared_shape, 1);
        struct declared_dim *dims = arena_new_array(f->arena, struct declared_dim, (size_t)declared->rank);

        for (int d = 0; d < declared->rank; d++) {
                const OnnxDim *dim = shape->dim[d];
                bool is_named = dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                                dim->dim_param[0];

                dims[d] = (struct declared_dim){.size = declared->dim[d], .name = is_named ? dim->dim_param : NULL};
        }
        *kept = (struct declared_shape){.rank = declared->rank, .dim = dims};
        return kept;
}
