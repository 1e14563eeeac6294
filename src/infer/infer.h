/* Inference over a whole model, or one node. */
#pragma once

#include "base/limits.h"
#include "infer/result.h"
#include "model/graph.h"

/* Facts about the bytes of a model. */
struct infer_bytes {
        uint64_t seen, skipped;
};

/* Infers every value. Everything lives on `arena`, whose guard must be set. Errors set *ret_error (on the arena):
   OX_INVALID_ARGUMENT for options that do not fit the model and, with strict, for the first faulty node, in which case
   *ret_result is set too, for details; OX_ABORTED past the work budget. */
enum ox_code infer_model(struct arena *arena, const struct ox_limits *limits, const struct model *model,
                         const struct ox_options *options, struct infer_bytes bytes,
                         const struct ox_result **ret_result, const char **ret_error);

/* The description of one input of a single node. */
struct infer_input {
        const char *name;
        struct value value;
        size_t dropped; /* the number of given elements that exceed the limit content_elements and are ignored */
};

/* A request for one node. The caller makes the table of dimensions and fills `input` through it. */
struct infer_node_request {
        const OnnxNode *node;
        const struct result_opset *opset; /* one for each domain; an omitted domain is at its newest version */
        size_t n_opset;
        const struct infer_input *input;
        size_t n_input;
        struct strings *strings;
        struct dim_table *dims;
};

/* Infers one node. If it cannot be inferred, returns the code, and *ret_error names the operator, the input, and the
   expected and actual value. */
enum ox_code infer_node(struct arena *arena, const struct ox_limits *limits, const struct infer_node_request *request,
                        const struct ox_options *options, const struct ox_result **ret_result, const char **ret_error);
