/* ox_shape_broadcast, ox_infer_binary_broadcast, ox_propagate_arithmetic: every rule of them and every error. */
#include "shape_unit.h"

#include <stdint.h>

/* -- ox_shape_broadcast -- */

static void gives(struct ox_context *context, const struct ox_shape *a, const struct ox_shape *b, const char *wanted)
{
        const struct ox_shape *ret = OX_SCALAR;

        ck_assert_msg(ox_shape_broadcast(context, a, b, &ret) == OX_OK, "%s", ox_context_error(context));
        shape_is(context, ret, wanted);
        ck_assert_int_eq(ox_shape_broadcast(context, b, a, &ret), OX_OK);
        shape_is(context, ret, wanted);
}

START_TEST(the_five_rules)
{
        struct ox_context *c = new_context();

        /* integers: equal, or 1 and any */
        gives(c, OX_SHAPE(OX_SIZE(2), OX_SIZE(3)), OX_SHAPE(OX_SIZE(2), OX_SIZE(3)), "[2, 3]");
        gives(c, OX_SHAPE(OX_SIZE(1), OX_SIZE(3)), OX_SHAPE(OX_SIZE(2), OX_SIZE(1)), "[2, 3]");
        /* 1 and a symbol */
        gives(c, OX_SHAPE(OX_SIZE(1)), OX_SHAPE(OX_SYM("N")), "[N]");
        gives(c, OX_SHAPE(OX_SIZE(1)), OX_SHAPE(OX_SYM("2*N + 1")), "[2*N + 1]");
        /* equal symbols and expressions, however they are written */
        gives(c, OX_SHAPE(OX_SYM("N")), OX_SHAPE(OX_SYM("N")), "[N]");
        gives(c, OX_SHAPE(OX_SYM("N + M")), OX_SHAPE(OX_SYM("M + N")), "[N + M]");
        /* an integer other than 1 and a symbol */
        gives(c, OX_SHAPE(OX_SIZE(5)), OX_SHAPE(OX_SYM("N")), "[5]");
        gives(c, OX_SHAPE(OX_SIZE(0)), OX_SHAPE(OX_SYM("N")), "[0]");
        /* two symbols */
        gives(c, OX_SHAPE(OX_SYM("a")), OX_SHAPE(OX_SYM("b")), "[broadcast(a, b)]");
        gives(c, OX_SHAPE(OX_SYM("broadcast(a, b)")), OX_SHAPE(OX_SYM("c")), "[broadcast(broadcast(a, b), c)]");
        gives(c, OX_SHAPE(OX_SYM("broadcast(a, b)")), OX_SHAPE(OX_SYM("a")), "[broadcast(a, b)]");
        gives(c, OX_SHAPE(OX_SYM("broadcast(a, b)")), OX_SHAPE(OX_SIZE(7)), "[7]");
        ox_context_free(c);
}
END_TEST

START_TEST(ranks_differ)
{
        struct ox_context *c = new_context();

        gives(c, OX_SHAPE(OX_SYM("N"), OX_SIZE(3), OX_SIZE(4)), OX_SHAPE(OX_SIZE(4)), "[N, 3, 4]");
        gives(c, OX_SHAPE(OX_SYM("N"), OX_SIZE(1)), OX_SHAPE(OX_SIZE(2), OX_SIZE(1), OX_SYM("M")), "[2, N, M]");
        gives(c, OX_SCALAR, OX_SHAPE(OX_SYM("N"), OX_SIZE(3)), "[N, 3]");
        gives(c, OX_SCALAR, OX_SCALAR, "[]");
        gives(c, OX_SHAPE(OX_SIZE(0)), OX_SCALAR, "[0]");
        gives(c, OX_SHAPE(OX_SIZE(0), OX_SIZE(1)), OX_SHAPE(OX_SIZE(1), OX_SIZE(0)), "[0, 0]");
        ox_context_free(c);
}
END_TEST

/* A tensor of unknown rank is no scalar, and says nothing about the other's sizes. */
START_TEST(an_unknown_rank_is_a_state_of_its_own)
{
        struct ox_context *c = new_context();

        gives(c, NULL, OX_SHAPE(OX_SYM("N"), OX_SIZE(3)), "?");
        gives(c, NULL, OX_SCALAR, "?");
        gives(c, NULL, NULL, "?");
        ox_context_free(c);
}
END_TEST

START_TEST(unknown_sizes_differ_from_each_other)
{
        struct ox_context *c = new_context();
        const struct ox_shape *ret;

        ck_assert_int_eq(ox_shape_broadcast(c, OX_SHAPE(OX_SYM("")), OX_SHAPE(OX_SYM("")), &ret), OX_OK);
        shape_is(c, ret, "[broadcast(a_0, b_0)]");
        ck_assert_int_eq(ox_shape_broadcast(c, OX_SHAPE(OX_SYM("")), OX_SHAPE(OX_SYM("N")), &ret), OX_OK);
        shape_is(c, ret, "[broadcast(a_0_2, N)]");
        ox_context_free(c);
}
END_TEST

START_TEST(sizes_as_large_as_64_bits)
{
        struct ox_context *c = new_context();
        const struct ox_shape *ret = OX_SCALAR;

        gives(c, OX_SHAPE(OX_SIZE(INT64_MAX)), OX_SHAPE(OX_SIZE(1)), "[9223372036854775807]");
        gives(c, OX_SHAPE(OX_SIZE(INT64_MAX)), OX_SHAPE(OX_SIZE(INT64_MAX)), "[9223372036854775807]");
        gives(c, OX_SHAPE(OX_SIZE(INT64_MAX)), OX_SHAPE(OX_SYM("N")), "[9223372036854775807]");
        ck_assert_int_eq(ox_shape_broadcast(c, OX_SHAPE(OX_SIZE(INT64_MAX)), OX_SHAPE(OX_SIZE(INT64_MAX - 1)), &ret),
                         OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(ret);
        says(c, "9223372036854775807");
        says(c, "9223372036854775806");
        ox_context_free(c);
}
END_TEST

START_TEST(sizes_that_do_not_broadcast)
{
        static const struct {
                int64_t a, b;
        } pairs[] = {{2, 3}, {3, 2}, {0, 3}, {0, 2}, {100, 99}};
        struct ox_context *c = new_context();

        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
                const struct ox_shape *ret = OX_SCALAR;
                char text[80];

                ck_assert_int_eq(ox_shape_broadcast(c, OX_SHAPE(OX_SYM("N"), OX_SIZE(4), OX_SIZE(pairs[i].a)),
                                                    OX_SHAPE(OX_SIZE(pairs[i].b)), &ret),
                                 OX_INVALID_ARGUMENT);
                ck_assert_ptr_null(ret);
                snprintf(text, sizeof(text), "x b [%lld]: axis 2 of a is %lld, axis 0 of b is %lld",
                         (long long)pairs[i].b, (long long)pairs[i].a, (long long)pairs[i].b);
                says(c, text);
        }
        /* The context goes on. */
        gives(c, OX_SHAPE(OX_SIZE(2)), OX_SHAPE(OX_SIZE(2)), "[2]");
        ck_assert_str_eq(ox_context_error(c), "");
        ox_context_free(c);
}
END_TEST

START_TEST(shapes_that_are_none)
{
        struct ox_dim many[65] = {{.value = 1}};
        struct ox_context *c = new_context();
        const struct ox_shape *ret = OX_SCALAR;

        ck_assert_int_eq(ox_shape_broadcast(c, OX_SHAPE(OX_SIZE(-1)), OX_SCALAR, &ret), OX_INVALID_ARGUMENT);
        ck_assert_ptr_null(ret);
        says(c, "shape a: axis 0 must be 0 or more, got -1");
        ck_assert_int_eq(ox_shape_broadcast(c, OX_SCALAR, OX_SHAPE(OX_SIZE(INT64_MIN)), &ret), OX_INVALID_ARGUMENT);
        says(c, "b: axis 0 must be 0 or more, got -9223372036854775808");
        ck_assert_int_eq(ox_shape_broadcast(c, OX_SCALAR, OX_SHAPE(OX_SYM("2 - 3")), &ret), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_shape_broadcast(c, OX_SCALAR, OX_SHAPE(OX_SYM("\xff")), &ret), OX_INVALID_ARGUMENT);
        says(c, "UTF-8");
        ck_assert_int_eq(ox_shape_broadcast(c, &(struct ox_shape){64, many}, OX_SCALAR, &ret), OX_OK);
        ck_assert_uint_eq(ret->rank, 64);
        ck_assert_int_eq(ox_shape_broadcast(c, &(struct ox_shape){65, many}, OX_SCALAR, &ret), OX_RESOURCE_EXHAUSTED);
        ck_assert_ptr_null(ret);
        says(c, "the rank is 65, more than the limit rank, 64");
        ox_context_free(c);
}
END_TEST

/* Past a limit of expressions the result is a fresh symbol, not an error. */
START_TEST(more_symbols_than_an_expression_takes)
{
        struct ox_context *c = new_context();
        const struct ox_shape *all = OX_SHAPE(OX_SYM("s"));
        char name[16];

        for (int i = 0; i < 200; i++) {
                snprintf(name, sizeof(name), "s%d", i);
                ck_assert_int_eq(ox_shape_broadcast(c, all, OX_SHAPE(OX_SYM(name)), &all), OX_OK);
                ck_assert_uint_eq(all->rank, 1);
                ck_assert_ptr_nonnull(all->dims[0].text);
        }
        ox_context_free(c);
}
END_TEST

/* -- ox_infer_binary_broadcast -- */

START_TEST(binary_gives_the_shape_and_the_type_that_it_is_told)
{
        struct ox_context *c = new_context();
        struct ox_node *node = node_of(c, "Less", NULL, NULL);

        set(c, "a", "tensor(float)", OX_SHAPE(OX_SYM("N"), OX_SIZE(1)));
        set(c, "b", "tensor(float)", OX_SHAPE(OX_SIZE(4)));
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "b", "Less", "bool"), OX_OK);
        value_is(c, "y", "tensor(bool)", "[N, 4]");
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "a", "Less", "float8e4m3fn"), OX_OK);
        value_is(c, "y", "tensor(float8e4m3fn)", "[N, 1]");
        set(c, "b", NULL, NULL);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "b", "Less", "bool"), OX_OK);
        value_is(c, "y", "tensor(bool)", "?");
        set(c, "b", "tensor(float)", OX_SCALAR);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "b", "b", "Less", "bool"), OX_OK);
        value_is(c, "y", "tensor(bool)", "[]");
        ox_context_free(c);
}
END_TEST

START_TEST(binary_takes_operators_that_nobody_knows)
{
        struct ox_context *c = new_context();
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(c, "com.example", "Hypot", &node), OX_OK);
        ck_assert_int_eq(ox_node_output(node, "y"), OX_OK);
        set(c, "a", "tensor(float)", OX_SHAPE(OX_SYM("N")));
        set(c, "b", "tensor(float)", OX_SHAPE(OX_SYM("M")));
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "b", "Hypot", "float"), OX_OK);
        value_is(c, "y", "tensor(float)", "[broadcast(N, M)]");
        ox_context_free(c);
}
END_TEST

START_TEST(binary_errors)
{
        struct ox_context *c = new_context();
        struct ox_node *node = node_of(c, "Add", NULL, NULL), *mute;

        set(c, "a", "tensor(float)", OX_SHAPE(OX_SIZE(2)));
        set(c, "b", "tensor(float)", OX_SHAPE(OX_SIZE(3)));
        set(c, "s", "seq(tensor(float))", NULL);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "a", "Sub", "float"), OX_INVALID_ARGUMENT);
        says(c, "operator is Add, expected Sub");
        ck_assert_int_eq(ox_node_new(c, "", "Add", &mute), OX_OK);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, mute, "a", "a", "Add", "float"), OX_INVALID_ARGUMENT);
        says(c, "no output");
        ck_assert_int_eq(ox_node_output(mute, ""), OX_OK);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, mute, "a", "a", "Add", "float"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "absent", "Add", "float"), OX_OUT_OF_RANGE);
        says(c, "absent");
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "absent", "a", "Add", "float"), OX_OUT_OF_RANGE);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "", "a", "Add", "float"), OX_OUT_OF_RANGE);
        /* What is wrong with the node goes before what is missing. */
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "absent", "a", "Sub", "float"), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "b", "Add", "float"), OX_INVALID_ARGUMENT);
        says(c, "a [2] x b [3]: axis 0 of a is 2, axis 0 of b is 3");
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "s", "a", "Add", "float"), OX_INVALID_ARGUMENT);
        says(c, "must be a tensor");
        ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "a", "Add", "tensor(float)"), OX_INVALID_ARGUMENT);
        says(c, "not an element type");
        ck_assert_int_eq(ox_context_get(c, "y", &(struct ox_value){0}), OX_OUT_OF_RANGE);
        ox_context_free(c);
}
END_TEST

/* -- ox_propagate_arithmetic -- */

static void set_content(struct ox_context *context, const char *name, const char *type, const struct ox_shape *shape,
                        const struct ox_element *content, size_t count)
{
        struct ox_value value = {.type = type, .shape = shape, .content = content, .n_content = count};

        ck_assert_msg(ox_context_set(context, name, &value) == OX_OK, "%s", ox_context_error(context));
}

#define SET(name, shape, ...)                                                                                          \
        set_content(c, (name), "tensor(int64)", (shape), (const struct ox_element[]){__VA_ARGS__},                     \
                    sizeof((const struct ox_element[]){__VA_ARGS__}) / sizeof(struct ox_element))

/* Both operations on a and b, of shapes that are set. */
static void arithmetic(struct ox_context *c, const char *sum, const char *difference)
{
        struct ox_node *node = node_of(c, "Add", NULL, NULL);

        for (int i = 0; i < 2; i++) {
                ck_assert_int_eq(ox_infer_binary_broadcast(c, node, "a", "b", "Add", "int64"), OX_OK);
                content_is(c, "y", "-");
                ck_assert_msg(ox_propagate_arithmetic(c, node, "a", "b", i ? OX_SUB : OX_ADD) == OX_OK, "%s",
                              ox_context_error(c));
                content_is(c, "y", i ? difference : sum);
        }
}

START_TEST(elements_are_added_and_subtracted)
{
        struct ox_context *c = new_context();

        SET("a", OX_SHAPE(OX_SIZE(3)), SYMBOL("N"), NUMBER(3), SYMBOL("2*M"));
        SET("b", OX_SHAPE(OX_SIZE(3)), NUMBER(1), NUMBER(4), SYMBOL("M"));
        arithmetic(c, "N + 1 7 3*M", "N - 1 -1 M");
        SET("b", OX_SHAPE(OX_SIZE(3)), SYMBOL("N"), NUMBER(0), SYMBOL("2*M"));
        arithmetic(c, "2*N 3 4*M", "0 3 0");
        ox_context_free(c);
}
END_TEST

/* As in numpy, a shorter operand is repeated for all leading elements; it is not padded with 1. */
START_TEST(a_vector_of_one_counts_for_every_element)
{
        struct ox_context *c = new_context();

        SET("a", OX_SHAPE(OX_SIZE(3)), SYMBOL("d0"), SYMBOL("d1"), SYMBOL("d2"));
        SET("b", OX_SHAPE(OX_SIZE(1)), NUMBER(2));
        arithmetic(c, "d0 + 2 d1 + 2 d2 + 2", "d0 - 2 d1 - 2 d2 - 2");
        SET("b", OX_SCALAR, NUMBER(2));
        arithmetic(c, "d0 + 2 d1 + 2 d2 + 2", "d0 - 2 d1 - 2 d2 - 2");
        SET("a", OX_SCALAR, SYMBOL("N"));
        arithmetic(c, "N + 2", "N - 2");
        value_is(c, "y", "tensor(int64)", "[]");
        ox_context_free(c);
}
END_TEST

START_TEST(elements_of_more_axes)
{
        struct ox_context *c = new_context();

        SET("a", OX_SHAPE(OX_SIZE(2), OX_SIZE(1)), NUMBER(10), NUMBER(20));
        SET("b", OX_SHAPE(OX_SIZE(3)), NUMBER(1), NUMBER(2), NUMBER(3));
        arithmetic(c, "11 12 13 21 22 23", "9 8 7 19 18 17");
        set_content(c, "a", "tensor(int64)", OX_SHAPE(OX_SIZE(0)), (const struct ox_element[]){NUMBER(0)}, 0);
        SET("b", OX_SHAPE(OX_SIZE(1)), NUMBER(1));
        arithmetic(c, "", "");
        ox_context_free(c);
}
END_TEST

/* An element that overflows, or has an unknown operand, is unknown. */
START_TEST(elements_at_the_ends_of_64_bits)
{
        struct ox_context *c = new_context();

        SET("a", OX_SHAPE(OX_SIZE(4)), NUMBER(INT64_MAX), NUMBER(INT64_MIN), NUMBER(INT64_MIN), UNKNOWN);
        SET("b", OX_SHAPE(OX_SIZE(4)), NUMBER(1), NUMBER(1), NUMBER(INT64_MAX), NUMBER(1));
        arithmetic(c, "? -9223372036854775807 -1 ?", "9223372036854775806 ? ? ?");
        ox_context_free(c);
}
END_TEST

START_TEST(nothing_happens_where_something_is_not_known)
{
        struct ox_context *c = new_context();
        struct ox_node *node = node_of(c, "Add", NULL, NULL);

        /* Of one operand, nothing; then of all its elements; then of the output's shape. */
        SET("a", OX_SHAPE(OX_SIZE(1)), NUMBER(2));
        set(c, "b", "tensor(int64)", OX_SHAPE(OX_SIZE(1)));
        arithmetic(c, "-", "-");
        SET("b", OX_SHAPE(OX_SIZE(1)), UNKNOWN);
        arithmetic(c, "-", "-");
        SET("b", OX_SHAPE(OX_SIZE(1)), NUMBER(3));
        set(c, "y", "tensor(int64)", NULL);
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "b", OX_ADD), OX_OK);
        content_is(c, "y", "-");
        set(c, "y", "tensor(int64)", OX_SHAPE(OX_SYM("N")));
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "b", OX_ADD), OX_OK);
        content_is(c, "y", "-");
        /* Shapes that do not fit. */
        set(c, "y", "tensor(int64)", OX_SCALAR);
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "b", OX_ADD), OX_OK);
        content_is(c, "y", "-");
        SET("b", OX_SHAPE(OX_SIZE(3)), NUMBER(3), NUMBER(4), NUMBER(5));
        set(c, "y", "tensor(int64)", OX_SHAPE(OX_SIZE(1)));
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "b", OX_ADD), OX_OK);
        content_is(c, "y", "-");
        ck_assert_str_eq(ox_context_error(c), "");
        ox_context_free(c);
}
END_TEST

START_TEST(more_elements_than_are_followed)
{
        struct ox_limits limits;

        ox_limits_default(&limits);
        limits.content_elements = 4;
        struct ox_context *c = ox_context_new(&limits);

        SET("a", OX_SHAPE(OX_SIZE(4), OX_SIZE(1)), NUMBER(1), NUMBER(2), NUMBER(3), NUMBER(4));
        SET("b", OX_SHAPE(OX_SIZE(1)), NUMBER(1));
        arithmetic(c, "2 3 4 5", "0 1 2 3");
        SET("b", OX_SHAPE(OX_SIZE(2)), NUMBER(1), NUMBER(1));
        arithmetic(c, "-", "-");
        value_is(c, "y", "tensor(int64)", "[4, 2]");
        /* Contents of an input past it are not kept, which is no error either. */
        SET("a", OX_SHAPE(OX_SIZE(5)), NUMBER(1), NUMBER(2), NUMBER(3), NUMBER(4), NUMBER(5));
        content_is(c, "a", "-");
        ox_context_free(c);
}
END_TEST

START_TEST(arithmetic_errors)
{
        struct ox_context *c = new_context();
        struct ox_node *node = node_of(c, "Add", NULL, NULL), *mute;

        SET("a", OX_SHAPE(OX_SIZE(1)), NUMBER(2));
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "a", OX_ADD), OX_OUT_OF_RANGE);
        says(c, "output y");
        set(c, "y", "tensor(int64)", OX_SHAPE(OX_SIZE(1)));
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "absent", "a", OX_ADD), OX_OUT_OF_RANGE);
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "absent", OX_ADD), OX_OUT_OF_RANGE);
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "a", (enum ox_arithmetic)7), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_node_new(c, "", "Add", &mute), OX_OK);
        ck_assert_int_eq(ox_propagate_arithmetic(c, mute, "a", "a", OX_ADD), OX_INVALID_ARGUMENT);
        content_is(c, "y", "-");
        ck_assert_int_eq(ox_propagate_arithmetic(c, node, "a", "a", OX_ADD), OX_OK);
        content_is(c, "y", "4");
        ox_context_free(c);
}
END_TEST

UNIT_MAIN("shape_broadcast", the_five_rules, ranks_differ, an_unknown_rank_is_a_state_of_its_own,
          unknown_sizes_differ_from_each_other, sizes_as_large_as_64_bits, sizes_that_do_not_broadcast,
          shapes_that_are_none, more_symbols_than_an_expression_takes,
          binary_gives_the_shape_and_the_type_that_it_is_told, binary_takes_operators_that_nobody_knows, binary_errors,
          elements_are_added_and_subtracted, a_vector_of_one_counts_for_every_element, elements_of_more_axes,
          elements_at_the_ends_of_64_bits, nothing_happens_where_something_is_not_known,
          more_elements_than_are_followed, arithmetic_errors);
