/* Reads an InferNodeRequest into the engine's structures. */
#pragma once

#include "engine.h"
#include "shaped.pb-c.h"

struct node_proto {
        struct ox_context *context;
        const Shaped__V1__InferNodeRequest *given;
        struct infer_node_request request; /* with its tables, from ox_request_begin() */
        const char *error;                 /* on the context's arena */
};

/* To be run by ox_context_run(), with a struct node_proto as `user`. Fills `request`, which lives on the context's
   arena and needs `given`; or sets `error`. */
enum ox_code node_proto_read(void *user);
