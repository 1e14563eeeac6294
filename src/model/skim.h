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

/* What a sink has read: bytes of whole fields, those of them that are not kept, and the number of the last field. */
struct skim_run {
        size_t taken, dropped;
        uint8_t last;
};

/* Takes the messages of the main graph's lists (nodes, initializers ...), each as soon as it is complete, so that a
   model is never in memory as a whole. `number` is that of the list's field in GraphProto. The bytes are valid only
   during the call, unless they are part of the fed bytes, as those of read() and with `is_fed` are: these are valid
   until settle(). Any code other than OX_OK ends the skimming. */
struct skim_sink {
        /* Reads unchecked messages that stand whole at the beginning of the fed bytes, each with the head of its field,
           until one is unusual or more than `most` bytes would be kept: that one the skimmer reads, and passes its kept
           bytes to take(). NULL: so it does with all. */
        void (*read)(void *user, const uint8_t *bytes, size_t size, size_t most, const struct intact *limits,
                     struct skim_run *ret);
        enum ox_code (*take)(void *user, uint32_t number, const uint8_t *bytes, size_t size, bool is_fed);
        void (*settle)(void *user); /* the bytes fed so far may be gone after it */
        void *user;
};

/* Lives on the arena, as do the kept bytes. `sink` NULL: everything is kept to the end. */
struct skimmer *skim_new(struct arena *arena, const struct ox_limits *limits, const struct skim_sink *sink);

/* Takes the next bytes; they need not live longer than the call. After an error every further call returns it again. */
enum ox_code skim_feed(struct skimmer *skimmer, const void *bytes, size_t size);

/* Called at the end of the upload: *ret_bytes (*ret_size) is the kept ModelProto, on the arena, without the messages
   that the sink took. OX_INVALID_ARGUMENT for truncated or malformed bytes and for names with NUL or invalid UTF-8;
   OX_RESOURCE_EXHAUSTED for nesting or sizes past limits. */
enum ox_code skim_end(struct skimmer *skimmer, const uint8_t **ret_bytes, size_t *ret_size);

/* The error message, with the byte offset and the message and field at fault; "" before an error. */
const char *skim_error(const struct skimmer *skimmer);

uint64_t skim_bytes_seen(const struct skimmer *skimmer);
uint64_t skim_bytes_dropped(const struct skimmer *skimmer);
