#include "rpc/options.h"

#include <stdio.h>

#include "rpc/fault.h"

struct taking {
        struct ox_context *context;
        const Shaped__V1__InferOptions *given;
        struct ox_options *ret;
        struct message_fault fault;
};

static enum ox_code take_binding(struct taking *t, const Shaped__V1__Binding *given, struct ox_binding *ret)
{
        if (!given->name || !given->name[0])
                return message_fail_at(&t->fault, "name", "a binding must name a symbol");
        if (!given->has_value || given->value < 0)
                return message_fail_at(&t->fault, "value", "must be a number of 0 or more, got %lld",
                                       given->has_value ? (long long)given->value : -1);
        *ret = (struct ox_binding){.name = given->name, .value = given->value};
        return OX_OK;
}

static enum ox_code take_dims(struct taking *t, Shaped__V1__Binding *const *given, size_t count,
                              const struct ox_binding **ret)
{
        struct ox_binding *bindings = arena_new_array(ox_context_arena(t->context), struct ox_binding, count);

        for (size_t i = 0; i < count; i++) {
                enum ox_code code = take_binding(t, given[i], &bindings[i]);

                if (code == OX_OK)
                        continue;
                message_fault_within_element(&t->fault, "dims", i);
                return code;
        }
        *ret = bindings;
        return OX_OK;
}

static enum ox_code take_bindings(struct taking *t)
{
        const Shaped__V1__InferOptions *g = t->given;
        struct ox_bindings *sets = arena_new_array(ox_context_arena(t->context), struct ox_bindings, g->n_bindings);

        for (size_t i = 0; i < g->n_bindings; i++) {
                enum ox_code code = take_dims(t, g->bindings[i]->dims, g->bindings[i]->n_dims, &sets[i].binding);

                sets[i].n_binding = g->bindings[i]->n_dims;
                if (code == OX_OK)
                        continue;
                message_fault_within_element(&t->fault, "bindings", i);
                return code;
        }
        t->ret->bindings = sets;
        t->ret->n_bindings = g->n_bindings;
        t->ret->n_binding = g->n_dims;
        return take_dims(t, g->dims, g->n_dims, &t->ret->binding);
}

/* A size as text; "" for an open size, NULL for an invalid one. */
static const char *size_text(struct arena *arena, const OnnxDim *dim)
{
        char digits[24];

        if (dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
                return dim->dim_param;
        if (dim->value_case != SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE || dim->dim_value == -1)
                return "";
        if (dim->dim_value < 0)
                return NULL;
        return arena_strndup(arena, digits,
                             (size_t)snprintf(digits, sizeof(digits), "%lld", (long long)dim->dim_value));
}

static enum ox_code take_shape(struct taking *t, const Shaped__V1__InputShape *given, struct ox_input_shape *ret)
{
        struct arena *arena = ox_context_arena(t->context);

        if (!given->input || !given->input[0])
                return message_fail_at(&t->fault, "input", "a shape must name an input");
        if (!given->shape)
                return message_fail_at(&t->fault, "shape", "is missing");
        const char **dims = arena_new_array(arena, const char *, given->shape->n_dim);

        for (size_t d = 0; d < given->shape->n_dim; d++) {
                dims[d] = size_text(arena, given->shape->dim[d]);
                if (dims[d])
                        continue;
                message_fail(&t->fault, "must be a number of 0 or more, or an expression");
                message_fault_within_element(&t->fault, "dim", d);
                message_fault_within(&t->fault, "shape");
                return OX_INVALID_ARGUMENT;
        }
        *ret = (struct ox_input_shape){.input = given->input, .dim = dims, .rank = given->shape->n_dim};
        return OX_OK;
}

static enum ox_code take_shapes(struct taking *t, struct ox_input_shape **ret_more)
{
        struct ox_input_shape *shapes = arena_new_array(ox_context_arena(t->context), struct ox_input_shape,
                                                        t->given->n_shapes + t->given->n_input_values);

        for (size_t i = 0; i < t->given->n_shapes; i++) {
                enum ox_code code = take_shape(t, t->given->shapes[i], &shapes[i]);

                if (code == OX_OK)
                        continue;
                message_fault_within_element(&t->fault, "shapes", i);
                return code;
        }
        t->ret->shape = shapes;
        t->ret->n_shape = t->given->n_shapes;
        *ret_more = shapes + t->given->n_shapes;
        return OX_OK;
}

/* An element as text; "" if it is not a number. */
static const char *element_text(struct arena *arena, struct scalar element)
{
        if (element.kind == SCALAR_FLOAT)
                return arena_printf(arena, "%.17g", element.f);
        return element.kind == SCALAR_INT ? arena_printf(arena, "%lld", (long long)element.d.val) : "";
}

/* A tensor gives an input its elements, and its shape unless another one is given. */
static enum ox_code take_input_value(struct taking *t, const OnnxTensor *given, struct ox_input_shape *ret_shape,
                                     struct ox_input_content *ret)
{
        struct arena *arena = ox_context_arena(t->context);
        struct value value = {.type = type_unknown};
        size_t dropped = 0;
        struct builder b;

        if (!given->name || !given->name[0])
                return message_fail_at(&t->fault, "name", "a tensor must name an input");
        builder_init(&b, arena, NULL, NULL, ox_context_limits(t->context)); /* a tensor has neither names nor symbols */
        if (build_given_tensor(&b, (struct build_subject){"tensor", given->name}, given, &value, &dropped) != OX_OK)
                return message_fail(&t->fault, "%s", b.error);
        if (!value.content)
                return message_fail(&t->fault,
                                    "tensor %.100s must have elements, numbers of which there are not too many",
                                    given->name);
        const struct content *content = content_read(value.content);
        const char **dims = arena_new_array(arena, const char *, value.type.rank);
        const char **elements = arena_new_array(arena, const char *, content->count);

        for (int d = 0; d < value.type.rank; d++)
                dims[d] = arena_printf(arena, "%lld", (long long)value.type.dim[d].val);
        for (size_t i = 0; i < content->count; i++)
                elements[i] = element_text(arena, content_at(content, i));
        *ret_shape = (struct ox_input_shape){.input = given->name, .dim = dims, .rank = (size_t)value.type.rank};
        *ret = (struct ox_input_content){.input = given->name, .element = elements, .count = content->count};
        return OX_OK;
}

static enum ox_code take_input_values(struct taking *t, struct ox_input_shape *shapes)
{
        const Shaped__V1__InferOptions *g = t->given;
        struct ox_input_content *contents =
                arena_new_array(ox_context_arena(t->context), struct ox_input_content, g->n_input_values);

        for (size_t i = 0; i < g->n_input_values; i++) {
                enum ox_code code = take_input_value(t, g->input_values[i], &shapes[i], &contents[i]);

                if (code == OX_OK)
                        continue;
                message_fault_within_element(&t->fault, "input_values", i);
                return code;
        }
        t->ret->n_shape += g->n_input_values;
        t->ret->content = contents;
        t->ret->n_content = g->n_input_values;
        return OX_OK;
}

/* An answer that leaves out what was asked for would mislead. */
static enum ox_code refuse_costs(struct taking *t)
{
        if (!t->given->costs)
                return OX_OK;
        message_fail_at(&t->fault, "costs", "this daemon does not have the option yet");
        return OX_UNIMPLEMENTED;
}

static enum ox_code take_operators(struct taking *t)
{
        const char *text = t->given->operators;
        int64_t most = ox_context_limits(t->context)->operators_bytes;

        if (!text)
                return OX_OK;
        if (strlen(text) > (uint64_t)most)
                return message_fail_at(&t->fault, "operators", "must have at most %lld bytes", (long long)most);
        if (ox_context_operators(t->context, text, strlen(text), t->ret) == OX_OK)
                return OX_OK;
        return message_fail_at(&t->fault, "operators", "%s", ox_context_error(t->context));
}

static enum ox_code take(struct taking *t)
{
        static const enum ox_values values[] = {
                [SHAPED__V1__VALUE_SELECTION__INFERRED] = OX_VALUES_INFERRED,
                [SHAPED__V1__VALUE_SELECTION__OUTPUTS] = OX_VALUES_OUTPUTS,
                [SHAPED__V1__VALUE_SELECTION__UNKNOWN] = OX_VALUES_UNKNOWN,
                [SHAPED__V1__VALUE_SELECTION__ALL] = OX_VALUES_ALL,
        };

        struct ox_input_shape *more_shapes = NULL;

        if (t->given->has_values && (unsigned)t->given->values >= sizeof(values) / sizeof(values[0]))
                return message_fail_at(&t->fault, "values", "must be a number of the enum ValueSelection, got %d",
                                       (int)t->given->values);
        t->ret->strict = t->given->strict;
        t->ret->check_types = t->given->check_types;
        t->ret->ignore_declared = t->given->ignore_declared;
        t->ret->no_assumptions = t->given->no_assumptions;
        t->ret->values = t->given->has_values ? values[t->given->values] : OX_VALUES_INFERRED;
        t->ret->nodes = t->given->nodes;
        t->ret->sizes = t->given->sizes;
        t->ret->explain = (const char *const *)t->given->explain;
        t->ret->n_explain = t->given->n_explain;
        TRY(take_operators(t));
        TRY(take_bindings(t));
        TRY(take_shapes(t, &more_shapes));
        TRY(take_input_values(t, more_shapes));
        return refuse_costs(t);
}

static enum ox_code run_take(void *user)
{
        struct taking *t = user;
        enum ox_code code = take(t);

        if (code != OX_OK)
                message_fault_within(&t->fault, "options");
        return code;
}

enum ox_code options_take(const struct service *service, struct ox_context *context,
                          const Shaped__V1__InferOptions *given, struct ox_options *ret,
                          struct message_fault *ret_fault)
{
        struct taking t = {.context = context, .given = given, .ret = ret, .fault = {.field = ""}};
        enum ox_code code = OX_OK;

        *ret = (struct ox_options){
                .values = OX_VALUES_INFERRED,
                .seed = service->seed,
                .operators = service->operators,
                .n_operators = service->n_operators,
        };
        if (given)
                code = ox_context_run(context, run_take, &t);
        *ret_fault = t.fault;
        return code;
}
