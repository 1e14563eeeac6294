/* ox_dim_add and its like: symbolic arithmetic as callers of shape.h see it. */
#include "shape_unit.h"

#include <stdint.h>

static struct ox_dim size(int64_t value)
{
        return (struct ox_dim){.value = value};
}

static struct ox_dim text(const char *text)
{
        return (struct ox_dim){.text = text};
}

static void is(struct ox_context *context, enum ox_code code, struct ox_dim got, const char *wanted)
{
        char number[32];

        snprintf(number, sizeof(number), "%lld", (long long)got.value);
        ck_assert_msg(code == OX_OK, "%s", ox_context_error(context));
        ck_assert_str_eq(got.text ? got.text : number, wanted);
}

START_TEST(operations_give_canonical_forms)
{
        struct ox_context *c = new_context();
        struct ox_dim ret;

        is(c, ox_dim_add(c, text("N"), text("N"), &ret), ret, "2*N");
        is(c, ox_dim_add(c, text("M"), text("N"), &ret), ret, "N + M");
        is(c, ox_dim_sub(c, text("2*N + 1"), text("N"), &ret), ret, "N + 1");
        is(c, ox_dim_sub(c, text("N"), text("N"), &ret), ret, "0");
        is(c, ox_dim_mul(c, text("N + 1"), size(3), &ret), ret, "3*N + 3");
        is(c, ox_dim_floordiv(c, text("4*N"), size(2), &ret), ret, "2*N");
        is(c, ox_dim_floordiv(c, size(-7), size(2), &ret), ret, "-4");
        is(c, ox_dim_mod(c, size(-7), size(2), &ret), ret, "1");
        is(c, ox_dim_mod(c, text("4*N"), size(2), &ret), ret, "0");
        is(c, ox_dim_max(c, text("N"), size(1), &ret), ret, "max(N, 1)");
        is(c, ox_dim_min(c, text("N"), text("N + 1"), &ret), ret, "N");
        ox_context_free(c);
}
END_TEST

START_TEST(symbols_are_those_of_the_context)
{
        struct ox_context *c = new_context();
        struct ox_dim ret;

        set(c, "x", "tensor(float)", OX_SHAPE(OX_SYM("batch-size"), OX_SIZE(3)));
        is(c, ox_dim_mul(c, text("batch-size"), size(2), &ret), ret, "2*`batch-size`");
        is(c, ox_dim_add(c, ret, text("batch-size"), &ret), ret, "3*`batch-size`");
        ox_context_free(c);
}
END_TEST

START_TEST(symbols_are_replaced)
{
        struct ox_context *c = new_context();
        struct ox_dim ret;

        is(c, ox_dim_substitute(c, text("N//2 + M"), "N", size(9), &ret), ret, "M + 4");
        is(c, ox_dim_substitute(c, text("N*M"), "N", text("M + 1"), &ret), ret, "M*M + M");
        /* The replacement may contain the symbol itself, and may be made twice. */
        is(c, ox_dim_substitute(c, text("2*N"), "N", text("N + 1"), &ret), ret, "2*N + 2");
        is(c, ox_dim_substitute(c, text("2*N"), "N", text("N + 1"), &ret), ret, "2*N + 2");
        is(c, ox_dim_substitute(c, text("N + K"), "K", text("N"), &ret), ret, "2*N");
        is(c, ox_dim_substitute(c, text("N"), "absent", size(1), &ret), ret, "N");
        /* No symbol stays bound. */
        is(c, ox_dim_add(c, text("N"), size(0), &ret), ret, "N");
        ox_context_free(c);
}
END_TEST

START_TEST(expressions_have_values)
{
        static const struct ox_binding sizes[] = {{"N", 9}, {"M", 0}};
        struct ox_context *c = new_context();
        int64_t value = 1;

        ck_assert_int_eq(ox_dim_evaluate(c, text("(N + 1)//2 + M"), sizes, 2, &value), OX_OK);
        ck_assert_int_eq(value, 5);
        ck_assert_int_eq(ox_dim_evaluate(c, size(7), NULL, 0, &value), OX_OK);
        ck_assert_int_eq(value, 7);
        ck_assert_int_eq(ox_dim_evaluate(c, text("N//K"), sizes, 2, &value), OX_FAILED_PRECONDITION);
        says(c, "K");
        ck_assert_int_eq(value, 0);
        ck_assert_int_eq(ox_dim_evaluate(c, text("N//M"), sizes, 2, &value), OX_OUT_OF_RANGE);
        ck_assert_int_eq(ox_dim_evaluate(c, text("broadcast(N, M)"), sizes, 2, &value), OX_OUT_OF_RANGE);
        ox_context_free(c);
}
END_TEST

START_TEST(expressions_have_bounds)
{
        struct ox_context *c = new_context();
        int64_t least, most;

        ck_assert_int_eq(ox_dim_bounds(c, text("min(N, 512) + 1"), &least, &most), OX_OK);
        ck_assert_int_eq(least, 1);
        ck_assert_int_eq(most, 513);
        ck_assert_int_eq(ox_dim_bounds(c, text("N"), &least, &most), OX_OK);
        ck_assert_int_eq(least, 0);
        ck_assert_int_eq(most, INT64_MAX);
        ck_assert_int_eq(ox_dim_bounds(c, text(""), &least, &most), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(least, INT64_MIN);
        ox_context_free(c);
}
END_TEST

START_TEST(errors)
{
        struct ox_limits limits;
        struct ox_context *c;
        struct ox_dim ret;

        ox_limits_default(&limits);
        limits.expression_terms = 2;
        c = ox_context_new(&limits);
        ck_assert_ptr_nonnull(c);
        ck_assert_int_eq(ox_dim_floordiv(c, text("N"), size(0), &ret), OX_INVALID_ARGUMENT);
        says(c, "divided by 0");
        ck_assert_ptr_null(ret.text);
        ck_assert_int_eq(ox_dim_add(c, size(INT64_MAX), size(1), &ret), OX_OUT_OF_RANGE);
        says(c, "64 bits");
        is(c, ox_dim_add(c, text("a"), text("b"), &ret), ret, "a + b");
        ck_assert_int_eq(ox_dim_add(c, ret, text("c"), &ret), OX_RESOURCE_EXHAUSTED);
        says(c, "expression_terms");
        ck_assert_int_eq(ox_dim_add(c, text("\xff"), size(1), &ret), OX_INVALID_ARGUMENT);
        ck_assert_int_eq(ox_dim_add(c, text(""), size(1), &ret), OX_INVALID_ARGUMENT);
        /* An error leaves nothing behind. */
        is(c, ox_dim_add(c, text("a"), size(1), &ret), ret, "a + 1");
        ox_context_free(c);
}
END_TEST

UNIT_MAIN("shape_dim", operations_give_canonical_forms, symbols_are_those_of_the_context, symbols_are_replaced,
          expressions_have_values, expressions_have_bounds, errors);
