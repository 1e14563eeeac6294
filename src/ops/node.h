/* What a rule sees of the node it infers, and all that it may do.

   A rule is `enum ox_code infer_<Op>(struct node *n)`: it reads inputs (in_*) and attributes (attr_*), sets outputs
   (out_*), and returns OX_OK or what node_error() returned. Outputs that it does not set stay as they were
   prepared: of the element type that the schema's constraints tell, with unknown rank. A content rule is
   `void content_<Op>(struct node *n)`; it runs after the rule succeeded.

   Arity, required attributes and attribute types are checked before a rule runs, against the operator's row. An input
   that is missing (optional and left out, or named "") is not given; one whose producer failed is given and of unknown
   type. Everything a rule makes lives on n->arena. */
#pragma once

#include "base/diag.h"
#include "base/limits.h"
#include "model/onnx.h"
#include "ops/registry.h"
#include "value/value.h"

struct node {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const struct ox_limits *limits;
        struct diags *diags;
        const OnnxNode *proto;
        const struct op_row *row;
        int64_t opset; /* version of the operator set of the node's domain */
        int64_t ir_version;
        const char *scope; /* "" is the main graph */
        int64_t index;     /* of the node in its graph */
        int n_in, n_out;
        const struct value *const *in; /* NULL: not given */
        struct value *out;
        const struct constraint_sink *facts;
};

/* Takes equalities of two dimensions that both keep their name: {"left": "M", "relation": "==", "right": "N"}. */
struct constraint_sink {
        void (*add)(void *user, struct dim left, const char *relation, struct dim right, const struct node *n);
        void *user;
};

/* -- before a rule runs -- */

/* Holds a node, which has a row, against it: the arity (MISSING_INPUT, TOO_MANY_INPUTS, MISSING_OUTPUT,
   TOO_MANY_OUTPUTS), attributes (MISSING_ATTRIBUTE, ATTRIBUTE_TYPE; UNKNOWN_ATTRIBUTE and DEPRECATED are
   warnings), that no sequence, optional or map is where a tensor must be (TYPE_MISMATCH) and, with `check_types`, types
   (TYPE_MISMATCH): in their set, and the same wherever they share a type variable. References to a function's
   attributes must be resolved before. Attributes that the row does not have are gone from `n` afterwards. */
enum ox_code op_check_node(struct node *n, bool check_types);

/* Sets every output to what the row's types alone tell: kind and element type, without rank. A node without a row has
   outputs of unknown type. */
void op_prepare_outputs(struct node *n);

/* -- faults -- */

/* Notes an error of the node and returns `code`, for `return node_error(...)`. `reason` is a static word that tests and
   clients rely on; the message says what was wanted and what was got, by number. `input` -1: no input in particular. */
#define node_error(n, code, ...) (node_diagnose((n), OX_ERROR, (code), __VA_ARGS__), node_failed(code))

/* A warning, which costs the node nothing. */
#define node_warn(n, ...) node_diagnose((n), OX_WARNING, OX_INVALID_ARGUMENT, __VA_ARGS__)

/* What is no fault, but tells why an answer is open. */
#define node_note(n, ...) node_diagnose((n), OX_INFO, OX_OK, __VA_ARGS__)

void node_diagnose(struct node *n, enum ox_severity severity, enum ox_code code, const char *reason, int input,
                   const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Compilers see through this and know that what a failed call left unset is not read. */
static inline enum ox_code node_failed(enum ox_code code)
{
        return code;
}

/* -- inputs -- */

bool in_given(const struct node *n, int i);
/* Given and a tensor, as far as is known (an unknown type counts as a tensor of unknown everything). A value of another
   kind (sequence, optional, map) is an error TYPE_MISMATCH. */
enum ox_code in_expect_tensor(struct node *n, int i);
/* &type_unknown for what is not given. */
const struct type *in_type(const struct node *n, int i);
enum elem in_elem(const struct node *n, int i); /* ELEM_UNDEFINED: unknown */
int in_rank(const struct node *n, int i);       /* RANK_UNKNOWN: unknown, or not given */
bool in_has_rank(const struct node *n, int i);
/* `axis` in [0, rank). Bound symbols are replaced. */
struct dim in_dim(const struct node *n, int i, int axis);
/* The shape, rank dimensions. The rank must be known. */
const struct dim *in_shape(const struct node *n, int i);
/* A copy of it that the caller may change. */
struct dim *in_dims(const struct node *n, int i);
/* Whether elements are known, which does not fetch them: they may be those of weights. */
bool in_has_content(const struct node *n, int i);
/* Known elements, NULL when there are none; single ones may still be SCALAR_UNKNOWN. */
const struct content *in_content(const struct node *n, int i);
/* The only element as a number; false when unknown or not one element. */
bool in_int(const struct node *n, int i, int64_t *ret);
/* The number of elements of a rank-1 (or, with `scalar_too`, rank-0) input when it is an integer. */
bool in_length(const struct node *n, int i, bool scalar_too, int64_t *ret);

/* Errors RANK_MISMATCH when the rank is known and is not `rank` (is below `least`). Unknown ranks pass. */
enum ox_code in_expect_rank(struct node *n, int i, int rank);
enum ox_code in_expect_rank_least(struct node *n, int i, int least);

/* An input of one element: a scalar by the specification, and as often a vector of one in models that run. Errors
   TYPE_MISMATCH for what is no tensor, RANK_MISMATCH, and LENGTH_MISMATCH for another number of elements. */
enum ox_code in_expect_scalar(struct node *n, int i);

/* Error TYPE_MISMATCH when both element types are known and differ. */
enum ox_code in_expect_same_elem(struct node *n, int i, int j);

/* -- attributes: given, else the row's default; false when there is neither -- */

const OnnxAttribute *attr_find(const struct node *n, const char *name); /* as given; NULL */
bool attr_given(const struct node *n, const char *name);
bool attr_int(const struct node *n, const char *name, int64_t *ret);
int64_t attr_int_or(const struct node *n, const char *name, int64_t otherwise);
bool attr_float(const struct node *n, const char *name, double *ret);
bool attr_ints(const struct node *n, const char *name, const int64_t **ret, size_t *ret_count);
bool attr_floats(const struct node *n, const char *name, const float **ret, size_t *ret_count);
/* NUL-terminated on the arena; bytes may be any. */
bool attr_string(const struct node *n, const char *name, const char **ret);
bool attr_is(const struct node *n, const char *name, const char *wanted);
const OnnxTensor *attr_tensor(const struct node *n, const char *name);

/* An axis normalised into [0, rank): negative ones count from the end. Error AXIS_OUT_OF_RANGE otherwise. */
enum ox_code axis_normalize(struct node *n, int64_t axis, int rank, int *ret);
/* As axis_normalize() of a list, sorted or not; duplicates are an error DUPLICATE_AXIS. `ret_is` has `rank` flags. */
enum ox_code axes_normalize(struct node *n, const int64_t *axes, size_t count, int rank, bool *ret_is);
/* The int attribute `name` (or its default, or `otherwise`) as an axis of a tensor of `rank`. */
enum ox_code attr_axis(struct node *n, const char *name, int64_t otherwise, int rank, int *ret);

/* -- outputs: nothing happens for one that the node does not name -- */

bool out_wanted(const struct node *n, int o);
/* Tensor of known rank; the dims are not copied. Error RANK_LIMIT past limits.rank; a negative integer size is an error
   NEGATIVE_SIZE. */
enum ox_code out_tensor(struct node *n, int o, enum elem elem, int rank, const struct dim *dims);
/* Tensor of unknown rank. */
enum ox_code out_elem(struct node *n, int o, enum elem elem);
/* Tensor of known rank, every dimension a fresh symbol. */
enum ox_code out_rank(struct node *n, int o, enum elem elem, int rank);
/* The shape of input i with another element type; unknown rank if that is unknown. */
enum ox_code out_like(struct node *n, int o, enum elem elem, int i);
/* The whole type of input i, of any kind. */
enum ox_code out_copy(struct node *n, int o, int i);
enum ox_code out_type(struct node *n, int o, const struct type *type);
/* Known elements of an output whose shape is known; ignored when their number does not fit it. */
void out_content(struct node *n, int o, const struct content *content);

/* A fresh symbol for axis `axis` of output `o`, called <Op>_<output>_<axis>, that remembers where it arose. */
struct dim out_fresh(struct node *n, int o, int axis);
/* The same under a name of the rule's own choosing: the seeds name some. */
struct dim out_fresh_named(struct node *n, int o, int axis, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* -- dimensions that must agree -- */

/* *dim and `other` are equal in a valid model: different integers are an error DIM_MISMATCH, which names input `i` and
   both; else the equality is a fact, and *dim becomes the better known of the two. */
enum ox_code dim_agree(struct node *n, struct dim *dim, struct dim other, int i);

/* The size of a dimension when contents give it as an element: an integer >= 0 or an expression proven >= 0. False for
   anything else; the caller takes a fresh symbol then. */
bool scalar_as_size(struct node *n, struct scalar s, struct dim *ret);

/* -- elements of tensors of the model -- */

/* The elements of a small tensor (attribute or initializer), NULL when they are dropped, external or too many, or of no
   numeric type. `*ret_fault` (may be NULL) becomes a text when data and dims disagree. */
const struct content *tensor_content(struct arena *arena, const struct ox_limits *limits, const OnnxTensor *tensor,
                                     const char **ret_fault);
/* The same, but the elements are fetched when content_read() asks for them. The tensor must live as long. */
const struct content *tensor_content_later(struct arena *arena, const struct ox_limits *limits,
                                           const OnnxTensor *tensor, const char **ret_fault);
/* Its type; false with *ret_fault for a negative size, too high a rank or an unknown element type. */
bool tensor_type(struct arena *arena, const struct ox_limits *limits, const OnnxTensor *tensor, struct type *ret,
                 const char **ret_fault);
