/* Inference over a whole model, or one node. */
#pragma once

#include "base/limits.h"
#include "infer/result.h"
#include "model/onnx.h"

enum ox_values { OX_VALUES_INFERRED, OX_VALUES_OUTPUTS, OX_VALUES_UNKNOWN, OX_VALUES_ALL };

struct infer_binding {
        const char *name;
        int64_t value;
};

/* Replaces an input's shape: dimensions as text, each an integer or an expression. */
struct infer_shape {
        const char *input;
        const char *const *dim;
        size_t rank;
};

struct infer_options {
        bool strict, check_types, ignore_declared;
        enum ox_values values;
        const struct infer_binding *binding;
        size_t n_binding;
        const struct infer_shape *shape;
        size_t n_shape;
        uint64_t seed;        /* of the hash tables */
        uint64_t work_budget; /* nodes after which inference gives up with OX_ABORTED, so that a worker may start anew;
                                 0: none */
        uint64_t bytes, bytes_skipped; /* for the result's `model` */
};

/* Infers every value. Everything lives on `arena`, which must have a guard set. Errors fill *ret_error (on the arena):
   OX_INVALID_ARGUMENT for options that do not fit the model and, with strict, for the first faulty node (then
   *ret_result is set too, so that details can be told); OX_ABORTED past the work budget. */
enum ox_code infer_model(struct arena *arena, const struct ox_limits *limits, const OnnxModel *model,
                         const struct infer_options *options, const struct result **ret_result, const char **ret_error);

/* What a caller says of one input of a single node. */
struct infer_input {
        const char *name;
        struct value value;
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
                        const struct infer_options *options, const struct result **ret_result, const char **ret_error);
