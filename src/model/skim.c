/* Reads a ModelProto field by field, in chunks of any size, and decides which parts are kept. */
#include <string.h>

#include "base/str.h"
#include "model/intact.h"
#include "model/skim_internal.h"

/* Deeper nesting is refused even if the limit allows it, because protobuf-c parses recursively. */
#define DEPTH_MOST 1000

/* protobuf-c does not accept a message of 2 GiB. */
#define KEPT_MOST INT32_MAX

/* -- fields -- */

/* Begins to copy the content that a length announces. */
static void take_bytes(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head, enum check check)
{
        if (head->value > s->kept_most) {
                skim_fail_limit(s, "more is kept of the model", "kept_bytes", s->kept_most);
                return;
        }
        skim_put_head(s, bytes, head);
        s->copy = head->value;
        s->copy_start = s->out->length;
        s->check = check;
        s->field = (uint8_t)head->number;
        s->frame[s->depth].last = s->field;
}

static void take_packed(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head,
                        const struct schema_field *field)
{
        if (head->value % schema_unit(field) != 0)
                skim_fail_field(s, OX_INVALID_ARGUMENT, head->number, "has a part of an element");
        else
                take_bytes(s, bytes, head, field->kind == SCHEMA_VARINT ? CHECK_VARINTS : CHECK_NONE);
}

static void take_scalar(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        skim_put(s, bytes, head->size);
        s->frame[s->depth].last = (uint8_t)head->number;
}

/* Takes a field whose head, at `bytes`, was read. */
static void take_field(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        struct frame *frame = &s->frame[s->depth];
        uint64_t length = head->type == WIRE_LENGTH ? head->value : 0;
        const struct schema_field *field = NULL;

        frame->left -= head->size;
        if (length > frame->left) {
                skim_fail_field(s, OX_INVALID_ARGUMENT, head->number, "is longer than the message that it is in");
                return;
        }
        frame->left -= length;
        if (head->number < SCHEMA_NUMBERS)
                field = &schema_of[frame->message].field[head->number];
        if (!field || !schema_takes(field, head->type) ||
            (field->flags & SCHEMA_PAYLOAD &&
             !skim_payload_fits(s, head->type == WIRE_LENGTH ? length : (uint64_t)(head->size - head->tag_size)))) {
                s->skip = length;
                return;
        }
        if (field->kind == SCHEMA_MESSAGE) {
                skim_take_message(s, bytes, head, field);
        } else if (field->kind == SCHEMA_NAME) {
                if (length > s->name_most)
                        skim_fail_limit(s, "a name is longer", "name_bytes", s->name_most);
                else
                        take_bytes(s, bytes, head, CHECK_NAME);
        } else if (field->kind == SCHEMA_BYTES) {
                take_bytes(s, bytes, head, CHECK_NONE);
        } else if (head->type == WIRE_LENGTH) {
                take_packed(s, bytes, head, field);
        } else {
                take_scalar(s, bytes, head);
        }
}

/* -- chunks -- */

static void copy_done(struct skimmer *s)
{
        const uint8_t *at = s->out->at + s->copy_start;
        size_t size = s->out->length - s->copy_start;
        const char *fault = NULL;

        if (s->check == CHECK_NAME && !utf8_is_clean((const char *)at, size))
                fault = "is no UTF-8 text, or has a NUL";
        else if (s->check == CHECK_VARINTS && !wire_is_varints(at, size))
                fault = "has a malformed element";
        if (fault) {
                s->at -= size;
                skim_fail_field(s, OX_INVALID_ARGUMENT, s->field, fault);
        }
}

/* Reads a field's head from the chunk and what is left of the one before; returns the bytes of the chunk it took. */
static size_t feed_head(struct skimmer *s, const uint8_t *at, size_t size)
{
        const struct frame *frame = &s->frame[s->depth];
        size_t before = s->pending_size, have = size;

        if (before) {
                size_t more = sizeof(s->pending) - before;

                memcpy(s->pending + before, at, more < size ? more : size);
                have = before + (more < size ? more : size);
                at = s->pending;
        }
        bool is_all = have >= frame->left;
        const struct wire_head head = wire_head(at, is_all ? (size_t)frame->left : have);

        if (head.result == WIRE_SHORT && !is_all) {
                if (!before)
                        memcpy(s->pending, at, have);
                s->pending_size = (uint8_t)have;
                return have - before;
        }
        if (head.result != WIRE_OK) {
                skim_fail(s, OX_INVALID_ARGUMENT, "%s at byte %llu: %s", schema_of[frame->message].name,
                          (unsigned long long)s->at,
                          head.result == WIRE_BAD ? "no field of a protobuf message"
                                                  : "the message ends inside of a field");
                return 0;
        }
        s->pending_size = 0;
        take_field(s, at, &head);
        s->at += head.size;
        return head.size - before;
}

/* Hands a message of the main graph on as it stands in the chunk, when all of it does, and all of it is kept; returns
   the bytes that it takes of the chunk, or 0 when it must be read field by field. */
static size_t feed_message(struct skimmer *s, const struct intact *limits, const uint8_t *at, size_t size)
{
        const struct wire_head head = schema_list_head(at, size);
        const size_t whole = head.size + (size_t)head.value;
        const uint8_t *content = at + head.size;

        if (whole == 0 || whole > skim_left(s) ||
            !message_is_intact(limits, (enum schema_message)schema_of[SCHEMA_GRAPH].field[head.number].message, content,
                               (size_t)head.value))
                return 0;
        skim_hand_on(s, (uint8_t)head.number, content, (size_t)head.value, true);
        s->frame[GRAPH_DEPTH].last = (uint8_t)head.number;
        s->taken += whole;
        return whole;
}

/* As many as the sink reads at once. */
static size_t feed_run(struct skimmer *s, const struct intact *limits, const uint8_t *at, size_t size)
{
        struct skim_run run = {0};

        if (s->sink.read)
                s->sink.read(s->sink.user, at, size, skim_left(s), limits, &run);
        if (run.taken) {
                s->frame[GRAPH_DEPTH].last = run.last;
                s->taken += run.taken - run.dropped;
        }
        return run.taken;
}

/* As many as follow each other. */
static size_t feed_messages(struct skimmer *s, const uint8_t *at, size_t size)
{
        struct frame *graph = &s->frame[GRAPH_DEPTH];
        const struct intact limits = {
                .name_most = s->name_most,
                .payload_most = SKIM_TENSOR_BYTES,
                .depth = s->depth_most - GRAPH_DEPTH - 1,
        };
        size_t taken = 0, n;

        if (s->depth_most == GRAPH_DEPTH)
                return 0;
        if (size > graph->left)
                size = (size_t)graph->left;
        while (taken < size && s->code == OX_OK) {
                n = feed_run(s, &limits, at + taken, size - taken);
                if (n == 0)
                        n = feed_message(s, &limits, at + taken, size - taken);
                if (n == 0)
                        break;
                taken += n;
                graph->left -= n;
                s->at += n;
        }
        return taken;
}

/* Takes bytes within a field's content. */
static size_t feed_body(struct skimmer *s, const uint8_t *at, size_t size)
{
        if (s->skip) {
                size_t n = s->skip < size ? (size_t)s->skip : size;

                s->skip -= n;
                s->at += n;
                return n;
        }
        size_t n = s->copy < size ? (size_t)s->copy : size;

        skim_put(s, at, n);
        s->copy -= n;
        s->at += n;
        return n;
}

enum ox_code skim_feed(struct skimmer *s, const void *bytes, size_t size)
{
        const uint8_t *at = bytes;

        if (s->code != OX_OK || size == 0)
                return s->code;
        if (size > s->upload_most - s->seen) {
                skim_fail(s, OX_RESOURCE_EXHAUSTED, "the upload has more bytes than the limit upload_bytes, %llu",
                          (unsigned long long)s->upload_most);
                return s->code;
        }
        s->seen += size;
        while (size > 0 && s->code == OX_OK) {
                bool is_copy = s->copy > 0, is_body = is_copy || s->skip;
                size_t n = 0;

                if (!is_body && !s->pending_size && skim_is_for_sink(s))
                        n = feed_messages(s, at, size);
                if (n == 0 && s->code == OX_OK)
                        n = is_body ? feed_body(s, at, size) : feed_head(s, at, size);

                at += n;
                size -= n;
                if (s->copy || s->skip || s->code != OX_OK)
                        continue;
                if (is_copy)
                        copy_done(s);
                skim_settle(s);
        }
        if (s->sink.settle)
                s->sink.settle(s->sink.user);
        return s->code;
}

/* -- beginning and end -- */

struct skimmer *skim_new(struct arena *arena, const struct ox_limits *limits, const struct skim_sink *sink)
{
        struct skimmer *s = arena_new_zero(arena, struct skimmer);
        int64_t depth = limits->message_depth;

        s->arena = arena;
        s->upload_most = limits->upload_bytes < 0 ? 0 : (uint64_t)limits->upload_bytes;
        s->kept_most = limits->kept_bytes < 0           ? 0
                       : limits->kept_bytes > KEPT_MOST ? KEPT_MOST
                                                        : (size_t)limits->kept_bytes;
        s->name_most = limits->name_bytes < 0 ? 0 : (size_t)limits->name_bytes;
        s->depth_limit = depth < 1 ? 1 : depth > DEPTH_MOST ? DEPTH_MOST : depth;
        s->depth_most = (uint32_t)s->depth_limit - 1;
        s->out = &s->rest;
        if (sink)
                s->sink = *sink;
        s->frame = arena_new_array(arena, struct frame, s->depth_most + 1);
        s->frame[0] = (struct frame){.left = UINT64_MAX, .message = SCHEMA_MODEL};
        return s;
}

/* The model's graph with its head, and the rest of the model behind it. */
static void join(struct skimmer *s)
{
        size_t length = s->graph.length - GRAPH_HEAD_ROOM, width = wire_width(length);
        const struct out rest = s->rest;
        uint8_t *head;

        s->out = &s->graph;
        s->rest = (struct out){0};
        skim_put(s, rest.at, rest.length);
        if (s->code != OX_OK)
                return;
        head = s->graph.at + GRAPH_HEAD_ROOM - 1 - width;
        head[0] = GRAPH_TAG;
        wire_put(head + 1, length, width);
        s->taken += wire_width(length + s->taken) - width; /* the kept bytes have the graph's whole length */
        s->rest = (struct out){
                .at = head,
                .length = 1 + width + length + rest.length,
        };
        s->graph = (struct out){0};
}

enum ox_code skim_end(struct skimmer *s, const uint8_t **ret_bytes, size_t *ret_size)
{
        if (s->code != OX_OK)
                return s->code;
        if (s->pending_size || s->copy || s->skip || s->depth > 0) {
                skim_fail(s, OX_INVALID_ARGUMENT, "the upload ends at byte %llu inside of %s",
                          (unsigned long long)s->seen, schema_of[s->frame[s->depth].message].name);
                return s->code;
        }
        if (!s->ended && s->has_graph)
                join(s);
        s->ended = true;
        *ret_bytes = s->rest.at ? s->rest.at : (const uint8_t *)"";
        *ret_size = s->rest.length;
        return s->code;
}

const char *skim_error(const struct skimmer *s)
{
        return s->error;
}

uint64_t skim_bytes_seen(const struct skimmer *s)
{
        return s->seen;
}

uint64_t skim_bytes_dropped(const struct skimmer *s)
{
        size_t kept = s->taken + s->rest.length + (s->graph.length ? s->graph.length - GRAPH_HEAD_ROOM : 0);

        return kept < s->seen ? s->seen - kept : 0;
}
