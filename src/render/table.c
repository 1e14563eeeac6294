/* The table of an inference, for people. */
#include <string.h>

#include "render/render.h"

/* Widest that a column of names gets before it pushes the others aside. */
#define WIDEST 60

struct table {
        struct buf buf;
        struct arena *arena;
        const struct result *result;
        size_t name_width, op_width, type_width;
};

static const char *type_text(struct table *t, const struct type *type)
{
        struct buf buf;

        buf_init(&buf, t->arena);
        return type_print(type, &buf) ? buf_text(&buf) : "?";
}

static void put_dim(struct table *t, struct buf *buf, struct dim d)
{
        if (dim_is_int(d))
                buf_put_i64(buf, d.val);
        else
                buf_puts(buf, dim_text(t->result->dims, d));
}

static void put_shape(struct table *t, const struct type *type)
{
        while (type->of)
                type = type->of;
        if ((type->kind != TYPE_TENSOR && type->kind != TYPE_SPARSE_TENSOR) || type->rank == RANK_UNKNOWN) {
                buf_putc(&t->buf, '?');
                return;
        }
        buf_putc(&t->buf, '[');
        for (int d = 0; d < type->rank; d++) {
                if (d)
                        buf_puts(&t->buf, ", ");
                put_dim(t, &t->buf, type->dim[d]);
        }
        buf_putc(&t->buf, ']');
}

static void put_padded(struct table *t, const char *text, size_t width)
{
        size_t length = strlen(text);

        buf_puts(&t->buf, text);
        for (; length < width; length++)
                buf_putc(&t->buf, ' ');
        buf_puts(&t->buf, "  ");
}

static void widen(size_t *width, const char *text)
{
        size_t length = strlen(text);

        if (length > *width && length <= WIDEST)
                *width = length;
}

static const char *op_text(const struct result_value *v)
{
        static const char *const kinds[] = {
                [KIND_INPUT] = "(input)",
                [KIND_INTERMEDIATE] = "",
                [KIND_OUTPUT] = "",
                [KIND_INITIALIZER] = "(initializer)",
        };

        return v->op[0] ? v->op : kinds[v->kind];
}

static const char *full_name(struct table *t, const struct result_value *v)
{
        return v->scope[0] ? arena_printf(t->arena, "%s: %s", v->scope, v->name) : v->name;
}

static void put_values(struct table *t)
{
        const struct result *r = t->result;

        widen(&t->name_width, "VALUE");
        widen(&t->op_width, "OPERATOR");
        widen(&t->type_width, "TYPE");
        for (size_t i = 0; i < r->n_value; i++) {
                widen(&t->name_width, full_name(t, &r->value[i]));
                widen(&t->op_width, op_text(&r->value[i]));
                widen(&t->type_width, type_text(t, &r->value[i].value.type));
        }
        put_padded(t, "VALUE", t->name_width);
        put_padded(t, "OPERATOR", t->op_width);
        put_padded(t, "TYPE", t->type_width);
        buf_puts(&t->buf, "SHAPE\n");
        for (size_t i = 0; i < r->n_value; i++) {
                put_padded(t, full_name(t, &r->value[i]), t->name_width);
                put_padded(t, op_text(&r->value[i]), t->op_width);
                put_padded(t, type_text(t, &r->value[i].value.type), t->type_width);
                put_shape(t, &r->value[i].value.type);
                buf_putc(&t->buf, '\n');
        }
}

static void put_notes(struct table *t)
{
        static const char *const severities[] = {[OX_ERROR] = "error", [OX_WARNING] = "warning", [OX_INFO] = "info"};
        const struct result *r = t->result;

        for (size_t i = 0; i < r->n_constraint; i++)
                buf_printf(&t->buf, "%s%s %s %s\n", i ? "" : "\nConstraints\n", r->constraint[i].left,
                           r->constraint[i].relation, r->constraint[i].right);
        for (size_t i = 0; i < r->diags->count; i++) {
                const struct diag *d = &r->diags->at[i];

                buf_printf(&t->buf, "%s%s %s", i ? "" : "\nDiagnostics\n", severities[d->severity], d->reason);
                if (d->node_index >= 0)
                        buf_printf(&t->buf, " at node %s%s#%lld", d->node, d->node[0] ? " " : "",
                                   (long long)d->node_index);
                buf_printf(&t->buf, ": %s\n", d->message);
        }
}

void render_table(const struct result *result, struct arena *arena, render_write write, void *user)
{
        struct table t = {.arena = arena, .result = result};
        const struct result_summary *s = &result->summary;

        buf_init(&t.buf, arena);
        put_values(&t);
        put_notes(&t);
        if (result->is_model)
                buf_printf(
                        &t.buf,
                        "\n%zu values: %zu exact, %zu symbolic, %zu dynamic, %zu unknown; %zu errors, %zu warnings\n",
                        s->values, s->exact, s->symbolic, s->dynamic, s->unknown, s->errors, s->warnings);
        write(user, t.buf.text, t.buf.length);
}
