/* Reading the attributes of a row. */
#include <math.h>
#include <string.h>

#include "base/bounds.h"
#include "base/nearest.h"
#include "ops/custom/read.h"

static bool read_type(struct lexer *lexer, struct op_attr *attr)
{
        struct nearest near;

        for (int type = ATTR_FLOAT; type <= ATTR_TYPE_PROTOS; type++)
                if (lex_take(lexer, attr_type_name(type))) {
                        attr->type = (enum attr_type)type;
                        return true;
                }
        nearest_begin(&near, lexer->token.text, lexer->token.length);
        for (int type = ATTR_FLOAT; type <= ATTR_TYPE_PROTOS; type++)
                nearest_try(&near, attr_type_name(type));
        return lex_fail(lexer,
                        near.best ? "'%.*s' is not a type of attributes; did you mean %s?"
                                  : "'%.*s' is not a type of attributes",
                        (int)lexer->token.length, lexer->token.text, near.best);
}

/* The type of one value: of a list, that of its elements. */
static enum attr_type element_type(enum attr_type type)
{
        return type == ATTR_INTS      ? ATTR_INT
               : type == ATTR_FLOATS  ? ATTR_FLOAT
               : type == ATTR_STRINGS ? ATTR_STRING
                                      : type;
}

struct literal {
        int64_t i;
        double f;
        const char *s;
};

static bool read_literal(struct lexer *lexer, const struct op_attr *attr, struct literal *ret)
{
        enum attr_type type = element_type(attr->type);
        bool negative = type != ATTR_STRING && lex_take(lexer, "-");
        const struct token *token = &lexer->token;
        bool good = type == ATTR_STRING  ? token->kind == TOKEN_STRING
                    : type == ATTR_INT   ? token->kind == TOKEN_INT
                    : type == ATTR_FLOAT ? token->kind == TOKEN_INT || token->kind == TOKEN_FLOAT
                                         : false;

        if (!good)
                return lex_fail(lexer, "expected a value of attribute '%s', which is of type %s, got '%.*s'",
                                attr->name, attr_type_name((int)attr->type), (int)token->length, token->text);
        *ret = (struct literal){
                .i = negative ? -token->i : token->i, .f = negative ? -token->f : token->f, .s = token->s};
        lex_next(lexer);
        return true;
}

/* `[1, 2]`, behind its bracket. */
static bool read_literals(struct lexer *lexer, const struct op_attr *attr, struct literal *values, size_t *ret_count)
{
        size_t count = 0;

        while (!lex_take(lexer, "]")) {
                if (count > 0 && !lex_expect(lexer, ","))
                        return false;
                if (count == CUSTOM_ITEMS)
                        return lex_fail(lexer, "a list has more than %d values", CUSTOM_ITEMS);
                if (!read_literal(lexer, attr, &values[count]))
                        return false;
                count++;
        }
        *ret_count = count;
        return true;
}

/* The values as an array of their type, in the pointer for it. */
static void keep_literals(struct lexer *lexer, enum attr_type type, const struct literal *values, size_t count,
                          const int64_t **ints, const float **floats, const char *const **texts)
{
        int64_t *i = arena_new_array(lexer->arena, int64_t, count);
        float *f = arena_new_array(lexer->arena, float, count);
        const char **s = arena_alloc(lexer->arena, count * sizeof(*s));

        for (size_t at = 0; at < count; at++) {
                i[at] = values[at].i;
                f[at] = (float)values[at].f;
                s[at] = values[at].s;
        }
        if (type == ATTR_INT)
                *ints = i;
        else if (type == ATTR_FLOAT)
                *floats = f;
        else
                *texts = s;
}

/* `1..`, `..1`, `0..1` */
static bool read_range(struct lexer *lexer, const struct op_attr *attr, struct op_allowed *allowed)
{
        struct literal least = {.i = INT64_MIN, .f = -INFINITY}, most = {.i = INT64_MAX, .f = INFINITY};

        if (!lex_take(lexer, "..") && (!read_literal(lexer, attr, &least) || !lex_expect(lexer, "..")))
                return false;
        if ((lex_is(lexer, "-") || lexer->token.kind == TOKEN_INT || lexer->token.kind == TOKEN_FLOAT) &&
            !read_literal(lexer, attr, &most))
                return false;
        allowed->least = least.i;
        allowed->most = most.i;
        allowed->f_least = least.f;
        allowed->f_most = most.f;
        return true;
}

/* `[3]`, `[1..]`, `[2..4]` behind the type of a list: its length. */
static bool read_length(struct lexer *lexer, const struct op_attr *attr, struct op_allowed *allowed, bool *bounded)
{
        static const struct op_attr length = {.name = "length", .type = ATTR_INT};
        struct op_allowed range = {0};
        struct literal exact = {0};

        if (!lex_take(lexer, "["))
                return true;
        if (element_type(attr->type) == attr->type)
                return lex_fail(lexer, "attribute '%s' is not a list, whose length could be bounded", attr->name);
        if (lexer->token.kind == TOKEN_INT && lex_follows(lexer, "]")) {
                read_literal(lexer, &length, &exact);
                range.least = range.most = exact.i;
        } else if (!read_range(lexer, &length, &range)) {
                return false;
        }
        *bounded = true;
        allowed->min_count = range.least > 0 ? (size_t)range.least : 0;
        allowed->max_count = range.most < 0 ? 0 : (uint64_t)range.most > SIZE_MAX ? SIZE_MAX : (size_t)range.most;
        return lex_expect(lexer, "]");
}

static bool read_variable(struct lexer *lexer, const struct op_attr *attr, struct op_allowed *allowed)
{
        allowed->variable = lex_name(lexer, "a type variable");
        if (element_type(attr->type) == ATTR_INT)
                return !lexer->error;
        return lex_fail(lexer, "'of' is for attributes of type int or ints, and '%s' is of type %s", attr->name,
                        attr_type_name((int)attr->type));
}

static bool read_values(struct lexer *lexer, const struct op_attr *attr, struct op_allowed *allowed)
{
        struct literal values[CUSTOM_ITEMS];

        allowed->warns = lex_take(lexer, "?");
        if (!lex_take(lexer, "["))
                return read_range(lexer, attr, allowed);
        if (!read_literals(lexer, attr, values, &allowed->count))
                return false;
        allowed->spelled = allowed->count;
        keep_literals(lexer, element_type(attr->type), values, allowed->count, &allowed->ints, &allowed->floats,
                      &allowed->words);
        return true;
}

/* `in 1..`, `in [0, 2]`, `in? ["a", "b"]`, `of T` */
static bool read_allowed(struct lexer *lexer, const struct op_attr *attr, struct op_allowed *allowed, bool *bounded)
{
        *allowed = (struct op_allowed){
                .least = INT64_MIN, .most = INT64_MAX, .f_least = -INFINITY, .f_most = INFINITY, .max_count = SIZE_MAX};
        if (!read_length(lexer, attr, allowed, bounded))
                return false;
        if (lex_take(lexer, "of")) {
                *bounded = true;
                return read_variable(lexer, attr, allowed);
        }
        if (!lex_take(lexer, "in"))
                return true;
        *bounded = true;
        return read_values(lexer, attr, allowed);
}

static bool read_default(struct lexer *lexer, struct op_attr *attr)
{
        struct literal values[CUSTOM_ITEMS] = {{0}};
        bool is_list = element_type(attr->type) != attr->type;

        attr->has_default = true;
        if (!is_list) {
                if (!read_literal(lexer, attr, &values[0]))
                        return false;
                attr->i = values[0].i;
                attr->f = values[0].f;
                attr->s = values[0].s;
                return true;
        }
        if (!lex_expect(lexer, "[") || !read_literals(lexer, attr, values, &attr->count))
                return false;
        keep_literals(lexer, element_type(attr->type), values, attr->count, &attr->ints, &attr->floats, &attr->strings);
        return true;
}

static bool read_attr(struct signature *s)
{
        struct lexer *lexer = s->lexer;
        struct op_attr *attr = &s->attr[s->n_attr];

        *attr = (struct op_attr){.name = lex_name(lexer, "the name of an attribute")};
        if (!attr->name || !lex_expect(lexer, ":") || !read_type(lexer, attr) ||
            !read_allowed(lexer, attr, &s->allowed[s->n_attr], &s->bounded[s->n_attr]))
                return false;
        attr->required = lex_take(lexer, "!");
        return attr->required || !lex_take(lexer, "=") || read_default(lexer, attr);
}

bool custom_read_attrs(struct signature *s)
{
        struct lexer *lexer = s->lexer;

        if (!lex_take(lexer, "{"))
                return true;
        while (!lex_take(lexer, "}")) {
                if (s->n_attr > 0 && !lex_expect(lexer, ","))
                        return false;
                if (s->n_attr == CUSTOM_ITEMS)
                        return lex_fail(lexer, "there are more than %d attributes", CUSTOM_ITEMS);
                if (!read_attr(s))
                        return false;
                for (size_t i = 0; i < s->n_attr; i++)
                        if (strcmp(s->attr[i].name, s->attr[s->n_attr].name) == 0)
                                return lex_fail(lexer, "two attributes are called '%s'", s->attr[i].name);
                s->n_attr++;
        }
        return true;
}

static struct op_constraint *find_variable(struct signature *s, const char *name)
{
        for (size_t c = 0; c < s->n_constraint; c++)
                if (strcmp(s->constraint[c].name, name) == 0)
                        return &s->constraint[c];
        return NULL;
}

bool custom_name_elems(struct signature *s)
{
        for (size_t a = 0; a < s->n_attr; a++) {
                struct op_allowed *allowed = &s->allowed[a];

                if (!allowed->variable)
                        continue;
                struct op_constraint *variable = find_variable(s, allowed->variable);

                if (!variable)
                        return lex_fail(s->lexer, "attribute '%s' is of %s, which is not a type variable of %s",
                                        s->attr[a].name, allowed->variable, s->name);
                if (variable->attr >= 0)
                        return lex_fail(s->lexer, "two attributes name the element type of %s", allowed->variable);
                variable->attr = (int)a;
                /* 0, undefined, where it is the default: the inputs decide. */
                allowed->elems = variable->tensor_elems | (s->attr[a].has_default && s->attr[a].i == 0);
        }
        return true;
}
