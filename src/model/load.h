/* Parses kept bytes into structs. */
#pragma once

#include "base/arena.h"
#include "model/graph.h"
#include "model/intact.h"
#include "model/skim.h"

/* protobuf-c's allocator over an arena: free does nothing. `ret` must live as long as it is used. */
void arena_allocator(struct arena *arena, ProtobufCAllocator *ret);

/* The messages of the main graph's lists, parsed one by one. */
struct loader;

/* Lives on the arena. `seed` is that of the model's strings. */
struct loader *loader_new(struct arena *arena, uint64_t seed);

/* Says that bytes fed from now on outlive the loaded model, so that raw_data of initializers is read in place and not
   copied. */
void loader_bytes_stay(struct loader *loader, bool stay);

/* Once `bytes` of the arena are in use, messages are stored unparsed, for model_load(): parsing takes far longer than
   reading, and may be the work of another thread. */
void loader_defer(struct loader *loader, size_t bytes);

/* Reads the next messages of lists, or takes one: the functions of a skimmer's sink. */
void loader_read(void *loader, const uint8_t *bytes, size_t size, size_t most, const struct intact *limits,
                 struct skim_run *ret);
enum ox_code loader_take(void *loader, uint32_t number, const uint8_t *bytes, size_t size, bool is_fed);
void loader_settle(void *loader);

/* Parses the bytes that the skimmer kept to the end, and puts the loader's lists into their graph. NULL: there are
   none, and protobuf-c reads everything. OX_INVALID_ARGUMENT with *ret_error (on the arena) if the bytes are not a
   ModelProto, or have neither a graph nor an opset import. */
enum ox_code model_load(struct arena *arena, const uint8_t *bytes, size_t size, struct loader *loader,
                        struct model **ret, const char **ret_error);
