/* The ONNX patch: a ModelProto with nothing but graph.value_info, so that it can be appended to the model it is for. It
   is written from its end to its beginning, for then the length of every message is known when its turn comes. */
#include <string.h>

#include "render/render.h"
#include "render/values.h"

/* Fields of onnx.proto. */
enum {
        MODEL_GRAPH = 7,
        GRAPH_VALUE_INFO = 13,
        VALUE_INFO_NAME = 1,
        VALUE_INFO_TYPE = 2,
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

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

#define VARINT_MOST 10

struct patch {
        struct arena *arena;
        struct dim_table *dims;
        char *block;
        size_t capacity;
        size_t length; /* at the end of the block */
};

static void prepend(struct patch *p, const void *bytes, size_t size)
{
        if (size > p->capacity - p->length) {
                size_t capacity = p->capacity;

                while (capacity - p->length < size)
                        capacity *= 2;
                char *grown = arena_alloc(p->arena, capacity);

                memcpy(grown + capacity - p->length, p->block + p->capacity - p->length, p->length);
                p->block = grown;
                p->capacity = capacity;
        }
        p->length += size;
        if (size)
                memcpy(p->block + p->capacity - p->length, bytes, size);
}

static void prepend_varint(struct patch *p, uint64_t value)
{
        unsigned char bytes[VARINT_MOST];
        size_t size = 0;

        do {
                bytes[size++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
                value >>= 7;
        } while (value);
        prepend(p, bytes, size);
}

static void prepend_number(struct patch *p, unsigned field, uint64_t value)
{
        prepend_varint(p, value);
        prepend_varint(p, field << 3 | WIRE_VARINT);
}

/* What was written since `before` becomes the message (or text) of a field. */
static void wrap(struct patch *p, unsigned field, size_t before)
{
        prepend_varint(p, p->length - before);
        prepend_varint(p, field << 3 | WIRE_BYTES);
}

static void prepend_text(struct patch *p, unsigned field, const char *text)
{
        size_t before = p->length;

        prepend(p, text, strlen(text));
        wrap(p, field, before);
}

static void prepend_shape(struct patch *p, const struct type *type)
{
        size_t shape = p->length;

        for (int d = type->rank - 1; d >= 0; d--) {
                size_t dim = p->length;

                if (dim_is_int(type->dim[d]))
                        prepend_number(p, DIM_VALUE, (uint64_t)type->dim[d].val);
                else
                        prepend_text(p, DIM_PARAM, dim_text(p->dims, type->dim[d]));
                wrap(p, SHAPE_DIM, dim);
        }
        wrap(p, TENSOR_SHAPE, shape);
}

/* The fields of a TypeProto. Types nest no deeper than their reader lets them. */
static void prepend_type(struct patch *p, const struct type *type)
{
        static const unsigned fields[] = {
                [TYPE_TENSOR] = TYPE_TENSOR_TYPE,     [TYPE_SPARSE_TENSOR] = TYPE_SPARSE_TYPE,
                [TYPE_SEQUENCE] = TYPE_SEQUENCE_TYPE, [TYPE_OPTIONAL] = TYPE_OPTIONAL_TYPE,
                [TYPE_MAP] = TYPE_MAP_TYPE,
        };
        size_t before = p->length;

        if (type->kind == TYPE_TENSOR || type->kind == TYPE_SPARSE_TENSOR) {
                if (type->rank != RANK_UNKNOWN)
                        prepend_shape(p, type);
                prepend_number(p, TENSOR_ELEM, type->elem);
        } else {
                prepend_type(p, type->of);
                wrap(p, type->kind == TYPE_MAP ? MAP_VALUE : ELEMENT_TYPE, before);
                if (type->kind == TYPE_MAP)
                        prepend_number(p, MAP_KEY, type->elem);
        }
        wrap(p, fields[type->kind], before);
}

/* Values that the model has no type for, as far as ONNX can say it: an element type is required. */
static bool belongs(const struct result_value *v, struct buf *scratch)
{
        scratch->length = 0;
        return v->kind == OX_KIND_INTERMEDIATE && !v->scope[0] && !v->declared_type &&
               type_print(&v->value.type, scratch);
}

void render_patch(const struct ox_result *result, struct arena *arena, ox_write write, void *user)
{
        struct patch p = {.arena = arena, .dims = result->dims, .capacity = 4096};
        struct buf scratch;

        buf_init(&scratch, arena);
        p.block = arena_alloc(arena, p.capacity);
        for (size_t i = result->n_value; i-- > 0;) {
                const struct result_value *v = result->value[i];
                size_t before = p.length;

                if (!belongs(v, &scratch))
                        continue;
                prepend_type(&p, &v->value.type);
                wrap(&p, VALUE_INFO_TYPE, before);
                prepend_text(&p, VALUE_INFO_NAME, v->name);
                wrap(&p, GRAPH_VALUE_INFO, before);
        }
        if (p.length)
                wrap(&p, MODEL_GRAPH, 0);
        write(user, p.block + p.capacity - p.length, p.length);
}
