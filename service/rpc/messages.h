/* Messages of protobuf-c, on an arena: read from bytes that nobody has checked, and read and written as canonical JSON
   (Protocol Buffers' "ProtoJSON"). All that reads must run under ox_context_run(). */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "engine.h"
#include "render/json_out.h"
#include "rest/json.h"

#define MESSAGE_FIELD_PATH 160

/* What is wrong with a message. */
struct message_fault {
        char field[MESSAGE_FIELD_PATH]; /* its path, "options.dims[0].value"; "" for the message as a whole */
        char text[256];
};

/* OX_INVALID_ARGUMENT for bytes that are no such message, and for texts in it that are not UTF-8 or hold a NUL, for
   protobuf-c would cut them there; OX_RESOURCE_EXHAUSTED where it nests deeper than limits.message_depth. Fields that
   are not known are skipped. */
enum ox_code message_unpack(struct arena *arena, const struct ox_limits *limits, const ProtobufCMessageDescriptor *type,
                            const uint8_t *bytes, size_t size, ProtobufCMessage **ret, struct message_fault *fault);

/* The same message where nothing about it is unusual: no field that is not known, none that is given twice and would
   have to be merged, no group. NULL where something is, or is wrong. */
ProtobufCMessage *message_unpack_plain(struct arena *arena, const struct ox_limits *limits,
                                       const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size);

/* The same from JSON; `json` must stay. Fields may be named as in JSON or as in the .proto file; one that is not known
   is an error, and null is a field that is absent. */
enum ox_code message_from_json(struct arena *arena, const ProtobufCMessageDescriptor *type, const struct json *json,
                               ProtobufCMessage **ret, struct message_fault *fault);

/* Writes a message that message_unpack() or this program made. An Any shows its message where its type is one of ours,
   and its bytes where it is not; `arena` is for these. */
void message_to_json(struct json_out *out, struct arena *arena, const ProtobufCMessage *message);
