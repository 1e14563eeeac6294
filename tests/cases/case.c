#include "case.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 4096

struct reader {
        struct arena *arena;
        const char *at;
        const char *error;
};

static bool fail(struct reader *r, const char *wanted)
{
        if (r->error == NULL)
                r->error = arena_printf(r->arena, "wanted %s at \"%.40s\"", wanted, r->at);
        return false;
}

static void skip_spaces(struct reader *r)
{
        while (*r->at == ' ' || *r->at == '\t')
                r->at++;
}

static bool take(struct reader *r, const char *text)
{
        size_t length = strlen(text);

        if (strncmp(r->at, text, length) != 0)
                return false;
        r->at += length;
        return true;
}

/* A run of characters of which none is in `stop`; never empty. */
static bool read_until(struct reader *r, const char *stop, const char *what, const char **ret)
{
        size_t length = strcspn(r->at, stop);

        if (length == 0)
                return fail(r, what);
        *ret = arena_strndup(r->arena, r->at, length);
        r->at += length;
        return true;
}

/* Text up to a comma or `close`, both outside parentheses: an element of a list. */
static bool read_item(struct reader *r, char close, const char **ret)
{
        const char *from = r->at;
        int depth = 0;

        for (; *r->at != '\0'; r->at++) {
                if (depth == 0 && (*r->at == ',' || *r->at == close))
                        break;
                depth += *r->at == '(' ? 1 : *r->at == ')' ? -1 : 0;
        }
        while (*from == ' ')
                from++;
        *ret = arena_strndup(r->arena, from, (size_t)(r->at - from));
        return **ret != '\0' || fail(r, "an element");
}

static bool read_quoted(struct reader *r, const char **ret)
{
        size_t length;

        r->at++;
        length = strcspn(r->at, "\"");
        if (r->at[length] == '\0')
                return fail(r, "a closing quote");
        *ret = arena_strndup(r->arena, r->at, length);
        r->at += length + 1;
        return true;
}

/* What stands between the opening bracket, taken already, and `close`. */
static bool read_list(struct reader *r, char close, const char ***ret, size_t *ret_count, bool *ret_quoted)
{
        const char **items = arena_new_array(r->arena, const char *, LIST_MAX);
        size_t count = 0;

        *ret_quoted = false;
        while (*r->at != close) {
                if (count == LIST_MAX)
                        return fail(r, "fewer elements");
                if (count > 0 && !take(r, ","))
                        return fail(r, "a comma");
                skip_spaces(r);
                if (*r->at == '"') {
                        *ret_quoted = true;
                        if (!read_quoted(r, &items[count++]))
                                return false;
                } else if (!read_item(r, close, &items[count++])) {
                        return false;
                }
        }
        r->at++;
        *ret = items;
        *ret_count = count;
        return true;
}

static bool read_value(struct reader *r, struct case_value *ret);

static bool read_length(struct reader *r, struct case_value *ret)
{
        return !take(r, "#") || read_until(r, " \t", "a length", &ret->length);
}

/* seq(T), seq(T)#length, seq{T T ...} */
static bool read_sequence(struct reader *r, struct case_value *ret)
{
        ret->kind = CASE_SEQUENCE;
        ret->of = arena_new_zero(r->arena, struct case_value);
        if (take(r, "(")) {
                if (!read_value(r, ret->of) || !take(r, ")"))
                        return fail(r, "the type of a sequence's elements and )");
                return read_length(r, ret);
        }
        if (!take(r, "{"))
                return fail(r, "( or {");
        ret->each = arena_array(r->arena, CASE_MAX, sizeof(*ret->each));
        for (skip_spaces(r); !take(r, "}"); skip_spaces(r)) {
                if (ret->n_each == CASE_MAX)
                        return fail(r, "fewer elements");
                if (!read_value(r, &ret->each[ret->n_each++]))
                        return false;
        }
        ret->length = arena_printf(r->arena, "%zu", ret->n_each);
        return true;
}

static bool read_map(struct reader *r, struct case_value *ret)
{
        ret->kind = CASE_MAP;
        ret->of = arena_new_zero(r->arena, struct case_value);
        return read_until(r, ",)", "a key type", &ret->elem) && take(r, ",") && read_value(r, ret->of) && take(r, ")");
}

static bool read_wrapped(struct reader *r, enum case_kind kind, struct case_value *ret)
{
        ret->kind = kind;
        ret->of = arena_new_zero(r->arena, struct case_value);
        if (!read_value(r, ret->of) || !take(r, ")"))
                return fail(r, "a type and )");
        if (kind == CASE_SPARSE) {
                ret->elem = ret->of->elem;
                ret->rank = ret->of->rank;
                ret->dim = ret->of->dim;
        }
        return kind == CASE_SPARSE || read_length(r, ret);
}

/* float[N,2]{...}; float[...] has no rank. */
static bool read_tensor(struct reader *r, struct case_value *ret)
{
        bool quoted;
        size_t rank = 0;

        ret->kind = CASE_TENSOR;
        if (!read_until(r, "[ \t)}", "an element type", &ret->elem))
                return false;
        if (!take(r, "["))
                return fail(r, "[ and a shape");
        if (take(r, "...]")) {
                ret->rank = -1;
                return true;
        }
        if (!read_list(r, ']', &ret->dim, &rank, &quoted))
                return false;
        ret->rank = (int)rank;
        if (take(r, "{")) {
                ret->has_content = true;
                return read_list(r, '}', &ret->content, &ret->n_content, &quoted);
        }
        return true;
}

static bool read_value(struct reader *r, struct case_value *ret)
{
        *ret = (struct case_value){.kind = CASE_UNKNOWN};
        if (take(r, "seq"))
                return read_sequence(r, ret);
        if (take(r, "opt("))
                return read_wrapped(r, CASE_OPTIONAL, ret);
        if (take(r, "sparse("))
                return read_wrapped(r, CASE_SPARSE, ret);
        if (take(r, "map("))
                return read_map(r, ret);
        if (take(r, "_")) {
                ret->kind = CASE_LEFT_OUT;
                return true;
        }
        if (take(r, "!")) {
                ret->kind = CASE_ABSENT;
                return true;
        }
        if (r->at[0] == '?' && r->at[1] != '[') {
                r->at++;
                return true;
        }
        return read_tensor(r, ret);
}

static bool read_attr(struct reader *r, struct case_attr *ret)
{
        *ret = (struct case_attr){.name = NULL};
        if (!read_until(r, "= \t|", "an attribute", &ret->name) || !take(r, "="))
                return fail(r, "name=value");
        if (*r->at == '"') {
                ret->quoted = true;
                return read_quoted(r, &ret->text);
        }
        if (take(r, "[")) {
                ret->is_list = true;
                return read_list(r, ']', &ret->item, &ret->n_item, &ret->items_quoted);
        }
        if (r->at[strcspn(r->at, "[ \t|")] == '[') {
                ret->value = arena_new_zero(r->arena, struct case_value);
                return read_value(r, ret->value);
        }
        return read_until(r, " \t|", "a value", &ret->text);
}

/* "Add", "Add,Sub", "ai.onnx.ml.Scaler": what stands before the last point is the domain of all. */
static bool read_operators(struct reader *r, struct case_row *row)
{
        size_t length = strcspn(r->at, " \t|");
        const char *point = memrchr(r->at, '.', length);

        row->domain = "";
        if (point != NULL) {
                row->domain = arena_strndup(r->arena, r->at, (size_t)(point - r->at));
                r->at = point + 1;
        }
        do {
                if (row->n_op == CASE_MAX)
                        return fail(r, "fewer operators");
                if (!read_until(r, ", \t|", "an operator", &row->op[row->n_op++]))
                        return false;
        } while (take(r, ","));
        return true;
}

/* 13 or 7,9,13 or 7+ or * */
static bool read_opsets(struct reader *r, struct case_row *row)
{
        if (take(r, "*"))
                return true;
        do {
                struct case_opset *opset = &row->opset[row->n_opset];
                char *end;

                if (!isdigit((unsigned char)*r->at) || row->n_opset == CASE_MAX)
                        return fail(r, "a version of the operator set");
                opset->version = (int)strtol(r->at, &end, 10);
                r->at = end;
                opset->and_newer = take(r, "+");
                row->n_opset++;
        } while (take(r, ","));
        return true;
}

static bool at_word(const struct reader *r, const char *word)
{
        size_t length = strlen(word);

        return strncmp(r->at, word, length) == 0 && (r->at[length] == ' ' || r->at[length] == '\0');
}

static bool read_relations(struct reader *r, struct case_row *row)
{
        do {
                struct case_relation *relation = &row->relation[row->n_relation++];

                skip_spaces(r);
                if (!read_until(r, " ", "a dimension", &relation->left))
                        return false;
                skip_spaces(r);
                if (!read_until(r, " ", "a relation", &relation->relation))
                        return false;
                skip_spaces(r);
                if (!read_until(r, " ;", "a dimension", &relation->right))
                        return false;
                skip_spaces(r);
        } while (row->n_relation < CASE_MAX && take(r, ";"));
        return true;
}

static bool read_outcome(struct reader *r, struct case_row *row)
{
        for (skip_spaces(r); *r->at != '\0'; skip_spaces(r)) {
                if (take(r, "where "))
                        return read_relations(r, row);
                if (at_word(r, "error")) {
                        r->at += strlen("error");
                        skip_spaces(r);
                        if (!read_until(r, " \t", "a code", &row->code))
                                return false;
                        skip_spaces(r);
                        return *r->at == '\0' || read_until(r, " \t", "a reason", &row->reason);
                }
                if (row->n_out == CASE_MAX)
                        return fail(r, "fewer outputs");
                if (!read_value(r, &row->out[row->n_out++]))
                        return false;
        }
        return row->n_out > 0 || fail(r, "an output or an error");
}

static bool read_row(struct reader *r, struct case_row *row)
{
        skip_spaces(r);
        if (!read_operators(r, row))
                return false;
        skip_spaces(r);
        if (!read_opsets(r, row))
                return false;
        for (skip_spaces(r); !take(r, "|"); skip_spaces(r)) {
                if (take(r, "!types")) {
                        row->check_types = true;
                        continue;
                }
                if (take(r, "!no_outputs")) {
                        row->no_outputs = true;
                        continue;
                }
                if (row->n_attr == CASE_MAX)
                        return fail(r, "fewer attributes");
                if (!read_attr(r, &row->attr[row->n_attr++]))
                        return false;
        }
        for (skip_spaces(r); !take(r, "->"); skip_spaces(r)) {
                if (row->n_in == CASE_MAX)
                        return fail(r, "fewer inputs");
                if (*r->at == '\0')
                        return fail(r, "->");
                if (!read_value(r, &row->in[row->n_in++]))
                        return false;
        }
        if (!read_outcome(r, row))
                return false;
        skip_spaces(r);
        return *r->at == '\0' || fail(r, "the end of the row");
}

bool case_parse(struct arena *arena, const char *line, struct case_row *ret, const char **ret_error)
{
        struct reader r = {.arena = arena, .at = line};

        *ret = (struct case_row){.n_op = 0};
        if (read_row(&r, ret))
                return true;
        if (r.error == NULL)
                fail(&r, "a readable row");
        *ret_error = r.error;
        return false;
}
