/* Random expressions: what canonical forms, ranges, proofs, texts and bindings say holds for numbers. Every expression
   is evaluated as it was written, with checked arithmetic, and by its canonical form. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "dim/dim.h"
#include "unit.h"

#define EXPRESSIONS 100000
#define SYMBOLS     4
#define TABLE_LIFE  500 /* expressions until a new table starts */
#define ASSIGNMENTS 12
#define MAX_NODES   24

enum op { OP_ADD, OP_SUB, OP_MUL, OP_FLOORDIV, OP_CEILDIV, OP_MOD, OP_MAX, OP_MIN, OP_BROADCAST, OPS };

struct node {
        bool leaf, is_symbol;
        enum op op;
        int left, right;
        int64_t value; /* an integer, or the number of a symbol */
};

struct tree {
        struct node node[MAX_NODES];
        int n;
};

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state % below;
}

static int64_t draw_integer(void)
{
        static const int64_t often[] = {0, 1, 2, 2, 3, 4, -1, -2, 5, 6, 8, 12};

        return draw(20) ? often[draw(sizeof(often) / sizeof(often[0]))] : (int64_t)draw(2000) - 1000;
}

static int64_t draw_size(void)
{
        static const int64_t often[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 24};

        return draw(10) ? often[draw(sizeof(often) / sizeof(often[0]))] : (int64_t)draw(1000);
}

static int grow(struct tree *tree, int depth)
{
        int at = tree->n++;
        struct node node = {.leaf = depth == 0 || tree->n + 2 * depth + 2 > MAX_NODES || draw(5) == 0};

        if (node.leaf) {
                node.is_symbol = draw(3) != 0;
                node.value = node.is_symbol ? (int64_t)draw(SYMBOLS) : draw_integer();
        } else {
                node.op = (enum op)draw(OPS);
                node.left = grow(tree, depth - 1);
                node.right = grow(tree, depth - 1);
        }
        tree->node[at] = node;
        return at;
}

static struct dim build(struct dim_table *t, const struct tree *tree, int at, const struct dim *symbol, bool *valid)
{
        const struct node *node = &tree->node[at];

        if (node->leaf)
                return node->is_symbol ? symbol[node->value] : dim_int(node->value);
        struct dim a = build(t, tree, node->left, symbol, valid), b = build(t, tree, node->right, symbol, valid), ret;

        switch (node->op) {
        case OP_ADD:
                return dim_add(t, a, b);
        case OP_SUB:
                return dim_sub(t, a, b);
        case OP_MUL:
                return dim_mul(t, a, b);
        case OP_FLOORDIV:
                return dim_floordiv(t, a, b);
        case OP_CEILDIV:
                return dim_ceildiv(t, a, b);
        case OP_MOD:
                return dim_mod(t, a, b);
        case OP_MAX:
                return dim_max(t, a, b);
        case OP_MIN:
                return dim_min(t, a, b);
        case OP_BROADCAST:
        case OPS:
                break;
        }
        if (dim_broadcast(t, a, b, &ret))
                return ret;
        *valid = false;
        return a;
}

/* -(-a // b) */
static bool ceildiv(int64_t a, int64_t b, int64_t *ret)
{
        return sub_i64(0, a, &a) && floordiv_i64(a, b, ret) && sub_i64(0, *ret, ret);
}

static bool broadcast(int64_t a, int64_t b, int64_t *ret)
{
        *ret = a == 1 ? b : a;
        return a == b || a == 1 || b == 1;
}

/* The tree's value. False where it is not defined. */
static bool value_of(const struct tree *tree, int at, const int64_t *symbol, int64_t *ret)
{
        const struct node *node = &tree->node[at];
        int64_t a, b;

        if (node->leaf) {
                *ret = node->is_symbol ? symbol[node->value] : node->value;
                return true;
        }
        if (!value_of(tree, node->left, symbol, &a) || !value_of(tree, node->right, symbol, &b))
                return false;
        switch (node->op) {
        case OP_ADD:
                return add_i64(a, b, ret);
        case OP_SUB:
                return sub_i64(a, b, ret);
        case OP_MUL:
                return mul_i64(a, b, ret);
        case OP_FLOORDIV:
                return floordiv_i64(a, b, ret);
        case OP_CEILDIV:
                return ceildiv(a, b, ret);
        case OP_MOD:
                return mod_i64(a, b, ret);
        case OP_MAX:
                *ret = a > b ? a : b;
                return true;
        case OP_MIN:
                *ret = a < b ? a : b;
                return true;
        case OP_BROADCAST:
                return broadcast(a, b, ret);
        case OPS:
                break;
        }
        return false;
}

static bool look_up(void *user, uint32_t symbol, int64_t *ret)
{
        const int64_t *value = user;

        if (symbol >= SYMBOLS)
                return false;
        *ret = value[symbol];
        return true;
}

struct bench {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *table;
        struct dim symbol[SYMBOLS];
        int64_t least[SYMBOLS];
};

/* A new table. In every other one some symbols have a lower bound. */
static void bench_start(struct bench *b, unsigned round, bool anonymous)
{
        static const char *const names[SYMBOLS] = {"a", "b", "N", "M"};
        struct ox_limits limits;

        ox_limits_default(&limits);
        arena_reset(b->arena, 1 << 20);
        b->strings = strings_new(b->arena, round);
        b->table = dim_table_new(b->arena, b->strings, &limits, round);
        for (unsigned i = 0; i < SYMBOLS; i++) {
                b->symbol[i] = anonymous ? dim_fresh(b->table, names[i], NULL)
                                         : dim_named(b->table, str_intern_z(b->strings, names[i]), NULL, true);
                b->least[i] = (round + i) % 4 == 3 ? (int64_t)(round % 3) + 1 : 0;
                if (b->least[i] > 0)
                        dim_assume_ge(b->table, b->symbol[i], b->least[i]);
        }
}

static void draw_assignment(const struct bench *b, int64_t *value)
{
        for (unsigned i = 0; i < SYMBOLS; i++) {
                value[i] = draw_size();
                if (value[i] < b->least[i])
                        value[i] = b->least[i];
        }
}

/* An expression without faults, which would put unknown symbols in the place of what it says. */
static bool draw_expression(struct bench *b, struct tree *tree, struct dim *ret)
{
        bool valid = true;

        tree->n = 0;
        grow(tree, 1 + (int)draw(4));
        *ret = build(b->table, tree, 0, b->symbol, &valid);
        return dim_take_faults(b->table) == 0 && valid;
}

static void check_values(struct bench *b, const struct tree *tree, struct dim d)
{
        int64_t lower, upper, expected, got;

        dim_range(b->table, d, &lower, &upper);
        for (unsigned i = 0; i < ASSIGNMENTS; i++) {
                int64_t value[SYMBOLS];

                draw_assignment(b, value);
                if (!value_of(tree, 0, value, &expected))
                        continue;
                ck_assert_msg(dim_eval(b->table, d, look_up, value, &got), "%s has no value at %lld %lld %lld %lld",
                              dim_text(b->table, d), (long long)value[0], (long long)value[1], (long long)value[2],
                              (long long)value[3]);
                ck_assert_msg(got == expected, "%s is %lld, not %lld, at %lld %lld %lld %lld", dim_text(b->table, d),
                              (long long)got, (long long)expected, (long long)value[0], (long long)value[1],
                              (long long)value[2], (long long)value[3]);
                ck_assert_msg(lower <= got && got <= upper, "%s is %lld, out of its range %lld ... %lld",
                              dim_text(b->table, d), (long long)got, (long long)lower, (long long)upper);
        }
}

static void check_text(struct bench *b, struct dim d)
{
        struct dim again;
        const char *text = dim_text(b->table, d);

        ck_assert_msg(dim_parse(b->table, text, strlen(text), NULL, NULL, NULL, true, &again), "%s does not read",
                      text);
        if (!dim_same(d, again))
                ck_abort_msg("%s reads as %s", text, dim_text(b->table, again));
}

START_TEST(canonical_forms_have_the_same_value)
{
        struct bench b = {.arena = arena_new((size_t)1 << 30)};
        struct tree tree;
        struct dim d;
        unsigned kept = 0;

        for (unsigned i = 0; i < EXPRESSIONS; i++) {
                if (i % TABLE_LIFE == 0)
                        bench_start(&b, i / TABLE_LIFE, false);
                if (!draw_expression(&b, &tree, &d))
                        continue;
                kept++;
                check_values(&b, &tree, d);
                check_text(&b, d);
        }
        ck_assert_uint_gt(kept, EXPRESSIONS / 2);
        arena_free(b.arena);
}
END_TEST

START_TEST(what_is_proven_holds)
{
        struct bench b = {.arena = arena_new((size_t)1 << 30)};
        struct tree left, right;
        struct dim a, c;
        unsigned proven = 0;

        for (unsigned i = 0; i < EXPRESSIONS / 2; i++) {
                if (i % TABLE_LIFE == 0)
                        bench_start(&b, i / TABLE_LIFE, false);
                if (!draw_expression(&b, &left, &a) || !draw_expression(&b, &right, &c))
                        continue;
                bool ge = dim_proves_ge(b.table, a, c), unequal = dim_proves_unequal(b.table, a, c);

                proven += ge;
                for (unsigned k = 0; k < ASSIGNMENTS && (ge || unequal); k++) {
                        int64_t value[SYMBOLS], x, y;

                        draw_assignment(&b, value);
                        if (!value_of(&left, 0, value, &x) || !value_of(&right, 0, value, &y))
                                continue;
                        ck_assert_msg(!ge || x >= y, "%s >= %s, yet %lld < %lld", dim_text(b.table, a),
                                      dim_text(b.table, c), (long long)x, (long long)y);
                        ck_assert_msg(!unequal || x != y, "%s != %s, yet both are %lld", dim_text(b.table, a),
                                      dim_text(b.table, c), (long long)x);
                }
        }
        ck_assert_uint_gt(proven, EXPRESSIONS / 50);
        arena_free(b.arena);
}
END_TEST

static bool is_free(const struct dim_symbol *symbol)
{
        return !symbol->is_bound;
}

/* Binds the last symbols to expressions of the first ones, and compares with an assignment that obeys the bindings. */
START_TEST(bindings_hold)
{
        struct bench b = {.arena = arena_new((size_t)1 << 30)};
        struct tree tree, other;
        struct dim d, bound, resolved;
        unsigned checked = 0;

        for (unsigned i = 0; i < EXPRESSIONS / 4; i++) {
                int64_t value[SYMBOLS], expected, got, given;

                bench_start(&b, 4 * i + 1, true);
                if (!draw_expression(&b, &tree, &d) || !draw_expression(&b, &other, &bound))
                        continue;
                enum dim_unify outcome = dim_unify(b.table, b.symbol[SYMBOLS - 1], bound, NULL);

                resolved = dim_resolve(b.table, d);
                if (outcome != DIM_UNIFY_BOUND)
                        continue;
                /* What has become undefined, as a division by 0, keeps its symbols. */
                if (dim_all_symbols(b.table, resolved, is_free))
                        ck_assert(dim_same(dim_resolve(b.table, resolved), resolved));
                for (unsigned k = 0; k < ASSIGNMENTS; k++) {
                        draw_assignment(&b, value);
                        if (!value_of(&other, 0, value, &given) || given < b.least[SYMBOLS - 1])
                                continue;
                        value[SYMBOLS - 1] = given;
                        /* The other side may hold the symbol in a form that simplifies it away, or give another. */
                        if (!value_of(&other, 0, value, &expected) || expected != given ||
                            !value_of(&tree, 0, value, &expected) || !dim_eval(b.table, resolved, look_up, value, &got))
                                continue;
                        checked++;
                        ck_assert_msg(got == expected, "%s is %lld, not %lld", dim_text(b.table, resolved),
                                      (long long)got, (long long)expected);
                }
        }
        ck_assert_uint_gt(checked, EXPRESSIONS / 50);
        arena_free(b.arena);
}
END_TEST

#define SUM_TERMS 96
#define SHUFFLES  12

/* Operations that relations connect, times random factors. Most sums of them can be written in many ways. */
static struct dim draw_related(struct bench *b)
{
        struct dim_table *t = b->table;
        struct dim *s = b->symbol, y[] = {s[0], dim_add(t, s[0], dim_int(1)), dim_mul(t, s[0], s[1]),
                                          dim_sub(t, dim_mul(t, s[0], dim_int(3)), s[1]), dim_sub(t, s[1], s[0])};
        struct dim by[] = {dim_int(2), dim_int(3), dim_int(5), dim_int(36), s[2]};
        struct dim times[] = {dim_int(1), dim_int(-1), dim_int(2), s[3], dim_mod(t, s[0], dim_int(3))};
        struct dim x = y[draw(5)], n = by[draw(5)], term;

        switch (draw(7)) {
        case 0:
                term = dim_mod(t, x, n);
                break;
        case 1:
                term = dim_mul(t, n, dim_floordiv(t, x, n));
                break;
        case 2:
                term = dim_floordiv(t, dim_add(t, x, dim_int((int64_t)draw(5))), n);
                break;
        case 3:
                term = dim_max(t, x, y[draw(5)]);
                break;
        case 4:
                term = dim_min(t, x, y[draw(5)]);
                break;
        case 5:
                term = dim_max(t, dim_sub(t, x, y[draw(5)]), dim_int(0));
                break;
        default:
                term = x;
                break;
        }
        return dim_mul(t, times[draw(5)], term);
}

/* Adds them up from the left, or in halves. */
static struct dim add_up(struct dim_table *t, const struct dim *term, int n, bool halves)
{
        struct dim sum = dim_int(0);

        if (halves && n > 2)
                return dim_add(t, add_up(t, term, n / 2, true), add_up(t, term + n / 2, n - n / 2, true));
        for (int i = 0; i < n; i++)
                sum = dim_add(t, sum, term[i]);
        return sum;
}

static void shuffle(struct dim *term, int n)
{
        for (int i = n - 1; i > 0; i--) {
                int other = (int)draw((uint64_t)i + 1);
                struct dim moved = term[i];

                term[i] = term[other];
                term[other] = moved;
        }
}

START_TEST(sums_in_any_order_are_one)
{
        struct bench b = {.arena = arena_new((size_t)1 << 30)};
        struct dim term[SUM_TERMS];

        for (unsigned round = 0; round < 60; round++) {
                int n = 2 + (int)draw(round < 30 ? 8 : SUM_TERMS - 1);

                bench_start(&b, 4 * round, false);
                for (int i = 0; i < n; i++)
                        term[i] = draw_related(&b);
                struct dim sum = add_up(b.table, term, n, false);

                check_text(&b, sum);
                for (int i = 0; i < SHUFFLES; i++) {
                        shuffle(term, n);
                        struct dim other = add_up(b.table, term, n, i % 2 != 0);

                        ck_assert_msg(dim_same(sum, other), "%s is another sum than %s", dim_text(b.table, sum),
                                      dim_text(b.table, other));
                }
                /* What is multiplied out is the product, too. */
                struct dim factor = draw_related(&b), product = dim_mul(b.table, factor, sum);

                for (int i = 0; i < n; i++)
                        term[i] = dim_mul(b.table, term[i], factor);
                ck_assert(dim_same(add_up(b.table, term, n, true), product));
                ck_assert_uint_eq(dim_take_faults(b.table), 0);
        }
        arena_free(b.arena);
}
END_TEST

UNIT_MAIN("dim_random", canonical_forms_have_the_same_value, sums_in_any_order_are_one, what_is_proven_holds,
          bindings_hold);
