#include "reread.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "shaped.pb-c.h"

static void collect(void *buf, const char *bytes, size_t size)
{
        buf_put(buf, bytes, size);
}

/* protobuf-c leaves out what it knows nothing of and writes fields in the order of their numbers. */
static bool same_again(const ProtobufCMessage *message, const struct buf *answer)
{
        size_t size = protobuf_c_message_get_packed_size(message);
        uint8_t *packed = malloc(size + 1);
        bool same = packed && !message->n_unknown_fields &&
                    protobuf_c_message_pack(message, packed) == answer->length &&
                    memcmp(packed, answer->text, answer->length) == 0;

        free(packed);
        return same;
}

bool reread(struct ox_context *context, const struct ox_result *result, const char **ret_error)
{
        struct buf answer;

        buf_init(&answer, ox_context_arena(context));
        if (ox_render_proto(context, result, collect, &answer) != OX_OK) {
                *ret_error = "no answer in protobuf";
                return false;
        }
        ProtobufCMessage *message = protobuf_c_message_unpack(&shaped__v1__infer_node_response__descriptor, NULL,
                                                              answer.length, (const uint8_t *)answer.text);
        bool good = message && same_again(message, &answer);

        if (message)
                protobuf_c_message_free_unpacked(message, NULL);
        if (!good)
                *ret_error = message ? "protobuf-c writes another answer" : "protobuf-c cannot read the answer";
        return good;
}
