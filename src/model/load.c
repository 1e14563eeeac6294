#include "model/load.h"

#include <inttypes.h>
#include <string.h>

/* IR.md: a model of IR version 3 or later says which operator sets it uses; before, there was only one. */
#define IR_WITH_OPSETS 3

static void *arena_take(void *arena, size_t size)
{
        return arena_try_alloc(arena, size);
}

/* What is on an arena goes with it. */
static void arena_leave(void *arena, void *at)
{
}

void arena_allocator(struct arena *arena, ProtobufCAllocator *ret)
{
        *ret = (ProtobufCAllocator){.alloc = arena_take, .free = arena_leave, .allocator_data = arena};
}

/* protobuf-c does not tell malformed bytes from memory that ran out. */
struct memory {
        struct arena *arena;
        bool is_out;
};

static void *memory_take(void *memory_, size_t size)
{
        struct memory *memory = memory_;
        void *at = arena_try_alloc(memory->arena, size);

        if (!at)
                memory->is_out = true;
        return at;
}

static void memory_leave(void *memory, void *at)
{
}

/* -- lists of the main graph -- */

#define FIRST_ROOM 16

struct loader {
        struct arena *arena;
        OnnxGraph graph; /* nothing but lists */
};

struct loader *loader_new(struct arena *arena)
{
        struct loader *loader = arena_new_zero(arena, struct loader);

        loader->arena = arena;
        return loader;
}

/* A list of a graph: where its number of messages and its array stand. */
struct list {
        size_t *count;
        ProtobufCMessage ***at;
};

static struct list list_of(OnnxGraph *graph, const ProtobufCFieldDescriptor *field)
{
        unsigned char *base = (unsigned char *)graph;

        return (struct list){(void *)(base + field->quantifier_offset), (void *)(base + field->offset)};
}

enum ox_code loader_take(void *loader_, uint32_t number, const uint8_t *bytes, size_t size)
{
        struct loader *loader = loader_;
        struct memory memory = {.arena = loader->arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};
        const ProtobufCFieldDescriptor *field =
                protobuf_c_message_descriptor_get_field(&shaped__onnx__v1__graph_proto__descriptor, number);
        ProtobufCMessage *message = protobuf_c_message_unpack(field->descriptor, &allocator, size, bytes);

        if (!message)
                return memory.is_out ? OX_RESOURCE_EXHAUSTED : OX_INVALID_ARGUMENT;
        struct list list = list_of(&loader->graph, field);
        size_t count = *list.count;

        /* An array has room for a power of two. */
        if (count == 0)
                *list.at = arena_new_array(loader->arena, ProtobufCMessage *, FIRST_ROOM);
        else if (count >= FIRST_ROOM && (count & (count - 1)) == 0)
                *list.at =
                        arena_grow(loader->arena, *list.at, count * sizeof(**list.at), 2 * count * sizeof(**list.at));
        (*list.at)[(*list.count)++] = message;
        return OX_OK;
}

static void put_lists(OnnxGraph *graph, const struct loader *loader)
{
        const ProtobufCMessageDescriptor *descriptor = &shaped__onnx__v1__graph_proto__descriptor;
        OnnxGraph lists = loader->graph;

        for (unsigned i = 0; i < descriptor->n_fields; i++) {
                if (descriptor->fields[i].label != PROTOBUF_C_LABEL_REPEATED)
                        continue;
                struct list from = list_of(&lists, &descriptor->fields[i]);
                struct list to = list_of(graph, &descriptor->fields[i]);

                *to.count = *from.count;
                *to.at = *from.at;
        }
}

/* -- the model -- */

enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, const struct loader *loader,
                        OnnxModel **ret, const char **ret_error)
{
        struct memory memory = {.arena = arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};

        if (size == 0) {
                *ret_error = "no model: there are no bytes, or none that a ModelProto keeps";
                return OX_INVALID_ARGUMENT;
        }
        OnnxModel *model = shaped__onnx__v1__model_proto__unpack(&allocator, size, bytes);

        if (memory.is_out) {
                *ret_error = "the model needs more memory than arena_bytes allows";
                return OX_RESOURCE_EXHAUSTED;
        }
        if (!model) {
                *ret_error = "no model: the bytes are no ModelProto";
                return OX_INVALID_ARGUMENT;
        }
        if (!model->graph) {
                *ret_error = "no model: the ModelProto has no graph";
                return OX_INVALID_ARGUMENT;
        }
        if (model->n_opset_import == 0 && model->has_ir_version && model->ir_version >= IR_WITH_OPSETS) {
                *ret_error = arena_printf(arena, "the model has no opset_import, which IR version %" PRId64 " needs",
                                          model->ir_version);
                return OX_INVALID_ARGUMENT;
        }
        if (loader)
                put_lists(model->graph, loader);
        *ret = model;
        return OX_OK;
}
