#include "rest/answer.h"

#include <stdio.h>

#include "engine.h"
#include "rest/routes.h"
#include "service.h"
#include "work/cost.h"

void answer_error(struct call_text *to, struct ox_context *context, enum ox_code code, const char *message,
                  const struct ox_result *result)
{
        size_t before = to->length;

        if (ox_render_error(context, code, message, result, text_write, to) == OX_OK)
                return;
        text_cut(to, before);
        render_error_json(code, message, NULL, text_write, to);
}

void answer_keep_little(const struct call_text *answer, size_t size, struct ox_context *context)
{
        if (answer->length + size > INLINE_ANSWER_BYTES)
                arena_bail(ox_context_arena(context), OX_ABORTED, "more than %d bytes", INLINE_ANSWER_BYTES);
}

void answer_write_little(void *little_, const char *bytes, size_t size)
{
        struct answer_little *little = little_;

        answer_keep_little(&little->call->reply, size, little->context);
        call_write(little->call, bytes, size);
}

char *answer_room_little(void *little_, size_t put, size_t least, size_t *ret_size)
{
        struct answer_little *little = little_;

        answer_keep_little(&little->call->reply, put, little->context);
        return text_room(&little->call->reply, put, least, ret_size);
}

/* Past a limit the status is 413, because trying again does not help. */
static int status_of(enum ox_code code)
{
        return code == OX_RESOURCE_EXHAUSTED ? HTTP_TOO_LARGE : ox_code_http(code);
}

void answer_failure(struct call *call, struct ox_context *context, enum ox_code code, const char *message,
                    const struct ox_result *result)
{
        call_reply(call, status_of(code), "application/json");
        call_note_failure(call, code, message);
        answer_error(&call->reply, context, code, message, result);
}

void answer_bad_query(struct call *call, const char *error)
{
        call_reply_error(call, OX_INVALID_ARGUMENT, "%s", error[0] ? error : "an option holds a NUL");
}

static void each_accept(void *accept, const char *value)
{
        accept_read(accept, value);
}

enum format answer_format(struct call *call, unsigned formats, enum format usual)
{
        struct accept accept = {.weight = {0}};

        if (!call->field[FIELD_ACCEPT])
                return usual;
        call->transport->headers(call, "Accept", each_accept, &accept);
        return accept_best(&accept, formats, usual);
}

/* -- results of a batch, as messages -- */

#define ERROR_BYTES 1024

enum { BATCH_RESULTS = 1, RESULT_RESPONSE = 1 };

enum ox_code answer_result_proto(struct call_text *to, struct ox_context *context, const struct ox_result *result)
{
        static const unsigned fields[] = {BATCH_RESULTS, RESULT_RESPONSE};
        const struct message_path path = {2, fields};
        size_t before = to->length;
        enum ox_code code = ox_render_proto_in(context, result, &path, text_write, to);

        if (code != OX_OK)
                text_cut(to, before);
        return code;
}

void answer_result_error_proto(struct call_text *to, struct ox_context *context, enum ox_code code, const char *message,
                               const struct ox_result *result)
{
        static const unsigned fields[] = {BATCH_RESULTS};
        const struct message_path path = {1, fields};
        struct render_error error = {.code = code, .message = message, .result = result};
        char kept[ERROR_BYTES];
        size_t before = to->length;

        if (ox_render_error_proto(context, &error, &path, text_write, to) == OX_OK)
                return;
        text_cut(to, before);
        snprintf(kept, sizeof(kept), "%s", message); /* it may be the context's */
        error.message = kept;
        error.result = NULL;
        ox_context_reset(context, SIZE_MAX);
        ox_render_error_proto(context, &error, &path, text_write, to);
}

/* -- counting -- */

static void count_memory(struct call *call, struct ox_context *context)
{
        metrics_arena(&call->service->metrics, arena_used(ox_context_arena(context)));
}

void answer_count_model(struct call *call, struct ox_context *context, const struct ox_result *result)
{
        struct metrics *metrics = &call->service->metrics;

        if (result) {
                call->nodes = result->model.nodes;
                call->skipped = result->model.bytes_skipped;
                metric_add(metrics, METRIC_nodes_total, (int64_t)call->nodes);
                metric_add(metrics, METRIC_bytes_skipped_total, (int64_t)call->skipped);
        }
        count_memory(call, context);
}

void answer_count_node(struct call *call, struct ox_context *context)
{
        call->nodes++;
        metric_add(&call->service->metrics, METRIC_nodes_total, 1);
        count_memory(call, context);
}
