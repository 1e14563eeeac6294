/* POST /v1/nodes:infer and /v1/nodes:batchInfer */
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "obs/log.h"
#include "rest/answer.h"
#include "rest/batch.h"
#include "rest/node_json.h"
#include "rest/routes.h"
#include "rest/upload.h"
#include "service.h"
#include "work/cost.h"

struct nodes {
        struct upload upload;
        struct options options;
        bool is_batch, is_inline, is_proto; /* is_proto: the answer is a message */
        int64_t inline_end;                 /* the time by which inline work must end, in ns of clock_ns() */
        size_t bytes;                       /* of the body */
        struct ox_context *context, *text_context;
};

/* -- the head and the body -- */

static bool each_option(void *user, const char *name, const char *value)
{
        struct nodes *n = user;

        return options_set(&n->options, name, strlen(name), value ? value : "true");
}

static void begin(struct call *call, bool is_batch)
{
        const struct ox_limits *limits = &call->service->config->limits;
        struct nodes *n = call_new_state(call, sizeof(*n));

        if (!n)
                return;
        options_begin(&n->options, call->service->seed);
        n->options.infer.operators = call->service->operators;
        n->options.infer.n_operators = call->service->n_operators;
        n->is_batch = is_batch;
        n->is_proto = answer_format(call, 1U << FORMAT_PROTO | 1U << FORMAT_JSON, FORMAT_JSON) == FORMAT_PROTO;
        if (!call->transport->query(call, each_option, n)) {
                answer_bad_query(call, n->options.error);
                return;
        }
        if (!upload_begin(&n->upload, call, 1U << MEDIA_JSON, "application/json or application/x-protobuf",
                          limits->node_request_bytes, "node_request_bytes"))
                return;
        n->upload.sink = upload_gather;
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

static int64_t cost_of(const struct call *call)
{
        return (int64_t)call->body.length * COST_JSON_BYTE;
}

/* -- one node -- */

/* 1 if no time is left, because 0 means no bound. */
static uint64_t inline_left(const struct nodes *n)
{
        int64_t left = n->inline_end - clock_ns();

        return left > 1 ? (uint64_t)left : 1;
}

/* The place where a node is inferred and its answer is written. */
struct place {
        struct ox_context *context;
        struct call_text *to;
        enum ox_code (*look)(void *user, const char **ret_why);
        void *look_user;
};

/* On failure *ret_error is the reason, which lives as long as the context. */
static enum ox_code infer_one(const struct nodes *n, const struct place *place, const struct json *json,
                              const struct ox_result **ret, const char **ret_error)
{
        struct node_json node = {
                .context = place->context, .options = &n->options, .json = json, .bytes = n->bytes, .error = ""};
        struct ox_options options = n->options.infer;
        enum ox_code code = ox_request_begin(place->context, &node.request);

        *ret = NULL;
        if (code == OX_OK)
                code = ox_context_run(place->context, node_json_read, &node);
        *ret_error = node.error[0] ? node.error : ox_context_error(place->context);
        if (code == OX_OK && node.operators[0]) {
                code = ox_context_operators(place->context, node.operators, strlen(node.operators), &options);
                *ret_error = ox_context_error(place->context);
        }
        if (code != OX_OK)
                return code;
        if (n->is_inline)
                options.work_ns = n->is_batch ? inline_left(n) : INLINE_NS;
        options.look = place->look;
        options.look_user = place->look_user;
        code = ox_request_infer(place->context, &node.request, &options, ret);
        *ret_error = ox_context_error(place->context);
        return code;
}

/* The error that takes the place of a node's answer. */
struct failure {
        const char *error; /* as long as the context */
        const struct ox_result *result;
};

static enum ox_code render(struct call *call, const struct place *place, const struct ox_result *result)
{
        const struct nodes *n = call->state;
        struct answer_little little = {call, place->context};
        ox_write write = n->is_inline ? answer_write_little : text_write;
        void *user = n->is_inline ? (void *)&little : place->to;

        if (n->is_proto && n->is_batch)
                return answer_result_proto(place->to, place->context, result);
        if (n->is_proto)
                return ox_render_proto(place->context, result, write, user);
        return ox_render_json(place->context, result, n->options.pretty, write, user);
}

/* Infers a node and writes its answer; nothing is written if that fails. OX_ABORTED if it is too much inline. */
static enum ox_code write_one(struct call *call, const struct place *place, const struct json *json,
                              struct failure *failure)
{
        const struct nodes *n = call->state;
        size_t before = place->to->length;
        enum ox_code code = infer_one(n, place, json, &failure->result, &failure->error);

        if (code == OX_OK) {
                code = render(call, place, failure->result);
                if (code != OX_OK) {
                        text_cut(place->to, before);
                        failure->error = ox_context_error(place->context);
                        failure->result = NULL;
                }
        }
        if (code != OX_ABORTED)
                answer_count_node(call, place->context);
        return code;
}

static void reply(struct call *call)
{
        const struct nodes *n = call->state;

        call_reply(call, HTTP_OK, format_type(n->is_proto ? FORMAT_PROTO : FORMAT_JSON));
}

static bool answer_one(struct call *call, struct nodes *n, const struct json *json)
{
        const struct place place = {.context = n->context, .to = &call->reply, .look = call_look, .look_user = call};
        struct failure failure;

        reply(call);
        enum ox_code code = write_one(call, &place, json, &failure);

        if (code == OX_ABORTED)
                return false;
        if (code != OX_OK)
                answer_failure(call, n->context, code, failure.error, failure.result);
        return true;
}

/* -- a batch -- */

/* The text between and around the results, which only JSON has. */
static void put_mark(const struct call *call, struct call_text *to, const char *mark)
{
        const struct nodes *n = call->state;

        if (!n->is_proto)
                text_append(to, mark, strlen(mark));
}

static void put_failure(const struct batch_place *place, enum ox_code code, const struct failure *failure)
{
        const struct call *call = place->batch->call;
        const struct nodes *n = call->state;

        put_mark(call, place->to, "{\"error\":");
        if (n->is_proto)
                answer_result_error_proto(place->to, place->context, code, failure->error, failure->result);
        else
                answer_error(place->to, place->context, code, failure->error, failure->result);
        put_mark(call, place->to, "}");
}

static enum ox_code infer_item(const struct batch_place *place, size_t item)
{
        const struct json *const *request = place->batch->user;
        const struct place one = {place->context, place->to, batch_look, place->batch};
        struct failure failure;

        put_mark(place->batch->call, place->to, item ? "," : "");
        enum ox_code code = write_one(place->batch->call, &one, request[item], &failure);

        if (code == OX_ABORTED)
                return code;
        if (code != OX_OK)
                put_failure(place, code, &failure);
        return OX_OK;
}

static void refuse_item(const struct batch_place *place, size_t item, enum ox_code code, const char *why)
{
        const struct failure failure = {.error = why};

        put_mark(place->batch->call, place->to, item ? "," : "");
        put_failure(place, code, &failure);
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
                call_reply_error_status(call, HTTP_TOO_LARGE,
                                        "the batch has %zu requests, more than the limit batch_requests, %lld",
                                        (size_t)requests->count, (long long)limits->batch_requests);
                return NULL;
        }
        return requests;
}

/* The elements of a list as an array; NULL if memory runs out. */
static const struct json **elements_of(const struct json *list)
{
        const struct json **elements = calloc(list->count + 1, sizeof(*elements));
        size_t i = 0;

        for (const struct json *item = elements ? list->first : NULL; item; item = item->next)
                elements[i++] = item;
        return elements;
}

/* False for what is too much inline. */
static bool answer_batch(struct call *call, struct nodes *n, const struct json *root)
{
        const struct json *list = read_batch(call, root);
        const struct json **requests = list ? elements_of(list) : NULL;
        struct batch batch = {
                .call = call,
                .to = &call->reply,
                .count = list ? list->count : 0,
                .cost_ns = list && list->count ? cost_of(call) / list->count : 0,
                .user = requests,
                .infer = infer_item,
                .refuse = refuse_item,
        };
        const char *why;

        if (!list)
                return true;
        if (!requests) {
                call_reply_no_memory(call);
                return true;
        }
        reply(call);
        put_mark(call, &call->reply, "{\"results\":[");
        enum ox_code code = batch_run(&batch, n->context, n->is_inline, &why);

        free(requests);
        if (code == OX_ABORTED)
                return false;
        put_mark(call, &call->reply, "]}\n");
        if (code != OX_OK)
                answer_failure(call, n->context, code, why, NULL);
        return true;
}

/* -- the text -- */

struct reading {
        struct call *call;
        struct ox_context *context;
        const struct json *root;
        const char *error;
};

static enum ox_code run_read(void *user)
{
        struct reading *r = user;
        const struct call_text *body = &r->call->body;

        return json_read(ox_context_arena(r->context), ox_context_limits(r->context), r->call->service->seed,
                         body->text ? body->text : "", body->length, &r->root, &r->error);
}

/* The body as JSON, on the context's arena. NULL: the call has its reply. */
static const struct json *read_body(struct call *call, struct ox_context *context)
{
        struct reading reading = {.call = call, .context = context, .error = ""};
        enum ox_code code = ox_context_run(context, run_read, &reading);
        const char *error = ox_context_error(context);

        if (code == OX_OK)
                return reading.root;
        answer_failure(call, context, code, error[0] ? error : reading.error, NULL);
        return NULL;
}

/* -- the end -- */

/* An empty context, possibly one used before; false if memory runs out. */
static bool take_empty(struct contexts *contexts, struct ox_context **context)
{
        if (*context)
                ox_context_reset(*context, SIZE_MAX);
        else
                *context = contexts_take(contexts);
        return *context;
}

/* False if it is too much inline; a worker then starts anew. */
static bool answer(struct call *call, struct nodes *n)
{
        struct contexts *contexts = call->service->contexts;

        /* The text of a batch must outlive the inference of each of its nodes. */
        struct ox_context **text = n->is_batch ? &n->text_context : &n->context;

        if (!take_empty(contexts, &n->context) || !take_empty(contexts, text)) {
                call_reply_no_memory(call);
                return true;
        }
        const struct json *root = read_body(call, *text);

        n->bytes = call->body.length;
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
        /* What is appended to a batch of messages has no bound of its own. */
        n->is_inline = call->body.length <= INLINE_NODE_BYTES && !(n->is_proto && n->is_batch);
        n->inline_end = call->stage_since_ns + INLINE_NS;
        if (n->is_inline && answer(call, n)) {
                metric_add(metrics, METRIC_inferred_total_inline, 1);
                return CALL_DONE;
        }
        metric_add(metrics, METRIC_inferred_total_worker, 1);
        call->cost_ns = cost_of(call);
        return CALL_WORK;
}

void nodes_done(struct call *call)
{
        struct nodes *n = call->state;

        upload_done(&n->upload);
        options_done(&n->options);
        contexts_give(call->service->contexts, n->context);
        contexts_give(call->service->contexts, n->text_context);
        call_free_state(call);
}
