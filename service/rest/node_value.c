/* Types, shapes and contents of a node's inputs. */
#include <math.h>
#include <string.h>

#include "rest/node_read.h"

/* -- dimensions -- */

/* Notes which texts stand alone as dimensions. */
void collect_symbols(struct reader *r, json_t *inputs)
{
        const char *name;
        json_t *input, *dim;
        size_t i;

        json_object_foreach(inputs, name, input)
                json_array_foreach(json_object_get(input, "shape"), i, dim) if (json_is_string(dim))
                        str_intern(r->strings, json_string_value(dim), json_string_length(dim));
        r->n_alone = str_count(r->strings);
        r->alone = arena_zalloc(r->arena, r->n_alone * sizeof(*r->alone));
        json_object_foreach(inputs, name, input)
                json_array_foreach(json_object_get(input, "shape"), i, dim) if (json_is_string(dim))
                        r->alone[str_intern(r->strings, json_string_value(dim), json_string_length(dim))] = true;
}

static bool stands_alone(void *user, str_id name)
{
        struct reader *r = user;

        return name < r->n_alone && r->alone[name];
}

/* The name for as long as the request. */
static const char *name_kept(struct reader *r, const char *name)
{
        return str_text(r->strings, str_intern_z(r->strings, name));
}

/* One symbol's name, or an expression: as for a model when every name in it also stands alone. */
static struct dim dim_of_text(struct reader *r, const char *text, size_t length, const struct dim_origin *origin)
{
        return dim_read(r->dims, text, length, stands_alone, r, origin);
}

static enum ox_code read_dim(struct reader *r, const char *name, json_t *json, int axis, struct dim *ret)
{
        const struct dim_origin origin = {.value = name_kept(r, name), .axis = axis};
        const char *text;

        if (json_is_null(json)) {
                *ret = dim_fresh_input(r->dims, arena_printf(r->arena, "%s_%d", name, axis), &origin);
                return OX_OK;
        }
        if (json_is_integer(json)) {
                *ret = dim_int(json_integer_value(json));
        } else {
                TRY(read_text(r, name, json, &text));
                if (!text[0])
                        return read_fail(r, OX_INVALID_ARGUMENT, "input %.100s: axis %d is an empty text", name, axis);
                *ret = dim_of_text(r, text, json_string_length(json), &origin);
        }
        /* A text may say a number too. */
        if (dim_is_int(*ret) && ret->val < 0)
                return read_fail(r, OX_INVALID_ARGUMENT, "input %.100s: axis %d is %lld, a size is 0 or more", name,
                                 axis, (long long)ret->val);
        return OX_OK;
}

static enum ox_code read_shape(struct reader *r, const char *name, json_t *json, struct type *type)
{
        size_t rank = json_array_size(json);
        struct dim *dims;

        if (!json_is_array(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "input %.100s: shape is no list", name);
        if (rank > (size_t)r->limits->rank)
                return read_fail(r, OX_RESOURCE_EXHAUSTED, "input %.100s: rank %zu, the limit rank is %lld", name, rank,
                                 (long long)r->limits->rank);
        dims = arena_new_array(r->arena, struct dim, rank);
        for (size_t d = 0; d < rank; d++)
                TRY(read_dim(r, name, json_array_get(json, d), (int)d, &dims[d]));
        type->rank = (int)rank;
        type->dim = dims;
        return OX_OK;
}

/* -- contents -- */

static bool read_special(const char *text, double *ret)
{
        *ret = strcmp(text, "NaN") == 0         ? NAN
               : strcmp(text, "Infinity") == 0  ? INFINITY
               : strcmp(text, "-Infinity") == 0 ? -INFINITY
                                                : 0;
        return *ret != 0;
}

enum ox_code read_element_int(struct reader *r, const char *what, enum elem elem, json_t *json, int64_t *ret)
{
        int64_t least, most;

        if (!json_is_integer(json) && !json_is_boolean(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: content has an element that is no integer", what);
        *ret = json_is_true(json) ? 1 : json_integer_value(json);
        if (elem_int_range(elem, &least, &most) && (*ret < least || *ret > most))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: content has %lld, which is no %s", what, (long long)*ret,
                                 elem_name((int)elem));
        return OX_OK;
}

static enum ox_code read_scalar(struct reader *r, const char *name, const char *where, enum elem elem, json_t *json,
                                struct scalar *ret)
{
        const struct dim_origin origin = {.value = name_kept(r, name), .axis = -1};
        bool is_float = elem_is_float(elem);
        const char *text;
        double number;

        *ret = scalar_unknown();
        if (json_is_null(json))
                return OX_OK;
        if (is_float && json_is_number(json)) {
                *ret = scalar_float(float_round(elem, json_number_value(json)));
                return OX_OK;
        }
        if (!is_float && !json_is_string(json)) {
                int64_t value = 0;

                TRY(read_element_int(r, where, elem, json, &value));
                *ret = scalar_int(dim_int(value));
                return OX_OK;
        }
        if (!json_is_string(json))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: content has an element that is no number", where);
        TRY(read_text(r, name, json, &text));
        if (is_float && read_special(text, &number))
                *ret = scalar_float(number);
        else if (text[0])
                *ret = (struct scalar){.kind = is_float ? SCALAR_RATIO : SCALAR_INT,
                                       .d = dim_of_text(r, text, json_string_length(json), &origin),
                                       .den = 1};
        return OX_OK;
}

/* The number of elements that a shape in numbers has. */
static bool count_elements(const struct type *type, size_t *ret)
{
        int64_t count = 1;

        if (type->rank == RANK_UNKNOWN)
                return false;
        for (int d = 0; d < type->rank; d++)
                if (!dim_is_int(type->dim[d]) || __builtin_mul_overflow(count, type->dim[d].val, &count))
                        return false;
        *ret = (size_t)count;
        return true;
}

static enum ox_code read_content(struct reader *r, const char *name, json_t *json, struct value *value)
{
        size_t given = json_array_size(json), wanted;
        const char *where = arena_printf(r->arena, "input %.100s", name);
        struct scalar *at;

        if (!json_is_array(json) || value->type.kind != TYPE_TENSOR || value->type.elem == ELEM_UNDEFINED)
                return read_fail(r, OX_INVALID_ARGUMENT, "input %.100s: content is no list, or the type is no tensor",
                                 name);
        if (!count_elements(&value->type, &wanted) || given != wanted)
                return read_fail(r, OX_INVALID_ARGUMENT,
                                 "input %.100s: content has %zu elements, which is not what the shape says", name,
                                 given);
        if (given > (size_t)r->limits->content_elements)
                return read_fail(r, OX_RESOURCE_EXHAUSTED,
                                 "input %.100s: content has %zu elements, the limit content_elements is %lld", name,
                                 given, (long long)r->limits->content_elements);
        if (!elem_is_float(value->type.elem) && !elem_is_integer(value->type.elem) && value->type.elem != ELEM_BOOL)
                return OX_OK; /* texts and complex numbers decide no shape */
        value->content = content_new(r->arena, given, &at);
        for (size_t i = 0; i < given; i++)
                TRY(read_scalar(r, name, where, value->type.elem, json_array_get(json, i), &at[i]));
        return OX_OK;
}

/* -- values -- */

/* What the elements of a sequence or optional are: more than the type's name says. Types nest 16 deep at most. */
static enum ox_code read_element(struct reader *r, const char *name, json_t *json, struct type *type)
{
        struct type *of = arena_new_array(r->arena, struct type, 1);
        struct value element;

        if (type->kind != TYPE_SEQUENCE && type->kind != TYPE_OPTIONAL)
                return read_fail(r, OX_INVALID_ARGUMENT,
                                 "input %.100s: it has an element, and is no sequence or optional", name);
        TRY(read_value(r, name, json, &element));
        if (!type_kinds_agree(&element.type, type->of))
                return read_fail(r, OX_INVALID_ARGUMENT, "input %.100s: type and element contradict each other", name);
        *of = element.type.kind == TYPE_UNKNOWN ? *type->of : element.type;
        if (of->kind == TYPE_TENSOR && of->elem == ELEM_UNDEFINED)
                of->elem = type->of->elem;
        type->of = of;
        return OX_OK;
}

static enum ox_code read_length(struct reader *r, const char *name, json_t *json, struct value *value)
{
        if (value->type.kind != TYPE_SEQUENCE && value->type.kind != TYPE_OPTIONAL)
                return read_fail(r, OX_INVALID_ARGUMENT,
                                 "input %.100s: it has a length, and is no sequence or optional", name);
        value->has_length = true;
        return read_dim(r, name, json, -1, &value->length);
}

enum ox_code read_value(struct reader *r, const char *name, json_t *json, struct value *ret)
{
        static const char *const members[] = {"type", "shape", "content", "element", "length", NULL};
        const char *where = arena_printf(r->arena, "input %.100s", name), *type;
        json_t *shape = json_object_get(json, "shape"), *content = json_object_get(json, "content");
        json_t *element = json_object_get(json, "element"), *length = json_object_get(json, "length");

        *ret = (struct value){.type = type_unknown};
        TRY(read_members(r, where, json, members));
        TRY(read_text(r, where, json_object_get(json, "type"), &type));
        if (type[0] && !type_parse(r->arena, type, strlen(type), &ret->type))
                return read_fail(r, OX_INVALID_ARGUMENT, "%s: '%.100s' is no type", where, type);
        if (shape) {
                if (ret->type.kind == TYPE_UNKNOWN)
                        ret->type = type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
                if (ret->type.kind != TYPE_TENSOR && ret->type.kind != TYPE_SPARSE_TENSOR)
                        return read_fail(r, OX_INVALID_ARGUMENT, "%s: it has a shape, and is no tensor", where);
                TRY(read_shape(r, name, shape, &ret->type));
        }
        if (content)
                TRY(read_content(r, name, content, ret));
        if (element)
                TRY(read_element(r, name, element, &ret->type));
        return length ? read_length(r, name, length, ret) : OX_OK;
}
