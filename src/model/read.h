/* Reads messages from the wire at once: checks them as the skimmer does, skips what it drops, interns the names, and
   fills the structures that inference reads. What it cannot do so it leaves to the skimmer and protobuf-c. */
#pragma once

#include "model/graph.h"
#include "model/intact.h"
#include "model/schema.h"

struct reader {
        struct model_names *names; /* all that is read lives on their arena */
        struct intact limits;      /* where the message stands */
        bool bytes_stay;           /* what is read outlives it, so that bytes are read where they stand */
        bool is_kept;              /* the skimmer has kept it: what would be dropped is its mark, which is unusual */
        str_id name;               /* that was read last */
        int64_t *sizes; /* where a tensor's sizes go when they are few, FEW_SIZES; NULL: they are allocated */
        size_t dropped; /* bytes that were read and are not kept, to which each message adds its own */
};

/* False: something is unusual (a message in two parts, a list in several, a length of more bytes than it needs, data
   that are not packed ...) or at fault; what is right then the slower way finds. */
bool read_node(struct reader *r, const uint8_t *at, size_t size, struct model_node **ret);

bool read_initializer(struct reader *r, const uint8_t *at, size_t size, struct model_tensor **ret);

/* Any other message, as protobuf-c's struct: a GraphProto is the `proto` of a struct model_graph, and so on. */
bool read_message(struct reader *r, enum schema_message message, const uint8_t *at, size_t size, void **ret);
