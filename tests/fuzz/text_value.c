#include "text_value.h"

#include <string.h>

#include "base/checked.h"

#define DEPTH_MOST 80
#define TOKEN_MOST 2048

/* above / below, below > 0, without a common divisor. */
struct ratio {
        int64_t above, below;
};

struct evaluator {
        const char *at, *end;
        text_number number;
        void *user;
        int depth;
};

/* -- fractions -- */

static bool ratio_of(int64_t above, int64_t below, struct ratio *ret)
{
        int64_t a = above, b = below;

        if (below == 0 || above == INT64_MIN || below == INT64_MIN)
                return false;
        while (b != 0) {
                int64_t rest = a % b;

                a = b;
                b = rest;
        }
        a = a < 0 ? -a : a;
        if (a == 0)
                return false;
        *ret = (struct ratio){above / a, below / a};
        if (ret->below < 0)
                *ret = (struct ratio){-ret->above, -ret->below};
        return true;
}

static bool add(struct ratio *a, struct ratio b, int64_t sign)
{
        int64_t left, right, above, below;

        return mul_i64(b.above, sign, &b.above) && mul_i64(a->above, b.below, &left) &&
               mul_i64(b.above, a->below, &right) && add_i64(left, right, &above) &&
               mul_i64(a->below, b.below, &below) && ratio_of(above, below, a);
}

static bool multiply(struct ratio *a, struct ratio b)
{
        int64_t above, below;

        return mul_i64(a->above, b.above, &above) && mul_i64(a->below, b.below, &below) && ratio_of(above, below, a);
}

static bool divide(struct ratio *a, struct ratio b)
{
        int64_t above, below;

        return mul_i64(a->above, b.below, &above) && mul_i64(a->below, b.above, &below) && ratio_of(above, below, a);
}

static bool is_whole(struct ratio a)
{
        return a.below == 1;
}

static bool divide_whole(struct ratio *a, struct ratio b, bool modulo)
{
        if (!is_whole(*a) || !is_whole(b))
                return false;
        return modulo ? mod_i64(a->above, b.above, &a->above) : floordiv_i64(a->above, b.above, &a->above);
}

/* -- the text -- */

static bool sum(struct evaluator *e, struct ratio *ret);

static bool take(struct evaluator *e, const char *token)
{
        size_t length = strlen(token);

        while (e->at < e->end && (*e->at == ' ' || *e->at == '\t'))
                e->at++;
        if ((size_t)(e->end - e->at) < length || memcmp(e->at, token, length) != 0)
                return false;
        e->at += length;
        return true;
}

static bool join(const char *name, struct ratio *a, struct ratio b)
{
        if (!is_whole(*a) || !is_whole(b))
                return false;
        if (name[0] == 'm' || name[0] == 'M') {
                bool greater = name[1] == 'a';

                if (greater ? b.above > a->above : b.above < a->above)
                        *a = b;
                return true;
        }
        if (a->above != b.above && a->above != 1 && b.above != 1)
                return false;
        if (a->above == 1)
                *a = b;
        return true;
}

static bool floor_of(struct ratio *a, bool up)
{
        if (up)
                a->above = -a->above;
        if (!floordiv_i64(a->above, a->below, &a->above))
                return false;
        if (up)
                a->above = -a->above;
        a->below = 1;
        return true;
}

/* After the opening parenthesis. */
static bool call(struct evaluator *e, const char *name, struct ratio *ret)
{
        struct ratio arg[2];
        bool joins = strcmp(name, "max") == 0 || strcmp(name, "min") == 0 || strcmp(name, "Max") == 0 ||
                     strcmp(name, "Min") == 0 || strcmp(name, "broadcast") == 0;
        unsigned n = 1;

        if (!sum(e, &arg[0]))
                return false;
        for (; take(e, ","); n++) {
                if (!sum(e, &arg[1]) || (joins ? !join(name, &arg[0], arg[1]) : n > 1))
                        return false;
        }
        *ret = arg[0];
        if (!take(e, ")"))
                return false;
        if (joins)
                return is_whole(*ret);
        if (strcmp(name, "Mod") == 0 || strcmp(name, "PythonMod") == 0 || strcmp(name, "FloorDiv") == 0)
                return n == 2 && divide_whole(ret, arg[1], name[0] != 'F');
        if (strcmp(name, "IntTrueDiv") == 0)
                return n == 2 && divide(ret, arg[1]);
        if (strcmp(name, "floor") == 0 || strcmp(name, "FloorToInt") == 0)
                return n == 1 && floor_of(ret, false);
        if (strcmp(name, "ceiling") == 0 || strcmp(name, "CeilToInt") == 0)
                return (n == 1 || divide(ret, arg[1])) && floor_of(ret, true);
        return false;
}

static bool name_value(struct evaluator *e, const char *name, size_t length, struct ratio *ret)
{
        ret->below = 1;
        return e->number(e->user, name, length, &ret->above);
}

static bool quoted(struct evaluator *e, struct ratio *ret)
{
        char name[TOKEN_MOST];
        size_t length = 0;

        while (e->at < e->end && *e->at != '`' && length < TOKEN_MOST) {
                if (*e->at == '\\' && ++e->at == e->end)
                        return false;
                name[length++] = *e->at++;
        }
        return length > 0 && take(e, "`") && name_value(e, name, length, ret);
}

static bool is_letter(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static bool digits(struct evaluator *e, int64_t *ret)
{
        *ret = 0;
        for (; e->at < e->end && is_digit(*e->at); e->at++)
                if (!mul_i64(*ret, 10, ret) || !add_i64(*ret, *e->at - '0', ret))
                        return false;
        return true;
}

static bool atom(struct evaluator *e, struct ratio *ret)
{
        char name[TOKEN_MOST];
        size_t length = 0;

        if (take(e, "("))
                return sum(e, ret) && take(e, ")");
        if (take(e, "`"))
                return quoted(e, ret);
        if (e->at < e->end && is_digit(*e->at)) {
                ret->below = 1;
                return digits(e, &ret->above);
        }
        while (e->at < e->end && (is_letter(*e->at) || (is_digit(*e->at) && length > 0)) && length < TOKEN_MOST - 1)
                name[length++] = *e->at++;
        name[length] = '\0';
        if (length == 0)
                return false;
        return take(e, "(") ? call(e, name, ret) : name_value(e, name, length, ret);
}

static bool power(struct evaluator *e, struct ratio *ret)
{
        struct ratio base;
        int64_t exponent;

        if (!atom(e, &base))
                return false;
        *ret = base;
        if (!take(e, "**"))
                return true;
        take(e, "");
        if (e->at == e->end || !is_digit(*e->at) || !digits(e, &exponent) || exponent > 16)
                return false;
        *ret = (struct ratio){1, 1};
        for (int64_t i = 0; i < exponent; i++)
                if (!multiply(ret, base))
                        return false;
        return true;
}

static bool signed_power(struct evaluator *e, struct ratio *ret)
{
        bool negative = false, more = true;

        while (more) {
                if (take(e, "-"))
                        negative = !negative;
                else
                        more = take(e, "+");
        }
        return power(e, ret) && (!negative || multiply(ret, (struct ratio){-1, 1}));
}

static bool product(struct evaluator *e, struct ratio *ret)
{
        struct ratio right;
        bool good = signed_power(e, ret);

        while (good) {
                if (take(e, "*"))
                        good = signed_power(e, &right) && multiply(ret, right);
                else if (take(e, "//"))
                        good = signed_power(e, &right) && divide_whole(ret, right, false);
                else if (take(e, "/"))
                        good = signed_power(e, &right) && divide(ret, right);
                else if (take(e, "%"))
                        good = signed_power(e, &right) && divide_whole(ret, right, true);
                else
                        break;
        }
        return good;
}

static bool sum(struct evaluator *e, struct ratio *ret)
{
        struct ratio right;

        if (e->depth++ > DEPTH_MOST)
                return false;
        bool good = product(e, ret);

        while (good) {
                if (take(e, "+"))
                        good = product(e, &right) && add(ret, right, 1);
                else if (take(e, "-"))
                        good = product(e, &right) && add(ret, right, -1);
                else
                        break;
        }
        e->depth--;
        return good;
}

bool text_value(const struct text *text, text_number number, void *user, int64_t *ret)
{
        struct evaluator e = {.at = text->at, .end = text->at + text->size, .number = number, .user = user};
        struct ratio value;

        if (!sum(&e, &value) || !is_whole(value))
                return false;
        take(&e, "");
        *ret = value.above;
        return e.at == e.end;
}
