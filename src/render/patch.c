/* The ONNX patch: a ModelProto with nothing but graph.value_info, so that it can be appended to the model it is for. */
#include "render/message_out.h"
#include "render/values.h"

/* Fields of onnx.proto. */
enum {
        MODEL_GRAPH = 7,
        GRAPH_VALUE_INFO = 13,
        VALUE_INFO_NAME = 1,
        VALUE_INFO_TYPE = 2,
};

/* Values that the model has no type for, as far as ONNX can say it: an element type is required. */
static bool belongs(const struct result_value *v, struct buf *scratch)
{
        scratch->length = 0;
        return v->kind == OX_KIND_INTERMEDIATE && !v->scope[0] && !v->declared_type &&
               type_print(&v->value.type, scratch);
}

void render_patch(const struct ox_result *result, struct arena *arena, ox_write write, void *user)
{
        struct message_out out;
        struct buf scratch;

        buf_init(&scratch, arena);
        message_begin(&out, arena, result->dims, write, user);
        size_t graph = message_open(&out, MODEL_GRAPH), empty = out.length;

        for (size_t i = 0; i < result->n_value; i++) {
                const struct result_value *v = result->value[i];

                if (!belongs(v, &scratch))
                        continue;
                size_t info = message_open(&out, GRAPH_VALUE_INFO);

                message_text(&out, VALUE_INFO_NAME, v->name);
                message_type(&out, VALUE_INFO_TYPE, &v->value.type);
                message_close(&out, info);
        }
        if (out.length == empty)
                return;
        message_close(&out, graph);
        message_flush(&out);
}
