/* Messages of protobuf-c, on an arena: read from unchecked bytes, and read and written as canonical JSON (Protocol
   Buffers' "ProtoJSON"). All functions that read must run under ox_context_run(). */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "engine.h"
#include "render/json_out.h"
#include "rest/json.h"

#define MESSAGE_FIELD_PATH 160

/* A fault of a message. */
struct message_fault {
        char field[MESSAGE_FIELD_PATH]; /* its path, "options.dims[0].value"; "" for the message as a whole */
        char text[256];
};

/* OX_INVALID_ARGUMENT for bytes that are not such a message, and for texts in it that are not UTF-8 or hold a NUL,
   where protobuf-c would cut them; OX_RESOURCE_EXHAUSTED if it nests deeper than limits.message_depth. Unknown fields
   are skipped. */
enum ox_code message_unpack(struct arena *arena, const struct ox_limits *limits, const ProtobufCMessageDescriptor *type,
                            const uint8_t *bytes, size_t size, ProtobufCMessage **ret, struct message_fault *fault);

/* The same for a plain message: without unknown fields, groups, or repeated singular fields that would have to be
   merged. NULL for any other message, and for an invalid one. */
ProtobufCMessage *message_unpack_plain(struct arena *arena, const struct ox_limits *limits,
                                       const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size);

/* The same from JSON; `json` must stay valid. Fields may be named as in JSON or as in the .proto file; an unknown name
   is an error, and null is an absent field. */
enum ox_code message_from_json(struct arena *arena, const ProtobufCMessageDescriptor *type, const struct json *json,
                               ProtobufCMessage **ret, struct message_fault *fault);

/* Writes a message made by message_unpack() or by this program. An Any shows its message if its type is one of ours,
   else its bytes; `arena` is for these. */
void message_to_json(struct json_out *out, struct arena *arena, const ProtobufCMessage *message);
