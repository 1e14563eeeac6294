/* Nodes, their attributes, and requests for one node. */
#include <inttypes.h>
#include <string.h>

#include "api/build.h"
#include "base/bounds.h"

/* protobuf-c's structs have non-const texts, but nobody writes to them. */
static char *unconst(const char *text)
{
        return (char *)(uintptr_t)text;
}

enum ox_code build_node(struct builder *b, const char *domain, const char *op_type, const char *name, OnnxNode *ret)
{
        TRY(build_check_text(b, "the name of an operator", op_type));
        TRY(build_check_text(b, "the name of a domain", domain));
        TRY(build_check_text(b, "the name of a node", name));
        if (!op_type[0])
                return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"node", ""},
                                  "the operator is missing");
        shaped__onnx__v1__node_proto__init(ret);
        ret->op_type = unconst(op_type);
        ret->domain = unconst(domain);
        ret->name = unconst(name);
        return OX_OK;
}

/* Appends a name to a list, which has room for a power of two. */
static enum ox_code append(struct builder *b, const char *name, char ***list, size_t *count)
{
        TRY(build_check_text(b, "the name of a value", name));
        if ((*count & (*count - 1)) == 0)
                *list = arena_grow(b->arena, *list, *count * sizeof(**list),
                                   (*count ? 2 * *count : 1) * sizeof(**list));
        (*list)[(*count)++] = unconst(name);
        return OX_OK;
}

enum ox_code build_node_input(struct builder *b, OnnxNode *node, const char *name)
{
        return append(b, name, &node->input, &node->n_input);
}

enum ox_code build_node_output(struct builder *b, OnnxNode *node, const char *name)
{
        return append(b, name, &node->output, &node->n_output);
}

/* -- attributes -- */

enum ox_code build_attribute(struct builder *b, OnnxNode *node, OnnxAttribute *attribute)
{
        size_t at = node->n_attribute;

        TRY(build_check_text(b, "the name of an attribute", attribute->name));
        if ((at & (at - 1)) == 0) /* as in append() */
                node->attribute = arena_grow(b->arena, node->attribute, at * sizeof(*node->attribute),
                                             (at ? 2 * at : 1) * sizeof(*node->attribute));
        node->attribute[node->n_attribute++] = attribute;
        return OX_OK;
}

/* -- tensors -- */

/* The fields of a TensorProto that hold elements one by one, by element type (onnx.proto). */
enum tensor_field { FIELD_NONE, FIELD_FLOAT, FIELD_DOUBLE, FIELD_INT32, FIELD_INT64, FIELD_UINT64, FIELD_STRING };

static enum tensor_field field_of(enum elem elem)
{
        switch (elem) {
        case ELEM_FLOAT:
                return FIELD_FLOAT;
        case ELEM_DOUBLE:
                return FIELD_DOUBLE;
        case ELEM_INT64:
                return FIELD_INT64;
        case ELEM_UINT32:
        case ELEM_UINT64:
                return FIELD_UINT64;
        case ELEM_BOOL:
        case ELEM_INT8:
        case ELEM_INT16:
        case ELEM_INT32:
        case ELEM_UINT8:
        case ELEM_UINT16:
                return FIELD_INT32;
        case ELEM_STRING:
                return FIELD_STRING;
        default:
                return FIELD_NONE;
        }
}

static void make_room(struct builder *b, enum tensor_field field, size_t count, OnnxTensor *t)
{
        switch (field) {
        case FIELD_FLOAT:
                t->float_data = arena_new_array(b->arena, float, count);
                t->n_float_data = count;
                return;
        case FIELD_DOUBLE:
                t->double_data = arena_new_array(b->arena, double, count);
                t->n_double_data = count;
                return;
        case FIELD_INT32:
                t->int32_data = arena_new_array(b->arena, int32_t, count);
                t->n_int32_data = count;
                return;
        case FIELD_INT64:
                t->int64_data = arena_new_array(b->arena, int64_t, count);
                t->n_int64_data = count;
                return;
        case FIELD_UINT64:
                t->uint64_data = arena_new_array(b->arena, uint64_t, count);
                t->n_uint64_data = count;
                return;
        case FIELD_STRING:
                t->string_data = arena_new_array(b->arena, ProtobufCBinaryData, count);
                t->n_string_data = count;
                return;
        case FIELD_NONE:
                return;
        }
}

static enum ox_code put_number(struct builder *b, struct build_subject subject, enum tensor_field field, size_t i,
                               const struct ox_element *given, OnnxTensor *t)
{
        double number = given->f;

        if (given->kind == OX_ELEMENT_INT)
                number = (double)given->i;
        else if (given->kind != OX_ELEMENT_FLOAT &&
                 (given->kind != OX_ELEMENT_TEXT || !given->text || !build_special(given->text, &number)))
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "element %zu must be a number", i);
        if (field == FIELD_FLOAT)
                t->float_data[i] = (float)number;
        else
                t->double_data[i] = number;
        return OX_OK;
}

static enum ox_code put_integer(struct builder *b, struct build_subject subject, enum tensor_field field, size_t i,
                                const struct ox_element *given, OnnxTensor *t)
{
        enum elem elem = (enum elem)t->data_type;
        int64_t lower, upper;

        if (given->kind != OX_ELEMENT_INT)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "element %zu must be an integer", i);
        if (elem_int_range(elem, &lower, &upper) && (given->i < lower || given->i > upper))
                return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                  "element %zu must be in the range of %s, got %" PRId64, i, elem_name((int)elem),
                                  given->i);
        if (field == FIELD_INT64)
                t->int64_data[i] = given->i;
        else if (field == FIELD_UINT64)
                t->uint64_data[i] = (uint64_t)given->i;
        else
                t->int32_data[i] = (int32_t)given->i;
        return OX_OK;
}

static enum ox_code put_string(struct builder *b, struct build_subject subject, size_t i,
                               const struct ox_element *given, OnnxTensor *t)
{
        size_t length;

        if (given->kind != OX_ELEMENT_TEXT || !given->text)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "element %zu must be a string", i);
        length = strlen(given->text);
        t->string_data[i] =
                (ProtobufCBinaryData){.len = length, .data = (uint8_t *)arena_strndup(b->arena, given->text, length)};
        return OX_OK;
}

/* The engine reports a content that does not fit its shape, as for any tensor of a model. */
static enum ox_code put_elements(struct builder *b, struct build_subject subject, const struct ox_value *given,
                                 OnnxTensor *t)
{
        enum tensor_field field = given->content ? field_of((enum elem)t->data_type) : FIELD_NONE;

        if (field == FIELD_NONE) {
                t->has_data_dropped = 1;
                t->data_dropped = 1;
                return OX_OK;
        }
        make_room(b, field, given->n_content, t);
        for (size_t i = 0; i < given->n_content; i++) {
                const struct ox_element *element = &given->content[i];

                if (field == FIELD_STRING)
                        TRY(put_string(b, subject, i, element, t));
                else if (field == FIELD_FLOAT || field == FIELD_DOUBLE)
                        TRY(put_number(b, subject, field, i, element, t));
                else
                        TRY(put_integer(b, subject, field, i, element, t));
        }
        return OX_OK;
}

enum ox_code build_tensor(struct builder *b, struct build_subject subject, const struct ox_value *given,
                          OnnxTensor **ret)
{
        const char *text = given->type ? given->type : "";
        OnnxTensor *t = arena_new_array(b->arena, OnnxTensor, 1);
        struct type type;

        if (text[0] && !type_parse(b->arena, text, strlen(text), &type))
                return build_fail_type(b, subject, text);
        if (!text[0] || type.kind != TYPE_TENSOR)
                return build_fail(b, OX_INVALID_ARGUMENT, subject,
                                  "a tensor needs a type such as \"tensor(float)\", got '%.100s'", text);
        if (!given->shape)
                return build_fail(b, OX_INVALID_ARGUMENT, subject, "a tensor needs a shape");
        shaped__onnx__v1__tensor_proto__init(t);
        t->has_data_type = 1;
        t->data_type = (int32_t)type.elem;
        t->n_dims = given->shape->rank;
        t->dims = arena_new_array(b->arena, int64_t, t->n_dims);
        for (size_t d = 0; d < t->n_dims; d++) {
                if (given->shape->dims[d].text)
                        return build_fail(b, OX_INVALID_ARGUMENT, subject, "axis %zu must be an integer, got '%.100s'",
                                          d, given->shape->dims[d].text);
                t->dims[d] = given->shape->dims[d].value;
        }
        *ret = t;
        return put_elements(b, subject, given, t);
}

/* -- requests -- */

enum ox_code build_opset(struct builder *b, const char *domain, int64_t version, struct result_opset *ret)
{
        *ret = (struct result_opset){op_canonical_domain(domain), version};
        TRY(build_check_text(b, "the name of a domain", domain));
        if (version < 1)
                return build_fail(b, OX_INVALID_ARGUMENT,
                                  (struct build_subject){"opset of domain", domain[0] ? domain : "ai.onnx"},
                                  "the version must be 1 or more, got %" PRId64, version);
        return OX_OK;
}

int64_t build_opset_of(const struct result_opset *list, size_t count, const char *domain)
{
        domain = op_canonical_domain(domain);
        for (size_t i = 0; i < count; i++)
                if (strcmp(list[i].domain, domain) == 0)
                        return list[i].version;
        return op_newest_opset(domain);
}

/* Subgraphs see all values of the request, whether the node names them or not. */
static bool has_subgraph(const OnnxNode *node)
{
        for (size_t i = 0; i < node->n_attribute; i++)
                if (node->attribute[i]->g || node->attribute[i]->n_graphs)
                        return true;
        return false;
}

/* Names in the order of the node; "(none)" where it has no inputs. */
static const char *names_of(struct builder *b, char *const *names, size_t count)
{
        struct buf buf;

        buf_init(&buf, b->arena);
        for (size_t i = 0; i < count && i < 8; i++)
                buf_puts(&buf, arena_printf(b->arena, "%s'%.60s'", i ? ", " : "", names[i]));
        buf_puts(&buf, count > 8 ? ", ..." : count ? "" : "none");
        return buf_text(&buf);
}

static const struct infer_input *unnamed_input(struct builder *b, const struct infer_node_request *request)
{
        const OnnxNode *node = request->node;
        bool *is_named = NULL;

        if (node->n_input > FEW_INPUTS && request->n_input > FEW_INPUTS) {
                for (size_t i = 0; i < node->n_input; i++)
                        str_intern_z(b->strings, node->input[i]);
                is_named = arena_zalloc(b->arena, str_count(b->strings) * sizeof(*is_named));
                for (size_t i = 0; i < node->n_input; i++)
                        is_named[str_intern_z(b->strings, node->input[i])] = true;
        }
        for (size_t i = 0; i < request->n_input; i++) {
                const char *name = request->input[i].name;
                size_t at = 0;
                str_id id;

                if (is_named && str_find(b->strings, name, strlen(name), &id) && is_named[id])
                        continue;
                while (!is_named && at < node->n_input && strcmp(node->input[at], name) != 0)
                        at++;
                if (is_named || at == node->n_input)
                        return &request->input[i];
        }
        return NULL;
}

enum ox_code build_check_request(struct builder *b, const struct infer_node_request *request)
{
        const OnnxNode *node = request->node;
        const struct infer_input *unnamed = has_subgraph(node) ? NULL : unnamed_input(b, request);

        if (!unnamed)
                return OX_OK;
        return build_fail(b, OX_INVALID_ARGUMENT, (struct build_subject){"input", unnamed->name},
                          "the node does not name it; its inputs are %s", names_of(b, node->input, node->n_input));
}
