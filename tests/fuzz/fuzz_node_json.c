/* A request for a node as JSON, from the body to the reply, as POST /v1/nodes:infer and nodes:batchInfer take it: all
   of the daemon but its sockets and threads. What is answered is JSON of the documented form, and the same again when
   the body comes in pieces. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "rest/rest.h"
#include "rest/routes.h"
#include "service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* -- a transport that has the request in memory -- */

struct memory {
        uint64_t choice; /* of the query's options */
};

static bool query(struct call *call, bool (*each)(void *user, const char *name, const char *value), void *user)
{
        static const char *const options[][2] = {
                {"check_types", "true"}, {"pretty", NULL}, {"dim", "N=2"}, {"dim", "M=0"}, {"strict", "1"},
        };
        const struct memory *memory = call->connection;

        for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
                if ((memory->choice >> (2 * i) & 3) == 3 && !each(user, options[i][0], options[i][1]))
                        return false;
        return true;
}

static bool stays(struct call *call)
{
        (void)call;
        return false;
}

static const struct call_transport transport = {.query = query, .is_gone = stays};

static bool send_body(struct call *call, const uint8_t *data, size_t size, size_t piece)
{
        for (size_t at = 0; at < size; at += piece) {
                size_t length = size - at < piece ? size - at : piece;

                if (!call->handler->body(call, (const char *)data + at, length))
                        return false;
        }
        return true;
}

/* The reply stays until call_free(). */
static struct call *run(struct service *service, const char *path, const uint8_t *data, size_t size, size_t piece,
                        struct memory *memory)
{
        struct call *call = call_new(service);

        HOLD(call != NULL, "there is memory for a call");
        call->handler = &rest_handler;
        call->transport = &transport;
        call->connection = memory;
        call->method = METHOD_POST;
        call->method_name = "POST";
        call->path = path;
        call->field[FIELD_CONTENT_TYPE] = "application/json";
        call->has_length = call->has_body = true;
        call->length = size;
        call->deadline_ns = INT64_MAX;
        call_enter(call, STAGE_ENGINE);
        call->handler->begin(call);
        if (call->status == 0 && send_body(call, data, size, piece) && call->handler->end(call) == CALL_WORK)
                call->handler->work(call);
        call->handler->done(call);
        return call;
}

/* -- what a reply may be -- */

static void hold_dims(json_t *shape)
{
        json_t *dim;
        size_t i;

        json_array_foreach(shape, i, dim)
        {
                HOLD(json_is_integer(dim) || json_is_string(dim), "a size is an integer or a text");
                HOLD(!json_is_integer(dim) || json_integer_value(dim) >= 0, "no size is negative");
                HOLD(!json_is_string(dim) || json_string_length(dim) > 0, "no size is an empty text");
        }
}

static void hold_answer(json_t *answer)
{
        static const char *const lists[] = {"values", "symbols", "constraints", "diagnostics"};
        size_t has_bounds = json_object_get(answer, "dynamicSizes") != NULL;
        json_t *value;
        size_t i;

        HOLD(json_is_object(answer) && json_object_size(answer) == 4 + has_bounds,
             "an answer has four members, or bounds too");
        for (i = 0; i < 4; i++)
                HOLD(json_is_array(json_object_get(answer, lists[i])), "an answer has %s", lists[i]);
        json_array_foreach(json_object_get(answer, "values"), i, value)
        {
                HOLD(json_is_string(json_object_get(value, "name")), "a value has a name");
                hold_dims(json_object_get(value, "shape"));
        }
        json_array_foreach(json_object_get(answer, "diagnostics"), i, value)
                HOLD(strcmp(json_string_value(json_object_get(value, "severity")), "error") != 0,
                     "a node with an error has no answer");
}

static void hold_error(json_t *error)
{
        const char *code = json_string_value(json_object_get(error, "code"));
        const char *message = json_string_value(json_object_get(error, "message"));
        bool found = false;

        HOLD(json_object_size(error) == 3 && json_is_array(json_object_get(error, "details")),
             "an error has code, message and details");
        HOLD(code != NULL && message != NULL && message[0] != '\0', "an error has a code and a message");
        for (int c = OX_OK + 1; c <= OX_UNAUTHENTICATED; c++)
                found = found || strcmp(ox_code_name((enum ox_code)c), code) == 0;
        HOLD(found && strcmp(code, "internal") != 0 && strcmp(code, "unknown") != 0, "%s is a code", code);
}

static void hold_batch(json_t *root)
{
        json_t *results = json_object_get(root, "results"), *item;
        size_t i;

        HOLD(json_object_size(root) == 1 && json_is_array(results), "a batch has results");
        json_array_foreach(results, i, item)
        {
                if (json_object_get(item, "error") == NULL) {
                        hold_answer(item);
                        continue;
                }
                HOLD(json_object_size(item) == 1, "an item with an error has nothing else");
                hold_error(json_object_get(item, "error"));
        }
}

static void hold_reply(const struct call *call, bool is_batch)
{
        json_error_t fault;

        json_t *root = json_loadb(call->reply.text, call->reply.length, JSON_REJECT_DUPLICATES, &fault);

        HOLD(root != NULL, "the reply is JSON: %s in %.*s", fault.text, (int)call->reply.length, call->reply.text);
        HOLD(call->status >= 200 && call->status < 500, "%d is no failure of ours", call->status);
        HOLD((call->status == 200) == (call->code == OX_OK), "status and code go together");
        if (call->status != 200)
                hold_error(root);
        else if (is_batch)
                hold_batch(root);
        else
                hold_answer(root);
        json_decref(root);
}

/* -- the input -- */

static struct service *service_new(void)
{
        static struct service service;
        static struct config config = {.cors_origin = ""};

        ox_limits_default(&config.limits);
        config.limits.arena_bytes = (int64_t)256 << 20;
        config.limits.engine_ms = 5000;
        service.config = &config;
        budget_init(&service.budget, INT64_C(1) << 30, &service.metrics, NULL, NULL);
        service.contexts = contexts_new(&config.limits, 4, &service.budget, service.seed);
        HOLD(service.contexts != NULL, "there is memory to begin with");
        calls_init(&service.calls);
        rest_init(&service.metrics);
        return &service;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static struct service *service;
        bool is_batch = memmem(data, size, "\"requests\"", 10) != NULL;
        const char *path = is_batch ? "/v1/nodes:batchInfer" : "/v1/nodes:infer";
        struct memory memory = {.choice = bytes_hash(data, size)};

        if (service == NULL)
                service = service_new();
        struct call *whole = run(service, path, data, size, size + 1, &memory);
        struct call *parts = run(service, path, data, size, 1 + memory.choice % 64, &memory);

        hold_reply(whole, is_batch);
        HOLD(whole->reply.length == parts->reply.length &&
                     memcmp(whole->reply.text, parts->reply.text, whole->reply.length) == 0,
             "the pieces do not change the reply: %.*s %.*s", (int)whole->reply.length, whole->reply.text,
             (int)parts->reply.length, parts->reply.text);
        call_free(whole);
        call_free(parts);
        return 0;
}
