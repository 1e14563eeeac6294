#include "net/call.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "net/address.h"
#include "obs/log.h"
#include "service.h"

#define CALLS_KEPT 64                         /* for the next ones */
#define KEEP_BYTES ((size_t)64 * 1024 * 1024) /* of their replies and bodies, in all */
#define BODY_BYTES ((size_t)256 * 1024)       /* of a body's memory that a call keeps */
#define FREE_BYTES ((size_t)32 * 1024)        /* of a text, as much as a connection takes anyway */

/* What a text takes of the memory of all requests. */
static size_t counted(size_t capacity)
{
        return capacity > FREE_BYTES ? capacity : 0;
}

/* What a call keeps while nobody uses it: all of it, and what of it is taken of the memory of all requests. */
static size_t kept(const struct call *call)
{
        return call->reply.capacity + call->body.capacity;
}

static int64_t counted_kept(const struct call *call)
{
        return (int64_t)(counted(call->reply.capacity) + counted(call->body.capacity));
}

void calls_init(struct call_pool *pool)
{
        memset(pool, 0, sizeof(*pool));
        pthread_mutex_init(&pool->lock, NULL);
}

void calls_done(struct call_pool *pool)
{
        while (calls_reclaim(pool)) {
        }
        pthread_mutex_destroy(&pool->lock);
}

/* The one that the calling thread keeps; NULL: none. */
static struct call *take_own(struct call_pool *pool)
{
        unsigned number = thread_number();

        return number < CALLS_OWN ? atomic_exchange(&pool->own[number].call, NULL) : NULL;
}

/* False if the calling thread keeps one, or if it is large. */
static bool keep_own(struct call_pool *pool, struct call *call)
{
        unsigned number = thread_number();

        if (number >= CALLS_OWN || counted(call->reply.capacity) || atomic_load(&pool->own[number].call))
                return false;
        atomic_store(&pool->own[number].call, call);
        return true;
}

static struct call *take_idle(struct call_pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        struct call *call = pool->first;

        if (call) {
                pool->first = call->next;
                pool->count--;
                pool->bytes -= kept(call);
                metric_add(call->reply.budget->metrics, METRIC_memory_kept_bytes, -counted_kept(call));
        }
        pthread_mutex_unlock(&pool->lock);
        return call;
}

static void free_call(struct call *call)
{
        if (!call)
                return;
        text_free(&call->reply);
        text_free(&call->body);
        text_free(&call->trailers);
        free(call);
}

bool calls_reclaim(struct call_pool *pool)
{
        struct call *call = take_idle(pool);

        for (size_t i = 0; i < CALLS_OWN && !call; i++)
                call = atomic_exchange(&pool->own[i].call, NULL);
        free_call(call);
        return call;
}

/* The memory of a text that is used again. */
static struct call_text emptied(struct call_text text)
{
        text.length = 0;
        text.failed = false;
        return text;
}

struct call *call_new(struct service *service)
{
        const struct call_text none = {.budget = &service->budget};
        struct call *own = take_own(&service->calls), *call = own ? own : take_idle(&service->calls);
        struct call_text reply = call ? emptied(call->reply) : none, body = call ? emptied(call->body) : none;
        struct call_text trailers = call ? emptied(call->trailers) : none;

        if (!call)
                call = malloc(sizeof(*call));
        if (!call)
                return NULL;
        memset(call, 0, offsetof(struct call, room));
        call->service = service;
        call->route = -1;
        call->reply = reply;
        call->body = body;
        call->trailers = trailers;
        call->gathered = none;
        return call;
}

void call_free(struct call *call)
{
        struct call_pool *pool = &call->service->calls;

        text_free(&call->gathered);
        if (counted(call->trailers.capacity))
                text_free(&call->trailers);
        if (keep_own(pool, call))
                return;
        pthread_mutex_lock(&pool->lock);
        if (pool->count < CALLS_KEPT && kept(call) <= KEEP_BYTES - pool->bytes) {
                call->next = pool->first;
                pool->first = call;
                pool->count++;
                pool->bytes += kept(call);
                metric_add(call->reply.budget->metrics, METRIC_memory_kept_bytes, counted_kept(call));
                call = NULL;
        }
        pthread_mutex_unlock(&pool->lock);
        free_call(call);
}

void *call_new_state(struct call *call, size_t size)
{
        call->state = size <= sizeof(call->room) ? memset(call->room, 0, size) : calloc(1, size);
        if (!call->state)
                call_reply_no_memory(call);
        return call->state;
}

void call_free_state(struct call *call)
{
        if (call->state != call->room)
                free(call->state);
        call->state = NULL;
        if (call->body.capacity > BODY_BYTES)
                text_free(&call->body);
}

/* -- from the begin of a request to its end -- */

struct call *call_begin(struct service *service, const struct call_handler *handler,
                        const struct call_transport *transport, void *connection, uint64_t client)
{
        struct call *call = call_new(service);

        if (!call)
                return NULL;
        call->handler = handler;
        call->transport = transport;
        call->connection = connection;
        call->client = client;
        call->started_ns = call->stage_since_ns = clock_ns();
        call->deadline_ns = call->started_ns + service->config->request_s * INT64_C(1000000000);
        return call;
}

void call_set_method(struct call *call, const char *name)
{
        call->method_name = name;
        call->method = strcmp(name, "GET") == 0    ? METHOD_GET
                       : strcmp(name, "HEAD") == 0 ? METHOD_HEAD
                       : strcmp(name, "POST") == 0 ? METHOD_POST
                                                   : METHOD_OTHER;
}

void call_is_begun(struct call *call)
{
        metric_add(&call->service->metrics, METRIC_requests_in_flight, 1);
        if (call->has_body)
                call->stage = STAGE_UPLOAD; /* what its head took is too little for a look at the clock */
}

/* The status that stands is kept. */
void call_cut_off(struct call *call, const char *by)
{
        if (!call->status) {
                call->status = HTTP_CLIENT_GONE;
                call->code = http_status_code(HTTP_CLIENT_GONE);
        }
        if (!call->error[0])
                call_note_error(call, "the connection ended before the reply was sent");
        metrics_cut_off(&call->service->metrics, by);
}

static void log_call(const struct call *call, int64_t took_ns, const struct sockaddr *address, const char *cut_off_by)
{
        char client[ADDRESS_TEXT];
        const int64_t *stage = call->stage_ns;
        const struct log_field fields[] = {
                {LOG_NAME("client"), .kind = LOG_WORD, .text = address_text(address, client)},
                {LOG_NAME("method"), .kind = call->method == METHOD_OTHER ? LOG_TEXT : LOG_WORD,
                 .text = call->method_name},
                {LOG_NAME("path"), .text = call->path},
                {LOG_NAME("protocol"), .text = call->protocol},
                {LOG_NAME("status"), .kind = LOG_INT, .number = call->status},
                {LOG_NAME("code"), .kind = LOG_WORD, .text = ox_code_name(call->code)},
                {LOG_NAME("ms"), .kind = LOG_MS, .number = took_ns},
                {LOG_NAME("upload_ms"), .kind = LOG_MS, .number = stage[STAGE_UPLOAD]},
                {LOG_NAME("queue_ms"), .kind = LOG_MS, .number = stage[STAGE_QUEUE]},
                {LOG_NAME("engine_ms"), .kind = LOG_MS, .number = stage[STAGE_ENGINE]},
                {LOG_NAME("send_ms"), .kind = LOG_MS, .number = stage[STAGE_SEND]},
                {LOG_NAME("bytes_in"), .kind = LOG_INT, .number = (int64_t)call->body_bytes},
                {LOG_NAME("bytes_skipped"), .kind = LOG_INT, .number = (int64_t)call->skipped},
                {LOG_NAME("bytes_out"), .kind = LOG_INT, .number = (int64_t)call->reply.length},
                {LOG_NAME("nodes"), .kind = LOG_INT, .number = (int64_t)call->nodes},
                {LOG_NAME("cut_off_by"), .text = cut_off_by},
                {LOG_NAME("error"), .text = call->error[0] ? call->error : NULL},
        };

        log_line(call->status >= HTTP_INTERNAL ? "error" : "info", "request", fields,
                 (int)(sizeof(fields) / sizeof(fields[0])));
}

static void count_call(const struct call *call, int64_t took_ns)
{
        static const enum metric metric[CALL_STAGES] = {
                [STAGE_ENGINE] = METRIC_request_stage_seconds_total_engine,
                [STAGE_UPLOAD] = METRIC_request_stage_seconds_total_upload,
                [STAGE_QUEUE] = METRIC_request_stage_seconds_total_queue,
                [STAGE_SEND] = METRIC_request_stage_seconds_total_send,
        };
        struct metrics *metrics = &call->service->metrics;

        metrics_request(metrics, call->route, call->status, took_ns);
        for (int stage = 0; stage < CALL_STAGES; stage++)
                metric_add(metrics, metric[stage], call->stage_ns[stage]);
}

void call_over(struct call *call, const struct sockaddr *client, const char *cut_off_by, bool is_noted)
{
        struct service *service = call->service;

        call_enter(call, STAGE_SEND);
        int64_t took_ns = call->stage_since_ns - call->started_ns;

        metric_add(&service->metrics, METRIC_request_bytes_total, (int64_t)call->body_bytes);
        metric_add(&service->metrics, METRIC_response_bytes_total, (int64_t)call->reply.length);
        if (is_noted) {
                count_call(call, took_ns);
                if (service->config->log_requests)
                        log_call(call, took_ns, client, cut_off_by);
        }
        call->handler->done(call);
        call_free(call);
        metric_add(&service->metrics, METRIC_requests_in_flight, -1);
}

/* -- texts -- */

void text_free(struct call_text *text)
{
        free(text->text);
        budget_give(text->budget, counted(text->capacity));
        *text = (struct call_text){.budget = text->budget, .failed = text->failed};
}

static bool text_grow(struct call_text *text, size_t capacity)
{
        size_t more = counted(capacity) - counted(text->capacity);

        if (!budget_take(text->budget, more))
                return false;
        char *grown = realloc(text->text, capacity);

        if (!grown) {
                budget_give(text->budget, more);
                return false;
        }
        text->text = grown;
        text->capacity = capacity;
        return true;
}

void text_reserve(struct call_text *text, size_t capacity)
{
        if (!text->failed && capacity > text->capacity)
                text_grow(text, capacity);
}

/* False: there is none. */
static bool text_has_room(struct call_text *text, size_t size)
{
        size_t capacity = text->capacity ? text->capacity : 4096;

        if (text->failed)
                return false;
        if (size <= text->capacity - text->length)
                return true;
        while (capacity - text->length < size)
                capacity *= 2;
        if (text_grow(text, capacity))
                return true;
        text->failed = true;
        text_free(text);
        return false;
}

void text_append(struct call_text *to, const char *bytes, size_t size)
{
        if (!text_has_room(to, size))
                return;
        if (size)
                memcpy(to->text + to->length, bytes, size);
        to->length += size;
}

void text_cut(struct call_text *text, size_t length)
{
        if (length < text->length)
                text->length = length;
}

void text_write(void *text, const char *bytes, size_t size)
{
        text_append(text, bytes, size);
}

char *text_room(void *text_, size_t put, size_t least, size_t *ret_size)
{
        struct call_text *text = text_;

        text->length += put;
        if (!text_has_room(text, least))
                return NULL;
        *ret_size = text->capacity - text->length;
        return text->text + text->length;
}

void call_write(void *user, const char *bytes, size_t size)
{
        text_append(&((struct call *)user)->reply, bytes, size);
}

void call_reply(struct call *call, int status, const char *content_type)
{
        call->status = status;
        call->code = OX_OK;
        call->error[0] = '\0';
        call->content_type = content_type;
        call->reply.length = call->trailers.length = 0;
        call->reply.failed = call->trailers.failed = false;
}

void call_write_error(struct call *call, enum ox_code code, const char *message)
{
        render_error_json(code, message, NULL, call_write, call);
}

void call_reply_header(struct call *call, const char *name, const char *format, ...)
{
        struct call_header *header = &call->header[call->n_header];
        va_list args;

        if (call->n_header == CALL_HEADERS)
                return;
        call->n_header++;
        header->name = name;
        if (!strchr(format, '%') && strlen(format) < sizeof(header->value)) {
                strcpy(header->value, format);
                return;
        }
        va_start(args, format);
        vsnprintf(header->value, sizeof(header->value), format, args);
        va_end(args);
}

void call_enter(struct call *call, enum call_stage stage)
{
        int64_t now = clock_ns();

        call->stage_ns[call->stage] += now - call->stage_since_ns;
        call->stage_since_ns = now;
        call->stage = stage;
}

/* -- errors -- */

void call_note_error(struct call *call, const char *message)
{
        snprintf(call->error, sizeof(call->error), "%s", message);
}

__attribute__((format(printf, 4, 0))) static void reply_error(struct call *call, int status, enum ox_code code,
                                                              const char *format, va_list args)
{
        char message[1024];

        vsnprintf(message, sizeof(message), format, args);
        if (call->put_error) {
                call->put_error(call, status, code, message);
                return;
        }
        call_reply(call, status, "application/json");
        call->code = code;
        call_note_error(call, message);
        call_write_error(call, code, message);
}

void call_reply_error(struct call *call, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        reply_error(call, ox_code_http(code), code, format, args);
        va_end(args);
}

void call_reply_error_status(struct call *call, enum http_status status, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        reply_error(call, status, http_status_code(status), format, args);
        va_end(args);
}

static const char client_deadline[] = "the request took longer than its client waits";

bool call_is_late(const struct call *call)
{
        return clock_ns() >= call->deadline_ns;
}

void call_reply_late(struct call *call)
{
        if (call->is_client_deadline)
                call_reply_error(call, OX_DEADLINE_EXCEEDED, "%s", client_deadline);
        else
                call_reply_error(call, OX_DEADLINE_EXCEEDED, "the request took longer than the limit request_s, %lld s",
                                 (long long)call->service->config->request_s);
}

enum ox_code call_look(void *call_, const char **ret_why)
{
        struct call *call = call_;

        if (call->transport->is_gone(call)) {
                metric_add(&call->service->metrics, METRIC_canceled_total, 1);
                *ret_why = "the client went away before the request was done";
                return OX_CANCELED;
        }
        *ret_why = call->is_client_deadline ? client_deadline : "the request took longer than the limit request_s";
        return call_is_late(call) ? OX_DEADLINE_EXCEEDED : OX_OK;
}

void call_note_failure(struct call *call, enum ox_code code, const char *message)
{
        call->code = code;
        if (code == OX_UNAVAILABLE) /* of all that the engine wants, only memory can be lent to others */
                metric_add(&call->service->metrics, METRIC_requests_refused_total_memory, 1);
        call_note_error(call, message);
}

void call_reply_no_memory(struct call *call)
{
        metric_add(&call->service->metrics, METRIC_requests_refused_total_memory, 1);
        call_reply_error(call, OX_UNAVAILABLE, "%s", call->service->budget.text);
}
