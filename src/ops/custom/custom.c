/* The table of what a caller declares. */
#include "ops/custom/custom.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/str.h"
#include "ops/custom/read.h"
#include "ops/custom/shape.h"

struct table {
        struct lexer lexer;
        const char *domain;                  /* of the rows below it; NULL: none yet */
        const char *described, *description; /* the operator that the last description is about */
        const struct op_row *row[CUSTOM_ROWS];
        size_t n_row;
};

static bool read_domain(struct table *t)
{
        unsigned line = t->lexer.token.line;
        const char *name = lex_rest_of_line(&t->lexer);

        if (name[0] == '\0' || name[strcspn(name, " \t\"#")] != '\0') {
                t->lexer.token.line = line;
                return lex_fail(&t->lexer, "expected 'domain NAME', got 'domain%s%s'", name[0] ? " " : "", name);
        }
        t->domain = op_canonical_domain(name);
        return true;
}

static bool read_version(struct lexer *lexer, struct op_row *row)
{
        if (lexer->token.kind != TOKEN_INT || lexer->token.i < 1 || lexer->token.i > INT32_MAX)
                return lex_fail(
                        lexer,
                        "expected the version of the operator set that brought %s, a number from 1 on, got '%.*s'",
                        row->name, (int)lexer->token.length, lexer->token.text);
        row->since = (int)lexer->token.i;
        lex_next(lexer);
        return true;
}

static bool read_row(struct table *t, const char *name)
{
        struct custom_row *custom = arena_new_zero(t->lexer.arena, struct custom_row);
        struct op_row *row = &custom->row;
        size_t known;

        custom->line = t->lexer.token.line;
        *row = (struct op_row){
                .domain = t->domain, .name = name, .description = "", .rule = custom_infer, .custom = true};
        if (!t->domain)
                return lex_fail(&t->lexer, "expected a line 'domain NAME' above the first operator");
        if (op_versions(t->domain, name, &known))
                return lex_fail(&t->lexer, "%s of %s is known already and cannot be declared", name,
                                op_domain_text(t->domain));
        if (t->n_row == CUSTOM_ROWS)
                return lex_fail(&t->lexer, "there are more than %d operators", CUSTOM_ROWS);
        if (t->described && strcmp(t->described, name) == 0)
                row->description = t->description;
        if (!read_version(&t->lexer, row) || !custom_read_signature(&t->lexer, row) ||
            !custom_read_shapes(&t->lexer, custom))
                return false;
        t->row[t->n_row++] = row;
        return true;
}

/* `domain com.example`, `PatchEmbed: Cuts an image into patches.` or a row. */
static bool read_entry(struct table *t)
{
        struct lexer *lexer = &t->lexer;

        if (!lexer->token.begins)
                return lex_fail(lexer, "'%.*s' must stand at the beginning of its line, or belongs to no operator",
                                (int)lexer->token.length, lexer->token.text);
        if (lex_is(lexer, "domain") && !lex_follows(lexer, ":"))
                return read_domain(t);
        const char *name = lex_name(lexer, "the name of an operator");

        if (!name)
                return false;
        if (!lex_is(lexer, ":"))
                return read_row(t, name);
        t->described = name;
        t->description = lex_rest_of_line(lexer);
        return true;
}

/* Every row of such a table is one. */
static const struct custom_row *custom_of(const struct op_row *row)
{
        return (const struct custom_row *)row;
}

static int compare_names(const char *domain, const char *name, const struct op_row *row)
{
        int order = strcmp(domain, row->domain);

        return order != 0 ? order : strcmp(name, row->name);
}

static int compare_rows(const void *left, const void *right)
{
        const struct op_row *a = *(const struct op_row *const *)left, *b = *(const struct op_row *const *)right;
        int order = compare_names(a->domain, a->name, b);

        return order != 0 ? order : (a->since > b->since) - (a->since < b->since);
}

static void check_twice(struct table *t)
{
        for (size_t i = 1; i < t->n_row; i++) {
                unsigned one = custom_of(t->row[i - 1])->line, other = custom_of(t->row[i])->line;

                if (compare_rows(&t->row[i - 1], &t->row[i]) != 0)
                        continue;
                t->lexer.token.line = one > other ? one : other;
                lex_fail(&t->lexer, "version %d of %s is declared in line %u already", t->row[i]->since,
                         t->row[i]->name, one < other ? one : other);
        }
}

void custom_read(struct arena *arena, const char *text, size_t size, struct ox_operators *ret)
{
        struct table *t = arena_new_zero(arena, struct table);

        if (size > 0 && !utf8_is_clean(text, size)) {
                ret->error = "the text is not UTF-8, or has a NUL";
                return;
        }
        lex_begin(&t->lexer, arena, text, size);
        while (t->lexer.token.kind != TOKEN_END && read_entry(t))
                ;
        if (!t->lexer.error) {
                qsort(t->row, t->n_row, sizeof(*t->row), compare_rows);
                check_twice(t);
        }
        ret->error = t->lexer.error ? t->lexer.error : "";
        if (t->lexer.error)
                return;
        ret->row = lex_keep(&t->lexer, t->row, t->n_row * sizeof(*t->row));
        ret->n_row = t->n_row;
}

const struct op_row *const *custom_versions(const struct ox_operators *table, const char *domain, const char *name,
                                            size_t *ret_count)
{
        size_t from = 0, to = table->n_row;

        while (from < to) {
                size_t middle = from + (to - from) / 2;

                if (compare_names(domain, name, table->row[middle]) > 0)
                        from = middle + 1;
                else
                        to = middle;
        }
        for (to = from; to < table->n_row && compare_names(domain, name, table->row[to]) == 0; to++)
                ;
        *ret_count = to - from;
        return to > from ? &table->row[from] : NULL;
}

static const struct op_row *find_in(const struct ox_operators *table, const char *domain, const char *name,
                                    int64_t opset, bool *ret_exists)
{
        size_t count;
        const struct op_row *const *row = custom_versions(table, domain, name, &count);

        *ret_exists = count > 0;
        while (count > 0)
                if (row[--count]->since <= opset)
                        return row[count];
        return NULL;
}

const struct op_row *custom_find(const struct ox_operators *const *tables, size_t count, const char *domain,
                                 const char *name, int64_t opset, bool *ret_exists)
{
        domain = op_canonical_domain(domain);
        for (size_t i = 0; i < count; i++) {
                const struct op_row *row = find_in(tables[i], domain, name, opset, ret_exists);

                if (*ret_exists)
                        return row;
        }
        return NULL;
}
