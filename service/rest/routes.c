#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "rest/cors.h"
#include "rest/media.h"
#include "rest/rest.h"
#include "rest/routes.h"

#define MODELS                                                                                                         \
        {                                                                                                              \
                models_begin, models_body, models_end, models_work, models_done                                        \
        }
#define NODES(begin)                                                                                                   \
        {                                                                                                              \
                begin, nodes_body, nodes_end, nodes_work, nodes_done                                                   \
        }
#define RPC                                                                                                            \
        {                                                                                                              \
                rpc_begin, rpc_body, rpc_end, rpc_work, rpc_done                                                       \
        }
#define ANSWER(begin)                                                                                                  \
        {                                                                                                              \
                begin, NULL, NULL, NULL, NULL                                                                          \
        }

#define AT(path) path, sizeof(path) - 1

const struct route routes[] = {
        {AT("/v1/models:infer"), "models:infer", METHOD_POST, MODELS},
        {AT("/v1/nodes:infer"), "nodes:infer/proto", METHOD_POST | ROUTE_PROTO, RPC},
        {AT("/v1/nodes:batchInfer"), "nodes:batchInfer/proto", METHOD_POST | ROUTE_PROTO, RPC},
        {AT("/v1/nodes:infer"), "nodes:infer", METHOD_POST, NODES(nodes_begin)},
        {AT("/v1/nodes:batchInfer"), "nodes:batchInfer", METHOD_POST, NODES(nodes_begin_batch)},
        {AT("/v1/operators"), "operators", METHOD_GET, ANSWER(operators_list)},
        {AT("/v1/operators/"), "operators/name", METHOD_GET, ANSWER(operators_get)},
        {AT("/livez"), "livez", METHOD_GET, ANSWER(probe_live)},
        {AT("/readyz"), "readyz", METHOD_GET, ANSWER(probe_ready)},
        {AT("/metrics"), "metrics", METHOD_GET, ANSWER(probe_metrics)},
        {AT("/version"), "version", METHOD_GET, ANSWER(probe_version)},
        {AT("/v2"), "v2", METHOD_GET, ANSWER(probe_server)},
        {AT("/v2/health/live"), "v2/health/live", METHOD_GET, ANSWER(probe_live_v2)},
        {AT("/v2/health/ready"), "v2/health/ready", METHOD_GET, ANSWER(probe_ready_v2)},
        {AT("/shaped.v1.ShapeInference/InferModel"), "InferModel", METHOD_POST | METHOD_GET, RPC},
        {AT("/shaped.v1.ShapeInference/InferModelStream"), "InferModelStream", METHOD_POST, RPC},
        {AT("/shaped.v1.ShapeInference/InferNode"), "InferNode", METHOD_POST | METHOD_GET, RPC},
        {AT("/shaped.v1.ShapeInference/BatchInferNodes"), "BatchInferNodes", METHOD_POST | METHOD_GET, RPC},
        {AT("/shaped.v1.ShapeInference/ListOperators"), "ListOperators", METHOD_POST | METHOD_GET, RPC},
        {AT("/shaped.v1.ShapeInference/GetOperator"), "GetOperator", METHOD_POST | METHOD_GET, RPC},
        {AT("/grpc.health.v1.Health/Check"), "Health/Check", METHOD_POST, RPC},
        {AT("/grpc.health.v1.Health/Watch"), "Health/Watch", METHOD_POST, RPC},
        {AT("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), "ServerReflectionInfo", METHOD_POST, RPC},
        {AT("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"), "ServerReflectionInfo/v1alpha",
         METHOD_POST, RPC},
        {AT("/"), "home", METHOD_GET, ANSWER(probe_home)},
};

const size_t route_count = sizeof(routes) / sizeof(routes[0]);

static_assert(sizeof(routes) / sizeof(routes[0]) < METRIC_ROUTES,
              "each route has a row of metrics, and what has no route the last one");

void rest_init(struct metrics *metrics)
{
        for (size_t i = 0; i < route_count; i++)
                metrics->route[i] = routes[i].name;
}

static bool route_matches(const struct route *route, const char *path, size_t length)
{
        bool is_folder = route->length > 1 && route->path[route->length - 1] == '/';

        return (is_folder ? length > route->length : length == route->length) &&
               memcmp(path, route->path, route->length) == 0;
}

static bool is_proto(struct call *call)
{
        return media_read(call->field[FIELD_CONTENT_TYPE]) == MEDIA_PROTO;
}

/* `OPTIONS *` concerns the server, not a route (RFC 9110, 9.3.7). */
static bool is_of_server(const struct call *call)
{
        return strcmp(call->path, "*") == 0 && strcmp(call->method_name, "OPTIONS") == 0;
}

static void rest_begin(struct call *call)
{
        if (cors_begin(call))
                return;
        if (is_of_server(call)) {
                call_reply(call, HTTP_NO_CONTENT, NULL);
                call_reply_header(call, "Allow", "GET, HEAD, POST, OPTIONS");
                return;
        }
        rpc_prepare(call);
        size_t length = strlen(call->path);

        for (size_t i = 0; i < route_count; i++) {
                const struct route *route = &routes[i];

                if (!route_matches(route, call->path, length) || (route->methods & ROUTE_PROTO && !is_proto(call)))
                        continue;
                call->route = (int)i;
                if (call->method & route->methods || (call->method == METHOD_HEAD && route->methods & METHOD_GET)) {
                        route->handler.begin(call);
                        return;
                }
                call_reply_error_status(call, HTTP_NOT_ALLOWED, "%s does not take %.40s", route->path,
                                        call->method_name);
                call_reply_header(call, "Allow", "%s%s%s", route->methods & METHOD_GET ? "GET, HEAD" : "",
                                  route->methods == (METHOD_GET | METHOD_POST) ? ", " : "",
                                  route->methods & METHOD_POST ? "POST" : "");
                return;
        }
        call_reply_error_status(call, HTTP_NOT_FOUND, "no such route: %.200s", call->path);
}

/* The functions below run only for a call whose route did not reply at once. */

static bool rest_body(struct call *call, const char *bytes, size_t size)
{
        return routes[call->route].handler.body(call, bytes, size);
}

static enum call_next rest_end(struct call *call)
{
        return routes[call->route].handler.end(call);
}

static void rest_work(struct call *call)
{
        routes[call->route].handler.work(call);
}

static void rest_done(struct call *call)
{
        if (call->state)
                routes[call->route].handler.done(call);
}

const struct call_handler rest_handler = {rest_begin, rest_body, rest_end, rest_work, rest_done};
