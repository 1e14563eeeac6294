/* Contexts and models through shape.h: which errors stay, what may be asked twice, and what is set in the end. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "wire_builder.h"

enum { MODEL_IR = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, GRAPH_NODE = 1, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };

#define SET ((const struct ox_result *)1) /* what a call must not leave as it is */

static void put_value(struct bytes *graph, uint32_t number, const char *name, const char *symbol)
{
        struct bytes value = {0}, type = {0}, dim = {0}, shape = {0};

        put_text(&dim, 2, symbol);
        put_message(&shape, 1, &dim);
        put_int(&type, 1, 1);
        put_message(&type, 2, &shape);
        wrap(&type, 1);
        put_text(&value, 1, name);
        put_message(&value, 2, &type);
        put_message(graph, number, &value);
}

/* x, of shape [N], through a chain of `count` nodes of an operator: x -> t1 -> t2 ... */
static struct bytes chain(const char *op, int count)
{
        struct bytes model = {0}, graph = {0}, opset = {0};
        char from[16] = "x", to[16];

        put_value(&graph, GRAPH_INPUT, "x", "N");
        for (int i = 1; i <= count; i++) {
                struct bytes node = {0};

                snprintf(to, sizeof(to), "t%d", i);
                put_text(&node, 1, from);
                put_text(&node, 2, to);
                put_text(&node, 4, op);
                put_message(&graph, GRAPH_NODE, &node);
                memcpy(from, to, sizeof(to));
        }
        put_value(&graph, GRAPH_OUTPUT, from, "N");
        put_int(&opset, 2, 17);
        put_int(&model, MODEL_IR, 8);
        put_message(&model, MODEL_OPSET, &opset);
        put_message(&model, MODEL_GRAPH, &graph);
        return model;
}

static void says(const struct ox_context *context, const char *text)
{
        ck_assert_msg(strstr(ox_context_error(context), text) != NULL, "wanted '%s', got '%s'", text,
                      ox_context_error(context));
}

START_TEST(infers_twice_and_after_a_reset)
{
        struct ox_context *context = ox_context_new(NULL);
        struct bytes model = chain("Relu", 3);

        for (int round = 0; round < 3; round++) {
                const struct ox_result *first, *second;

                ck_assert_int_eq(ox_infer_model(context, model.at, model.size, NULL, &first), OX_OK);
                ck_assert_int_eq(ox_model_infer(context, NULL, &second), OX_OK);
                ck_assert_uint_eq(first->n_value, 4);
                ck_assert_uint_eq(second->n_value, 4);
                ck_assert_str_eq(dim_text(first->dims, result_at(first, 3)->value.type.dim[0]), "N");
                ck_assert_str_eq(dim_text(second->dims, result_at(second, 3)->value.type.dim[0]), "N");
                ck_assert_uint_eq(second->model.bytes, model.size);
                ck_assert_str_eq(ox_context_error(context), "");
                ox_context_reset(context, round * 100000);
        }
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

START_TEST(a_budget_that_was_too_small_is_no_fault_of_the_model)
{
        struct ox_context *context = ox_context_new(NULL);
        const struct ox_options small = {.work_budget = 2};
        struct bytes model = chain("Relu", 3);
        const struct ox_result *result = SET;

        ck_assert_int_eq(ox_infer_model(context, model.at, model.size, &small, &result), OX_ABORTED);
        ck_assert_ptr_null(result);
        says(context, "more than 2 nodes");
        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_OK);
        ck_assert_uint_eq(result->n_value, 4);
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

START_TEST(bytes_that_are_no_model_stay_at_fault)
{
        struct ox_context *context = ox_context_new(NULL);
        struct bytes model = chain("Relu", 1);
        const struct ox_result *result = SET;
        char text[200];

        ck_assert_int_eq(ox_infer_model(context, "\xff\xff\xff\xff", 4, NULL, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(result);
        snprintf(text, sizeof(text), "%s", ox_context_error(context));
        ck_assert_str_ne(text, "");
        ck_assert_int_eq(ox_model_feed(context, model.at, model.size), OX_INVALID_ARGUMENT);
        says(context, text);
        result = SET;
        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(result);
        says(context, text);
        ox_context_reset(context, 0);
        ck_assert_str_eq(ox_context_error(context), "");
        ck_assert_int_eq(ox_infer_model(context, model.at, model.size, NULL, &result), OX_OK);
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

START_TEST(nothing_is_no_model)
{
        struct ox_context *context = ox_context_new(NULL);
        const struct ox_result *result = SET;

        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(result);
        says(context, "not a model");
        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_INVALID_ARGUMENT);
        says(context, "not a model");
        ox_context_reset(context, 0);
        result = SET;
        ck_assert_int_eq(ox_infer_model(context, "", 0, NULL, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(result);
        ox_context_free(context);
}
END_TEST

START_TEST(a_model_cut_short_is_told)
{
        struct ox_context *context = ox_context_new(NULL);
        struct bytes model = chain("Relu", 2);

        for (size_t size = 1; size < model.size; size++) {
                const struct ox_result *result = SET;

                ox_context_reset(context, SIZE_MAX);
                if (ox_infer_model(context, model.at, size, NULL, &result) == OX_OK) {
                        ck_assert_ptr_nonnull(result);
                        continue;
                }
                ck_assert_ptr_null(result);
                ck_assert_str_ne(ox_context_error(context), "");
        }
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

START_TEST(a_model_that_was_inferred_takes_no_more_bytes)
{
        struct ox_context *context = ox_context_new(NULL);
        struct bytes model = chain("Relu", 1);
        const struct ox_result *result;

        ck_assert_int_eq(ox_infer_model(context, model.at, model.size, NULL, &result), OX_OK);
        ck_assert_int_eq(ox_model_feed(context, model.at, model.size), OX_FAILED_PRECONDITION);
        says(context, "complete");
        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_OK);
        ck_assert_uint_eq(result->n_value, 2);
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

START_TEST(strict_says_why_and_still_has_the_result)
{
        struct ox_context *context = ox_context_new(NULL);
        const struct ox_options strict = {.strict = true};
        struct bytes model = chain("Conv", 1);
        const struct ox_result *result = SET;

        ck_assert_int_eq(ox_infer_model(context, model.at, model.size, &strict, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(result);
        ck_assert_uint_eq(result->summary.errors, 1);
        says(context, "Conv");
        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_OK);
        ck_assert_uint_eq(result->summary.errors, 1);
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

/* x, of shape [N], and `count` nodes NonZero that each make a symbol of their own, then one that adds their sizes up.
 */
static struct bytes many_symbols(int count)
{
        struct bytes model = {0}, graph = {0}, opset = {0}, concat = {0}, axis = {0};
        char name[16];

        put_value(&graph, GRAPH_INPUT, "x", "N");
        for (int i = 0; i < count; i++) {
                struct bytes node = {0};

                /* Nodes that take the same input would give the same output. */
                put_text(&node, 1, i ? name : "x");
                snprintf(name, sizeof(name), "z%d", i);
                put_text(&node, 2, name);
                put_text(&node, 4, "NonZero");
                put_message(&graph, GRAPH_NODE, &node);
                put_text(&concat, 1, name);
        }
        put_text(&concat, 2, "all");
        put_text(&concat, 4, "Concat");
        put_text(&axis, 1, "axis");
        put_int(&axis, 3, 1);
        put_int(&axis, 20, 2);
        put_message(&concat, 5, &axis);
        put_message(&graph, GRAPH_NODE, &concat);
        put_int(&opset, 2, 17);
        put_int(&model, MODEL_IR, 8);
        put_message(&model, MODEL_OPSET, &opset);
        put_message(&model, MODEL_GRAPH, &graph);
        return model;
}

/* Their marks grow with them, also where sums past the limit on terms make more. */
START_TEST(every_symbol_that_appears_is_listed_once)
{
        struct ox_limits limits;
        struct bytes model = many_symbols(700);
        const struct ox_result *result;

        ox_limits_default(&limits);
        for (limits.expression_terms = 2; limits.expression_terms <= 1024; limits.expression_terms *= 8) {
                struct ox_context *context = ox_context_new(&limits);

                ck_assert_int_eq(ox_infer_model(context, model.at, model.size, NULL, &result), OX_OK);
                ck_assert_uint_eq(result->n_value, 702);
                ck_assert_uint_ge(result->n_symbol, 701);
                ck_assert_str_eq(result->symbol[0].name, "N");
                ck_assert_str_eq(result->symbol[700].name, "NonZero_700");
                for (size_t i = 1; i < result->n_symbol; i++)
                        ck_assert_str_ne(result->symbol[i - 1].name, result->symbol[i].name);
                ox_context_free(context);
        }
        drop_bytes(&model);
}
END_TEST

/* With any amount of memory, inference ends in a result, or in an error that says so. */
START_TEST(memory_may_end_anywhere)
{
        struct bytes model = chain("Relu", 20);
        struct ox_limits limits;
        int failures = 0;

        ox_limits_default(&limits);
        for (limits.arena_bytes = 0; limits.arena_bytes < 200000; limits.arena_bytes += 1000) {
                struct ox_context *context = ox_context_new(&limits);
                const struct ox_result *result = SET;
                enum ox_code code = ox_infer_model(context, model.at, model.size, NULL, &result);

                ck_assert(code == OX_OK ? result != NULL : result == NULL);
                ck_assert(code == OX_OK || code == OX_RESOURCE_EXHAUSTED);
                if (code == OX_RESOURCE_EXHAUSTED) {
                        failures++;
                        says(context, "arena_bytes");
                        ck_assert_int_eq(ox_model_infer(context, NULL, &result), OX_RESOURCE_EXHAUSTED);
                        says(context, "arena_bytes");
                }
                ox_context_free(context);
        }
        ck_assert_int_gt(failures, 0);
        ck_assert_int_lt(failures, 200);
        drop_bytes(&model);
}
END_TEST

START_TEST(what_was_asked_for_besides_can_be_read)
{
        struct ox_context *context = ox_context_new(NULL);
        const char *const why[] = {"t2", "x"};
        const struct ox_options options = {.ignore_declared = true, .sizes = true, .explain = why, .n_explain = 2};
        struct bytes model = chain("NonZero", 2);
        const struct ox_result *result;
        const struct ox_symbol *symbol;
        const struct ox_size *size;
        struct ox_explanation told;
        size_t count;

        ck_assert_int_eq(ox_infer_model(context, model.at, model.size, &options, &result), OX_OK);
        symbol = ox_result_symbols(result, &count);
        ck_assert_uint_eq(count, 3);
        ck_assert_str_eq(symbol[1].name, "NonZero_1");
        ck_assert_str_eq(symbol[1].max.text, "N");
        ck_assert(symbol[1].min.is_number && symbol[1].min.number == 0);
        size = ox_result_sizes(result, &count);
        ck_assert_uint_eq(count, 1);
        ck_assert_str_eq(size->symbol, "N");
        ck_assert(size->is_complete && !size->is_tied);
        ck_assert_uint_eq(size->n_range, 1);
        ck_assert_int_eq(size->range[0].from, 0);
        ck_assert(size->range[0].to == INT64_MAX);
        ox_result_tied_sizes(result, &count);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(ox_result_explanation(context, result, 0, &told), OX_OK);
        ck_assert_str_eq(told.value, "t2");
        ck_assert_uint_eq(told.n_step, 2);
        ck_assert_str_eq(told.step[0].value, "t2");
        ck_assert_str_eq(told.step[0].op, "NonZero");
        ck_assert_int_eq(told.step[0].node_index, 1);
        ck_assert_ptr_nonnull(strstr(told.step[0].text, "NonZero_2"));
        ck_assert_int_eq(ox_result_explanation(context, result, 1, &told), OX_OK);
        ck_assert_uint_eq(told.n_step, 0);
        ck_assert_str_eq(told.decide, "");
        ck_assert_int_eq(ox_result_explanation(context, result, 2, &told), OX_OUT_OF_RANGE);
        ck_assert_str_eq(told.value, "");
        says(context, "there are 2 explanations");
        drop_bytes(&model);
        ox_context_free(context);
}
END_TEST

UNIT_MAIN("shape_model", infers_twice_and_after_a_reset, a_budget_that_was_too_small_is_no_fault_of_the_model,
          bytes_that_are_no_model_stay_at_fault, nothing_is_no_model, a_model_cut_short_is_told,
          a_model_that_was_inferred_takes_no_more_bytes, strict_says_why_and_still_has_the_result,
          every_symbol_that_appears_is_listed_once, what_was_asked_for_besides_can_be_read, memory_may_end_anywhere);
