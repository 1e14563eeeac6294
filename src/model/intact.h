/* Finds messages that are kept unchanged: most nodes, and small tensors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/schema.h"
#include "model/wire.h"

/* The skimmer's remaining limits for one message. */
struct intact {
        size_t name_most;      /* bytes of a name */
        uint32_t payload_most; /* bytes of one tensor's payload */
        uint32_t depth;        /* levels to which messages may nest in the message */
};

/* Whether the skimmer would keep all of a message's `size` bytes unchanged. It gives no reason if not. */
bool message_is_intact(const struct intact *limits, enum schema_message message, const uint8_t *bytes, size_t size);
/* The same of a StringStringEntryProto, at once for nearly all there are. */
bool entry_is_intact(const struct intact *limits, const uint8_t *bytes, size_t size);
