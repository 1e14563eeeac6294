/* A result: its parts, and how it is rendered. */
#include "api/internal.h"

/* -- its parts -- */

size_t ox_result_count(const struct ox_result *result)
{
        return result->n_value;
}

struct value_request {
        struct ox_context *context;
        const struct ox_result *result;
        size_t index;
        struct ox_result_value *ret;
};

static enum ox_code run_value(void *user)
{
        struct value_request *request = user;
        const struct result_value *value;

        if (request->index >= request->result->n_value)
                return context_fail(request->context, OX_OUT_OF_RANGE,
                                    "index %zu is out of range: there are %zu values", request->index,
                                    request->result->n_value);
        value = result_at(request->result, request->index);
        *request->ret = (struct ox_result_value){
                .name = result_name(request->result, value),
                .kind = value->kind,
                .scope = result_scope(value),
                .node = result_node(value),
                .node_index = result_node_index(value),
                .op = result_op(value),
        };
        value_export(request->context->arena, request->result->dims, &value->value, &request->ret->value);
        return OX_OK;
}

enum ox_code ox_result_value(struct ox_context *context, const struct ox_result *result, size_t index,
                             struct ox_result_value *ret)
{
        struct value_request request = {context, result, index, ret};

        *ret = (struct ox_result_value){.name = "", .scope = "", .node = "", .node_index = -1, .op = ""};
        return ox_context_run(context, run_value, &request);
}

const struct ox_symbol *ox_result_symbols(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_symbol;
        return result->symbol;
}

const struct ox_dynamic_size *ox_result_dynamic_sizes(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_dynamic;
        return result->dynamic;
}

const struct ox_constraint *ox_result_assumptions(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_assumption;
        return result->assumption;
}

const struct ox_constraint *ox_result_constraints(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_constraint;
        return result->constraint;
}

const struct ox_graph_node *ox_result_nodes(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_node;
        return result->node;
}

const struct ox_size *ox_result_sizes(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_size;
        return result->size;
}

const struct ox_tied_sizes *ox_result_tied_sizes(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_tied;
        return result->tied;
}

const struct ox_diag *ox_result_diagnostics(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->diags->count;
        return result->diags->at;
}

struct ox_summary ox_result_summary(const struct ox_result *result)
{
        return result->summary;
}

struct explanation_request {
        struct ox_context *context;
        const struct ox_result *result;
        size_t index;
        struct ox_explanation *ret;
};

static enum ox_code run_explanation(void *user)
{
        struct explanation_request *request = user;
        const struct result_explanation *told;
        struct ox_step *step;

        if (request->index >= request->result->n_explanation)
                return context_fail(request->context, OX_OUT_OF_RANGE,
                                    "index %zu is out of range: there are %zu explanations", request->index,
                                    request->result->n_explanation);
        told = &request->result->explanation[request->index];
        step = arena_new_array(request->context->arena, struct ox_step, told->n_step);
        for (size_t i = 0; i < told->n_step; i++) {
                const struct result_value *value = told->step[i].value;

                step[i] = (struct ox_step){
                        .value = result_name(request->result, value),
                        .scope = result_scope(value),
                        .node = result_node(value),
                        .node_index = result_node_index(value),
                        .op = result_op(value),
                        .text = told->step[i].text,
                };
        }
        *request->ret = (struct ox_explanation){
                .value = result_name(request->result, told->value),
                .scope = result_scope(told->value),
                .step = step,
                .n_step = told->n_step,
                .decide = told->decide,
        };
        return OX_OK;
}

enum ox_code ox_result_explanation(struct ox_context *context, const struct ox_result *result, size_t index,
                                   struct ox_explanation *ret)
{
        struct explanation_request request = {context, result, index, ret};

        *ret = (struct ox_explanation){.value = "", .scope = "", .decide = ""};
        return ox_context_run(context, run_explanation, &request);
}

/* -- rendering -- */

/* A rendering, and a sink before the caller's that ends it past the limit on answers: texts that a small model repeats
   for every value (a long name, a large expression) add up. */
struct rendering {
        struct ox_context *context;
        const struct ox_result *result;
        bool pretty;
        const struct message_path *around;
        const struct render_error *error;
        ox_write write;
        ox_room room;
        void *user;
        uint64_t left; /* bytes that the answer may still have */
        bool is_full;
};

static void count_bytes(struct rendering *r, size_t size)
{
        r->is_full = size > r->left;
        if (r->is_full)
                arena_bail(r->context->arena, OX_RESOURCE_EXHAUSTED,
                           "the answer has more bytes than the limit answer_bytes, %lld",
                           (long long)r->context->limits.answer_bytes);
        r->left -= size;
}

static void write_bounded(void *user, const char *bytes, size_t size)
{
        struct rendering *r = user;

        count_bytes(r, size);
        r->write(r->user, bytes, size);
}

static char *room_bounded(void *user, size_t put, size_t least, size_t *ret_size)
{
        struct rendering *r = user;
        char *room;

        count_bytes(r, put);
        room = r->room(r->user, put, least, ret_size);
        if (room == NULL && least > 0)
                arena_bail(r->context->arena, OX_UNAVAILABLE, "there is no memory for the answer");
        return room;
}

static enum ox_code run_bounded(struct rendering *r, enum ox_code (*run)(void *user))
{
        int64_t most = r->context->limits.answer_bytes;
        bool was_spent = r->context->spent;

        r->left = most < 0 ? 0 : (uint64_t)most;
        enum ox_code code = ox_context_run(r->context, run, r);

        if (r->is_full)
                r->context->spent = was_spent; /* nothing was left incomplete */
        return code;
}

static enum ox_code run_json(void *user)
{
        struct rendering *r = user;

        if (r->room != NULL)
                render_json_in(r->result, r->context->arena, room_bounded, r);
        else
                render_json(r->result, r->context->arena, r->pretty, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_json(struct ox_context *context, const struct ox_result *result, bool pretty, ox_write write,
                            void *user)
{
        struct rendering r = {.context = context, .result = result, .pretty = pretty, .write = write, .user = user};

        return run_bounded(&r, run_json);
}

enum ox_code ox_render_json_in(struct ox_context *context, const struct ox_result *result, ox_room room, void *user)
{
        struct rendering r = {.context = context, .result = result, .room = room, .user = user};

        return run_bounded(&r, run_json);
}

static enum ox_code run_table(void *user)
{
        struct rendering *r = user;

        render_table(r->result, r->context->arena, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_table(struct ox_context *context, const struct ox_result *result, ox_write write, void *user)
{
        struct rendering r = {.context = context, .result = result, .write = write, .user = user};

        return run_bounded(&r, run_table);
}

static enum ox_code run_patch(void *user)
{
        struct rendering *r = user;

        render_patch(r->result, r->context->arena, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_patch(struct ox_context *context, const struct ox_result *result, ox_write write, void *user)
{
        struct rendering r = {.context = context, .result = result, .write = write, .user = user};

        return run_bounded(&r, run_patch);
}

static enum ox_code run_proto(void *user)
{
        struct rendering *r = user;

        render_proto(r->result, r->context->arena, r->around, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_proto_in(struct ox_context *context, const struct ox_result *result,
                                const struct message_path *around, ox_write write, void *user)
{
        struct rendering r = {.context = context, .result = result, .around = around, .write = write, .user = user};

        return run_bounded(&r, run_proto);
}

enum ox_code ox_render_proto(struct ox_context *context, const struct ox_result *result, ox_write write, void *user)
{
        return ox_render_proto_in(context, result, NULL, write, user);
}

static enum ox_code run_error(void *user)
{
        struct rendering *r = user;

        render_error_json(r->error->code, r->error->message, r->error->result, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_error(struct ox_context *context, enum ox_code code, const char *message,
                             const struct ox_result *result, ox_write write, void *user)
{
        const struct render_error error = {.code = code, .message = message, .result = result};
        struct rendering r = {.context = context, .error = &error, .write = write, .user = user};

        return run_bounded(&r, run_error);
}

static enum ox_code run_error_proto(void *user)
{
        struct rendering *r = user;

        render_error_proto(r->error, r->context->arena, r->around, write_bounded, r);
        return OX_OK;
}

enum ox_code ox_render_error_proto(struct ox_context *context, const struct render_error *error,
                                   const struct message_path *around, ox_write write, void *user)
{
        struct rendering r = {.context = context, .error = error, .around = around, .write = write, .user = user};

        return run_bounded(&r, run_error_proto);
}
