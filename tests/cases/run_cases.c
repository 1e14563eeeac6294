/* Runs the rows of case files in process: `run_cases [--json] FILE[:LINE]... [OPERATOR]...` prints ok or not ok for
   every row, operator and version of the operator set that it names; with a line, that row alone; with operators,
   theirs alone. README.md has the format. With --json a line of JSON stands for each instead: `case`, `checkTypes`,
   `request`, whether it is `ok`, and the `answer`, which other doors must give too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "ops/table/registry.h"
#include "reread.h"

#define ROW_KEEP (1 << 20) /* bytes of memory that go from one row to the next */
#define LIST_MAX 16        /* lists of operators that one file names */

struct run {
        struct ox_context *context;
        struct arena *arena; /* of the row's text */
        struct arena *names; /* of the file's lists of operators */
        const char *list_name[LIST_MAX], *list[LIST_MAX];
        size_t n_list;
        const char *operators; /* that the file's rows are about, declared in a file beside it; NULL: none */
        const char *file;
        int line;
        int only_line;   /* 0: every line */
        char **only_ops; /* names; none: every operator */
        int n_only_ops;
        size_t passed, failed;
        bool json; /* print requests and answers */
        char *block;
};

static void report(struct run *run, const char *row, const char *op, int opset, const char *error)
{
        if (error == NULL) {
                run->passed++;
                printf("ok - %s:%d %s @%s-%d\n", run->file, run->line, row, op, opset);
                return;
        }
        run->failed++;
        printf("not ok - %s:%d %s @%s-%d\n#  %s\n", run->file, run->line, row, op, opset, error);
}

static bool is_wanted(const struct run *run, const char *op)
{
        for (int i = 0; i < run->n_only_ops; i++)
                if (strcmp(run->only_ops[i], op) == 0)
                        return true;
        return run->n_only_ops == 0;
}

/* All but the newline at the end of an answer, which is part of a line here. */
static void write_out(void *user, const char *bytes, size_t size)
{
        fwrite(bytes, 1, size > 0 && bytes[size - 1] == '\n' && user != NULL ? size - 1 : size, stdout);
}

static void print_json(struct run *run, const char *text, const struct case_row *row, const char *op, int opset,
                       enum ox_code code, const struct ox_result *result, const char *error)
{
        struct json_out out;

        run->passed += error == NULL;
        run->failed += error != NULL;
        json_begin(&out, run->block, write_out, NULL);
        json_open(&out, '{');
        json_put_text(&out, "case", arena_printf(run->arena, "%s:%d %s @%s-%d", run->file, run->line, text, op, opset));
        json_key(&out, "checkTypes");
        json_bool(&out, row->check_types);
        json_key(&out, "ok");
        json_bool(&out, error == NULL);
        json_key(&out, "request");
        case_write_json(&out, run->arena, row, op, opset);
        json_key(&out, "answer");
        json_flush(&out);
        if (code == OX_OK)
                ox_render_json(run->context, result, false, write_out, run);
        else
                ox_render_error(run->context, code, ox_context_error(run->context), result, write_out, run);
        json_close(&out, '}');
        json_end(&out);
}

static void run_at(struct run *run, const char *text, const struct case_row *row, const char *op, int opset)
{
        struct infer_node_request request = {.node = NULL};
        struct ox_options options = {.check_types = row->check_types};
        const struct ox_result *result = NULL;
        const char *error = NULL;
        enum ox_code code = OX_INTERNAL;

        ox_context_reset(run->context, ROW_KEEP);
        if (ox_request_begin(run->context, &request) != OX_OK ||
            (row->operators != NULL &&
             ox_context_operators(run->context, row->operators, strlen(row->operators), &options) != OX_OK))
                error = ox_context_error(run->context);
        else if (case_build(run->context, row, op, opset, &request, &error)) {
                code = ox_request_infer(run->context, &request, &options, &result);
                if (!case_check(run->context, row, code, result, &error) && code != OX_OK)
                        error = arena_printf(run->arena, "%s (%s)", error, ox_context_error(run->context));
                if (!error && code == OX_OK)
                        reread(run->context, result, &error);
        }
        if (run->json && code != OX_INTERNAL)
                print_json(run, text, row, op, opset, code, result, error);
        else
                report(run, text, op, opset, error);
}

/* "@name = Add,Sub" gives a list of operators a name. */
static const char *define_list(struct run *run, const char *line)
{
        size_t length = strcspn(line, " =");
        const char *text = line + length + strspn(line + length, " =");

        if (run->n_list == LIST_MAX || strchr(line, '=') == NULL)
                return "wanted @name = operators, and not too many of them";
        run->list_name[run->n_list] = arena_strndup(run->names, line, length);
        run->list[run->n_list++] = arena_strndup(run->names, text, strlen(text));
        return NULL;
}

/* The row, with the operators in the place of a list's name. NULL: no list has the name. */
static const char *expand_list(struct run *run, const char *line)
{
        size_t length = strcspn(line, " ");

        if (line[0] != '@')
                return line;
        for (size_t i = 0; i < run->n_list; i++)
                if (strlen(run->list_name[i]) == length && strncmp(line, run->list_name[i], length) == 0)
                        return arena_printf(run->arena, "%s%s", run->list[i], line + length);
        return NULL;
}

/* A version with a plus stands for itself, if the operator is that old, and every later one that changed it; no version
   for all. */
static void run_operator(struct run *run, const char *text, const struct case_row *row, const char *op)
{
        const struct op_row *versions;
        size_t count;

        versions = op_versions(row->domain, op, &count);
        for (size_t v = 0; v < count && row->n_opset == 0; v++)
                run_at(run, text, row, op, versions[v].since);
        if (count == 0 && row->n_opset == 0)
                report(run, text, op, 0, "the operator has no versions");
        for (size_t i = 0; i < row->n_opset; i++) {
                if (!row->opset[i].and_newer || count == 0 || versions[0].since <= row->opset[i].version)
                        run_at(run, text, row, op, row->opset[i].version);
                for (size_t v = 0; v < count && row->opset[i].and_newer; v++)
                        if (versions[v].since > row->opset[i].version)
                                run_at(run, text, row, op, versions[v].since);
        }
}

static void run_row(struct run *run, const char *text)
{
        const char *expanded = expand_list(run, text), *error = "no list of operators has this name";
        struct case_row row;

        if (expanded == NULL || !case_parse(run->arena, expanded, &row, &error)) {
                report(run, text, "?", 0, error);
                return;
        }
        row.operators = run->operators;
        for (size_t i = 0; i < row.n_op; i++)
                if (is_wanted(run, row.op[i]))
                        run_operator(run, text, &row, row.op[i]);
}

/* "Abs 1 each=int8,int16 | each[2] -> each[2]" is a row for each of the element types. */
static void run_each(struct run *run, const char *text)
{
        const char *list = strstr(text, " each=");
        size_t length;

        if (list == NULL) {
                run_row(run, text);
                return;
        }
        text = arena_strndup(run->arena, text, (size_t)(list - text));
        list += strlen(" each=");
        for (const char *rest = list + strcspn(list, " "); *list != ' ' && *list != '\0';
             list += length + (list[length] == ',')) {
                const char *elem, *row = text;

                length = strcspn(list, ", ");
                elem = arena_strndup(run->arena, list, length);
                for (const char *at = rest, *next; at != NULL; at = next) {
                        next = strstr(at, "each[");
                        row = next == NULL ? arena_printf(run->arena, "%s%s", row, at)
                                           : arena_printf(run->arena, "%s%.*s%s", row, (int)(next - at), at, elem);
                        next = next == NULL ? NULL : next + strlen("each");
                }
                run_row(run, row);
        }
}

static void run_line(struct run *run, const char *line)
{
        const char *error;

        if (line[0] != '@' || strchr(line, '|') != NULL) {
                if (run->only_line == 0 || run->only_line == run->line)
                        run_each(run, line);
        } else if ((error = define_list(run, line)) != NULL)
                report(run, line, "?", 0, error);
}

/* NAME.ops beside NAME.cases declares the operators that the rows are about. */
static const char *read_operators(struct run *run, const char *path)
{
        const char *beside = arena_printf(run->names, "%.*s.ops", (int)(strlen(path) - strlen(".cases")), path);
        FILE *file = fopen(beside, "re");
        char *text = NULL;
        size_t size = 0;

        if (file == NULL)
                return NULL;
        ssize_t length = getdelim(&text, &size, '\0', file);
        const char *kept = length < 0 ? NULL : arena_strndup(run->names, text, (size_t)length);

        free(text);
        fclose(file);
        return kept;
}

/* `path` may end in a colon and the number of a line. */
static bool run_file(struct run *run, char *path)
{
        char *colon = strrchr(path, ':');

        run->only_line = colon == NULL ? 0 : atoi(colon + 1);
        if (run->only_line > 0)
                *colon = '\0';
        FILE *file = fopen(path, "re");
        const char *base = strrchr(path, '/');
        char *line = NULL;
        size_t size = 0;

        if (file == NULL) {
                fprintf(stderr, "%s: %s\n", path, strerror(errno));
                return false;
        }
        run->file = base == NULL ? path : base + 1;
        run->line = 0;
        run->n_list = 0;
        arena_reset(run->names, 0);
        run->operators = read_operators(run, path);
        while (getline(&line, &size, file) >= 0) {
                run->line++;
                line[strcspn(line, "\n")] = '\0';
                if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
                        continue;
                arena_reset(run->arena, ROW_KEEP);
                run_line(run, line);
        }
        free(line);
        fclose(file);
        return true;
}

int main(int argc, char **argv)
{
        struct run run = {.context = ox_context_new(NULL),
                          .arena = arena_new((size_t)1 << 30),
                          .names = arena_new((size_t)1 << 20),
                          .json = argc > 1 && strcmp(argv[1], "--json") == 0,
                          .block = malloc(JSON_BLOCK_BYTES)};
        bool readable = true;

        if (run.context == NULL || run.arena == NULL || run.names == NULL || run.block == NULL)
                return EXIT_FAILURE;
        int files = argc;

        while (files > 1 && strstr(argv[files - 1], ".cases") == NULL)
                files--;
        run.only_ops = argv + files;
        run.n_only_ops = argc - files;
        for (int i = run.json ? 2 : 1; i < files; i++)
                readable = run_file(&run, argv[i]) && readable;
        if (!run.json)
                printf("%zu passed, %zu failed\n", run.passed, run.failed);
        free(run.block);
        ox_context_free(run.context);
        arena_free(run.arena);
        arena_free(run.names);
        return readable && run.failed == 0 && run.passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
