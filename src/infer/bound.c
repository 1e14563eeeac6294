/* Infers the model once more for each set of sizes that the caller asks for. */
#include "base/bounds.h"
#include "infer/internal.h"

/* A value's name with its scope, as one name. */
static str_id full_name(struct infer *f, const struct result_value *value)
{
        const char *scope = result_scope(value);

        if (!scope[0])
                return value->name;
        return str_intern_z(f->strings, arena_printf(f->arena, "%s\1%s", scope, str_text(f->strings, value->name)));
}

static enum ox_code infer_bound(struct infer *begun, const struct ox_bindings *sizes, struct ox_result **ret,
                                const char **ret_error)
{
        const struct ox_options *given = begun->options;
        struct ox_options options = *given;
        size_t count = given->n_binding + sizes->n_binding;
        struct ox_binding *binding = arena_new_array(begun->arena, struct ox_binding, count);

        for (size_t i = 0; i < count; i++)
                binding[i] = i < given->n_binding ? given->binding[i] : sizes->binding[i - given->n_binding];
        options.binding = binding;
        options.n_binding = count;
        options.values = OX_VALUES_ALL;
        options.n_explain = 0;
        options.sizes = options.nodes = false;
        return infer_whole(begun, &options, ret, ret_error);
}

/* Each value of the answer gets the type of the same value in the other one. */
static void match_values(struct infer *f, const struct ox_result *result, const struct ox_result *bound, size_t column)
{
        struct name_map by_name = {0};

        for (size_t i = 0; i < bound->n_value; i++)
                map_put(f, &by_name, full_name(f, result_at(bound, i)), (uint32_t)i);
        for (size_t i = 0; i < result->n_value; i++) {
                const struct result_value *value = result_at(result, i);
                int64_t at = map_get(&by_name, full_name(f, value));

                value->more->bound[column] = at < 0 ? NULL : &result_at(bound, (size_t)at)->value.type;
        }
}

enum ox_code bound_columns(struct infer *begun, struct ox_result *result, const char **ret_error)
{
        const struct ox_options *options = begun->options;
        struct arena *arena = begun->arena;

        if (!options->n_bindings)
                return OX_OK;
        if (options->n_bindings > COLUMNS_MOST) {
                *ret_error = arena_printf(arena, "bind: at most %d sets of sizes can be given, got %zu",
                                          (int)COLUMNS_MOST, options->n_bindings);
                return OX_INVALID_ARGUMENT;
        }
        const struct ox_result **bound =
                (const struct ox_result **)arena_array(arena, options->n_bindings, sizeof(const struct ox_result *));
        struct ox_result *column = NULL;

        for (size_t i = 0; i < result->n_value; i++) {
                struct result_value *value = result_at(result, i);
                struct result_more *more = arena_new_array(arena, struct result_more, 1);

                *more = *value->more;
                more->bound =
                        (const struct type **)arena_array(arena, options->n_bindings, sizeof(const struct type *));
                value->more = more;
        }
        for (size_t i = 0; i < options->n_bindings; i++) {
                TRY(infer_bound(begun, &options->bindings[i], &column, ret_error));
                match_values(begun, result, column, i);
                bound[i] = column;
        }
        result->bindings = options->bindings;
        result->bound = bound;
        result->n_bound = options->n_bindings;
        return OX_OK;
}
