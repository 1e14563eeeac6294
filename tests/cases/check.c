#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

#define LABEL_MAX 16

struct checker {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const char *where; /* the output's name */
        const char *error;
        const char *label[LABEL_MAX]; /* "*a" stands for one and the same dimension throughout a row */
        struct dim labelled[LABEL_MAX];
        size_t n_label;
};

static bool differ(struct checker *c, const char *what, const char *wanted, const char *got)
{
        if (c->error == NULL)
                c->error = arena_printf(c->arena, "%s: %s: wanted %s, got %s", c->where, what, wanted, got);
        return false;
}

static const char *text_of(struct checker *c, struct dim d)
{
        return dim_is_int(d) ? arena_printf(c->arena, "%" PRId64, d.val) : dim_text(c->dims, d);
}

static bool check_label(struct checker *c, const char *what, const char *label, struct dim got)
{
        uint32_t index;

        if (!dim_as_symbol(c->dims, got, &index) || dim_symbol_at(c->dims, index)->from_input)
                return differ(c, what, "a symbol of its own", text_of(c, got));
        if (label[1] == '\0')
                return true;
        for (size_t i = 0; i < c->n_label; i++)
                if (strcmp(c->label[i], label) == 0)
                        return dim_same(c->labelled[i], got) ||
                               differ(c, what, text_of(c, c->labelled[i]), text_of(c, got));
        if (c->n_label == LABEL_MAX)
                return differ(c, what, "fewer labels", label);
        c->label[c->n_label] = label;
        c->labelled[c->n_label++] = got;
        return true;
}

/* Canonical forms are compared; texts too, for a symbol of the engine's own naming. */
static bool check_dim(struct checker *c, const char *what, const char *wanted, struct dim got)
{
        struct dim parsed;

        if (wanted[0] == '*')
                return check_label(c, what, wanted, got);
        if (strcmp(text_of(c, got), wanted) == 0)
                return true;
        if (!dim_parse(c->dims, wanted, strlen(wanted), NULL, NULL, NULL, true, &parsed))
                return differ(c, what, "a dimension that can be read", wanted);
        return dim_same(dim_resolve(c->dims, parsed), got) || differ(c, what, wanted, text_of(c, got));
}

static bool check_shape(struct checker *c, const struct case_value *wanted, const struct type *got)
{
        if (wanted->rank < 0)
                return got->rank == RANK_UNKNOWN ||
                       differ(c, "rank", "unknown", arena_printf(c->arena, "%d", got->rank));
        if (got->rank != wanted->rank)
                return differ(c, "rank", arena_printf(c->arena, "%d", wanted->rank),
                              got->rank == RANK_UNKNOWN ? "unknown" : arena_printf(c->arena, "%d", got->rank));
        for (int i = 0; i < wanted->rank; i++)
                if (!check_dim(c, arena_printf(c->arena, "axis %d", i), wanted->dim[i], got->dim[i]))
                        return false;
        return true;
}

static bool check_elem(struct checker *c, const char *wanted, enum elem got)
{
        const char *name = got == ELEM_UNDEFINED ? "?" : elem_name((int)got);

        return strcmp(wanted, name) == 0 || differ(c, "element type", wanted, name);
}

static const char *scalar_text(struct checker *c, struct scalar s)
{
        if (s.kind == SCALAR_INT)
                return text_of(c, s.d);
        if (s.kind == SCALAR_RATIO)
                return arena_printf(c->arena, "(%s)/%" PRId64, text_of(c, s.d), s.den);
        return s.kind == SCALAR_FLOAT ? arena_printf(c->arena, "%.9g", s.f) : "?";
}

static bool check_scalar(struct checker *c, size_t i, const char *wanted, struct scalar got)
{
        const char *what = arena_printf(c->arena, "element %zu", i);
        double number;
        char *end;

        if (strcmp(wanted, "?") == 0)
                return got.kind == SCALAR_UNKNOWN || differ(c, what, "nothing known", scalar_text(c, got));
        if (got.kind == SCALAR_INT)
                return check_dim(c, what, wanted, got.d);
        number = strtod(wanted, &end);
        if (*end != '\0')
                return (got.kind == SCALAR_RATIO && got.den == 1 && check_dim(c, what, wanted, got.d)) ||
                       strcmp(scalar_text(c, got), wanted) == 0 || differ(c, what, wanted, scalar_text(c, got));
        if (got.kind == SCALAR_FLOAT &&
            ((isnan(number) && isnan(got.f)) || float_round(ELEM_FLOAT, number) == float_round(ELEM_FLOAT, got.f)))
                return true;
        return differ(c, what, wanted, scalar_text(c, got));
}

static bool check_content(struct checker *c, const struct case_value *wanted, const struct content *got)
{
        size_t count = got == NULL ? 0 : got->count;

        if (got != NULL && count != wanted->n_content)
                return differ(c, "elements", arena_printf(c->arena, "%zu", wanted->n_content),
                              arena_printf(c->arena, "%zu", count));
        for (size_t i = 0; i < wanted->n_content; i++)
                if (!check_scalar(c, i, wanted->content[i], got == NULL ? scalar_unknown() : content_at(got, i)))
                        return false;
        return true;
}

static const char *kind_name(enum type_kind kind)
{
        static const char *const names[] = {
                [TYPE_UNKNOWN] = "an unknown type",       [TYPE_TENSOR] = "a tensor",
                [TYPE_SPARSE_TENSOR] = "a sparse tensor", [TYPE_SEQUENCE] = "a sequence",
                [TYPE_OPTIONAL] = "an optional",          [TYPE_MAP] = "a map",
        };

        return names[kind];
}

static bool check_type(struct checker *c, const struct case_value *wanted, const struct type *got)
{
        static const enum type_kind kinds[] = {
                [CASE_LEFT_OUT] = TYPE_UNKNOWN,     [CASE_ABSENT] = TYPE_UNKNOWN,
                [CASE_UNKNOWN] = TYPE_UNKNOWN,      [CASE_TENSOR] = TYPE_TENSOR,
                [CASE_SPARSE] = TYPE_SPARSE_TENSOR, [CASE_SEQUENCE] = TYPE_SEQUENCE,
                [CASE_OPTIONAL] = TYPE_OPTIONAL,    [CASE_MAP] = TYPE_MAP,
        };

        if (got->kind != kinds[wanted->kind])
                return differ(c, "kind", kind_name(kinds[wanted->kind]), kind_name(got->kind));
        if (wanted->kind == CASE_TENSOR || wanted->kind == CASE_SPARSE)
                return check_elem(c, wanted->elem, got->elem) && check_shape(c, wanted, got);
        if (wanted->kind == CASE_MAP && !check_elem(c, wanted->elem, got->elem))
                return false;
        if (wanted->of == NULL || wanted->each != NULL)
                return true;
        return check_type(c, wanted->of, type_within(got) == NULL ? &type_unknown : got->of);
}

static bool check_sequence(struct checker *c, const struct case_value *wanted, const struct value *got)
{
        const struct members *members = value_members(got);

        if (wanted->length == NULL)
                return true;
        if (!members->has_length)
                return differ(c, "length", wanted->length, "unknown");
        if (!check_dim(c, "length", wanted->length, members->length))
                return false;
        if (wanted->each != NULL && wanted->n_each > 0 && members->elements == NULL)
                return differ(c, "elements", "types of their own", "a joined type");
        for (size_t i = 0; i < wanted->n_each; i++)
                if (!check_type(c, &wanted->each[i], members->elements->at[i]))
                        return false;
        return true;
}

static bool check_value(struct checker *c, const struct case_value *wanted, const struct value *got)
{
        return check_type(c, wanted, &got->type) && check_sequence(c, wanted, got) &&
               (!wanted->has_content || check_content(c, wanted, content_read(got->content)));
}

static bool check_relation(struct checker *c, const struct case_relation *wanted, const struct ox_result *result)
{
        for (size_t i = 0; i < result->n_constraint; i++) {
                const struct ox_constraint *got = &result->constraint[i];

                if (strcmp(got->relation, wanted->relation) != 0)
                        continue;
                if (strcmp(got->left, wanted->left) == 0 && strcmp(got->right, wanted->right) == 0)
                        return true;
                if (strcmp(got->relation, "==") == 0 && strcmp(got->right, wanted->left) == 0 &&
                    strcmp(got->left, wanted->right) == 0)
                        return true;
        }
        c->where = "constraint";
        return differ(c, wanted->relation, arena_printf(c->arena, "%s and %s", wanted->left, wanted->right), "none");
}

static bool check_error(struct checker *c, const struct case_row *row, enum ox_code code,
                        const struct ox_result *result)
{
        c->where = "error";
        if (row->code == NULL || strcmp(row->code, ox_code_name(code)) != 0)
                return differ(c, "code", row->code == NULL ? "ok" : row->code, ox_code_name(code));
        if (row->reason == NULL)
                return true;
        if (result == NULL || result->diags->count == 0)
                return differ(c, "reason", row->reason, "no diagnostic");
        for (size_t i = 0; i < result->diags->count; i++)
                if (strcmp(result->diags->at[i].reason, row->reason) == 0)
                        return true;
        return differ(c, "reason", row->reason, result->diags->at[0].reason);
}

static const struct result_value *find_output(const struct ox_result *result, const char *name)
{
        for (size_t i = 0; i < result->n_value; i++)
                if (strcmp(result_name(result, result_at(result, i)), name) == 0)
                        return result_at(result, i);
        return NULL;
}

static bool check_outputs(struct checker *c, const struct case_row *row, const struct ox_result *result)
{
        for (size_t i = 0; i < row->n_out; i++) {
                const struct result_value *got;

                if (row->out[i].kind == CASE_LEFT_OUT)
                        continue;
                c->where = arena_printf(c->arena, "y%zu", i);
                got = find_output(result, c->where);
                if (got == NULL)
                        return differ(c, "value", "an answer", "none");
                if (!check_value(c, &row->out[i], &got->value))
                        return false;
        }
        for (size_t i = 0; i < row->n_relation; i++)
                if (!check_relation(c, &row->relation[i], result))
                        return false;
        return true;
}

bool case_check(struct ox_context *context, const struct case_row *row, enum ox_code code,
                const struct ox_result *result, const char **ret_error)
{
        struct checker c = {.arena = ox_context_arena(context), .where = ""};

        if (result != NULL)
                c.dims = result->dims;
        if (code != OX_OK || row->code != NULL) {
                if (check_error(&c, row, code, result))
                        return true;
        } else if (result != NULL && check_outputs(&c, row, result)) {
                return true;
        }
        *ret_error = c.error;
        return false;
}
