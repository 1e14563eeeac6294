/* A node of any operator, from a row of tests/cases (a line that begins the input) or chosen by the bytes, and answers
   that must hold together: twice the same request gives the same answer whatever the seed of the hash tables; and what
   is said where sizes and elements are symbols or not known holds for every number that they may be. */
#include <setjmp.h>
#include <string.h>

#include "answer.h"

#define ROUNDS       3
#define CONTEXT_KEEP ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTEXT_SUBJECT, CONTEXT_WEAK, CONTEXT_AGAIN, CONTEXT_BOUND, CONTEXT_NUMBERS, CONTEXT_GROUND, CONTEXTS };

static void check_twice(struct subject *s, struct ox_context *const *context, const struct answer *weak)
{
        struct answer again;

        if (answer_get(s, context[CONTEXT_AGAIN], s->weak, NULL, s->check_types, 99, &again) &&
            strcmp(weak->json, again.json) != 0) {
                subject_print(s, "first", s->weak, weak->code, weak->result);
                subject_print(s, "then", s->weak, again.code, again.result);
                HOLD(false, "the same request has the same answer: %s\n%s", weak->json, again.json);
        }
}

/* What Reshape takes for granted: a symbol in the target is not 0, which would copy a size of the input, for all models
   that reshape to a size of another tensor mean that size; and there are elements, without which no size that is left
   open can be told from the others. */
static bool is_taken_for_granted(const struct subject *s, const struct value *in)
{
        const struct content *weak, *strong;

        if (strcmp(s->proto->op_type, "Reshape") != 0 || s->n_in < 1)
                return true;
        for (int d = 0; type_is_tensor(&in[0].type) && d < in[0].type.rank; d++)
                if (dim_is(in[0].type.dim[d], 0))
                        return false;
        if (s->n_in < 2)
                return true;
        weak = content_read(s->weak[1].content);
        strong = content_read(in[1].content);
        for (size_t i = 0; weak != NULL && strong != NULL && i < weak->count; i++)
                if (!dim_is_int(content_at(weak, i).d) && dim_is(content_at(strong, i).d, 0))
                        return false;
        return true;
}

/* One assignment of numbers to the symbols. With `natural` numbers the ground is a node that the weaker one covers. */
static void check_round(struct subject *s, struct ox_context *const *context, const struct answer *weak, bool natural)
{
        static const struct assignment nothing = {.count = 0};
        struct value inputs[SUBJECT_INPUTS], ground_inputs[SUBJECT_INPUTS];
        struct assignment assignment;
        struct answer bound, numbers, ground;

        if (!subject_assign(s, natural, &assignment) || !subject_concrete(s, s->weak, &assignment, inputs) ||
            !is_taken_for_granted(s, inputs) ||
            !answer_get(s, context[CONTEXT_NUMBERS], inputs, NULL, true, 0, &numbers))
                return;
        answer_hold(s, &numbers);
        answer_hold_for(s, weak, &assignment, &numbers);
        if (answer_get(s, context[CONTEXT_BOUND], s->weak, &assignment, s->check_types, 0, &bound)) {
                answer_hold(s, &bound);
                answer_hold_for(s, &bound, &assignment, &numbers);
        }
        if (!natural || !subject_concrete(s, s->ground, &assignment, ground_inputs) ||
            !is_taken_for_granted(s, ground_inputs) ||
            !answer_get(s, context[CONTEXT_GROUND], ground_inputs, NULL, true, 0, &ground))
                return;
        answer_hold(s, &ground);
        answer_hold_for(s, weak, &assignment, &ground);
        answer_hold_for(s, &numbers, &nothing, &ground);
}

static void check(struct subject *s, struct ox_context *const *context, const uint8_t *data, size_t size)
{
        const uint8_t *line_end = size > 0 && data[0] > ' ' && data[0] < 0x7f ? memchr(data, '\n', size) : NULL;
        struct answer weak;

        s->arena = ox_context_arena(s->context);
        s->strings = strings_new(s->arena, 0);
        s->dims = dim_table_new(s->arena, s->strings, ox_context_limits(s->context), 0);
        if (line_end != NULL) {
                s->draw = draw_new(line_end + 1, size - (size_t)(line_end + 1 - data));
                if (!subject_row(s, (const char *)data, (size_t)(line_end - data)))
                        return;
        } else {
                s->draw = draw_new(data, size);
                subject_random(s);
        }
        subject_vary(s);
        subject_weaken(s);
        if (!answer_get(s, context[CONTEXT_WEAK], s->weak, NULL, s->check_types, 0, &weak))
                return;
        answer_hold(s, &weak);
        check_twice(s, context, &weak);
        for (int i = 0; i < ROUNDS; i++)
                check_round(s, context, &weak, i < ROUNDS - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static struct ox_context *context[CONTEXTS]; /* used again, as the daemon does */
        struct arena_guard guard;
        struct subject *s = calloc(1, sizeof(*s));
        struct ox_limits limits;

        ox_limits_default(&limits);
        limits.arena_bytes = (int64_t)256 << 20;
        for (int i = 0; i < CONTEXTS; i++)
                if (context[i] == NULL)
                        context[i] = ox_context_new(&limits);
                else
                        ox_context_reset(context[i], CONTEXT_KEEP);
        if (s == NULL)
                return 0;
        s->context = context[CONTEXT_SUBJECT];
        arena_set_guard(ox_context_arena(s->context), &guard);
        if (setjmp(guard.jump) == 0)
                check(s, context, data, size);
        arena_set_guard(ox_context_arena(s->context), NULL);
        free(s);
        return 0;
}
