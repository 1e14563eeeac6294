/* One call of a method of shaped.proto or health.proto, in any protocol. A protocol reads the head, passes on the bytes
   of the request's message, and writes the reply around the answer's message; methods do not depend on it. */
#pragma once

#include "net/call.h"
#include "rest/decoder.h"
#include "rpc/messages.h"
#include "rpc/model_stream.h"

struct rpc;

/* The number of messages. All kinds except the first are only for gRPC. */
enum rpc_kind {
        RPC_UNARY,  /* one each way */
        RPC_UPLOAD, /* several requests, each with a part of the model, and one answer */
        RPC_WATCH,  /* one request, an answer, and another answer when the daemon drains */
        RPC_DIALOG, /* any number of requests, each answered at once */
};

struct rpc_method {
        const char *path;      /* "/package.Service/Method" */
        const char *rest_path; /* of REST, for messages in protobuf; NULL: none */
        const ProtobufCMessageDescriptor *request, *response;
        bool is_model; /* the request's model is read while it arrives; else the request is collected */
        /* Infers or looks up, and writes the response with rpc_write() or rpc_write_message(); calls rpc_fail() for an
           error. OX_ABORTED: too much for the I/O thread (rpc->is_inline), and a worker calls it again. */
        enum ox_code (*run)(struct rpc *rpc);
        enum rpc_kind kind;
};

/* Every method there is. */
extern const struct rpc_method rpc_methods[];
extern const size_t rpc_method_count;

struct rpc_protocol {
        /* Reads the head. False: the call has its reply. */
        bool (*begin)(struct rpc *rpc);
        /* Takes the next bytes of the body; and its end. False: the call has its reply. */
        bool (*body)(struct rpc *rpc, const char *bytes, size_t size);
        bool (*end)(struct rpc *rpc);
        /* Write the bytes before and after the message of an answer. `start` is its position in the reply. */
        void (*reply)(struct rpc *rpc);
        void (*reply_end)(struct rpc *rpc, size_t start);
        /* The whole reply of a call that failed, from rpc->failure. */
        void (*fail)(struct rpc *rpc);
};

extern const struct rpc_protocol connect_post, connect_get, grpc, grpc_web, rest_proto;

/* The reply of an error in gRPC's form, for a call that has no struct rpc (call->put_error). */
void grpc_put_error(struct call *call, int status, enum ox_code code, const char *message);

/* Answers the collected message with one of several answers, which is sent at once. False: the call has its reply. */
bool grpc_answer_part(struct rpc *rpc);

/* Ends a reply of such answers. */
void grpc_end_parts(struct rpc *rpc);

#define RPC_ERROR    1024
#define RPC_ENVELOPE 5 /* bytes before a message of gRPC: flags and length */

struct rpc {
        struct call *call;
        const struct rpc_method *method;
        const struct rpc_protocol *protocol;
        bool is_json;      /* messages are canonical JSON */
        bool is_rest_json; /* the answer is what REST answers in JSON */
        bool is_inline;
        bool wants_gzip; /* the client takes compressed answers */
        bool has_parts;  /* of the answer, sent already */
        bool is_watched; /* the first answer was sent, and it waits for the drain */
        struct ox_context *context;

        /* the request */
        struct decoder *decoder; /* NULL: the message is not compressed */
        uint64_t decoded;        /* bytes of the message so far */
        struct model_stream model;
        struct {
                unsigned char head[RPC_ENVELOPE];
                size_t head_size, count; /* count: of messages that have begun */
                uint64_t left;           /* bytes of the message that has begun */
                bool has_coding;         /* the head names an encoding */
        } envelope;

        /* the answer as protobuf, if it is converted to JSON afterwards */
        struct call_text answer;

        struct render_error failure; /* its message is `error` */
        char error[RPC_ERROR], field[MESSAGE_FIELD_PATH];

        /* The call's, while this has its own. */
        void (*put_error)(struct call *call, int status, enum ox_code code, const char *message);
};

/* -- for protocols -- */

/* The largest size of the message, and the name of that limit. */
int64_t rpc_limit(const struct rpc *rpc, const char **ret_name);

/* Begins to decode the message. False: the call has its reply. */
bool rpc_decode(struct rpc *rpc, enum encoding encoding);

/* The end of one message of several. False: the call has its reply. */
bool rpc_end_part(struct rpc *rpc);

/* Runs the method, which writes its answer. */
enum ox_code rpc_run(struct rpc *rpc);

/* Take bytes of the message as sent, and its end. False: the call has its reply. */
bool rpc_take(struct rpc *rpc, const char *bytes, size_t size);
bool rpc_take_end(struct rpc *rpc);

/* Ends the call with an error. Returns false. */
bool rpc_refuse(struct rpc *rpc, enum ox_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets how long the client waits, in ns from the beginning of the request. */
void rpc_set_timeout(struct rpc *rpc, int64_t ns);

/* The google.rpc.Status of rpc->failure, if it has more than code and message; else *ret stays empty. */
void rpc_status(struct rpc *rpc, struct call_text *ret);

/* Compresses the reply from `start` on, if the client accepts that and it is worth while. */
bool rpc_compress(struct rpc *rpc, size_t start);

/* Whether a list like "gzip, br;q=0.5" has a word. */
bool rpc_lists(const char *list, const char *word);

/* -- for methods -- */

/* Sets rpc->failure, and returns `code`. `field` NULL: none. */
enum ox_code rpc_fail(struct rpc *rpc, enum ox_code code, const char *field, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Sets the failure from a fault of a message. */
enum ox_code rpc_fail_message(struct rpc *rpc, enum ox_code code, const struct message_fault *fault);

/* Sets the failure from the error of the context's last call; `result` may be NULL. */
enum ox_code rpc_fail_inference(struct rpc *rpc, enum ox_code code, const struct ox_result *result);

/* An ox_write of the response's bytes. */
void rpc_write(void *rpc, const char *bytes, size_t size);

/* The part of the response written so far. */
struct call_text *rpc_response(struct rpc *rpc);

/* The collected request, on the context's arena; and a message of its type from elsewhere. */
enum ox_code rpc_read(struct rpc *rpc, ProtobufCMessage **ret);
enum ox_code rpc_read_text(struct rpc *rpc, const struct call_text *text, const ProtobufCMessageDescriptor *type,
                           ProtobufCMessage **ret);

/* Writes a response that was built. To be called under ox_context_run(). */
enum ox_code rpc_write_message(struct rpc *rpc, const ProtobufCMessage *message);

/* -- methods -- */

enum ox_code rpc_infer_model(struct rpc *rpc);
enum ox_code rpc_infer_node(struct rpc *rpc);
enum ox_code rpc_batch_infer_nodes(struct rpc *rpc);
enum ox_code rpc_list_operators(struct rpc *rpc);
enum ox_code rpc_get_operator(struct rpc *rpc);
enum ox_code rpc_health_check(struct rpc *rpc);
enum ox_code rpc_reflect(struct rpc *rpc);
