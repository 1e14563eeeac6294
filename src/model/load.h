/* From kept bytes to protobuf-c's structs. */
#pragma once

#include "base/arena.h"
#include "model/onnx.h"

/* protobuf-c's allocator over an arena: free does nothing. `ret` must live as long as it is used. */
void arena_allocator(struct arena *arena, ProtobufCAllocator *ret);

/* Parses bytes that the skimmer let through. OX_INVALID_ARGUMENT with *ret_error (on the arena) when they are no
   ModelProto, or have neither a graph nor an opset import. */
enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, OnnxModel **ret,
                        const char **ret_error);
