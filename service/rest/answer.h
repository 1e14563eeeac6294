/* Answers shared by models and nodes. */
#pragma once

#include "net/call.h"
#include "rest/media.h"
#include "shape.h"

/* Appends {"code", "message", "details"} with the diagnostics of `result` (may be NULL) as details; without details if
   the context's memory does not suffice. */
void answer_error(struct call_text *to, struct ox_context *context, enum ox_code code, const char *message,
                  const struct ox_result *result);

/* An ox_write, and an ox_room, for answers that an I/O thread writes: past INLINE_ANSWER_BYTES they end the rendering
   with OX_ABORTED. */
struct answer_little {
        struct call *call;
        struct ox_context *context;
};
void answer_write_little(void *little, const char *bytes, size_t size);
char *answer_room_little(void *little, size_t put, size_t least, size_t *ret_size);
/* Ends the rendering in the same way if `size` more bytes would make the answer too long. */
void answer_keep_little(const struct call_text *answer, size_t size, struct ox_context *context);

/* The whole reply of a request that failed. */
void answer_failure(struct call *call, struct ox_context *context, enum ox_code code, const char *message,
                    const struct ox_result *result);

/* The whole reply of a request whose query was not taken. `error` is empty where the transport stopped at a NUL. */
void answer_bad_query(struct call *call, const char *error);

/* The format that the request's Accept fields ask for, of those whose bits are set; `usual` where they do not care. */
enum format answer_format(struct call *call, unsigned formats, enum format usual);

/* Append a result of a BatchInferNodesResponse: that of a node, which fails if memory runs out, and appends nothing
   then; or an error, without diagnostics if memory does not suffice. */
enum ox_code answer_result_proto(struct call_text *to, struct ox_context *context, const struct ox_result *result);
void answer_result_error_proto(struct call_text *to, struct ox_context *context, enum ox_code code, const char *message,
                               const struct ox_result *result);

/* Counts inferences, for the metrics and the log: a model (`result` NULL if there is none), or one more * node. */
void answer_count_model(struct call *call, struct ox_context *context, const struct ox_result *result);
void answer_count_node(struct call *call, struct ox_context *context);
