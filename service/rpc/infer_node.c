/* ShapeInference.InferNode and BatchInferNodes */
#include <stdio.h>
#include <string.h>

#include "rest/answer.h"
#include "rest/batch.h"
#include "rpc/node_proto.h"
#include "rpc/options.h"
#include "rpc/rpc.h"
#include "service.h"
#include "work/cost.h"

/* The outcome of one request. */
struct one {
        const struct ox_result *result;
        char error[RPC_ERROR], field[MESSAGE_FIELD_PATH]; /* of a failure; `field` "": none */
};

static void set_error(struct one *one, const char *field, const char *error)
{
        snprintf(one->error, sizeof(one->error), "%s%s%s", field, field[0] ? ": " : "", error);
        snprintf(one->field, sizeof(one->field), "%s", field);
}

/* Infers a request on a context that may differ from the call's, as long as `look` allows. */
struct place {
        struct rpc *rpc;
        struct ox_context *context;
        enum ox_code (*look)(void *user, const char **ret_why);
        void *look_user;
};

static enum ox_code take_options(const struct place *place, const Shaped__V1__InferOptions *given,
                                 struct ox_options *ret, struct one *one)
{
        struct ox_context *context = place->context;
        struct message_fault fault;
        enum ox_code code = options_take(place->rpc->call->service, context, given, ret, &fault);

        ret->work_ns = place->rpc->is_inline ? INLINE_NS : 0;
        ret->look = place->look;
        ret->look_user = place->look_user;
        if (code != OX_OK) {
                set_error(one, fault.field, fault.text[0] ? fault.text : ox_context_error(context));
                return code;
        }
        if (ret->n_shape == 0)
                return OX_OK;
        set_error(one, "options.shapes", "a node's inputs have their shapes in the request");
        return OX_INVALID_ARGUMENT;
}

static enum ox_code infer_one(const struct place *place, const Shaped__V1__InferNodeRequest *given, struct one *one)
{
        struct ox_context *context = place->context;
        struct node_proto node = {.context = context, .given = given, .error = ""};
        struct ox_options options;

        *one = (struct one){.result = NULL};
        TRY(take_options(place, given->options, &options, one));
        enum ox_code code = ox_request_begin(context, &node.request);

        if (code == OX_OK)
                code = ox_context_run(context, node_proto_read, &node);
        if (code == OX_OK)
                code = ox_request_infer(context, &node.request, &options, &one->result);
        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK)
                set_error(one, "", node.error[0] ? node.error : ox_context_error(context));
        answer_count_node(place->rpc->call, context);
        return code;
}

enum ox_code rpc_infer_node(struct rpc *rpc)
{
        const struct place place = {rpc, rpc->context, call_look, rpc->call};
        ProtobufCMessage *message;
        struct one one;

        TRY(rpc_read(rpc, &message));
        enum ox_code code = infer_one(&place, (const Shaped__V1__InferNodeRequest *)message, &one);

        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK) {
                rpc_fail(rpc, code, one.field, "%s", one.error);
                rpc->failure.result = one.result;
                return code;
        }
        code = rpc->is_rest_json ? ox_render_json(rpc->context, one.result, false, rpc_write, rpc)
                                 : ox_render_proto(rpc->context, one.result, rpc_write, rpc);
        return code == OX_OK || code == OX_ABORTED ? code : rpc_fail_inference(rpc, code, NULL);
}

/* -- a batch -- */

struct requests {
        struct rpc *rpc;
        Shaped__V1__InferNodeRequest *const *request;
};

static bool is_rest_json(const struct batch_place *place)
{
        return ((const struct requests *)place->batch->user)->rpc->is_rest_json;
}

static void put(struct call_text *to, const char *text)
{
        text_append(to, text, strlen(text));
}

static void put_error(const struct batch_place *place, enum ox_code code, const struct one *one)
{
        if (!is_rest_json(place)) {
                answer_result_error_proto(place->to, place->context, code, one->error, one->result);
                return;
        }
        put(place->to, "{\"error\":");
        answer_error(place->to, place->context, code, one->error, one->result);
        put(place->to, "}");
}

static enum ox_code put_result(const struct batch_place *place, const struct ox_result *result)
{
        size_t before = place->to->length;

        if (!is_rest_json(place))
                return answer_result_proto(place->to, place->context, result);
        enum ox_code code = ox_render_json(place->context, result, false, text_write, place->to);

        if (code != OX_OK)
                text_cut(place->to, before);
        return code;
}

/* Between two results. */
static void put_comma(const struct batch_place *place, size_t item)
{
        if (item && is_rest_json(place))
                put(place->to, ",");
}

static enum ox_code infer_item(const struct batch_place *place, size_t item)
{
        const struct requests *requests = place->batch->user;
        const struct place where = {requests->rpc, place->context, batch_look, place->batch};
        struct one one;

        put_comma(place, item);
        enum ox_code code = infer_one(&where, requests->request[item], &one);

        if (code == OX_OK) {
                code = put_result(place, one.result);
                if (code != OX_OK) {
                        set_error(&one, "", ox_context_error(place->context));
                        one.result = NULL;
                }
        }
        if (code != OX_OK)
                put_error(place, code, &one);
        return OX_OK;
}

static void refuse_item(const struct batch_place *place, size_t item, enum ox_code code, const char *why)
{
        struct one one = {.result = NULL};

        put_comma(place, item);
        set_error(&one, "", why);
        put_error(place, code, &one);
}

static enum ox_code run_batch(struct rpc *rpc, const Shaped__V1__BatchInferNodesRequest *given,
                              struct ox_context *context)
{
        struct requests requests = {.rpc = rpc, .request = given->requests};
        struct batch batch = {
                .call = rpc->call,
                .to = rpc_response(rpc),
                .count = given->n_requests,
                .cost_ns =
                        COST_MESSAGE + (int64_t)(rpc->call->body.length * COST_MESSAGE_BYTE / (given->n_requests + 1)),
                .user = &requests,
                .infer = infer_item,
                .refuse = refuse_item,
        };
        const char *why;
        if (rpc->is_rest_json)
                put(batch.to, "{\"results\":[");
        enum ox_code code = batch_run(&batch, context, false, &why);

        if (rpc->is_rest_json)
                put(batch.to, "]}\n");
        return code == OX_OK ? OX_OK : rpc_fail(rpc, code, NULL, "%s", why);
}

enum ox_code rpc_batch_infer_nodes(struct rpc *rpc)
{
        const struct ox_limits *limits = &rpc->call->service->config->limits;
        struct contexts *contexts = rpc->call->service->contexts;
        ProtobufCMessage *message;

        if (rpc->is_inline)
                return OX_ABORTED;
        TRY(rpc_read(rpc, &message));
        const Shaped__V1__BatchInferNodesRequest *batch = (const Shaped__V1__BatchInferNodesRequest *)message;

        if (batch->n_requests > (size_t)limits->batch_requests)
                return rpc_fail(rpc, OX_RESOURCE_EXHAUSTED, "requests",
                                "requests: the batch has %zu, more than the limit batch_requests, %lld",
                                batch->n_requests, (long long)limits->batch_requests);
        /* The requests must outlive the inference of each of them. */
        struct ox_context *context = contexts_take(contexts);

        if (!context)
                return rpc_fail(rpc, OX_UNAVAILABLE, NULL, "%s", rpc->call->service->budget.text);
        enum ox_code code = run_batch(rpc, batch, context);

        contexts_give(contexts, context);
        return code;
}
