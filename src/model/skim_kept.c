/* The skimmer's output: kept bytes, open messages, and messages for the sink. */
#include <stdio.h>
#include <string.h>

#include "model/skim_internal.h"

/* Kept bytes never outgrow the bytes they came from: a length is written in no more bytes than the length that was
   read needs, and only a payload that is larger makes room for the mark. So what a limit says of kept bytes holds. */

#define FIRST_CAPACITY 4096

/* -- faults -- */

void skim_fail(struct skimmer *s, enum ox_code code, const char *format, ...)
{
        va_list args;

        s->code = code;
        va_start(args, format);
        vsnprintf(s->error, sizeof(s->error), format, args);
        va_end(args);
}

void skim_fail_field(struct skimmer *s, enum ox_code code, uint32_t number, const char *text)
{
        const struct schema *schema = &schema_of[s->frame[s->depth].message];
        const char *name = number < SCHEMA_NUMBERS ? schema->field[number].name : NULL;

        if (name)
                skim_fail(s, code, "%s.%s at byte %llu %s", schema->name, name, (unsigned long long)s->at, text);
        else
                skim_fail(s, code, "%s at byte %llu: field %u %s", schema->name, (unsigned long long)s->at, number,
                          text);
}

void skim_fail_limit(struct skimmer *s, const char *what, const char *limit, uint64_t most)
{
        const struct schema *schema = &schema_of[s->frame[s->depth].message];

        skim_fail(s, OX_RESOURCE_EXHAUSTED, "%s at byte %llu: %s than the limit %s, %llu", schema->name,
                  (unsigned long long)s->at, what, limit, (unsigned long long)most);
}

static void fail_memory(struct skimmer *s)
{
        const char *text;
        enum ox_code code = arena_failure(s->arena, &text);

        skim_fail(s, code, "%s at byte %llu: %s", schema_of[s->frame[s->depth].message].name, (unsigned long long)s->at,
                  text);
}

/* -- output -- */

size_t skim_left(const struct skimmer *s)
{
        return s->kept_most - s->taken - s->graph.length - s->rest.length;
}

uint8_t *skim_room(struct skimmer *s, size_t size)
{
        struct out *out = s->out;

        if (size > skim_left(s)) {
                skim_fail_limit(s, "more is kept of the model", "kept_bytes", s->kept_most);
                return NULL;
        }
        if (size > out->capacity - out->length) {
                size_t capacity = out->capacity ? 2 * out->capacity : FIRST_CAPACITY;

                if (capacity < out->length + size)
                        capacity = out->length + size;
                uint8_t *at = arena_try_alloc(s->arena, capacity);

                if (!at) {
                        fail_memory(s);
                        return NULL;
                }
                if (out->length)
                        memcpy(at, out->at, out->length);
                out->at = at;
                out->capacity = capacity;
        }
        return out->at + out->length;
}

void skim_put(struct skimmer *s, const uint8_t *bytes, size_t size)
{
        uint8_t *at = skim_room(s, size);

        if (!at || size == 0)
                return;
        memcpy(at, bytes, size);
        s->out->length += size;
}

void skim_put_head(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        size_t width = wire_width(head->value);
        uint8_t *at = skim_room(s, head->tag_size + width);

        if (!at)
                return;
        memcpy(at, bytes, head->tag_size);
        wire_put(at + head->tag_size, head->value, width);
        s->out->length += head->tag_size + width;
}

/* -- messages -- */

/* Enters the message that a field announced, whose head was written, or, with a `width` of 0, was not. */
static void frame_push(struct skimmer *s, const struct wire_head *head, uint8_t message, size_t width)
{
        s->frame[++s->depth] = (struct frame){
                .left = head->value,
                .start = s->out->length,
                .message = message,
                .number = (uint8_t)head->number,
                .head = (uint8_t)(width ? head->tag_size + width : 0),
                .width = (uint8_t)width,
        };
}

/* A message field that is not repeated comes again, which means that both are one. The one before is the last thing
   that was kept, and its frame still stands above the top. */
static void frame_again(struct skimmer *s, uint64_t size)
{
        struct frame *frame = &s->frame[s->depth + 1];
        size_t kept = s->out->length - frame->start;
        size_t width = wire_width(kept + size);

        if (width > frame->width) {
                size_t more = width - frame->width;

                if (!skim_room(s, more))
                        return;
                memmove(s->out->at + frame->start + more, s->out->at + frame->start, kept);
                s->out->length += more;
                frame->start += more;
                frame->head += (uint8_t)more;
                frame->width = (uint8_t)width;
        }
        frame->left = size;
        s->depth++;
}

bool skim_is_for_sink(const struct skimmer *s)
{
        return s->depth == GRAPH_DEPTH && s->out == &s->graph && s->sink.take;
}

void skim_hand_on(struct skimmer *s, uint8_t number, const uint8_t *bytes, size_t size, bool is_fed)
{
        enum ox_code code = s->sink.take(s->sink.user, number, bytes, size, is_fed);

        if (code == OX_RESOURCE_EXHAUSTED || code == OX_UNAVAILABLE)
                fail_memory(s);
        else if (code != OX_OK)
                skim_fail_field(s, code, number, "cannot be parsed");
}

/* Passes on the message that was kept last. */
static void hand_on_kept(struct skimmer *s, const struct frame *frame)
{
        struct out *out = s->out;

        skim_hand_on(s, frame->number, out->at + frame->start, out->length - frame->start, false);
        s->taken += out->length - (frame->start - frame->head);
        out->length = frame->start - frame->head;
}

void skim_settle(struct skimmer *s)
{
        while (s->depth > 0 && s->frame[s->depth].left == 0 && s->code == OX_OK) {
                const struct frame *frame = &s->frame[s->depth--];

                if (frame->width == 0)
                        s->out = &s->rest; /* the main graph */
                else if (skim_is_for_sink(s))
                        hand_on_kept(s, frame);
                else
                        wire_put(s->out->at + frame->start - frame->width, s->out->length - frame->start, frame->width);
        }
}

void skim_take_message(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head,
                       const struct schema_field *field)
{
        struct frame *parent = &s->frame[s->depth];
        uint32_t bit = UINT32_C(1) << head->number;

        if (s->depth == s->depth_most) {
                skim_fail_limit(s, "messages nest deeper", "message_depth", (uint64_t)s->depth_limit);
                return;
        }
        if (s->depth == 0 && head->number == GRAPH_FIELD) {
                s->out = &s->graph;
                if (!s->has_graph && skim_room(s, GRAPH_HEAD_ROOM))
                        s->graph.length = GRAPH_HEAD_ROOM;
                s->has_graph = true;
                frame_push(s, head, field->message, 0);
                return;
        }
        if (!(field->flags & SCHEMA_REPEATED) && (parent->given & bit)) {
                if (parent->last == head->number)
                        frame_again(s, head->value);
                else
                        skim_fail_field(s, OX_INVALID_ARGUMENT, head->number,
                                        "is given twice, with other fields between");
                return;
        }
        skim_put_head(s, bytes, head);
        parent->given |= bit;
        parent->last = (uint8_t)head->number;
        frame_push(s, head, field->message, wire_width(head->value));
}

/* -- the payload of tensors -- */

/* Removes the kept payload of the tensor on top, and marks it as dropped. */
static void payload_drop(struct skimmer *s, struct frame *tensor)
{
        static const uint8_t mark[] = {0x80 | (SKIM_DROPPED_FIELD << 3 & 0x7f), 0x80 | (SKIM_DROPPED_FIELD >> 4 & 0x7f),
                                       SKIM_DROPPED_FIELD >> 11, 1};
        const struct schema_field *fields = schema_of[SCHEMA_TENSOR].field;
        struct out *out = s->out;
        size_t to = tensor->start, size;

        for (size_t from = tensor->start; from < out->length; from += size) {
                const struct wire_head head = wire_head(out->at + from, out->length - from);

                if (head.result != WIRE_OK)
                        break;
                size = head.size + (head.type == WIRE_LENGTH ? (size_t)head.value : 0);
                if (fields[head.number].flags & SCHEMA_PAYLOAD)
                        continue;
                memmove(out->at + to, out->at + from, size);
                to += size;
        }
        out->length = to;
        tensor->dropped = true;
        skim_put(s, mark, sizeof(mark));
}

bool skim_payload_fits(struct skimmer *s, uint64_t size)
{
        struct frame *tensor = &s->frame[s->depth];

        if (tensor->dropped)
                return false;
        /* An empty string takes its place in the list. */
        tensor->payload += size == 0 ? 1 : size > SKIM_TENSOR_BYTES ? SKIM_TENSOR_BYTES + 1 : (uint32_t)size;
        if (tensor->payload <= SKIM_TENSOR_BYTES)
                return true;
        payload_drop(s, tensor);
        return false;
}
