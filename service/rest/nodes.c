/* POST /v1/nodes:infer and /v1/nodes:batchInfer */
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "obs/log.h"
#include "rest/answer.h"
#include "rest/node_json.h"
#include "rest/routes.h"
#include "rest/upload.h"
#include "service.h"

/* Of a request that runs on the thread that reads it, so that other requests of that thread need not wait: what a node
   costs may grow with the fourth power of the texts that stand in it, as where sums are multiplied and broadcast. */
#define INLINE_BYTES 4096

struct nodes {
        struct upload upload;
        struct options options;
        struct call_text body;
        bool is_batch, is_inline;
        int64_t inline_end; /* when what is_inline must have come to an end, as clock_ns() tells it */
        struct ox_context *context, *text_context;
};

/* -- the head and the body -- */

static bool each_option(void *user, const char *name, const char *value)
{
        struct nodes *n = user;

        return options_set(&n->options, name, strlen(name), value ? value : "true");
}

static bool collect(void *user, const char *bytes, size_t size)
{
        struct call *call = user;
        struct nodes *n = call->state;

        text_append(&n->body, bytes, size);
        if (n->body.failed)
                call_reply_no_memory(call);
        return !n->body.failed;
}

static void begin(struct call *call, bool is_batch)
{
        const struct ox_limits *limits = &call->service->config->limits;
        struct nodes *n = calloc(1, sizeof(*n));

        call->state = n;
        if (!n) {
                call_reply_no_memory(call);
                return;
        }
        options_begin(&n->options, call->service->seed);
        n->body.budget = &call->service->budget;
        n->is_batch = is_batch;
        if (!call->transport->query(call, each_option, n)) {
                call_reply_error(call, OX_INVALID_ARGUMENT, "%s", n->options.error);
                return;
        }
        if (!upload_begin(&n->upload, call, 1U << MEDIA_JSON, "application/json or application/x-protobuf",
                          limits->node_request_bytes, "node_request_bytes"))
                return;
        n->upload.sink = collect;
        n->upload.user = call;
}

void nodes_begin(struct call *call)
{
        begin(call, false);
}

void nodes_begin_batch(struct call *call)
{
        begin(call, true);
}

bool nodes_body(struct call *call, const char *bytes, size_t size)
{
        struct nodes *n = call->state;

        return upload_take(&n->upload, bytes, size);
}

/* -- one node -- */

/* 1 where no time is left, since 0 is no bound. */
static uint64_t inline_left(const struct nodes *n)
{
        int64_t left = n->inline_end - clock_ns();

        return left > 1 ? (uint64_t)left : 1;
}

/* Infers into n->context. On failure *ret_error says why, as long as the context. */
static enum ox_code infer_one(struct nodes *n, const struct json *json, const struct ox_result **ret,
                              const char **ret_error)
{
        struct node_json node = {.context = n->context, .options = &n->options, .json = json, .error = ""};
        enum ox_code code = ox_request_begin(n->context, &node.request);

        *ret = NULL;
        if (code == OX_OK)
                code = ox_context_run(n->context, node_json_read, &node);
        *ret_error = node.error[0] ? node.error : ox_context_error(n->context);
        if (code != OX_OK)
                return code;
        n->options.infer.work_ns = n->is_inline ? inline_left(n) : 0;
        code = ox_request_infer(n->context, &node.request, &n->options.infer, ret);
        *ret_error = ox_context_error(n->context);
        return code;
}

/* What is told of a node in place of its answer. */
struct failure {
        const char *error; /* as long as the context */
        const struct ox_result *result;
};

/* Infers a node and writes its answer; when that fails, nothing is written. OX_ABORTED for what is too much inline. */
static enum ox_code write_one(struct call *call, struct nodes *n, const struct json *json, struct failure *failure)
{
        struct answer_little little = {call, n->context};
        size_t before = call->reply.length;
        enum ox_code code = infer_one(n, json, &failure->result, &failure->error);

        if (code == OX_OK) {
                const struct ox_result *result = failure->result;

                code = n->is_inline
                               ? ox_render_json(n->context, result, n->options.pretty, answer_write_little, &little)
                               : ox_render_json(n->context, result, n->options.pretty, call_write, call);
                if (code != OX_OK) {
                        call->reply.length = before;
                        failure->error = ox_context_error(n->context);
                        failure->result = NULL;
                }
        }
        if (code != OX_ABORTED)
                answer_count_node(call, n->context);
        return code;
}

static bool answer_one(struct call *call, struct nodes *n, const struct json *json)
{
        struct failure failure;

        call_reply(call, HTTP_OK, "application/json");
        enum ox_code code = write_one(call, n, json, &failure);

        if (code == OX_ABORTED)
                return false;
        if (code != OX_OK)
                answer_failure(call, n->context, code, failure.error, failure.result);
        return true;
}

/* -- a batch -- */

static void put(struct call *call, const char *text)
{
        call_write(call, text, strlen(text));
}

static void put_failure(struct call *call, struct nodes *n, enum ox_code code, const char *error,
                        const struct ox_result *result)
{
        size_t before = call->reply.length;

        put(call, "{\"error\":");
        if (!answer_error(call, n->context, code, error, result)) {
                call->reply.length = before;
                put(call, "{\"error\":");
                call_write_error(call, code, error);
        }
        put(call, "}");
}

/* OX_ABORTED for what is too much inline. */
static enum ox_code put_item(struct call *call, struct nodes *n, const struct json *json)
{
        struct failure failure;
        enum ox_code code = write_one(call, n, json, &failure);

        if (code != OX_OK && code != OX_ABORTED)
                put_failure(call, n, code, failure.error, failure.result);
        return code;
}

/* The list of a batch's requests; NULL: the call has its reply. */
static const struct json *read_batch(struct call *call, const struct json *root)
{
        const struct ox_limits *limits = &call->service->config->limits;
        const struct json *requests = root->kind == JSON_IS_OBJECT ? root->first : NULL;

        if (!requests || requests->next || strcmp(requests->name, "requests") != 0 || requests->kind != JSON_IS_LIST) {
                call_reply_error(call, OX_INVALID_ARGUMENT, "the body must be {\"requests\": [...]}");
                return NULL;
        }
        if (requests->count > (size_t)limits->batch_requests) {
                call_reply_error_status(call, HTTP_TOO_LARGE, OX_RESOURCE_EXHAUSTED,
                                        "the batch has %zu requests; the limit batch_requests is %lld",
                                        (size_t)requests->count, (long long)limits->batch_requests);
                return NULL;
        }
        return requests;
}

/* The limits on the engine's time and on the answer are for all of them together. False for what is too much inline. */
static bool answer_batch(struct call *call, struct nodes *n, const struct json *root)
{
        const struct ox_limits *limits = &call->service->config->limits;
        const struct json *requests = read_batch(call, root);
        int64_t end = clock_ns() + limits->engine_ms * INT64_C(1000000);

        if (!requests)
                return true;
        call_reply(call, HTTP_OK, "application/json");
        put(call, "{\"results\":[");
        for (const struct json *item = requests->first; item; item = item->next) {
                put(call, item != requests->first ? "," : "");
                if (clock_ns() > end)
                        put_failure(call, n, OX_DEADLINE_EXCEEDED, "the batch took longer than the limit engine_ms",
                                    NULL);
                else if (call->reply.length > (size_t)limits->answer_bytes)
                        put_failure(call, n, OX_RESOURCE_EXHAUSTED,
                                    "the batch has a larger answer than the limit answer_bytes", NULL);
                else if (put_item(call, n, item) == OX_ABORTED)
                        return false;
                ox_context_reset(n->context, SIZE_MAX);
        }
        put(call, "]}\n");
        return true;
}

/* -- the text -- */

struct reading {
        struct call *call;
        struct ox_context *context;
        const struct call_text *body;
        const struct json *root;
        const char *error;
};

static enum ox_code run_read(void *user)
{
        struct reading *r = user;

        return json_read(ox_context_arena(r->context), ox_context_limits(r->context), r->call->service->seed,
                         r->body->text ? r->body->text : "", r->body->length, &r->root, &r->error);
}

/* The body as JSON, on the context's arena. NULL: the call has its reply. */
static const struct json *read_body(struct call *call, const struct call_text *body, struct ox_context *context)
{
        struct reading reading = {.call = call, .context = context, .body = body, .error = ""};
        enum ox_code code = ox_context_run(context, run_read, &reading);
        const char *error = ox_context_error(context);

        if (code == OX_OK)
                return reading.root;
        answer_failure(call, context, code, error[0] ? error : reading.error, NULL);
        return NULL;
}

/* -- the end -- */

/* An empty context, which may have been used; false when there is no memory. */
static bool take_empty(struct contexts *contexts, struct ox_context **context)
{
        if (*context)
                ox_context_reset(*context, SIZE_MAX);
        else
                *context = contexts_take(contexts);
        return *context;
}

/* False for what is too much inline; a worker starts anew then. */
static bool answer(struct call *call, struct nodes *n)
{
        struct contexts *contexts = call->service->contexts;

        /* The text of a batch outlives what is inferred of each of its nodes. */
        struct ox_context **text = n->is_batch ? &n->text_context : &n->context;

        if (!take_empty(contexts, &n->context) || !take_empty(contexts, text)) {
                call_reply_no_memory(call);
                return true;
        }
        const struct json *root = read_body(call, &n->body, *text);

        if (!root)
                return true;
        return n->is_batch ? answer_batch(call, n, root) : answer_one(call, n, root);
}

void nodes_work(struct call *call)
{
        struct nodes *n = call->state;

        n->is_inline = false;
        answer(call, n);
}

enum call_next nodes_end(struct call *call)
{
        struct nodes *n = call->state;
        struct metrics *metrics = &call->service->metrics;

        if (!upload_end(&n->upload))
                return CALL_DONE;
        n->is_inline = n->body.length <= INLINE_BYTES;
        n->inline_end = clock_ns() + INLINE_NS;
        if (n->is_inline && answer(call, n)) {
                metric_add(metrics, METRIC_inferred_total_inline, 1);
                return CALL_DONE;
        }
        metric_add(metrics, METRIC_inferred_total_worker, 1);
        return CALL_WORK;
}

void nodes_done(struct call *call)
{
        struct nodes *n = call->state;

        upload_done(&n->upload);
        options_done(&n->options);
        contexts_give(call->service->contexts, n->context);
        contexts_give(call->service->contexts, n->text_context);
        text_free(&n->body);
        free(n);
}
