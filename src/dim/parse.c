/* Reading expressions: Python's, and what sympy and torch print. A quotient by / is a fraction, which must be whole in
   the end or stand in floor() or ceiling().

   Sums and products are read as a whole before they become dimensions: no part of what is printed, which may be past a
   limit where the whole is not or be written in another way, comes in between. The terms of what is read are on
   scratch: whatever reads a part of the text leaves that part's alone there. */
#include <ctype.h>
#include <string.h>

#include "dim/internal.h"

struct fraction {
        struct poly above;
        struct dim below;
};

struct parser {
        struct dim_table *t;
        const char *at, *end;
        unsigned depth;
        bool dry; /* only checks the syntax, and the names */
        bool (*name_ok)(void *user, str_id name);
        void *user;
        const struct dim_origin *origin;
        bool from_input;
};

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

/* Most names are of sizes, and short. */
static size_t find_function(const char *text, size_t length)
{
        if (length < sizeof("max") - 1)
                return FUNCTIONS;
        for (size_t i = 0; i < FUNCTIONS; i++)
                if (functions[i].name[0] == text[0] && strlen(functions[i].name) == length &&
                    memcmp(functions[i].name, text, length) == 0)
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

static struct fraction whole(const struct parser *p, struct dim d)
{
        struct term room;
        struct poly of = poly_of(p->t, d, &room);
        struct term *term = scratch_take(p->t, of.n, sizeof(*term));

        memcpy(term, of.term, of.n * sizeof(*term));
        return (struct fraction){.above = {term, of.n}, .below = dim_int(1)};
}

/* Keeps only these terms on scratch since the mark, and room for some more. */
static struct term *keep(const struct parser *p, struct scratch_mark mark, struct poly terms, size_t room)
{
        scratch_release(p->t, mark);
        struct term *kept = scratch_take(p->t, room, sizeof(*kept));

        if (terms.n)
                memmove(kept, terms.term, terms.n * sizeof(*kept));
        return kept;
}

static void keep_fraction(const struct parser *p, struct scratch_mark mark, struct fraction *f)
{
        f->above.term = keep(p, mark, f->above, f->above.n);
}

/* Whether a sum is no longer than one that was printed, where the least of all integers makes two terms of one. */
static bool is_short(const struct parser *p, struct poly sum)
{
        return sum.n <= (size_t)2 * p->t->max_terms;
}

static bool above(const struct parser *p, struct fraction f, struct dim *ret)
{
        return ok(poly_intern(p->t, f.above, ret));
}

/* The value of a fraction that must be an integer. */
static bool fraction_whole(const struct parser *p, struct fraction f, struct dim *ret)
{
        struct dim rest, divided;

        *ret = dim_int(0);
        if (p->dry)
                return true;
        if (dim_is(f.below, 1))
                return above(p, f, ret);
        return above(p, f, &divided) && ok(expr_mod(p->t, divided, f.below, &rest)) && dim_is(rest, 0) &&
               ok(expr_floordiv(p->t, divided, f.below, ret));
}

static bool mul(const struct parser *p, struct fraction *a, struct fraction b)
{
        return p->dry || (ok(poly_mul(p->t, a->above, b.above, &a->above)) && is_short(p, a->above) &&
                          (dim_is(b.below, 1) || ok(expr_mul(p->t, a->below, b.below, &a->below))));
}

/* a / b */
static bool divide(const struct parser *p, struct fraction *a, struct fraction b)
{
        struct dim by;
        struct fraction inverse;

        if (p->dry)
                return true;
        if (!above(p, b, &by) || dim_is(by, 0))
                return false;
        inverse = whole(p, b.below);
        inverse.below = by;
        return mul(p, a, inverse);
}

/* Both operands whole. */
static bool divide_whole(const struct parser *p, struct fraction *a, struct fraction b, bool modulo)
{
        struct dim left, right, result = dim_int(0);

        if (p->dry)
                return true;
        if (!fraction_whole(p, *a, &left) || !fraction_whole(p, b, &right))
                return false;
        if (!ok(modulo ? expr_mod(p->t, left, right, &result) : expr_floordiv(p->t, left, right, &result)))
                return false;
        *a = whole(p, result);
        return true;
}

/* -- grammar: the limit on the nesting of expressions bounds the recursion -- */

static bool read_sum(struct parser *p, struct fraction *ret);

static void skip_blanks(struct parser *p)
{
        while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
                p->at++;
}

/* Whether the text continues with a token; skips it if so. */
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

        /* All names of the model are interned by now, so an unknown text is not a name of it. */
        if (p->name_ok && (!str_find(p->t->strings, text, length, &name) || !p->name_ok(p->user, name)))
                return false;
        *ret = (struct fraction){.below = dim_int(1)};
        if (!p->dry)
                *ret = whole(p, dim_named(p->t, str_intern(p->t->strings, text, length), p->origin, p->from_input));
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
        if (!closed || length == 0 || !use_name(p, text, length, ret))
                return false;
        keep_fraction(p, mark, ret);
        return true;
}

static bool extreme(struct parser *p, enum function function, const struct fraction *arg, unsigned n,
                    struct fraction *ret)
{
        struct dim value[MAX_CALL_ARGUMENTS], result = dim_int(0);
        unsigned faults = 0;

        for (unsigned i = 0; i < n; i++)
                if (!fraction_whole(p, arg[i], &value[i]))
                        return false;
        if (function == FN_BROADCAST)
                faults = expr_broadcast(p->t, value, n, &faults, &result) ? faults : DIM_FAULT_LIMIT;
        else
                faults = expr_extreme(p->t, function == FN_MAX ? ATOM_MAX : ATOM_MIN, value, n, &result);
        *ret = whole(p, result);
        return ok(faults);
}

static bool call(struct parser *p, enum function function, const struct fraction *arg, unsigned n, struct fraction *ret)
{
        struct dim result = dim_int(0), of;

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
                if (!above(p, *ret, &of) || !ok(function == FN_FLOOR ? expr_floordiv(p->t, of, ret->below, &result)
                                                                     : expr_ceildiv(p->t, of, ret->below, &result)))
                        return false;
                *ret = whole(p, result);
                return true;
        }
        return false;
}

static bool read_call(struct parser *p, size_t index, struct fraction *ret)
{
        struct fraction arg[MAX_CALL_ARGUMENTS];
        struct scratch_mark mark = scratch_mark(p->t);
        unsigned n = 0;

        do {
                if (n == functions[index].most || !read_sum(p, &arg[n++]))
                        return false;
        } while (accept(p, ","));
        if (!accept(p, ")") || n < functions[index].least || !call(p, functions[index].function, arg, n, ret))
                return false;
        keep_fraction(p, mark, ret);
        return true;
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
                *ret = whole(p, dim_int(number));
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
        struct scratch_mark mark = scratch_mark(p->t);
        struct fraction base;
        int64_t exponent;

        if (!read_atom(p, ret))
                return false;
        if (!accept(p, "**"))
                return true;
        skip_blanks(p);
        if (!read_number(p, &exponent) || exponent > MAX_POWER)
                return false;
        struct scratch_mark after_base = scratch_mark(p->t);

        base = *ret;
        *ret = whole(p, dim_int(1));
        for (int64_t i = 0; i < exponent; i++) {
                if (!mul(p, ret, base))
                        return false;
                keep_fraction(p, after_base, ret);
        }
        keep_fraction(p, mark, ret);
        return true;
}

static bool read_signed(struct parser *p, struct fraction *ret)
{
        struct scratch_mark mark = scratch_mark(p->t);
        bool negative = false;

        for (;;) {
                if (accept(p, "-"))
                        negative = !negative;
                else if (!accept(p, "+"))
                        break;
        }
        if (!read_power(p, ret))
                return false;
        if (!negative)
                return true;
        if (!mul(p, ret, whole(p, dim_int(-1))))
                return false;
        keep_fraction(p, mark, ret);
        return true;
}

static bool read_product(struct parser *p, struct fraction *ret)
{
        struct scratch_mark mark = scratch_mark(p->t);
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
                if (done)
                        keep_fraction(p, mark, ret);
        }
        return done;
}

/* Brings a sum over `below` and a fraction to a common denominator. */
static bool make_alike(const struct parser *p, struct gather *sum, struct dim *below, struct fraction *b)
{
        struct poly joined;
        struct dim both;

        if (!ok(gather_join(p->t, sum, &joined)) || !ok(poly_mul(p->t, joined, whole(p, b->below).above, &joined)) ||
            !ok(poly_mul(p->t, b->above, whole(p, *below).above, &b->above)) ||
            !ok(expr_mul(p->t, *below, b->below, &both)))
                return false;
        *below = b->below = both;
        *sum = (struct gather){0};
        return ok(gather_poly(p->t, sum, joined, 1));
}

static bool add(const struct parser *p, struct gather *sum, struct dim *below, struct fraction b, int64_t sign)
{
        return p->dry || ((dim_same(*below, b.below) || make_alike(p, sum, below, &b)) &&
                          ok(gather_poly(p->t, sum, b.above, sign)));
}

/* The summands after the first. */
static bool read_summands(struct parser *p, struct scratch_mark mark, struct fraction *ret)
{
        struct gather sum = {0};
        bool done = ok(gather_poly(p->t, &sum, ret->above, 1));

        while (done) {
                const struct term *before = sum.term;
                struct scratch_mark after_sum = scratch_mark(p->t);
                int64_t sign = accept(p, "+") ? 1 : accept(p, "-") ? -1 : 0;
                struct fraction right;

                if (sign == 0)
                        return ok(gather_join(p->t, &sum, &ret->above)) && is_short(p, ret->above);
                done = read_product(p, &right) && add(p, &sum, &ret->below, right, sign);
                if (done && sum.term == before)
                        scratch_release(p->t, after_sum);
                else if (done)
                        sum.term = keep(p, mark, (struct poly){sum.term, sum.n}, sum.room);
        }
        return false;
}

static bool read_sum(struct parser *p, struct fraction *ret)
{
        struct scratch_mark mark = scratch_mark(p->t);

        if (p->depth >= p->t->max_depth)
                return false;
        p->depth++;
        bool done = read_product(p, ret) && read_summands(p, mark, ret);

        p->depth--;
        if (done)
                keep_fraction(p, mark, ret);
        return done;
}

bool dim_parse(struct dim_table *t, const char *text, size_t length, bool (*name_ok)(void *user, str_id name),
               void *user, const struct dim_origin *origin, bool from_input, struct dim *ret)
{
        /* Most texts are a single name. */
        if (dim_is_identifier(text, length)) {
                str_id name;

                if (name_ok && (!str_find(t->strings, text, length, &name) || !name_ok(user, name)))
                        return false;
                if (!name_ok)
                        name = str_intern(t->strings, text, length);
                *ret = dim_named(t, name, origin, from_input);
                return true;
        }
        /* Parses first without creating symbols, because they cannot be removed. */
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

                struct scratch_mark mark = scratch_mark(t);
                bool reads = read_sum(&p, &value);

                skip_blanks(&p);
                reads = reads && p.at == p.end && fraction_whole(&p, value, &result);
                scratch_release(t, mark);
                if (!reads)
                        return false;
                if (!dry)
                        *ret = result;
        }
        return true;
}

/* "batch-size" is more often a name than a difference; with spaces, other operators or a number it is an expression. */
bool dim_looks_like_name(const char *text, size_t length)
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
            (!dim_looks_like_name(text, length) && dim_parse(t, text, length, NULL, NULL, origin, true, &d)))
                return d;
        return dim_named(t, str_intern(t->strings, text, length), origin, true);
}
