#include "ops/node/allowed.h"

#include "base/buf.h"
#include "base/nearest.h"
#include "base/str.h"
#include "ops/table/allowed.h"
#include "value/elem.h"

#define SHOWN_BYTES 40 /* of a text that a message repeats */

/* One value to check against the row: an element of a list, or the whole attribute (index -1). */
struct held {
        struct node *n;
        const struct op_attr *attr;
        const struct op_allowed *allowed;
        int64_t index;
        bool check_types;
};

/* -- sentences: "mode must be one of linear, nearest, cubic, got 'foo'" -- */

static void begin(struct buf *buf, const struct held *h)
{
        buf_init(buf, h->n->arena);
        buf_puts(buf, h->attr->name);
        if (h->index >= 0)
                buf_printf(buf, "[%lld]", (long long)h->index);
        buf_puts(buf, " must be ");
}

/* "one of float, double" */
static void put_elems(struct buf *buf, uint64_t elems)
{
        bool first = true;

        buf_puts(buf, "the number of one of the element types ");
        for (int elem = 1; elem < 64; elem++) {
                if (!(elems >> elem & 1))
                        continue;
                buf_printf(buf, "%s%s", first ? "" : ", ", elem_name(elem));
                first = false;
        }
}

static enum ox_code refuse(const struct held *h, struct buf *message)
{
        if (!h->allowed->warns)
                return node_error(h->n, REASON_ATTRIBUTE_VALUE, -1, "%s", buf_text(message));
        node_warn(h->n, REASON_ATTRIBUTE_VALUE, -1, "%s", buf_text(message));
        return OX_OK;
}

/* -- one value: true if it is refused, with the outcome in *ret -- */

static bool is_int_allowed(const struct held *h, int64_t value)
{
        const struct op_allowed *allowed = h->allowed;

        if (allowed->variable)
                return (value >= 0 && value < 64 && (allowed->elems >> value & 1)) ||
                       (!h->check_types && elem_is_valid(value));
        for (size_t i = 0; i < allowed->count; i++)
                if (allowed->ints[i] == value)
                        return true;
        return allowed->count == 0 && value >= allowed->least && value <= allowed->most;
}

static bool refuse_int(const struct held *h, int64_t value, enum ox_code *ret)
{
        const struct op_allowed *allowed = h->allowed;
        struct buf message;

        if (is_int_allowed(h, value))
                return false;
        begin(&message, h);
        if (allowed->variable && !h->check_types)
                buf_puts(&message, "the number of an element type");
        else if (allowed->variable)
                put_elems(&message, allowed->elems);
        else
                op_allowed_print(&message, h->attr);
        buf_printf(&message, ", got %lld", (long long)value);
        if (allowed->variable && elem_is_valid(value))
                buf_printf(&message, " (%s)", elem_name((int)value));
        *ret = refuse(h, &message);
        return true;
}

static bool is_float_allowed(const struct op_allowed *allowed, double value)
{
        for (size_t i = 0; i < allowed->count; i++)
                if ((double)allowed->floats[i] == value)
                        return true;
        return allowed->count == 0 && value >= allowed->f_least && value <= allowed->f_most;
}

static bool refuse_float(const struct held *h, double value, enum ox_code *ret)
{
        struct buf message;

        if (is_float_allowed(h->allowed, value))
                return false;
        begin(&message, h);
        op_allowed_print(&message, h->attr);
        buf_printf(&message, ", got %g", value);
        *ret = refuse(h, &message);
        return true;
}

/* The start of a text that fits into a message, cut between characters. */
static size_t shown_length(const char *text, size_t length)
{
        if (length <= SHOWN_BYTES)
                return length;
        for (length = SHOWN_BYTES; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
                length--;
        return length;
}

static void put_got_text(struct buf *message, const char *text, size_t length)
{
        size_t shown = shown_length(text, length);

        if (!utf8_is_clean(text, shown))
                buf_printf(message, ", got %zu bytes that are not a string", length);
        else
                buf_printf(message, ", got '%.*s%s'", (int)shown, text, shown < length ? "..." : "");
}

static bool is_text_allowed(const struct op_allowed *allowed, const char *text, size_t length)
{
        for (size_t i = 0; i < allowed->spelled; i++)
                if (strlen(allowed->words[i]) == length && memcmp(allowed->words[i], text, length) == 0)
                        return true;
        return allowed->spelled == 0;
}

static bool refuse_text(const struct held *h, const char *text, size_t length, enum ox_code *ret)
{
        const struct op_allowed *allowed = h->allowed;
        struct nearest near;
        struct buf message;

        if (is_text_allowed(allowed, text, length))
                return false;
        nearest_begin(&near, text, length);
        for (size_t i = 0; i < allowed->count; i++)
                nearest_try(&near, allowed->words[i]);
        begin(&message, h);
        op_allowed_print(&message, h->attr);
        put_got_text(&message, text, length);
        if (near.best)
                buf_printf(&message, "; did you mean %s?", near.best);
        *ret = refuse(h, &message);
        return true;
}

/* -- the attribute -- */

static bool is_list(enum attr_type type)
{
        return (type >= ATTR_FLOATS && type <= ATTR_GRAPHS) || type == ATTR_SPARSE_TENSORS || type == ATTR_TYPE_PROTOS;
}

static size_t count_elements(const struct model_attribute *given, enum attr_type type)
{
        return is_list(type) ? attribute_count(given, (enum attribute_held)type) : 1;
}

static enum ox_code check_count(struct node *n, const struct op_attr *attr, size_t count)
{
        size_t least = attr->allowed->min_count, most = attr->allowed->max_count;
        size_t wanted = count < least ? least : most;

        if (count >= least && count <= most)
                return OX_OK;
        return node_error(n, REASON_ATTRIBUTE_LENGTH, -1, "%s must have %s%zu element%s, got %zu", attr->name,
                          least == most   ? ""
                          : count < least ? "at least "
                                          : "at most ",
                          wanted, wanted == 1 ? "" : "s", count);
}

static bool refuse_string(const struct held *h, const struct model_attribute *given, enum ox_code *ret)
{
        const struct model_attribute *value = attribute_value(given, HELD_STRING);
        const size_t length = value ? value->count : 0;

        return refuse_text(h, length > 0 ? (const char *)value->bytes : "", length, ret);
}

/* Element `i` of a list, or (0) the value itself. */
static bool refuse_element(const struct held *h, const struct model_attribute *given, size_t i, enum ox_code *ret)
{
        const struct model_attribute *list = attribute_value(given, (enum attribute_held)h->attr->type);

        switch (h->attr->type) {
        case ATTR_INT:
                return refuse_int(h, attribute_int(given), ret);
        case ATTR_INTS:
                return refuse_int(h, list->ints[i], ret);
        case ATTR_FLOAT:
                return refuse_float(h, (double)attribute_float(given), ret);
        case ATTR_FLOATS:
                return refuse_float(h, (double)list->floats[i], ret);
        case ATTR_STRING:
                return refuse_string(h, given, ret);
        case ATTR_STRINGS:
                return refuse_text(h, list->strings[i].len > 0 ? (const char *)list->strings[i].data : "",
                                   list->strings[i].len, ret);
        default:
                return false;
        }
}

/* Whether integers, as the attributes of most windows are, have nothing but a range to keep to, and keep to it: one
   alone, or a list. */
static bool are_within(const struct model_attribute *given, const struct op_allowed *allowed)
{
        const int64_t *ints = given->held == HELD_INT ? &given->i : given->ints;
        const size_t count = given->held == HELD_INT ? 1 : given->count;

        if (allowed->variable || allowed->count > 0 || count < allowed->min_count || count > allowed->max_count)
                return false;
        for (size_t i = 0; i < count; i++)
                if (ints[i] < allowed->least || ints[i] > allowed->most)
                        return false;
        return true;
}

enum ox_code attr_check_allowed(struct node *n, const struct model_attribute *given, const struct op_attr *attr,
                                bool check_types)
{
        if (!attr->allowed)
                return OX_OK;
        if ((int)given->held == (int)attr->type && (given->held == HELD_INTS || given->held == HELD_INT) &&
            are_within(given, attr->allowed))
                return OX_OK;
        struct held h = {.n = n, .attr = attr, .allowed = attr->allowed, .index = -1, .check_types = check_types};
        size_t count = count_elements(given, attr->type);
        bool list = attr->type == ATTR_INTS || attr->type == ATTR_FLOATS || attr->type == ATTR_STRINGS;
        enum ox_code code;

        TRY(check_count(n, attr, count));
        for (size_t i = 0; i < count; i++) {
                h.index = list ? (int64_t)i : -1;
                if (refuse_element(&h, given, i, &code))
                        return code;
        }
        return OX_OK;
}
