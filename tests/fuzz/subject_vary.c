/* Changes of a subject: as a model might differ, and by knowing less. */
#include <math.h>
#include <string.h>

#include "subject.h"

static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 1, 2, 3, INT32_MAX, INT64_MAX};

/* -- changes -- */

static struct dim *copy_dims(struct subject *s, const struct type *type, int room)
{
        struct dim *dims = arena_new_array(s->arena, struct dim, (size_t)(type->rank + room));

        for (int d = 0; d < type->rank; d++)
                dims[d] = type->dim[d];
        return dims;
}

static void vary_shape(struct subject *s, struct value *value)
{
        struct type *type = &value->type;
        struct dim *dims;

        if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN)
                return;
        dims = copy_dims(s, type, 1);
        value->content = NULL;
        switch (draw_below(&s->draw, 4)) {
        case 0:
                dims[type->rank++] = dim_int(DRAW_FROM(&s->draw, sizes));
                break;
        case 1:
                if (type->rank > 0)
                        type->rank--;
                break;
        default:
                if (type->rank > 0)
                        dims[draw_below(&s->draw, (size_t)type->rank)] = dim_int(DRAW_FROM(&s->draw, sizes));
                break;
        }
        type->dim = dims;
}

static struct content *content_copy(struct subject *s, const struct content *content)
{
        struct content *copy = content_new(s->arena, content->count);

        for (size_t i = 0; i < content->count; i++)
                content_set(copy, i, content_at(content, i));
        return copy;
}

static void vary_content(struct subject *s, struct value *value)
{
        static const int64_t elements[] = {0, 1, -1, 2, 3, -2, 4, 5, -5, 7, INT32_MAX, INT64_MAX, INT64_MIN};
        const struct content *content = content_read(value->content);
        int64_t element = DRAW_FROM(&s->draw, elements);

        if (content == NULL || content->count == 0)
                return;
        struct content *copy = content_copy(s, content);

        content_set(copy, draw_below(&s->draw, content->count),
                    elem_is_float(value->type.elem) ? scalar_float(float_round(value->type.elem, (double)element / 2))
                                                    : scalar_int(dim_int(element)));
        value->content = copy;
}

static void vary_input(struct subject *s)
{
        size_t i = draw_below(&s->draw, s->n_in);
        struct value *value = &s->ground[i];

        switch (draw_below(&s->draw, 8)) {
        case 0: /* left out */
                s->proto->input[i] = arena_strndup(s->arena, "", 0);
                break;
        case 1:
                if (type_is_tensor(&value->type)) {
                        value->type.elem = (enum elem)draw_below(&s->draw, ELEM_COUNT);
                        value->content = NULL;
                }
                break;
        case 2: /* one more of the same */
                if (s->n_in < SUBJECT_INPUTS && s->proto->n_input == s->n_in) {
                        char **names = arena_new_array(s->arena, char *, s->n_in + 1);

                        memcpy(names, s->proto->input, s->n_in * sizeof(*names));
                        names[s->n_in] = arena_printf(s->arena, "x%zu", s->n_in);
                        s->ground[s->n_in] = *value;
                        s->proto->input = names;
                        s->proto->n_input = ++s->n_in;
                }
                break;
        case 3:
        case 4:
                vary_content(s, value);
                break;
        default:
                vary_shape(s, value);
                break;
        }
}

static void vary_attribute(struct subject *s)
{
        static const int64_t ints[] = {0, 1, -1, 2, 3, -2, 4, 7, 64, INT32_MAX, INT64_MAX, INT64_MIN};
        OnnxNode *proto = s->proto;

        if (proto->n_attribute == 0)
                return;
        size_t i = draw_below(&s->draw, proto->n_attribute);
        OnnxAttribute *a = proto->attribute[i];

        if (draw_once_in(&s->draw, 4))
                proto->attribute[i] = proto->attribute[--proto->n_attribute];
        else if (a->type == ATTR_INT)
                a->i = DRAW_FROM(&s->draw, ints);
        else if (a->type == ATTR_INTS && a->n_ints > 0)
                a->ints[draw_below(&s->draw, a->n_ints)] = DRAW_FROM(&s->draw, ints);
        else if (a->type == ATTR_INTS || a->type == ATTR_FLOATS)
                a->n_ints = a->n_floats = 0;
        else if (a->type == ATTR_FLOAT)
                a->f = (float)DRAW_FROM(&s->draw, ints) / 2;
}

void subject_vary(struct subject *s)
{
        size_t changes = draw_below(&s->draw, 5);

        for (size_t i = 1; i < changes; i++) {
                if (s->n_in > 0 && !draw_once_in(&s->draw, 4))
                        vary_input(s);
                else
                        vary_attribute(s);
        }
        if (draw_once_in(&s->draw, 8))
                s->opset = (int64_t)draw_below(&s->draw, 30);
}

/* -- knowing less -- */

/* A symbol that stands for `d`: a new one, or one that does so already. */
static struct dim symbol_for(struct subject *s, struct dim d)
{
        struct dim_origin origin = {.axis = -1};
        uint32_t number;

        if (s->made > 0 && !draw_once_in(&s->draw, 3)) {
                for (uint32_t i = 0; i < dim_symbol_count(s->dims); i++)
                        if (s->is_made[i] && dim_same(s->stands_for[i], d))
                                return dim_named(s->dims, dim_symbol_at(s->dims, i)->name, &origin, true);
        }
        if (dim_symbol_count(s->dims) >= SUBJECT_SYMBOLS - 1)
                return d;
        const char *name = arena_printf(s->arena, draw_once_in(&s->draw, 16) ? "w %u" : "w%u", s->made++);
        struct dim symbol = dim_named(s->dims, str_intern_z(s->strings, name), &origin, true);

        if (dim_as_symbol(s->dims, symbol, &number)) {
                s->is_made[number] = true;
                s->stands_for[number] = d;
        }
        return symbol;
}

/* An expression that stands for `d`, by the table's arithmetic. */
static struct dim expression_for(struct subject *s, struct dim d)
{
        struct dim_table *t = s->dims;
        int64_t k = 1 + (int64_t)draw_below(&s->draw, 4);

        switch (draw_below(&s->draw, 10)) {
        case 0:
                return dim_add(t, symbol_for(s, dim_sub(t, d, dim_int(k))), dim_int(k));
        case 1:
                return dim_sub(t, symbol_for(s, dim_add(t, d, dim_int(k))), dim_int(k));
        case 2: /* k * symbol + rest */
                if (dim_is_int(d))
                        return dim_add(t, dim_mul(t, symbol_for(s, dim_floordiv(t, d, dim_int(k))), dim_int(k)),
                                       dim_mod(t, d, dim_int(k)));
                return symbol_for(s, d);
        case 3:
                return dim_floordiv(t, symbol_for(s, dim_add(t, dim_mul(t, d, dim_int(k)), dim_int(k / 2))),
                                    dim_int(k));
        case 4: /* symbol + symbol, both half */
                return dim_add(t, symbol_for(s, dim_floordiv(t, d, dim_int(2))),
                               symbol_for(s, dim_ceildiv(t, d, dim_int(2))));
        case 5:
                return dim_max(t, symbol_for(s, d), dim_int(0));
        case 6:
                return dim_sub(t, dim_int(8), symbol_for(s, dim_sub(t, dim_int(8), d)));
        default:
                return symbol_for(s, d);
        }
}

static bool is_named(const struct dim_symbol *symbol)
{
        return !symbol->anonymous;
}

/* Where numbers overflow there is none, nor for what differs from element to element of a sequence. */
static struct dim weaken_number(struct subject *s, struct dim d)
{
        dim_take_faults(s->dims);
        if (!dim_all_symbols(s->dims, d, is_named))
                return d;
        struct dim ret = expression_for(s, d);

        return dim_take_faults(s->dims) == DIM_FAULT_NONE ? ret : d;
}

static struct type weaken_type(struct subject *s, const struct type *type)
{
        struct type ret = *type;
        size_t choice = draw_below(&s->draw, 16);

        if (choice == 0)
                return type_unknown;
        if (type_within(type) != NULL && type->kind != TYPE_MAP) {
                struct type *of = arena_new_zero(s->arena, struct type);

                *of = weaken_type(s, type->of);
                ret.of = of;
        }
        if (choice == 1 && type_is_tensor(type))
                ret.elem = ELEM_UNDEFINED;
        if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN || choice > 13)
                return ret;
        if (choice == 2) {
                ret.rank = RANK_UNKNOWN;
                ret.dim = NULL;
                return ret;
        }
        struct dim *dims = copy_dims(s, type, 0);

        for (int d = 0; d < type->rank; d++)
                if (draw_below(&s->draw, 2) == 0)
                        dims[d] = weaken_number(s, type->dim[d]);
        ret.dim = dims;
        return ret;
}

static const struct content *weaken_content(struct subject *s, const struct content *content)
{
        size_t mode = draw_below(&s->draw, 4);

        if (content == NULL || mode == 0)
                return NULL;
        struct content *copy = content_copy(s, content);

        for (size_t i = 0; i < content->count && mode > 1; i++) {
                size_t choice = draw_below(&s->draw, 6);
                struct scalar element = content_at(copy, i);

                if (choice == 0)
                        content_set(copy, i, scalar_unknown());
                else if (choice < 4 && element.kind == SCALAR_INT)
                        content_set(copy, i, scalar_int(weaken_number(s, element.d)));
        }
        return copy;
}

static void weaken_value(struct subject *s, struct value *value)
{
        const struct content *content = content_read(value->content);
        struct members members = *value_members(value);

        if (draw_once_in(&s->draw, 4))
                return;
        if (content != NULL && !draw_once_in(&s->draw, 6)) {
                value->content = weaken_content(s, content);
                return;
        }
        /* Contents go with sizes in numbers. */
        value->content = NULL;
        value->type = weaken_type(s, &value->type);
        if (value->type.kind != TYPE_SEQUENCE && value->type.kind != TYPE_OPTIONAL) {
                members.has_length = false;
                members.elements = NULL;
        }
        if (draw_below(&s->draw, 2) == 0)
                members.elements = NULL;
        if (members.has_length && members.elements == NULL && draw_below(&s->draw, 2) == 0)
                members.length = weaken_number(s, members.length);
        else if (members.has_length && draw_below(&s->draw, 4) == 0) {
                members.has_length = false;
                members.elements = NULL;
        }
        value_hold(s->arena, value, &members);
}

void subject_weaken(struct subject *s)
{
        for (size_t i = 0; i < s->n_in; i++) {
                s->weak[i] = s->ground[i];
                weaken_value(s, &s->weak[i]);
        }
}

/* -- numbers for symbols -- */

bool assignment_look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const struct assignment *assignment = user;

        if (symbol >= assignment->count)
                return false;
        *ret = assignment->value[symbol];
        return true;
}

bool subject_assign(struct subject *s, bool natural, struct assignment *ret)
{
        static const int64_t values[] = {0, 1, 2, 3, 7, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 100};
        struct assignment base;

        ret->count = base.count = dim_symbol_count(s->dims);
        if (ret->count > SUBJECT_SYMBOLS)
                return false;
        for (uint32_t i = 0; i < ret->count; i++)
                base.value[i] = DRAW_FROM(&s->draw, values);
        *ret = base;
        for (uint32_t i = 0; natural && i < ret->count; i++)
                if (s->is_made[i] && (!dim_eval(s->dims, s->stands_for[i], assignment_look_up, &base, &ret->value[i]) ||
                                      ret->value[i] < 0))
                        return false;
        return true;
}

static bool concrete_dims(struct subject *s, struct type *type, struct assignment *a)
{
        struct dim *dims;
        int64_t size;

        if (type_within(type) != NULL) {
                struct type *of = arena_new_zero(s->arena, struct type);

                *of = *type->of;
                type->of = of;
                return concrete_dims(s, of, a);
        }
        if (!type_is_tensor(type) || type->rank <= 0)
                return true;
        dims = copy_dims(s, type, 0);
        for (int d = 0; d < type->rank; d++) {
                if (!dim_all_symbols(s->dims, dims[d], is_named))
                        continue;
                if (!dim_eval(s->dims, dims[d], assignment_look_up, a, &size) || size < 0)
                        return false;
                dims[d] = dim_int(size);
        }
        type->dim = dims;
        return true;
}

static bool concrete_scalar(struct subject *s, enum elem elem, struct scalar *scalar, struct assignment *a)
{
        int64_t lower, upper, number;

        if (scalar->kind != SCALAR_INT && scalar->kind != SCALAR_RATIO)
                return true;
        if (!dim_eval(s->dims, scalar->d, assignment_look_up, a, &number))
                return false;
        if (scalar->kind == SCALAR_RATIO) {
                *scalar = scalar_float(float_round(elem, (double)number / (double)scalar->den));
                return true;
        }
        *scalar = scalar_int(dim_int(number));
        return !elem_int_range(elem, &lower, &upper) || (number >= lower && number <= upper);
}

/* Whether an element of a sequence may have a size other than what the sequence's type says of all. */
static bool contradicts(const struct type *all, const struct type *element)
{
        while (type_within(all) != NULL && type_within(element) != NULL) {
                all = all->of;
                element = element->of;
        }
        if (!type_has_shape(all) || !type_has_shape(element) || all->rank != element->rank)
                return false;
        for (int d = 0; d < all->rank; d++)
                if (dim_is_int(all->dim[d]) && !dim_same(all->dim[d], element->dim[d]))
                        return true;
        return false;
}

static bool concrete_value(struct subject *s, struct value *value, struct assignment *a)
{
        const struct content *content = content_read(value->content);
        struct members members = *value_members(value);

        if (!concrete_dims(s, &value->type, a))
                return false;
        if (members.has_length) {
                if (!dim_eval(s->dims, members.length, assignment_look_up, a, &members.length.val) ||
                    members.length.val < 0)
                        return false;
                members.length.expr = 0;
        }
        if (members.elements != NULL) {
                struct elements *elements = elements_new(s->arena, (size_t)members.length.val);

                for (int64_t i = 0; i < members.length.val; i++) {
                        struct type *type = arena_new_zero(s->arena, struct type);

                        *type = *members.elements->at[i];
                        if (!concrete_dims(s, type, a) ||
                            (type_within(&value->type) && contradicts(value->type.of, type)))
                                return false;
                        elements_add(s->arena, elements, (size_t)i, type);
                }
                members.elements = elements;
        }
        value_hold(s->arena, value, &members);
        if (content == NULL)
                return true;
        struct content *copy = content_new(s->arena, content->count);

        for (size_t i = 0; i < content->count; i++) {
                struct scalar element = content_at(content, i);

                if (!concrete_scalar(s, value->type.elem, &element, a))
                        return false;
                content_set(copy, i, element);
        }
        value->content = copy;
        return true;
}

bool subject_concrete(struct subject *s, const struct value *from, const struct assignment *assignment,
                      struct value *ret)
{
        struct assignment a = *assignment;

        for (size_t i = 0; i < s->n_in; i++) {
                ret[i] = from[i];
                if (!concrete_value(s, &ret[i], &a))
                        return false;
        }
        return true;
}
