/* Nodes, reading results, and contexts, through shape.h. */
#include "shape_unit.h"

#include <pthread.h>
#include <stdint.h>

/* -- nodes -- */

/* x goes through Shape, Gather, Concat and Reshape, as exporters write it. */
START_TEST(nodes_follow_each_other)
{
        struct ox_context *c = new_context();
        const struct ox_element zero[] = {NUMBER(0)}, rest[] = {NUMBER(-1)};
        struct ox_node *node;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(3), OX_SYM("H")));
        ck_assert_int_eq(ox_context_set(c, "zero",
                                        &(struct ox_value){.type = "tensor(int64)",
                                                           .shape = OX_SHAPE(OX_SIZE(1)),
                                                           .content = zero,
                                                           .n_content = 1}),
                         OX_OK);
        ck_assert_int_eq(ox_context_set(c, "rest",
                                        &(struct ox_value){.type = "tensor(int64)",
                                                           .shape = OX_SHAPE(OX_SIZE(1)),
                                                           .content = rest,
                                                           .n_content = 1}),
                         OX_OK);
        ox_node_new(c, "", "Shape", &node);
        ox_node_input(node, "x");
        ox_node_output(node, "shape");
        infers(c, node);
        content_is(c, "shape", "N 3 H");
        ox_node_new(c, "", "Gather", &node);
        ox_node_input(node, "shape");
        ox_node_input(node, "zero");
        ox_node_output(node, "batch");
        infers(c, node);
        content_is(c, "batch", "N");
        ox_node_new(c, "", "Concat", &node);
        ox_node_int(node, "axis", 0);
        ox_node_input(node, "batch");
        ox_node_input(node, "rest");
        ox_node_output(node, "target");
        infers(c, node);
        content_is(c, "target", "N -1");
        infers(c, node_of(c, "Reshape", "x", "target"));
        value_is(c, "y", "tensor(float)", "[N, 3*H]");
        ox_context_free(c);
}
END_TEST

/* A fact from one node holds for the results of nodes before it. */
START_TEST(facts_go_from_node_to_node)
{
        struct ox_context *c = new_context();

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N")));
        set(c, "w", "tensor(float)", OX_SHAPE(OX_SIZE(4), OX_SIZE(2)));
        infers(c, node_of(c, "NonZero", "x", NULL));
        value_is(c, "y", "tensor(int64)", "[1, NonZero_1]");
        struct ox_node *node;

        ox_node_new(c, "", "MatMul", &node);
        ox_node_input(node, "y");
        ox_node_input(node, "w");
        ox_node_output(node, "z");
        infers(c, node);
        value_is(c, "z", "tensor(int64)", "[1, 2]");
        value_is(c, "y", "tensor(int64)", "[1, 4]");
        ox_context_free(c);
}
END_TEST

/* What a node takes of a context's memory goes by the node, not by what came before it. */
START_TEST(many_nodes_fit_into_little_memory)
{
        struct ox_limits limits;
        struct ox_context *c;
        struct ox_node *node;

        ox_limits_default(&limits);
        limits.arena_bytes = 16 << 20;
        c = ox_context_new(&limits);
        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N")));
        for (int i = 0; i < 500; i++)
                infers(c, node_of(c, "NonZero", "x", NULL));
        ox_node_new(c, "", "Sum", &node);
        for (int i = 0; i < 3000; i++)
                ox_node_input(node, "x");
        ox_node_output(node, "z");
        infers(c, node);
        ox_context_free(c);
}
END_TEST

START_TEST(a_name_may_stand_in_several_inputs)
{
        struct ox_context *c = new_context();

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N")));
        infers(c, node_of(c, "Add", "x", "x"));
        value_is(c, "y", "tensor(float)", "[N]");
        ox_context_free(c);
}
END_TEST

START_TEST(attributes_of_every_kind)
{
        struct ox_context *c = new_context();
        const int64_t ints[] = {2, 2}, perm[] = {1, 0};
        const float scales[] = {2.0F, 3.0F};
        const char *const words[] = {"a", "b", "c"};
        const struct ox_element seven[] = {NUMBER(7)};
        struct ox_node *node;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SIZE(1), OX_SIZE(3), OX_SYM("H"), OX_SYM("H")));
        set(c, "w", "tensor(float)", OX_SHAPE(OX_SIZE(8), OX_SIZE(3), OX_SIZE(3), OX_SIZE(3)));
        set(c, "m", "tensor(float)", OX_SHAPE(OX_SYM("A"), OX_SIZE(6)));
        node = node_of(c, "Conv", "x", "w");
        ck_assert_int_eq(ox_node_ints(node, "strides", ints, 2), OX_OK);
        ck_assert_int_eq(ox_node_string(node, "auto_pad", "SAME_UPPER"), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(float)", "[1, 8, (H + 1)//2, (H + 1)//2]");
        node = node_of(c, "Upsample", "m", NULL);
        ck_assert_int_eq(ox_node_floats(node, "scales", scales, 2), OX_OK);
        ck_assert_int_eq(ox_context_opset(c, "", 8), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(float)", "[2*A, 18]");
        ck_assert_int_eq(ox_context_opset(c, "ai.onnx", 17), OX_OK);
        node = node_of(c, "Constant", NULL, NULL);
        ck_assert_int_eq(ox_node_strings(node, "value_strings", words, 3), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(string)", "[3]");
        node = node_of(c, "Constant", NULL, NULL);
        ck_assert_int_eq(ox_node_float(node, "value_float", 0.25F), OX_OK);
        infers(c, node);
        content_is(c, "y", "0.25");
        node = node_of(c, "Constant", NULL, NULL);
        ck_assert_int_eq(ox_node_tensor(node, "value",
                                        &(struct ox_value){.type = "tensor(int32)",
                                                           .shape = OX_SHAPE(OX_SIZE(1)),
                                                           .content = seven,
                                                           .n_content = 1}),
                         OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(int32)", "[1]");
        content_is(c, "y", "7");
        /* The second takes the first one's place. */
        node = node_of(c, "Transpose", "m", NULL);
        ck_assert_int_eq(ox_node_ints(node, "perm", ints, 2), OX_OK);
        ck_assert_int_eq(ox_node_ints(node, "perm", perm, 2), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(float)", "[6, A]");
        node = node_of(c, "Transpose", "m", NULL);
        ck_assert_int_eq(ox_node_ints(node, "perm", NULL, 0), OX_OK);
        ox_context_free(c);
}
END_TEST

/* Every element type that a Constant may have comes out as it went in, or without its elements. */
START_TEST(tensors_of_every_type)
{
        static const char *const types[] = {"float",  "double", "int8",   "int16",   "int32",    "int64", "uint8",
                                            "uint16", "uint32", "uint64", "float16", "bfloat16", "bool"};
        const struct ox_element elements[] = {NUMBER(1), NUMBER(0)};
        struct ox_context *c = new_context();

        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
                struct ox_node *node = node_of(c, "Constant", NULL, NULL);
                char type[40];
                struct ox_value value = {
                        .type = type, .shape = OX_SHAPE(OX_SIZE(2)), .content = elements, .n_content = 2};

                snprintf(type, sizeof(type), "tensor(%s)", types[i]);
                ck_assert_int_eq(ox_node_tensor(node, "value", &value), OX_OK);
                infers(c, node);
                value_is(c, "y", type, "[2]");
                content_is(c, "y", i < 10 || strcmp(types[i], "bool") == 0 ? "1 0" : "-");
        }
        ox_context_free(c);
}
END_TEST

START_TEST(tensors_that_are_none)
{
        struct ox_context *c = new_context();
        const struct ox_element symbol[] = {SYMBOL("N")};
        const struct ox_value values[] = {
                {.type = "seq(tensor(float))"},
                {.type = "tensor(float)"},
                {.shape = OX_SHAPE(OX_SIZE(1))},
                {.type = "tensor(float)", .shape = OX_SHAPE(OX_SYM("N"))},
                {.type = "tensor(int64)", .shape = OX_SHAPE(OX_SIZE(1)), .content = symbol, .n_content = 1},
                {.type = "tensor(float)", .shape = OX_SHAPE(OX_SIZE(1)), .content = symbol, .n_content = 1},
        };

        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
                struct ox_node *node = node_of(c, "Constant", NULL, NULL);

                ck_assert_int_eq(ox_node_tensor(node, "value", &values[i]), OX_INVALID_ARGUMENT);
                says(c, "attribute value");
        }
        ox_context_free(c);
}
END_TEST

START_TEST(a_node_that_was_built_wrong_stays_at_fault)
{
        struct ox_context *c = new_context(), *other = new_context();
        const struct ox_result *result = (const struct ox_result *)1;
        struct ox_node *node = node_of(c, "Relu", "x", NULL), *none = node;

        set(c, "x", "tensor(float)", OX_SCALAR);
        infers(c, node);
        ck_assert_int_eq(ox_node_string(node, "\xff", "text"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_node_input(node, "z"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_infer_node(c, node, NULL, &result), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(result);
        says(c, "name of an attribute");
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "x", "x", "Relu", "float"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "x", "x", OX_ADD), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_node_new(c, "", "", &none), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(none);
        ck_assert_int_eq(ox_node_input(none, "x"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_infer_node(c, none, NULL, &result), OX_INVALID_ARGUMENT);
        says(c, "the node is NULL");
        ck_assert_int_eq(ox_infer_node(other, node_of(c, "Relu", "x", NULL), NULL, &result), OX_INVALID_ARGUMENT);
        says(other, "another context");
        ox_context_free(c);
        ox_context_free(other);
}
END_TEST

static void fails(struct ox_context *c, const struct ox_node *node, enum ox_code code, const char *text)
{
        const struct ox_result *result;
        struct ox_value value;

        ck_assert_int_eq(ox_infer_node(c, node, NULL, &result), code);
        says(c, text);
        ck_assert_int_eq(ox_context_get(c, "y", &value), OX_OUT_OF_RANGE);
}

START_TEST(nodes_that_cannot_be_inferred)
{
        struct ox_context *c = new_context();
        struct ox_node *node;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SIZE(2)));
        set(c, "z", "tensor(float)", OX_SHAPE(OX_SIZE(3)));
        fails(c, node_of(c, "Reluu", "x", NULL), OX_INVALID_ARGUMENT,
              "Reluu: domain ai.onnx has no such operator; did you mean Relu?");
        ox_node_new(c, "com.example", "Relu", &node);
        fails(c, node, OX_INVALID_ARGUMENT, "domain com.example has no such operator; domain ai.onnx has Relu");
        ox_node_new(c, "", "Relu", &node);
        ox_node_input(node, "x");
        fails(c, node, OX_INVALID_ARGUMENT, "output");
        fails(c, node_of(c, "Relu", NULL, NULL), OX_INVALID_ARGUMENT, "input");
        fails(c, node_of(c, "Relu", "absent", NULL), OX_OUT_OF_RANGE, "nothing defines input 0, absent");
        fails(c, node_of(c, "Add", "x", "absent"), OX_OUT_OF_RANGE, "nothing defines input 1, absent");
        fails(c, node_of(c, "Add", "x", "z"), OX_INVALID_ARGUMENT,
              "Add: x [2] x z [3]: axis 0 of x is 2, axis 0 of z is 3");
        fails(c, node_of(c, "Conv", "x", "z"), OX_INVALID_ARGUMENT, "Conv");
        node = node_of(c, "Softmax", "x", NULL);
        ox_node_int(node, "axis", 7);
        fails(c, node, OX_INVALID_ARGUMENT, "axis must be in [-1, 0], got 7");
        ck_assert_int_eq(ox_context_opset(c, "", 1), OX_OK);
        fails(c, node_of(c, "Gelu", "x", NULL), OX_INVALID_ARGUMENT,
              "version 1 of ai.onnx has no such operator; it exists from version 20 on");
        ck_assert_int_eq(ox_context_opset(c, "", 0), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_context_opset(c, "", INT64_MAX), OX_OK);
        infers(c, node_of(c, "Relu", "x", NULL));
        ox_context_free(c);
}
END_TEST

/* The diagnostics say which input was at fault. */
START_TEST(a_failed_node_has_diagnostics_and_leaves_names_alone)
{
        struct ox_context *c = new_context();
        const struct ox_result *result;
        const struct ox_diag *diag;
        struct ox_node *node;
        size_t count;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SIZE(2)));
        set(c, "z", "tensor(float)", OX_SHAPE(OX_SIZE(3)));
        set(c, "y", "tensor(bool)", OX_SCALAR);
        node = node_of(c, "Add", "x", "z");
        ox_node_name(node, "sum");
        ck_assert_int_eq(ox_infer_node(c, node, NULL, &result), OX_INVALID_ARGUMENT);
        diag = ox_result_diagnostics(result, &count);
        ck_assert_uint_eq(count, 1);
        ck_assert_int_eq(diag->severity, OX_ERROR);
        ck_assert_int_eq(diag->code, OX_INVALID_ARGUMENT);
        ck_assert_str_eq(diag->reason, "DIM_MISMATCH");
        ck_assert_str_eq(diag->node, "sum");
        ck_assert_str_eq(diag->op, "Add");
        ck_assert_int_eq(diag->input, 1);
        value_is(c, "y", "tensor(bool)", "[]");
        ox_context_free(c);
}
END_TEST

START_TEST(bindings_hold_for_the_context)
{
        struct ox_context *c = new_context();
        const struct ox_binding binding[] = {{"N", 5}, {"unused", 0}}, negative[] = {{"M", -1}};
        const struct ox_options options = {.binding = binding, .n_binding = 2};
        const struct ox_options wrong = {.binding = negative, .n_binding = 1};
        const struct ox_result *result;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SYM("2*N")));
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "Relu", "x", NULL), &options, &result), OX_OK);
        value_is(c, "y", "tensor(float)", "[5, 10]");
        value_is(c, "x", "tensor(float)", "[5, 10]");
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "Relu", "x", NULL), &wrong, &result), OX_INVALID_ARGUMENT);
        says(c, "M must be 0 or more");
        ox_context_free(c);
}
END_TEST

START_TEST(types_are_checked_when_that_is_asked)
{
        struct ox_context *c = new_context();
        const struct ox_options check = {.check_types = true};
        const struct ox_result *result;

        set(c, "x", "tensor(string)", OX_SCALAR);
        infers(c, node_of(c, "Relu", "x", NULL));
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "Relu", "x", NULL), &check, &result), OX_INVALID_ARGUMENT);
        says(c, "tensor(string)");
        ox_context_free(c);
}
END_TEST

/* -- results -- */

static void append(void *user, const char *bytes, size_t size)
{
        char *text = user;

        ck_assert_uint_lt(strlen(text) + size, 4000);
        strncat(text, bytes, size);
}

START_TEST(results_are_read)
{
        struct ox_context *c = new_context();
        const struct ox_element k[] = {UNKNOWN};
        const struct ox_result *result;
        const struct ox_symbol *symbols;
        struct ox_result_value value;
        struct ox_node *node;
        char json[4000] = "", table[4000] = "";
        size_t count;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(8)));
        ck_assert_int_eq(ox_context_set(c, "k",
                                        &(struct ox_value){.type = "tensor(int64)",
                                                           .shape = OX_SHAPE(OX_SIZE(1)),
                                                           .content = k,
                                                           .n_content = 1}),
                         OX_OK);
        node = node_of(c, "TopK", "x", "k");
        ox_node_output(node, "indices");
        ox_node_name(node, "best");
        ck_assert_int_eq(ox_infer_node(c, node, NULL, &result), OX_OK);
        ck_assert_uint_eq(ox_result_count(result), 2);
        ck_assert_int_eq(ox_result_value(c, result, 1, &value), OX_OK);
        ck_assert_str_eq(value.name, "indices");
        ck_assert_int_eq(value.kind, OX_KIND_OUTPUT);
        ck_assert_str_eq(value.node, "best");
        ck_assert_int_eq(value.node_index, 0);
        ck_assert_str_eq(value.op, "TopK");
        ck_assert_str_eq(value.value.type, "tensor(int64)");
        shape_is(c, value.value.shape, "[N, TopK_y_k]");
        ck_assert_int_eq(ox_result_value(c, result, 2, &value), OX_OUT_OF_RANGE);
        ck_assert_ptr_null(value.value.type);
        symbols = ox_result_symbols(result, &count);
        ck_assert_uint_eq(count, 2);
        ck_assert_str_eq(symbols[0].name, "N");
        ck_assert_str_eq(symbols[0].op, "");
        ck_assert_str_eq(symbols[1].name, "TopK_y_k");
        ck_assert_str_eq(symbols[1].value, "y");
        ck_assert_int_eq(symbols[1].axis, 1);
        ck_assert_str_eq(symbols[1].op, "TopK");
        ox_result_constraints(result, &count);
        ck_assert_uint_eq(count, 0);
        ck_assert_int_eq(ox_render_json(c, result, false, append, json), OX_OK);
        ck_assert_ptr_nonnull(strstr(json, "\"shape\":[\"N\",\"TopK_y_k\"]"));
        ck_assert_int_eq(ox_render_table(c, result, append, table), OX_OK);
        ck_assert_ptr_nonnull(strstr(table, "TopK_y_k"));
        ox_context_free(c);
}
END_TEST

/* Too large an answer costs that answer, and nothing else. */
START_TEST(an_answer_may_be_too_large)
{
        const struct ox_result *result;
        struct ox_limits limits;
        char json[4000] = "";

        ox_limits_default(&limits);
        limits.answer_bytes = 20;
        struct ox_context *c = ox_context_new(&limits);

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(8)));
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "Relu", "x", NULL), NULL, &result), OX_OK);
        ck_assert_int_eq(ox_render_json(c, result, false, append, json), OX_RESOURCE_EXHAUSTED);
        says(c, "answer_bytes");
        value_is(c, "y", "tensor(float)", "[N, 8]");
        ox_context_free(c);
}
END_TEST

/* Gives places as small as it may, of a memory that may end. */
struct place {
        char *text;
        size_t length, most;
};

static char *give_room(void *place_, size_t put, size_t least, size_t *ret_size)
{
        struct place *place = place_;

        place->length += put;
        *ret_size = least;
        return place->length + least <= place->most ? place->text + place->length : NULL;
}

static void put_down(void *place_, const char *bytes, size_t size)
{
        struct place *place = place_;

        ck_assert_uint_le(place->length + size, place->most);
        memcpy(place->text + place->length, bytes, size);
        place->length += size;
}

START_TEST(an_answer_may_go_straight_to_its_place)
{
        enum { MOST = 40000, NAME = 9000 };
        struct ox_context *c = new_context();
        struct place place = {.text = malloc(MOST), .most = MOST}, copy = {.text = malloc(MOST), .most = MOST};
        char *name = malloc(NAME + 1);
        const struct ox_result *result;

        memset(name, 'x', NAME);
        name[NAME] = '\0';
        set(c, name, "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(8)));
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "Relu", name, NULL), NULL, &result), OX_OK);
        ck_assert_int_eq(ox_render_json(c, result, false, put_down, &copy), OX_OK);
        ck_assert_int_eq(ox_render_json_in(c, result, give_room, &place), OX_OK);
        ck_assert_uint_gt(place.length, NAME);
        ck_assert_uint_eq(place.length, copy.length);
        ck_assert_mem_eq(place.text, copy.text, place.length);

        place.length = 0;
        place.most = NAME;
        ck_assert_int_eq(ox_render_json_in(c, result, give_room, &place), OX_UNAVAILABLE);
        says(c, "no memory for the answer");
        ox_context_free(c);
        free(place.text);
        free(copy.text);
        free(name);
}
END_TEST

START_TEST(constraints_are_read)
{
        struct ox_context *c = new_context();
        const struct ox_constraint *constraint;
        const struct ox_result *result;
        size_t count;

        set(c, "a", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SYM("K")));
        set(c, "b", "tensor(float)", OX_SHAPE(OX_SYM("L"), OX_SYM("M")));
        ck_assert_int_eq(ox_infer_node(c, node_of(c, "MatMul", "a", "b"), NULL, &result), OX_OK);
        constraint = ox_result_constraints(result, &count);
        ck_assert_uint_eq(count, 1);
        ck_assert_str_eq(constraint->left, "K");
        ck_assert_str_eq(constraint->relation, "==");
        ck_assert_str_eq(constraint->right, "L");
        ox_context_free(c);
}
END_TEST

/* -- contexts -- */

static void work_through(struct ox_context *c, const char *symbol)
{
        char wanted[40];

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM(symbol), OX_SIZE(1)));
        set(c, "z", "tensor(float)", OX_SHAPE(OX_SIZE(7)));
        infers(c, node_of(c, "Add", "x", "z"));
        snprintf(wanted, sizeof(wanted), "[%s, 7]", symbol);
        value_is(c, "y", "tensor(float)", wanted);
}

START_TEST(a_context_that_is_reset_starts_anew)
{
        struct ox_context *c = new_context();
        struct ox_value value;

        ck_assert_int_eq(ox_context_opset(c, "", 1), OX_OK);
        for (int i = 0; i < 100; i++) {
                ox_context_reset(c, i % 2 ? SIZE_MAX : 0);
                ck_assert_int_eq(ox_context_get(c, "x", &value), OX_OUT_OF_RANGE);
                work_through(c, i % 3 ? "N" : "M");
        }
        ox_context_free(c);
}
END_TEST

/* With any amount of memory, a failed call gives an error, and the context works again once it is reset. */
START_TEST(memory_may_end_anywhere)
{
        struct ox_limits limits;
        int failures = 0;

        ox_limits_default(&limits);
        for (limits.arena_bytes = 0; limits.arena_bytes < 400000; limits.arena_bytes += 1000) {
                struct ox_context *c = ox_context_new(&limits);
                const struct ox_shape *shape = OX_SHAPE(OX_SYM("N"), OX_SIZE(2));
                const struct ox_value value = {.type = "tensor(float)", .shape = shape};
                const struct ox_result *result;
                struct ox_node *node;
                enum ox_code code = ox_context_set(c, "x", &value);

                if (code == OX_OK)
                        code = ox_node_new(c, "", "Add", &node);
                if (code == OX_OK) {
                        ox_node_input(node, "x");
                        ox_node_input(node, "x");
                        ox_node_output(node, "y");
                        code = ox_infer_node(c, node, NULL, &result);
                }
                if (code == OX_OK) {
                        ck_assert_uint_eq(ox_result_count(result), 1);
                } else {
                        failures++;
                        ck_assert(code == OX_RESOURCE_EXHAUSTED || code == OX_FAILED_PRECONDITION);
                        ck_assert_str_ne(ox_context_error(c), "");
                        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_FAILED_PRECONDITION);
                        says(c, "must be reset");
                        ox_context_reset(c, 0);
                        code = ox_context_set(c, "x", NULL);
                        ck_assert(code == OX_OK || code == OX_RESOURCE_EXHAUSTED);
                }
                ox_context_free(c);
        }
        ck_assert_int_gt(failures, 10);
        ck_assert_int_lt(failures, 390);
}
END_TEST

static void *thread_main(void *user)
{
        struct ox_context *c = new_context();

        for (int i = 0; i < 500; i++) {
                work_through(c, user);
                if (i % 5 == 0)
                        ox_context_reset(c, 100000);
        }
        ox_context_free(c);
        return NULL;
}

START_TEST(two_contexts_in_two_threads)
{
        pthread_t threads[2];
        char names[2][8] = {"left", "right"};

        for (int i = 0; i < 2; i++)
                ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_main, names[i]), 0);
        for (int i = 0; i < 2; i++)
                ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

UNIT_MAIN("shape_node", nodes_follow_each_other, facts_go_from_node_to_node, many_nodes_fit_into_little_memory,
          a_name_may_stand_in_several_inputs, attributes_of_every_kind, tensors_of_every_type, tensors_that_are_none,
          a_node_that_was_built_wrong_stays_at_fault, nodes_that_cannot_be_inferred,
          a_failed_node_has_diagnostics_and_leaves_names_alone, bindings_hold_for_the_context,
          types_are_checked_when_that_is_asked, results_are_read, an_answer_may_be_too_large,
          an_answer_may_go_straight_to_its_place, constraints_are_read, a_context_that_is_reset_starts_anew,
          memory_may_end_anywhere, two_contexts_in_two_threads);
