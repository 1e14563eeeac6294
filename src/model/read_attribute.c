/* Attributes, most of which are a name, a type, and a few numbers. One that has values of several types, or of a type
   that no operator's attribute has, goes the slower way. */
#include <string.h>

#include "model/read_internal.h"

enum {
        NAME = TAG(1, WIRE_LENGTH),
        FLOAT = TAG(2, WIRE_I32),
        INT = TAG(3, WIRE_VARINT),
        STRING = TAG(4, WIRE_LENGTH),
        TENSOR = TAG(5, WIRE_LENGTH),
        GRAPH = TAG(6, WIRE_LENGTH),
        FLOATS_PACKED = TAG(7, WIRE_LENGTH),
        FLOATS = TAG(7, WIRE_I32),
        INTS_PACKED = TAG(8, WIRE_LENGTH),
        INTS = TAG(8, WIRE_VARINT),
        STRINGS = TAG(9, WIRE_LENGTH),
        TENSORS = TAG(10, WIRE_LENGTH),
        GRAPHS = TAG(11, WIRE_LENGTH),
        TYPE_PROTO = TAG(14, WIRE_LENGTH),
        TYPE_PROTOS = TAG(15, WIRE_LENGTH),
        TYPE = TAG(20, WIRE_VARINT),
        REFERENCE = TAG(21, WIRE_LENGTH),
        SPARSE_TENSOR = TAG(22, WIRE_LENGTH),
        SPARSE_TENSORS = TAG(23, WIRE_LENGTH)
};

/* The two bytes of TYPE. */
#define TYPE_FIRST  ((TYPE & 0x7f) | 0x80)
#define TYPE_SECOND (TYPE >> 7)

/* Bytes of a tag and a float. */
#define FLOAT_BYTES 5

/* False if the attribute holds something already. */
static inline bool hold(struct model_attribute *a, enum attribute_held held)
{
        const bool is_first = a->held == HELD_UNDEFINED;

        a->held = (uint8_t)held;
        return is_first;
}

static bool hold_list(struct model_attribute *a, enum attribute_held held, const void *list, size_t count)
{
        if (count == 0)
                return true;
        a->list = list;
        a->count = (uint32_t)count;
        return hold(a, held);
}

/* -- lists -- */

static bool hold_ints(struct reader *r, struct varints varints, struct model_attribute *a)
{
        int64_t *ints = arena_new_array(r->names->arena, int64_t, varints.count), *to = ints;
        const size_t count = varints.count;

        while (varints.count > 0)
                *to++ = (int64_t)next_varint(&varints);
        return hold_list(a, HELD_INTS, ints, count);
}

static bool read_packed_ints(struct reader *r, struct span content, struct model_attribute *a)
{
        struct varints varints;

        return read_packed_varints(content, &varints) && hold_ints(r, varints, a);
}

static bool read_ints(struct reader *r, struct span *span, struct model_attribute *a)
{
        struct varints varints;

        return read_tagged_varints(span, &varints) && hold_ints(r, varints, a);
}

static bool read_packed_floats(struct reader *r, struct span content, struct model_attribute *a)
{
        const size_t size = (size_t)(content.end - content.at);
        float *floats = arena_alloc(r->names->arena, size);

        memcpy(floats, content.at, size);
        return size % sizeof(*floats) == 0 && hold_list(a, HELD_FLOATS, floats, size / sizeof(*floats));
}

/* Whether the next field is a float, with its tag, a single byte. */
static inline bool is_float(struct span span, uint8_t tag)
{
        return span.end - span.at >= FLOAT_BYTES && *span.at == tag;
}

static bool read_floats(struct reader *r, struct span *span, struct model_attribute *a)
{
        struct span rest = *span;

        while (is_float(rest, FLOATS))
                rest.at += FLOAT_BYTES;
        const size_t count = (size_t)(rest.at - span->at) / FLOAT_BYTES;
        float *floats = arena_new_array(r->names->arena, float, count);

        for (size_t i = 0; i < count; i++, span->at += FLOAT_BYTES)
                memcpy(&floats[i], span->at + 1, sizeof(*floats));
        return count > 0 && hold_list(a, HELD_FLOATS, floats, count);
}

static bool read_strings(struct reader *r, struct span *span, struct model_attribute *a)
{
        struct span rest = *span;
        struct field field;
        size_t count = 0;

        for (; rest.at < rest.end && *rest.at == STRINGS; count++)
                if (!take_field(&rest, &field))
                        return false;
        ProtobufCBinaryData *strings = arena_new_array(r->names->arena, ProtobufCBinaryData, count);

        for (size_t i = 0; i < count && take_field(span, &field); i++)
                strings[i] = read_bytes(r, field.content);
        return hold_list(a, HELD_STRINGS, strings, count);
}

/* -- single values -- */

static bool read_string(struct reader *r, struct span content, struct model_attribute *a)
{
        const ProtobufCBinaryData bytes = read_bytes(r, content);

        a->bytes = bytes.data;
        a->count = (uint32_t)bytes.len;
        return hold(a, HELD_STRING);
}

static bool read_tensor(struct reader *r, struct span content, uint32_t depth, struct model_attribute *a)
{
        struct model_tensor *tensor;
        struct span name;

        if (depth == 0 || !read_tensor_within(r, content, depth - 1, &name, &tensor))
                return false;
        a->tensor = tensor;
        return hold(a, HELD_TENSOR);
}

static bool read_graph(struct reader *r, struct span content, uint32_t depth, struct model_attribute *a)
{
        void *graph;

        if (!read_child(r, SCHEMA_GRAPH, content, depth, &graph))
                return false;
        r->names->has_bodies = true;
        a->graph = graph;
        return hold(a, HELD_GRAPH);
}

static bool read_type_proto(struct reader *r, struct span content, uint32_t depth, struct model_attribute *a)
{
        void *type;

        if (!read_child(r, SCHEMA_TYPE, content, depth, &type))
                return false;
        a->type_proto = type;
        return hold(a, HELD_TYPE_PROTO);
}

static bool read_reference(struct reader *r, struct span content, struct model_attribute *a)
{
        char *name;

        if (!read_name(r, content, &name))
                return false;
        if (!name[0])
                return true;
        a->reference = name;
        return hold(a, HELD_REFERENCE);
}

static inline bool read_name_of(struct reader *r, struct span content, struct model_attribute *a)
{
        const size_t length = (size_t)(content.end - content.at);
        char *name;

        a->name = length <= r->limits.name_most ? model_name_seen(r->names, (const char *)content.at, length) : NULL;
        if (a->name)
                return true;
        if (!read_name(r, content, &name))
                return false;
        model_name_note(r->names, name);
        a->name = name;
        return true;
}

/* -- fields -- */

static inline bool read_part(struct reader *r, const struct field *field, uint32_t depth, struct model_attribute *a)
{
        switch (field->tag) {
        case NAME:
                return read_name_of(r, field->content, a);
        case INT:
                a->i = (int64_t)field->value;
                return hold(a, HELD_INT);
        case STRING:
                return read_string(r, field->content, a);
        case TENSOR:
                return read_tensor(r, field->content, depth, a);
        case GRAPH:
                return read_graph(r, field->content, depth, a);
        case FLOATS_PACKED:
                return read_packed_floats(r, field->content, a);
        case INTS_PACKED:
                return read_packed_ints(r, field->content, a);
        case TYPE_PROTO:
                return read_type_proto(r, field->content, depth, a);
        case TYPE:
                a->type = attribute_type((uint32_t)field->value);
                return true;
        case REFERENCE:
                return read_reference(r, field->content, a);
        case FLOAT: /* with a tag of several bytes, as the next ones */
        case FLOATS:
        case INTS:
        case STRINGS:
        case TENSORS:
        case GRAPHS:
        case TYPE_PROTOS:
        case SPARSE_TENSOR:
        case SPARSE_TENSORS:
                return false;
        default:
                return drop_field(r, field->size);
        }
}

static inline bool is_type(struct span span)
{
        return span.end - span.at > 2 && span.at[0] == TYPE_FIRST && span.at[1] == TYPE_SECOND && span.at[2] < 0x80;
}

/* A list that is not packed. `span` begins with the first of its fields, and ends up behind the last. */
static bool read_list(struct reader *r, struct span *span, struct model_attribute *a)
{
        switch (*span->at) {
        case INTS:
                return read_ints(r, span, a);
        case FLOATS:
                return read_floats(r, span, a);
        default:
                return read_strings(r, span, a);
        }
}

bool read_attribute_within(struct reader *r, struct span span, uint32_t depth, struct model_attribute *ret)
{
        struct field field;
        bool is_read = true;

        *ret = (struct model_attribute){.name = "", .held = HELD_UNDEFINED};
        while (is_read && span.at < span.end) {
                const uint8_t first = *span.at;

                if (first == INTS || first == FLOATS || first == STRINGS) {
                        struct span rest = span;

                        is_read = read_list(r, &rest, ret);
                        span = rest;
                } else if (first == TYPE_FIRST && is_type(span)) {
                        ret->type = attribute_type(span.at[2]);
                        span.at += 3;
                } else if (first == FLOAT && is_float(span, FLOAT)) {
                        memcpy(&ret->f, span.at + 1, sizeof(ret->f));
                        span.at += FLOAT_BYTES;
                        is_read = hold(ret, HELD_FLOAT);
                } else {
                        is_read = take_field(&span, &field) && read_part(r, &field, depth, ret);
                }
        }
        return is_read;
}
