/* Symbolic arithmetic on the dimensions of a context. */
#include <inttypes.h>
#include <string.h>

#include "api/internal.h"

/* The parameters and the result of one call. */
struct dim_call {
        struct ox_context *context;
        struct dim (*operation)(struct dim_table *t, struct dim a, struct dim b);
        struct ox_dim a, b;
        const char *name; /* of the symbol that `b` replaces */
        const struct ox_binding *binding;
        size_t n_binding;
        struct ox_dim result;
        int64_t least, most; /* `least` is also the result of an evaluation */
};

static enum ox_code read_dim(struct ox_context *context, const struct ox_dim *given, struct dim *ret)
{
        return context_built(context, build_dim(&context->builder, given, ret));
}

static enum ox_code write_dim(struct ox_context *context, struct dim d, struct ox_dim *ret)
{
        unsigned faults = dim_take_faults(context->dims);

        if (faults & DIM_FAULT_ZERO_DIVISOR)
                return context_fail(context, OX_INVALID_ARGUMENT, "a dimension must not be divided by 0");
        if (faults & (DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW))
                return context_fail(context, OX_OUT_OF_RANGE, "the dimension has an integer beyond 64 bits");
        if (faults)
                return context_fail(context, OX_RESOURCE_EXHAUSTED,
                                    "the dimension has more terms than the limit expression_terms, %" PRId64
                                    ", or is nested deeper than the limit expression_depth, %" PRId64,
                                    context->limits.expression_terms, context->limits.expression_depth);
        *ret = dim_is_int(d) ? (struct ox_dim){.value = d.val} : (struct ox_dim){.text = dim_text(context->dims, d)};
        return OX_OK;
}

/* -- operations -- */

static enum ox_code run_operation(void *user)
{
        struct dim_call *call = user;
        struct dim a, b;

        TRY(read_dim(call->context, &call->a, &a));
        TRY(read_dim(call->context, &call->b, &b));
        dim_take_faults(call->context->dims);
        return write_dim(call->context, call->operation(call->context->dims, a, b), &call->result);
}

static enum ox_code operate(struct ox_context *context,
                            struct dim (*operation)(struct dim_table *t, struct dim a, struct dim b), struct ox_dim a,
                            struct ox_dim b, struct ox_dim *ret)
{
        struct dim_call call = {.context = context, .operation = operation, .a = a, .b = b};
        enum ox_code code = context_run_values(context, run_operation, &call);

        *ret = call.result;
        return code;
}

enum ox_code ox_dim_add(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_add, a, b, ret);
}

enum ox_code ox_dim_sub(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_sub, a, b, ret);
}

enum ox_code ox_dim_mul(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_mul, a, b, ret);
}

enum ox_code ox_dim_floordiv(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_floordiv, a, b, ret);
}

enum ox_code ox_dim_mod(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_mod, a, b, ret);
}

enum ox_code ox_dim_max(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_max, a, b, ret);
}

enum ox_code ox_dim_min(struct ox_context *context, struct ox_dim a, struct ox_dim b, struct ox_dim *ret)
{
        return operate(context, dim_min, a, b, ret);
}

/* -- symbols -- */

static enum ox_code run_substitute(void *user)
{
        struct dim_call *call = user;
        struct ox_context *context = call->context;
        struct dim d, by, symbol;

        TRY(read_dim(context, &call->a, &d));
        TRY(read_dim(context, &call->b, &by));
        dim_take_faults(context->dims);
        if (dim_find(context->dims, call->name, strlen(call->name), &symbol))
                d = dim_substitute(context->dims, d, symbol, by);
        return write_dim(context, d, &call->result);
}

enum ox_code ox_dim_substitute(struct ox_context *context, struct ox_dim dim, const char *name, struct ox_dim by,
                               struct ox_dim *ret)
{
        struct dim_call call = {.context = context, .a = dim, .b = by, .name = name};
        enum ox_code code = context_run_values(context, run_substitute, &call);

        *ret = call.result;
        return code;
}

static bool find_binding(void *user, uint32_t symbol, int64_t *ret)
{
        struct dim_call *call = user;
        const struct ox_context *context = call->context;
        const char *name = str_text(context->strings, dim_symbol_at(context->dims, symbol)->name);

        for (size_t i = 0; i < call->n_binding; i++) {
                if (strcmp(call->binding[i].name, name) == 0) {
                        *ret = call->binding[i].value;
                        return true;
                }
        }
        call->name = name;
        return false;
}

static enum ox_code run_evaluate(void *user)
{
        struct dim_call *call = user;
        struct dim d;

        TRY(read_dim(call->context, &call->a, &d));
        if (dim_eval(call->context->dims, d, find_binding, call, &call->least))
                return OX_OK;
        call->least = 0;
        if (call->name)
                return context_fail(call->context, OX_FAILED_PRECONDITION, "the symbol %.100s has no value",
                                    call->name);
        return context_fail(call->context, OX_OUT_OF_RANGE, "the dimension is undefined for these values");
}

enum ox_code ox_dim_evaluate(struct ox_context *context, struct ox_dim dim, const struct ox_binding *bindings,
                             size_t n_binding, int64_t *ret)
{
        struct dim_call call = {.context = context, .a = dim, .binding = bindings, .n_binding = n_binding};
        enum ox_code code = context_run_values(context, run_evaluate, &call);

        *ret = call.least;
        return code;
}

static enum ox_code run_bounds(void *user)
{
        struct dim_call *call = user;
        struct dim d;

        TRY(read_dim(call->context, &call->a, &d));
        dim_range(call->context->dims, d, &call->least, &call->most);
        return OX_OK;
}

enum ox_code ox_dim_bounds(struct ox_context *context, struct ox_dim dim, int64_t *ret_least, int64_t *ret_most)
{
        struct dim_call call = {.context = context, .a = dim, .least = INT64_MIN, .most = INT64_MAX};
        enum ox_code code = context_run_values(context, run_bounds, &call);

        *ret_least = call.least;
        *ret_most = call.most;
        return code;
}
