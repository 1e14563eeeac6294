/* The JSON of an inference's answer, written straight from the result. */
#include "render/json_out.h"
#include "render/values.h"

static const char *const kind_names[] = {
        [OX_KIND_INPUT] = "input",
        [OX_KIND_INTERMEDIATE] = "intermediate",
        [OX_KIND_OUTPUT] = "output",
        [OX_KIND_INITIALIZER] = "initializer",
};

static void put_dim(struct json_out *out, struct dim_table *dims, struct dim d)
{
        if (dim_is_int(d))
                json_int(out, d.val);
        else
                json_text(out, dim_text(dims, d));
}

static void put_model(struct json_out *out, const struct result_model *model)
{
        json_open(out, '{');
        json_put_int(out, "irVersion", model->ir_version);
        json_put_text(out, "producerName", model->producer_name);
        json_put_text(out, "graphName", model->graph_name);
        json_key(out, "opsetImports");
        json_open(out, '{');
        for (size_t i = 0; i < model->n_opset; i++) {
                json_key_any(out, model->opset[i].domain);
                json_int(out, model->opset[i].version);
        }
        json_close(out, '}');
        json_put_int(out, "functions", (int64_t)model->functions);
        json_put_int(out, "nodes", (int64_t)model->nodes);
        json_put_int(out, "initializers", (int64_t)model->initializers);
        json_key(out, "bytes");
        json_uint(out, model->bytes);
        json_key(out, "bytesSkipped");
        json_uint(out, model->bytes_skipped);
        json_close(out, '}');
}

/* -- values -- */

static void put_content(struct json_out *out, struct dim_table *dims, const struct content *content, enum elem elem)
{
        bool narrow = elem != ELEM_DOUBLE;

        json_key(out, "content");
        json_open(out, '[');
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar *s = &content->at[i];
                double number;

                json_item(out);
                if (scalar_float_value(s, &number))
                        json_float(out, number, narrow);
                else
                        put_dim(out, dims, s->d);
        }
        json_close(out, ']');
}

/* The name of a type: mostly that of the value before. */
struct type_name {
        struct buf buf;
        const char *text;
        enum elem elem; /* of the tensor that `text` names */
};

static void put_type_name(struct json_out *out, const struct type *type, struct type_name *name)
{
        bool is_tensor = type->kind == TYPE_TENSOR && type->elem != ELEM_UNDEFINED;

        if (!is_tensor || type->elem != name->elem) {
                name->buf.length = 0;
                name->text = type_print(type, &name->buf) ? buf_text(&name->buf) : "";
                name->elem = is_tensor ? type->elem : ELEM_UNDEFINED;
        }
        json_put_text_some(out, "type", name->text);
}

/* The members that tell a type: its name, its shape, and what its elements are, level by level. */
static void put_type(struct json_out *out, const struct ox_result *result, const struct type *type,
                     struct type_name *name)
{
        int levels = 0;

        for (;; type = type->of, levels++) {
                put_type_name(out, type, name);
                if ((type->kind != TYPE_SEQUENCE && type->kind != TYPE_OPTIONAL) || type->of->kind == TYPE_UNKNOWN)
                        break;
                json_key(out, "element");
                json_open(out, '{');
        }
        if (type_has_shape(type)) {
                json_key(out, "shape");
                json_open(out, '[');
                for (int d = 0; d < type->rank; d++) {
                        json_item(out);
                        put_dim(out, result->dims, type->dim[d]);
                }
                json_close(out, ']');
        }
        while (levels-- > 0)
                json_close(out, '}');
}

#define SHAPE_TEXT 256

/* The type of a tensor as it was written last: values that follow each other often share it. */
struct last_type {
        struct type_name name;
        const struct dim *dim;
        int rank;
        enum elem elem;
        size_t length; /* 0: there is none */
        char text[SHAPE_TEXT];
};

static void put_shared_type(struct json_out *out, const struct ox_result *result, const struct type *type,
                            struct last_type *last)
{
        bool can_share = type->kind == TYPE_TENSOR && type->rank > 0;
        size_t mark = json_mark(out), length;
        const char *text;

        if (can_share && last->length && type->dim == last->dim && type->rank == last->rank &&
            type->elem == last->elem) {
                json_again(out, last->text, last->length);
                return;
        }
        put_type(out, result, type, &last->name);
        text = can_share ? json_since(out, mark, &length) : NULL;
        if (!text || length > SHAPE_TEXT)
                return;
        memcpy(last->text, text, length);
        last->length = length;
        last->dim = type->dim;
        last->rank = type->rank;
        last->elem = type->elem;
}

/* As it is written; what it leaves open is null. */
static void put_declared(struct json_out *out, const struct declared_shape *declared)
{
        json_key(out, "declared");
        json_open(out, '[');
        for (int d = 0; d < declared->rank; d++) {
                const struct declared_dim *dim = &declared->dim[d];

                json_item(out);
                if (dim->name)
                        json_text(out, dim->name);
                else if (dim_is(dim->size, -1))
                        json_null(out);
                else
                        json_int(out, dim->size.val);
        }
        json_close(out, ']');
}

static void put_value(struct json_out *out, const struct ox_result *result, const struct result_value *v,
                      struct last_type *last)
{
        const struct content *content = value_content(&v->value);

        json_open(out, '{');
        json_put_text(out, "name", v->name);
        json_put_text_some(out, "scope", v->scope);
        json_put_text(out, "kind", kind_names[v->kind]);
        json_put_text_some(out, "node", v->node);
        json_put_int_some(out, "nodeIndex", v->node_index);
        json_put_text_some(out, "op", v->op);
        put_shared_type(out, result, &v->value.type, last);
        if (v->declared)
                put_declared(out, v->declared);
        if (content)
                put_content(out, result->dims, content, v->value.type.elem);
        if (v->value.has_length) {
                json_key(out, "length");
                put_dim(out, result->dims, v->value.length);
        }
        json_close(out, '}');
}

static void put_values(struct json_out *out, const struct ox_result *result, struct arena *arena)
{
        struct last_type last = {.name = {.elem = ELEM_UNDEFINED}};

        buf_init(&last.name.buf, arena);
        json_open(out, '[');
        for (size_t i = 0; i < result->n_value; i++) {
                json_item(out);
                put_value(out, result, result->value[i], &last);
        }
        json_close(out, ']');
}

/* -- the rest -- */

static void put_symbols(struct json_out *out, const struct ox_result *result)
{
        json_open(out, '[');
        for (size_t i = 0; i < result->n_symbol; i++) {
                const struct ox_symbol *s = &result->symbol[i];

                json_item(out);
                json_open(out, '{');
                json_put_text(out, "name", s->name);
                json_put_text_some(out, "value", s->value);
                json_put_int_some(out, "axis", s->axis);
                json_put_text_some(out, "op", s->op);
                json_put_text_some(out, "node", s->node);
                json_put_text_some(out, "scope", s->scope);
                json_close(out, '}');
        }
        json_close(out, ']');
}

static void put_constraints(struct json_out *out, const struct ox_result *result)
{
        json_open(out, '[');
        for (size_t i = 0; i < result->n_constraint; i++) {
                const struct ox_constraint *c = &result->constraint[i];

                json_item(out);
                json_open(out, '{');
                json_put_text(out, "left", c->left);
                json_put_text(out, "relation", c->relation);
                json_put_text(out, "right", c->right);
                json_put_text_some(out, "node", c->node);
                json_put_text_some(out, "scope", c->scope);
                json_close(out, '}');
        }
        json_close(out, ']');
}

static void put_summary(struct json_out *out, const struct ox_summary *summary)
{
        json_open(out, '{');
        json_put_int(out, "values", (int64_t)summary->values);
        json_put_int(out, "exact", (int64_t)summary->exact);
        json_put_int(out, "symbolic", (int64_t)summary->symbolic);
        json_put_int(out, "dynamic", (int64_t)summary->dynamic);
        json_put_int(out, "unknown", (int64_t)summary->unknown);
        json_put_int(out, "errors", (int64_t)summary->errors);
        json_put_int(out, "warnings", (int64_t)summary->warnings);
        json_close(out, '}');
}

static void json_result(struct json_out *out, const struct ox_result *result, struct arena *arena)
{
        json_open(out, '{');
        if (result->is_model) {
                json_key(out, "model");
                put_model(out, &result->model);
        }
        json_key(out, "values");
        put_values(out, result, arena);
        json_key(out, "symbols");
        put_symbols(out, result);
        json_key(out, "constraints");
        put_constraints(out, result);
        json_key(out, "diagnostics");
        json_diags(out, result->diags);
        if (result->is_model) {
                json_key(out, "summary");
                put_summary(out, &result->summary);
        }
        json_close(out, '}');
}

void render_json(const struct ox_result *result, struct arena *arena, bool pretty, ox_write write, void *user)
{
        struct json_out out;

        json_begin(&out, arena_alloc(arena, JSON_BLOCK_BYTES), pretty, write, user);
        json_result(&out, result, arena);
        json_end(&out);
}
