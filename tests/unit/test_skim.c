#include "model/load.h"
#include "model/skim.h"
#include "model_proto.h"
#include "unit.h"
#include "wire_builder.h"

#define MIB ((size_t)1 << 20)

/* Numbers of onnx.proto. */
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_DOC = 6, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_METADATA = 14 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_SPARSE = 15 };
enum { NODE_INPUT = 1, NODE_OP = 4, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_S = 4, ATTRIBUTE_T = 5, ATTRIBUTE_G = 6, ATTRIBUTE_INTS = 8 };
enum {
        TENSOR_DIMS = 1,
        TENSOR_TYPE = 2,
        TENSOR_FLOATS = 4,
        TENSOR_STRINGS = 6,
        TENSOR_INT64S = 7,
        TENSOR_NAME = 8,
        TENSOR_RAW = 9,
        TENSOR_DOUBLES = 10
};

/* -- skimming -- */

struct skim {
        struct ox_limits limits;
        struct arena *arena;
        struct skimmer *skimmer;
        enum ox_code code;
        const uint8_t *at;
        size_t size;
};

static struct skim skim_begin(void)
{
        struct skim skim = {.arena = arena_new(256 * MIB)};

        ox_limits_default(&skim.limits);
        ck_assert_ptr_nonnull(skim.arena);
        return skim;
}

static void skim_done(struct skim *skim)
{
        arena_free(skim->arena);
}

static void skim_to(struct skim *skim, const struct bytes *model, size_t chunk, const struct skim_sink *sink)
{
        /* The chunk has a block of its own, so that the sanitizer sees reads past it, and is spoilt after it is fed. */
        uint8_t *piece = malloc(chunk);

        ck_assert_ptr_nonnull(piece);
        skim->skimmer = skim_new(skim->arena, &skim->limits, sink);
        for (size_t i = 0; i < model->size; i += chunk) {
                size_t size = model->size - i < chunk ? model->size - i : chunk;

                memcpy(piece, model->at + i, size);
                skim_feed(skim->skimmer, piece, size);
                memset(piece, 0xff, size);
        }
        free(piece);
        skim->code = skim_end(skim->skimmer, &skim->at, &skim->size);
}

static void skim_in_chunks(struct skim *skim, const struct bytes *model, size_t chunk)
{
        skim_to(skim, model, chunk, NULL);
}

static const size_t chunks[] = {1, 2, 3, 7, 64 * 1024};
#define N_CHUNKS ((int)(sizeof(chunks) / sizeof(chunks[0])))

static OnnxModel *unpack(struct arena *arena, const uint8_t *at, size_t size)
{
        ProtobufCAllocator allocator;

        arena_allocator(arena, &allocator);
        return shaped__onnx__v1__model_proto__unpack(&allocator, size, at);
}

/* The same as `wanted`, which was kept as a whole, when the main graph's messages are read as they come. Models without
   a graph are not loaded. */
static void loads(const struct bytes *model, size_t chunk, const struct model *wanted, uint64_t dropped)
{
        struct skim skim = skim_begin();
        struct loader *loader = loader_new(skim.arena, 0);
        struct model *parsed;
        const char *error;

        skim_to(&skim, model, chunk, &(struct skim_sink){loader_read, loader_take, loader_settle, loader});
        ck_assert_msg(skim.code == OX_OK, "%s", skim_error(skim.skimmer));
        ck_assert_uint_eq(skim_bytes_dropped(skim.skimmer), dropped);
        if (model_load(skim.arena, skim.at, skim.size, loader, &parsed, &error) == OX_OK) {
                size_t size, wanted_size;
                const uint8_t *bytes = model_serialize(parsed, &size);
                const uint8_t *wanted_bytes = model_serialize(wanted, &wanted_size);

                ck_assert_uint_eq(size, wanted_size);
                ck_assert_mem_eq(bytes, wanted_bytes, size);
        }
        skim_done(&skim);
}

/* What remains of `model`, in chunks of every size, is `wanted`: the same when both are parsed and serialized. Takes
   both. */
static void keeps(struct bytes *model, struct bytes *wanted)
{
        struct skim skim = skim_begin();
        OnnxModel *parsed = unpack(skim.arena, wanted->at, wanted->size);
        size_t size = shaped__onnx__v1__model_proto__get_packed_size(parsed);
        uint8_t *packed = arena_alloc(skim.arena, size), *other = arena_alloc(skim.arena, size);
        struct model *whole = NULL;
        const char *error;

        shaped__onnx__v1__model_proto__pack(parsed, packed);
        for (int i = 0; i < N_CHUNKS; i++) {
                skim_in_chunks(&skim, model, chunks[i]);
                ck_assert_msg(skim.code == OX_OK, "%s", skim_error(skim.skimmer));
                ck_assert_uint_le(skim.size, model->size);
                ck_assert_uint_eq(skim_bytes_seen(skim.skimmer), model->size);
                parsed = unpack(skim.arena, skim.at, skim.size);
                ck_assert_ptr_nonnull(parsed);
                ck_assert_uint_eq(shaped__onnx__v1__model_proto__get_packed_size(parsed), size);
                shaped__onnx__v1__model_proto__pack(parsed, other);
                ck_assert_mem_eq(other, packed, size);
                model_load(skim.arena, skim.at, skim.size, NULL, &whole, &error);
                loads(model, chunks[i], whole, skim_bytes_dropped(skim.skimmer));
        }
        skim_done(&skim);
        drop_bytes(model);
        drop_bytes(wanted);
}

/* Checks that the model is refused, in chunks of every size, with a message that has `text` in it. Takes the model. */
static void refuses_under(const struct ox_limits *limits, struct bytes *model, enum ox_code code, const char *text)
{
        struct skim skim = skim_begin();

        if (limits)
                skim.limits = *limits;
        for (int i = 0; i < N_CHUNKS; i++) {
                skim_in_chunks(&skim, model, chunks[i]);
                ck_assert_msg(strstr(skim_error(skim.skimmer), text) != NULL, "wanted '%s', got '%s'", text,
                              skim_error(skim.skimmer));
                ck_assert_int_eq(skim.code, code);
                ck_assert_int_eq(skim_feed(skim.skimmer, "", 1), code);
                skim_to(&skim, model, chunks[i],
                        &(struct skim_sink){loader_read, loader_take, loader_settle, loader_new(skim.arena, 0)});
                ck_assert_int_eq(skim.code, code);
                ck_assert_msg(strstr(skim_error(skim.skimmer), text) != NULL, "wanted '%s', got '%s'", text,
                              skim_error(skim.skimmer));
        }
        skim_done(&skim);
        drop_bytes(model);
}

static void refuses(struct bytes *model, const char *text)
{
        refuses_under(NULL, model, OX_INVALID_ARGUMENT, text);
}

/* -- what is kept -- */

static struct bytes a_graph(const char *name, const char *op)
{
        struct bytes graph = {0}, node = {0}, attribute = {0};

        put_text(&attribute, ATTRIBUTE_NAME, "axes");
        put_int(&attribute, ATTRIBUTE_INTS, 1);
        put_bytes(&attribute, ATTRIBUTE_INTS, "\x02\xff\x01", 3);
        put_int(&attribute, ATTRIBUTE_INTS, -1);
        put_bytes(&attribute, ATTRIBUTE_S, "\xff\x00\xfe", 3);
        put_text(&node, NODE_INPUT, "x");
        put_text(&node, NODE_INPUT, "");
        put_text(&node, NODE_OP, op);
        put_message(&node, NODE_ATTRIBUTE, &attribute);
        put_text(&graph, GRAPH_NAME, name);
        put_message(&graph, GRAPH_NODE, &node);
        return graph;
}

static struct bytes a_model(void)
{
        struct bytes model = {0}, graph = a_graph("main", "Relu"), opset = {0};

        put_int(&model, MODEL_IR, 8);
        put_text(&model, MODEL_PRODUCER, "by h\xc3\xa4nd");
        put_message(&model, MODEL_GRAPH, &graph);
        put_int(&opset, 2, 17);
        put_message(&model, MODEL_OPSET, &opset);
        return model;
}

START_TEST(keeps_what_it_knows)
{
        struct bytes model = a_model(), same = a_model(), nothing = {0}, none = {0};

        keeps(&model, &same);
        keeps(&nothing, &none);
}
END_TEST

START_TEST(drops_what_it_does_not_know)
{
        struct bytes model = {0}, entry = {0}, rest = a_model(), wanted = a_model();

        put_filled(&model, MODEL_DOC, 'd', 100000);
        put_text(&entry, 1, "key");
        put_message(&model, MODEL_METADATA, &entry);
        put_int(&model, 99, -1);
        put_fixed32(&model, 100, 1);
        put_fixed64(&model, 536870911, 1);
        /* Known numbers of another wire type are as good as unknown. */
        put_text(&model, MODEL_IR, "eight");
        put_int(&model, MODEL_GRAPH, 8);
        put_fixed32(&model, MODEL_PRODUCER, 8);
        put_raw(&model, rest.at, rest.size);
        drop_bytes(&rest);
        keeps(&model, &wanted);
}
END_TEST

START_TEST(joins_models_that_follow_each_other)
{
        struct bytes model = a_model(), wanted = a_model(), more, patch = {0};

        for (int i = 0; i < 300; i++) {
                put_int(&model, MODEL_IR, i);
                put_int(&wanted, MODEL_IR, i);
                more = a_graph("again", "Abs");
                put_message(&model, MODEL_GRAPH, &more);
                more = a_graph("again", "Abs");
                put_message(&wanted, MODEL_GRAPH, &more);
        }
        put_text(&patch, GRAPH_NAME, "last");
        put_message(&model, MODEL_GRAPH, &patch);
        put_text(&patch, GRAPH_NAME, "last");
        put_message(&wanted, MODEL_GRAPH, &patch);
        keeps(&model, &wanted);
}
END_TEST

/* A message field that is not repeated, given twice: its parts add up, also past what the first length had room for. */
START_TEST(joins_messages_that_are_given_twice)
{
        struct bytes model = {0}, wanted = {0}, part = {0}, attribute = {0};

        put_int(&part, TENSOR_DIMS, 4);
        put_message(&attribute, ATTRIBUTE_T, &part);
        for (int i = 0; i < 3; i++) {
                put_text(&part, TENSOR_NAME, "a name that makes the length outgrow its one byte, after a few times");
                put_int(&part, TENSOR_DIMS, i);
                put_message(&attribute, ATTRIBUTE_T, &part);
        }
        put_message(&model, NODE_ATTRIBUTE, &attribute);
        wrap(&model, GRAPH_NODE);
        wrap(&model, MODEL_GRAPH);

        put_int(&part, TENSOR_DIMS, 4);
        put_text(&part, TENSOR_NAME, "a name that makes the length outgrow its one byte, after a few times");
        for (int i = 0; i < 3; i++)
                put_int(&part, TENSOR_DIMS, i);
        put_message(&attribute, ATTRIBUTE_T, &part);
        put_message(&wanted, NODE_ATTRIBUTE, &attribute);
        wrap(&wanted, GRAPH_NODE);
        wrap(&wanted, MODEL_GRAPH);
        keeps(&model, &wanted);

        put_int(&part, TENSOR_DIMS, 4);
        put_message(&attribute, ATTRIBUTE_T, &part);
        put_text(&attribute, ATTRIBUTE_NAME, "between");
        put_int(&part, TENSOR_DIMS, 4);
        put_message(&attribute, ATTRIBUTE_T, &part);
        put_message(&model, NODE_ATTRIBUTE, &attribute);
        wrap(&model, GRAPH_NODE);
        wrap(&model, MODEL_GRAPH);
        refuses(&model, "AttributeProto.t at byte");
}
END_TEST

/* -- payloads -- */

enum way { RAW, STRING, FLOATS_PACKED, FLOATS, INT64S_PACKED, INT64S, DOUBLES, MIXED, N_WAYS };

static void put_payload(struct bytes *tensor, enum way way, size_t size)
{
        switch (way) {
        case RAW:
                put_filled(tensor, TENSOR_RAW, 1, size);
                return;
        case STRING:
                put_filled(tensor, TENSOR_STRINGS, 's', size);
                return;
        case FLOATS_PACKED:
                put_filled(tensor, TENSOR_FLOATS, 0, size & ~(size_t)3);
                if (size % 4)
                        put_fixed32(tensor, TENSOR_FLOATS, 0);
                return;
        case INT64S_PACKED:
                put_filled(tensor, TENSOR_INT64S, 3, size);
                return;
        case FLOATS:
                for (size_t i = 0; i < size; i += 4)
                        put_fixed32(tensor, TENSOR_FLOATS, (uint32_t)i);
                return;
        case INT64S:
                for (size_t i = 0; i < size; i++)
                        put_int(tensor, TENSOR_INT64S, i % 100);
                return;
        case DOUBLES:
                for (size_t i = 0; i < size; i += 8)
                        put_fixed64(tensor, TENSOR_DOUBLES, i);
                return;
        default:
                put_filled(tensor, TENSOR_RAW, 1, size / 2);
                put_int(tensor, TENSOR_DIMS, 9);
                put_filled(tensor, TENSOR_STRINGS, 1, size - size / 2);
                return;
        }
}

/* A tensor of `size` bytes of payload between other fields; `dropped`: as it should come out without them. */
static struct bytes a_tensor(enum way way, size_t size, bool dropped)
{
        struct bytes tensor = {0};

        put_int(&tensor, TENSOR_DIMS, 3);
        put_text(&tensor, TENSOR_NAME, "w");
        if (!dropped)
                put_payload(&tensor, way, size);
        else if (way == MIXED)
                put_int(&tensor, TENSOR_DIMS, 9);
        put_int(&tensor, TENSOR_TYPE, 1);
        if (!dropped)
                put_payload(&tensor, way, 0); /* the end is empty, and counts for at most one byte */
        else if (way == MIXED)
                put_int(&tensor, TENSOR_DIMS, 9);
        put_int(&tensor, TENSOR_DIMS, 4);
        if (dropped)
                put_int(&tensor, SKIM_DROPPED_FIELD, 1);
        return tensor;
}

/* The tensor in every place where a model can have one. */
static struct bytes everywhere(enum way way, size_t size, bool dropped)
{
        struct bytes model = {0}, graph = {0}, function = {0}, part;

        part = a_tensor(way, size, dropped);
        put_message(&graph, GRAPH_INITIALIZER, &part);
        part = a_tensor(way, size, dropped);
        wrap(&part, 1);
        put_message(&graph, GRAPH_SPARSE, &part);
        part = a_tensor(way, size, dropped);
        wrap(&part, ATTRIBUTE_T);
        wrap(&part, NODE_ATTRIBUTE);
        put_message(&function, 7, &part);
        part = a_tensor(way, size, dropped);
        wrap(&part, GRAPH_INITIALIZER);
        wrap(&part, ATTRIBUTE_G);
        wrap(&part, NODE_ATTRIBUTE);
        put_message(&graph, GRAPH_NODE, &part);
        put_message(&model, MODEL_GRAPH, &graph);
        put_message(&model, 25, &function);
        return model;
}

START_TEST(keeps_payload_up_to_its_bound)
{
        for (int way = 0; way < N_WAYS; way++) {
                struct bytes model = everywhere((enum way)way, SKIM_TENSOR_BYTES - 8, false);
                struct bytes wanted = everywhere((enum way)way, SKIM_TENSOR_BYTES - 8, false);

                keeps(&model, &wanted);
        }
}
END_TEST

START_TEST(drops_payload_past_its_bound)
{
        for (int way = 0; way < N_WAYS; way++) {
                for (size_t times = 1; times < 4; times++) {
                        struct bytes model = everywhere((enum way)way, times * SKIM_TENSOR_BYTES + 8, false);
                        struct bytes wanted = everywhere((enum way)way, 0, true);

                        keeps(&model, &wanted);
                }
        }
}
END_TEST

START_TEST(bounds_payload_to_the_byte)
{
        for (size_t more = 0; more < 2; more++) {
                struct skim skim = skim_begin();
                struct bytes model = {0};

                put_filled(&model, TENSOR_RAW, 1, SKIM_TENSOR_BYTES + more);
                wrap(&model, GRAPH_INITIALIZER);
                wrap(&model, MODEL_GRAPH);
                skim_in_chunks(&skim, &model, 1000);
                ck_assert_int_eq(skim.code, OX_OK);
                const OnnxTensor *tensor = unpack(skim.arena, skim.at, skim.size)->graph->initializer[0];

                ck_assert_uint_eq(tensor->raw_data.len, more ? 0 : SKIM_TENSOR_BYTES);
                ck_assert_int_eq(tensor->data_dropped, (int)more);
                size_t dropped = model.size - skim.size;

                ck_assert_uint_eq(skim_bytes_dropped(skim.skimmer), dropped);
                skim_to(&skim, &model, 1000,
                        &(struct skim_sink){loader_read, loader_take, loader_settle, loader_new(skim.arena, 0)});
                ck_assert_uint_eq(skim_bytes_dropped(skim.skimmer), dropped);
                skim_done(&skim);
                drop_bytes(&model);
        }
}
END_TEST

START_TEST(lets_no_forged_mark_through)
{
        struct bytes model = {0}, wanted = {0};

        put_int(&model, SKIM_DROPPED_FIELD, 1);
        wrap(&model, GRAPH_INITIALIZER);
        wrap(&model, MODEL_GRAPH);
        wrap(&wanted, GRAPH_INITIALIZER);
        wrap(&wanted, MODEL_GRAPH);
        keeps(&model, &wanted);
}
END_TEST

/* -- what is refused -- */

START_TEST(refuses_malformed_bytes)
{
#define CASE(bytes, text)                                                                                              \
        {                                                                                                              \
                (bytes), sizeof(bytes) - 1, (text)                                                                     \
        }
        static const struct {
                const char *at;
                size_t size;
                const char *text;
        } cases[] = {
                CASE("\x08", "ends at byte 1 inside of ModelProto"),
                CASE("\x3a\x05\x12\x03zz", "ends at byte 6 inside of GraphProto"),
                CASE("\x12\x03zz", "ends at byte 4 inside of ModelProto"),
                CASE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ModelProto at byte 0: no field"),
                CASE("\xff\xff\xff\xff\x7f\x01", "ModelProto at byte 0: no field"),
                CASE("\x02\x01", "ModelProto at byte 0: no field"), /* field 0 */
                CASE("\x0b\x0c", "ModelProto at byte 0: no field"), /* a group */
                CASE("\x0e\x01", "ModelProto at byte 0: no field"), /* wire type 6 */
                CASE("\x08\x01\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ModelProto at byte 2: no field"),
                CASE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "ModelProto at byte 0: no field"),
                CASE("\x3a\x03\x12\x02x", "GraphProto.name at byte 2 is longer than the message"),
                CASE("\x3a\x02\x12\x80\x01", "GraphProto at byte 2: the message ends inside of a field"),
                CASE("\x3a\x04\x0a\x7f\x0a\x01", "GraphProto.node at byte 2 is longer than the message"),
                CASE("\x3a\x06\xa2\x06\x7fzzz", "GraphProto at byte 2: field 100 is longer than the message"),
                CASE("\x3a\x0b\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "GraphProto.node at byte 2 is longer"),
                CASE("\x12\x03z\x00z", "ModelProto.producer_name at byte 2 is no UTF-8"),
                CASE("\x12\x02\xc3z", "ModelProto.producer_name at byte 2 is no UTF-8"),
                CASE("\x12\x01\xc3", "ModelProto.producer_name at byte 2 is no UTF-8"),
                CASE("\x12\x03\xed\xa0\x80", "ModelProto.producer_name at byte 2 is no UTF-8"),
                CASE("\x12\x02\xc0\x80", "ModelProto.producer_name at byte 2 is no UTF-8"),
                CASE("\x3a\x08\x0a\x06\x2a\x04\x3a\x02zz", "AttributeProto.floats at byte 6 has a part of an element"),
                CASE("\x3a\x06\x2a\x04\x0a\x02\x01\x80", "TensorProto.dims at byte 6 has a malformed element"),
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct bytes model = {0};

                put_raw(&model, cases[i].at, cases[i].size);
                refuses(&model, cases[i].text);
        }
}
END_TEST

/* Everything that is cut short is refused, wherever the cut is, except between two fields of the model. */
START_TEST(refuses_what_is_cut_short)
{
        struct bytes model = a_model();
        struct skim skim = skim_begin();
        int good = 0;

        for (size_t size = 0; size < model.size; size++) {
                struct bytes cut = {.at = model.at, .size = size};

                skim_in_chunks(&skim, &cut, 5);
                good += skim.code == OX_OK;
        }
        ck_assert_int_eq(good, 4);
        skim_done(&skim);
        drop_bytes(&model);
}
END_TEST

/* -- limits -- */

/* Lengths that no memory has cost none: what is announced is refused, or waited for. */
START_TEST(takes_no_length_on_trust)
{
        static const uint32_t numbers[] = {TENSOR_DIMS, TENSOR_NAME, TENSOR_RAW, TENSOR_STRINGS, TENSOR_INT64S, 1000};

        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
                for (int shift = 32; shift < 64; shift += 8) {
                        struct skim skim = skim_begin();
                        struct bytes model = {0};
                        uint64_t size = UINT64_C(1) << shift;

                        put_tag(&model, MODEL_GRAPH, WIRE_LENGTH);
                        put_varint(&model, size + 100);
                        put_tag(&model, GRAPH_INITIALIZER, WIRE_LENGTH);
                        put_varint(&model, size + 50);
                        put_tag(&model, numbers[i], WIRE_LENGTH);
                        put_varint(&model, size);
                        put_raw(&model, "some bytes", 10);
                        skim_in_chunks(&skim, &model, 4);
                        ck_assert_int_ne(skim.code, OX_OK);
                        ck_assert_uint_lt(arena_used(skim.arena), MIB);
                        skim_done(&skim);
                        drop_bytes(&model);
                }
        }
}
END_TEST

/* Graphs in attributes of nodes of graphs, to `depth` levels of messages in all, the model counted. */
static struct bytes nested(int depth)
{
        static const uint32_t path[] = {GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_G};
        struct bytes model = {0};

        for (int level = depth - 1; level > 1; level--)
                wrap(&model, path[(level - 2) % 3]);
        wrap(&model, MODEL_GRAPH);
        return model;
}

START_TEST(bounds_nesting)
{
        struct bytes model = nested(200), wanted = nested(200), deeper = nested(201), abyss = nested(5000);
        struct ox_limits limits;

        keeps(&model, &wanted);
        refuses_under(NULL, &deeper, OX_RESOURCE_EXHAUSTED, "the limit message_depth, 200");
        ox_limits_default(&limits);
        limits.message_depth = INT64_MAX;
        refuses_under(&limits, &abyss, OX_RESOURCE_EXHAUSTED, "the limit message_depth, 1000");
}
END_TEST

START_TEST(bounds_names)
{
        struct bytes model = {0}, wanted = {0};

        put_filled(&model, MODEL_PRODUCER, 'p', 65536);
        put_filled(&wanted, MODEL_PRODUCER, 'p', 65536);
        keeps(&model, &wanted);
        put_filled(&model, MODEL_PRODUCER, 'p', 65537);
        refuses_under(NULL, &model, OX_RESOURCE_EXHAUSTED, "the limit name_bytes, 65536");
}
END_TEST

START_TEST(bounds_what_is_seen_and_kept)
{
        struct bytes model;
        struct ox_limits limits;

        ox_limits_default(&limits);
        model = a_model();
        limits.upload_bytes = (int64_t)model.size - 1;
        refuses_under(&limits, &model, OX_RESOURCE_EXHAUSTED, "the limit upload_bytes, ");
        ox_limits_default(&limits);
        limits.kept_bytes = 20;
        model = a_model();
        refuses_under(&limits, &model, OX_RESOURCE_EXHAUSTED, "the limit kept_bytes, 20");
        limits.kept_bytes = MIB;
        put_filled(&model, ATTRIBUTE_S, 's', 2 * MIB);
        wrap(&model, NODE_ATTRIBUTE);
        wrap(&model, GRAPH_NODE);
        wrap(&model, MODEL_GRAPH);
        refuses_under(&limits, &model, OX_RESOURCE_EXHAUSTED, "the limit kept_bytes, 1048576");
}
END_TEST

UNIT_MAIN("skim", keeps_what_it_knows, drops_what_it_does_not_know, joins_models_that_follow_each_other,
          joins_messages_that_are_given_twice, keeps_payload_up_to_its_bound, drops_payload_past_its_bound,
          bounds_payload_to_the_byte, lets_no_forged_mark_through, refuses_malformed_bytes, refuses_what_is_cut_short,
          takes_no_length_on_trust, bounds_nesting, bounds_names, bounds_what_is_seen_and_kept);
