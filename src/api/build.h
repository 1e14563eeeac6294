/* Builds the engine's values and nodes from descriptions by callers. The calls of shape.h, JSON and protobuf are thin
   readers over this builder, so that texts, contradictions and limits have the same meaning in all.

   Everything here allocates on the builder's arena, whose guard must be set, and may end early. A failure sets `error`,
   on the arena, which names the subject. */
#pragma once

#include "infer/infer.h"
#include "ops/table/registry.h"
#include "shape.h"

struct builder {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const struct ox_limits *limits;
        const char *error;
        bool has_clean; /* all texts that it is given are clean UTF-8 (utf8_is_clean()) */
        bool has_short; /* and none is longer than the limit on names */
};

/* The subject in error messages: "input" and "x". `name` may be "". */
struct build_subject {
        const char *kind, *name;
};

void builder_init(struct builder *b, struct arena *arena, struct strings *strings, struct dim_table *dims,
                  const struct ox_limits *limits);

/* Sets `error` ("input x: ...", "node: ..." where the subject has no name), and returns `code`. */
enum ox_code build_fail(struct builder *b, enum ox_code code, struct build_subject subject, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
/* The same for a text that is not a type, with the type that may have been meant. */
enum ox_code build_fail_type(struct builder *b, struct build_subject subject, const char *text);

/* OX_RESOURCE_EXHAUSTED past the limit on names, OX_INVALID_ARGUMENT for a text that is not UTF-8. */
enum ox_code build_check_unread(struct builder *b, const char *what, const char *text);
/* The same; texts of which the builder knows that they are neither are not looked at. */
static inline enum ox_code build_check_text(struct builder *b, const char *what, const char *text)
{
        return b->has_clean && b->has_short ? OX_OK : build_check_unread(b, what, text);
}

/* -- values -- */

/* Collects the names that are dimensions of a value by themselves, which makes them symbols in expressions of all
   values. To be called for all values of a request before the first of them is built. */
void build_names(struct builder *b, const struct ox_value *given);

/* Builds a value. A dimension "" or "?" is unnamed, and differs from all others. Contents past limits.content_elements
   are not read and count as unknown: *ret_dropped is their number then, else 0. */
enum ox_code build_value(struct builder *b, struct build_subject subject, const struct ox_value *given,
                         struct value *ret, size_t *ret_dropped);

/* A value that is a tensor, whose elements past the limit count as unknown; it must agree with what *value says
 * already. */
enum ox_code build_given_tensor(struct builder *b, struct build_subject subject, const OnnxTensor *proto,
                                struct value *value, size_t *ret_dropped);

/* The numbers that JSON writes as texts: "NaN", "Infinity", "-Infinity". */
bool build_special(const char *text, double *ret);

/* A shape: `rank` and `dim` of *ret. */
enum ox_code build_shape(struct builder *b, struct build_subject subject, const struct ox_shape *given,
                         struct type *ret);

/* A dimension that belongs to no value: an integer, or a text as in a shape, which must not be empty. */
enum ox_code build_dim(struct builder *b, const struct ox_dim *given, struct dim *ret);

/* -- nodes -- */

/* An operator that must not be "". Neither these texts nor those of the following calls are copied. */
enum ox_code build_node(struct builder *b, const char *domain, const char *op_type, const char *name, OnnxNode *ret);
enum ox_code build_node_input(struct builder *b, OnnxNode *node, const char *name);
enum ox_code build_node_output(struct builder *b, OnnxNode *node, const char *name);

/* Appends an attribute, which is not copied, and whose name the node must not have yet. */
enum ox_code build_attribute(struct builder *b, OnnxNode *node, OnnxAttribute *attribute);

/* What tensors and types that are attributes consist of. A tensor has integer sizes, and numbers or texts as elements;
   without contents, and with elements of types that no field of TensorProto holds plainly, its elements are unknown. */
enum ox_code build_tensor(struct builder *b, struct build_subject subject, const struct ox_value *given,
                          OnnxTensor **ret);
enum ox_code build_type(struct builder *b, struct build_subject subject, const struct ox_value *given, OnnxType **ret);

/* -- a request for one node -- */

/* The version of a domain's operator set: 1 or more. */
enum ox_code build_opset(struct builder *b, const char *domain, int64_t version, struct result_opset *ret);

/* The version of a domain in a list, else the newest. */
int64_t build_opset_of(const struct result_opset *list, size_t count, const char *domain);

/* Completes a request: OX_INVALID_ARGUMENT for an input that the node does not name. */
enum ox_code build_check_request(struct builder *b, const struct infer_node_request *request);
