/* Shared by the files that read messages: read.c, and read_node.c for nodes. */
#pragma once

#include "model/read.h"

/* A message's bytes that are still to be read. */
struct span {
        const uint8_t *at, *end;
};

/* Reads the head of the next field, whose content is complete; false if it is not a field. */
static inline bool next_head(struct span span, struct wire_head *ret)
{
        const size_t size = (size_t)(span.end - span.at);

        *ret = wire_head(span.at, size);
        return ret->result == WIRE_OK && (ret->type != WIRE_LENGTH || ret->value <= size - ret->size);
}

/* Bytes of a field with its head. */
static inline size_t field_size(const struct wire_head *head)
{
        return head->size + (head->type == WIRE_LENGTH ? (size_t)head->value : 0);
}

/* Whether a length is in more bytes than it needs: the skimmer writes it anew. */
static inline bool is_long(const uint8_t *field, const struct wire_head *head)
{
        return head->type == WIRE_LENGTH && head->size - head->tag_size > 1 && field[head->size - 1] == 0;
}

/* Skips a field that nobody reads. */
static inline bool drop_field(struct reader *r, size_t size)
{
        r->dropped += size;
        return !r->is_kept;
}

/* Interns a name, which ends up as r->name too. */
bool read_name(struct reader *r, struct span span, char **ret);

/* A message within another one. `depth`: of messages that may nest in the one around it. */
bool read_child(struct reader *r, enum schema_message message, struct span span, uint32_t depth, void **ret);

/* A node within a message. */
bool read_node_within(struct reader *r, struct span span, uint32_t depth, struct model_node **ret);
