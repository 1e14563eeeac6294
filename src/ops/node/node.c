/* Faults of a node. */
#include "ops/node/node.h"

#include "base/bounds.h"
#include "base/buf.h"
#include "base/str.h"
#include "ops/node/input.h"

/* -- texts in messages, which are cut so that many diagnostics of a hostile model stay small -- */

/* `text`, or its first `most` bytes, cut between characters, followed by dots. */
static const char *brief(struct arena *arena, const char *text, size_t most)
{
        size_t length = strlen(text);

        if (length <= most)
                return text;
        length = most;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
                length--;
        return arena_printf(arena, "%.*s...", (int)length, text);
}

const char *node_input_name(const struct node *n, int i)
{
        const struct op_param *param = n->row ? op_in_param(n->row, i) : NULL;

        if (i >= 0 && (size_t)i < n->source->n_input && in_name(n, i)[0] != '\0')
                return brief(n->arena, in_name(n, i), NAME_SHOWN);
        return param ? param->name : arena_printf(n->arena, "input %d", i);
}

const char *type_shape_text(struct arena *arena, struct dim_table *dims, const struct type *type)
{
        struct buf buf;

        if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN)
                return "?";
        buf_init(&buf, arena);
        buf_putc(&buf, '[');
        for (int d = 0; d < type->rank; d++) {
                buf_puts(&buf, d ? ", " : "");
                buf_puts(&buf, dim_is(type->dim[d], -1)
                                       ? "?"
                                       : brief(arena, dim_text(dims, dim_resolve(dims, type->dim[d])), DIM_SHOWN));
        }
        buf_putc(&buf, ']');
        return buf_text(&buf);
}

const char *node_input_shape(const struct node *n, int i)
{
        return in_given(n, i) ? type_shape_text(n->arena, n->dims, in_type(n, i)) : "";
}

const char *node_input_text(const struct node *n, int i)
{
        return arena_printf(n->arena, "%s %s", node_input_name(n, i), node_input_shape(n, i));
}

const char *node_number(const struct node *n, int64_t number)
{
        return arena_printf(n->arena, "%lld", (long long)number);
}

/* -- diagnostics -- */

static void add_shapes(struct node *n, struct ox_diag *diag)
{
        size_t count = n->n_in < SHAPES_SHOWN ? (size_t)n->n_in : SHAPES_SHOWN;
        const char **shapes = (const char **)arena_zalloc(n->arena, count * sizeof(*shapes));

        for (size_t i = 0; i < count; i++)
                shapes[i] = node_input_shape(n, (int)i);
        diag->shapes = shapes;
        diag->n_shapes = count;
}

static void __attribute__((format(printf, 4, 0)))
report(struct node *n, enum ox_severity severity, const struct fault *fault, const char *format, va_list args)
{
        int input = fault->input;
        bool is_kept = !diags_full(n->diags);
        struct ox_diag diag = {
                .severity = severity,
                .code = reason_code(fault->reason),
                .reason = reason_word(fault->reason),
                .scope = n->scope,
                .node = node_name(n),
                .node_index = n->index,
                .op = node_op(n),
                .input = input,
                .value = input >= 0 && (size_t)input < n->source->n_input ? in_name(n, input)
                         : n->source->n_output > 0                        ? out_name(n, 0)
                                                                          : "",
                .message = is_kept ? arena_vprintf(n->arena, format, args) : "",
                .axis = fault->axis,
                .expected = text_or_empty(fault->expected),
                .actual = text_or_empty(fault->actual),
                .hint = text_or_empty(fault->hint),
        };

        if (is_kept && reason_has_shapes(fault->reason))
                add_shapes(n, &diag);
        diags_add(n->diags, n->arena, &diag);
}

void node_report(struct node *n, enum ox_severity severity, const struct fault *fault, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        report(n, severity, fault, format, args);
        va_end(args);
}

void node_constrain(const struct node *n, const struct dim_condition *condition, int input)
{
        const char *value = input >= 0 && input < n->n_in ? in_name(n, input) : n->n_out > 0 ? out_name(n, 0) : NULL;

        n->facts->add(n->facts->user, condition, n, value);
}

void node_diagnose(struct node *n, enum ox_severity severity, enum reason reason, int input, const char *format, ...)
{
        struct fault fault = {.reason = reason, .input = input, .axis = -1};
        va_list args;

        va_start(args, format);
        report(n, severity, &fault, format, args);
        va_end(args);
}
