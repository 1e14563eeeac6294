#include "net/call.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "service.h"

#define KEEP_BYTES ((size_t)1024 * 1024) /* of a reply's memory, for the next call */
#define CALLS_KEPT 64

void calls_init(struct call_pool *pool)
{
        *pool = (struct call_pool){.first = NULL};
        pthread_mutex_init(&pool->lock, NULL);
}

void calls_done(struct call_pool *pool)
{
        while (pool->first) {
                struct call *call = pool->first;

                pool->first = call->next;
                free(call->reply.text);
                free(call);
        }
        pthread_mutex_destroy(&pool->lock);
}

struct call *call_new(struct service *service)
{
        struct call_pool *pool = &service->calls;
        struct call_text reply = {.text = NULL};

        pthread_mutex_lock(&pool->lock);
        struct call *call = pool->first;

        if (call) {
                pool->first = call->next;
                pool->count--;
        }
        pthread_mutex_unlock(&pool->lock);
        if (call)
                reply = call->reply;
        else
                call = malloc(sizeof(*call));
        if (!call)
                return NULL;
        *call = (struct call){.service = service, .route = -1, .reply = reply};
        call->reply.length = 0;
        call->reply.failed = false;
        return call;
}

void call_free(struct call *call)
{
        struct call_pool *pool = &call->service->calls;

        if (call->reply.capacity > KEEP_BYTES) {
                free(call->reply.text);
                call->reply = (struct call_text){.text = NULL};
        }
        pthread_mutex_lock(&pool->lock);
        if (pool->count < CALLS_KEPT) {
                call->next = pool->first;
                pool->first = call;
                pool->count++;
                call = NULL;
        }
        pthread_mutex_unlock(&pool->lock);
        if (call)
                free(call->reply.text);
        free(call);
}

void text_append(struct call_text *to, const char *bytes, size_t size)
{
        if (size > to->capacity - to->length) {
                size_t capacity = to->capacity ? 2 * to->capacity : 4096;

                while (capacity - to->length < size)
                        capacity *= 2;
                char *grown = realloc(to->text, capacity);

                if (!grown) {
                        to->failed = true;
                        return;
                }
                to->text = grown;
                to->capacity = capacity;
        }
        if (size)
                memcpy(to->text + to->length, bytes, size);
        to->length += size;
}

void call_write(void *user, const char *bytes, size_t size)
{
        text_append(&((struct call *)user)->reply, bytes, size);
}

void call_reply(struct call *call, int status, const char *content_type)
{
        call->status = status;
        call->code = OX_OK;
        call->content_type = content_type;
        call->reply.length = 0;
}

void call_reply_header(struct call *call, const char *name, const char *format, ...)
{
        va_list args;

        if (call->n_header == CALL_HEADERS)
                return;
        call->header[call->n_header].name = name;
        va_start(args, format);
        vsnprintf(call->header[call->n_header].value, sizeof(call->header[0].value), format, args);
        va_end(args);
        call->n_header++;
}

/* -- errors -- */

__attribute__((format(printf, 4, 0))) static void reply_error(struct call *call, int status, enum ox_code code,
                                                              const char *format, va_list args)
{
        static const char poor[] = "{\"code\":\"resource_exhausted\",\"message\":\"no memory\",\"details\":[]}\n";
        struct contexts *contexts = call->service->contexts;
        char message[1024];
        struct ox_context *context = contexts_take(contexts);

        vsnprintf(message, sizeof(message), format, args);
        call_reply(call, status, "application/json");
        call->code = code;
        if (!context || ox_render_error(context, code, message, NULL, call_write, call) != OX_OK ||
            call->reply.failed) {
                call->reply.length = 0;
                call_write(call, poor, sizeof(poor) - 1);
        }
        contexts_give(contexts, context);
        if (status == 503 || status == 429)
                call_reply_header(call, "Retry-After", "1");
}

void call_reply_error(struct call *call, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        reply_error(call, ox_code_http(code), code, format, args);
        va_end(args);
}

void call_reply_error_status(struct call *call, int status, enum ox_code code, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        reply_error(call, status, code, format, args);
        va_end(args);
}
