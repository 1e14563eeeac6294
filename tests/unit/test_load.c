#include "model/load.h"

#include <stdio.h>

#include "model/skim.h"
#include "unit.h"
#include "wire_builder.h"

enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { GRAPH_INITIALIZER = 5, TENSOR_NAME = 8, TENSOR_RAW = 9 };

struct load {
        struct arena *arena;
        enum ox_code code;
        struct model *model;
        const char *error;
};

/* Takes the bytes. */
static struct load load(struct bytes *bytes, size_t arena_bytes)
{
        struct load load = {.arena = arena_new(arena_bytes)};

        ck_assert_ptr_nonnull(load.arena);
        load.code = model_load(load.arena, bytes->at, bytes->size, NULL, &load.model, &load.error);
        drop_bytes(bytes);
        return load;
}

static void refuses(struct bytes *bytes, enum ox_code code, const char *text)
{
        struct load loaded = load(bytes, (size_t)1 << 20);

        ck_assert_int_eq(loaded.code, code);
        ck_assert_ptr_null(loaded.model);
        ck_assert_msg(strstr(loaded.error, text) != NULL, "wanted '%s', got '%s'", text, loaded.error);
        arena_free(loaded.arena);
}

static void put_empty(struct bytes *b, uint32_t number)
{
        struct bytes empty = {0};

        put_message(b, number, &empty);
}

START_TEST(takes_a_graph_with_opsets)
{
        struct bytes bytes = {0}, opset = {0};

        put_int(&bytes, MODEL_IR, 8);
        put_empty(&bytes, MODEL_GRAPH);
        put_int(&opset, 2, 17);
        put_message(&bytes, MODEL_OPSET, &opset);
        struct load loaded = load(&bytes, (size_t)1 << 20);

        ck_assert_int_eq(loaded.code, OX_OK);
        ck_assert_int_eq(loaded.model->proto->ir_version, 8);
        ck_assert_int_eq(loaded.model->proto->opset_import[0]->version, 17);
        arena_free(loaded.arena);
}
END_TEST

/* IR.md: opset_import came with IR version 3. */
START_TEST(takes_old_models_without_opsets)
{
        for (int ir = -1; ir < 3; ir++) {
                struct bytes bytes = {0};

                if (ir >= 0)
                        put_int(&bytes, MODEL_IR, ir);
                put_empty(&bytes, MODEL_GRAPH);
                struct load loaded = load(&bytes, (size_t)1 << 20);

                ck_assert_int_eq(loaded.code, OX_OK);
                arena_free(loaded.arena);
        }
}
END_TEST

START_TEST(refuses_what_is_no_model)
{
        struct bytes bytes = {0};

        refuses(&bytes, OX_INVALID_ARGUMENT, "not a model: the body is empty");
        put_raw(&bytes, "not a model", 11);
        refuses(&bytes, OX_INVALID_ARGUMENT, "not a ModelProto");
        put_text(&bytes, MODEL_PRODUCER, "someone");
        refuses(&bytes, OX_INVALID_ARGUMENT, "has no graph");
        put_int(&bytes, MODEL_IR, 3);
        put_empty(&bytes, MODEL_GRAPH);
        refuses(&bytes, OX_INVALID_ARGUMENT, "has no opset_import, which IR version 3 needs");
}
END_TEST

START_TEST(tells_when_memory_runs_out)
{
        struct bytes bytes = {0};

        for (int i = 0; i < 10000; i++)
                put_text(&bytes, 1, "a node");
        wrap(&bytes, MODEL_GRAPH);
        struct load loaded = load(&bytes, 100000);

        ck_assert_int_eq(loaded.code, OX_RESOURCE_EXHAUSTED);
        ck_assert_ptr_nonnull(strstr(loaded.error, "arena_bytes"));
        arena_free(loaded.arena);
}
END_TEST

/* A tensor's fields one after the other: 'n' its name, 'r' raw_data, 'e' raw_data that is empty. */
static void put_tensor(struct bytes *graph, const char *fields)
{
        struct bytes tensor = {0};

        for (; *fields; fields++)
                put_text(&tensor, *fields == 'n' ? TENSOR_NAME : TENSOR_RAW, *fields == 'e' ? "" : "abcd");
        put_message(graph, GRAPH_INITIALIZER, &tensor);
}

static bool is_within(const struct bytes *bytes, const void *at)
{
        return (uintptr_t)at >= (uintptr_t)bytes->at && (uintptr_t)at <= (uintptr_t)bytes->at + bytes->size;
}

/* Whether each tensor's raw_data stands in the model's bytes, which are fed in two parts of which the first has `first`
   bytes. */
static void check_where(const char *const *tensors, size_t count, size_t first, bool stay, const bool *stands)
{
        struct arena *arena = arena_new((size_t)1 << 20);
        struct loader *loader = loader_new(arena, 0);
        struct skim_sink sink = {loader_read, loader_take, loader_settle, loader};
        struct bytes bytes = {0};
        struct ox_limits limits;
        const uint8_t *kept;
        const char *error;
        struct model *model;
        size_t size;

        for (size_t i = 0; i < count; i++)
                put_tensor(&bytes, tensors[i]);
        wrap(&bytes, MODEL_GRAPH);
        ox_limits_default(&limits);
        struct skimmer *skimmer = skim_new(arena, &limits, &sink);

        loader_bytes_stay(loader, stay);
        ck_assert_int_eq(skim_feed(skimmer, bytes.at, first), OX_OK);
        ck_assert_int_eq(skim_feed(skimmer, bytes.at + first, bytes.size - first), OX_OK);
        ck_assert_int_eq(skim_end(skimmer, &kept, &size), OX_OK);
        ck_assert_int_eq(model_load(arena, kept, size, loader, &model, &error), OX_OK);
        ck_assert_uint_eq(graph_initializers(model->proto->graph)->count, count);
        const struct model_tensor *tensor = graph_initializers(model->proto->graph)->first;

        for (size_t i = 0; i < count; i++, tensor = tensor->next) {
                size_t length = strchr(tensors[i], 'e') ? 0 : 4;

                ck_assert(tensor->has_raw);
                ck_assert_uint_eq(tensor->n_data, length);
                if (length)
                        ck_assert_mem_eq(tensor->data, "abcd", length);
                ck_assert_int_eq(is_within(&bytes, tensor->data), stands[i]);
                ck_assert_str_eq(str_text(model->names.strings, tensor->name), strchr(tensors[i], 'n') ? "abcd" : "");
        }
        drop_bytes(&bytes);
        arena_free(arena);
}

START_TEST(reads_raw_data_where_it_stands)
{
        static const char *const tensors[] = {"nr", "rn", "r", "rrr", "rnr", "ne", "nr"};
        static const bool all[] = {true, true, true, true, true, false, true};
        static const bool cut[] = {false, true, true, true, true, false, true};
        static const bool none[7] = {0};

        check_where(tensors, 7, 0, true, all);
        check_where(tensors, 7, 0, false, none);
        /* A message that is cut in two is put together elsewhere. */
        check_where(tensors, 7, 8, true, cut);
}
END_TEST

/* What is put aside is parsed in the end, in its order; what cannot be parsed is told then. */
START_TEST(parses_later_what_is_put_aside)
{
        struct arena *arena = arena_new((size_t)1 << 20);
        struct loader *loader = loader_new(arena, 0);
        static const uint8_t bad[] = {0x0a, 0x7f}; /* a text of 127 bytes, of which there are none */
        struct bytes empty = {0}, graph = {0};
        char name[16];
        const char *error;
        struct model *model;

        loader_defer(loader, arena_used(arena) + 500);
        for (int i = 0; i < 100; i++) {
                struct bytes tensor = {0};

                snprintf(name, sizeof(name), "t%d", i);
                put_text(&tensor, TENSOR_NAME, name);
                ck_assert_int_eq(loader_take(loader, GRAPH_INITIALIZER, tensor.at, tensor.size, false), OX_OK);
                drop_bytes(&tensor);
        }
        put_message(&graph, MODEL_GRAPH, &empty);
        ck_assert_int_eq(model_load(arena, graph.at, graph.size, loader, &model, &error), OX_OK);
        ck_assert_uint_eq(graph_initializers(model->proto->graph)->count, 100);
        const struct model_tensor *tensor = graph_initializers(model->proto->graph)->first;

        for (int i = 0; i < 100; i++, tensor = tensor->next) {
                snprintf(name, sizeof(name), "t%d", i);
                ck_assert_str_eq(str_text(model->names.strings, tensor->name), name);
        }
        loader = loader_new(arena, 0);
        ck_assert_int_eq(loader_take(loader, GRAPH_INITIALIZER, bad, sizeof(bad), false), OX_INVALID_ARGUMENT);
        loader_defer(loader, 0);
        ck_assert_int_eq(loader_take(loader, GRAPH_INITIALIZER, bad, sizeof(bad), false), OX_OK);
        ck_assert_int_eq(model_load(arena, graph.at, graph.size, loader, &model, &error), OX_INVALID_ARGUMENT);
        ck_assert_msg(strstr(error, "GraphProto.initializer") != NULL, "got '%s'", error);
        drop_bytes(&graph);
        arena_free(arena);
}
END_TEST

UNIT_MAIN("load", takes_a_graph_with_opsets, takes_old_models_without_opsets, refuses_what_is_no_model,
          tells_when_memory_runs_out, reads_raw_data_where_it_stands, parses_later_what_is_put_aside);
