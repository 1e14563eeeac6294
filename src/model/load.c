#include "model/load.h"

#include <inttypes.h>
#include <string.h>

#include "model/read.h"

/* IR.md: a model of IR version 3 or later lists its operator sets; before, there was only one. */
#define IR_WITH_OPSETS 3

static void *arena_take(void *arena, size_t size)
{
        return arena_try_alloc(arena, size);
}

/* Memory on an arena is freed with the arena. */
static void arena_leave(void *arena, void *at)
{
}

void arena_allocator(struct arena *arena, ProtobufCAllocator *ret)
{
        *ret = (ProtobufCAllocator){.alloc = arena_take, .free = arena_leave, .allocator_data = arena};
}

/* protobuf-c does not distinguish malformed bytes from a lack of memory. */
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
        struct model_graph graph; /* nothing but lists */
        struct nodes_ahead *ahead;
        bool bytes_stay;
        size_t defer_after; /* bytes of the arena */
        struct aside *first_aside, **last_aside;
};

struct loader *loader_new(struct arena *arena, uint64_t seed)
{
        struct loader *loader = arena_new_zero(arena, struct loader);

        loader->arena = arena;
        model_names_init(&loader->names, arena, strings_new(arena, seed));
        loader->ahead = nodes_ahead_new(arena);
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

/* Stored messages keep their order with later ones. */
static bool defers(const struct loader *loader)
{
        return loader->first_aside || arena_used(loader->arena) > loader->defer_after;
}

/* A list of a graph: the places of its count and its array. */
struct list {
        size_t *count;
        ProtobufCMessage ***at;
};

static struct list list_of(OnnxGraph *graph, uint32_t number)
{
        const struct schema_field *field = &schema_of[SCHEMA_GRAPH].field[number];
        unsigned char *base = (unsigned char *)graph;

        return (struct list){(void *)(base + field->also), (void *)(base + field->at)};
}

static enum schema_message message_of(uint32_t number)
{
        return (enum schema_message)schema_of[SCHEMA_GRAPH].field[number].message;
}

/* An array has room for a power of two. */
static void list_add(struct loader *loader, uint32_t number, ProtobufCMessage *message)
{
        struct list list = list_of(&loader->graph.proto, number);
        size_t count = *list.count;

        if (count == 0)
                *list.at = arena_new_array(loader->arena, ProtobufCMessage *, FIRST_ROOM);
        else if (count >= FIRST_ROOM && (count & (count - 1)) == 0)
                *list.at =
                        arena_grow(loader->arena, *list.at, count * sizeof(**list.at), 2 * count * sizeof(**list.at));
        (*list.at)[(*list.count)++] = message;
}

static const struct intact no_limits = {.name_most = SIZE_MAX, .payload_most = UINT32_MAX, .depth = UINT32_MAX};

void loader_settle(void *loader_)
{
        struct loader *loader = loader_;

        nodes_ahead_make(loader->ahead, &loader->names, &loader->graph.nodes);
}

/* Reads a message at once; false if it must go the slower way. `passing`: the bytes are gone after the call. */
static bool read_on(struct loader *loader, struct reader *r, uint32_t number, const uint8_t *bytes, size_t size,
                    bool passing)
{
        struct model_node *node;
        struct model_tensor *tensor;
        void *message;

        if (message_of(number) == SCHEMA_NODE) {
                if (!passing)
                        return read_node_ahead(r, bytes, size, loader->ahead, &loader->graph.nodes);
                loader_settle(loader);
                if (!read_node(r, bytes, size, &node))
                        return false;
                node_list_add(&loader->graph.nodes, node);
        } else if (message_of(number) == SCHEMA_TENSOR) {
                if (!read_initializer(r, bytes, size, &tensor))
                        return false;
                tensor_list_add(&loader->graph.initializers, tensor);
        } else {
                if (!read_message(r, message_of(number), bytes, size, &message))
                        return false;
                list_add(loader, number, message);
        }
        return true;
}

static void run_add(struct skim_run *run, uint32_t number, size_t taken, size_t dropped)
{
        run->taken += taken;
        run->dropped += dropped;
        run->last = (uint8_t)number;
}

#define NODE_NUMBER 1
#define NODE_TAG    (NODE_NUMBER << 3 | WIRE_LENGTH)

/* The nodes that come next, of which there are many: those whose length is one byte or two. False: the one that stands
   there now is unusual. */
static bool read_nodes(struct loader *loader, struct reader *r, const uint8_t *bytes, size_t size, size_t most,
                       struct skim_run *ret)
{
        while (size - ret->taken >= 3 && bytes[ret->taken] == NODE_TAG && !defers(loader)) {
                const uint8_t *at = bytes + ret->taken;
                const bool is_short = at[1] < 0x80;
                const size_t head = is_short ? 2 : 3;
                const size_t length = is_short ? at[1] : (at[1] & 0x7fU) | (size_t)at[2] << 7;

                if ((!is_short && at[2] - 1U >= 0x7f) || head + length > size - ret->taken ||
                    head + length > most - (ret->taken - ret->dropped))
                        break;
                r->dropped = 0;
                if (!read_node_ahead(r, at + head, length, loader->ahead, &loader->graph.nodes))
                        return false;
                run_add(ret, NODE_NUMBER, head + length, r->dropped);
        }
        return true;
}

void loader_read(void *loader_, const uint8_t *bytes, size_t size, size_t most, const struct intact *limits,
                 struct skim_run *ret)
{
        struct loader *loader = loader_;
        struct reader r = {.names = &loader->names, .limits = *limits, .bytes_stay = loader->bytes_stay};

        for (;;) {
                if (!read_nodes(loader, &r, bytes, size, most, ret))
                        return;
                const uint8_t *at = bytes + ret->taken;
                const struct wire_head head = schema_list_head(at, size - ret->taken);
                const size_t whole = head.size + (size_t)head.value;

                if (whole == 0 || whole > most - (ret->taken - ret->dropped) || defers(loader))
                        return;
                /* Weights in between, which nobody reads, make the next head far. */
                if (whole < size - ret->taken)
                        __builtin_prefetch(at + whole);
                r.dropped = 0;
                if (!read_on(loader, &r, head.number, at + head.size, (size_t)head.value, false))
                        return;
                run_add(ret, head.number, whole, r.dropped);
        }
}

/* The same for bytes that the skimmer kept, which are within all limits. `stay`: they outlive the loader. */
static bool read_kept(struct loader *loader, uint32_t number, const uint8_t *bytes, size_t size, bool stay)
{
        struct reader r = {.names = &loader->names, .limits = no_limits, .bytes_stay = stay, .is_kept = true};

        return read_on(loader, &r, number, bytes, size, !stay);
}

static enum ox_code parse(struct loader *loader, uint32_t number, const uint8_t *bytes, size_t size)
{
        struct memory memory = {.arena = loader->arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};
        enum schema_message is = message_of(number);
        ProtobufCMessage *message = protobuf_c_message_unpack(schema_of[is].descriptor, &allocator, size, bytes);
        const char *text;

        if (!message)
                return memory.is_out ? arena_failure(loader->arena, &text) : OX_INVALID_ARGUMENT;
        if (is == SCHEMA_NODE)
                loader_settle(loader);
        if (is == SCHEMA_NODE)
                node_list_add(&loader->graph.nodes, model_node_of(&loader->names, (const OnnxNode *)message));
        else if (is == SCHEMA_TENSOR)
                tensor_list_add(&loader->graph.initializers,
                                model_initializer_of(&loader->names, (const OnnxTensor *)message));
        else
                list_add(loader, number, message);
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

        if (defers(loader))
                return put_aside(loader, number, bytes, size);
        /* Fed bytes were already offered to loader_read(). */
        if (!is_fed && read_kept(loader, number, bytes, size, false))
                return OX_OK;
        return parse(loader, number, bytes, size);
}

/* Parses the stored messages, on the arena. */
static enum ox_code parse_aside(struct loader *loader, const char **ret_error)
{
        for (struct aside *aside; (aside = loader->first_aside) != NULL; loader->first_aside = aside->next) {
                if (read_kept(loader, aside->number, aside->bytes, aside->size, true))
                        continue;
                enum ox_code code = parse(loader, aside->number, aside->bytes, aside->size);

                if (code == OX_INVALID_ARGUMENT)
                        *ret_error = arena_printf(loader->arena,
                                                  "no model: GraphProto.%s has a message that cannot be parsed",
                                                  schema_of[SCHEMA_GRAPH].field[aside->number].name);
                else if (code != OX_OK)
                        arena_failure(loader->arena, ret_error);
                if (code != OX_OK)
                        return code;
        }
        return OX_OK;
}

/* Puts the messages read of the main graph before the rest of it. */
static void put_lists(struct model_graph *into, struct loader *loader)
{
        for (uint32_t number = 0; number < SCHEMA_NUMBERS; number++) {
                if (schema_of[SCHEMA_GRAPH].field[number].kind != SCHEMA_MESSAGE)
                        continue;
                struct list from = list_of(&loader->graph.proto, number);
                struct list to = list_of(&into->proto, number);

                *to.count = *from.count;
                *to.at = *from.at;
        }
        into->nodes = loader->graph.nodes;
        into->initializers = loader->graph.initializers;
}

/* -- the model -- */

/* All of a model by protobuf-c. */
static enum ox_code unpack_model(struct model_names *names, const uint8_t *bytes, size_t size, OnnxModel **ret,
                                 const char **ret_error)
{
        struct memory memory = {.arena = names->arena};
        ProtobufCAllocator allocator = {.alloc = memory_take, .free = memory_leave, .allocator_data = &memory};
        OnnxModel *model = shaped__onnx__v1__model_proto__unpack(&allocator, size, bytes);

        if (memory.is_out)
                return arena_failure(names->arena, ret_error);
        if (!model) {
                *ret_error = "not a model: the body is not a ModelProto";
                return OX_INVALID_ARGUMENT;
        }
        if (model->graph)
                model->graph = &model_graph_of(names, model->graph)->proto;
        for (size_t i = 0; i < model->n_functions; i++)
                model->functions[i] = &model_function_of(names, model->functions[i])->proto;
        *ret = model;
        return OX_OK;
}

static enum ox_code check_model(struct arena *arena, const OnnxModel *model, const char **ret_error)
{
        if (!model->graph) { /* NOLINT: a model that was read is there */
                *ret_error = "no model: the ModelProto has no graph";
                return OX_INVALID_ARGUMENT;
        }
        if (model->n_opset_import == 0 && model->has_ir_version && model->ir_version >= IR_WITH_OPSETS) {
                *ret_error = arena_printf(arena, "the model has no opset_import, which IR version %" PRId64 " needs",
                                          model->ir_version);
                return OX_INVALID_ARGUMENT;
        }
        return OX_OK;
}

enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, struct loader *loader,
                        struct model **ret, const char **ret_error)
{
        struct model *made = arena_new_zero(arena, struct model);
        struct reader r = {.names = &made->names, .limits = no_limits, .is_kept = true};
        OnnxModel *model = NULL;
        void *message;

        if (size == 0) {
                *ret_error = "not a model: the body is empty, or has no field of a ModelProto";
                return OX_INVALID_ARGUMENT;
        }
        if (loader) {
                loader_settle(loader);
                made->names = loader->names;
        } else {
                model_names_init(&made->names, arena, strings_new(arena, 0));
        }
        if (loader && read_message(&r, SCHEMA_MODEL, bytes, size, &message))
                model = message;
        else
                TRY(unpack_model(&made->names, bytes, size, &model, ret_error));
        TRY(check_model(arena, model, ret_error));
        if (loader) {
                loader->names = made->names;
                TRY(parse_aside(loader, ret_error));
                loader_settle(loader);
                put_lists((struct model_graph *)model->graph, loader);
                made->names = loader->names;
        }
        made->proto = model;
        *ret = made;
        return OX_OK;
}
