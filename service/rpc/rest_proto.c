/* nodes:infer and nodes:batchInfer with application/x-protobuf: REST's form around the methods' messages. Errors are
   REST's JSON, and so is the answer where the client accepts that most. */
#include "rest/answer.h"
#include "rpc/rpc.h"

static bool no_parameter(void *user, const char *name, const char *value)
{
        return false;
}

static bool begin(struct rpc *rpc)
{
        const char *coding = rpc->call->field[FIELD_CONTENT_ENCODING];
        enum encoding encoding;

        rpc->is_rest_json =
                answer_format(rpc->call, 1U << FORMAT_PROTO | 1U << FORMAT_JSON, FORMAT_PROTO) == FORMAT_JSON;
        if (!rpc->call->transport->query(rpc->call, no_parameter, NULL))
                return rpc_refuse(rpc, OX_INVALID_ARGUMENT, "the options of a message stand in its field options");
        if (encoding_read(coding, &encoding))
                return rpc_decode(rpc, encoding);
        call_reply_error_status(rpc->call, HTTP_UNSUPPORTED, "the Content-Encoding is '%.100s', expected gzip or zstd",
                                coding);
        call_reply_header(rpc->call, "Accept-Encoding", "gzip, zstd");
        return false;
}

static void reply(struct rpc *rpc)
{
        call_reply(rpc->call, HTTP_OK, format_type(rpc->is_rest_json ? FORMAT_JSON : FORMAT_PROTO));
}

static void reply_end(struct rpc *rpc, size_t start)
{
}

static void fail(struct rpc *rpc)
{
        if (rpc->context)
                answer_failure(rpc->call, rpc->context, rpc->failure.code, rpc->failure.message, rpc->failure.result);
        else
                call_reply_no_memory(rpc->call);
}

const struct rpc_protocol rest_proto = {begin, rpc_take, rpc_take_end, reply, reply_end, fail};
