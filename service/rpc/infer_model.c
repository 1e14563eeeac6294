/* ShapeInference.InferModel */
#include "rest/answer.h"
#include "rpc/options.h"
#include "rpc/rpc.h"
#include "service.h"
#include "shaped.pb-c.h"
#include "work/cost.h"

/* What was kept of the request besides its model: in protobuf the options alone, in JSON all of it. */
static enum ox_code read_rest(struct rpc *rpc, const Shaped__V1__InferOptions **ret)
{
        const ProtobufCMessageDescriptor *type =
                rpc->is_json ? &shaped__v1__infer_model_request__descriptor : &shaped__v1__infer_options__descriptor;
        ProtobufCMessage *message;

        TRY(rpc_read_text(rpc, &rpc->model.rest, type, &message));
        if (rpc->is_json)
                *ret = ((const Shaped__V1__InferModelRequest *)message)->options;
        else
                *ret = (const Shaped__V1__InferOptions *)message;
        return OX_OK;
}

enum ox_code rpc_infer_model(struct rpc *rpc)
{
        const Shaped__V1__InferOptions *given;
        const struct ox_result *result = NULL;
        struct ox_options options;
        struct message_fault fault;
        enum ox_code code;

        TRY(read_rest(rpc, &given));
        code = options_take(rpc->call->service, rpc->context, given, &options, &fault);
        if (code != OX_OK)
                return fault.text[0] ? rpc_fail_message(rpc, code, &fault) : rpc_fail_inference(rpc, code, NULL);
        if (!rpc->model.has_model)
                return rpc_fail(rpc, OX_INVALID_ARGUMENT, "model", "model: the request has none");
        options.work_budget = rpc->is_inline ? INLINE_NODES : 0;
        options.work_ns = rpc->is_inline ? INLINE_NS : 0;
        options.look = call_look;
        options.look_user = rpc->call;
        code = ox_model_infer(rpc->context, &options, &result);
        bool is_inferred = code == OX_OK;

        if (is_inferred)
                code = ox_render_proto(rpc->context, result, rpc_write, rpc);
        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK)
                rpc_fail_inference(rpc, code, is_inferred ? NULL : result);
        answer_count_model(rpc->call, rpc->context, result);
        return code;
}
