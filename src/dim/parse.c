/* Reading expressions: Python's, and what sympy and torch print. A quotient by / is a fraction, which must be whole in
   the end or stand in floor() or ceiling(). */
#include <ctype.h>
#include <string.h>

#include "dim/internal.h"

struct fraction {
        struct dim above, below;
};

struct parser {
        struct dim_table *t;
        const char *at, *end;
        unsigned depth;
        bool dry; /* only looks whether it reads, and at the names */
        bool (*name_ok)(void *user, str_id name);
        void *user;
        const struct dim_origin *origin;
        bool from_input;
};

#define MAX_CALL_ARGUMENTS 32
#define MAX_POWER          16

enum function { FN_MAX, FN_MIN, FN_BROADCAST, FN_MOD, FN_FLOORDIV, FN_TRUEDIV, FN_FLOOR, FN_CEILING };

static const struct {
        const char *name;
        enum function function;
        unsigned least, most; /* arguments */
} functions[] = {
        {"max", FN_MAX, 1, MAX_CALL_ARGUMENTS},
        {"min", FN_MIN, 1, MAX_CALL_ARGUMENTS},
        {"Max", FN_MAX, 1, MAX_CALL_ARGUMENTS},
        {"Min", FN_MIN, 1, MAX_CALL_ARGUMENTS},
        {"broadcast", FN_BROADCAST, 1, MAX_CALL_ARGUMENTS},
        {"Mod", FN_MOD, 2, 2},
        {"PythonMod", FN_MOD, 2, 2},
        {"FloorDiv", FN_FLOORDIV, 2, 2},
        {"IntTrueDiv", FN_TRUEDIV, 2, 2},
        {"floor", FN_FLOOR, 1, 1},
        {"FloorToInt", FN_FLOOR, 1, 1},
        {"ceiling", FN_CEILING, 1, 1},
        {"CeilToInt", FN_CEILING, 1, 2}, /* of a fraction, or of numerator and denominator */
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static size_t find_function(const char *text, size_t length)
{
        for (size_t i = 0; i < FUNCTIONS; i++)
                if (strlen(functions[i].name) == length && memcmp(functions[i].name, text, length) == 0)
                        return i;
        return FUNCTIONS;
}

bool is_function_name(const char *text, size_t length)
{
        return find_function(text, length) < FUNCTIONS;
}

/* -- fractions -- */

static bool ok(unsigned faults)
{
        return faults == 0;
}

static struct fraction whole(struct dim d)
{
        return (struct fraction){.above = d, .below = dim_int(1)};
}

/* The value of a fraction that must be whole. */
static bool settle(const struct parser *p, struct fraction f, struct dim *ret)
{
        struct dim rest;

        if (dim_is(f.below, 1)) {
                *ret = f.above;
                return true;
        }
        return p->dry || (ok(expr_mod(p->t, f.above, f.below, &rest)) && dim_is(rest, 0) &&
                          ok(expr_floordiv(p->t, f.above, f.below, ret)));
}

static bool add(const struct parser *p, struct fraction *a, struct fraction b, int64_t sign)
{
        struct dim left, right;

        if (p->dry)
                return true;
        if (dim_same(a->below, b.below))
                return ok(expr_combine(p->t, a->above, 1, b.above, sign, &a->above));
        return ok(expr_mul(p->t, a->above, b.below, &left)) && ok(expr_mul(p->t, b.above, a->below, &right)) &&
               ok(expr_mul(p->t, a->below, b.below, &a->below)) &&
               ok(expr_combine(p->t, left, 1, right, sign, &a->above));
}

static bool mul(const struct parser *p, struct fraction *a, struct fraction b)
{
        return p->dry ||
               (ok(expr_mul(p->t, a->above, b.above, &a->above)) && ok(expr_mul(p->t, a->below, b.below, &a->below)));
}

/* a / b */
static bool divide(const struct parser *p, struct fraction *a, struct fraction b)
{
        return p->dry || (!dim_is(b.above, 0) && ok(expr_mul(p->t, a->above, b.below, &a->above)) &&
                          ok(expr_mul(p->t, a->below, b.above, &a->below)));
}

/* Both operands whole. */
static bool divide_whole(const struct parser *p, struct fraction *a, struct fraction b, bool modulo)
{
        struct dim left, right, result = dim_int(0);

        if (p->dry)
                return true;
        if (!settle(p, *a, &left) || !settle(p, b, &right))
                return false;
        if (!ok(modulo ? expr_mod(p->t, left, right, &result) : expr_floordiv(p->t, left, right, &result)))
                return false;
        *a = whole(result);
        return true;
}

static bool negate(const struct parser *p, struct fraction *a)
{
        return p->dry || ok(expr_negate(p->t, a->above, &a->above));
}

/* -- grammar: each nesting costs a level of depth, which the limit of expressions bounds -- */

static bool read_sum(struct parser *p, struct fraction *ret);

static void skip_blanks(struct parser *p)
{
        while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
                p->at++;
}

/* Whether the text goes on with a token, and past it if so. */
static bool accept(struct parser *p, const char *token)
{
        size_t length = strlen(token);

        skip_blanks(p);
        if ((size_t)(p->end - p->at) < length || memcmp(p->at, token, length) != 0)
                return false;
        p->at += length;
        return true;
}

static bool read_number(struct parser *p, int64_t *ret)
{
        int64_t value = 0;
        bool any = false;

        for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++, any = true)
                if (!mul_i64(value, 10, &value) || !add_i64(value, *p->at - '0', &value))
                        return false;
        *ret = value;
        return any;
}

static bool use_name(struct parser *p, const char *text, size_t length, struct fraction *ret)
{
        str_id name;

        /* Names of the model are interned already: one that is not is none of them. */
        if (p->name_ok && (!str_find(p->t->strings, text, length, &name) || !p->name_ok(p->user, name)))
                return false;
        *ret = whole(dim_int(1));
        if (!p->dry)
                *ret = whole(dim_named(p->t, str_intern(p->t->strings, text, length), p->origin, p->from_input));
        return true;
}

static bool read_quoted(struct parser *p, struct fraction *ret)
{
        size_t length = 0, room = (size_t)(p->end - p->at);
        struct scratch_mark mark = scratch_mark(p->t);
        char *text = scratch_take(p->t, room + 1, 1);
        bool closed = false;

        while (p->at < p->end && !closed) {
                char c = *p->at++;

                if (c == '`') {
                        closed = true;
                } else if (c != '\\') {
                        text[length++] = c;
                } else if (p->at < p->end && (*p->at == '`' || *p->at == '\\')) {
                        text[length++] = *p->at++;
                } else {
                        break;
                }
        }
        bool read = closed && length > 0 && use_name(p, text, length, ret);

        scratch_release(p->t, mark);
        return read;
}

static bool extreme(struct parser *p, enum function function, const struct fraction *arg, unsigned n,
                    struct fraction *ret)
{
        struct dim value[MAX_CALL_ARGUMENTS], result = dim_int(0);
        unsigned faults = 0;

        for (unsigned i = 0; i < n; i++)
                if (!settle(p, arg[i], &value[i]))
                        return false;
        if (function == FN_BROADCAST)
                faults = expr_broadcast(p->t, value, n, &faults, &result) ? faults : DIM_FAULT_LIMIT;
        else
                faults = expr_extreme(p->t, function == FN_MAX ? ATOM_MAX : ATOM_MIN, value, n, &result);
        *ret = whole(result);
        return ok(faults);
}

static bool call(struct parser *p, enum function function, const struct fraction *arg, unsigned n, struct fraction *ret)
{
        struct dim result = dim_int(0);

        *ret = arg[0];
        if (p->dry)
                return true;
        switch (function) {
        case FN_MAX:
        case FN_MIN:
        case FN_BROADCAST:
                return extreme(p, function, arg, n, ret);
        case FN_MOD:
        case FN_FLOORDIV:
                return divide_whole(p, ret, arg[1], function == FN_MOD);
        case FN_TRUEDIV:
                return divide(p, ret, arg[1]);
        case FN_FLOOR:
        case FN_CEILING:
                if (n == 2 && !divide(p, ret, arg[1]))
                        return false;
                if (!ok(function == FN_FLOOR ? expr_floordiv(p->t, ret->above, ret->below, &result)
                                             : expr_ceildiv(p->t, ret->above, ret->below, &result)))
                        return false;
                *ret = whole(result);
                return true;
        }
        return false;
}

static bool read_call(struct parser *p, size_t index, struct fraction *ret)
{
        struct fraction arg[MAX_CALL_ARGUMENTS];
        unsigned n = 0;

        do {
                if (n == functions[index].most || !read_sum(p, &arg[n++]))
                        return false;
        } while (accept(p, ","));
        return accept(p, ")") && n >= functions[index].least && call(p, functions[index].function, arg, n, ret);
}

static bool read_name(struct parser *p, struct fraction *ret)
{
        const char *start = p->at;

        while (p->at < p->end && ((*p->at >= 'a' && *p->at <= 'z') || (*p->at >= 'A' && *p->at <= 'Z') ||
                                  *p->at == '_' || (*p->at >= '0' && *p->at <= '9' && p->at > start)))
                p->at++;
        size_t length = (size_t)(p->at - start);
        size_t index = find_function(start, length);

        if (length == 0)
                return false;
        if (accept(p, "("))
                return index < FUNCTIONS && read_call(p, index, ret);
        return use_name(p, start, length, ret);
}

static bool read_atom(struct parser *p, struct fraction *ret)
{
        int64_t number;

        skip_blanks(p);
        if (p->at == p->end)
                return false;
        if (*p->at >= '0' && *p->at <= '9') {
                if (!read_number(p, &number))
                        return false;
                *ret = whole(dim_int(number));
                return true;
        }
        if (accept(p, "`"))
                return read_quoted(p, ret);
        if (accept(p, "("))
                return read_sum(p, ret) && accept(p, ")");
        return read_name(p, ret);
}

/* Powers as sympy prints them: x**2. */
static bool read_power(struct parser *p, struct fraction *ret)
{
        struct fraction base;
        int64_t exponent;

        if (!read_atom(p, ret))
                return false;
        if (!accept(p, "**"))
                return true;
        skip_blanks(p);
        if (!read_number(p, &exponent) || exponent > MAX_POWER)
                return false;
        base = *ret;
        *ret = whole(dim_int(1));
        for (int64_t i = 0; i < exponent; i++)
                if (!mul(p, ret, base))
                        return false;
        return true;
}

static bool read_signed(struct parser *p, struct fraction *ret)
{
        bool negative = false;

        for (;;) {
                if (accept(p, "-"))
                        negative = !negative;
                else if (!accept(p, "+"))
                        break;
        }
        return read_power(p, ret) && (!negative || negate(p, ret));
}

static bool read_product(struct parser *p, struct fraction *ret)
{
        struct fraction right;
        bool done = read_signed(p, ret);

        while (done) {
                if (accept(p, "*"))
                        done = read_signed(p, &right) && mul(p, ret, right);
                else if (accept(p, "//"))
                        done = read_signed(p, &right) && divide_whole(p, ret, right, false);
                else if (accept(p, "/"))
                        done = read_signed(p, &right) && divide(p, ret, right);
                else if (accept(p, "%"))
                        done = read_signed(p, &right) && divide_whole(p, ret, right, true);
                else
                        break;
        }
        return done;
}

static bool read_sum(struct parser *p, struct fraction *ret)
{
        struct fraction right;

        if (p->depth >= p->t->max_depth)
                return false;
        p->depth++;
        bool done = read_product(p, ret);

        while (done) {
                if (accept(p, "+"))
                        done = read_product(p, &right) && add(p, ret, right, 1);
                else if (accept(p, "-"))
                        done = read_product(p, &right) && add(p, ret, right, -1);
                else
                        break;
        }
        p->depth--;
        return done;
}

bool dim_parse(struct dim_table *t, const char *text, size_t length, bool (*name_ok)(void *user, str_id name),
               void *user, const struct dim_origin *origin, bool from_input, struct dim *ret)
{
        /* First without making symbols, which nothing would take back. */
        for (int dry = 1; dry >= 0; dry--) {
                struct parser p = {.t = t,
                                   .at = text,
                                   .end = text + length,
                                   .dry = dry != 0,
                                   .name_ok = name_ok,
                                   .user = user,
                                   .origin = origin,
                                   .from_input = from_input};
                struct fraction value;
                struct dim result;

                if (!read_sum(&p, &value))
                        return false;
                skip_blanks(&p);
                if (p.at != p.end || !settle(&p, value, &result))
                        return false;
                if (!dry)
                        *ret = result;
        }
        return true;
}

/* "batch-size" is more often a name than a difference; with spaces, other operators or a number it is an expression. */
static bool looks_like_name(const char *text, size_t length)
{
        for (const char *c = text; c < text + length; c++) {
                if (strchr("+*/%() ,`", *c) != NULL)
                        return false;
                if (*c == '-' && (c == text || c + 1 == text + length || !isalpha((unsigned char)c[1])))
                        return false;
        }
        return true;
}

struct dim dim_read(struct dim_table *t, const char *text, size_t length, bool (*known)(void *user, str_id name),
                    void *user, const struct dim_origin *origin)
{
        struct dim d;

        if (dim_parse(t, text, length, known, user, origin, true, &d) ||
            (!looks_like_name(text, length) && dim_parse(t, text, length, NULL, NULL, origin, true, &d)))
                return d;
        return dim_named(t, str_intern(t->strings, text, length), origin, true);
}
