/* The ONNX patch: a ModelProto with only graph.value_info, so that it can be appended to its model. */
#include "render/message_out.h"
#include "render/visit.h"

/* Fields of onnx.proto. */
enum {
        MODEL_GRAPH = 7,
        GRAPH_VALUE_INFO = 13,
        VALUE_INFO_NAME = 1,
        VALUE_INFO_TYPE = 2,
};

struct patch {
        struct message_out out;
        const struct strings *strings;
        struct kept_types *types;
        struct buf scratch;
};

/* Values for which the model has no type, if ONNX can express it: an element type is required. */
static bool belongs(struct patch *patch, const struct result_value *v)
{
        if (v->kind != OX_KIND_INTERMEDIATE || result_scope(v)[0] || v->declared_type)
                return false;
        patch->scratch.length = 0;
        return kept_find(patch->types, &v->value.type) || type_print(&v->value.type, &patch->scratch);
}

static void put_value(void *patch_, const struct result_value *value)
{
        struct patch *patch = patch_;
        struct message_out out = patch->out;
        size_t info;

        if (!belongs(patch, value))
                return;
        info = message_open(&out, GRAPH_VALUE_INFO);
        message_bytes(&out, VALUE_INFO_NAME, str_text(patch->strings, value->name),
                      str_length(patch->strings, value->name));
        message_type_again(&out, patch->types, VALUE_INFO_TYPE, &value->value.type);
        message_close(&out, info);
        patch->out = out;
}

void render_patch(const struct ox_result *result, struct arena *arena, ox_write write, void *user)
{
        static const struct visitor visitor = {.value = put_value};
        struct patch patch = {.strings = result->strings, .types = kept_types_new(arena)};

        buf_init(&patch.scratch, arena);
        message_begin(&patch.out, arena, result->dims, write, user);
        size_t graph = message_open(&patch.out, MODEL_GRAPH);

        visit_result(result, &visitor, &patch);
        if ((size_t)(patch.out.at - patch.out.target->block) == graph)
                return;
        message_close(&patch.out, graph);
        message_flush(&patch.out);
}
