/* Messages of which everything is kept as it is: most nodes, and the tensors that are small. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/schema.h"
#include "model/wire.h"

/* What the skimmer's limits leave for one message. */
struct intact {
        size_t name_most;      /* bytes of a name */
        uint32_t payload_most; /* bytes of one tensor's payload */
        uint32_t depth;        /* how deep messages may nest in the message */
};

/* Whether the skimmer would keep all of a message's `size` bytes, and change none of them. It does not say why not. */
bool message_is_intact(const struct intact *limits, enum schema_message message, const uint8_t *bytes, size_t size);
