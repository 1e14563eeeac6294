/* Inference over a whole model, or one node. */
#pragma once

#include "base/limits.h"
#include "infer/result.h"
#include "model/graph.h"

/* Of the bytes that a model came in. */
struct infer_bytes {
        uint64_t seen, skipped;
};

/* Infers every value. Everything lives on `arena`, which must have a guard set. Errors fill *ret_error (on the arena):
   OX_INVALID_ARGUMENT for options that do not fit the model and, with strict, for the first faulty node (then
   *ret_result is set too, so that details can be reported); OX_ABORTED past the work budget. */
enum ox_code infer_model(struct arena *arena, const struct ox_limits *limits, const struct model *model,
                         const struct ox_options *options, struct infer_bytes bytes,
                         const struct ox_result **ret_result, const char **ret_error);

/* What a caller says of one input of a single node. */
struct infer_input {
        const char *name;
        struct value value;
        size_t dropped; /* of its elements: as many were given, which the limit content_elements does not let through */
};

/* A request for one node. The caller makes the table of dimensions and fills `input` through it. */
struct infer_node_request {
        const OnnxNode *node;
        const struct result_opset *opset; /* one a domain; a domain left out is at its newest */
        size_t n_opset;
        const struct infer_input *input;
        size_t n_input;
        struct strings *strings;
        struct dim_table *dims;
};

/* A node that cannot be inferred is an error: its code, and *ret_error names operator, input, wanted and got. */
enum ox_code infer_node(struct arena *arena, const struct ox_limits *limits, const struct infer_node_request *request,
                        const struct ox_options *options, const struct ox_result **ret_result, const char **ret_error);
