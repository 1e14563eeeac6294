/* Attributes of a node: the given value, else the row's default. */
#include "ops/node/attr.h"

#include <assert.h>

#include "base/str.h"

#define ATTR_TYPE(Name, number, text) static_assert((int)HELD_##Name == (number), "by the same numbers");
#include "ops/table/attr_types.def"
#undef ATTR_TYPE

/* Of a node that was not checked. */
static const struct model_attribute *find_by_name(const struct node *n, const char *name)
{
        for (size_t a = 0; a < n->source->n_attribute; a++)
                if (text_same(node_attribute(n->source, a)->name, name))
                        return node_attribute(n->source, a);
        return NULL;
}

/* The given attribute, else the row's default. NULL: it is not that; both: there is neither. */
struct found {
        const struct model_attribute *given;
        const struct op_attr *otherwise;
};

/* look_up() of a text that is not the row's own, or of a node that was not checked. */
static __attribute__((noinline)) struct found look_up_text(const struct node *n, const char *name)
{
        const struct op_attr *attr = n->row ? op_find_attr(n->row, name) : NULL;
        const size_t place = attr ? (size_t)(attr - n->row->attr) : 0;
        struct found found = {NULL, NULL};

        if (!n->has_given)
                found.given = find_by_name(n, name);
        else if (attr && n->given >> place & 1)
                found.given = node_attribute(n->source, n->given_at[place]);
        if (!found.given && attr && attr->has_default)
                found.otherwise = attr;
        return found;
}

/* Rules name attributes by literals, of which linkers keep one for the rows as well. */
static inline __attribute__((always_inline)) struct found look_up(const struct node *n, const char *name)
{
        const size_t count = n->has_given ? n->row->n_attr : 0;
        const struct op_attr *attr = count ? n->row->attr : NULL;

        for (size_t place = 0; place < count; place++, attr++) {
                if (attr->name != name)
                        continue;
                if (n->given >> place & 1)
                        return (struct found){node_attribute(n->source, n->given_at[place]), NULL};
                return (struct found){NULL, attr->has_default ? attr : NULL};
        }
        return look_up_text(n, name);
}

const struct model_attribute *attr_find(const struct node *n, const char *name)
{
        return look_up(n, name).given;
}

bool attr_given(const struct node *n, const char *name)
{
        return attr_find(n, name);
}

bool attr_int(const struct node *n, const char *name, int64_t *ret)
{
        const struct found found = look_up(n, name);

        if (!found.given && !found.otherwise)
                return false;
        *ret = found.given ? attribute_int(found.given) : found.otherwise->i;
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
        const struct found found = look_up(n, name);

        if (!found.given && !found.otherwise)
                return false;
        *ret = found.given ? (double)attribute_float(found.given) : found.otherwise->f;
        return true;
}

bool attr_ints(const struct node *n, const char *name, const int64_t **ret, size_t *ret_count)
{
        const struct found found = look_up(n, name);

        if (found.given) {
                const struct model_attribute *list = attribute_value(found.given, HELD_INTS);

                *ret = list ? list->ints : NULL;
                *ret_count = list ? list->count : 0;
        } else if (found.otherwise) {
                *ret = found.otherwise->ints;
                *ret_count = found.otherwise->count;
        }
        return found.given || found.otherwise;
}

bool attr_floats(const struct node *n, const char *name, const float **ret, size_t *ret_count)
{
        const struct found found = look_up(n, name);

        if (found.given) {
                const struct model_attribute *list = attribute_value(found.given, HELD_FLOATS);

                *ret = list ? list->floats : NULL;
                *ret_count = list ? list->count : 0;
        } else if (found.otherwise) {
                *ret = found.otherwise->floats;
                *ret_count = found.otherwise->count;
        }
        return found.given || found.otherwise;
}

bool attr_string(const struct node *n, const char *name, const char **ret)
{
        const struct found found = look_up(n, name);

        if (found.given) {
                const struct model_attribute *text = attribute_value(found.given, HELD_STRING);

                *ret = text ? arena_strndup(n->arena, (const char *)text->bytes, text->count) : "";
        } else if (found.otherwise) {
                *ret = found.otherwise->s;
        }
        return found.given || found.otherwise;
}

/* The text is not copied, because it may be long and read often. */
bool attr_is(const struct node *n, const char *name, const char *wanted)
{
        const struct found found = look_up(n, name);

        if (!found.given)
                return found.otherwise && text_same(found.otherwise->s, wanted);
        const struct model_attribute *text = attribute_value(found.given, HELD_STRING);
        const size_t length = strlen(wanted);

        return text ? text->count == length && (length == 0 || memcmp(text->bytes, wanted, length) == 0) : length == 0;
}

const struct model_tensor *attr_tensor(const struct node *n, const char *name)
{
        const struct model_attribute *attr = attr_find(n, name);

        return attr ? attribute_tensor(attr) : NULL;
}
