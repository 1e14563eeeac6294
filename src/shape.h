/* libshape: types and shapes of every value of an ONNX model, or of one node, from the graph and never the weights.
   `ox_` and `OX_`, which all names begin with, are short for ONNX.

   `#include <shape.h>` with what `pkg-config --cflags --libs shape` prints (`--static` as well to link libshape.a);
   tests/example has whole programs in C and in C++.

   Threads: all of it can run in any number of threads at once, each with its own context; one context is for one thread
   at a time. Nothing here does I/O, logs, keeps mutable globals or exits.
   Ownership: what is given is copied, or no longer needed when the call returns, unless the call's text says otherwise.
   What is handed out lives on the context until that is reset or freed, and does not change.
   Errors: calls that can fail return OX_OK or the reason, and ox_context_error() has a sentence for people. What a call
   hands out through a `ret` parameter is set in either case.

   Coming from onnx-light, whose C++ names these are:
     BroadcastShapes                      ox_shape_broadcast()
     ComputeShapeBinaryBroadcast          ox_infer_binary_broadcast()
     PropagateValueAsShapeArithmetic      ox_propagate_arithmetic(), with OX_ADD or OX_SUB for BroadcastDimOp
     ComputeShape<Op>, for every operator ox_infer_node(), the operator being the node's
     ShapesContext                        struct ox_context: ox_context_set(), ox_context_get()
     OptimShape, OptimTensor              struct ox_shape, struct ox_value
     OptimSequence, Optional              struct ox_value with the type "seq(...)" or "optional(...)" and a `length`
     TensorType                           the text of a type: "tensor(float)"
     NodeProto                            struct ox_node, by ox_node_new()
     ValueAsShape                         ox_value.content
     kMaxOptimRank                        ox_limits.rank
     expressions::dim_add, dim_sub ...    ox_dim_add(), ox_dim_sub() ...
     std::invalid_argument, out_of_range  OX_INVALID_ARGUMENT, OX_OUT_OF_RANGE */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/code.h"    /* enum ox_code: OX_OK, OX_INVALID_ARGUMENT ... and ox_code_name() */
#include "base/fault.h"   /* struct ox_diag: one fault of a model or node */
#include "base/limits.h"  /* struct ox_limits and ox_limits_default() */
#include "base/write.h"   /* ox_write */
#include "infer/public.h" /* struct ox_options, and what results are made of */

#pragma GCC visibility push(default)

/* The version of the library that runs: "0.1.0". The header's own is OX_VERSION_TEXT, in the installed one. */
const char *ox_version(void);

/* -- contexts: the memory of one request at a time, and the names of its values -- */

struct ox_context;

/* What was inferred of a node or a model. */
struct ox_result;

/* NULL when there is no memory. `limits` NULL: the defaults; else copied. */
struct ox_context *ox_context_new(const struct ox_limits *limits);
void ox_context_free(struct ox_context *context); /* takes NULL */

/* Everything that the context handed out becomes invalid, and all names, versions and models are forgotten; up to
   `keep` bytes of memory stay for the next request. */
void ox_context_reset(struct ox_context *context, size_t keep);

const struct ox_limits *ox_context_limits(const struct ox_context *context);

/* What the last call says that failed, until the next call; "" when it succeeded. */
const char *ox_context_error(const struct ox_context *context);

/* -- shapes and values, as they are given and read -- */

/* A size, or the length of a sequence. */
struct ox_dim {
        const char
                *text; /* NULL: an integer, `value`. Else a symbol's name or an expression in Python's spelling: "N",
                          "2*N + 1", "H//2", "max(a, b)"; inside it, a name that is no identifier stands in backquotes.
                          Given as "" or "?" it is unknown, which makes a symbol of it that differs from all others. */
        int64_t value;
};

/* To fill arrays of struct ox_dim: {OX_SYM("N"), OX_SIZE(3)}. */
#define OX_SIZE(n)                                                                                                     \
        {                                                                                                              \
                NULL, (n)                                                                                              \
        }
#define OX_SYM(s)                                                                                                      \
        {                                                                                                              \
                (s), 0                                                                                                 \
        }

/* NULL in the place of a shape is an unknown rank, which is a state of its own; rank 0 is a scalar. */
struct ox_shape {
        size_t rank; /* at most limits.rank */
        const struct ox_dim *dims;
};

/* Shapes written down: OX_SHAPE(OX_SYM("N"), OX_SIZE(3)). They last until the end of the block that they stand in, and
   in C++, which has no such literals, until the thread comes to the same place of its source again. */
#ifdef __cplusplus
#define OX_SCALAR                                                                                                      \
        ([]() -> const ox_shape * {                                                                                    \
                static const ox_shape ox_written = {0, NULL};                                                          \
                return &ox_written;                                                                                    \
        }())
#define OX_SHAPE(...)                                                                                                  \
        ([&]() -> const ox_shape * {                                                                                   \
                const ox_dim ox_given[] = {__VA_ARGS__};                                                               \
                const size_t ox_rank = sizeof(ox_given) / sizeof(ox_given[0]);                                         \
                static thread_local ox_dim ox_dims[ox_rank];                                                           \
                static thread_local ox_shape ox_written;                                                               \
                for (size_t ox_axis = 0; ox_axis < ox_rank; ox_axis++)                                                 \
                        ox_dims[ox_axis] = ox_given[ox_axis];                                                          \
                ox_written.rank = ox_rank;                                                                             \
                ox_written.dims = ox_dims;                                                                             \
                return &ox_written;                                                                                    \
        }())
#else
#define OX_SCALAR (&(const struct ox_shape){.rank = 0})
#define OX_SHAPE(...)                                                                                                  \
        (&(const struct ox_shape){.rank = sizeof((const struct ox_dim[]){__VA_ARGS__}) / sizeof(struct ox_dim),        \
                                  .dims = (const struct ox_dim[]){__VA_ARGS__}})
#endif

/* One element of a tensor. */
struct ox_element {
        enum ox_element_kind {
                OX_ELEMENT_UNKNOWN,
                OX_ELEMENT_INT,   /* `i`; 0 and 1 in tensors of bool */
                OX_ELEMENT_FLOAT, /* `f` */
                OX_ELEMENT_TEXT,  /* `text`: symbolic, as in struct ox_dim */
        } kind;
        int64_t i;
        double f;
        const char *text;
};

/* What is known of a value. All zero: nothing. */
struct ox_value {
        const char *type; /* ONNX's type string: "tensor(float)", "seq(tensor(int64))"; NULL: unknown */
        const struct ox_shape
                *shape; /* of the tensor, or of each tensor of a sequence or optional; NULL: unknown rank */
        const struct ox_dim *length;      /* of a sequence; of an optional 0 or 1; NULL: unknown */
        const struct ox_element *content; /* of a small tensor, row-major; NULL: not known */
        size_t n_content;                 /* what the shape says, which must be of integers then */
        const struct ox_value *element;   /* of a sequence or optional: what is known of each element; NULL: what `type`
                                             and `shape` say */
        const struct ox_value *elements;  /* of a sequence, each element, where they differ; NULL: not known */
        size_t n_elements;                /* which is its length */
};

/* -- values by name -- */

/* Says what a name stands for, in the place of what it stood for before. `value` NULL: nothing any more. A symbol is
   the same wherever its name stands in a context. Contents past limits.content_elements (a warning of what is inferred
   from them says so), and of types that decide no shapes, count as not known. OX_INVALID_ARGUMENT for a value that
   contradicts itself, OX_RESOURCE_EXHAUSTED past a limit. */
enum ox_code ox_context_set(struct ox_context *context, const char *name, const struct ox_value *value);

/* OX_OUT_OF_RANGE for a name that stands for nothing; *ret is all zero then. */
enum ox_code ox_context_get(struct ox_context *context, const char *name, struct ox_value *ret);

/* The version of a domain's operator set; "" is ai.onnx. What is not said is at its newest. */
enum ox_code ox_context_opset(struct ox_context *context, const char *domain, int64_t version);

/* -- shapes -- */

/* Two shapes by ONNX's multidirectional broadcasting. Aligned at their last axes, missing ones counting as 1, of two
   sizes equal ones give that size, 1 and any other the other, an integer that is not 1 and a symbol the integer, and
   different symbols broadcast(a, b). An unknown rank makes the result's unknown: *ret is NULL. OX_INVALID_ARGUMENT for
   different integers of which none is 1; the error names both and their axis in the result. */
enum ox_code ox_shape_broadcast(struct ox_context *context, const struct ox_shape *a, const struct ox_shape *b,
                                const struct ox_shape **ret);

/* "[N, 3, 2*H]"; "[]" for a scalar, and "?" for NULL. */
enum ox_code ox_shape_text(struct ox_context *context, const struct ox_shape *shape, const char **ret);

/* -- dimensions: symbolic arithmetic -- */

/* Each gives the canonical form of its result, so that equal ones are spelled alike. Symbols are those of the context.
   Integers are Python's: division and modulo round down. OX_INVALID_ARGUMENT for a text that cannot be read and for a
   division by 0, OX_OUT_OF_RANGE for integers that overflow, OX_RESOURCE_EXHAUSTED past a limit. */
enum ox_code ox_dim_add(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_sub(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_mul(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_floordiv(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_mod(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_max(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_min(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);

/* The dimension with `by` in the place of the symbol `name`, wherever it stands. */
enum ox_code ox_dim_substitute(struct ox_context *context, struct ox_dim dim, const char *name, struct ox_dim by,
                               struct ox_dim *ret);

/* Its number when each symbol has the value that `bindings` give it. OX_FAILED_PRECONDITION when one has none;
   OX_OUT_OF_RANGE where it is undefined: a division by 0, an overflow, sizes that do not broadcast. */
enum ox_code ox_dim_evaluate(struct ox_context *context, struct ox_dim dim, const struct ox_binding *bindings,
                             size_t n_binding, int64_t *ret);

/* Inclusive bounds that hold whatever sizes the symbols stand for, by the facts of the context; INT64_MIN and INT64_MAX
   where there is none. A symbol is 0 or more. */
enum ox_code ox_dim_bounds(struct ox_context *context, struct ox_dim dim, int64_t *ret_least, int64_t *ret_most);

/* -- a node -- */

/* What to infer: an operator, its inputs and outputs by name, attributes. On its context, as long as that is not reset.
   A call that fails leaves the node at fault: inferring it says the same again, so that it alone need be checked. NULL
   is taken for a node that could not be made: OX_INVALID_ARGUMENT. */
struct ox_node;

/* `domain` "" is ai.onnx. */
enum ox_code ox_node_new(struct ox_context *context, const char *domain, const char *op_type, struct ox_node **ret);
enum ox_code ox_node_name(struct ox_node *node, const char *name); /* for diagnostics; "" until then */

/* One more input or output; "" is an optional one that is left out. */
enum ox_code ox_node_input(struct ox_node *node, const char *name);
enum ox_code ox_node_output(struct ox_node *node, const char *name);

/* Attributes. One that the node has already is replaced. */
enum ox_code ox_node_int(struct ox_node *node, const char *name, int64_t value);
enum ox_code ox_node_float(struct ox_node *node, const char *name, float value);
enum ox_code ox_node_string(struct ox_node *node, const char *name, const char *value);
enum ox_code ox_node_ints(struct ox_node *node, const char *name, const int64_t *values, size_t count);
enum ox_code ox_node_floats(struct ox_node *node, const char *name, const float *values, size_t count);
enum ox_code ox_node_strings(struct ox_node *node, const char *name, const char *const *values, size_t count);
/* A tensor of integer sizes, and numbers or texts; without contents its elements count as not known. */
enum ox_code ox_node_tensor(struct ox_node *node, const char *name, const struct ox_value *value);
/* A type, as Optional has one: `type`, `shape` and `element` of *type. */
enum ox_code ox_node_type(struct ox_node *node, const char *name, const struct ox_value *type);

/* Infers a node of any operator: its inputs are what their names stand for in the context, and so are its outputs
   afterwards, symbols and facts about them included. OX_OUT_OF_RANGE for an input that names nothing;
   OX_INVALID_ARGUMENT for an operator that does not exist, too few outputs, and all else that is wrong with the node.
   Names stand for what they did before then, and the diagnostics of *ret (NULL when it did not come to inferring) tell
   more. `options` NULL: none; bindings hold for the context from then on. */
enum ox_code ox_infer_node(struct ox_context *context, const struct ox_node *node, const struct ox_options *options,
                           const struct ox_result **ret);

/* A binary operator that broadcasts, whatever else is or is not known of it: the node's first output gets the broadcast
   shape of the values `input_a` and `input_b`, with elements of the type `output_elem` ("float", "bool").
   OX_INVALID_ARGUMENT when the node's operator is not `expected_op_type`, it has no output, an input is no tensor or
   the shapes do not broadcast; OX_OUT_OF_RANGE when an input names nothing. */
enum ox_code ox_infer_binary_broadcast(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                       const char *input_b, const char *expected_op_type, const char *output_elem);

enum ox_arithmetic { OX_ADD, OX_SUB };

/* Adds (subtracts) the known elements of two values, broadcast as numpy does, and gives the result to the node's first
   output, whose shape must be in the context already. Where elements of one are not known, the shapes do not fit, or
   there would be more than limits.content_elements, nothing changes, and it is no error. OX_INVALID_ARGUMENT for a node
   without output, OX_OUT_OF_RANGE for names that stand for nothing. */
enum ox_code ox_propagate_arithmetic(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                     const char *input_b, enum ox_arithmetic operation);

/* -- a model -- */

/* Takes the next bytes of a model; they may be given up at once. What is no model stays at fault: from the first error
   on every call for the model repeats it, until the context is reset. OX_FAILED_PRECONDITION once it was inferred. */
enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size);

/* Infers the model that was fed. May be called again (with a larger work budget) until the context is reset. `options`
   NULL: none. *ret is NULL after an error, except after one of a faulty node, which `strict` makes an error. */
enum ox_code ox_model_infer(struct ox_context *context, const struct ox_options *options, const struct ox_result **ret);

/* Both in one call. The bytes must stay as they are until the context is reset or freed: small weights are read where
   they stand. */
enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct ox_options *options, const struct ox_result **ret);

/* -- reading a result -- */

struct ox_result_value {
        const char *name;
        enum ox_kind kind;
        const char *scope;  /* "": the main graph; "loop_1/body" */
        const char *node;   /* that makes it; "" where it has no name */
        int64_t node_index; /* in its graph; -1: no node makes it */
        const char *op;
        struct ox_value value;
};

/* Values in the order of the model: inputs, then each node's outputs; of a node its outputs alone. */
size_t ox_result_count(const struct ox_result *result);

/* OX_OUT_OF_RANGE past the last one. */
enum ox_code ox_result_value(struct ox_context *context, const struct ox_result *result, size_t index,
                             struct ox_result_value *ret);

const struct ox_symbol *ox_result_symbols(const struct ox_result *result, size_t *ret_count);
const struct ox_constraint *ox_result_constraints(const struct ox_result *result, size_t *ret_count);
/* What was taken for granted, and need not hold: that a size is 1 or more where only the empty tensor would be
   otherwise. */
const struct ox_constraint *ox_result_assumptions(const struct ox_result *result, size_t *ret_count);
const struct ox_diag *ox_result_diagnostics(const struct ox_result *result, size_t *ret_count);
struct ox_summary ox_result_summary(const struct ox_result *result);

/* -- rendering a result -- */

/* As the daemon answers: JSON, the protobuf messages InferModelResponse and InferNodeResponse of proto/shaped.proto, a
   table for people, and a ModelProto which appended to the model annotates it. `write`
   gets the bytes piece by piece; it must return. OX_RESOURCE_EXHAUSTED when memory runs out, and past
   limits.answer_bytes; then a part was written already. */
enum ox_code ox_render_json(struct ox_context *context, const struct ox_result *result, bool pretty, ox_write write,
                            void *user);
enum ox_code ox_render_proto(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
enum ox_code ox_render_table(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
enum ox_code ox_render_patch(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
