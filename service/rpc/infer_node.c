/* ShapeInference.InferNode and BatchInferNodes */
#include <stdio.h>
#include <string.h>

#include "obs/log.h"
#include "rest/answer.h"
#include "rpc/node_proto.h"
#include "rpc/options.h"
#include "rpc/rpc.h"
#include "service.h"

/* What came of one request. */
struct one {
        const struct ox_result *result;
        char error[RPC_ERROR], field[MESSAGE_FIELD_PATH]; /* of a failure; `field` "": none */
};

static void set_error(struct one *one, const char *field, const char *error)
{
        snprintf(one->error, sizeof(one->error), "%s%s%s", field, field[0] ? ": " : "", error);
        snprintf(one->field, sizeof(one->field), "%s", field);
}

static enum ox_code take_options(struct rpc *rpc, struct ox_context *context, const Shaped__V1__InferOptions *given,
                                 struct ox_options *ret, struct one *one)
{
        struct message_fault fault;
        enum ox_code code = options_take(context, given, ret, &fault);

        ret->seed = rpc->call->service->seed;
        ret->work_ns = rpc->is_inline ? INLINE_NS : 0;
        ret->look = call_look;
        ret->look_user = rpc->call;
        if (code != OX_OK) {
                set_error(one, fault.field, fault.text[0] ? fault.text : ox_context_error(context));
                return code;
        }
        if (ret->n_shape == 0)
                return OX_OK;
        set_error(one, "options.shapes", "a node's inputs have their shapes in the request");
        return OX_INVALID_ARGUMENT;
}

/* Infers on `context`, which may be another one than that of the request. */
static enum ox_code infer_one(struct rpc *rpc, struct ox_context *context, const Shaped__V1__InferNodeRequest *given,
                              struct one *one)
{
        struct node_proto node = {.context = context, .given = given, .error = ""};
        struct ox_options options;

        *one = (struct one){.result = NULL};
        TRY(take_options(rpc, context, given->options, &options, one));
        enum ox_code code = ox_request_begin(context, &node.request);

        if (code == OX_OK)
                code = ox_context_run(context, node_proto_read, &node);
        if (code == OX_OK)
                code = ox_request_infer(context, &node.request, &options, &one->result);
        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK)
                set_error(one, "", node.error[0] ? node.error : ox_context_error(context));
        answer_count_node(rpc->call, context);
        return code;
}

enum ox_code rpc_infer_node(struct rpc *rpc)
{
        ProtobufCMessage *message;
        struct one one;

        TRY(rpc_read(rpc, &message));
        enum ox_code code = infer_one(rpc, rpc->context, (const Shaped__V1__InferNodeRequest *)message, &one);

        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK) {
                rpc_fail(rpc, code, one.field, "%s", one.error);
                rpc->failure.result = one.result;
                return code;
        }
        code = ox_render_proto(rpc->context, one.result, rpc_write, rpc);
        return code == OX_OK || code == OX_ABORTED ? code : rpc_fail_inference(rpc, code, NULL);
}

/* -- a batch -- */

enum { BATCH_RESULTS = 1, RESULT_RESPONSE = 1 };

static void put_error(struct rpc *rpc, struct ox_context *context, enum ox_code code, const struct one *one)
{
        static const unsigned fields[] = {BATCH_RESULTS};
        const struct message_path path = {1, fields};
        struct render_error error = {.code = code, .message = one->error, .result = one->result};
        size_t before = rpc_written(rpc);

        if (ox_render_error_proto(context, &error, &path, rpc_write, rpc) == OX_OK)
                return;
        /* Without diagnostics it is small enough for a context that was just cleared. */
        rpc_cut(rpc, before);
        error.result = NULL;
        ox_context_reset(context, SIZE_MAX);
        ox_render_error_proto(context, &error, &path, rpc_write, rpc);
}

/* The limits on the engine's time and on the answer are for all of them together. */
static enum ox_code check_batch(struct rpc *rpc, int64_t end_ns, struct one *one)
{
        *one = (struct one){.result = NULL};
        if (clock_ns() > end_ns) {
                set_error(one, "", "the batch took longer than the limit engine_ms");
                return OX_DEADLINE_EXCEEDED;
        }
        if (rpc_written(rpc) > (size_t)rpc->call->service->config->limits.answer_bytes) {
                set_error(one, "", "the batch has a larger answer than the limit answer_bytes");
                return OX_RESOURCE_EXHAUSTED;
        }
        return OX_OK;
}

static void put_item(struct rpc *rpc, struct ox_context *context, const Shaped__V1__InferNodeRequest *given,
                     int64_t end_ns)
{
        static const unsigned fields[] = {BATCH_RESULTS, RESULT_RESPONSE};
        const struct message_path path = {2, fields};
        size_t before = rpc_written(rpc);
        struct one one;
        enum ox_code code = check_batch(rpc, end_ns, &one);

        ox_context_reset(context, SIZE_MAX);
        if (code == OX_OK)
                code = infer_one(rpc, context, given, &one);
        if (code == OX_OK) {
                code = ox_render_proto_in(context, one.result, &path, rpc_write, rpc);
                if (code != OX_OK) {
                        rpc_cut(rpc, before);
                        set_error(&one, "", ox_context_error(context));
                        one.result = NULL;
                }
        }
        if (code != OX_OK)
                put_error(rpc, context, code, &one);
}

enum ox_code rpc_batch_infer_nodes(struct rpc *rpc)
{
        const struct ox_limits *limits = &rpc->call->service->config->limits;
        int64_t end_ns = clock_ns() + limits->engine_ms * INT64_C(1000000);
        struct contexts *contexts = rpc->call->service->contexts;
        ProtobufCMessage *message;

        if (rpc->is_inline)
                return OX_ABORTED;
        TRY(rpc_read(rpc, &message));
        const Shaped__V1__BatchInferNodesRequest *batch = (const Shaped__V1__BatchInferNodesRequest *)message;

        if (batch->n_requests > (size_t)limits->batch_requests)
                return rpc_fail(rpc, OX_RESOURCE_EXHAUSTED, "requests",
                                "requests: the batch has %zu, the limit batch_requests is %lld", batch->n_requests,
                                (long long)limits->batch_requests);
        /* The requests outlive what is inferred of each of them. */
        struct ox_context *context = contexts_take(contexts);

        if (!context)
                return rpc_fail(rpc, OX_UNAVAILABLE, NULL, "%s", rpc->call->service->budget.text);
        for (size_t i = 0; i < batch->n_requests; i++)
                put_item(rpc, context, batch->requests[i], end_ns);
        contexts_give(contexts, context);
        return OX_OK;
}
