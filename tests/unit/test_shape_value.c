/* Values by name, through shape.h. */
#include "shape_unit.h"

#include <math.h>
#include <stdint.h>

START_TEST(values_read_back_as_they_were_set)
{
        struct ox_context *c = new_context();

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(3), OX_SYM("2*H + 1"), OX_SIZE(0)));
        value_is(c, "x", "tensor(float)", "[N, 3, 2*H + 1, 0]");
        set(c, "x", "sparse_tensor(int8)", OX_SCALAR);
        value_is(c, "x", "sparse_tensor(int8)", "[]");
        set(c, "x", "tensor(float)", NULL);
        value_is(c, "x", "tensor(float)", "?");
        set(c, "x", NULL, OX_SHAPE(OX_SIZE(INT64_MAX)));
        value_is(c, "x", NULL, "[9223372036854775807]");
        set(c, "x", NULL, NULL);
        value_is(c, "x", NULL, "?");
        set(c, "x", "seq(tensor(float))", OX_SHAPE(OX_SYM("N"), OX_SIZE(4)));
        value_is(c, "x", "seq(tensor(float))", "[N, 4]");
        set(c, "x", "optional(seq(tensor(float)))", OX_SHAPE(OX_SYM("N")));
        value_is(c, "x", "optional(seq(tensor(float)))", "[N]");
        set(c, "x", "map(int64,tensor(float))", NULL);
        value_is(c, "x", "map(int64,tensor(float))", "?");
        ox_context_free(c);
}
END_TEST

START_TEST(sequences_have_lengths)
{
        struct ox_context *c = new_context();
        struct ox_value sequence = {
                .type = "seq(tensor(float))", .shape = OX_SHAPE(OX_SIZE(2)), .length = &(struct ox_dim)OX_SIZE(3)};

        ck_assert_int_eq(ox_context_set(c, "s", &sequence), OX_OK);
        struct ox_value read = get(c, "s");

        ck_assert_ptr_nonnull(read.length);
        ck_assert_ptr_null(read.length->text);
        ck_assert_int_eq(read.length->value, 3);
        infers(c, node_of(c, "SequenceLength", "s", NULL));
        value_is(c, "y", "tensor(int64)", "[]");
        content_is(c, "y", "3");
        sequence.length = &(struct ox_dim)OX_SYM("L");
        ck_assert_int_eq(ox_context_set(c, "s", &sequence), OX_OK);
        infers(c, node_of(c, "SequenceLength", "s", NULL));
        content_is(c, "y", "L");
        sequence.length = NULL;
        ck_assert_int_eq(ox_context_set(c, "s", &sequence), OX_OK);
        ck_assert_ptr_null(get(c, "s").length);
        ox_context_free(c);
}
END_TEST

START_TEST(contents_read_back_as_they_were_set)
{
        struct ox_context *c = new_context();
        const struct ox_element ints[] = {NUMBER(-1), NUMBER(INT64_MAX), SYMBOL("N"), UNKNOWN, SYMBOL("")};
        const struct ox_element floats[] = {FLOAT(0.5), NUMBER(2), SYMBOL("2*N"), FLOAT(INFINITY)};
        struct ox_value value = {
                .type = "tensor(int64)", .shape = OX_SHAPE(OX_SIZE(5)), .content = ints, .n_content = 5};

        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_OK);
        content_is(c, "x", "-1 9223372036854775807 N ? ?");
        value = (struct ox_value){
                .type = "tensor(float)", .shape = OX_SHAPE(OX_SIZE(2), OX_SIZE(2)), .content = floats, .n_content = 4};
        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_OK);
        content_is(c, "x", "0.5 2 2*N inf");
        value = (struct ox_value){.type = "tensor(int64)", .shape = OX_SHAPE(OX_SIZE(0)), .content = ints};
        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_OK);
        content_is(c, "x", "");
        ox_context_free(c);
}
END_TEST

/* What was read may be set again: it is the same symbol, though its name has signs of an expression in it. */
START_TEST(symbols_that_inference_made_can_be_given_back)
{
        struct ox_context *c = new_context();
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(c, "", "NonZero", &node), OX_OK);
        ox_node_input(node, "x");
        ox_node_output(node, "a+b");
        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("N")));
        infers(c, node);
        value_is(c, "a+b", "tensor(int64)", "[1, NonZero_1]");
        set(c, "again", "tensor(int64)", get(c, "a+b").shape);
        infers(c, node_of(c, "Add", "a+b", "again"));
        value_is(c, "y", "tensor(int64)", "[1, NonZero_1]");
        ox_context_free(c);
}
END_TEST

START_TEST(names_with_a_dash_are_names_until_they_can_be_differences)
{
        struct ox_context *c = new_context();

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("batch-size")));
        set(c, "n", "tensor(float)", OX_SHAPE(OX_SYM("batch"), OX_SYM("size")));
        set(c, "m", "tensor(float)", OX_SHAPE(OX_SYM("batch-size"), OX_SYM("size-batch")));
        value_is(c, "m", "tensor(float)", "[batch-size, size - batch]");
        infers(c, node_of(c, "Add", "x", "x"));
        value_is(c, "y", "tensor(float)", "[batch-size]");
        ox_context_free(c);
}
END_TEST

START_TEST(names_can_be_set_anew_and_forgotten)
{
        struct ox_context *c = new_context();
        struct ox_value value = {.type = "tensor(float)"};

        ck_assert_int_eq(ox_context_get(c, "x", &value), OX_OUT_OF_RANGE);
        ck_assert_ptr_null(value.type);
        says(c, "x is not defined");
        for (int i = 0; i < 1000; i++) {
                char name[16];

                snprintf(name, sizeof(name), "v%d", i);
                set(c, name, "tensor(float)", OX_SHAPE(OX_SYM(name)));
        }
        value_is(c, "v0", "tensor(float)", "[v0]");
        value_is(c, "v999", "tensor(float)", "[v999]");
        set(c, "v0", "tensor(bool)", NULL);
        value_is(c, "v0", "tensor(bool)", "?");
        ck_assert_int_eq(ox_context_set(c, "v0", NULL), OX_OK);
        ck_assert_int_eq(ox_context_get(c, "v0", &value), OX_OUT_OF_RANGE);
        ck_assert_int_eq(ox_context_set(c, "never", NULL), OX_OK);
        ox_context_free(c);
}
END_TEST

static void refuses(struct ox_context *c, const char *name, struct ox_value value, enum ox_code code, const char *text)
{
        struct ox_value read;

        ck_assert_int_eq(ox_context_set(c, name, &value), code);
        says(c, text);
        ck_assert_int_eq(ox_context_get(c, name, &read), OX_OUT_OF_RANGE);
}

START_TEST(values_that_contradict_themselves)
{
        struct ox_context *c = new_context();
        const struct ox_element number[] = {NUMBER(300)}, real[] = {FLOAT(1.5)}, bad[] = {{.kind = 9}};
        char *name = calloc(1, 70000);
        const struct ox_shape *one = OX_SHAPE(OX_SIZE(1));

        refuses(c, "x", (struct ox_value){.type = "float"}, OX_INVALID_ARGUMENT,
                "value x: unknown type 'float'; did you mean 'tensor(float)'?");
        refuses(c, "x", (struct ox_value){.type = "optional(tensor(flaot))"}, OX_INVALID_ARGUMENT,
                "value x: unknown type 'optional(tensor(flaot))'; did you mean 'optional(tensor(float))'?");
        refuses(c, "x", (struct ox_value){.type = "tensor(real)"}, OX_INVALID_ARGUMENT, "unknown type 'tensor(real)'");
        refuses(c, "x", (struct ox_value){.shape = OX_SHAPE(OX_SIZE(2), OX_SIZE(-2))}, OX_INVALID_ARGUMENT,
                "x: axis 1 must be 0 or more, got -2");
        refuses(c, "x", (struct ox_value){.type = "tensor(float)", .length = one->dims}, OX_INVALID_ARGUMENT, "length");
        refuses(c, "x", (struct ox_value){.type = "seq(tensor(float))", .length = &(struct ox_dim)OX_SIZE(-1)},
                OX_INVALID_ARGUMENT, "the length must be 0 or more, got -1");
        refuses(c, "x", (struct ox_value){.type = "map(int64,tensor(float))", .shape = one}, OX_INVALID_ARGUMENT,
                "map(int64,tensor(float)) holds no tensor that could have a shape");
        refuses(c, "x", (struct ox_value){.type = "tensor(uint8)", .shape = one, .content = number, .n_content = 1},
                OX_INVALID_ARGUMENT, "content must be in the range of uint8, got 300");
        refuses(c, "x", (struct ox_value){.type = "tensor(int64)", .shape = one, .content = real, .n_content = 1},
                OX_INVALID_ARGUMENT, "content must be integers of type int64, got 1.5");
        refuses(c, "x", (struct ox_value){.type = "tensor(int64)", .shape = one, .content = bad, .n_content = 1},
                OX_INVALID_ARGUMENT, "not one of enum ox_element_kind");
        refuses(c, "x", (struct ox_value){.type = "tensor(int64)", .shape = one, .content = number, .n_content = 2},
                OX_INVALID_ARGUMENT, "2 elements");
        refuses(c, "x", (struct ox_value){.type = "tensor(int64)", .content = number, .n_content = 1},
                OX_INVALID_ARGUMENT, "content needs a shape of integers");
        refuses(c, "x",
                (struct ox_value){.type = "tensor(int64)",
                                  .shape = OX_SHAPE(OX_SIZE(INT64_MAX), OX_SIZE(INT64_MAX)),
                                  .content = number,
                                  .n_content = 1},
                OX_INVALID_ARGUMENT, "content needs a shape of integers");
        refuses(c, "x", (struct ox_value){.shape = one, .content = number, .n_content = 1}, OX_INVALID_ARGUMENT,
                "only a tensor of known element type has content");
        refuses(c, "", (struct ox_value){.type = NULL}, OX_INVALID_ARGUMENT, "needs a name");
        refuses(c, "\xc3", (struct ox_value){.type = NULL}, OX_INVALID_ARGUMENT, "UTF-8");
        memset(name, 'n', 69999);
        refuses(c, name, (struct ox_value){.type = NULL}, OX_RESOURCE_EXHAUSTED,
                "69999 bytes are more than the limit name_bytes, 65536");
        refuses(c, "x", (struct ox_value){.shape = OX_SHAPE(OX_SYM(name))}, OX_RESOURCE_EXHAUSTED, "name_bytes");
        free(name);
        ox_context_free(c);
}
END_TEST

UNIT_MAIN("shape_value", values_read_back_as_they_were_set, sequences_have_lengths, contents_read_back_as_they_were_set,
          symbols_that_inference_made_can_be_given_back, names_with_a_dash_are_names_until_they_can_be_differences,
          names_can_be_set_anew_and_forgotten, values_that_contradict_themselves);
