/* Health, metrics, version and the front door. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "obs/process.h"
#include "rest/routes.h"
#include "service.h"
#include "version.h"

#define MEMORY_SPARE 16 /* the least fraction of memory_bytes that must be free */

static void reply_text(struct call *call, const char *type, const char *text)
{
        call_reply(call, HTTP_OK, type);
        call_reply_header(call, "Cache-Control", "no-store");
        call_write(call, text, strlen(text));
}

void probe_live(struct call *call)
{
        reply_text(call, "text/plain; charset=utf-8", "ok\n");
}

/* Whether requests hold nearly all of the memory, so that the next large one would be refused. Memory kept for later
   requests does not count, because it is returned when needed. */
static bool is_memory_full(struct service *service)
{
        const struct metrics *metrics = &service->metrics;
        int64_t held = metric_get(metrics, METRIC_memory_bytes) - metric_get(metrics, METRIC_memory_kept_bytes);

        return held > service->config->memory_bytes - service->config->memory_bytes / MEMORY_SPARE;
}

/* Whether new requests would be refused, with the reason as the reply. */
static bool refuse_unready(struct call *call)
{
        struct service *service = call->service;

        if (atomic_load(&service->draining))
                call_reply_error(call, OX_UNAVAILABLE, "the daemon is shutting down");
        else if (pool_state(service->pool).is_full)
                call_reply_error(call, OX_UNAVAILABLE, "the queue of %lld requests is full",
                                 (long long)service->config->queue);
        else if (is_memory_full(service))
                call_reply_error(call, OX_UNAVAILABLE, "requests hold nearly all of memory_bytes, %lld",
                                 (long long)service->config->memory_bytes);
        return call->status != 0;
}

void probe_ready(struct call *call)
{
        if (!refuse_unready(call))
                reply_text(call, "text/plain; charset=utf-8", "ok\n");
}

static void set_gauges(struct service *service)
{
        const struct config *config = service->config;
        const struct pool_state pool = pool_state(service->pool);
        struct metrics *metrics = &service->metrics;

        metric_set(metrics, METRIC_connections_limit, config->connections);
        metric_set(metrics, METRIC_queue_depth, (int64_t)pool.waiting);
        metric_set(metrics, METRIC_queue_limit, config->queue);
        metric_set(metrics, METRIC_workers, (int64_t)pool.threads);
        metric_set(metrics, METRIC_workers_busy, (int64_t)pool.busy);
        metric_set(metrics, METRIC_io_threads, config->io_threads);
        metric_set(metrics, METRIC_memory_limit_bytes, config->memory_bytes);
}

static void write_build(struct call *call)
{
        char text[256];
        int length = snprintf(text, sizeof(text),
                              "# HELP shaped_build_info version of this build\n# TYPE shaped_build_info gauge\n"
                              "shaped_build_info{version=\"%s\",opset=\"%d\"} 1\n",
                              SHAPED_VERSION, op_newest_opset(""));

        call_write(call, text, (size_t)length);
}

void probe_metrics(struct call *call)
{
        struct service *service = call->service;

        reply_text(call, "text/plain; version=0.0.4; charset=utf-8", "");
        set_gauges(service);
        metrics_write(&service->metrics, call_write, call);
        write_build(call);
        process_write(call_write, call);
}

void probe_version(struct call *call)
{
        char text[160];

        snprintf(text, sizeof(text), "{\"name\":\"shaped\",\"version\":\"%s\",\"opset\":%d,\"operatorVersions\":%zu}\n",
                 SHAPED_VERSION, op_newest_opset(""), op_row_count);
        reply_text(call, "application/json", text);
}

/* The Open Inference Protocol's server metadata and health. */
void probe_server(struct call *call)
{
        reply_text(call, "application/json",
                   "{\"name\":\"shaped\",\"version\":\"" SHAPED_VERSION "\",\"extensions\":[]}\n");
}

void probe_live_v2(struct call *call)
{
        reply_text(call, "application/json", "{\"live\":true}\n");
}

void probe_ready_v2(struct call *call)
{
        if (!refuse_unready(call))
                reply_text(call, "application/json", "{\"ready\":true}\n");
}

void probe_home(struct call *call)
{
        reply_text(call, "text/plain; charset=utf-8",
                   "shaped " SHAPED_VERSION ": the type and shape of every value of an ONNX model\n\n"
                   "POST /v1/models:infer       a model\n"
                   "POST /v1/nodes:infer        one node, as JSON\n"
                   "POST /v1/nodes:batchInfer   several nodes\n"
                   "GET  /v1/operators          the supported operators\n"
                   "GET  /livez /readyz /metrics /version\n\n"
                   "curl -X POST -T model.onnx -H 'Accept: text/plain' http://HOST/v1/models:infer\n");
}
