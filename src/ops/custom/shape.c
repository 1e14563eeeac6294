/* Reading what a text states of shapes. */
#include "ops/custom/shape.h"

#include <string.h>

#include "base/bounds.h"
#include "base/nearest.h"

/* Names of one row's sizes, and of its runs of sizes. */
struct names {
        const char *name[CUSTOM_NAMES];
        int count;
};

struct reader {
        struct lexer *lexer;
        struct custom_row *row;
        struct names sizes, runs;
        const struct custom_pattern **pattern;
        const struct custom_shape **shape;
        int depth;
};

static const char *const reserved[] = {"attr", "broadcast", "ceildiv", "else", "given", "if",    "len",
                                       "max",  "min",       "rank",    "size", "value", "domain"};

static struct arena *arena_of(const struct reader *r)
{
        return r->lexer->arena;
}

static bool is_reserved(const char *name)
{
        for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
                if (strcmp(reserved[i], name) == 0)
                        return true;
        return false;
}

static int find_param(const struct op_param *param, size_t count, const char *name)
{
        for (size_t i = 0; i < count; i++)
                if (strcmp(param[i].name, name) == 0)
                        return (int)i;
        return -1;
}

static int find_name(const struct names *names, const char *name)
{
        for (int i = 0; i < names->count; i++)
                if (strcmp(names->name[i], name) == 0)
                        return i;
        return -1;
}

static bool enter(struct reader *r)
{
        return ++r->depth <= CUSTOM_DEPTH ||
               lex_fail(r->lexer, "expressions are nested more than %d levels", CUSTOM_DEPTH);
}

/* -- numbers -- */

static const struct custom_number *read_number(struct reader *r);

static const struct custom_number *made(struct reader *r, struct custom_number number)
{
        struct custom_number *ret = arena_new_array(arena_of(r), struct custom_number, 1);

        *ret = number;
        return r->lexer->error ? NULL : ret;
}

static int expect_input(struct reader *r)
{
        const char *name = r->lexer->token.s;
        int at = r->lexer->token.kind == TOKEN_NAME ? find_param(r->row->row.in, r->row->row.n_in, name) : -1;

        if (at < 0)
                lex_fail(r->lexer, "expected the name of an input, got '%.*s'", (int)r->lexer->token.length,
                         r->lexer->token.text);
        else
                lex_next(r->lexer);
        return at;
}

/* The attribute behind `attr.`, of one of two types. */
static const struct op_attr *expect_attr(struct reader *r, enum attr_type one, enum attr_type other)
{
        struct lexer *lexer = r->lexer;
        struct nearest near;

        if (!lex_expect(lexer, "attr") || !lex_expect(lexer, "."))
                return NULL;
        if (lexer->token.kind != TOKEN_NAME) {
                lex_fail(lexer, "expected the name of an attribute behind 'attr.'");
                return NULL;
        }
        const struct op_attr *attr = op_find_attr(&r->row->row, lexer->token.s);

        if (!attr) {
                nearest_begin(&near, lexer->token.s, lexer->token.length);
                for (size_t i = 0; i < r->row->row.n_attr; i++)
                        nearest_try(&near, r->row->row.attr[i].name);
                lex_fail(lexer, near.best ? "%s has no attribute '%s'; did you mean %s?" : "%s has no attribute '%s'",
                         r->row->row.name, lexer->token.s, near.best);
                return NULL;
        }
        if (attr->type != one && attr->type != other) {
                lex_fail(lexer, "attribute '%s' is of type %s, which has no place here", attr->name,
                         attr_type_name((int)attr->type));
                return NULL;
        }
        lex_next(lexer);
        return attr;
}

static const struct custom_number *read_index(struct reader *r)
{
        const struct custom_number *index;

        if (!lex_expect(r->lexer, "["))
                return NULL;
        index = read_number(r);
        return lex_expect(r->lexer, "]") ? index : NULL;
}

static const struct custom_number *read_attr(struct reader *r)
{
        const struct op_attr *attr = expect_attr(r, ATTR_INT, ATTR_INTS);

        if (!attr)
                return NULL;
        if (attr->type == ATTR_INT)
                return made(r, (struct custom_number){.operation = CUSTOM_ATTR, .attr = attr->name});
        return made(r, (struct custom_number){.operation = CUSTOM_ATTR_AT, .attr = attr->name, .right = read_index(r)});
}

/* rank(x), size(x), given(x), value(x), value(x)[i], len(attr.n) */
static const struct custom_number *read_of_input(struct reader *r, enum custom_operation operation)
{
        struct custom_number number = {.operation = operation};

        lex_next(r->lexer);
        lex_expect(r->lexer, "(");
        if (operation == CUSTOM_ATTR_LEN) {
                const struct op_attr *attr = expect_attr(r, ATTR_INTS, ATTR_INTS);

                number.attr = attr ? attr->name : NULL;
        } else {
                number.at = expect_input(r);
        }
        lex_expect(r->lexer, ")");
        if (operation == CUSTOM_VALUE && lex_is(r->lexer, "[")) {
                number.operation = CUSTOM_VALUE_AT;
                number.right = read_index(r);
        }
        return made(r, number);
}

/* max(a, b, ...), min(a, b, ...), ceildiv(a, b) */
static const struct custom_number *read_call(struct reader *r, enum custom_operation operation)
{
        const struct custom_number *ret;
        int arguments = 1;

        lex_next(r->lexer);
        lex_expect(r->lexer, "(");
        ret = read_number(r);
        for (; lex_take(r->lexer, ","); arguments++) {
                if (arguments == CUSTOM_OPERATIONS)
                        lex_fail(r->lexer, "a call has more than %d arguments", CUSTOM_OPERATIONS);
                ret = made(r, (struct custom_number){.operation = operation, .left = ret, .right = read_number(r)});
        }
        if (operation == CUSTOM_CEILDIV && arguments != 2)
                lex_fail(r->lexer, "ceildiv takes 2 arguments, got %d", arguments);
        lex_expect(r->lexer, ")");
        return r->lexer->error ? NULL : ret;
}

static const struct custom_number *read_name(struct reader *r)
{
        struct lexer *lexer = r->lexer;
        const char *name = lexer->token.s;
        int input = find_param(r->row->row.in, r->row->row.n_in, name), size = find_name(&r->sizes, name);

        if (size >= 0) {
                lex_next(lexer);
                return made(r, (struct custom_number){.operation = CUSTOM_NAMED, .at = size});
        }
        if (input < 0) {
                if (find_name(&r->runs, name) >= 0)
                        lex_fail(lexer, "'%s' stands for several sizes: write *%s", name, name);
                else
                        lex_fail(lexer, "'%s' is neither an input nor a size that a pattern above names", name);
                return NULL;
        }
        lex_next(lexer);
        return made(r, (struct custom_number){.operation = CUSTOM_AXIS, .at = input, .right = read_index(r)});
}

static const struct {
        const char *name;
        enum custom_operation operation;
        bool of_input;
} functions[] = {
        {"rank", CUSTOM_RANK, true},   {"size", CUSTOM_SIZE, true},        {"given", CUSTOM_GIVEN, true},
        {"value", CUSTOM_VALUE, true}, {"len", CUSTOM_ATTR_LEN, true},     {"max", CUSTOM_MAX, false},
        {"min", CUSTOM_MIN, false},    {"ceildiv", CUSTOM_CEILDIV, false},
};

static const struct custom_number *read_primary(struct reader *r)
{
        struct lexer *lexer = r->lexer;

        if (lexer->token.kind == TOKEN_INT) {
                int64_t integer = lexer->token.i;

                lex_next(lexer);
                return made(r, (struct custom_number){.operation = CUSTOM_INTEGER, .integer = integer});
        }
        if (lex_take(lexer, "(")) {
                const struct custom_number *inner = read_number(r);

                return lex_expect(lexer, ")") ? inner : NULL;
        }
        if (lexer->token.kind != TOKEN_NAME) {
                lex_fail(lexer, "expected a size, got '%.*s'", (int)lexer->token.length, lexer->token.text);
                return NULL;
        }
        if (lex_is(lexer, "attr"))
                return read_attr(r);
        for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
                if (lex_is(lexer, functions[i].name) && lex_follows(lexer, "("))
                        return functions[i].of_input ? read_of_input(r, functions[i].operation)
                                                     : read_call(r, functions[i].operation);
        return read_name(r);
}

static const struct custom_number *read_negated(struct reader *r)
{
        const struct custom_number *zero, *ret = NULL;

        if (!enter(r))
                return NULL;
        if (lex_take(r->lexer, "-")) {
                zero = made(r, (struct custom_number){.operation = CUSTOM_INTEGER});
                ret = made(r, (struct custom_number){.operation = CUSTOM_SUB, .left = zero, .right = read_negated(r)});
        } else {
                ret = read_primary(r);
        }
        r->depth--;
        return ret;
}

/* Operations of one rank, from the left to the right. */
static bool take_operation(struct lexer *lexer, bool products, enum custom_operation *ret)
{
        static const struct {
                const char *mark;
                enum custom_operation operation;
                bool product;
        } operations[] = {
                {"+", CUSTOM_ADD, false},      {"-", CUSTOM_SUB, false}, {"*", CUSTOM_MUL, true},
                {"//", CUSTOM_FLOORDIV, true}, {"%", CUSTOM_MOD, true},
        };

        for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
                if (operations[i].product == products && lex_take(lexer, operations[i].mark)) {
                        *ret = operations[i].operation;
                        return true;
                }
        return false;
}

static const struct custom_number *read_product(struct reader *r)
{
        const struct custom_number *ret = read_negated(r);
        enum custom_operation operation;

        for (int count = 0; take_operation(r->lexer, true, &operation); count++) {
                if (count >= CUSTOM_OPERATIONS)
                        lex_fail(r->lexer, "a product has more than %d factors", CUSTOM_OPERATIONS);
                ret = made(r, (struct custom_number){.operation = operation, .left = ret, .right = read_negated(r)});
        }
        return ret;
}

static const struct custom_number *read_number(struct reader *r)
{
        const struct custom_number *ret;
        enum custom_operation operation;

        if (!enter(r))
                return NULL;
        ret = read_product(r);
        for (int count = 0; take_operation(r->lexer, false, &operation); count++) {
                if (count >= CUSTOM_OPERATIONS)
                        lex_fail(r->lexer, "a sum has more than %d terms", CUSTOM_OPERATIONS);
                ret = made(r, (struct custom_number){.operation = operation, .left = ret, .right = read_product(r)});
        }
        r->depth--;
        return ret;
}

/* -- shapes -- */

/* *x, *x[1:], *x[:-1] */
static struct custom_part read_axes(struct reader *r, int input)
{
        struct custom_part part = {.kind = CUSTOM_AXES, .at = input};

        if (!lex_take(r->lexer, "["))
                return part;
        if (!lex_is(r->lexer, ":"))
                part.from = read_number(r);
        lex_expect(r->lexer, ":");
        if (!lex_is(r->lexer, "]"))
                part.to = read_number(r);
        lex_expect(r->lexer, "]");
        return part;
}

static struct custom_part read_run(struct reader *r)
{
        struct lexer *lexer = r->lexer;
        struct custom_part part = {0};

        if (lex_is(lexer, "attr")) {
                const struct op_attr *attr = expect_attr(r, ATTR_INTS, ATTR_INTS);

                part = (struct custom_part){.kind = CUSTOM_ATTRS, .attr = attr ? attr->name : NULL};
        } else if (lex_is(lexer, "value") && lex_follows(lexer, "(")) {
                lex_next(lexer);
                lex_expect(lexer, "(");
                part = (struct custom_part){.kind = CUSTOM_ELEMENTS, .at = expect_input(r)};
                lex_expect(lexer, ")");
        } else if (lexer->token.kind == TOKEN_NAME && find_name(&r->runs, lexer->token.s) >= 0) {
                part = (struct custom_part){.kind = CUSTOM_RUN, .at = find_name(&r->runs, lexer->token.s)};
                lex_next(lexer);
        } else {
                part = read_axes(r, expect_input(r));
        }
        return part;
}

static struct custom_part read_part(struct reader *r)
{
        if (lex_take(r->lexer, "*"))
                return read_run(r);
        if (lex_take(r->lexer, "?"))
                return (struct custom_part){.kind = CUSTOM_OPEN};
        return (struct custom_part){.kind = CUSTOM_ONE, .number = read_number(r)};
}

static bool read_parts(struct reader *r, struct custom_shape *shape)
{
        struct custom_part part[CUSTOM_ITEMS];

        shape->kind = CUSTOM_LIST;
        while (!lex_take(r->lexer, "]")) {
                if (shape->n_part > 0)
                        lex_expect(r->lexer, ",");
                if (shape->n_part == CUSTOM_ITEMS)
                        lex_fail(r->lexer, "a shape has more than %d parts", CUSTOM_ITEMS);
                if (r->lexer->error)
                        return false;
                part[shape->n_part++] = read_part(r);
        }
        shape->part = lex_keep(r->lexer, part, (size_t)shape->n_part * sizeof(*part));
        return !r->lexer->error;
}

static const struct custom_shape *read_shape(struct reader *r);

static bool read_broadcast(struct reader *r, struct custom_shape *shape)
{
        lex_next(r->lexer);
        lex_expect(r->lexer, "(");
        const struct custom_shape *first = read_shape(r);

        if (!first)
                return false;
        *shape = *first;
        for (int count = 1; lex_take(r->lexer, ","); count++) {
                const struct custom_shape *left = lex_keep(r->lexer, shape, sizeof(*shape)), *right = read_shape(r);

                if (count == CUSTOM_ITEMS)
                        lex_fail(r->lexer, "broadcast() takes more than %d shapes", CUSTOM_ITEMS);
                *shape = (struct custom_shape){.kind = CUSTOM_BROADCAST, .left = left, .right = right};
        }
        return lex_expect(r->lexer, ")");
}

static bool read_plain_shape(struct reader *r, struct custom_shape *shape)
{
        if (lex_take(r->lexer, "?"))
                return true;
        if (lex_take(r->lexer, "["))
                return read_parts(r, shape);
        if (lex_is(r->lexer, "broadcast") && lex_follows(r->lexer, "("))
                return read_broadcast(r, shape);
        *shape = (struct custom_shape){.kind = CUSTOM_LIKE, .at = expect_input(r)};
        return !r->lexer->error;
}

static bool read_condition(struct reader *r, struct custom_condition *condition)
{
        static const char *const relations[] = {[CUSTOM_EQ] = "==", [CUSTOM_NE] = "!=", [CUSTOM_LT] = "<",
                                                [CUSTOM_LE] = "<=", [CUSTOM_GT] = ">",  [CUSTOM_GE] = ">="};

        condition->left = read_number(r);
        for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++)
                if (lex_take(r->lexer, relations[i])) {
                        condition->relation = (enum custom_relation)i;
                        condition->right = read_number(r);
                        return !r->lexer->error;
                }
        /* A number alone: whether it is not 0. */
        condition->relation = CUSTOM_NE;
        condition->right = made(r, (struct custom_number){.operation = CUSTOM_INTEGER});
        return !r->lexer->error;
}

static const struct custom_shape *read_shape(struct reader *r)
{
        struct custom_shape *shape = arena_new_zero(arena_of(r), struct custom_shape);

        if (!enter(r) || !read_plain_shape(r, shape))
                return NULL;
        if (lex_take(r->lexer, "if")) {
                struct custom_condition *condition = arena_new_zero(arena_of(r), struct custom_condition);
                struct custom_shape *choice = arena_new_zero(arena_of(r), struct custom_shape);

                *choice = (struct custom_shape){.kind = CUSTOM_CHOICE, .condition = condition, .left = shape};
                if (!read_condition(r, condition) || !lex_expect(r->lexer, "else"))
                        return NULL;
                choice->right = read_shape(r);
                shape = choice;
        }
        r->depth--;
        return r->lexer->error ? NULL : shape;
}

/* -- patterns -- */

/* The place of a name, which may be new. */
static int note_name(struct reader *r, struct names *names, const struct names *others, const char *name)
{
        int at = find_name(names, name);

        if (at >= 0)
                return at;
        if (is_reserved(name) || find_param(r->row->row.in, r->row->row.n_in, name) >= 0 ||
            find_name(others, name) >= 0)
                lex_fail(r->lexer, "'%s' has another meaning here and cannot name a size", name);
        else if (names->count == CUSTOM_NAMES)
                lex_fail(r->lexer, "the patterns of %s name more than %d sizes", r->row->row.name, CUSTOM_NAMES);
        if (r->lexer->error)
                return 0;
        names->name[names->count] = name;
        return names->count++;
}

static struct custom_item read_item(struct reader *r)
{
        struct lexer *lexer = r->lexer;
        struct custom_item item = {0};

        if (lex_take(lexer, "*")) {
                const char *name = lex_name(lexer, "a name behind '*'");

                item = (struct custom_item){.kind = CUSTOM_REST,
                                            .at = name ? note_name(r, &r->runs, &r->sizes, name) : 0};
        } else if (lexer->token.kind == TOKEN_INT) {
                item = (struct custom_item){.kind = CUSTOM_NUMBER, .number = lexer->token.i};
                lex_next(lexer);
        } else if (!lex_take(lexer, "_")) {
                const char *name = lex_name(lexer, "a name, a number, '_' or '*'");

                item = (struct custom_item){.kind = CUSTOM_NAME,
                                            .at = name ? note_name(r, &r->sizes, &r->runs, name) : 0};
        }
        return item;
}

static bool read_pattern(struct reader *r, int input)
{
        struct custom_item item[CUSTOM_ITEMS];
        struct custom_pattern *pattern = arena_new_zero(arena_of(r), struct custom_pattern);

        *pattern = (struct custom_pattern){.rest = -1};
        lex_expect(r->lexer, "[");
        while (!r->lexer->error && !lex_take(r->lexer, "]")) {
                if (pattern->n_item > 0)
                        lex_expect(r->lexer, ",");
                if (pattern->n_item == CUSTOM_ITEMS)
                        lex_fail(r->lexer, "a pattern has more than %d axes", CUSTOM_ITEMS);
                if (r->lexer->error)
                        return false;
                item[pattern->n_item] = read_item(r);
                if (item[pattern->n_item].kind == CUSTOM_REST) {
                        if (pattern->rest >= 0)
                                lex_fail(r->lexer, "a pattern has '*' once");
                        pattern->rest = pattern->n_item;
                }
                pattern->n_item++;
        }
        pattern->item = lex_keep(r->lexer, item, (size_t)pattern->n_item * sizeof(*item));
        r->pattern[input] = pattern;
        return !r->lexer->error;
}

/* -- statements -- */

static bool is_tensor(const struct op_row *row, const struct op_param *param)
{
        const struct op_constraint *set = op_param_set(row, param);

        return set ? !set->others : strncmp(param->type, "tensor(", strlen("tensor(")) == 0;
}

static bool read_statement(struct reader *r)
{
        struct lexer *lexer = r->lexer;
        struct op_row *row = &r->row->row;
        const char *name = lex_name(lexer, "the name of an input or output, or of a type variable");
        int input, output;

        if (!name || !lex_expect(lexer, ":"))
                return false;
        input = find_param(row->in, row->n_in, name);
        output = find_param(row->out, row->n_out, name);
        /* One name for both: `x: [a, b]` of `(x: T) -> (x: T)` could mean either. */
        if (input >= 0 && output >= 0)
                return lex_fail(lexer, "'%s' is an input and an output: give them two names", name);
        if (input < 0 && output < 0)
                return lex_fail(lexer, "%s has no input or output '%s'", row->name, name);
        if (input >= 0 ? !!r->pattern[input] : !!r->shape[output])
                return lex_fail(lexer, "the shape of '%s' is stated twice", name);
        if (input >= 0)
                return read_pattern(r, input);
        if (!is_tensor(row, &row->out[output]))
                return lex_fail(lexer, "'%s' may be a sequence or an optional, whose shape cannot be stated", name);
        r->shape[output] = read_shape(r);
        return r->shape[output];
}

bool custom_read_shapes(struct lexer *lexer, struct custom_row *row)
{
        struct reader r = {.lexer = lexer, .row = row};

        r.pattern = arena_zalloc(lexer->arena, row->row.n_in * sizeof(*r.pattern));
        r.shape = arena_zalloc(lexer->arena, row->row.n_out * sizeof(*r.shape));
        while (lexer->token.kind != TOKEN_END && !lexer->token.begins) {
                if (!read_statement(&r))
                        return false;
                lex_take(lexer, ";");
        }
        row->pattern = r.pattern;
        row->shape = r.shape;
        row->n_name = r.sizes.count;
        row->n_run = r.runs.count;
        return !lexer->error;
}
