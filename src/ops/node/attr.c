/* Attributes of a node: the given value, else the row's default. */
#include "ops/node/attr.h"

#include "base/str.h"

const OnnxAttribute *attr_find(const struct node *n, const char *name)
{
        for (size_t a = 0; a < n->source->n_attribute; a++) {
                const OnnxAttribute *attr = node_attribute(n->source, a);

                if (attr->name && text_same(attr->name, name))
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
static bool attr_either(const struct node *n, const char *name, const OnnxAttribute **ret_given,
                        const struct op_attr **ret_default)
{
        *ret_given = attr_find(n, name);
        *ret_default = *ret_given ? NULL : default_of(n, name);
        return *ret_given || *ret_default;
}

bool attr_int(const struct node *n, const char *name, int64_t *ret)
{
        const OnnxAttribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        /* proto3 writers omit a zero; the check of the node made sure that the type is INT. */
        *ret = !given ? otherwise->i : given->has_i ? given->i : 0;
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
        const OnnxAttribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        *ret = !given ? otherwise->f : given->has_f ? (double)given->f : 0.0;
        return true;
}

bool attr_ints(const struct node *n, const char *name, const int64_t **ret, size_t *ret_count)
{
        const OnnxAttribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        *ret = given ? given->ints : otherwise->ints;
        *ret_count = given ? given->n_ints : otherwise->count;
        return true;
}

bool attr_floats(const struct node *n, const char *name, const float **ret, size_t *ret_count)
{
        const OnnxAttribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        *ret = given ? given->floats : otherwise->floats;
        *ret_count = given ? given->n_floats : otherwise->count;
        return true;
}

bool attr_string(const struct node *n, const char *name, const char **ret)
{
        const OnnxAttribute *given;
        const struct op_attr *otherwise;

        if (!attr_either(n, name, &given, &otherwise))
                return false;
        if (given)
                *ret = given->has_s ? arena_strndup(n->arena, (const char *)given->s.data, given->s.len) : "";
        else
                *ret = otherwise->s;
        return true;
}

/* The text is not copied, because it may be long and read often. */
bool attr_is(const struct node *n, const char *name, const char *wanted)
{
        const OnnxAttribute *attr = attr_find(n, name);
        const struct op_attr *otherwise;
        size_t length = strlen(wanted);

        if (!attr)
                return (otherwise = default_of(n, name)) != NULL && text_same(otherwise->s, wanted);
        if (!attr->has_s)
                return length == 0;
        return attr->s.len == length && (length == 0 || memcmp(attr->s.data, wanted, length) == 0);
}

const struct model_tensor *attr_tensor(const struct node *n, const char *name)
{
        const OnnxAttribute *attr = attr_find(n, name);

        return attr && attr->t ? model_tensor_of(n->arena, attr->t) : NULL;
}
