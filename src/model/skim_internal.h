/* What the two halves of the skimmer share: skim.c reads fields, skim_kept.c keeps what they are. */
#pragma once

#include "model/schema.h"
#include "model/skim.h"
#include "model/wire.h"

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
        uint64_t upload_most, seen;
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

/* -- faults: the skimmer's code and message -- */

void skim_fail(struct skimmer *s, enum ox_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A fault at a field of the message that is being read; `text` says the rest of the sentence. */
void skim_fail_field(struct skimmer *s, enum ox_code code, uint32_t number, const char *text);
void skim_fail_limit(struct skimmer *s, const char *what, const char *limit, uint64_t most);

/* -- what is kept -- */

/* How many bytes more may be kept. */
size_t skim_left(const struct skimmer *s);

/* Room for `size` more bytes; NULL after a fault. */
uint8_t *skim_room(struct skimmer *s, size_t size);

void skim_put(struct skimmer *s, const uint8_t *bytes, size_t size);

/* The tag at `bytes` as it is, and the length in as few bytes as it needs. */
void skim_put_head(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head);

/* Whether `size` more bytes of payload are to be kept of the tensor on top. */
bool skim_payload_fits(struct skimmer *s, uint64_t size);

/* -- messages -- */

/* Whether what is a message now is one that the sink takes: of a list of the main graph. */
bool skim_is_for_sink(const struct skimmer *s);

/* Hands a message of the main graph on to the sink. */
void skim_hand_on(struct skimmer *s, uint8_t number, const uint8_t *bytes, size_t size, bool is_fed);

/* Enters the message that a field announces, whose head is at `bytes`. */
void skim_take_message(struct skimmer *s, const uint8_t *bytes, const struct wire_head *head,
                       const struct schema_field *field);

/* Leaves every message that is complete. */
void skim_settle(struct skimmer *s);
