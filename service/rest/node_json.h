/* Reads the JSON of a request for one node into the engine's structures. */
#pragma once

#include "config/options.h"
#include "engine.h"
#include "rest/json.h"

struct node_json {
        struct ox_context *context;
        const struct options *options;
        const struct json *json;
        size_t bytes;                      /* of the text that it was read from */
        struct infer_node_request request; /* with its tables, from ox_request_begin() */
        const char *operators;             /* declarations of the request, as text; "": none */
        const char *error;                 /* on the context's arena */
};

/* To be run by ox_context_run(), with a struct node_json as `user`. Fills `request` and `operators`, which live on the
   context's arena and need `json`; or sets `error`. */
enum ox_code node_json_read(void *user);
