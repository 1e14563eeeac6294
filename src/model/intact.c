#include "model/intact.h"

#include "base/str.h"

/* The state of reading a message. */
struct reading {
        uint32_t payload; /* its bytes, up to the limit */
        uint32_t given;   /* by number: fields of one message */
};

static bool message_is_kept(const struct intact *limits, enum schema_message message, const uint8_t *at, size_t size,
                            uint32_t depth);

static bool payload_is_kept(const struct intact *limits, struct reading *reading, uint64_t size)
{
        if (size > limits->payload_most - reading->payload)
                return false;
        reading->payload += size == 0 ? 1 : (uint32_t)size; /* an empty string takes its place in the list */
        return reading->payload <= limits->payload_most;
}

/* Checks the content that a field's length announces. */
static bool content_is_kept(const struct intact *limits, const struct schema_field *field, struct reading *reading,
                            const uint8_t *at, const struct wire_head *head, uint32_t depth)
{
        size_t length = (size_t)head->value;
        uint32_t bit = UINT32_C(1) << head->number;

        switch (field->kind) {
        case SCHEMA_NAME:
                return length <= limits->name_most && utf8_is_clean((const char *)at, length);
        case SCHEMA_MESSAGE:
                if (depth == limits->depth || (!(field->flags & SCHEMA_REPEATED) && reading->given & bit))
                        return false;
                reading->given |= bit;
                return message_is_kept(limits, (enum schema_message)field->message, at, length, depth + 1);
        case SCHEMA_VARINT:
                return wire_is_varints(at, length);
        default:
                return length % schema_unit(field) == 0;
        }
}

static bool message_is_kept(const struct intact *limits, enum schema_message message, const uint8_t *at, size_t size,
                            uint32_t depth)
{
        const struct schema *schema = &schema_of[message];
        struct reading reading = {0};

        while (size > 0) {
                const struct wire_head head = wire_head(at, size);

                if (head.result != WIRE_OK || head.number >= SCHEMA_NUMBERS)
                        return false;
                const struct schema_field *field = &schema->field[head.number];
                bool is_length = head.type == WIRE_LENGTH;
                uint64_t length = is_length ? head.value : 0;

                at += head.size;
                size -= head.size;
                if (!schema_takes(field, head.type) || length > size)
                        return false;
                if (field->flags & SCHEMA_PAYLOAD &&
                    !payload_is_kept(limits, &reading, is_length ? length : (uint64_t)(head.size - head.tag_size)))
                        return false;
                if (!is_length)
                        continue;
                /* A length with redundant bytes is rewritten. */
                if (head.size - head.tag_size > 1 && at[-1] == 0)
                        return false;
                if (!content_is_kept(limits, field, &reading, at, &head, depth))
                        return false;
                at += length;
                size -= (size_t)length;
        }
        return true;
}

bool message_is_intact(const struct intact *limits, enum schema_message message, const uint8_t *bytes, size_t size)
{
        return message_is_kept(limits, message, bytes, size, 0);
}

#define ENTRY_KEY   (1 << 3 | WIRE_LENGTH)
#define ENTRY_VALUE (2 << 3 | WIRE_LENGTH)
#define SHORT_MOST  127U /* bytes of a text whose length takes one */

/* A key and a value, neither of them empty or long: the bytes of their heads are ASCII as well, so that all is clean if
   the texts are. */
static bool is_short_entry(const struct intact *limits, const uint8_t *at, size_t size)
{
        if (size < 6 || limits->name_most < SHORT_MOST || at[0] != ENTRY_KEY || at[1] - 1U >= SHORT_MOST ||
            at[1] > size - 5)
                return false;
        const uint8_t *value = at + 2 + at[1];

        return value[0] == ENTRY_VALUE && value[1] - 1U < SHORT_MOST && value + 2 + value[1] == at + size &&
               utf8_is_clean((const char *)at, size);
}

bool entry_is_intact(const struct intact *limits, const uint8_t *bytes, size_t size)
{
        return is_short_entry(limits, bytes, size) || message_is_intact(limits, SCHEMA_STRING_ENTRY, bytes, size);
}
