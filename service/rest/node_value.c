/* Types, shapes and contents of a node's inputs and attributes. */
#include <string.h>

#include "rest/node_read.h"

enum { VALUE_TYPE, VALUE_SHAPE, VALUE_CONTENT, VALUE_ELEMENT, VALUE_ELEMENTS, VALUE_LENGTH, VALUE_MEMBERS };

/* `axis` -1: a length. */
static enum ox_code read_size(struct builder *b, struct build_subject subject, const struct json *json, int axis,
                              struct ox_dim *ret)
{
        *ret = (struct ox_dim){.text = json->kind == JSON_IS_TEXT ? json->text : NULL};
        if (json->kind == JSON_IS_NULL)
                ret->text = "";
        else if (json->kind == JSON_IS_INTEGER)
                ret->value = json->i;
        else if (json->kind != JSON_IS_TEXT && axis < 0)
                return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                  "the length must be an integer, a string or null, got %s", json_describe(b, json));
        else if (json->kind != JSON_IS_TEXT)
                return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                  "axis %d must be an integer, a string or null, got %s", axis, json_describe(b, json));
        return OX_OK;
}

static enum ox_code read_shape(struct builder *b, struct build_subject subject, const struct json *json,
                               const struct ox_shape **ret)
{
        struct ox_shape *shape = arena_new_array(b->arena, struct ox_shape, 1);
        struct ox_dim *dims;
        int axis = 0;

        if (json->kind != JSON_IS_LIST)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "shape must be a list, got %s",
                                  json_describe(b, json));
        dims = arena_new_array(b->arena, struct ox_dim, json->count);
        for (const struct json *size = json->first; size; size = size->next, axis++)
                TRY(read_size(b, subject, size, axis, &dims[axis]));
        *shape = (struct ox_shape){.rank = json->count, .dims = dims};
        *ret = shape;
        return OX_OK;
}

static enum ox_code read_length(struct builder *b, struct build_subject subject, const struct json *json,
                                const struct ox_dim **ret)
{
        struct ox_dim *length = arena_new_array(b->arena, struct ox_dim, 1);

        *ret = length;
        return read_size(b, subject, json, -1, length);
}

/* -- contents -- */

static bool read_element(const struct json *json, struct ox_element *ret)
{
        *ret = (struct ox_element){.kind = OX_ELEMENT_UNKNOWN};
        switch (json->kind) {
        case JSON_IS_NULL:
                return true;
        case JSON_IS_BOOL:
        case JSON_IS_INTEGER:
                ret->kind = OX_ELEMENT_INT;
                ret->i = json->i;
                return true;
        case JSON_IS_REAL:
                ret->kind = OX_ELEMENT_FLOAT;
                ret->f = json->f;
                return true;
        case JSON_IS_TEXT:
                ret->kind = OX_ELEMENT_TEXT;
                ret->text = json->text;
                return true;
        default:
                return false;
        }
}

/* Whether a type's elements are floats, for which true and false are not values. */
static bool is_float_type(struct builder *b, const char *text)
{
        struct type type;

        return type_parse(b->arena, text, strlen(text), &type) && type_is_tensor(&type) && elem_is_float(type.elem);
}

static enum ox_code read_content(struct builder *b, struct build_subject subject, const struct json *json, size_t most,
                                 struct ox_value *ret)
{
        static const struct ox_element unread = {.kind = OX_ELEMENT_UNKNOWN};
        struct ox_element *elements;
        bool is_of_truths = false;
        size_t i = 0;

        if (json->kind != JSON_IS_LIST)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "content must be a list, got %s",
                                  json_describe(b, json));
        ret->n_content = json->count;
        ret->content = &unread;
        if (json->count > most)
                return OX_OK;
        ret->content = elements = arena_new_array(b->arena, struct ox_element, json->count);
        for (const struct json *element = json->first; element; element = element->next, i++) {
                is_of_truths = is_of_truths || element->kind == JSON_IS_BOOL;
                if (!read_element(element, &elements[i]))
                        return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                          "element %zu of content must be a number, a string or null, got %s", i,
                                          json_describe(b, element));
        }
        if (is_of_truths && is_float_type(b, ret->type))
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "true and false cannot be elements of %.60s",
                                  ret->type);
        return OX_OK;
}

/* -- values -- */

/* The value to which the elements of a sequence belong. */
struct place {
        struct builder *b;
        struct build_subject subject;
        size_t most;
        int depth;
};

static enum ox_code read_at(const struct place *place, const struct json *json, struct ox_value *ret);

static enum ox_code read_within(const struct place *place, const struct json *json, struct ox_value *ret)
{
        const struct place within = {place->b, place->subject, place->most, place->depth + 1};

        if (within.depth == TYPE_DEPTH)
                return build_fail(place->b, OX_INVALID_ARGUMENT, place->subject,
                                  "its elements nest deeper than %d levels", TYPE_DEPTH);
        return read_at(&within, json, ret);
}

static enum ox_code read_elements(const struct place *place, const struct json *json, struct ox_value *ret)
{
        struct ox_value *elements;
        size_t i = 0;

        if (json->kind != JSON_IS_LIST)
                return build_fail(place->b, OX_INVALID_ARGUMENT, place->subject, "elements must be a list, got %s",
                                  json_describe(place->b, json));
        ret->elements = elements = arena_new_array(place->b->arena, struct ox_value, json->count);
        ret->n_elements = json->count;
        for (const struct json *element = json->first; element; element = element->next)
                TRY(read_within(place, element, &elements[i++]));
        return OX_OK;
}

static enum ox_code read_at(const struct place *place, const struct json *json, struct ox_value *ret)
{
        static const char *const names[] = {"type", "shape", "content", "element", "elements", "length", NULL};
        const struct json *member[VALUE_MEMBERS];
        struct build_subject subject = place->subject;
        struct builder *b = place->b;
        struct ox_value *element;

        *ret = (struct ox_value){.type = ""};
        TRY(read_members(b, subject, json, names, member));
        if (member[VALUE_TYPE] && member[VALUE_TYPE]->kind != JSON_IS_TEXT)
                return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                  "type must be a string such as \"tensor(float)\", got %s",
                                  json_describe(b, member[VALUE_TYPE]));
        TRY(read_text(b, subject, member[VALUE_TYPE], &ret->type));
        if (member[VALUE_SHAPE])
                TRY(read_shape(b, subject, member[VALUE_SHAPE], &ret->shape));
        if (member[VALUE_CONTENT])
                TRY(read_content(b, subject, member[VALUE_CONTENT], place->most, ret));
        if (member[VALUE_ELEMENT]) {
                ret->element = element = arena_new_array(b->arena, struct ox_value, 1);
                TRY(read_within(place, member[VALUE_ELEMENT], element));
        }
        if (member[VALUE_ELEMENTS])
                TRY(read_elements(place, member[VALUE_ELEMENTS], ret));
        return member[VALUE_LENGTH] ? read_length(b, subject, member[VALUE_LENGTH], &ret->length) : OX_OK;
}

enum ox_code read_value(struct builder *b, struct build_subject subject, const struct json *json, size_t most,
                        struct ox_value *ret)
{
        const struct place place = {b, subject, most, 0};

        return read_at(&place, json, ret);
}
