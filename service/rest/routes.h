/* The table of routes, and their functions. */
#pragma once

#include "net/call.h"

#define ROUTE_PROTO 0x100 /* for requests in application/x-protobuf alone */

struct route {
        const char *path;            /* a path that ends in / matches all paths below it */
        size_t length;               /* of the path */
        const char *name;            /* in the metrics */
        unsigned methods;            /* of enum call_method, and ROUTE_PROTO; HEAD goes with GET */
        struct call_handler handler; /* omitted functions do nothing */
};

extern const struct route routes[];
extern const size_t route_count;

/* rest/models.c */
void models_begin(struct call *call);
bool models_body(struct call *call, const char *bytes, size_t size);
enum call_next models_end(struct call *call);
void models_work(struct call *call);
void models_done(struct call *call);

/* rest/nodes.c */
void nodes_begin(struct call *call);
void nodes_begin_batch(struct call *call);
bool nodes_body(struct call *call, const char *bytes, size_t size);
enum call_next nodes_end(struct call *call);
void nodes_work(struct call *call);
void nodes_done(struct call *call);

/* rest/operators.c */
void operators_list(struct call *call);
void operators_get(struct call *call);

/* rpc/rpc.c: the methods of proto/shaped.proto and proto/health.proto, in any protocol */
/* Makes errors have the form that the client expects, even before the method is known. */
void rpc_prepare(struct call *call);
void rpc_begin(struct call *call);
bool rpc_body(struct call *call, const char *bytes, size_t size);
enum call_next rpc_end(struct call *call);
void rpc_work(struct call *call);
void rpc_done(struct call *call);

/* rest/probes.c */
void probe_live(struct call *call);
void probe_ready(struct call *call);
void probe_metrics(struct call *call);
void probe_version(struct call *call);
void probe_server(struct call *call);
void probe_live_v2(struct call *call);
void probe_ready_v2(struct call *call);
void probe_home(struct call *call);
