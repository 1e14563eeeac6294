#include "model/load.h"

#include <inttypes.h>

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

enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, OnnxModel **ret, const char **ret_error)
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
        *ret = model;
        return OX_OK;
}
