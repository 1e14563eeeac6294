/* What a caller may give, where other doors must settle it alike: tests/blackbox/test_nodes.py has the same for JSON.
 */
#include "shape_unit.h"

static struct ox_node *one_input(struct ox_context *c, const char *op_type, const char *input)
{
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(c, "", op_type, &node), OX_OK);
        ck_assert_int_eq(ox_node_input(node, input), OX_OK);
        ck_assert_int_eq(ox_node_output(node, "y"), OX_OK);
        return node;
}

/* Elements past the limit count as unknown, and the answer says so; no request is refused because of one value. */
START_TEST(contents_past_the_limit_are_unknown_and_noted)
{
        struct ox_element elements[5000];
        struct ox_value value = {
                .type = "tensor(int64)", .shape = OX_SHAPE(OX_SIZE(5000)), .content = elements, .n_content = 5000};
        struct ox_context *c = new_context();
        const struct ox_result *result;
        const struct ox_diag *diags;
        size_t count;

        for (size_t i = 0; i < 5000; i++)
                elements[i] = (struct ox_element){.kind = OX_ELEMENT_INT, .i = 1};
        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_OK);
        ck_assert_int_eq(ox_infer_node(c, one_input(c, "Relu", "x"), NULL, &result), OX_OK);
        value_is(c, "y", "tensor(int64)", "[5000]");
        content_is(c, "y", "-");
        diags = ox_result_diagnostics(result, &count);
        ck_assert_uint_eq(count, 1);
        ck_assert_int_eq(diags[0].severity, OX_WARNING);
        ck_assert_str_eq(diags[0].value, "x");
        ck_assert_ptr_nonnull(strstr(diags[0].message, "5000 elements, more than the limit content_elements, 4096"));
        ox_context_free(c);
}
END_TEST

START_TEST(unnamed_sizes_differ_from_each_other)
{
        struct ox_context *c = new_context();
        struct ox_value value = {.type = "seq(tensor(float))", .length = &(struct ox_dim)OX_SYM("?")};

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("?"), OX_SYM("?"), OX_SYM("")));
        value_is(c, "x", "tensor(float)", "[x_0, x_1, x_2]");
        ck_assert_int_eq(ox_context_set(c, "s", &value), OX_OK);
        ck_assert_str_eq(get(c, "s").length->text, "s_length");
        ox_context_free(c);
}
END_TEST

/* A name is a symbol in expressions once it stands alone as a size, and not because an expression has it. */
START_TEST(names_that_stand_alone_are_symbols)
{
        struct ox_context *c = new_context();

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("2*batch"), OX_SYM("size")));
        set(c, "y", "tensor(float)", OX_SHAPE(OX_SYM("size-batch")));
        value_is(c, "y", "tensor(float)", "[size-batch]");
        set(c, "z", "tensor(float)", OX_SHAPE(OX_SYM("batch"), OX_SYM("batch-size")));
        value_is(c, "z", "tensor(float)", "[batch, batch - size]");
        ox_context_free(c);
}
END_TEST

START_TEST(a_shape_is_that_of_the_tensor_within)
{
        struct ox_context *c = new_context();
        const struct ox_value element = {.shape = OX_SHAPE(OX_SYM("N"), OX_SIZE(3))};
        struct ox_value value = {.type = "seq(tensor(float))", .element = &element};

        set(c, "x", "seq(tensor(float))", OX_SHAPE(OX_SYM("N"), OX_SIZE(3)));
        value_is(c, "x", "seq(tensor(float))", "[N, 3]");
        ck_assert_int_eq(ox_context_set(c, "y", &value), OX_OK);
        value_is(c, "y", "seq(tensor(float))", "[N, 3]");
        ox_context_free(c);
}
END_TEST

START_TEST(elements_may_differ)
{
        struct ox_context *c = new_context();
        const struct ox_value elements[] = {{.shape = OX_SHAPE(OX_SIZE(2), OX_SYM("N"))},
                                            {.type = "tensor(float)", .shape = OX_SHAPE(OX_SIZE(3), OX_SYM("N"))}};
        struct ox_value value = {.type = "seq(tensor(float))", .elements = elements, .n_elements = 2};
        const struct ox_element one[] = {{.kind = OX_ELEMENT_INT, .i = 1}};
        struct ox_value index = {.type = "tensor(int64)", .shape = OX_SCALAR, .content = one, .n_content = 1};
        struct ox_node *node;

        ck_assert_int_eq(ox_context_set(c, "s", &value), OX_OK);
        value_is(c, "s", "seq(tensor(float))", "[s_0, N]");
        ck_assert_int_eq(get(c, "s").length->value, 2);
        ck_assert_uint_eq(get(c, "s").n_elements, 2);
        shape_is(c, get(c, "s").elements[1].shape, "[3, N]");
        ck_assert_int_eq(ox_context_set(c, "i", &index), OX_OK);
        node = one_input(c, "SequenceAt", "s");
        ck_assert_int_eq(ox_node_input(node, "i"), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(float)", "[3, N]");
        value.length = &(struct ox_dim)OX_SIZE(3);
        ck_assert_int_eq(ox_context_set(c, "s", &value), OX_INVALID_ARGUMENT);
        says(c, "the length contradicts the 2 elements");
        value = (struct ox_value){.type = "tensor(float)", .elements = elements, .n_elements = 2};
        ck_assert_int_eq(ox_context_set(c, "s", &value), OX_INVALID_ARGUMENT);
        says(c, "only a sequence or optional has an element");
        value = (struct ox_value){
                .type = "seq(tensor(float))", .elements = &(struct ox_value){.type = "tensor(int8)"}, .n_elements = 1};
        ck_assert_int_eq(ox_context_set(c, "s", &value), OX_INVALID_ARGUMENT);
        says(c, "contradicts the type around it");
        ox_context_free(c);
}
END_TEST

START_TEST(optional_needs_no_input)
{
        struct ox_context *c = new_context();
        struct ox_value type = {.type = "seq(tensor(float))", .shape = OX_SHAPE(OX_SIZE(2), OX_SYM("N"), OX_SYM("?"))};
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(c, "", "Optional", &node), OX_OK);
        ck_assert_int_eq(ox_node_output(node, "y"), OX_OK);
        ck_assert_int_eq(ox_node_type(node, "type", &type), OX_OK);
        infers(c, node);
        value_is(c, "y", "optional(seq(tensor(float)))", "[2, Optional_1, Optional_2]");
        ck_assert_int_eq(get(c, "y").length->value, 0);
        type.type = "map(int64,tensor(float))";
        ck_assert_int_eq(ox_node_type(node, "type", &type), OX_INVALID_ARGUMENT);
        says(c, "attribute type: the type of an attribute must be a tensor, sequence or optional");
        ox_context_free(c);
}
END_TEST

START_TEST(words_are_numbers_of_floats)
{
        struct ox_context *c = new_context();
        const struct ox_element words[] = {{.kind = OX_ELEMENT_TEXT, .text = "NaN"},
                                           {.kind = OX_ELEMENT_TEXT, .text = "-Infinity"},
                                           {.kind = OX_ELEMENT_TEXT, .text = "?"}};
        struct ox_value value = {
                .type = "tensor(float)", .shape = OX_SHAPE(OX_SIZE(3)), .content = words, .n_content = 3};

        ck_assert_int_eq(ox_context_set(c, "x", &value), OX_OK);
        content_is(c, "x", "nan -inf ?");
        ox_context_free(c);
}
END_TEST

START_TEST(tensors_hold_texts)
{
        struct ox_context *c = new_context();
        const struct ox_element words[] = {{.kind = OX_ELEMENT_TEXT, .text = "a"},
                                           {.kind = OX_ELEMENT_TEXT, .text = ""}};
        struct ox_value value = {
                .type = "tensor(string)", .shape = OX_SHAPE(OX_SIZE(2)), .content = words, .n_content = 2};
        struct ox_node *node;

        ck_assert_int_eq(ox_node_new(c, "", "Constant", &node), OX_OK);
        ck_assert_int_eq(ox_node_output(node, "y"), OX_OK);
        ck_assert_int_eq(ox_node_tensor(node, "value", &value), OX_OK);
        infers(c, node);
        value_is(c, "y", "tensor(string)", "[2]");
        ox_context_free(c);
}
END_TEST

UNIT_MAIN("shape_given", contents_past_the_limit_are_unknown_and_noted, unnamed_sizes_differ_from_each_other,
          names_that_stand_alone_are_symbols, a_shape_is_that_of_the_tensor_within, elements_may_differ,
          optional_needs_no_input, words_are_numbers_of_floats, tensors_hold_texts);
