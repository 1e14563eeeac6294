/* A row as the JSON of POST /v1/nodes:infer. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

static void put_size(struct json_out *out, const struct ox_dim *size)
{
        if (size->text != NULL)
                json_text(out, size->text);
        else
                json_int(out, size->value);
}

static void put_element(struct json_out *out, const struct ox_element *element)
{
        switch (element->kind) {
        case OX_ELEMENT_UNKNOWN:
                json_null(out);
                return;
        case OX_ELEMENT_INT:
                json_int(out, element->i);
                return;
        case OX_ELEMENT_FLOAT:
                json_float(out, element->f, false);
                return;
        case OX_ELEMENT_TEXT:
                json_text(out, element->text);
                return;
        }
}

static void put_value(struct json_out *out, const struct ox_value *value)
{
        json_open(out, '{');
        if (value->type != NULL)
                json_put_text(out, "type", value->type);
        if (value->shape != NULL) {
                json_key(out, "shape");
                json_open(out, '[');
                for (size_t d = 0; d < value->shape->rank; d++) {
                        json_item(out);
                        put_size(out, &value->shape->dims[d]);
                }
                json_close(out, ']');
        }
        if (value->content != NULL) {
                json_key(out, "content");
                json_open(out, '[');
                for (size_t i = 0; i < value->n_content; i++) {
                        json_item(out);
                        put_element(out, &value->content[i]);
                }
                json_close(out, ']');
        }
        if (value->element != NULL) {
                json_key(out, "element");
                put_value(out, value->element);
        }
        if (value->elements != NULL) {
                json_key(out, "elements");
                json_open(out, '[');
                for (size_t i = 0; i < value->n_elements; i++) {
                        json_item(out);
                        put_value(out, &value->elements[i]);
                }
                json_close(out, ']');
        }
        if (value->length != NULL) {
                json_key(out, "length");
                put_size(out, value->length);
        }
        json_close(out, '}');
}

/* -- attributes -- */

/* A number or a word, as it is written. */
static void put_word(struct json_out *out, const char *text, bool quoted)
{
        char *end;
        double number = strtod(text, &end);

        if (quoted || *text == '\0' || *end != '\0')
                json_text(out, text);
        else if (text[strspn(text, "+-0123456789")] == '\0')
                json_int(out, strtoll(text, NULL, 10));
        else
                json_float(out, number, false);
}

static void put_attribute(struct json_out *out, struct arena *arena, const struct case_attr *attr)
{
        struct ox_value value;

        json_key(out, attr->name);
        if (attr->value != NULL) {
                case_value(arena, attr->value, &value);
                if (value.content == NULL) {
                        put_value(out, &value);
                        return;
                }
                json_open(out, '{');
                json_key(out, "tensor");
                put_value(out, &value);
                json_close(out, '}');
        } else if (attr->is_list) {
                json_open(out, '[');
                for (size_t i = 0; i < attr->n_item; i++) {
                        json_item(out);
                        put_word(out, attr->item[i], attr->items_quoted);
                }
                json_close(out, ']');
        } else {
                put_word(out, attr->text, attr->quoted);
        }
}

/* -- requests -- */

static void put_node(struct json_out *out, struct arena *arena, const struct case_row *row, const char *op)
{
        json_open(out, '{');
        json_put_text(out, "opType", op);
        json_put_text(out, "domain", row->domain);
        json_put_text(out, "name", "n");
        json_key(out, "inputs");
        json_open(out, '[');
        for (size_t i = 0; i < row->n_in; i++) {
                json_item(out);
                json_text(out, case_input(arena, row, i));
        }
        json_close(out, ']');
        json_key(out, "outputs");
        json_open(out, '[');
        for (size_t i = 0; i < case_outputs(row); i++) {
                json_item(out);
                json_text(out, case_output(arena, row, i));
        }
        json_close(out, ']');
        json_key(out, "attributes");
        json_open(out, '{');
        for (size_t i = 0; i < row->n_attr; i++)
                put_attribute(out, arena, &row->attr[i]);
        json_close(out, '}');
        json_close(out, '}');
}

void case_write_json(struct json_out *out, struct arena *arena, const struct case_row *row, const char *op, int opset)
{
        struct ox_value value;

        json_open(out, '{');
        json_key(out, "node");
        put_node(out, arena, row, op);
        json_key(out, "opsetImports");
        json_open(out, '{');
        json_key(out, row->domain);
        json_int(out, opset);
        json_close(out, '}');
        json_key(out, "inputs");
        json_open(out, '{');
        for (size_t i = 0; i < row->n_in; i++)
                if (case_is_given(&row->in[i])) {
                        json_key(out, case_input(arena, row, i));
                        case_value(arena, &row->in[i], &value);
                        put_value(out, &value);
                }
        json_close(out, '}');
        if (row->operators != NULL)
                json_put_text(out, "operators", row->operators);
        json_close(out, '}');
}
