/* The table for people. Names come from the model, so control characters in them are escaped. */
#include <stdio.h>
#include <string.h>

#include "render/float_text.h"
#include "render/render.h"
#include "render/values.h"
#include "render/visit.h"

#define WIDEST       60 /* columns of a name that are aligned; a longer one pushes its own line only */
#define CONTENT_MOST 8  /* elements that are shown */
#define FLUSH_BYTES  16384

struct table {
        const struct ox_result *result;
        struct buf buf;
        struct buf scratch;
        ox_write write;
        void *user;
        int name_width, op_width, type_width;
        int shape_width, bound_width; /* of shapes, where columns follow, and of those for sets of sizes */
        bool has_bounds;              /* of a symbol were told */
};

/* Columns that a text takes: code points, and four for a control character. */
static int columns_of(const char *text)
{
        int columns = 0;

        for (const unsigned char *s = (const unsigned char *)text; *s; s++)
                columns += *s < 0x20 || *s == 0x7f ? 4 : (*s & 0xc0) != 0x80;
        return columns;
}

static void put_clean(struct table *t, const char *text)
{
        const char *from = text;

        for (const char *s = text; *s; s++) {
                if ((unsigned char)*s >= 0x20 && *s != 0x7f)
                        continue;
                buf_put(&t->buf, from, (size_t)(s - from));
                buf_printf(&t->buf, "\\x%02x", (unsigned)(unsigned char)*s);
                from = s + 1;
        }
        buf_puts(&t->buf, from);
}

static void put_padded(struct table *t, const char *text, int width)
{
        put_clean(t, text);
        for (int left = width - columns_of(text) + 2; left > 0; left--)
                buf_putc(&t->buf, ' ');
        if (columns_of(text) > width)
                buf_puts(&t->buf, "  ");
}

static void end_line(struct table *t)
{
        buf_putc(&t->buf, '\n');
        if (t->buf.length >= FLUSH_BYTES) {
                t->write(t->user, t->buf.text, t->buf.length);
                t->buf.length = 0;
        }
}

/* -- values -- */

static const char *origin_of(const struct result_value *v)
{
        static const char *const kinds[] = {[OX_KIND_INPUT] = "input",
                                            [OX_KIND_INTERMEDIATE] = "",
                                            [OX_KIND_OUTPUT] = "",
                                            [OX_KIND_INITIALIZER] = "initializer"};

        return result_op(v)[0] ? result_op(v) : kinds[v->kind];
}

static const char *type_of(struct table *t, const struct result_value *v)
{
        t->scratch.length = 0;
        return type_print(&v->value.type, &t->scratch) ? buf_text(&t->scratch) : "?";
}

static void widen(int *width, const char *text)
{
        int columns = columns_of(text);

        if (columns > *width)
                *width = columns > WIDEST ? WIDEST : columns;
}

static void put_dim_of(struct table *t, struct dim_table *dims, struct dim d)
{
        if (dim_is_int(d))
                buf_put_i64(&t->buf, d.val);
        else
                put_clean(t, dim_text(dims, d));
}

static void put_dim(struct table *t, struct dim d)
{
        put_dim_of(t, t->result->dims, d);
}

static void put_shape(struct table *t, const struct type *type, struct dim_table *dims)
{
        type = type_innermost(type);
        if (!type_has_shape(type)) {
                buf_putc(&t->buf, '?');
                return;
        }
        buf_putc(&t->buf, '[');
        for (int d = 0; d < type->rank; d++) {
                if (d)
                        buf_puts(&t->buf, ", ");
                put_dim_of(t, dims, type->dim[d]);
        }
        buf_putc(&t->buf, ']');
}

static void put_content(struct table *t, const struct content *content, enum elem elem)
{
        buf_puts(&t->buf, "  = ");
        for (size_t i = 0; i < content->count && i < CONTENT_MOST; i++) {
                const struct scalar s = content_at(content, i);
                char text[FLOAT_TEXT];
                double number;

                if (i)
                        buf_puts(&t->buf, ", ");
                if (scalar_float_value(&s, &number)) {
                        char *end = float_put(text, number, elem != ELEM_DOUBLE);

                        buf_put(&t->buf, text, (size_t)(end - text));
                } else {
                        put_dim(t, s.d);
                }
        }
        if (content->count > CONTENT_MOST)
                buf_puts(&t->buf, ", ...");
}

/* Blanks up to the width of a column that began at `begin` of the line's text, and two more. */
static void pad_from(struct table *t, size_t begin, int width)
{
        for (int left = width - columns_of(buf_text(&t->buf) + begin) + 2; left > 0; left--)
                buf_putc(&t->buf, ' ');
}

/* The shapes for each set of sizes, a column each. */
static void put_bound(struct table *t, const struct result_value *v, size_t begin)
{
        pad_from(t, begin, t->shape_width);
        for (size_t i = 0; i < t->result->n_bound; i++) {
                begin = t->buf.length;
                put_shape(t, v->more->bound[i] ? v->more->bound[i] : &type_unknown, t->result->bound[i]->dims);
                pad_from(t, begin, t->bound_width);
        }
}

static void put_value(void *table, const struct result_value *v)
{
        struct table *t = table;
        const struct content *content = value_content(&v->value);

        put_padded(t, result_name(t->result, v), t->name_width);
        put_padded(t, origin_of(v), t->op_width);
        put_padded(t, type_of(t, v), t->type_width);
        size_t begin = t->buf.length;

        put_shape(t, &v->value.type, t->result->dims);
        if (v->more->bound)
                put_bound(t, v, begin);
        if (value_members(&v->value)->has_length) {
                buf_puts(&t->buf, " x ");
                put_dim(t, v->value.members->length);
        }
        if (content && content->count)
                put_content(t, content, v->value.type.elem);
        if (result_scope(v)[0]) {
                buf_puts(&t->buf, "  in ");
                put_clean(t, result_scope(v));
        }
        end_line(t);
}

static void put_sizes(struct table *t, const struct ox_bindings *sizes)
{
        for (size_t i = 0; i < sizes->n_binding; i++) {
                buf_puts(&t->buf, i ? "," : "");
                put_clean(t, sizes->binding[i].name);
                buf_printf(&t->buf, "=%lld", (long long)sizes->binding[i].value);
        }
}

/* Widens a column by what the text has got since nothing stood in it, and takes that back. */
static void widen_by_text(struct table *t, int *width)
{
        widen(width, buf_text(&t->buf));
        t->buf.length = 0;
}

static void measure(void *table, const struct result_value *v)
{
        struct table *t = table;

        widen(&t->name_width, result_name(t->result, v));
        widen(&t->op_width, origin_of(v));
        widen(&t->type_width, type_of(t, v));
        if (!v->more->bound)
                return;
        put_shape(t, &v->value.type, t->result->dims);
        widen_by_text(t, &t->shape_width);
        for (size_t i = 0; i < t->result->n_bound; i++) {
                put_shape(t, v->more->bound[i] ? v->more->bound[i] : &type_unknown, t->result->bound[i]->dims);
                widen_by_text(t, &t->bound_width);
        }
}

static void measure_bound(void *table, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        struct table *t = table;

        put_sizes(t, sizes);
        widen_by_text(t, &t->bound_width);
}

static void put_head(struct table *t)
{
        size_t begin;

        put_padded(t, "value", t->name_width);
        put_padded(t, "from", t->op_width);
        put_padded(t, "type", t->type_width);
        begin = t->buf.length;
        buf_puts(&t->buf, "shape");
        for (size_t i = 0; i < t->result->n_bound; i++) {
                pad_from(t, begin, i ? t->bound_width : t->shape_width);
                begin = t->buf.length;
                put_sizes(t, &t->result->bindings[i]);
        }
        end_line(t);
}

/* -- the rest -- */

/* The origin of an item: the node, by its name or its position (-1: not shown), and the branch or body around it. */
static void put_origin(struct table *t, const char *node, const char *op, int64_t index, const char *scope)
{
        if (!node[0] && !op[0] && !scope[0])
                return;
        buf_puts(&t->buf, "  (");
        put_clean(t, node[0] ? node : op);
        if (!node[0] && index >= 0)
                buf_printf(&t->buf, " %lld", (long long)index);
        if (scope[0]) {
                buf_puts(&t->buf, " in ");
                put_clean(t, scope);
        }
        buf_putc(&t->buf, ')');
}

static void put_bounds(struct table *t, const char *size, const struct ox_bound *min, const struct ox_bound *max)
{
        if (!t->has_bounds)
                buf_putc(&t->buf, '\n');
        t->has_bounds = true;
        put_clean(t, size);
        buf_puts(&t->buf, " is ");
        put_clean(t, min->text[0] ? min->text : "0");
        buf_puts(&t->buf, max->text[0] ? " to " : " or more");
        put_clean(t, max->text);
}

/* The known bounds of a symbol that depends on data. */
static void put_symbol(void *table, const struct ox_symbol *s)
{
        struct table *t = table;

        if (!s->op[0] || !s->max.text[0])
                return;
        put_bounds(t, s->name, &s->min, &s->max);
        put_origin(t, s->node, s->op, -1, s->scope);
        end_line(t);
}

/* Bounds of sizes that are more than a symbol stand below those of symbols. */
static void end_list(void *table, enum result_list list)
{
        struct table *t = table;

        for (size_t i = 0; list == LIST_SYMBOLS && i < t->result->n_dynamic; i++) {
                const struct ox_dynamic_size *size = &t->result->dynamic[i];

                put_bounds(t, size->size, &size->min, &size->max);
                end_line(t);
        }
}

static void put_relation(struct table *t, const struct ox_constraint *c)
{
        put_clean(t, c->left);
        buf_printf(&t->buf, " %s ", strcmp(c->relation, "either") == 0 ? "is 1 or" : c->relation);
        put_clean(t, c->right);
}

static void put_condition(void *table, enum result_list list, const struct ox_constraint *c)
{
        struct table *t = table;

        buf_puts(&t->buf, list == LIST_ASSUMPTIONS ? "taken for granted: " : "must hold: ");
        put_relation(t, c);
        put_origin(t, c->node, c->op, c->node_index, c->scope);
        end_line(t);
}

static void put_node(struct table *t, const struct ox_diag *d)
{
        buf_printf(&t->buf, "node %lld ", (long long)d->node_index);
        put_clean(t, d->node);
        buf_puts(&t->buf, d->node[0] ? " (" : "(");
        put_clean(t, d->op);
        buf_puts(&t->buf, ")");
        if (d->scope[0]) {
                buf_puts(&t->buf, " in ");
                put_clean(t, d->scope);
        }
        buf_puts(&t->buf, ": ");
}

static void put_diagnostic(void *table, const struct ox_diag *d)
{
        static const char *const words[] = {[OX_ERROR] = "error", [OX_WARNING] = "warning", [OX_INFO] = "note"};
        struct table *t = table;

        buf_printf(&t->buf, "%s %s: ", words[d->severity], d->reason);
        if (d->node_index >= 0)
                put_node(t, d);
        put_clean(t, d->message);
        buf_puts(&t->buf, d->hint[0] ? "; hint: " : "");
        put_clean(t, d->hint);
        end_line(t);
}

static void put_bound_faults(void *table, const struct ox_bindings *sizes, const struct ox_result *bound)
{
        static const struct visitor faults = {.diagnostic = put_diagnostic};
        struct table *t = table;

        buf_puts(&t->buf, "with ");
        put_sizes(t, sizes);
        buf_printf(&t->buf, ": %zu errors, %zu warnings", bound->summary.errors, bound->summary.warnings);
        end_line(t);
        visit_diagnostics(bound->diags, &faults, t);
}

static void put_explanation(void *table, const struct result_explanation *e)
{
        struct table *t = table;

        buf_puts(&t->buf, "why ");
        put_clean(t, result_name(t->result, e->value));
        buf_puts(&t->buf, e->n_step ? ":" : ": all of it is known");
        for (size_t i = 0; i < e->n_step; i++) {
                end_line(t);
                buf_puts(&t->buf, "  ");
                put_clean(t, result_name(t->result, e->step[i].value));
                buf_puts(&t->buf, ": ");
                put_clean(t, e->step[i].text);
        }
        if (e->decide[0]) {
                end_line(t);
                buf_puts(&t->buf, "  decided by ");
                put_clean(t, e->decide);
        }
        end_line(t);
}

static void put_range(struct table *t, const struct ox_range *range)
{
        buf_printf(&t->buf, "%lld", (long long)range->from);
        if (range->to == INT64_MAX && range->step == 1)
                buf_puts(&t->buf, " or more");
        else if (range->to == INT64_MAX)
                buf_printf(&t->buf, ", %lld, ...", (long long)range->from + (long long)range->step);
        else if (range->to > range->from)
                buf_printf(&t->buf, range->step == 1 ? " to %lld" : " to %lld in steps of %lld", (long long)range->to,
                           (long long)range->step);
}

static void put_size(void *table, const struct ox_size *size)
{
        struct table *t = table;

        put_clean(t, size->symbol);
        buf_puts(&t->buf, size->n_range ? " runs at " : " runs at no size");
        for (size_t i = 0; i < size->n_range; i++) {
                buf_puts(&t->buf, i ? "; " : "");
                put_range(t, &size->range[i]);
        }
        if (!size->is_complete)
                buf_printf(&t->buf, " (tried up to %lld)", (long long)size->tried);
        if (size->is_tied)
                buf_puts(&t->buf, ", under the conditions that tie it to other sizes");
        end_line(t);
}

static void put_tied(void *table, const struct ox_tied_sizes *tied)
{
        struct table *t = table;

        for (size_t i = 0; i < tied->n_symbol; i++) {
                buf_puts(&t->buf, i ? ", " : "");
                put_clean(t, tied->symbol[i]);
        }
        buf_puts(&t->buf, tied->n_combination ? " run together at " : " run together");
        for (size_t i = 0; i < tied->n_combination; i++) {
                buf_puts(&t->buf, i ? "; " : "");
                put_sizes(t, &tied->combination[i]);
        }
        for (size_t i = 0; i < tied->n_condition; i++) {
                buf_puts(&t->buf, i ? ", " : " where ");
                put_relation(t, &tied->condition[i]);
        }
        if (tied->tried >= 0)
                buf_printf(&t->buf, " (tried up to %lld)", (long long)tied->tried);
        end_line(t);
}

static void put_names(struct table *t, const char *const *name, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                buf_puts(&t->buf, i ? ", " : "");
                put_clean(t, name[i]);
        }
}

/* y = Conv(x, w) */
static void put_edges(void *table, const struct ox_graph_node *node)
{
        struct table *t = table;

        if (node->scope[0]) {
                put_clean(t, node->scope);
                buf_puts(&t->buf, ": ");
        }
        put_names(t, node->output, node->n_output);
        buf_puts(&t->buf, " = ");
        put_clean(t, node->domain);
        buf_puts(&t->buf, node->domain[0] ? "." : "");
        put_clean(t, node->op);
        buf_puts(&t->buf, "(");
        put_names(t, node->input, node->n_input);
        buf_puts(&t->buf, ")");
        end_line(t);
}

/* An empty line before each nonempty list except the first. Bounds have one before the first of them, and may be none,
   because the shapes show the origin of symbols. */
static void begin_list(void *table, enum result_list list, size_t count)
{
        struct table *t = table;

        if (list == LIST_VALUES)
                put_head(t);
        else if (list != LIST_SYMBOLS && list != LIST_DYNAMIC_SIZES && count > 0)
                buf_putc(&t->buf, '\n');
}

static void put_summary(void *table, const struct ox_summary *s, const struct ox_result *result)
{
        struct table *t = table;
        const struct result_model *m = &t->result->model;

        buf_printf(&t->buf, "\n%zu nodes, %llu bytes, %llu of them skipped\n", m->nodes, (unsigned long long)m->bytes,
                   (unsigned long long)m->bytes_skipped);
        buf_printf(&t->buf, "%zu values: %zu exact, %zu symbolic, %zu dynamic, %zu unknown; %zu errors, %zu warnings\n",
                   s->values, s->exact, s->symbolic, s->dynamic, s->unknown, s->errors, s->warnings);
        for (size_t i = 0; i < result->n_cause; i++) {
                buf_printf(&t->buf, "%zu values know less since ", result->cause[i].values);
                put_clean(t, result_name(result, result->cause[i].value));
                end_line(t);
        }
        for (size_t i = 0; i < result->n_unknown; i++) {
                const struct result_operator *unknown = &result->unknown[i];

                buf_printf(&t->buf, "%zu values hang on the unknown ", unknown->values);
                put_clean(t, unknown->op->domain);
                buf_puts(&t->buf, unknown->op->domain[0] ? "." : "");
                put_clean(t, unknown->op->type);
                buf_printf(&t->buf, " (%zu nodes)", unknown->nodes);
                end_line(t);
        }
}

void render_table(const struct ox_result *result, struct arena *arena, ox_write write, void *user)
{
        static const struct visitor widths = {.value = measure, .bound = measure_bound};
        static const struct visitor lines = {
                .list = begin_list,
                .value = put_value,
                .symbol = put_symbol,
                .list_end = end_list,
                .condition = put_condition,
                .diagnostic = put_diagnostic,
                .explanation = put_explanation,
                .node = put_edges,
                .size = put_size,
                .tied = put_tied,
                .bound = put_bound_faults,
                .summary = put_summary,
        };
        struct table t = {
                .result = result,
                .write = write,
                .user = user,
                .name_width = 5, /* the words of the head line */
                .op_width = 4,
                .type_width = 4,
                .shape_width = 5,
        };

        buf_init(&t.buf, arena);
        buf_init(&t.scratch, arena);
        visit_result(result, &widths, &t);
        visit_result(result, &lines, &t);
        write(user, t.buf.text, t.buf.length);
}
