/* Receives an InferModelRequest: passes the bytes of its model to the engine as they arrive, and keeps the rest. */
#pragma once

#include "engine.h"
#include "net/call.h"
#include "rpc/base64.h"
#include "rpc/messages.h"

struct model_stream {
        struct ox_context *context;
        bool is_json;
        int64_t rest_limit;    /* on the bytes of `rest` */
        struct call_text rest; /* in protobuf the concatenated options messages, which protobuf merges; in JSON the
                                  request with an empty model */
        size_t defer_bytes;    /* ox_model_defer() */
        bool has_parts;        /* models are one after the other parts of one */
        bool has_model;
        enum ox_code code; /* of a failure, which `fault` describes */
        struct message_fault fault;

        /* protobuf: the head of a field, or what stands in it */
        uint8_t head[WIRE_HEAD_BYTES];
        size_t head_size;
        uint64_t left;
        uint32_t field; /* 0: it is skipped */

        /* JSON */
        int depth;
        char key[8]; /* the beginning of a member's name */
        size_t key_size;
        enum { JSON_OUTSIDE, JSON_TEXT, JSON_ESCAPE, JSON_MODEL, JSON_MODEL_ESCAPE } state;
        bool is_key, is_model_next;
        struct base64_decoder base64;
};

void model_stream_begin(struct model_stream *stream, struct ox_context *context, bool is_json, struct budget *budget,
                        int64_t rest_limit, size_t defer_bytes);
void model_stream_done(struct model_stream *stream);

/* Takes the next bytes. False: `code` and `fault` have the error. */
bool model_stream_take(struct model_stream *stream, const char *bytes, size_t size);

/* Called at the end of the request. */
bool model_stream_end(struct model_stream *stream);
