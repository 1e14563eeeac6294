/* Attributes of a node: the given value, else the row's default. */
#include "ops/node/attr.h"

#include <assert.h>

#include "base/str.h"

#define ATTR_TYPE(Name, number, text) static_assert((int)HELD_##Name == (number), "by the same numbers");
#include "ops/table/attr_types.def"
#undef ATTR_TYPE

const struct model_attribute *attr_find(const struct node *n, const char *name)
{
        for (size_t a = 0; a < n->source->n_attribute; a++) {
                const struct model_attribute *attr = node_attribute(n->source, a);

                if (text_same(attr->name, name))
                        return attr;
        }
        return NULL;
}

bool attr_given(const struct node *n, const char *name)
{
        return attr_find(n, name);
}

/* The row's attribute if it has a default; NULL. */
static const struct op_attr *default_of(const struct node *n, const char *name)
{
        const struct op_attr *attr = n->row ? op_find_attr(n->row, name) : NULL;

        return attr && attr->has_default ? attr : NULL;
}

/* Sets one of both: the given attribute, else the row's default, and the other one to NULL. False if there is
   neither. */
static bool attr_either(const struct node *n, const char *name, const struct model_attribute **ret_given,
                        const struct op_attr **ret_default)
{
        *ret_given = attr_find(n, name);
        *ret_default = *ret_given ? NULL : default_of(n, name);
        return *ret_given || *ret_default;
}

bool attr_int(const struct node *n, const char *name, int64_t *ret)
{
        const struct model_attribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        *ret = given ? attribute_int(given) : otherwise->i;
        return true;
}

int64_t attr_int_or(const struct node *n, const char *name, int64_t otherwise)
{
        int64_t value;

        return attr_int(n, name, &value) ? value : otherwise;
}

enum elem attr_elem(const struct node *n, const char *name, enum elem otherwise)
{
        int64_t number;

        return attr_int(n, name, &number) && elem_is_valid(number) ? (enum elem)number : otherwise;
}

bool attr_float(const struct node *n, const char *name, double *ret)
{
        const struct model_attribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        *ret = given ? (double)attribute_float(given) : otherwise->f;
        return true;
}

bool attr_ints(const struct node *n, const char *name, const int64_t **ret, size_t *ret_count)
{
        const struct model_attribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        given = given ? attribute_value(given, HELD_INTS) : NULL;
        *ret = given ? given->ints : otherwise ? otherwise->ints : NULL;
        *ret_count = given ? given->count : otherwise ? otherwise->count : 0;
        return true;
}

bool attr_floats(const struct node *n, const char *name, const float **ret, size_t *ret_count)
{
        const struct model_attribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        given = given ? attribute_value(given, HELD_FLOATS) : NULL;
        *ret = given ? given->floats : otherwise ? otherwise->floats : NULL;
        *ret_count = given ? given->count : otherwise ? otherwise->count : 0;
        return true;
}

bool attr_string(const struct node *n, const char *name, const char **ret)
{
        const struct model_attribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        given = given ? attribute_value(given, HELD_STRING) : NULL;
        if (given)
                *ret = arena_strndup(n->arena, (const char *)given->bytes, given->count);
        else
                *ret = otherwise ? otherwise->s : "";
        return true;
}

/* The text is not copied, because it may be long and read often. */
bool attr_is(const struct node *n, const char *name, const char *wanted)
{
        const struct model_attribute *attr = attr_find(n, name);
        const struct op_attr *otherwise;
        size_t length = strlen(wanted);

        if (!attr)
                return (otherwise = default_of(n, name)) != NULL && text_same(otherwise->s, wanted);
        attr = attribute_value(attr, HELD_STRING);
        if (!attr)
                return length == 0;
        return attr->count == length && (length == 0 || memcmp(attr->bytes, wanted, length) == 0);
}

const struct model_tensor *attr_tensor(const struct node *n, const char *name)
{
        const struct model_attribute *attr = attr_find(n, name);

        return attr ? attribute_tensor(attr) : NULL;
}
