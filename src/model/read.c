#include <string.h>

#include "base/str.h"
#include "model/read_internal.h"

static bool read_fields(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void *into);

/* -- single fields -- */

bool read_name(struct reader *r, struct span span, char **ret)
{
        const size_t length = (size_t)(span.end - span.at);

        if (length > r->limits.name_most ||
            !str_intern_clean(r->names->strings, (const char *)span.at, length, &r->name))
                return false;
        *ret = (char *)(uintptr_t)str_text(r->names->strings, r->name); /* nobody writes to what was read */
        return true;
}

ProtobufCBinaryData read_bytes(struct reader *r, struct span span)
{
        const size_t length = (size_t)(span.end - span.at);
        ProtobufCBinaryData bytes = {.len = length};

        if (length && r->bytes_stay) {
                bytes.data = (uint8_t *)(uintptr_t)span.at;
        } else if (length) {
                bytes.data = arena_alloc(r->names->arena, length);
                memcpy(bytes.data, span.at, length);
        }
        return bytes;
}

static size_t struct_size(enum schema_message message)
{
        return message == SCHEMA_GRAPH      ? sizeof(struct model_graph)
               : message == SCHEMA_FUNCTION ? sizeof(struct model_function)
                                            : schema_of[message].size;
}

bool read_child(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void **ret)
{
        if (depth == 0)
                return false;
        ProtobufCMessage *child = arena_zalloc(r->names->arena, struct_size(message));

        child->descriptor = schema_of[message].descriptor;
        *ret = child;
        return read_fields(r, message, span, depth - 1, child);
}

static void put_number(void *at, uint64_t value, size_t width)
{
        if (width == sizeof(int32_t))
                *(int32_t *)at = (int32_t)(uint32_t)value;
        else
                *(int64_t *)at = (int64_t)value;
}

/* Reads a singular field at `field`. The last occurrence of numbers, names and bytes counts. */
static bool read_single(struct reader *r, const struct schema_field *is, const uint8_t *field,
                        const struct wire_head *head, uint32_t depth, unsigned char *into)
{
        void *at = into + is->at;

        if (is->flags & SCHEMA_ONE_OF) {
                uint32_t *one = (uint32_t *)(into + is->also);

                if (*one && (*one != head->number || is->kind == SCHEMA_MESSAGE))
                        return false;
                *one = head->number;
        } else if (is->also) {
                *(protobuf_c_boolean *)(into + is->also) = true;
        }
        switch (is->kind) {
        case SCHEMA_VARINT:
                put_number(at, head->value, is->width);
                return true;
        case SCHEMA_FIXED32:
                memcpy(at, field + head->tag_size, sizeof(float));
                return true;
        case SCHEMA_NAME:
                return read_name(r, content_of(field, head), at);
        case SCHEMA_BYTES:
                *(ProtobufCBinaryData *)at = read_bytes(r, content_of(field, head));
                return true;
        case SCHEMA_MESSAGE:
                return !*(void **)at &&
                       read_child(r, (enum schema_message)is->message, content_of(field, head), depth, at);
        default:
                return false;
        }
}

/* -- lists -- */

bool take_any_field(struct span *span, struct field *ret)
{
        struct wire_head head;

        *ret = (struct field){.tag = 0};
        if (!next_head(*span, &head) || is_long(span->at, &head))
                return false;
        *ret = (struct field){.tag = TAG(head.number, head.type), .value = head.value, .size = field_size(&head)};
        ret->content =
                (struct span){span->at + (head.type == WIRE_LENGTH ? head.size : head.tag_size), span->at + ret->size};
        span->at += ret->size;
        return true;
}

bool read_packed_varints(struct span content, struct varints *ret)
{
        const size_t size = (size_t)(content.end - content.at);

        if (!wire_is_varints(content.at, size))
                return false;
        *ret = (struct varints){.at = content.at};
        for (size_t i = 0; i < size; i++)
                ret->count += content.at[i] < 0x80;
        return true;
}

bool read_tagged_varints(struct span *span, struct varints *ret)
{
        const uint8_t tag = *span->at, *at = span->at;

        *ret = (struct varints){.at = at, .before = 1};
        for (; at < span->end && *at == tag; ret->count++) {
                const uint8_t *first = ++at;

                while (at < span->end && *at >= 0x80)
                        at++;
                /* The tenth byte has room for one bit. */
                if (at == span->end || at - first >= WIRE_VARINT_BYTES ||
                    (at - first == WIRE_VARINT_BYTES - 1 && *at > 1))
                        return false;
                at++;
        }
        span->at = at;
        return true;
}

void put_varints(struct varints varints, size_t width, void *to)
{
        unsigned char *at = to;

        for (; varints.count > 0; at += width)
                put_number(at, next_varint(&varints), width);
}

static void *varint_list(struct reader *r, struct varints varints, size_t width)
{
        void *to = arena_array(r->names->arena, varints.count, width);

        put_varints(varints, width, to);
        return to;
}

/* Numbers that are packed into one field. */
static bool read_packed(struct reader *r, const struct schema_field *is, struct span span, void **ret,
                        size_t *ret_count)
{
        const size_t size = (size_t)(span.end - span.at), unit = schema_unit(is);
        struct varints varints;

        if (is->kind != SCHEMA_VARINT) {
                *ret = arena_alloc(r->names->arena, size);
                memcpy(*ret, span.at, size);
                *ret_count = size / unit;
                return size % unit == 0;
        }
        if (!read_packed_varints(span, &varints))
                return false;
        *ret = varint_list(r, varints, is->width);
        *ret_count = varints.count;
        return true;
}

/* Numbers that follow each other, each behind a tag of one byte. */
static bool read_tagged(struct reader *r, const struct schema_field *is, struct span *span, void **ret,
                        size_t *ret_count)
{
        struct varints varints;

        if (!read_tagged_varints(span, &varints))
                return false;
        *ret = varint_list(r, varints, is->width);
        *ret_count = varints.count;
        return true;
}

/* How many fields of one number follow each other, the first of which has the given tag; 0 when one of them is none. */
static size_t count_run(struct span span, const struct wire_head *first)
{
        const uint8_t *tag = span.at;
        size_t count = 0;

        while ((size_t)(span.end - span.at) > first->tag_size && has_tag(span.at, tag, first->tag_size)) {
                struct wire_head head;

                if (!next_head(span, &head) || is_long(span.at, &head))
                        return 0;
                span.at += field_size(&head);
                count++;
        }
        return count;
}

/* An element of a list that stands at `field`, with its head. */
static bool read_element(struct reader *r, const struct schema_field *is, const uint8_t *field,
                         const struct wire_head *head, uint32_t depth, void *ret)
{
        switch (is->kind) {
        case SCHEMA_VARINT:
                put_number(ret, head->value, is->width);
                return true;
        case SCHEMA_FIXED32:
        case SCHEMA_FIXED64:
                memcpy(ret, field + head->tag_size, is->width);
                return true;
        case SCHEMA_NAME:
                return read_name(r, content_of(field, head), ret);
        case SCHEMA_BYTES:
                *(ProtobufCBinaryData *)ret = read_bytes(r, content_of(field, head));
                return true;
        default:
                return read_child(r, (enum schema_message)is->message, content_of(field, head), depth, ret);
        }
}

/* A list whose elements follow each other. `span` begins with the first of them, and ends up behind the last. */
static bool read_run(struct reader *r, const struct schema_field *is, struct span *span, const struct wire_head *first,
                     uint32_t depth, unsigned char *into)
{
        size_t *count = (size_t *)(into + is->also);
        void **list = (void **)(into + is->at);

        if (*count)
                return false; /* it has begun before */
        if (first->type == WIRE_LENGTH && is->kind < SCHEMA_NAME) {
                const struct span content = content_of(span->at, first);

                span->at = content.end;
                return read_packed(r, is, content, list, count);
        }
        if (is->kind == SCHEMA_VARINT && first->tag_size == 1)
                return read_tagged(r, is, span, list, count);
        const size_t n = count_run(*span, first);
        unsigned char *to = arena_array(r->names->arena, n, is->width);

        *count = n;
        *list = to;
        for (size_t i = 0; i < n; i++, to += is->width) {
                const struct wire_head head = wire_head(span->at, (size_t)(span->end - span->at));

                if (!read_element(r, is, span->at, &head, depth, to))
                        return false;
                span->at += field_size(&head);
        }
        return n > 0;
}

/* -- messages -- */

static bool add_initializer(struct reader *r, struct span span, uint32_t depth, struct model_graph *graph)
{
        struct model_tensor *tensor;

        if (depth == 0 || !read_initializer_within(r, span, depth - 1, &tensor))
                return false;
        tensor_list_add(&graph->initializers, tensor);
        return true;
}

static bool add_default(struct reader *r, struct span span, uint32_t depth, struct model_function *function)
{
        const size_t count = function->n_default, unit = sizeof(*function->defaults);

        /* There is room for a power of two. */
        if ((count & (count - 1)) == 0)
                function->defaults =
                        arena_grow(r->names->arena, function->defaults, count * unit, count ? 2 * count * unit : unit);
        function->n_default++;
        return depth > 0 && read_attribute_within(r, span, depth - 1, &function->defaults[count]);
}

static bool add_node(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void *into)
{
        struct node_list *list = message == SCHEMA_GRAPH ? &((struct model_graph *)into)->nodes
                                                         : &((struct model_function *)into)->nodes;
        struct model_node *node;

        if (depth == 0 || !read_node_within(r, span, depth - 1, &node))
                return false;
        node_list_add(list, node);
        return true;
}

/* Whether a message within another one is not read into protobuf-c's struct. */
static bool is_own(enum schema_message message)
{
        return message == SCHEMA_NODE || message == SCHEMA_ATTRIBUTE || message == SCHEMA_TENSOR;
}

/* A node, a graph's initializer, or the default of a function's attribute; tensors of sparse ones are unusual. */
static bool read_own(struct reader *r, enum schema_message message, enum schema_message of, struct span span,
                     uint32_t depth, void *into)
{
        if (of == SCHEMA_NODE)
                return add_node(r, message, span, depth, into);
        if (of == SCHEMA_ATTRIBUTE)
                return add_default(r, span, depth, into);
        return message == SCHEMA_GRAPH && add_initializer(r, span, depth, into);
}

static bool read_fields(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void *into)
{
        const struct schema *schema = &schema_of[message];
        struct wire_head head;

        while (span.at < span.end) {
                if (!next_head(span, &head))
                        return false;
                const uint8_t *field = span.at;
                const struct schema_field *is = &schema->field[head.number < SCHEMA_NUMBERS ? head.number : 0];

                if (!schema_takes(is, head.type)) {
                        if (!drop_field(r, field_size(&head)))
                                return false;
                        span.at += field_size(&head);
                        continue;
                }
                if (is_long(field, &head))
                        return false;
                if (is->kind == SCHEMA_MESSAGE && is_own((enum schema_message)is->message)) {
                        if (!read_own(r, message, (enum schema_message)is->message, content_of(field, &head), depth,
                                      into))
                                return false;
                        span.at += field_size(&head);
                } else if (is->flags & SCHEMA_REPEATED) {
                        if (!read_run(r, is, &span, &head, depth, into))
                                return false;
                } else {
                        if (!read_single(r, is, field, &head, depth, into))
                                return false;
                        span.at += field_size(&head);
                }
        }
        return true;
}

bool read_message(struct reader *r, enum schema_message message, const uint8_t *at, size_t size, void **ret)
{
        ProtobufCMessage *made = arena_zalloc(r->names->arena, struct_size(message));

        made->descriptor = schema_of[message].descriptor;
        *ret = made;
        return read_fields(r, message, (struct span){at, at + size}, r->limits.depth, made);
}
