/* The node of a row of tests/cases. */
#include <string.h>

#include "base/checked.h"
#include "build.h"
#include "subject.h"

#define ROW_MOST   4000
#define DEPTH_MOST 16

/* Rows are trusted to be well formed; changed ones are looked at first. */
static bool is_shallow(const char *text, size_t length)
{
        int depth = 0;

        for (size_t i = 0; i < length; i++) {
                depth += text[i] == '(' || text[i] == '{' ? 1 : text[i] == ')' || text[i] == '}' ? -1 : 0;
                if (depth > DEPTH_MOST || text[i] == '\0')
                        return false;
        }
        return length <= ROW_MOST;
}

/* No negative sizes, and elements that go with the shape. */
static bool is_sound(const struct value *value)
{
        const struct type *type = &value->type;
        int64_t count = 1;

        for (; type_within(type) != NULL; type = type->of)
                if (value->content != NULL)
                        return false;
        if (!type_is_tensor(type) || type->rank == RANK_UNKNOWN)
                return value->content == NULL;
        for (int d = 0; d < type->rank; d++) {
                if (dim_is_int(type->dim[d]) && type->dim[d].val < 0)
                        return false;
                if (value->content != NULL && (!dim_is_int(type->dim[d]) || !mul_i64(count, type->dim[d].val, &count)))
                        return false;
        }
        return value->content == NULL || (size_t)count == value->content->count;
}

static bool take_inputs(struct subject *s, const struct infer_node_request *request)
{
        s->n_in = s->proto->n_input;
        if (s->n_in > SUBJECT_INPUTS)
                return false;
        for (size_t i = 0; i < s->n_in; i++) {
                s->ground[i] = (struct value){.type = type_unknown};
                for (size_t k = 0; k < request->n_input; k++)
                        if (strcmp(request->input[k].name, s->proto->input[i]) == 0)
                                s->ground[i] = request->input[k].value;
                if (!is_sound(&s->ground[i]))
                        return false;
        }
        return true;
}

bool subject_row(struct subject *s, const char *text, size_t length)
{
        struct case_row *row = arena_new_zero(s->arena, struct case_row);
        struct infer_node_request request = {.strings = s->strings, .dims = s->dims};
        const char *error;

        if (!is_shallow(text, length) || !case_parse(s->arena, arena_strndup(s->arena, text, length), row, &error) ||
            row->n_opset == 0)
                return false;
        if (row->n_opset > 0) {
                const struct case_opset *opset = &row->opset[draw_below(&s->draw, row->n_opset)];

                s->opset = opset->version + (opset->and_newer ? (int64_t)draw_below(&s->draw, 16) : 0);
        } else {
                s->opset = op_newest_opset(row->domain);
        }
        s->check_types = row->check_types;
        if (!case_build(s->context, row, row->op[draw_below(&s->draw, row->n_op)], (int)s->opset, &request, &error))
                return false;
        s->proto = (OnnxNode *)(uintptr_t)request.node;
        return take_inputs(s, &request);
}
