/* An InferNodeRequest as the engine takes it. */
#pragma once

#include "engine.h"
#include "shaped.pb-c.h"

struct node_proto {
        struct ox_context *context;
        const Shaped__V1__InferNodeRequest *given;
        struct infer_node_request request; /* with its tables, from ox_request_begin() */
        const char *error;                 /* on the context's arena */
};

/* To be run under ox_context_run(), with a struct node_proto for `user`: fills `request`, which lives on the context's
   arena and as long as `given`. Else sets `error`. */
enum ox_code node_proto_read(void *user);
