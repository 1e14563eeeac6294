/* What a fault was found with, written as a row of tests/cases, so that it can become one. */
#include <inttypes.h>
#include <string.h>

#include "subject.h"

static void print_dim(struct dim_table *dims, struct dim d)
{
        if (dim_is_int(d))
                fprintf(stderr, "%" PRId64, d.val);
        else
                fprintf(stderr, "%s", dim_text(dims, d));
}

static void print_type(struct dim_table *dims, const struct type *type)
{
        static const char *const names[] = {"?", "", "sparse", "seq", "opt", "map"};

        if (type->kind == TYPE_UNKNOWN) {
                fprintf(stderr, "?");
                return;
        }
        if (type->kind != TYPE_TENSOR)
                fprintf(stderr, "%s(", names[type->kind]);
        if (type->kind == TYPE_MAP)
                fprintf(stderr, "%s,", elem_name((int)type->elem));
        if (type_within(type) != NULL)
                print_type(dims, type->of);
        if (type_is_tensor(type)) {
                fprintf(stderr, "%s[%s", type->elem == ELEM_UNDEFINED ? "?" : elem_name((int)type->elem),
                        type->rank == RANK_UNKNOWN ? "..." : "");
                for (int d = 0; d < type->rank; d++) {
                        fprintf(stderr, d > 0 ? "," : "");
                        print_dim(dims, type->dim[d]);
                }
                fprintf(stderr, "]");
        }
        if (type->kind != TYPE_TENSOR)
                fprintf(stderr, ")");
}

static void print_value(struct dim_table *dims, const struct value *value)
{
        const struct content *content = content_read(value->content);
        const struct members *members = value_members(value);

        print_type(dims, &value->type);
        if (members->has_length) {
                fprintf(stderr, "#");
                print_dim(dims, members->length);
        }
        if (members->elements != NULL) {
                fprintf(stderr, "each{");
                for (int64_t i = 0; i < members->length.val; i++) {
                        fprintf(stderr, i > 0 ? " " : "");
                        print_type(dims, members->elements->at[i]);
                }
                fprintf(stderr, "}");
        }
        if (content == NULL)
                return;
        fprintf(stderr, "{");
        for (size_t i = 0; i < content->count; i++) {
                const struct scalar s = content_at(content, i);

                fprintf(stderr, i > 0 ? "," : "");
                if (s.kind == SCALAR_UNKNOWN)
                        fprintf(stderr, "?");
                else if (s.kind == SCALAR_FLOAT)
                        fprintf(stderr, "%.17g", s.f);
                else
                        print_dim(dims, s.d);
                if (s.kind == SCALAR_RATIO)
                        fprintf(stderr, "/%" PRId64, s.den);
        }
        fprintf(stderr, "}");
}

static void print_attribute(const OnnxAttribute *a)
{
        fprintf(stderr, " %s=", a->name);
        switch (a->type) {
        case ATTR_INT:
                fprintf(stderr, "%" PRId64, a->i);
                break;
        case ATTR_FLOAT:
                fprintf(stderr, "%.9g", (double)a->f);
                break;
        case ATTR_STRING:
                fprintf(stderr, "\"%.*s\"", (int)a->s.len, (const char *)a->s.data);
                break;
        case ATTR_TENSOR:
                fprintf(stderr, "%s[", elem_name(a->t->data_type));
                for (size_t i = 0; i < a->t->n_dims; i++)
                        fprintf(stderr, "%s%" PRId64, i > 0 ? "," : "", a->t->dims[i]);
                fprintf(stderr, "]{");
                for (size_t i = 0; i < a->t->n_int64_data; i++)
                        fprintf(stderr, "%s%" PRId64, i > 0 ? "," : "", a->t->int64_data[i]);
                for (size_t i = 0; i < a->t->n_float_data; i++)
                        fprintf(stderr, "%s%.9g", i > 0 ? "," : "", (double)a->t->float_data[i]);
                fprintf(stderr, "}");
                break;
        default:
                fprintf(stderr, "[");
                for (size_t i = 0; i < a->n_ints; i++)
                        fprintf(stderr, "%s%" PRId64, i > 0 ? "," : "", a->ints[i]);
                for (size_t i = 0; i < a->n_floats; i++)
                        fprintf(stderr, "%s%.9g", i > 0 ? "," : "", (double)a->floats[i]);
                for (size_t i = 0; i < a->n_strings; i++)
                        fprintf(stderr, "%s\"%.*s\"", i > 0 ? "," : "", (int)a->strings[i].len,
                                (const char *)a->strings[i].data);
                fprintf(stderr, "]");
                break;
        }
}

static void print_answer(enum ox_code code, const struct ox_result *result)
{
        if (code != OX_OK || result == NULL) {
                fprintf(stderr, " error %s", ox_code_name(code));
                for (size_t i = 0; result != NULL && i < result->diags->count; i++)
                        fprintf(stderr, " %s (%s)", result->diags->at[i].reason, result->diags->at[i].message);
                return;
        }
        for (size_t i = 0; i < result->n_value; i++) {
                fprintf(stderr, " ");
                print_value(result->dims, &result_at(result, i)->value);
        }
        for (size_t i = 0; i < result->n_constraint; i++)
                fprintf(stderr, " where %s %s %s", result->constraint[i].left, result->constraint[i].relation,
                        result->constraint[i].right);
}

void subject_print(struct subject *s, const char *what, const struct value *in, enum ox_code code,
                   const struct ox_result *result)
{
        const OnnxNode *proto = s->proto;

        fprintf(stderr, "%s:\n  %s%s%s %" PRId64, what, proto->domain, proto->domain[0] != '\0' ? "." : "",
                proto->op_type, s->opset);
        if (s->check_types)
                fprintf(stderr, " !types");
        for (size_t i = 0; i < proto->n_attribute; i++)
                print_attribute(proto->attribute[i]);
        fprintf(stderr, " |");
        for (size_t i = 0; i < s->n_in; i++) {
                fprintf(stderr, " ");
                if (proto->input[i][0] == '\0')
                        fprintf(stderr, "_");
                else
                        print_value(s->dims, &in[i]);
        }
        fprintf(stderr, " (%zu outputs) ->", proto->n_output);
        print_answer(code, result);
        fprintf(stderr, "\n");
}
