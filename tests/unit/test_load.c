#include "model/load.h"
#include "model/skim.h"
#include "unit.h"
#include "wire_builder.h"

enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };

struct load {
        struct arena *arena;
        enum ox_code code;
        OnnxModel *model;
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
        ck_assert_int_eq(loaded.model->ir_version, 8);
        ck_assert_int_eq(loaded.model->opset_import[0]->version, 17);
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

        refuses(&bytes, OX_INVALID_ARGUMENT, "there are no bytes");
        put_raw(&bytes, "not a model", 11);
        refuses(&bytes, OX_INVALID_ARGUMENT, "no ModelProto");
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

UNIT_MAIN("load", takes_a_graph_with_opsets, takes_old_models_without_opsets, refuses_what_is_no_model,
          tells_when_memory_runs_out);
