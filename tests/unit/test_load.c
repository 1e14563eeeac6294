#include "model/load.h"

#include <stdio.h>

#include "model/skim.h"
#include "model_proto.h"
#include "unit.h"
#include "wire_builder.h"

enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, TENSOR_NAME = 8, TENSOR_RAW = 9, NODE_ATTRIBUTE = 5 };

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

static const uint8_t three[] = {2, 3, 0x96, 0x01}; /* varints */

/* Fields of an attribute by letters: capitals are messages, and numbers that are packed. */
static const struct attribute_field {
        char letter;
        enum wire_type type;
        uint32_t number;
        int64_t value;
        const void *bytes;
        size_t size;
} attribute_fields[] = {
        {'n', WIRE_LENGTH, 1, 0, "axis", 4},
        {'f', WIRE_I32, 2, 0x3fc00000, NULL, 0},
        {'i', WIRE_VARINT, 3, -7, NULL, 0},
        {'s', WIRE_LENGTH, 4, 0, "text", 4},
        {'e', WIRE_LENGTH, 4, 0, NULL, 0},
        {'T', WIRE_LENGTH, 5, 0,
         "\x10\x01\x0a\x04\x02\x03\x96\x01\x42\x01t\x4a\x04"
         "data",
         17},
        {'G', WIRE_LENGTH, 6, 0, NULL, 0},
        {'F', WIRE_LENGTH, 7, 0, "\0\0\0\0\0\0\0\0", 8},
        {'g', WIRE_I32, 7, 0x3fc00000, NULL, 0},
        {'I', WIRE_LENGTH, 8, 0, three, sizeof(three)},
        {'j', WIRE_VARINT, 8, 300, NULL, 0},
        {'S', WIRE_LENGTH, 9, 0, NULL, 0},
        {'K', WIRE_LENGTH, 10, 0, NULL, 0},
        {'L', WIRE_LENGTH, 11, 0, NULL, 0},
        {'d', WIRE_LENGTH, 13, 0, "what it is for", 14},
        {'P', WIRE_LENGTH, 14, 0, NULL, 0},
        {'Q', WIRE_LENGTH, 15, 0, NULL, 0},
        {'t', WIRE_VARINT, 20, 2, NULL, 0},
        {'u', WIRE_VARINT, 20, 1000, NULL, 0},
        {'r', WIRE_LENGTH, 21, 0, "of the function", 15},
        {'Y', WIRE_LENGTH, 22, 0, NULL, 0},
        {'Z', WIRE_LENGTH, 23, 0, NULL, 0},
};

#define ATTRIBUTE_FIELDS (sizeof(attribute_fields) / sizeof(*attribute_fields))

static void put_attribute_field(struct bytes *b, char letter)
{
        const struct attribute_field *field = attribute_fields;

        while (field->letter != letter)
                field++;
        if (field->type == WIRE_LENGTH)
                put_bytes(b, field->number, field->bytes, field->size);
        else if (field->type == WIRE_I32)
                put_fixed32(b, field->number, (uint32_t)field->value);
        else
                put_int(b, field->number, field->value);
}

/* NULL: it is refused. */
static struct model *load_by(struct arena *arena, struct loader *loader, const struct bytes *bytes)
{
        const struct skim_sink sink = {loader_read, loader_take, loader_settle, loader};
        struct ox_limits limits;
        const uint8_t *kept;
        const char *error;
        struct model *model;
        size_t size;

        ox_limits_default(&limits);
        struct skimmer *skimmer = skim_new(arena, &limits, loader ? &sink : NULL);

        skim_feed(skimmer, bytes->at, bytes->size);
        if (skim_end(skimmer, &kept, &size) != OX_OK)
                return NULL;
        ck_assert_int_eq(model_load(arena, kept, size, loader, &model, &error), OX_OK);
        return model;
}

/* A node with an attribute of these fields, read at once and by protobuf-c, which must be the same. NULL: both refuse
   it, since a message is there twice. */
static const struct model_attribute *read_attribute(struct arena *arena, const char *fields)
{
        struct bytes bytes = {0};
        size_t size, wanted_size;

        for (const char *letter = fields; *letter; letter++)
                put_attribute_field(&bytes, *letter);
        wrap(&bytes, NODE_ATTRIBUTE);
        wrap(&bytes, GRAPH_NODE);
        wrap(&bytes, MODEL_GRAPH);
        const struct model *model = load_by(arena, loader_new(arena, 0), &bytes);
        const struct model *wanted = load_by(arena, NULL, &bytes);

        drop_bytes(&bytes);
        ck_assert((model == NULL) == (wanted == NULL));
        if (model == NULL)
                return NULL;
        const uint8_t *at = model_serialize(model, &size), *wanted_at = model_serialize(wanted, &wanted_size);

        ck_assert_msg(size == wanted_size && memcmp(at, wanted_at, size) == 0, "%s is read otherwise", fields);
        return node_attribute(graph_nodes(model->proto->graph)->first, 0);
}

START_TEST(reads_attributes_as_protobuf_c_does)
{
        char fields[4] = "";

        for (size_t a = 0; a < ATTRIBUTE_FIELDS; a++) {
                for (size_t b = 0; b < 4 * ATTRIBUTE_FIELDS; b++) {
                        struct arena *arena = arena_new((size_t)1 << 20);

                        fields[0] = attribute_fields[a].letter;
                        fields[1] = attribute_fields[b / 4].letter;
                        fields[2] = "\0nti"[b % 4];
                        read_attribute(arena, fields);
                        arena_free(arena);
                }
        }
}
END_TEST

START_TEST(holds_what_attributes_say)
{
        struct arena *arena = arena_new((size_t)1 << 20);
        const struct model_attribute *one = read_attribute(arena, "njjjt"), *several = read_attribute(arena, "Tifg");
        const struct model_attribute *none = read_attribute(arena, "nu");
        const struct model_tensor *tensor = attribute_tensor(several);

        ck_assert_str_eq(one->name, "axis");
        ck_assert_int_eq(one->type, HELD_INT);
        ck_assert_int_eq(one->held, HELD_INTS);
        ck_assert_uint_eq(one->count, 3);
        ck_assert_int_eq(one->ints[2], 300);
        ck_assert_int_eq(attribute_int(one), 0);
        ck_assert_str_eq(several->name, "");
        ck_assert_int_eq(several->held, HELD_SEVERAL);
        ck_assert_int_eq(attribute_int(several), -7);
        ck_assert(attribute_float(several) == 1.5F);
        ck_assert_uint_eq(attribute_count(several, HELD_FLOATS), 1);
        ck_assert(tensor != NULL && tensor->n_dim == 3 && tensor->dim[2].val == 150);
        ck_assert_ptr_null(attribute_graph(several));
        ck_assert_int_eq(none->type, TYPE_OF_NO_VALUE);
        ck_assert_int_eq(none->held, HELD_UNDEFINED);
        arena_free(arena);
}
END_TEST

UNIT_MAIN("load", takes_a_graph_with_opsets, takes_old_models_without_opsets, refuses_what_is_no_model,
          tells_when_memory_runs_out, reads_raw_data_where_it_stands, parses_later_what_is_put_aside,
          reads_attributes_as_protobuf_c_does, holds_what_attributes_say);
