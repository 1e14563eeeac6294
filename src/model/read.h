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
        size_t dropped;            /* bytes that were read and are not kept, to which each message adds its own */
};

/* False: something is unusual (a message in two parts, a list in several, a length of more bytes than it needs, data
   that are not packed ...) or at fault; what is right then the slower way finds. */
bool read_node(struct reader *r, const uint8_t *at, size_t size, struct model_node **ret);

/* Nodes that were read, but for their names, which are where they were read. */
struct nodes_ahead;
struct nodes_ahead *nodes_ahead_new(struct arena *arena);

/* read_node() for bytes that stay until nodes_ahead_make(): the node is made, and added to the list, after others have
   been read, in order. A false changes nothing but that. */
bool read_node_ahead(struct reader *r, const uint8_t *at, size_t size, struct nodes_ahead *ahead,
                     struct node_list *list);

/* Makes those that are not made yet. */
void nodes_ahead_make(struct nodes_ahead *ahead, struct model_names *names, struct node_list *list);

bool read_initializer(struct reader *r, const uint8_t *at, size_t size, struct model_tensor **ret);

/* Any other message, as protobuf-c's struct: a GraphProto is the `proto` of a struct model_graph, and so on. */
bool read_message(struct reader *r, enum schema_message message, const uint8_t *at, size_t size, void **ret);
