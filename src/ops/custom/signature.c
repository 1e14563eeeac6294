/* Reading the signature of a row: parameters and type variables. */
#include <string.h>

#include "base/bounds.h"
#include "base/nearest.h"
#include "ops/custom/read.h"
#include "value/value.h"

/* Types of one variable: more than there are element types, for sequences of each. */
#define TYPES_MOST 128

struct types {
        const char *text[TYPES_MOST];
        size_t count;
        uint64_t tensor_elems;
        bool others;
};

/* -- types -- */

/* The element types that a name stands for: one, or those of a set; 0 after a fault. */
static uint64_t read_elems(struct lexer *lexer)
{
        const struct token token = lexer->token;
        struct nearest near;
        enum elem elem;

        if (token.kind != TOKEN_NAME) {
                lex_fail(lexer, "expected a type, got '%.*s'", (int)token.length, token.text);
                return 0;
        }
        lex_next(lexer);
        if (elem_by_name(token.s, token.length, &elem))
                return UINT64_C(1) << (unsigned)elem;
        for (size_t i = 0; i < op_set_count; i++)
                if (strcmp(op_sets[i].name, token.s) == 0)
                        return op_sets[i].elems;
        nearest_begin(&near, token.s, token.length);
        for (int e = 1; e < ELEM_COUNT; e++)
                nearest_try(&near, elem_name(e));
        for (size_t i = 0; i < op_set_count; i++)
                nearest_try(&near, op_sets[i].name);
        lexer->token = token; /* the fault is there */
        lex_fail(lexer, near.best ? "'%s' is not a type; did you mean %s?" : "'%s' is not a type", token.s, near.best);
        return 0;
}

/* `around`: "seq" or "optional"; NULL: the tensor alone. */
static bool add_type(struct lexer *lexer, struct types *types, const char *around, enum elem elem)
{
        const char *name = elem_name((int)elem);
        const char *text = around ? arena_printf(lexer->arena, "%s(tensor(%s))", around, name)
                                  : arena_printf(lexer->arena, "tensor(%s)", name);

        for (size_t i = 0; i < types->count; i++)
                if (strcmp(types->text[i], text) == 0)
                        return true;
        if (types->count == TYPES_MOST)
                return lex_fail(lexer, "a type variable stands for more than %d types", TYPES_MOST);
        types->text[types->count++] = text;
        return true;
}

/* One type, or those of a set, by themselves or within seq() or optional(). */
static bool read_type(struct lexer *lexer, struct types *types)
{
        const char *around = NULL;
        bool nested = lex_follows(lexer, "(");

        if (nested && lex_take(lexer, "seq"))
                around = "seq";
        else if (nested && lex_take(lexer, "optional"))
                around = "optional";
        else
                nested = false;
        if (nested && !lex_expect(lexer, "("))
                return false;
        uint64_t elems = read_elems(lexer);

        if (nested && !lex_expect(lexer, ")"))
                return false;
        for (int e = 1; e < ELEM_COUNT; e++)
                if ((elems >> e & 1) && !add_type(lexer, types, around, (enum elem)e))
                        return false;
        if (nested)
                types->others = true;
        else
                types->tensor_elems |= elems;
        return !lexer->error;
}

/* `T = float float16`: whether the next tokens begin another statement. */
static bool at_statement(const struct lexer *lexer)
{
        return lexer->token.kind == TOKEN_END || lexer->token.begins || lex_is(lexer, ";") || lex_follows(lexer, "=") ||
               lex_follows(lexer, ":");
}

/* -- parameters -- */

static bool read_option(struct lexer *lexer, struct op_param *param)
{
        if (!lex_take(lexer, "..."))
                return true;
        if (param->option == PARAM_OPTIONAL)
                return lex_fail(lexer, "'%s' is variadic: write '...0' where it may be left out", param->name);
        param->option = PARAM_VARIADIC;
        if (lexer->token.kind == TOKEN_INT) {
                if (lexer->token.i > CUSTOM_ITEMS)
                        return lex_fail(lexer, "the least number of values must be in [0, %d], got %lld", CUSTOM_ITEMS,
                                        (long long)lexer->token.i);
                param->min_arity = (int)lexer->token.i;
                lex_next(lexer);
        }
        return true;
}

static bool read_param(struct lexer *lexer, struct op_param *param)
{
        const char *name = lex_name(lexer, "the name of a parameter");

        *param = (struct op_param){.name = name, .set = -1, .homogeneous = true, .min_arity = 1};
        if (!name)
                return false;
        if (lex_take(lexer, "?"))
                param->option = PARAM_OPTIONAL;
        if (!lex_expect(lexer, ":"))
                return false;
        if (lex_take(lexer, "mixed"))
                param->homogeneous = false;
        /* An element type, or a type around one, stands for itself; another name is that of a variable. */
        enum elem elem;

        if (lex_follows(lexer, "(") ||
            (lexer->token.kind == TOKEN_NAME && elem_by_name(lexer->token.s, lexer->token.length, &elem))) {
                struct types types = {0};

                if (!read_type(lexer, &types))
                        return false;
                if (types.count != 1)
                        return lex_fail(lexer, "the type of '%s' stands for several: give them a variable", name);
                param->type = types.text[0];
        } else {
                param->type = lex_name(lexer, "a type");
                param->set = 0; /* a variable's place, which is known once the variables are read */
        }
        if (!param->type || !read_option(lexer, param))
                return false;
        return param->homogeneous || param->option == PARAM_VARIADIC ||
               lex_fail(lexer, "'mixed' is for variadic parameters");
}

static bool read_params(struct lexer *lexer, struct op_param *param, size_t *ret_count)
{
        size_t count = 0;

        if (!lex_expect(lexer, "("))
                return false;
        while (!lex_take(lexer, ")")) {
                if (count > 0 && !lex_expect(lexer, ","))
                        return false;
                if (count > 0 && param[count - 1].option == PARAM_VARIADIC)
                        return lex_fail(lexer, "the variadic parameter '%s' must be the last", param[count - 1].name);
                if (count == CUSTOM_ITEMS)
                        return lex_fail(lexer, "there are more than %d parameters", CUSTOM_ITEMS);
                if (!read_param(lexer, &param[count]))
                        return false;
                for (size_t i = 0; i < count; i++)
                        if (strcmp(param[i].name, param[count].name) == 0)
                                return lex_fail(lexer, "two parameters are called '%s'", param[i].name);
                count++;
        }
        *ret_count = count;
        return true;
}

static void count_arity(const struct op_param *param, size_t count, int *least, int *most)
{
        *least = 0;
        *most = (int)count;
        for (size_t i = 0; i < count; i++) {
                if (param[i].option == PARAM_SINGLE)
                        *least = (int)i + 1;
                if (param[i].option == PARAM_VARIADIC) {
                        *least = (int)i + param[i].min_arity;
                        *most = -1;
                }
        }
}

/* -- type variables -- */

static bool read_variable(struct lexer *lexer, struct op_constraint *constraint)
{
        struct types types = {0};

        *constraint = (struct op_constraint){.name = lex_name(lexer, "a type variable"), .attr = -1};
        if (!constraint->name || !lex_expect(lexer, "="))
                return false;
        do {
                if (!read_type(lexer, &types))
                        return false;
        } while (!at_statement(lexer));
        constraint->types = lex_keep(lexer, types.text, types.count * sizeof(*types.text));
        constraint->count = types.count;
        constraint->tensor_elems = types.tensor_elems;
        constraint->others = types.others;
        return true;
}

static bool read_variables(struct signature *s)
{
        struct lexer *lexer = s->lexer;

        while (lexer->token.kind == TOKEN_NAME && !lexer->token.begins && lex_follows(lexer, "=")) {
                if (s->n_constraint == CUSTOM_ITEMS)
                        return lex_fail(lexer, "there are more than %d type variables", CUSTOM_ITEMS);
                if (!read_variable(lexer, &s->constraint[s->n_constraint]))
                        return false;
                for (size_t i = 0; i < s->n_constraint; i++)
                        if (strcmp(s->constraint[i].name, s->constraint[s->n_constraint].name) == 0)
                                return lex_fail(lexer, "the type variable %s is there twice", s->constraint[i].name);
                s->n_constraint++;
                lex_take(lexer, ";");
        }
        return !lexer->error;
}

/* Parameters know their variable by its place. */
static bool place_variables(struct signature *s, struct op_param *param, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                size_t c = 0;

                if (param[i].set < 0)
                        continue;
                while (c < s->n_constraint && strcmp(s->constraint[c].name, param[i].type) != 0)
                        c++;
                if (c == s->n_constraint)
                        return lex_fail(s->lexer,
                                        "'%s' is of type %s, which is neither an element type nor a variable of %s",
                                        param[i].name, param[i].type, s->name);
                param[i].set = (int)c;
        }
        return true;
}

/* -- a signature -- */

static const struct type *keep_type(struct lexer *lexer, const char *text)
{
        struct type type = {0};

        return type_parse(lexer->arena, text, strlen(text), &type) ? lex_keep(lexer, &type, sizeof(type)) : NULL;
}

/* The first input of the type variable, all of one type; -1: none. */
static int find_like(const struct signature *s, int set)
{
        for (size_t i = 0; i < s->n_in && set >= 0; i++)
                if (s->in[i].set == set && s->in[i].homogeneous)
                        return (int)i;
        return -1;
}

/* What parameters and type variables say, as the checks of nodes want it. */
static void resolve(struct signature *s, struct op_param *param, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                param[i].is = param[i].set < 0 ? keep_type(s->lexer, param[i].type) : NULL;
                param[i].like = find_like(s, param[i].set);
        }
}

/* The row's own copy of what was read. */
static void keep(struct signature *s, struct op_row *row)
{
        struct lexer *lexer = s->lexer;

        for (size_t a = 0; a < s->n_attr; a++)
                if (s->bounded[a])
                        s->attr[a].allowed = lex_keep(lexer, &s->allowed[a], sizeof(s->allowed[a]));
        resolve(s, s->in, s->n_in);
        resolve(s, s->out, s->n_out);
        for (size_t c = 0; c < s->n_constraint; c++)
                if (s->constraint[c].count == 1)
                        s->constraint[c].only = keep_type(lexer, s->constraint[c].types[0]);
        for (size_t a = 0; a < s->n_attr; a++)
                row->required |= (uint64_t)s->attr[a].required << a;
        row->in = lex_keep(lexer, s->in, s->n_in * sizeof(*s->in));
        row->n_in = s->n_in;
        row->out = lex_keep(lexer, s->out, s->n_out * sizeof(*s->out));
        row->n_out = s->n_out;
        row->attr = lex_keep(lexer, s->attr, s->n_attr * sizeof(*s->attr));
        row->n_attr = s->n_attr;
        row->constraint = lex_keep(lexer, s->constraint, s->n_constraint * sizeof(*s->constraint));
        row->n_constraint = s->n_constraint;
        count_arity(s->in, s->n_in, &row->min_in, &row->max_in);
        count_arity(s->out, s->n_out, &row->min_out, &row->max_out);
}

bool custom_read_signature(struct lexer *lexer, struct op_row *row)
{
        struct signature s = {.lexer = lexer, .name = row->name};

        if (!read_params(lexer, s.in, &s.n_in) || !lex_expect(lexer, "->") || !read_params(lexer, s.out, &s.n_out) ||
            !custom_read_attrs(&s) || !read_variables(&s) || !place_variables(&s, s.in, s.n_in) ||
            !place_variables(&s, s.out, s.n_out) || !custom_name_elems(&s))
                return false;
        keep(&s, row);
        return true;
}
