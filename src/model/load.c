#include "model/load.h"

#include <inttypes.h>
#include <string.h>

#include "model/wire.h"

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

#define FIRST_ROOM     16
#define RAW_DATA_FIELD 9 /* of TensorProto */

/* A message that waits to be parsed. */
struct aside {
        struct aside *next;
        size_t size;
        uint32_t number;
        uint8_t bytes[];
};

struct loader {
        struct arena *arena;
        struct model_names names;
        struct node_list nodes;
        OnnxGraph graph;                       /* nothing but the other lists */
        const ProtobufCFieldDescriptor *field; /* the list that was added to last; NULL: none */
        bool bytes_stay;
        size_t defer_after; /* bytes of the arena */
        struct aside *first_aside, **last_aside;
};

struct loader *loader_new(struct arena *arena, uint64_t seed)
{
        struct loader *loader = arena_new_zero(arena, struct loader);

        loader->arena = arena;
        model_names_init(&loader->names, arena, strings_new(arena, seed));
        loader->defer_after = SIZE_MAX;
        loader->last_aside = &loader->first_aside;
        return loader;
}

void loader_bytes_stay(struct loader *loader, bool stay)
{
        loader->bytes_stay = stay;
}

void loader_defer(struct loader *loader, size_t bytes)
{
        loader->defer_after = bytes;
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

/* The bytes of a TensorProto before its raw_data, when that is its last field, as whoever writes fields in their order
   has it; else all of them. */
static size_t size_before_raw(const uint8_t *bytes, size_t size, ProtobufCBinaryData *ret_raw)
{
        for (size_t at = 0; at < size;) {
                const struct wire_head head = wire_head(bytes + at, size - at);
                size_t left = size - at - head.size;
                uint64_t length = head.type == WIRE_LENGTH ? head.value : 0;

                if (head.result != WIRE_OK || length > left)
                        break;
                if (head.number == RAW_DATA_FIELD && head.type == WIRE_LENGTH && length == left) {
                        /* Nobody writes to what was read. */
                        *ret_raw = (ProtobufCBinaryData){left, (uint8_t *)(uintptr_t)(bytes + size - left)};
                        return at;
                }
                at += head.size + (size_t)length;
        }
        return size;
}

/* `stay`: the bytes do, so that the raw_data of an initializer can be read where it stands. */
static enum ox_code parse(struct loader *loader, uint32_t number, const uint8_t *bytes, size_t size, bool stay)
{
        struct memory memory = {.arena = loader->arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};

        if (!loader->field || loader->field->id != number)
                loader->field =
                        protobuf_c_message_descriptor_get_field(&shaped__onnx__v1__graph_proto__descriptor, number);
        const ProtobufCFieldDescriptor *field = loader->field;
        bool is_borrowed = stay && field->descriptor == &shaped__onnx__v1__tensor_proto__descriptor;
        ProtobufCBinaryData raw = {0};
        size_t unpacked = is_borrowed ? size_before_raw(bytes, size, &raw) : size;
        ProtobufCMessage *message = protobuf_c_message_unpack(field->descriptor, &allocator, unpacked, bytes);
        const char *text;

        if (!message)
                return memory.is_out ? arena_failure(loader->arena, &text) : OX_INVALID_ARGUMENT;
        if (unpacked < size) {
                ((OnnxTensor *)message)->has_raw_data = true;
                ((OnnxTensor *)message)->raw_data = raw;
        }
        if (field->descriptor == &shaped__onnx__v1__node_proto__descriptor) {
                node_list_add(&loader->nodes, model_node_of(&loader->names, (const OnnxNode *)message));
                return OX_OK;
        }
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

static enum ox_code put_aside(struct loader *loader, uint32_t number, const uint8_t *bytes, size_t size)
{
        struct aside *aside = arena_alloc(loader->arena, sizeof(*aside) + size);

        *aside = (struct aside){.size = size, .number = number};
        memcpy(aside->bytes, bytes, size);
        *loader->last_aside = aside;
        loader->last_aside = &aside->next;
        return OX_OK;
}

enum ox_code loader_take(void *loader_, uint32_t number, const uint8_t *bytes, size_t size, bool is_fed)
{
        struct loader *loader = loader_;

        /* What was put aside keeps its order with what comes after it. */
        if (loader->first_aside || arena_used(loader->arena) > loader->defer_after)
                return put_aside(loader, number, bytes, size);
        return parse(loader, number, bytes, size, is_fed && loader->bytes_stay);
}

/* Parses what was put aside, on the arena. */
static enum ox_code parse_aside(struct loader *loader, const char **ret_error)
{
        for (struct aside *aside; (aside = loader->first_aside) != NULL; loader->first_aside = aside->next) {
                enum ox_code code = parse(loader, aside->number, aside->bytes, aside->size, true);

                if (code == OX_INVALID_ARGUMENT)
                        *ret_error = arena_printf(loader->arena,
                                                  "no model: GraphProto.%s has a message that cannot be parsed",
                                                  loader->field->name);
                else if (code != OX_OK)
                        arena_failure(loader->arena, ret_error);
                if (code != OX_OK)
                        return code;
        }
        return OX_OK;
}

/* Puts what was read of the main graph before the rest of it. */
static void put_lists(struct model_graph *into, const struct loader *loader)
{
        OnnxGraph *graph = &into->proto;
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
        into->nodes = loader->nodes;
}

/* -- the model -- */

enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, struct loader *loader,
                        struct model **ret, const char **ret_error)
{
        struct memory memory = {.arena = arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};

        if (size == 0) {
                *ret_error = "not a model: the body is empty, or has no field of a ModelProto";
                return OX_INVALID_ARGUMENT;
        }
        OnnxModel *model = shaped__onnx__v1__model_proto__unpack(&allocator, size, bytes);

        if (memory.is_out)
                return arena_failure(arena, ret_error);
        if (!model) {
                *ret_error = "not a model: the body is not a ModelProto";
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
        struct model *read = arena_new_zero(arena, struct model);

        if (loader) {
                TRY(parse_aside(loader, ret_error));
                read->names = loader->names;
        } else {
                model_names_init(&read->names, arena, strings_new(arena, 0));
        }
        struct model_graph *graph = model_graph_of(&read->names, model->graph);

        if (loader)
                put_lists(graph, loader);
        model->graph = &graph->proto;
        for (size_t i = 0; i < model->n_functions; i++)
                model->functions[i] = &model_function_of(&read->names, model->functions[i])->proto;
        read->proto = model;
        *ret = read;
        return OX_OK;
}
