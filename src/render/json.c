/* The JSON of an inference, written straight from the engine's structures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "render/render.h"

#define PIECE ((size_t)64 * 1024)

/* Text on its way out: kept until a piece is full. Indentation is written only when it is pretty. */
struct json {
        struct buf buf;
        struct arena *arena;
        struct dim_table *dims;
        render_write write;
        void *user;
        bool pretty;
        int depth;
        bool first; /* nothing stands yet in the object or list that is open */
};

static void flush(struct json *j)
{
        if (j->buf.length)
                j->write(j->user, j->buf.text, j->buf.length);
        j->buf.length = 0;
}

static void line(struct json *j)
{
        if (j->buf.length >= PIECE)
                flush(j);
        if (!j->pretty)
                return;
        buf_putc(&j->buf, '\n');
        for (int i = 0; i < j->depth; i++)
                buf_puts(&j->buf, "  ");
}

static void separate(struct json *j)
{
        if (!j->first)
                buf_putc(&j->buf, ',');
        j->first = false;
}

static void open(struct json *j, char bracket)
{
        buf_putc(&j->buf, bracket);
        j->depth++;
        j->first = true;
}

static void close(struct json *j, char bracket, bool broken)
{
        j->depth--;
        if (broken && !j->first)
                line(j);
        buf_putc(&j->buf, bracket);
        j->first = false;
}

/* One entry a line, when pretty. */
static void item(struct json *j)
{
        separate(j);
        line(j);
}

static size_t utf8_length(const unsigned char *at, size_t left)
{
        for (size_t length = 1; length <= 4 && length <= left; length++)
                if (at[0] && utf8_is_clean((const char *)at, length))
                        return length;
        return 0;
}

void json_string(struct buf *buf, const char *text, size_t length)
{
        const unsigned char *at = (const unsigned char *)text;

        buf_putc(buf, '"');
        for (size_t i = 0; i < length;) {
                size_t run = i;

                while (run < length && at[run] >= 0x20 && at[run] < 0x7f && at[run] != '"' && at[run] != '\\')
                        run++;
                buf_put(buf, text + i, run - i);
                i = run;
                if (i == length)
                        break;
                if (at[i] == '"' || at[i] == '\\') {
                        buf_putc(buf, '\\');
                        buf_putc(buf, text[i++]);
                } else if (at[i] == '\n') {
                        buf_puts(buf, "\\n");
                        i++;
                } else if (at[i] < 0x20 || at[i] == 0x7f) {
                        buf_printf(buf, "\\u%04x", at[i++]);
                } else {
                        size_t sequence = utf8_length(at + i, length - i);

                        buf_put(buf, sequence ? text + i : "\xef\xbf\xbd", sequence ? sequence : 3);
                        i += sequence ? sequence : 1;
                }
        }
        buf_putc(buf, '"');
}

static void key(struct json *j, const char *name)
{
        separate(j);
        buf_putc(&j->buf, '"');
        buf_puts(&j->buf, name);
        buf_puts(&j->buf, j->pretty ? "\": " : "\":");
}

static void text(struct json *j, const char *value)
{
        json_string(&j->buf, value, strlen(value));
}

static void key_text(struct json *j, const char *name, const char *value)
{
        key(j, name);
        text(j, value);
}

static void key_text_if(struct json *j, const char *name, const char *value)
{
        if (value[0])
                key_text(j, name, value);
}

static void key_int(struct json *j, const char *name, int64_t value)
{
        key(j, name);
        buf_put_i64(&j->buf, value);
}

static void dim(struct json *j, struct dim d)
{
        if (dim_is_int(d))
                buf_put_i64(&j->buf, d.val);
        else
                text(j, dim_text(j->dims, d));
}

static void number(struct json *j, double f)
{
        char digits[40];

        if (isnan(f)) {
                buf_puts(&j->buf, "\"NaN\"");
                return;
        }
        if (isinf(f)) {
                buf_puts(&j->buf, f > 0 ? "\"Infinity\"" : "\"-Infinity\"");
                return;
        }
        /* The shortest that reads back as the same number. */
        for (int precision = 6; precision <= 17; precision++) {
                snprintf(digits, sizeof(digits), "%.*g", precision, f);
                if (strtod(digits, NULL) == f)
                        break;
        }
        buf_puts(&j->buf, digits);
}

static bool is_writable(const struct content *content)
{
        if (!content)
                return false;
        for (size_t i = 0; i < content->count; i++)
                if (content->at[i].kind == SCALAR_UNKNOWN ||
                    (content->at[i].kind == SCALAR_RATIO && content->at[i].den != 1))
                        return false;
        return true;
}

static void content(struct json *j, const struct content *content)
{
        key(j, "content");
        open(j, '[');
        for (size_t i = 0; i < content->count; i++) {
                separate(j);
                if (content->at[i].kind == SCALAR_FLOAT)
                        number(j, content->at[i].f);
                else
                        dim(j, content->at[i].d);
        }
        close(j, ']', false);
}

/* "type", "shape" and "element" of a type. Types are as deep as the reader of models lets them be. */
static void type(struct json *j, const struct type *type_of)
{
        struct buf name;
        int opened = 0;

        for (const struct type *t = type_of;; t = t->of) {
                buf_init(&name, j->arena);
                if (type_print(t, &name))
                        key_text(j, "type", buf_text(&name));
                if ((t->kind == TYPE_TENSOR || t->kind == TYPE_SPARSE_TENSOR) && t->rank != RANK_UNKNOWN) {
                        key(j, "shape");
                        open(j, '[');
                        for (int d = 0; d < t->rank; d++) {
                                separate(j);
                                dim(j, t->dim[d]);
                        }
                        close(j, ']', false);
                }
                if ((t->kind != TYPE_SEQUENCE && t->kind != TYPE_OPTIONAL) || t->of->kind == TYPE_UNKNOWN)
                        break;
                key(j, "element");
                open(j, '{');
                opened++;
        }
        while (opened--)
                close(j, '}', false);
}

static void value(struct json *j, const struct result_value *v)
{
        static const char *const kinds[] = {
                [KIND_INPUT] = "input",
                [KIND_INTERMEDIATE] = "intermediate",
                [KIND_OUTPUT] = "output",
                [KIND_INITIALIZER] = "initializer",
        };

        open(j, '{');
        key_text(j, "name", v->name);
        key_text_if(j, "scope", v->scope);
        key_text(j, "kind", kinds[v->kind]);
        key_text_if(j, "node", v->node);
        if (v->node_index >= 0)
                key_int(j, "nodeIndex", v->node_index);
        key_text_if(j, "op", v->op);
        type(j, &v->value.type);
        if (v->value.type.kind == TYPE_SEQUENCE && v->value.has_length) {
                key(j, "length");
                dim(j, v->value.length);
        }
        if (is_writable(v->value.content))
                content(j, v->value.content);
        close(j, '}', false);
}

static void model(struct json *j, const struct result_model *m)
{
        key(j, "model");
        open(j, '{');
        key_int(j, "irVersion", m->ir_version);
        key_text_if(j, "producerName", m->producer_name);
        key_text_if(j, "graphName", m->graph_name);
        key(j, "opsetImports");
        open(j, '{');
        for (size_t i = 0; i < m->n_opset; i++) {
                separate(j);
                text(j, m->opset[i].domain);
                buf_puts(&j->buf, j->pretty ? ": " : ":");
                buf_put_i64(&j->buf, m->opset[i].version);
        }
        close(j, '}', false);
        key_int(j, "functions", (int64_t)m->functions);
        key_int(j, "nodes", (int64_t)m->nodes);
        key_int(j, "initializers", (int64_t)m->initializers);
        key_int(j, "bytes", (int64_t)m->bytes);
        key_int(j, "bytesSkipped", (int64_t)m->bytes_skipped);
        close(j, '}', false);
}

static void symbol(struct json *j, const struct result_symbol *s)
{
        open(j, '{');
        key_text(j, "name", s->name);
        key_text(j, "value", s->value);
        if (s->axis >= 0)
                key_int(j, "axis", s->axis);
        key_text_if(j, "op", s->op);
        key_text_if(j, "node", s->node);
        key_text_if(j, "scope", s->scope);
        close(j, '}', false);
}

static void constraint(struct json *j, const struct result_constraint *c)
{
        open(j, '{');
        key_text(j, "left", c->left);
        key_text(j, "relation", c->relation);
        key_text(j, "right", c->right);
        key_text_if(j, "node", c->node);
        key_text_if(j, "scope", c->scope);
        close(j, '}', false);
}

static void diagnostic(struct json *j, const struct diag *d)
{
        static const char *const severities[] = {[OX_ERROR] = "error", [OX_WARNING] = "warning", [OX_INFO] = "info"};

        open(j, '{');
        key_text(j, "severity", severities[d->severity]);
        key_text(j, "code", ox_code_name(d->code));
        key_text(j, "reason", d->reason);
        key_text(j, "scope", d->scope);
        key_text_if(j, "node", d->node);
        if (d->node_index >= 0)
                key_int(j, "nodeIndex", d->node_index);
        key_text_if(j, "op", d->op);
        if (d->input >= 0)
                key_int(j, "input", d->input);
        key_text_if(j, "value", d->value);
        key_text(j, "message", d->message);
        close(j, '}', false);
}

static void summary(struct json *j, const struct result_summary *s)
{
        key(j, "summary");
        open(j, '{');
        key_int(j, "values", (int64_t)s->values);
        key_int(j, "exact", (int64_t)s->exact);
        key_int(j, "symbolic", (int64_t)s->symbolic);
        key_int(j, "dynamic", (int64_t)s->dynamic);
        key_int(j, "unknown", (int64_t)s->unknown);
        key_int(j, "errors", (int64_t)s->errors);
        key_int(j, "warnings", (int64_t)s->warnings);
        close(j, '}', false);
}

static void list(struct json *j, const char *name)
{
        separate(j);
        line(j);
        buf_putc(&j->buf, '"');
        buf_puts(&j->buf, name);
        buf_puts(&j->buf, j->pretty ? "\": " : "\":");
        open(j, '[');
}

static void diagnostics(struct json *j, const char *name, const struct diags *diags)
{
        list(j, name);
        for (size_t i = 0; diags && i < diags->count; i++) {
                item(j);
                diagnostic(j, &diags->at[i]);
        }
        close(j, ']', true);
}

void render_json(const struct result *result, struct arena *arena, bool pretty, render_write write, void *user)
{
        struct json j = {.arena = arena, .dims = result->dims, .write = write, .user = user, .pretty = pretty};

        buf_init(&j.buf, arena);
        open(&j, '{');
        if (result->is_model) {
                line(&j);
                model(&j, &result->model);
        }
        list(&j, "values");
        for (size_t i = 0; i < result->n_value; i++) {
                item(&j);
                value(&j, &result->value[i]);
        }
        close(&j, ']', true);
        list(&j, "symbols");
        for (size_t i = 0; i < result->n_symbol; i++) {
                item(&j);
                symbol(&j, &result->symbol[i]);
        }
        close(&j, ']', true);
        list(&j, "constraints");
        for (size_t i = 0; i < result->n_constraint; i++) {
                item(&j);
                constraint(&j, &result->constraint[i]);
        }
        close(&j, ']', true);
        diagnostics(&j, "diagnostics", result->diags);
        if (result->is_model) {
                buf_putc(&j.buf, ',');
                line(&j);
                j.first = true;
                summary(&j, &result->summary);
        }
        close(&j, '}', true);
        if (pretty)
                buf_putc(&j.buf, '\n');
        flush(&j);
}

void render_error_json(enum ox_code code, const char *message, const struct result *result, struct arena *arena,
                       render_write write, void *user)
{
        struct json j = {.arena = arena, .write = write, .user = user};

        buf_init(&j.buf, arena);
        open(&j, '{');
        key_text(&j, "code", ox_code_name(code));
        key_text(&j, "message", message);
        diagnostics(&j, "details", result ? result->diags : NULL);
        close(&j, '}', false);
        flush(&j);
}
