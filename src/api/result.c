/* Reading a result. */
#include "api/internal.h"

size_t ox_result_count(const struct ox_result *result)
{
        return result->n_value;
}

struct telling {
        struct ox_context *context;
        const struct ox_result *result;
        size_t index;
        struct ox_result_value *ret;
};

static enum ox_code run_value(void *user)
{
        struct telling *t = user;
        const struct result_value *value;

        if (t->index >= t->result->n_value)
                return shape_fail(t->context, OX_OUT_OF_RANGE, "value %zu of %zu", t->index, t->result->n_value);
        value = t->result->value[t->index];
        *t->ret = (struct ox_result_value){
                .name = value->name,
                .kind = value->kind,
                .scope = value->scope,
                .node = value->node,
                .node_index = value->node_index,
                .op = value->op,
        };
        shape_tell_value(t->context->arena, t->result->dims, &value->value, &t->ret->value);
        return OX_OK;
}

enum ox_code ox_result_value(struct ox_context *context, const struct ox_result *result, size_t index,
                             struct ox_result_value *ret)
{
        struct telling telling = {context, result, index, ret};

        *ret = (struct ox_result_value){.name = "", .scope = "", .node = "", .node_index = -1, .op = ""};
        return shape_run(context, run_value, &telling);
}

const struct ox_symbol *ox_result_symbols(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_symbol;
        return result->symbol;
}

const struct ox_constraint *ox_result_constraints(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->n_constraint;
        return result->constraint;
}

const struct ox_diag *ox_result_diagnostics(const struct ox_result *result, size_t *ret_count)
{
        *ret_count = result->diags->count;
        return result->diags->at;
}

struct ox_summary ox_result_summary(const struct ox_result *result)
{
        return result->summary;
}
