/* Canonical forms and their text, faults, facts and bindings, by example. */
#include <string.h>

#include "dim/dim.h"
#include "unit.h"

static struct arena *arena;
static struct strings *strings;
static struct dim_table *table;

static void start(void)
{
        struct ox_limits limits;

        ox_limits_default(&limits);
        arena = arena_new((size_t)1 << 30);
        strings = strings_new(arena, 7);
        table = dim_table_new(arena, strings, &limits, 7);
}

static void stop(void)
{
        arena_free(arena);
}

static struct dim read(const char *text)
{
        struct dim d = dim_int(0);

        ck_assert_msg(dim_parse(table, text, strlen(text), NULL, NULL, NULL, true, &d), "%s does not read", text);
        return d;
}

static struct dim named(const char *name)
{
        return dim_named(table, str_intern_z(strings, name), NULL, true);
}

static void expect(const char *text, struct dim d)
{
        ck_assert_str_eq(dim_text(table, d), text);
}

/* Each row has a table of its own, so that symbols are made in the order of the text. */
static void expect_all(const char *const (*pairs)[2], size_t n)
{
        for (size_t i = 0; i < n; i++) {
                start();
                struct dim d = read(pairs[i][0]);

                ck_assert_msg(strcmp(dim_text(table, d), pairs[i][1]) == 0, "%s gives %s, not %s", pairs[i][0],
                              dim_text(table, d), pairs[i][1]);
                ck_assert_uint_eq(dim_take_faults(table), 0);
                stop();
        }
}

#define EXPECT_ALL(pairs) expect_all((pairs), sizeof(pairs) / sizeof((pairs)[0]))

START_TEST(sums_and_products)
{
        static const char *const pairs[][2] = {
                {"x - y + y", "x"},
                {"2*x + 3*x - x", "4*x"},
                {"a + b - a", "b"},
                {"5 + x - 2 + 3", "x + 6"},
                {"5 + x - (2 + 3)", "x"},
                {"x - x", "0"},
                {"x - x + 2", "2"},
                {"x - 1", "x - 1"},
                {"1 - x", "1 - x"},
                {"-2*x + 5", "5 - 2*x"},
                {"-x - 1", "-x - 1"},
                {"-x + 2*x", "x"},
                {"b + a - c", "b + a - c"},
                {"-c + b", "b - c"},
                {"x*0", "0"},
                {"(a + b)*(a - b)", "a*a - b*b"},
                {"x**2 + 1", "x*x + 1"},
                {"4096*a*b + 8*a*b", "4104*a*b"},
                {"a*3 + N*M*2 - 3", "2*N*M + 3*a - 3"},
                {"-2*(N//2)*M", "-2*M*(N//2)"},
                {"-(N//2)", "-(N//2)"},
                {"M - N//2", "M - N//2"},
                {"-1*(N%3)", "-(N%3)"},
                {"(p + s) + 16384*b*p + 4096*b*s + 8*b*s + 748180122", "16384*p*b + 4104*s*b + p + s + 748180122"},
        };

        EXPECT_ALL(pairs);
}
END_TEST

START_TEST(divisions)
{
        static const char *const pairs[][2] = {
                {"2*batch//batch", "2"},
                {"2*x//2", "x"},
                {"(x*y)//y", "x"},
                {"(x*(y+1))//(y+1)", "x"},
                {"(x**2 + 2*x + 1)//(x + 1)", "x + 1"},
                {"x//x", "1"},
                {"1024*a//2", "512*a"},
                {"1024*(a+b)//1024*2", "2*a + 2*b"},
                {"(2*a+4*b+6*c)//2", "a + 2*b + 3*c"},
                {"(2*b+2*c+1)//2", "b + c"},
                {"(2*b+2*c+3)//2", "b + c + 1"},
                {"(2*b+3*c)//2", "b + 3*c//2"},
                {"(2*x+1)//4", "x//2"},
                {"(2*N+4)//2", "N + 2"},
                {"(4*N*M)//(2*M)", "2*N"},
                {"(s-10)//5", "s//5 - 2"},
                {"(s+10)//5", "s//5 + 2"},
                {"2*(H//2)", "2*(H//2)"},
                {"(3*H)//3", "H"},
                {"(a-3)//2+1", "(a + 1)//2 - 1"},
                {"x//5//2", "x//10"},
                {"(x//a)//2", "x//(2*a)"},
                {"(x//2)//b", "x//(2*b)"},
                {"((H-1)//2+1-1)//2+1", "(H + 3)//4"},
                {"-7//2", "-4"},
                {"7//-2", "-4"},
                {"(-N)//2", "-((N + 1)//2)"},
                {"-(-N//2)", "(N + 1)//2"},
                {"N//(N+1)", "0"},
                {"-1//(N+1)", "-1"},
                {"(S+C-1)//C", "(S - 1)//C + 1"},
                {"a*(b//c)", "a*(b//c)"},
                {"(a*b)//c", "a*b//c"},
                {"a//(b*c)", "a//(b*c)"},
                {"a//(b + 1)", "a//(b + 1)"},
                {"(a//b)%c", "(a//b)%c"},
        };

        EXPECT_ALL(pairs);
}
END_TEST

START_TEST(rings_and_rests)
{
        static const char *const pairs[][2] = {
                {"b+c-CeilToInt(b+c,2)+CeilToInt(b+c,2)", "b + c"},
                {"CeilToInt(b+c,2)", "(b + c + 1)//2"},
                {"CeilToInt(b+c,2)+(b+c)//2", "b + c"},
                {"a//2+(a+1)//2+b", "a + b"},
                {"x//3+(x+1)//3+(x+2)//3", "x"},
                {"(x+5)//3+(x+6)//3+(x+7)//3", "x + 5"},
                {"x//3+(x+1)//3", "x//3 + (x + 1)//3"},
                {"a//2+(a+2)//2", "2*(a//2) + 1"},
                {"N - (N+1)//2", "N//2"},
                {"M*(N//2) + M*((N+1)//2)", "M*N"},
                {"N%4 + 4*(N//4)", "N"},
                {"N - 4*(N//4)", "N%4"},
                {"N%1", "0"},
                {"a%a", "0"},
                {"(6*x)%3", "0"},
                {"(N%6)%3", "N%3"},
                {"(3*N+7)%2", "(N + 1)%2"},
                {"(4*N+2)%6", "2*((2*N + 1)%3)"},
                {"-7%3", "2"},
                {"7%-3", "-2"},
                {"(x*y)%(x*z)", "x*(y%z)"},
                {"(a + b*c)%c", "a%c"},
        };

        EXPECT_ALL(pairs);
}
END_TEST

/* All (N + i)//n are N together, whichever of them is made first; and n-1 of them are N less the last. */
START_TEST(rings_in_any_order)
{
        static const int64_t sizes[] = {2, 3, 4, 7, 8, 16};

        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
                int64_t n = sizes[k];

                for (int64_t first = 0; first < n; first++) {
                        start();
                        struct dim size = named("N"), others = dim_int(0), part = size;

                        for (int64_t i = 0; i < n; i++) {
                                part = dim_floordiv(table, dim_add(table, size, dim_int((first + i) % n)), dim_int(n));
                                if (i == n - 1)
                                        break;
                                others = dim_add(table, others, part);
                        }
                        struct dim left = dim_sub(table, size, part);

                        ck_assert_msg(dim_same(left, others), "%s is not %s", dim_text(table, left),
                                      dim_text(table, others));
                        ck_assert(dim_same(dim_mul(table, size, left), dim_mul(table, others, size)));
                        ck_assert(dim_same(dim_add(table, others, part), size));
                        ck_assert_uint_eq(dim_take_faults(table), 0);
                        stop();
                }
        }
}
END_TEST

START_TEST(extremes_and_broadcasts)
{
        static const char *const pairs[][2] = {
                {"max(N, 0)", "N"},
                {"max(N, 1)", "max(N, 1)"},
                {"max(1, N)", "max(N, 1)"},
                {"min(N, N+3)", "N"},
                {"max(N-1, 0)", "max(N - 1, 0)"},
                {"max(a, max(b, a), 3, 5)", "max(a, b, 5)"},
                {"min(b, a)", "min(b, a)"},
                {"min(max(N-1, 0), N)", "max(N - 1, 0)"},
                {"max(min(N, 5), 0)", "min(N, 5)"},
                {"max(N//2, N)", "N"},
                {"min(N*M, N*M*K)", "min(N*M, N*M*K)"},
                {"max(a, b) + min(a, b)", "a + b"},
                {"N - min(N, 5)", "max(N - 5, 0)"},
                {"max(M - 8, 0) + 8", "max(M, 8)"},
                {"max(M - 8, 0) + 10", "max(M, 8) + 2"},
                {"max(M, 8) - 8", "max(M - 8, 0)"},
                {"max(M, 8) - 10", "max(M, 8) - 10"},
                {"min(M - 8, 0) + 8", "min(M, 8)"},
                {"8 - min(8 - M, 0)", "max(M, 8)"},
                {"max(M - 8, K - 8, 0) + 8 - max(K, M, 8)", "0"},
                {"2*max(M - 4, 0) + 8", "2*max(M, 4)"},
                {"K*max(M - 8, 0) + 8*K", "K*max(M, 8)"},
                {"max(N - M, 0) + M + K", "K + max(N, M)"},
                {"max(2*a, 8)//2", "max(a, 4)"},
                {"max(3*a, 8)", "max(3*a, 8)"},
                {"max(max(M - 8, 0) + 4, K)", "max(K, M - 4, 4)"},
                {"max(8 - min(M, K), 1)", "max(8 - min(M, K), 1)"},
                {"broadcast(2*N, min(2*N, 512))", "2*N"},
                {"broadcast(a, a)", "a"},
                {"broadcast(a, 1, b)", "broadcast(a, b)"},
                {"broadcast(broadcast(a, b), a)", "broadcast(a, b)"},
                {"broadcast(a, broadcast(b, c))", "broadcast(broadcast(a, b), c)"},
                {"broadcast(a, 7)", "7"},
                {"broadcast(a, 0)", "0"},
                {"broadcast(b + 2, a)", "b + 2"},
                {"2*broadcast(a, b)//2", "broadcast(a, b)"},
        };

        EXPECT_ALL(pairs);
}
END_TEST

START_TEST(operands_in_any_order_are_one)
{
        start();
        struct dim a = named("a"), b = named("b"), x, y;

        ck_assert(dim_same(dim_max(table, a, b), dim_max(table, b, a)));
        ck_assert(dim_same(dim_min(table, a, b), dim_min(table, b, a)));
        ck_assert(dim_same(dim_mul(table, a, b), dim_mul(table, b, a)));
        ck_assert(dim_broadcast(table, a, b, &x) && dim_broadcast(table, b, a, &y) && dim_same(x, y));
        ck_assert(!dim_broadcast(table, dim_int(2), dim_int(3), &x));
        ck_assert(!dim_broadcast(table, dim_int(0), dim_int(3), &x));
        ck_assert(dim_broadcast(table, dim_int(0), dim_int(1), &x) && dim_is(x, 0));
        expect("12", dim_exactdiv(table, dim_int(24), dim_int(2)));
        expect("2*a", dim_exactdiv(table, dim_mul(table, a, dim_int(8)), dim_int(4)));
        expect("8*a", dim_exactdiv(table, read("16*a*b*(a + 1)"), read("2*b*(a + 1)")));
        stop();
}
END_TEST

/* A sum of many is what adding them one by one gives, also past the limit and for numbers. No partial sum is stored. */
START_TEST(sums_of_many)
{
        enum { MANY = 900 };
        struct dim d[MANY + 200], sum = dim_int(0);

        start();
        ck_assert(dim_is(dim_sum(table, NULL, 0), 0));
        for (int i = 0; i < MANY + 200; i++)
                d[i] = i % 3 == 0 ? dim_int(i) : dim_fresh(table, "s", NULL);
        for (int i = 0; i < 60; i++)
                sum = dim_add(table, sum, d[i]);
        ck_assert(dim_same(dim_sum(table, d, 60), sum));
        struct dim halves[] = {read("H//2"), read("(H + 1)//2"), d[1]};

        ck_assert(dim_same(dim_sum(table, halves, 3), dim_add(table, read("H"), d[1])));
        size_t before = arena_used(arena);

        dim_sum(table, d, MANY);
        ck_assert_uint_lt(arena_used(arena) - before, (size_t)256 * MANY);
        ck_assert_uint_eq(dim_take_faults(table), 0);
        dim_sum(table, d, MANY + 200);
        ck_assert_uint_eq(dim_take_faults(table), 0);
        for (int i = 0; i < MANY + 200; i++)
                d[i] = dim_fresh(table, "s", NULL);
        sum = dim_sum(table, d, MANY + 200);
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_LIMIT);
        ck_assert(dim_proves_ge(table, sum, dim_int(0)) && dim_is_free(table, sum));
        struct dim large[] = {dim_int(INT64_MAX), dim_int(1), dim_int(2)};

        dim_sum(table, large, 3);
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW);
        stop();
}
END_TEST

/* A model may have a symbol for each of its values. */
START_TEST(symbols_are_small)
{
        enum { MANY = 5000 };

        start();
        dim_fresh_numbered(table, "s", NULL);
        size_t before = arena_used(arena);

        for (int i = 0; i < MANY; i++)
                dim_fresh_numbered(table, "s", NULL);
        ck_assert_uint_lt(arena_used(arena) - before, (size_t)450 * MANY);
        stop();
}
END_TEST

START_TEST(names)
{
        start();
        struct dim odd = dim_named(table, str_intern_z(strings, "p2o.Dim`0\\"), NULL, true);
        struct dim size = dim_named(table, str_intern_z(strings, "batch-size"), NULL, true);

        expect("p2o.Dim`0\\", odd);
        expect("2*`p2o.Dim\\`0\\\\` + `batch-size`", dim_add(table, dim_mul(table, odd, dim_int(2)), size));
        ck_assert(dim_same(read("2*`p2o.Dim\\`0\\\\`"), dim_mul(table, odd, dim_int(2))));
        /* The name of a function is quoted, lest it be taken for one. */
        expect("`max` + 1", dim_add(table, named("max"), dim_int(1)));
        ck_assert(dim_is_identifier("s_0", 3) && !dim_is_identifier("0s", 2) && !dim_is_identifier("", 0));
        ck_assert(!dim_is_identifier("a b", 3) && !dim_is_identifier("floor", 5));
        /* Fresh names keep clear of the model's. */
        dim_reserve(table, str_intern_z(strings, "k_2"));
        expect("k", dim_fresh(table, "k", NULL));
        expect("k_3", dim_fresh(table, "k", NULL));
        expect("k_4", dim_fresh(table, "k", NULL));
        ck_assert(!dim_same(named("k_4"), read("k_3")));
        stop();
}
END_TEST

static bool is_s0(void *user, str_id name)
{
        return strcmp(str_text(user, name), "s0") == 0;
}

START_TEST(reading)
{
        static const char *const pairs[][2] = {
                {"Max(1, s0)", "max(s0, 1)"},
                {"floor(N/2 - 1/2) + 1", "(N + 1)//2"},
                {"ceiling(s0/2)", "(s0 + 1)//2"},
                {"FloorDiv(s0, 2)", "s0//2"},
                {"Mod(s0, 4)", "s0%4"},
                {"CeilToInt(IntTrueDiv(s0, 4))", "(s0 + 3)//4"},
                {"2*N/2", "N"},
                {"+ - -x", "x"},
                {" ( a ) ", "a"},
                {"9223372036854775807", "9223372036854775807"},
                {"x - 9223372036854775807 - 1", "x - 9223372036854775807 - 1"},
                {"-9223372036854775807*x - x", "-9223372036854775807*x - x"},
                {"(-9223372036854775807 - 1)%x", "(-9223372036854775807 - 1)%x"},
        };
        static const char *const bad[] = {
                "",     "x +",     "batch-",      "a b",  "N/2",
                "x..y", "f(x)",    "max()",       "(a",   "a)",
                "a,b",  "2x",      "`a",          "``",   "a@b",
                "1//0", "a%(b-b)", "é",           "x**y", "9223372036854775808",
                "a..b", "Mod(a)",  "floor(a, b)",
        };
        struct dim d;
        char deep[512];

        EXPECT_ALL(pairs);
        start();
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
                ck_assert_msg(!dim_parse(table, bad[i], strlen(bad[i]), NULL, NULL, NULL, true, &d), "%s reads",
                              bad[i]);
        memset(deep, '(', sizeof(deep));
        ck_assert(!dim_parse(table, deep, sizeof(deep), NULL, NULL, NULL, true, &d));
        memset(deep, '-', sizeof(deep));
        ck_assert(!dim_parse(table, deep, sizeof(deep), NULL, NULL, NULL, true, &d));
        /* Names that are not good leave nothing behind. */
        uint32_t symbols = dim_symbol_count(table);

        named("s0");
        str_intern_z(strings, "other");
        ck_assert(!dim_parse(table, "s0 + other", 10, is_s0, strings, NULL, true, &d));
        ck_assert(!dim_parse(table, "s0 + unseen", 11, is_s0, strings, NULL, true, &d));
        ck_assert(dim_parse(table, "2*s0", 4, is_s0, strings, NULL, true, &d));
        ck_assert_uint_eq(dim_symbol_count(table), symbols + 1);
        stop();
}
END_TEST

START_TEST(faults)
{
        start();
        struct dim n = named("N"), big = dim_int(INT64_MAX);

        ck_assert(!dim_is_int(dim_add(table, big, dim_int(1))));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW);
        dim_mul(table, big, dim_int(2));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW);
        dim_sub(table, dim_int(INT64_MIN), dim_int(1));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW);
        dim_floordiv(table, dim_int(INT64_MIN), dim_int(-1));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW | DIM_FAULT_CONCRETE_OVERFLOW);
        dim_mul(table, dim_mul(table, n, big), dim_int(2));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW);
        dim_floordiv(table, n, dim_int(INT64_MIN));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_OVERFLOW);
        dim_floordiv(table, n, dim_int(0));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_ZERO_DIVISOR);
        dim_mod(table, dim_int(5), dim_int(0));
        ck_assert_uint_eq(dim_take_faults(table), DIM_FAULT_ZERO_DIVISOR);
        ck_assert(dim_is(dim_mod(table, dim_int(INT64_MIN), dim_int(-1)), 0));
        ck_assert_uint_eq(dim_take_faults(table), 0);
        /* The symbol in place of a size is a size; that in place of a difference may be anything. */
        int64_t lower, upper;

        dim_range(table, dim_mul(table, dim_mul(table, n, big), dim_int(2)), &lower, &upper);
        ck_assert(lower == 0 && upper == INT64_MAX);
        dim_range(table, dim_sub(table, dim_int(INT64_MIN), dim_int(1)), &lower, &upper);
        ck_assert(lower == INT64_MIN && upper == INT64_MAX);
        stop();
}
END_TEST

START_TEST(growth_ends)
{
        start();
        struct dim x = named("x"), y = named("y"), z = named("z");
        unsigned seen = 0;

        for (int i = 0; i < 3000; i++) {
                x = dim_add(table, dim_mul(table, x, x), x);
                y = dim_max(table, dim_add(table, y, z),
                            dim_floordiv(table, dim_mul(table, y, dim_int(3)), dim_int(2)));
                z = dim_mod(table, dim_add(table, dim_mul(table, z, named("w")), dim_int(i)),
                            dim_add(table, y, dim_int(7)));
                seen |= dim_take_faults(table);
        }
        ck_assert(seen & DIM_FAULT_LIMIT);
        struct dim sum = dim_int(0);

        for (int i = 0; i < 3000; i++)
                sum = dim_add(table, sum, dim_fresh(table, "f", NULL));
        ck_assert(dim_take_faults(table) & DIM_FAULT_LIMIT);
        stop();
}
END_TEST

START_TEST(proofs)
{
        static const char *const holds[][2] = {
                {"N", "0"},
                {"N", "N//2"},
                {"N + 1", "N"},
                {"N*M + N", "N*M"},
                {"max(N, M)", "M"},
                {"M", "min(N, M)"},
                {"N", "max(N - 1, 0)"},
                {"N", "min(N - 1, M)"},
                {"N", "N%3"},
                {"2", "N%3"},
                {"N*N", "N"},
                {"N*P", "N"},
                {"2*(N//2) + 1", "N"},
                {"N", "2*(N//2)"},
                {"K", "N%K"},
                {"N", "N//P"},
                {"P*P", "P"},
                {"N + P", "1"},
                {"M*max(N, 1)", "M*N"},
                {"max(N, 1)*N", "N"},
        };
        static const char *const fails[][2] = {
                {"N", "1"}, {"N", "M"}, {"N*M", "N"}, {"N//2", "N"}, {"N", "broadcast(N, M)"}, {"N - 1", "N - M"},
        };

        start();
        dim_assume_ge(table, named("P"), 1);
        for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++)
                ck_assert_msg(dim_proves_ge(table, read(holds[i][0]), read(holds[i][1])), "%s >= %s", holds[i][0],
                              holds[i][1]);
        for (size_t i = 0; i < sizeof(fails) / sizeof(fails[0]); i++)
                ck_assert_msg(!dim_proves_ge(table, read(fails[i][0]), read(fails[i][1])), "%s >= %s", fails[i][0],
                              fails[i][1]);
        ck_assert(dim_proves_unequal(table, read("N + 1"), read("N")));
        ck_assert(dim_proves_unequal(table, read("2*N + 1"), read("4*M")));
        ck_assert(dim_proves_unequal(table, read("P"), dim_int(0)));
        ck_assert(!dim_proves_unequal(table, read("N"), read("M")));
        ck_assert(dim_proves_equal(table, read("N + M"), read("M + N")));
        stop();
}
END_TEST

START_TEST(bindings)
{
        start();
        struct dim n = named("N"), m = named("M"), p = named("P"), ret;
        struct dim u = dim_fresh(table, "u", NULL), v = dim_fresh(table, "v", NULL), w = dim_fresh(table, "w", NULL);
        struct dim input = dim_fresh_input(table, "x_0", NULL);

        ck_assert_int_eq(dim_unify(table, n, n, &ret), DIM_UNIFY_SAME);
        ck_assert_int_eq(dim_unify(table, n, m, &ret), DIM_UNIFY_FACT);
        ck_assert_int_eq(dim_unify(table, dim_int(4), n, &ret), DIM_UNIFY_FACT);
        ck_assert(dim_is(ret, 4));
        ck_assert_int_eq(dim_unify(table, dim_int(4), dim_int(5), &ret), DIM_UNIFY_CONFLICT);
        ck_assert_int_eq(dim_unify(table, dim_int(-1), n, &ret), DIM_UNIFY_CONFLICT);
        ck_assert_int_eq(dim_unify(table, dim_int(0), read("N + 1"), &ret), DIM_UNIFY_CONFLICT);
        ck_assert_int_eq(dim_unify(table, input, n, &ret), DIM_UNIFY_FACT);
        ck_assert_int_eq(dim_unify(table, input, dim_int(4), &ret), DIM_UNIFY_FACT);

        /* No symbol may hold itself, not by way of another either. */
        struct dim next = dim_add(table, v, dim_int(1));

        ck_assert_int_eq(dim_unify(table, v, dim_mul(table, v, p), &ret), DIM_UNIFY_FACT);
        ck_assert_int_eq(dim_unify(table, u, next, &ret), DIM_UNIFY_BOUND);
        expect("v + 1", dim_resolve(table, u));
        ck_assert_int_eq(dim_unify(table, v, dim_mul(table, u, p), &ret), DIM_UNIFY_FACT);
        ck_assert_int_eq(dim_unify(table, v, p, &ret), DIM_UNIFY_BOUND);
        ck_assert(dim_same(ret, p));
        expect("P + 1", dim_resolve(table, u));
        expect("P + 2", dim_resolve(table, dim_add(table, u, dim_int(1))));
        ck_assert_int_eq(dim_unify(table, dim_int(7), dim_mul(table, w, dim_int(2)), &ret), DIM_UNIFY_CONFLICT);
        ck_assert_int_eq(dim_unify(table, dim_int(6), dim_mul(table, w, dim_int(2)), &ret), DIM_UNIFY_BOUND);
        ck_assert(dim_is(ret, 6) && dim_is(dim_resolve(table, w), 3));
        expect("max(P, 3)", dim_resolve(table, dim_max(table, w, v)));

        struct dim a = dim_fresh(table, "a", NULL), b = dim_fresh(table, "b", NULL);

        ck_assert_int_eq(dim_unify(table, dim_mul(table, a, dim_int(2)), dim_mul(table, b, dim_int(2)), NULL),
                         DIM_UNIFY_BOUND);
        ck_assert(dim_same(dim_resolve(table, b), a));
        dim_define(table, str_intern_z(strings, "P"), 9);
        expect("12", dim_resolve(table, dim_add(table, u, dim_int(2))));
        stop();
}
END_TEST

START_TEST(long_chains_resolve)
{
        start();
        struct dim first = dim_fresh(table, "c", NULL), last = first;

        for (int i = 0; i < 100000; i++) {
                struct dim next = dim_fresh(table, "c", NULL);

                /* Each is bound to a sum with the next, so that the first one's value lies at the end of all. */
                ck_assert_int_eq(dim_unify(table, last, dim_add(table, next, dim_int(1)), NULL), DIM_UNIFY_BOUND);
                last = next;
        }
        ck_assert_int_eq(dim_unify(table, last, dim_int(5), NULL), DIM_UNIFY_BOUND);
        ck_assert(dim_is(dim_resolve(table, first), 100005));
        stop();
}
END_TEST

START_TEST(bounds)
{
        start();
        struct dim n = named("N"), u = dim_fresh(table, "u", NULL);
        int64_t lower, upper;

        dim_assume_ge(table, u, 3);
        dim_assume_le(table, u, 9);
        ck_assert_int_eq(dim_unify(table, u, dim_int(2), NULL), DIM_UNIFY_CONFLICT);
        ck_assert_int_eq(dim_unify(table, u, n, NULL), DIM_UNIFY_BOUND);
        dim_range(table, n, &lower, &upper);
        ck_assert(lower == 3 && upper == 9);
        expect("N", dim_max(table, n, dim_int(2)));
        dim_range(table, read("2*N - N//2"), &lower, &upper);
        ck_assert(lower <= 5 && upper >= 14);
        dim_assume_ge(table, n, 20); /* it contradicts a fact, so it is ignored */
        dim_range(table, n, &lower, &upper);
        ck_assert(lower == 3 && upper == 9);
        stop();
}
END_TEST

START_TEST(sizes_are_not_negative)
{
        start();
        struct dim size = read("N - M + 1"), other = read("N - M");
        uint32_t before = dim_hold(table, dim_symbol_count(table));

        dim_assume_size(table, size);
        ck_assert(!dim_proves_ge(table, size, dim_int(0))); /* the branch may not be taken */
        dim_release(table, before);
        dim_assume_size(table, size);
        ck_assert(dim_proves_ge(table, size, dim_int(0)));
        ck_assert(!dim_proves_ge(table, other, dim_int(0)));
        expect("N - M + 1", dim_max(table, size, dim_int(0)));
        dim_assume_size(table, read("-N - 1")); /* it cannot hold, so it is ignored */
        ck_assert(!dim_proves_ge(table, read("-N - 1"), dim_int(0)));
        stop();
}
END_TEST

START_TEST(divisors_of_sizes)
{
        static const char *const pairs[][2] = {
                {"H%32", "0"},
                {"(H + 3)%8", "3"},
                {"3*H%64", "3*H%64"},
                {"32*(H//32)", "H"},
                {"2*(H//32)", "H//16"},
                {"(H + 15)//16", "H//16"},
                {"(H + 35)//16", "H//16 + 2"},
                {"(N + H)//32", "H//32 + N//32"},
                {"(H + 63)//64", "(H + 63)//64"},
                {"((H//2 + 1)//2 + 1)//2", "H//8"},
                {"H*W//64", "H*W//64"},
                {"64*(H*W//64)", "H*W"},
                {"(3*W + 1)//2", "3*(W//2)"},
                {"4*((M + 1)//4)", "M + 1"},
                {"(M + 2)//4", "M//4 + 1"},
                {"M//4*4", "M - 3"},
                {"max(8*(H//8), H - 1)", "H"},
        };

        start();
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
                read(pairs[i][0]); /* these were there before the fact */
        dim_assume_multiple(table, dim_int(32), read("H"));
        dim_assume_multiple(table, dim_int(2), read("2*W")); /* this says nothing */
        ck_assert(!dim_is(dim_mod(table, read("W"), dim_int(2)), 0));
        dim_assume_multiple(table, dim_int(4), read("2*W"));
        dim_assume_multiple(table, dim_int(4), read("M + 1"));
        dim_assume_multiple(table, dim_int(4), read("M")); /* it contradicts a fact, so it is ignored */
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
                struct dim d = dim_settle(table, read(pairs[i][0]));

                ck_assert_msg(strcmp(dim_text(table, d), pairs[i][1]) == 0, "%s gives %s, not %s", pairs[i][0],
                              dim_text(table, d), pairs[i][1]);
        }
        ck_assert(dim_proves_equal(table, read("8*(H//8)"), read("H")));
        ck_assert_int_eq(dim_unify(table, read("8*(H//8)"), read("H"), NULL), DIM_UNIFY_SAME);
        dim_withdraw_multiples(table);
        expect("H%32", dim_mod(table, read("H"), dim_int(32)));
        dim_restore_multiples(table);
        ck_assert(dim_is(dim_mod(table, read("H"), dim_int(32)), 0));
        uint32_t before = dim_hold(table, dim_symbol_count(table));

        dim_assume_multiple(table, dim_int(9), read("H")); /* the branch may not be taken */
        dim_release(table, before);
        expect("H%9", dim_mod(table, read("H"), dim_int(9)));
        stop();
}
END_TEST

/* u has at most N elements, v at most 7, w as many as data say. */
START_TEST(extents)
{
        static const struct {
                const char *size, *least, *most; /* "": none is known */
        } rows[] = {
                {"2*u + 1", "1", "2*N + 1"},
                {"N - u", "0", "N"},
                {"u*v", "0", "7*N"},
                {"u*M + K", "K", "N*M + K"},
                {"(u + v)//2", "0", "(N + 1)//2 + 3"},
                {"u%5", "0", "4"},
                {"max(u, v)", "0", "max(N, 7)"},
                {"min(u, w)", "0", "N"},
                {"min(u, 3*K)", "0", "min(N, 3*K)"},
                {"max(M, w)", "M", ""},
                {"broadcast(u, M)", "0", "max(N, M)"},
                {"w + 3", "3", ""},
                {"5 - w", "", "5"},
                {"N//u", "0", ""},
        };
        static const char *const assigned = "NMK";
        struct dim least = dim_int(0), most = dim_int(0);

        start();
        for (const char *c = assigned; *c; c++)
                named((const char[]){*c, 0});
        dim_assume_most(table, dim_named(table, str_intern_z(strings, "u"), NULL, false), read("N"));
        dim_assume_le(table, dim_named(table, str_intern_z(strings, "v"), NULL, false), 7);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                struct dim size = dim_int(0);

                ck_assert(dim_parse(table, rows[i].size, strlen(rows[i].size), NULL, NULL, NULL, false, &size));
                bool has_least = dim_extent(table, size, false, &least),
                     has_most = dim_extent(table, size, true, &most);

                ck_assert_msg(strcmp(has_least ? dim_text(table, least) : "", rows[i].least) == 0, "%s is at least %s",
                              rows[i].size, has_least ? dim_text(table, least) : "nothing");
                ck_assert_msg(strcmp(has_most ? dim_text(table, most) : "", rows[i].most) == 0, "%s is at most %s",
                              rows[i].size, has_most ? dim_text(table, most) : "nothing");
        }
        stop();
}
END_TEST

/* N is 7, M is 3, K is 0, L is 1; others have no value. */
static bool some_values(void *user, uint32_t symbol, int64_t *ret)
{
        const char *name = str_text(strings, dim_symbol_at(table, symbol)->name);

        (void)user;
        *ret = strcmp(name, "N") == 0 ? 7 : strcmp(name, "M") == 0 ? 3 : strcmp(name, "L") == 0 ? 1 : 0;
        return *ret || strcmp(name, "K") == 0;
}

/* Results are remembered by their operands: as long as no fact makes them simpler, and for all operands. */
START_TEST(remembered_results)
{
        start();
        struct dim n = named("N"), m = named("M"), of[700];

        for (int64_t i = 0; i < 700; i++)
                of[i] = dim_floordiv(table, dim_mul(table, n, dim_int(i % 5 + 2)), dim_add(table, m, dim_int(i)));
        for (int64_t i = 0; i < 700; i++) {
                struct dim again =
                        dim_floordiv(table, dim_mul(table, n, dim_int(i % 5 + 2)), dim_add(table, m, dim_int(i)));
                const char *text = arena_printf(arena, "%lld*N//(M + %lld)", (long long)(i % 5 + 2), (long long)i);

                ck_assert(dim_same(again, of[i]));
                ck_assert_msg(dim_same(read(text), of[i]), "%s is %s", text, dim_text(table, of[i]));
        }
        expect("max(N, 2)", dim_max(table, n, dim_int(2)));
        expect("min(N, 2)", dim_min(table, n, dim_int(2)));
        dim_assume_ge(table, n, 2);
        expect("N", dim_max(table, n, dim_int(2)));
        expect("2", dim_min(table, n, dim_int(2)));
        stop();
}
END_TEST

START_TEST(values_under_an_assignment)
{
        static const struct {
                const char *text;
                int64_t value;
        } known[] = {
                {"5", 5},
                {"N", 7},
                {"2*N - M + 1", 12},
                {"N*M*M", 63},
                {"N // M", 2},
                {"-N // M", -3},
                {"(M - N) % M", 2},
                {"max(N, M, 9)", 9},
                {"max(N, M)", 7},
                {"min(N, M)", 3},
                {"min(M, N, 2)", 2},
                {"broadcast(N, L)", 7},
                {"broadcast(L, N)", 7},
                {"broadcast(K, L)", 0},
                {"max(N // (M - 1), K)", 3},
        };
        static const char *const unknown[] = {"X",
                                              "N + X",
                                              "N // K",
                                              "N % K",
                                              "X // N",
                                              "N // X",
                                              "max(N, X)",
                                              "broadcast(N, M)",
                                              "N * 9223372036854775807",
                                              "9223372036854775807 + N",
                                              "9223372036854775807*L + N*M"};
        int64_t value;

        start();
        for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
                ck_assert_msg(dim_eval(table, read(known[i].text), some_values, NULL, &value), "%s", known[i].text);
                ck_assert_msg(value == known[i].value, "%s is %lld", known[i].text, (long long)value);
        }
        for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
                ck_assert_msg(!dim_eval(table, read(unknown[i]), some_values, NULL, &value), "%s is %lld", unknown[i],
                              (long long)value);
        stop();
}
END_TEST

UNIT_MAIN("dim", sums_and_products, divisions, rings_and_rests, rings_in_any_order, extremes_and_broadcasts,
          operands_in_any_order_are_one, sums_of_many, symbols_are_small, names, reading, faults, growth_ends, proofs,
          bindings, long_chains_resolve, bounds, sizes_are_not_negative, divisors_of_sizes, extents, remembered_results,
          values_under_an_assignment);
