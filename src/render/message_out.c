#include "render/message_out.h"

/* Fields of TypeProto and what it is made of (onnx.proto). */
enum {
        TYPE_TENSOR_TYPE = 1,
        TYPE_SEQUENCE_TYPE = 4,
        TYPE_MAP_TYPE = 5,
        TYPE_SPARSE_TYPE = 8,
        TYPE_OPTIONAL_TYPE = 9,
        TENSOR_ELEM = 1,
        TENSOR_SHAPE = 2,
        ELEMENT_TYPE = 1, /* of sequences and optionals */
        MAP_KEY = 1,
        MAP_VALUE = 2,
        SHAPE_DIM = 1,
        DIM_VALUE = 1,
        DIM_PARAM = 2,
};

void message_begin(struct message_out *out, struct arena *arena, struct dim_table *dims, ox_write write, void *user)
{
        size_t size = MESSAGE_BLOCK_BYTES + MESSAGE_ROOM;

        out->target = arena_new_array(arena, struct message_target, 1);
        *out->target = (struct message_target){.arena = arena, .dims = dims, .write = write, .user = user};
        out->target->block = out->at = arena_alloc(arena, size);
        out->target->end = out->at + size;
        out->target->full = out->at + MESSAGE_BLOCK_BYTES;
}

void message_flush(struct message_out *out)
{
        out->target->write(out->target->user, out->target->block, (size_t)(out->at - out->target->block));
        out->at = out->target->block;
}

struct message_out message_paused(struct message_out out)
{
        if (!out.target->is_inner)
                message_flush(&out);
        else
                message_need(&out, MESSAGE_ROOM);
        return out;
}

struct message_out message_grown(struct message_out out, size_t size)
{
        size_t length = (size_t)(out.at - out.target->block), old = (size_t)(out.target->end - out.target->block),
               capacity = old;

        while (capacity - length < size)
                capacity *= 2;
        out.target->block = arena_grow(out.target->arena, out.target->block, old, capacity);
        out.at = out.target->block + length;
        out.target->end = out.target->block + capacity;
        out.target->full =
                out.target->is_inner ? out.target->end - MESSAGE_ROOM : out.target->block + MESSAGE_BLOCK_BYTES;
        return out;
}

struct message_out message_long(struct message_out out, unsigned field, const char *bytes, size_t length, size_t room)
{
        message_need(&out, MESSAGE_HEAD_MOST + length + room);
        out.at = message_put_varint(message_put_tag(out.at, field, MESSAGE_WIRE_BYTES), length);
        memcpy(out.at, bytes, length);
        out.at += length;
        return out;
}

/* A length of three bytes or more, of which at least two are missing. */
static struct message_out closed_longer(struct message_out out, size_t begin)
{
        char head[MESSAGE_VARINT_MOST];
        size_t length = (size_t)(out.at - out.target->block) - begin,
               size = (size_t)(message_put_varint(head, length) - head);

        message_need(&out, size);
        memmove(out.target->block + begin + size - 1, out.target->block + begin, length);
        memcpy(out.target->block + begin - 1, head, size);
        out.at += size - 1;
        return out;
}

struct message_out message_closed_long(struct message_out out, size_t begin)
{
        const size_t length = (size_t)(out.at - out.target->block) - begin;
        char *at;

        if (length >> 14)
                return closed_longer(out, begin);
        message_need(&out, 1);
        at = out.target->block + begin;
        memmove(at + 1, at, length);
        message_put_varint(at - 1, length);
        out.at++;
        return out;
}

/* -- types -- */

/* A Dimension of a known size, whose length is one byte. */
static inline void put_known(struct message_out *out, int64_t size)
{
        message_need(out, MESSAGE_OPEN_MOST + MESSAGE_HEAD_MOST);
        char *begin = message_put_open(out->at, SHAPE_DIM);

        out->at = message_put_number(begin, DIM_VALUE, (uint64_t)size);
        begin[-1] = (char)(out->at - begin);
}

/* One of a size that is a text, of which a short one's length is one byte. */
static inline void put_named(struct message_out *out, const char *text)
{
        const size_t length = strlen(text);

        if (__builtin_expect(length > MESSAGE_SHORT, 0)) {
                size_t begin = message_open(out, SHAPE_DIM);

                message_bytes(out, DIM_PARAM, text, length);
                message_close(out, begin);
                return;
        }
        message_need(out, MESSAGE_OPEN_MOST + MESSAGE_HEAD_MOST + MESSAGE_SHORT);
        char *begin = message_put_open(out->at, SHAPE_DIM);

        out->at = message_put_short(begin, DIM_PARAM, text, length);
        begin[-1] = (char)(out->at - begin);
}

static void put_shape(struct message_out *out, unsigned field, int rank, const struct dim *dim)
{
        size_t shape = message_open(out, field);

        for (int d = 0; d < rank; d++) {
                if (dim_is_int(dim[d]))
                        put_known(out, dim[d].val);
                else
                        put_named(out, dim_text(out->target->dims, dim[d]));
        }
        message_close(out, shape);
}

void message_declared(struct message_out *out, unsigned field, const struct declared_shape *declared)
{
        size_t shape = message_open(out, field);

        for (int d = 0; d < declared->rank; d++) {
                const struct declared_dim *dim = &declared->dim[d];
                size_t begin = message_open(out, SHAPE_DIM);

                if (dim->name)
                        message_text(out, DIM_PARAM, dim->name);
                else if (!dim_is(dim->size, -1))
                        message_number(out, DIM_VALUE, (uint64_t)dim->size.val);
                message_close(out, begin);
        }
        message_close(out, shape);
}

/* Types nest no deeper than their reader lets them. */
void message_type(struct message_out *out, unsigned field, const struct type *type)
{
        static const unsigned fields[] = {
                [TYPE_TENSOR] = TYPE_TENSOR_TYPE,     [TYPE_SPARSE_TENSOR] = TYPE_SPARSE_TYPE,
                [TYPE_SEQUENCE] = TYPE_SEQUENCE_TYPE, [TYPE_OPTIONAL] = TYPE_OPTIONAL_TYPE,
                [TYPE_MAP] = TYPE_MAP_TYPE,
        };
        size_t outer, inner;

        if (type->kind == TYPE_UNKNOWN)
                return;
        outer = message_open(out, field);
        inner = message_open(out, fields[type->kind]);
        if (type_is_tensor(type)) {
                if (type->elem != ELEM_UNDEFINED)
                        message_number(out, TENSOR_ELEM, type->elem);
                if (type->rank != RANK_UNKNOWN)
                        put_shape(out, TENSOR_SHAPE, type->rank, type->dim);
        } else if (type->kind == TYPE_MAP) {
                if (type->elem != ELEM_UNDEFINED)
                        message_number(out, MAP_KEY, type->elem);
                message_type(out, MAP_VALUE, type->of);
        } else {
                message_type(out, ELEMENT_TYPE, type->of);
        }
        message_close(out, inner);
        message_close(out, outer);
}

struct message_out message_type_new(struct message_out out, struct kept_types *types, unsigned field,
                                    const struct type *type)
{
        size_t begin = (size_t)(out.at - out.target->block);

        message_type(&out, field, type);
        kept_add(types, type, out.target->block + begin, (size_t)(out.at - out.target->block) - begin);
        return out;
}
