#include "config/options.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

static bool fail(struct options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct options *options, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(options->error, sizeof(options->error), format, args);
        va_end(args);
        return false;
}

void options_begin(struct options *options, uint64_t seed)
{
        *options = (struct options){.infer = {.values = OX_VALUES_INFERRED, .seed = seed}};
}

void options_done(struct options *options)
{
        for (size_t i = 0; i < options->n_block; i++)
                free(options->block[i]);
        free(options->block);
        free(options->binding);
        free(options->shape);
        free(options->content);
        free(options->bindings);
        free(options->explain);
}

/* Memory that lives as long as the options; NULL if there is none. */
static void *keep(struct options *options, size_t size)
{
        void **grown = realloc(options->block, (options->n_block + 1) * sizeof(*grown));

        if (!grown)
                return NULL;
        options->block = grown;
        void *block = malloc(size);

        if (block)
                options->block[options->n_block++] = block;
        return block;
}

static char *keep_text(struct options *options, const char *text)
{
        size_t size = strlen(text) + 1;
        char *copy = keep(options, size);

        return copy ? memcpy(copy, text, size) : NULL;
}

/* -- each option -- */

static bool set_bool(struct options *options, const char *name, const char *value, bool *ret)
{
        *ret = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        if (*ret || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
                return true;
        return fail(options, "%s must be true, false, 1 or 0, got '%.40s'", name, value);
}

/* Splits NAME=VALUE at the last `=`, since a name may contain one. `text` then ends after the name. */
static bool read_binding(struct options *options, const char *option, char *text, struct ox_binding *ret)
{
        char *equals = strrchr(text, '='), *end;

        if (!equals || equals == text || !isdigit((unsigned char)equals[1]))
                return fail(options, "%s: '%.100s' is not NAME=VALUE with a number of 0 or more", option, text);
        long long number = strtoll(equals + 1, &end, 10);

        if (*end || number == INT64_MAX)
                return fail(options, "%s: expected a size, got '%.40s'", option, equals + 1);
        *equals = '\0';
        *ret = (struct ox_binding){.name = text, .value = number};
        return true;
}

static bool set_dim(struct options *options, const char *value)
{
        char *text = keep_text(options, value);
        struct ox_binding *grown = realloc(options->binding, (options->infer.n_binding + 1) * sizeof(*grown));

        if (grown)
                options->infer.binding = options->binding = grown;
        if (!text || !grown)
                return fail(options, "no memory");
        return read_binding(options, "dim", text, &grown[options->infer.n_binding]) && ++options->infer.n_binding;
}

/* The end of a list's item: the next comma outside parentheses and backquotes, or the end. */
static char *item_end(char *at)
{
        int depth = 0;
        bool quoted = false;

        for (; *at; at++) {
                if (quoted && *at == '\\' && at[1])
                        at++;
                else if (*at == '`')
                        quoted = !quoted;
                else if (!quoted && (*at == '(' || *at == ')'))
                        depth += *at == '(' ? 1 : -1;
                else if (!quoted && depth <= 0 && *at == ',')
                        break;
        }
        return at;
}

static char *trim(char *text, char *end)
{
        while (isspace((unsigned char)*text))
                text++;
        while (end > text && isspace((unsigned char)end[-1]))
                end--;
        *end = '\0';
        return text;
}

/* 8x3x?x-1, as some tools write shapes: every x becomes a comma if the rest are numbers. */
static void split_at_x(char *text)
{
        for (const char *at = text;; at++) {
                size_t digits = strspn(at, "0123456789");

                digits = digits ? digits : strncmp(at, "-1", 2) == 0 ? 2 : at[0] == '?';
                at += digits;
                if (!digits || (at[0] && at[0] != 'x'))
                        return;
                if (!at[0])
                        break;
        }
        for (char *x = text; (x = strchr(x, 'x')) != NULL;)
                *x = ',';
}

/* [8,3,224,224] is 8,3,224,224. */
static char *strip_brackets(char *text)
{
        size_t length = strlen(text);

        if (length < 2 || text[0] != '[' || text[length - 1] != ']')
                return text;
        return trim(text + 1, text + length - 1);
}

/* The items between commas; an empty text is an empty list. */
static bool split_list(struct options *options, char *text, const char *const **ret, size_t *ret_count)
{
        size_t most = 1;

        for (const char *c = text; *c; c++)
                most += *c == ',';
        const char **item = keep(options, most * sizeof(*item));

        if (!item)
                return fail(options, "no memory");
        for (bool more = text[0] != '\0'; more;) {
                char *end = item_end(text);

                more = *end == ',';
                item[(*ret_count)++] = trim(text, end);
                text = end + 1;
        }
        *ret = item;
        return true;
}

/* Splits INPUT:LIST at the last `:`, into a copy of the input's name and the list. */
static bool split_input(struct options *options, const char *option, const char *value, char **ret_input,
                        char **ret_list)
{
        char *input = keep_text(options, value);
        char *colon = input ? strrchr(input, ':') : NULL;

        if (!colon || colon == input) {
                if (input)
                        fail(options, "%s: '%.100s' is not INPUT:...,...", option, value);
                else
                        fail(options, "no memory");
                return false;
        }
        *colon = '\0';
        *ret_input = input;
        *ret_list = trim(colon + 1, colon + 1 + strlen(colon + 1));
        return true;
}

/* INPUT:1,3,N,224; a scalar if nothing follows the colon. */
static bool set_shape(struct options *options, const char *value)
{
        struct ox_input_shape *grown = realloc(options->shape, (options->infer.n_shape + 1) * sizeof(*grown));
        struct ox_input_shape shape = {.rank = 0};
        char *input = NULL, *list = NULL;

        if (!grown)
                return fail(options, "no memory");
        options->infer.shape = options->shape = grown;
        if (!split_input(options, "shape", value, &input, &list))
                return false;
        list = strip_brackets(list);
        split_at_x(list);
        shape.input = input;
        if (!split_list(options, list, &shape.dim, &shape.rank))
                return false;
        grown[options->infer.n_shape++] = shape;
        return true;
}

/* INPUT:1024,1024 or INPUT:[[1,2],[3,4]]: row-major, ignoring brackets. */
static bool set_value(struct options *options, const char *value)
{
        struct ox_input_content *grown = realloc(options->content, (options->infer.n_content + 1) * sizeof(*grown));
        struct ox_input_content content = {.count = 0};
        char *input = NULL, *list = NULL;

        if (!grown)
                return fail(options, "no memory");
        options->infer.content = options->content = grown;
        if (!split_input(options, "value", value, &input, &list))
                return false;
        for (char *c = list; *c; c++)
                if (*c == '[' || *c == ']')
                        *c = ' ';
        content.input = input;
        if (!split_list(options, trim(list, list + strlen(list)), &content.element, &content.count))
                return false;
        grown[options->infer.n_content++] = content;
        return true;
}

/* N=1,H=224: one set of sizes. */
static bool set_bind(struct options *options, const char *value)
{
        struct ox_bindings *grown = realloc(options->bindings, (options->infer.n_bindings + 1) * sizeof(*grown));
        char *text = keep_text(options, value);
        const char *const *item = NULL;
        struct ox_binding *binding;
        size_t count = 0;

        if (grown)
                options->infer.bindings = options->bindings = grown;
        if (!text || !grown)
                return fail(options, "no memory");
        if (!split_list(options, text, &item, &count))
                return false;
        if (!count)
                return fail(options, "bind: expected NAME=VALUE,NAME=VALUE,...");
        binding = keep(options, count * sizeof(*binding));
        if (!binding)
                return fail(options, "no memory");
        for (size_t i = 0; i < count; i++)
                if (!read_binding(options, "bind", text + (item[i] - text), &binding[i]))
                        return false;
        grown[options->infer.n_bindings++] = (struct ox_bindings){.binding = binding, .n_binding = count};
        return true;
}

static bool set_explain(struct options *options, const char *value)
{
        const char **grown = realloc(options->explain, (options->infer.n_explain + 1) * sizeof(*grown));
        char *name = keep_text(options, value);

        if (grown)
                options->infer.explain = options->explain = grown;
        if (!name || !grown)
                return fail(options, "no memory");
        grown[options->infer.n_explain++] = name;
        return true;
}

/* Parts of the answer that are included on request. */
static bool set_include(struct options *options, const char *value)
{
        char *text = keep_text(options, value);
        const char *const *item = NULL;
        size_t count = 0;

        if (!text)
                return fail(options, "no memory");
        if (!split_list(options, text, &item, &count))
                return false;
        for (size_t i = 0; i < count; i++) {
                if (strcmp(item[i], "sizes") == 0)
                        options->infer.sizes = true;
                else if (strcmp(item[i], "nodes") == 0)
                        options->infer.nodes = true;
                else
                        return fail(options, "include: expected nodes or sizes, got '%.40s'", item[i]);
        }
        return true;
}

static bool set_values(struct options *options, const char *value)
{
        static const char *const words[] = {[OX_VALUES_INFERRED] = "inferred",
                                            [OX_VALUES_OUTPUTS] = "outputs",
                                            [OX_VALUES_UNKNOWN] = "unknown",
                                            [OX_VALUES_ALL] = "all"};

        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                if (strcmp(value, words[i]) == 0) {
                        options->infer.values = (enum ox_values)i;
                        return true;
                }
        }
        return fail(options, "values must be inferred, outputs, unknown or all, got '%.40s'", value);
}

/* -- the table -- */

static bool set_strict(struct options *options, const char *value)
{
        return set_bool(options, "strict", value, &options->infer.strict);
}

static bool set_check_types(struct options *options, const char *value)
{
        return set_bool(options, "check_types", value, &options->infer.check_types);
}

static bool set_assume(struct options *options, const char *value)
{
        bool nonempty = strcmp(value, "nonempty") == 0;

        if (!nonempty && strcmp(value, "none") != 0)
                return fail(options, "assume: '%.40s' is neither nonempty nor none", value);
        options->infer.no_assumptions = !nonempty;
        return true;
}

static bool set_ignore_declared(struct options *options, const char *value)
{
        return set_bool(options, "ignore_declared", value, &options->infer.ignore_declared);
}

static bool set_pretty(struct options *options, const char *value)
{
        return set_bool(options, "pretty", value, &options->pretty);
}

static const struct row {
        const char *name, *argument, *help;
        bool (*set)(struct options *options, const char *value);
        bool is_list;
} rows[] = {
#define BOOL(name, help)           {#name, NULL, help, set_##name, false},
#define ONE(name, argument, help)  {#name, argument, help, set_##name, false},
#define LIST(name, argument, help) {#name, argument, help, set_##name, true},
#include "config/options.def"
#undef BOOL
#undef ONE
#undef LIST
};

static_assert(sizeof(rows) / sizeof(rows[0]) <= 32, "struct options has a bit for each option");

static const struct row *find(const char *name, size_t length)
{
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                size_t at = 0;

                while (at < length && (rows[i].name[at] == name[at] || (rows[i].name[at] == '_' && name[at] == '-')))
                        at++;
                if (at == length && !rows[i].name[at])
                        return &rows[i];
        }
        return NULL;
}

bool options_known(const char *name, size_t length)
{
        return find(name, length) != NULL;
}

bool options_is_bool(const char *name, size_t length)
{
        const struct row *row = find(name, length);

        return row && !row->argument;
}

static bool refuse(struct options *options, const char *name, size_t length)
{
        const int shown = (int)(length > 40 ? 40 : length);
        struct nearest near;

        nearest_begin(&near, name, length);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                nearest_try(&near, rows[i].name);
        if (near.best)
                return fail(options, "unknown option '%.*s'; did you mean '%s'?", shown, name, near.best);
        return fail(options, "unknown option '%.*s'", shown, name);
}

bool options_set(struct options *options, const char *name, size_t length, const char *value)
{
        const struct row *row = find(name, length);

        if (!row)
                return refuse(options, name, length);
        uint32_t bit = UINT32_C(1) << (row - rows);

        if (!row->is_list && !options->last_counts && options->given & bit)
                return fail(options, "%s may be given only once", row->name);
        options->given |= bit;
        return row->set(options, value);
}

void options_help(FILE *to)
{
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                fputs("  --", to);
                for (const char *c = rows[i].name; *c; c++)
                        fputc(*c == '_' ? '-' : *c, to);
                fprintf(to, "%s%s\n        %s\n", rows[i].argument ? " " : "", rows[i].argument ? rows[i].argument : "",
                        rows[i].help);
        }
}
