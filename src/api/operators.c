/* Operators that a caller declares. */
#include "shape.h"

#include <stdlib.h>

#include "api/internal.h"
#include "base/arena.h"
#include "base/bounds.h"
#include "engine.h"
#include "ops/custom/custom.h"

/* By itself, so that what it comes back to has no variables but these. */
static void read_guarded(struct ox_operators *operators, const char *text, size_t size)
{
        struct arena_guard guard;

        arena_set_guard(operators->arena, &guard);
        if (setjmp(guard.jump) == 0)
                custom_read(operators->arena, text, size, operators);
        arena_set_guard(operators->arena, NULL);
}

struct ox_operators *ox_operators_new(const char *text, size_t size)
{
        struct ox_operators *operators = calloc(1, sizeof(*operators));
        struct arena *arena = operators ? arena_new(CUSTOM_BYTES) : NULL;

        if (!arena) {
                free(operators);
                return NULL;
        }
        operators->arena = arena;
        operators->error = "the text declares more than there is room for";
        read_guarded(operators, text, size);
        return operators;
}

struct reading {
        struct ox_context *context;
        const char *text;
        size_t size;
        struct ox_options *options;
};

static enum ox_code run_read(void *user)
{
        struct reading *reading = user;
        struct arena *arena = reading->context->arena;
        struct ox_options *options = reading->options;
        struct ox_operators *read = arena_new_zero(arena, struct ox_operators);
        const struct ox_operators **all = arena_alloc(arena, (options->n_operators + 1) * sizeof(*all));

        custom_read(arena, reading->text, reading->size, read);
        if (read->error[0])
                return context_fail(reading->context, OX_INVALID_ARGUMENT, "operators: %s", read->error);
        all[0] = read;
        for (size_t i = 0; i < options->n_operators; i++)
                all[i + 1] = options->operators[i];
        options->operators = all;
        options->n_operators++;
        return OX_OK;
}

enum ox_code ox_context_operators(struct ox_context *context, const char *text, size_t size, struct ox_options *options)
{
        return ox_context_run(context, run_read, &(struct reading){context, text, size, options});
}

const char *ox_operators_error(const struct ox_operators *operators)
{
        return operators->error;
}

size_t ox_operators_count(const struct ox_operators *operators)
{
        return operators->n_row;
}

void ox_operators_free(struct ox_operators *operators)
{
        if (!operators)
                return;
        arena_free(operators->arena);
        free(operators);
}
