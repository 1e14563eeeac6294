#include "build.h"

#include <stdlib.h>
#include <string.h>

/* -- values -- */

static bool is_integer(const char *text)
{
        return *text != '\0' && text[strspn(text, "+-0123456789")] == '\0';
}

static struct ox_dim size_of(const char *text)
{
        return is_integer(text) ? (struct ox_dim){.value = strtoll(text, NULL, 10)} : (struct ox_dim){.text = text};
}

static const struct ox_shape *shape_of(struct arena *arena, const struct case_value *from)
{
        struct ox_shape *shape = arena_new_array(arena, struct ox_shape, 1);
        struct ox_dim *dims;

        if (from->rank < 0)
                return NULL;
        dims = arena_new_array(arena, struct ox_dim, (size_t)from->rank);
        for (int d = 0; d < from->rank; d++)
                dims[d] = size_of(from->dim[d]);
        *shape = (struct ox_shape){.rank = (size_t)from->rank, .dims = dims};
        return shape;
}

static struct ox_element element_of(const char *elem_text, const char *text)
{
        enum elem elem = ELEM_UNDEFINED;
        char *end;

        elem_by_name(elem_text, strlen(elem_text), &elem);
        if (strcmp(text, "?") == 0)
                return (struct ox_element){.kind = OX_ELEMENT_UNKNOWN};
        if (elem_is_float(elem)) {
                double number = strtod(text, &end);

                if (*end == '\0')
                        return (struct ox_element){.kind = OX_ELEMENT_FLOAT, .f = number};
        } else if (elem != ELEM_STRING && is_integer(text)) {
                return (struct ox_element){.kind = OX_ELEMENT_INT, .i = strtoll(text, NULL, 10)};
        }
        return (struct ox_element){.kind = OX_ELEMENT_TEXT, .text = text};
}

static const struct ox_element *content_of(struct arena *arena, const struct case_value *from)
{
        struct ox_element *elements;

        if (!from->has_content)
                return NULL;
        elements = arena_new_array(arena, struct ox_element, from->n_content);
        for (size_t i = 0; i < from->n_content; i++)
                elements[i] = element_of(from->elem, from->content[i]);
        return elements;
}

static const struct ox_value *inner_value(struct arena *arena, const struct case_value *from)
{
        struct ox_value *value = arena_new_array(arena, struct ox_value, 1);

        case_value(arena, from, value);
        return value;
}

static const struct ox_value *each_value(struct arena *arena, const struct case_value *from)
{
        struct ox_value *values = arena_new_array(arena, struct ox_value, from->n_each);

        for (size_t i = 0; i < from->n_each; i++)
                case_value(arena, &from->each[i], &values[i]);
        return values;
}

/* A type's text around that of what is in it; NULL where that is unknown. */
static const char *wrapped(struct arena *arena, const char *before, const struct ox_value *inner)
{
        return inner->type == NULL ? NULL : arena_printf(arena, "%s%s)", before, inner->type);
}

static void sequence_value(struct arena *arena, const struct case_value *from, struct ox_value *ret)
{
        if (from->each == NULL) {
                ret->element = inner_value(arena, from->of);
                ret->type = wrapped(arena, "seq(", ret->element);
                return;
        }
        ret->elements = each_value(arena, from);
        ret->n_elements = from->n_each;
        ret->type = from->n_each == 0 ? NULL : wrapped(arena, "seq(", &ret->elements[0]);
}

void case_value(struct arena *arena, const struct case_value *from, struct ox_value *ret)
{
        struct ox_dim *length;

        *ret = (struct ox_value){.type = NULL};
        switch (from->kind) {
        case CASE_TENSOR:
        case CASE_SPARSE:
                if (strcmp(from->elem, "?") != 0)
                        ret->type = arena_printf(arena, from->kind == CASE_TENSOR ? "tensor(%s)" : "sparse_tensor(%s)",
                                                 from->elem);
                ret->shape = shape_of(arena, from);
                ret->content = content_of(arena, from);
                ret->n_content = from->n_content;
                break;
        case CASE_SEQUENCE:
                sequence_value(arena, from, ret);
                break;
        case CASE_OPTIONAL:
                ret->element = inner_value(arena, from->of);
                ret->type = wrapped(arena, "optional(", ret->element);
                break;
        case CASE_MAP:
                ret->type = wrapped(arena, arena_printf(arena, "map(%s,", from->elem), inner_value(arena, from->of));
                break;
        default:
                break;
        }
        if (from->length == NULL || ret->elements != NULL)
                return;
        length = arena_new_array(arena, struct ox_dim, 1);
        *length = size_of(from->length);
        ret->length = length;
}

/* -- attributes -- */

static ProtobufCBinaryData bytes_of(const char *text)
{
        return (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)(uintptr_t)text};
}

static bool is_number(const char *text)
{
        char *end;

        strtod(text, &end);
        return *text != '\0' && *end == '\0';
}

/* The schema knows the type of an attribute; one that is not in it is of the type that it looks like. */
static enum attr_type guess_type(const struct case_attr *attr)
{
        const char *first = attr->is_list ? (attr->n_item > 0 ? attr->item[0] : "0") : attr->text;
        bool quoted = attr->quoted || attr->items_quoted;

        if (attr->value != NULL)
                return attr->value->has_content ? ATTR_TENSOR : ATTR_TYPE_PROTO;
        if (!quoted && is_integer(first))
                return attr->is_list ? ATTR_INTS : ATTR_INT;
        if (!quoted && is_number(first))
                return attr->is_list ? ATTR_FLOATS : ATTR_FLOAT;
        return attr->is_list ? ATTR_STRINGS : ATTR_STRING;
}

/* A schema's type holds only where the row writes something of that kind, so that rows can get the type wrong too. */
enum attr_type case_attr_type(const struct case_attr *attr, const struct op_row *op)
{
        const struct op_attr *known = op == NULL ? NULL : op_find_attr(op, attr->name);
        enum attr_type guessed = guess_type(attr);

        if (known == NULL)
                return guessed;
        if (attr->is_list && attr->n_item == 0 &&
            (known->type == ATTR_FLOATS || known->type == ATTR_INTS || known->type == ATTR_STRINGS))
                return known->type;
        if (guessed == ATTR_INT && known->type == ATTR_FLOAT)
                return ATTR_FLOAT;
        if (guessed == ATTR_INTS && known->type == ATTR_FLOATS)
                return ATTR_FLOATS;
        return guessed;
}

static void fill_list(struct arena *arena, const struct case_attr *from, OnnxAttribute *a)
{
        size_t n = from->n_item;

        if (a->type == ATTR_INTS) {
                a->n_ints = n;
                a->ints = arena_new_array(arena, int64_t, n);
        } else if (a->type == ATTR_FLOATS) {
                a->n_floats = n;
                a->floats = arena_new_array(arena, float, n);
        } else {
                a->n_strings = n;
                a->strings = arena_new_array(arena, ProtobufCBinaryData, n);
        }
        for (size_t i = 0; i < n; i++) {
                if (a->type == ATTR_INTS)
                        a->ints[i] = strtoll(from->item[i], NULL, 10);
                else if (a->type == ATTR_FLOATS)
                        a->floats[i] = strtof(from->item[i], NULL);
                else
                        a->strings[i] = bytes_of(from->item[i]);
        }
}

static enum ox_code fill_attribute(struct builder *b, const struct case_attr *from, const struct op_row *op,
                                   OnnxAttribute *a)
{
        const struct build_subject subject = {"attribute", from->name};
        struct ox_value value;

        shaped__onnx__v1__attribute_proto__init(a);
        a->name = (char *)(uintptr_t)from->name;
        a->has_type = 1;
        a->type = (int32_t)case_attr_type(from, op);
        if (from->value != NULL)
                case_value(b->arena, from->value, &value);
        switch ((enum attr_type)a->type) {
        case ATTR_INT:
                a->has_i = 1;
                a->i = strtoll(from->text, NULL, 10);
                return OX_OK;
        case ATTR_FLOAT:
                a->has_f = 1;
                a->f = strtof(from->text, NULL);
                return OX_OK;
        case ATTR_STRING:
                a->has_s = 1;
                a->s = bytes_of(from->text);
                return OX_OK;
        case ATTR_TENSOR:
                return build_tensor(b, subject, &value, &a->t);
        case ATTR_TYPE_PROTO:
                return build_type(b, subject, &value, &a->tp);
        default:
                fill_list(b->arena, from, a);
                return OX_OK;
        }
}

/* -- requests -- */

const char *case_input(struct arena *arena, const struct case_row *row, size_t i)
{
        return row->in[i].kind == CASE_LEFT_OUT ? "" : arena_printf(arena, "x%zu", i);
}

size_t case_outputs(const struct case_row *row)
{
        return row->no_outputs ? 0 : row->n_out > 0 ? row->n_out : 1;
}

const char *case_output(struct arena *arena, const struct case_row *row, size_t i)
{
        return i < row->n_out && row->out[i].kind == CASE_LEFT_OUT ? "" : arena_printf(arena, "y%zu", i);
}

bool case_is_given(const struct case_value *input)
{
        return input->kind != CASE_LEFT_OUT && input->kind != CASE_ABSENT;
}

static enum ox_code read_node(struct builder *b, const struct case_row *row, const char *op, int opset, OnnxNode *node)
{
        const struct op_row *schema = op_find(row->domain, op, opset, NULL);

        TRY(build_node(b, row->domain, arena_strndup(b->arena, op, strlen(op)), "n", node));
        for (size_t i = 0; i < row->n_in; i++)
                TRY(build_node_input(b, node, case_input(b->arena, row, i)));
        for (size_t i = 0; i < case_outputs(row); i++)
                TRY(build_node_output(b, node, case_output(b->arena, row, i)));
        for (size_t i = 0; i < row->n_attr; i++) {
                OnnxAttribute *attribute = arena_new_array(b->arena, OnnxAttribute, 1);

                TRY(fill_attribute(b, &row->attr[i], schema, attribute));
                TRY(build_attribute(b, node, attribute));
        }
        return OX_OK;
}

static enum ox_code read_request(struct builder *b, const struct case_row *row, const char *op, int opset,
                                 struct infer_node_request *request)
{
        OnnxNode *node = arena_new_array(b->arena, OnnxNode, 1);
        struct result_opset *import = arena_new_array(b->arena, struct result_opset, 1);
        struct infer_input *inputs = arena_new_array(b->arena, struct infer_input, row->n_in);
        struct ox_value *given = arena_new_array(b->arena, struct ox_value, row->n_in);

        TRY(read_node(b, row, op, opset, node));
        TRY(build_opset(b, row->domain, opset, import));
        for (size_t i = 0; i < row->n_in; i++)
                if (case_is_given(&row->in[i])) {
                        inputs[request->n_input].name = node->input[i];
                        case_value(b->arena, &row->in[i], &given[request->n_input]);
                        build_names(b, &given[request->n_input++]);
                }
        for (size_t i = 0; i < request->n_input; i++)
                TRY(build_value(b, (struct build_subject){"input", inputs[i].name}, &given[i], &inputs[i].value,
                                &inputs[i].dropped));
        request->node = node;
        request->opset = import;
        request->n_opset = 1;
        request->input = inputs;
        return OX_OK;
}

bool case_build(struct ox_context *context, const struct case_row *row, const char *op, int opset,
                struct infer_node_request *request, const char **ret_error)
{
        struct builder b;

        builder_init(&b, ox_context_arena(context), request->strings, request->dims, ox_context_limits(context));
        if (read_request(&b, row, op, opset, request) == OX_OK)
                return true;
        *ret_error = b.error;
        return false;
}
