/* libshape: types and shapes of every value of an ONNX model, or of one node, from the graph and never the weights.
   `ox_` and `OX_`, which all names begin with, are short for ONNX.

   `#include <shape.h>` with what `pkg-config --cflags --libs shape` prints (`--static` as well to link libshape.a);
   tests/example has whole programs in C and in C++.

   Threads: any number of threads may use the library at once, each with its own context; a context is for one thread at
   a time. Nothing here does I/O, logs, keeps mutable globals or exits.
   Ownership: arguments are copied, or no longer needed when the call returns, unless the call's comment says otherwise.
   Results live on the context until it is reset or freed, and do not change.
   Errors: a call that can fail returns OX_OK or the reason, and ox_context_error() has a sentence for people.
   Parameters named `ret` are set in either case.

   Coming from onnx-light, whose C++ names these are:
     BroadcastShapes                      ox_shape_broadcast()
     ComputeShapeBinaryBroadcast          ox_infer_binary_broadcast()
     PropagateValueAsShapeArithmetic      ox_propagate_arithmetic(), with OX_ADD or OX_SUB for BroadcastDimOp
     ComputeShape<Op>, for every operator ox_infer_node(), with the operator in the node
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
#include "base/write.h"   /* ox_write, ox_room */
#include "infer/public.h" /* struct ox_options, and what results are made of */

#pragma GCC visibility push(default)

/* The version of the running library: "0.1.0". OX_VERSION_TEXT is that of the header, in the installed one. */
const char *ox_version(void);

/* -- contexts: the memory of one request at a time, and the names of its values -- */

struct ox_context;

/* The result of inferring a node or a model. */
struct ox_result;

/* Returns NULL when memory runs out. `limits` are copied; NULL means the defaults. */
struct ox_context *ox_context_new(const struct ox_limits *limits);
void ox_context_free(struct ox_context *context); /* takes NULL */

/* Invalidates everything that the context handed out, and forgets all names, versions and models. Up to `keep` bytes of
   memory stay for the next request. */
void ox_context_reset(struct ox_context *context, size_t keep);

const struct ox_limits *ox_context_limits(const struct ox_context *context);

/* The error message of the last call, until the next call; "" if it succeeded. */
const char *ox_context_error(const struct ox_context *context);

/* -- shapes and values, as they are given and read -- */

/* A size, or the length of a sequence. */
struct ox_dim {
        const char *text; /* NULL: an integer, `value`. Else a symbol's name or an expression in Python's spelling: "N",
                             "2*N + 1", "H//2", "max(a, b)"; inside it, a name that is not an identifier is quoted in
                             backquotes. "" or "?" as an argument means unknown, and gives a symbol that differs from
                             all others. */
        int64_t value;
};

/* Initializers for arrays of struct ox_dim: {OX_SYM("N"), OX_SIZE(3)}. */
#define OX_SIZE(n)                                                                                                     \
        {                                                                                                              \
                NULL, (n)                                                                                              \
        }
#define OX_SYM(s)                                                                                                      \
        {                                                                                                              \
                (s), 0                                                                                                 \
        }

/* A NULL pointer to a shape means an unknown rank, which differs from rank 0, a scalar. */
struct ox_shape {
        size_t rank; /* at most limits.rank */
        const struct ox_dim *dims;
};

/* Shapes as literals: OX_SHAPE(OX_SYM("N"), OX_SIZE(3)). They live until the end of the enclosing block. In C++, which
   has no compound literals, they live until the thread runs the same expression again. */
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

/* Everything known about a value. All zero: nothing is known. */
struct ox_value {
        const char *type; /* ONNX's type string: "tensor(float)", "seq(tensor(int64))"; NULL: unknown */
        const struct ox_shape
                *shape; /* of the tensor, or of each tensor of a sequence or optional; NULL: unknown rank */
        const struct ox_dim *length;      /* of a sequence; of an optional 0 or 1; NULL: unknown */
        const struct ox_element *content; /* of a small tensor, row-major; NULL: unknown */
        size_t n_content;                 /* must be the product of the shape's sizes, which must be integers */
        const struct ox_value *element;   /* of a sequence or optional: describes each element; NULL: `type` and
                                             `shape` do */
        const struct ox_value *elements;  /* of a sequence, one for each element, where they differ; NULL: unknown */
        size_t n_elements;                /* the length of that sequence */
};

/* -- values by name -- */

/* Defines or redefines a name. `value` NULL: removes it. A symbol means the same size wherever its name occurs in a
   context. Contents past limits.content_elements count as unknown, with a warning in results that depend on them; so do
   contents of types that cannot decide shapes. OX_INVALID_ARGUMENT for a value that contradicts itself,
   OX_RESOURCE_EXHAUSTED past a limit. */
enum ox_code ox_context_set(struct ox_context *context, const char *name, const struct ox_value *value);

/* OX_OUT_OF_RANGE for a name that is not defined; *ret is all zero then. */
enum ox_code ox_context_get(struct ox_context *context, const char *name, struct ox_value *ret);

/* Sets the version of a domain's operator set; "" is ai.onnx. Other domains are at their newest version. */
enum ox_code ox_context_opset(struct ox_context *context, const char *domain, int64_t version);

/* -- shapes -- */

/* Broadcasts two shapes by ONNX's multidirectional broadcasting. The shapes are aligned at their last axes, and missing
   axes count as 1. Two equal sizes give that size, 1 and another size give the other, a symbol and an integer that is
   not 1 give the integer, and different symbols a and b give broadcast(a, b). An unknown rank gives an unknown rank:
   *ret is NULL. OX_INVALID_ARGUMENT for different integers, neither of them 1; the error names both and their axis in
   the result. */
enum ox_code ox_shape_broadcast(struct ox_context *context, const struct ox_shape *a, const struct ox_shape *b,
                                const struct ox_shape **ret);

/* "[N, 3, 2*H]"; "[]" for a scalar, and "?" for NULL. */
enum ox_code ox_shape_text(struct ox_context *context, const struct ox_shape *shape, const char **ret);

/* -- dimensions: symbolic arithmetic -- */

/* Each returns the canonical form of its result, so that equal results are spelled alike. Symbols are those of the
   context. Division and modulo round down, as in Python. OX_INVALID_ARGUMENT for a text that cannot be parsed and for a
   division by 0, OX_OUT_OF_RANGE for integers that overflow, OX_RESOURCE_EXHAUSTED past a limit. */
enum ox_code ox_dim_add(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_sub(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_mul(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_floordiv(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_mod(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_max(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);
enum ox_code ox_dim_min(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret);

/* Replaces the symbol `name` by `by` wherever it occurs in the dimension. */
enum ox_code ox_dim_substitute(struct ox_context *context, struct ox_dim dim, const char *name, struct ox_dim by,
                               struct ox_dim *ret);

/* Computes the dimension with the values that `bindings` give its symbols. OX_FAILED_PRECONDITION if a symbol has no
   value; OX_OUT_OF_RANGE if the result is undefined: a division by 0, an overflow, sizes that do not broadcast. */
enum ox_code ox_dim_evaluate(struct ox_context *context, struct ox_dim dim, const struct ox_binding *bindings,
                             size_t n_binding, int64_t *ret);

/* Inclusive bounds that hold for all values of the symbols that the facts of the context allow; INT64_MIN and INT64_MAX
   if there is no bound. A symbol is 0 or more. */
enum ox_code ox_dim_bounds(struct ox_context *context, struct ox_dim dim, int64_t *ret_least, int64_t *ret_most);

/* -- a node -- */

/* A node to infer: an operator, the names of its inputs and outputs, attributes. It lives on its context until that is
   reset. A call that fails marks the node as faulty, and inferring it returns the same error again, so that only that
   call need be checked. NULL as a node is OX_INVALID_ARGUMENT. */
struct ox_node;

/* `domain` "" is ai.onnx. */
enum ox_code ox_node_new(struct ox_context *context, const char *domain, const char *op_type, struct ox_node **ret);
enum ox_code ox_node_name(struct ox_node *node, const char *name); /* for diagnostics; "" until then */

/* Appends an input or output; "" is an omitted optional one. */
enum ox_code ox_node_input(struct ox_node *node, const char *name);
enum ox_code ox_node_output(struct ox_node *node, const char *name);

/* Sets an attribute, and replaces an earlier one of that name. */
enum ox_code ox_node_int(struct ox_node *node, const char *name, int64_t value);
enum ox_code ox_node_float(struct ox_node *node, const char *name, float value);
enum ox_code ox_node_string(struct ox_node *node, const char *name, const char *value);
enum ox_code ox_node_ints(struct ox_node *node, const char *name, const int64_t *values, size_t count);
enum ox_code ox_node_floats(struct ox_node *node, const char *name, const float *values, size_t count);
enum ox_code ox_node_strings(struct ox_node *node, const char *name, const char *const *values, size_t count);
/* A tensor of integer sizes with numbers or texts as elements; without contents its elements are unknown. */
enum ox_code ox_node_tensor(struct ox_node *node, const char *name, const struct ox_value *value);
/* A type, such as Optional's attribute `type`: the `type`, `shape` and `element` of *type. */
enum ox_code ox_node_type(struct ox_node *node, const char *name, const struct ox_value *type);

/* Infers a node of any operator. Its input names are looked up in the context, and its output names are defined there,
   with symbols and facts about them. OX_OUT_OF_RANGE for an input that is not defined; OX_INVALID_ARGUMENT for an
   unknown operator, too few outputs, and any other fault of the node. After an error names are unchanged, and the
   diagnostics of *ret, which is NULL if inference did not begin, have the details. `options` may be NULL; its bindings
   stay in the context. */
enum ox_code ox_infer_node(struct ox_context *context, const struct ox_node *node, const struct ox_options *options,
                           const struct ox_result **ret);

/* Infers a binary operator that broadcasts, even one that is not known otherwise: the node's first output gets the
   broadcast shape of the values `input_a` and `input_b`, with elements of the type `output_elem` ("float", "bool").
   OX_INVALID_ARGUMENT if the node's operator is not `expected_op_type`, the node has no output, an input is not a
   tensor or the shapes do not broadcast; OX_OUT_OF_RANGE if an input is not defined. */
enum ox_code ox_infer_binary_broadcast(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                       const char *input_b, const char *expected_op_type, const char *output_elem);

enum ox_arithmetic { OX_ADD, OX_SUB };

/* Adds or subtracts the known elements of two values, broadcast as in numpy, and stores the result as the elements of
   the node's first output, whose shape must be in the context already. If elements of either value are unknown, the
   shapes do not fit, or the result would exceed limits.content_elements, nothing changes, and OX_OK is returned.
   OX_INVALID_ARGUMENT for a node without output, OX_OUT_OF_RANGE for names that are not defined. */
enum ox_code ox_propagate_arithmetic(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                     const char *input_b, enum ox_arithmetic operation);

/* -- operators of one's own -- */

/* Reads a text of `size` bytes that declares operators, with their types and shapes, in the language of
   docs/custom-operators.md. Any number of threads may use what is made, for any number of inferences, by
   ox_options.operators. NULL when there is no memory. */
struct ox_operators *ox_operators_new(const char *text, size_t size);
/* What is wrong with the text, "line 3: ..."; then nothing is declared. "" when it was read. */
const char *ox_operators_error(const struct ox_operators *operators);
size_t ox_operators_count(const struct ox_operators *operators);
void ox_operators_free(struct ox_operators *operators); /* takes NULL */

/* -- a model -- */

/* Takes the next bytes of a model; they are not needed after the call. After the first error every call for the model
   repeats it, until the context is reset. OX_FAILED_PRECONDITION after the model was inferred. */
enum ox_code ox_model_feed(struct ox_context *context, const void *bytes, size_t size);

/* Infers the model that was fed. May be called again, with a larger work budget, until the context is reset. `options`
   may be NULL. *ret is NULL after an error, unless the error is a faulty node and `strict` is set. */
enum ox_code ox_model_infer(struct ox_context *context, const struct ox_options *options, const struct ox_result **ret);

/* Both in one call. The bytes must stay unchanged until the context is reset or freed, because small weights are read
   in place. */
enum ox_code ox_infer_model(struct ox_context *context, const void *bytes, size_t size,
                            const struct ox_options *options, const struct ox_result **ret);

/* -- reading a result -- */

struct ox_result_value {
        const char *name;
        enum ox_kind kind;
        const char *scope;  /* "": the main graph; "loop_1/body" */
        const char *node;   /* the node that computes it; "" if it has no name */
        int64_t node_index; /* position in its graph; -1: no node computes it */
        const char *op;
        struct ox_value value;
};

/* The number of values. They stand in the order of the model: inputs, then each node's outputs; the result of a node
   has only its outputs. */
size_t ox_result_count(const struct ox_result *result);

/* OX_OUT_OF_RANGE past the last one. */
enum ox_code ox_result_value(struct ox_context *context, const struct ox_result *result, size_t index,
                             struct ox_result_value *ret);

const struct ox_symbol *ox_result_symbols(const struct ox_result *result, size_t *ret_count);
/* Sizes that depend on data and are more than a symbol, those of them whose bounds say something. */
const struct ox_dynamic_size *ox_result_dynamic_sizes(const struct ox_result *result, size_t *ret_count);
const struct ox_constraint *ox_result_constraints(const struct ox_result *result, size_t *ret_count);
/* Conditions that are assumed but need not hold: that a size is 1 or more, where only an empty tensor would have
   another shape. */
const struct ox_constraint *ox_result_assumptions(const struct ox_result *result, size_t *ret_count);
/* The nodes, with what they read and make; none unless the options asked for them. */
const struct ox_graph_node *ox_result_nodes(const struct ox_result *result, size_t *ret_count);
/* With which sizes of inputs the model runs; none unless the options asked for them. */
const struct ox_size *ox_result_sizes(const struct ox_result *result, size_t *ret_count);
/* Which sizes of inputs hang together; none unless the options asked for sizes. */
const struct ox_tied_sizes *ox_result_tied_sizes(const struct ox_result *result, size_t *ret_count);
const struct ox_diag *ox_result_diagnostics(const struct ox_result *result, size_t *ret_count);
struct ox_summary ox_result_summary(const struct ox_result *result);

/* One place on the way back to where something was lost: what is to be said of a value there. */
struct ox_step {
        const char *value;
        const char *scope;
        const char *node;
        int64_t node_index; /* -1: no node computes it */
        const char *op;
        const char *text; /* "depends on the elements of size" */
};

struct ox_explanation {
        const char *value; /* that was asked for */
        const char *scope;
        const struct ox_step *step; /* from it to the first place; none where all of it is known */
        size_t n_step;
        const char *decide; /* what would decide it: "dim=M=1"; "": nobody knows */
};

/* Why the type, rank or sizes of value `index` of options.explain are not known. OX_OUT_OF_RANGE past the last one. */
enum ox_code ox_result_explanation(struct ox_context *context, const struct ox_result *result, size_t index,
                                   struct ox_explanation *ret);

/* -- rendering a result -- */

/* The daemon's formats: JSON, the protobuf messages InferModelResponse and InferNodeResponse of proto/shaped.proto, a
   table for people, and a ModelProto that annotates the model to which it is appended. `write` gets the bytes piece by
   piece, and must return. OX_RESOURCE_EXHAUSTED when memory runs out, and past limits.answer_bytes; a part was written
   already then. */
enum ox_code ox_render_json(struct ox_context *context, const struct ox_result *result, bool pretty, ox_write write,
                            void *user);
/* The same, not pretty, straight to where `room` says; OX_UNAVAILABLE when that is nowhere. */
enum ox_code ox_render_json_in(struct ox_context *context, const struct ox_result *result, ox_room room, void *user);
enum ox_code ox_render_proto(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
enum ox_code ox_render_table(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);
enum ox_code ox_render_patch(struct ox_context *context, const struct ox_result *result, ox_write write, void *user);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
