/* The skimmer: takes a ModelProto in chunks of any size and keeps a smaller, valid ModelProto of what inference needs.
   The payload of a tensor (raw_data, typed fields packed or not, string_data) is kept up to 32 KiB in all and dropped
   beyond, at every depth (initializers, attributes, functions, sparse tensors). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bounds.h"
#include "base/limits.h"
#include "model/intact.h"

/* The field that the skimmer adds to a TensorProto whose payload it dropped: bool data_dropped (proto/onnx.proto),
   a number that ONNX does not use. "Dropped" differs from "no data". */
#define SKIM_DROPPED_FIELD 15000

struct skimmer;

/* Takes the messages of the main graph's lists (nodes, initializers ...), each as soon as it is complete, so that a
   model never stands in memory as a whole. `number` is that of the list's field in GraphProto; the bytes are given up
   after the call, but when `is_fed`: then they stand in what was fed, as long as its owner keeps that. Any code but
   OX_OK ends the skimming. */
struct skim_sink {
        /* Takes what nobody has looked at yet, which stands in what was fed, with everything within limits;
           *ret_dropped: how many of its bytes are not kept. False: it must be looked at, and what is kept of it goes to
           take(). NULL: so it is always. */
        bool (*read)(void *user, uint32_t number, const uint8_t *bytes, size_t size, const struct intact *limits,
                     size_t *ret_dropped);
        enum ox_code (*take)(void *user, uint32_t number, const uint8_t *bytes, size_t size, bool is_fed);
        void *user;
};

/* Lives on the arena, as all that it keeps. `sink` NULL: everything is kept to the end. */
struct skimmer *skim_new(struct arena *arena, const struct ox_limits *limits, const struct skim_sink *sink);

/* Takes the next bytes; they need not live longer than the call. After an error every further call returns it again. */
enum ox_code skim_feed(struct skimmer *skimmer, const void *bytes, size_t size);

/* At the end of the upload: *ret_bytes (*ret_size) is the kept ModelProto, on the arena, without what the sink took.
   OX_INVALID_ARGUMENT for truncated or malformed bytes, names with NUL or invalid UTF-8, nesting or sizes past limits:
   OX_RESOURCE_EXHAUSTED.
 */
enum ox_code skim_end(struct skimmer *skimmer, const uint8_t **ret_bytes, size_t *ret_size);

/* What went wrong, with the byte offset and the message and field at fault; "" before an error. */
const char *skim_error(const struct skimmer *skimmer);

uint64_t skim_bytes_seen(const struct skimmer *skimmer);
uint64_t skim_bytes_dropped(const struct skimmer *skimmer);
