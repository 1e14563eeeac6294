#include "model/skim.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/intact.h"
#include "model/schema.h"
#include "model/wire.h"

/* Kept bytes never outgrow the bytes they came from: a length is written in no more bytes than the length that was
   read needs, and only a payload that is larger makes room for the mark. So what a limit says of kept bytes holds. */

/* Deeper nesting than this is refused whatever the limit says: protobuf-c parses recursively. */
#define DEPTH_MOST 1000

/* protobuf-c takes no message of 2 GiB. */
#define KEPT_MOST INT32_MAX

#define FIRST_CAPACITY 16384

/* Before the kept bytes of the model's graph: its tag and its length. */
#define GRAPH_FIELD     7
#define GRAPH_TAG       (GRAPH_FIELD << 3 | WIRE_LENGTH)
#define GRAPH_HEAD_ROOM 6
#define GRAPH_DEPTH     1

struct out {
        uint8_t *at;
        size_t length, capacity;
};

/* A message that is being read. */
struct frame {
        uint64_t left;    /* bytes of it that were not announced by a field's head yet */
        size_t start;     /* where its content begins in the output */
        uint32_t payload; /* bytes of a tensor's payload that are kept */
        uint32_t given;   /* by number: fields of one message that were read already */
        uint8_t message;
        uint8_t number;  /* of the field that it is */
        uint8_t head;    /* bytes of tag and length before `start` */
        uint8_t width;   /* bytes of the length among them; 0: there is none */
        uint8_t last;    /* the number of the field that was kept last */
        uint8_t dropped; /* a tensor's payload was dropped */
};

enum check { CHECK_NONE, CHECK_NAME, CHECK_VARINTS };

struct skimmer {
        struct arena *arena;
        uint64_t upload_most, arena_most, seen;
        size_t kept_most, name_most;
        int64_t depth_limit;
        uint32_t depth_most;

        enum ox_code code;
        char error[320];

        /* The main graph is kept apart from the rest of the model, so that the graphs of models that follow each
           other are one: protobuf-c would merge them in quadratic time. */
        struct out graph, rest;
        struct out *out;
        bool has_graph, ended;
        struct skim_sink sink;
        size_t taken; /* bytes that the sink took */

        uint32_t depth; /* of the top frame; 0 is the model */
        struct frame *frame;

        uint64_t at;   /* bytes that were taken, up to the field's head that is being read */
        uint64_t skip; /* bytes to come that are not kept */

        uint64_t copy; /* bytes to come that are kept */
        size_t copy_start;
        enum check check;
        uint8_t field; /* the number of the field that is copied */

        uint8_t pending_size;
        uint8_t pending[WIRE_HEAD_BYTES + 1]; /* a head that chunks cut in two */
};

/* -- faults -- */

static __attribute__((format(printf, 3, 4))) void fail(struct skimmer *s, enum ox_code code, const char *format, ...)
{
        va_list args;

        s->code = code;
        va_start(args, format);
        vsnprintf(s->error, sizeof(s->error), format, args);
        va_end(args);
}

/* A fault at a field of the message that is being read; `text` says the rest of the sentence. */
static void fail_field(struct skimmer *s, enum ox_code code, uint32_t number, const char *text)
{
        const struct schema *schema = &schema_of[s->frame[s->depth].message];
        const char *name = number < SCHEMA_NUMBERS ? schema->field[number].name : NULL;

        if (name)
                fail(s, code, "%s.%s at byte %llu %s", schema->name, name, (unsigned long long)s->at, text);
        else
                fail(s, code, "%s at byte %llu: field %u %s", schema->name, (unsigned long long)s->at, number, text);
}

static void fail_limit(struct skimmer *s, const char *what, const char *limit, uint64_t most)
{
        const struct schema *schema = &schema_of[s->frame[s->depth].message];

        fail(s, OX_RESOURCE_EXHAUSTED, "%s at byte %llu: %s than %s allows (%llu)", schema->name,
             (unsigned long long)s->at, what, limit, (unsigned long long)most);
}

/* -- output -- */

/* How many bytes more may be kept. */
static size_t out_left(const struct skimmer *s)
{
        return s->kept_most - s->taken - s->graph.length - s->rest.length;
}

/* Room for `size` more bytes; NULL after a fault. */
static uint8_t *out_room(struct skimmer *s, size_t size)
{
        struct out *out = s->out;

        if (size > out_left(s)) {
                fail_limit(s, "more is kept of the model", "kept_bytes", s->kept_most);
                return NULL;
        }
        if (size > out->capacity - out->length) {
                size_t capacity = out->capacity ? 2 * out->capacity : FIRST_CAPACITY;

                if (capacity < out->length + size)
                        capacity = out->length + size;
                uint8_t *at = arena_try_alloc(s->arena, capacity);

                if (!at) {
                        fail_limit(s, "the model needs more memory", "arena_bytes", s->arena_most);
                        return NULL;
                }
                if (out->length)
                        memcpy(at, out->at, out->length);
                out->at = at;
                out->capacity = capacity;
        }
        return out->at + out->length;
}

static void out_put(struct skimmer *s, const uint8_t *bytes, size_t size)
{
        uint8_t *at = out_room(s, size);

        if (!at || size == 0)
                return;
        memcpy(at, bytes, size);
        s->out->length += size;
}

/* The tag at `bytes` as it is, and the length in as few bytes as it needs. */
static void out_head(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        size_t width = wire_width(head->value);
        uint8_t *at = out_room(s, head->tag_size + width);

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

                if (!out_room(s, more))
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

/* Whether what is a message now is one that the sink takes: of a list of the main graph. */
static bool is_for_sink(const struct skimmer *s)
{
        return s->depth == GRAPH_DEPTH && s->out == &s->graph && s->sink.take;
}

/* Hands a message of the main graph on to the sink. */
static void hand_on(struct skimmer *s, uint8_t number, const uint8_t *bytes, size_t size, bool is_fed)
{
        enum ox_code code = s->sink.take(s->sink.user, number, bytes, size, is_fed);

        if (code == OX_RESOURCE_EXHAUSTED)
                fail_limit(s, "the model needs more memory", "arena_bytes", s->arena_most);
        else if (code != OX_OK)
                fail_field(s, code, number, "cannot be parsed");
}

/* Hands on what was kept last. */
static void hand_on_kept(struct skimmer *s, const struct frame *frame)
{
        struct out *out = s->out;

        hand_on(s, frame->number, out->at + frame->start, out->length - frame->start, false);
        s->taken += out->length - (frame->start - frame->head);
        out->length = frame->start - frame->head;
}

/* Leaves every message that is complete. */
static void frame_settle(struct skimmer *s)
{
        while (s->depth > 0 && s->frame[s->depth].left == 0 && s->code == OX_OK) {
                const struct frame *frame = &s->frame[s->depth--];

                if (frame->width == 0)
                        s->out = &s->rest; /* the main graph */
                else if (is_for_sink(s))
                        hand_on_kept(s, frame);
                else
                        wire_put(s->out->at + frame->start - frame->width, s->out->length - frame->start, frame->width);
        }
}

static void take_message(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head,
                         const struct schema_field *field)
{
        struct frame *parent = &s->frame[s->depth];
        uint32_t bit = UINT32_C(1) << head->number;

        if (s->depth == s->depth_most) {
                fail_limit(s, "messages nest deeper", "message_depth", (uint64_t)s->depth_limit);
                return;
        }
        if (s->depth == 0 && head->number == GRAPH_FIELD) {
                s->out = &s->graph;
                if (!s->has_graph && out_room(s, GRAPH_HEAD_ROOM))
                        s->graph.length = GRAPH_HEAD_ROOM;
                s->has_graph = true;
                frame_push(s, head, field->message, 0);
                return;
        }
        if (!(field->flags & SCHEMA_REPEATED) && (parent->given & bit)) {
                if (parent->last == head->number)
                        frame_again(s, head->value);
                else
                        fail_field(s, OX_INVALID_ARGUMENT, head->number, "is given twice, with other fields between");
                return;
        }
        out_head(s, bytes, head);
        parent->given |= bit;
        parent->last = (uint8_t)head->number;
        frame_push(s, head, field->message, wire_width(head->value));
}

/* -- the payload of tensors -- */

/* Takes the payload that was kept so far out of the tensor on top, and marks it. */
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
        out_put(s, mark, sizeof(mark));
}

/* Whether `size` more bytes of payload are to be kept. */
static bool payload_fits(struct skimmer *s, uint64_t size)
{
        struct frame *tensor = &s->frame[s->depth];

        if (tensor->dropped)
                return false;
        /* An empty string costs its place in the list. */
        tensor->payload += size == 0 ? 1 : size > SKIM_TENSOR_BYTES ? SKIM_TENSOR_BYTES + 1 : (uint32_t)size;
        if (tensor->payload <= SKIM_TENSOR_BYTES)
                return true;
        payload_drop(s, tensor);
        return false;
}

/* -- fields -- */

/* Begins to copy what a length announces. */
static void take_bytes(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head, enum check check)
{
        if (head->value > s->kept_most) {
                fail_limit(s, "more is kept of the model", "kept_bytes", s->kept_most);
                return;
        }
        out_head(s, bytes, head);
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
                fail_field(s, OX_INVALID_ARGUMENT, head->number, "has a part of an element");
        else
                take_bytes(s, bytes, head, field->kind == SCHEMA_VARINT ? CHECK_VARINTS : CHECK_NONE);
}

static void take_scalar(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        out_put(s, bytes, head->size);
        s->frame[s->depth].last = (uint8_t)head->number;
}

/* Takes a field, whose head is at `bytes` and was read. */
static void take_field(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head)
{
        struct frame *frame = &s->frame[s->depth];
        uint64_t length = head->type == WIRE_LENGTH ? head->value : 0;
        const struct schema_field *field = NULL;

        frame->left -= head->size;
        if (length > frame->left) {
                fail_field(s, OX_INVALID_ARGUMENT, head->number, "is longer than the message that it is in");
                return;
        }
        frame->left -= length;
        if (head->number < SCHEMA_NUMBERS)
                field = &schema_of[frame->message].field[head->number];
        if (!field || !schema_takes(field, head->type) ||
            (field->flags & SCHEMA_PAYLOAD &&
             !payload_fits(s, head->type == WIRE_LENGTH ? length : (uint64_t)(head->size - head->tag_size)))) {
                s->skip = length;
                return;
        }
        if (field->kind == SCHEMA_MESSAGE) {
                take_message(s, bytes, head, field);
        } else if (field->kind == SCHEMA_NAME) {
                if (length > s->name_most)
                        fail_limit(s, "a name is longer", "name_bytes", s->name_most);
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
                fail_field(s, OX_INVALID_ARGUMENT, s->field, fault);
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
                fail(s, OX_INVALID_ARGUMENT, "%s at byte %llu: %s", schema_of[frame->message].name,
                     (unsigned long long)s->at,
                     head.result == WIRE_BAD ? "no field of a protobuf message" : "the message ends inside of a field");
                return 0;
        }
        s->pending_size = 0;
        take_field(s, at, &head);
        s->at += head.size;
        return head.size - before;
}

/* Hands a message of the main graph on as it stands in the chunk, when all of it does and all of it is kept; returns
   the bytes that it takes of the chunk, or 0 when it must be read field by field. */
static size_t feed_intact(struct skimmer *s, const uint8_t *at, size_t size)
{
        struct frame *graph = &s->frame[s->depth];
        const struct intact limits = {
                .name_most = s->name_most,
                .payload_most = SKIM_TENSOR_BYTES,
                .depth = s->depth_most - s->depth - 1,
        };

        if (size > graph->left)
                size = (size_t)graph->left;
        const struct wire_head head = wire_head(at, size);

        if (head.result != WIRE_OK || head.type != WIRE_LENGTH || head.number >= SCHEMA_NUMBERS ||
            head.value > size - head.size || wire_width(head.value) != (size_t)(head.size - head.tag_size))
                return 0;
        const struct schema_field *field = &schema_of[graph->message].field[head.number];
        size_t whole = head.size + (size_t)head.value;

        /* Weights in between, which nobody reads, make the next head far. */
        if (whole < size)
                __builtin_prefetch(at + whole);
        if (field->kind != SCHEMA_MESSAGE || whole > out_left(s) ||
            !message_is_intact(&limits, (enum schema_message)field->message, at + head.size, (size_t)head.value))
                return 0;
        hand_on(s, (uint8_t)head.number, at + head.size, (size_t)head.value, true);
        graph->last = (uint8_t)head.number;
        graph->left -= whole;
        s->at += whole;
        s->taken += whole;
        return whole;
}

/* Takes bytes that no field's head is in. */
static size_t feed_body(struct skimmer *s, const uint8_t *at, size_t size)
{
        if (s->skip) {
                size_t n = s->skip < size ? (size_t)s->skip : size;

                s->skip -= n;
                s->at += n;
                return n;
        }
        size_t n = s->copy < size ? (size_t)s->copy : size;

        out_put(s, at, n);
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
                fail(s, OX_RESOURCE_EXHAUSTED, "the upload has more bytes than upload_bytes allows (%llu)",
                     (unsigned long long)s->upload_most);
                return s->code;
        }
        s->seen += size;
        while (size > 0 && s->code == OX_OK) {
                bool is_copy = s->copy > 0, is_body = is_copy || s->skip;
                size_t n = 0;

                if (!is_body && !s->pending_size && is_for_sink(s))
                        n = feed_intact(s, at, size);
                if (n == 0 && s->code == OX_OK)
                        n = is_body ? feed_body(s, at, size) : feed_head(s, at, size);

                at += n;
                size -= n;
                if (s->copy || s->skip || s->code != OX_OK)
                        continue;
                if (is_copy)
                        copy_done(s);
                frame_settle(s);
        }
        return s->code;
}

/* -- beginning and end -- */

struct skimmer *skim_new(struct arena *arena, const struct ox_limits *limits, const struct skim_sink *sink)
{
        struct skimmer *s = arena_new_zero(arena, struct skimmer);
        int64_t depth = limits->message_depth;

        s->arena = arena;
        s->upload_most = limits->upload_bytes < 0 ? 0 : (uint64_t)limits->upload_bytes;
        s->arena_most = limits->arena_bytes < 0 ? 0 : (uint64_t)limits->arena_bytes;
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
        out_put(s, rest.at, rest.length);
        if (s->code != OX_OK)
                return;
        head = s->graph.at + GRAPH_HEAD_ROOM - 1 - width;
        head[0] = GRAPH_TAG;
        wire_put(head + 1, length, width);
        s->taken += wire_width(length + s->taken) - width; /* what is kept has the graph's whole length */
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
                fail(s, OX_INVALID_ARGUMENT, "the upload ends at byte %llu inside of %s", (unsigned long long)s->seen,
                     schema_of[s->frame[s->depth].message].name);
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
