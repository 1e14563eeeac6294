/* Writers of a result. Each writes through `write`, in pieces, and allocates on the arena. */
#pragma once

#include "base/write.h"
#include "infer/result.h"

/* The JSON answer. */
void render_json(const struct ox_result *result, struct arena *arena, bool pretty, ox_write write, void *user);
/* The same, not pretty, to where `room` says, which must give some. */
void render_json_in(const struct ox_result *result, struct arena *arena, ox_room room, void *user);

/* The aligned table for people: a line for each value, then diagnostics, constraints and a summary. */
void render_table(const struct ox_result *result, struct arena *arena, ox_write write, void *user);

/* {"code": ..., "message": ..., "details": []}; diagnostics of `result` (may be NULL) become the details. */
void render_error_json(enum ox_code code, const char *message, const struct ox_result *result, ox_write write,
                       void *user);

/* application/vnd.onnx.patch: bytes that, appended to the model, give its intermediate values their types. */
void render_patch(const struct ox_result *result, struct arena *arena, ox_write write, void *user);

/* The place of a rendered message in a larger one: the numbers of the fields that lead to it, at most
   MESSAGE_PATH_MOST, the outermost first. NULL: it stands alone. */
#define MESSAGE_PATH_MOST 4
struct message_path {
        size_t count;
        const unsigned *field;
};

/* shaped.v1.InferModelResponse, or InferNodeResponse for a single node's result. */
void render_proto(const struct ox_result *result, struct arena *arena, const struct message_path *around,
                  ox_write write, void *user);

struct render_error {
        enum ox_code code;
        const char *message;
        const char *field;              /* the path of the faulty field of the request; NULL: none */
        const struct ox_result *result; /* its diagnostics become details; may be NULL */
};

/* google.rpc.Status; or, at its place in a BatchInferNodesResponse, the Result of a failed node, whose diagnostics
   stand beside the error, because only clients that know the type of a detail can read it in JSON. */
void render_error_proto(const struct render_error *error, struct arena *arena, const struct message_path *result_path,
                        ox_write write, void *user);
