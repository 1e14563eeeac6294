/* Runs the rows of case files in process: `run_cases FILE...` prints ok or not ok for every row, operator and version
   of the operator set that it names. README.md has the format. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "ops/registry.h"

#define ROW_KEEP (1 << 20) /* bytes of memory that go from one row to the next */

struct run {
        struct ox_context *context;
        struct arena *arena; /* of the row's text */
        const char *file;
        int line;
        size_t passed, failed;
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

static void run_at(struct run *run, const char *text, const struct case_row *row, const char *op, int opset)
{
        struct infer_node_request request = {.node = NULL};
        struct ox_options options = {.check_types = row->check_types};
        const struct ox_result *result = NULL;
        const char *error = NULL;
        enum ox_code code;

        ox_context_reset(run->context, ROW_KEEP);
        if (ox_request_begin(run->context, &request) != OX_OK)
                error = ox_context_error(run->context);
        else if (case_build(run->context, row, op, opset, &request, &error)) {
                code = ox_request_infer(run->context, &request, &options, &result);
                if (!case_check(run->context, row, code, result, &error) && code != OX_OK)
                        error = arena_printf(run->arena, "%s (%s)", error, ox_context_error(run->context));
        }
        report(run, text, op, opset, error);
}

/* A version with a plus stands for itself and every later one that changed the operator; no version for all. */
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
                run_at(run, text, row, op, row->opset[i].version);
                for (size_t v = 0; v < count && row->opset[i].and_newer; v++)
                        if (versions[v].since > row->opset[i].version)
                                run_at(run, text, row, op, versions[v].since);
        }
}

static bool run_file(struct run *run, const char *path)
{
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
        while (getline(&line, &size, file) >= 0) {
                struct case_row row;
                const char *error;

                run->line++;
                line[strcspn(line, "\n")] = '\0';
                if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
                        continue;
                arena_reset(run->arena, ROW_KEEP);
                if (case_parse(run->arena, line, &row, &error))
                        for (size_t i = 0; i < row.n_op; i++)
                                run_operator(run, line, &row, row.op[i]);
                else
                        report(run, line, "?", 0, error);
        }
        free(line);
        fclose(file);
        return true;
}

int main(int argc, char **argv)
{
        struct run run = {.context = ox_context_new(NULL), .arena = arena_new((size_t)1 << 30)};
        bool readable = true;

        if (run.context == NULL || run.arena == NULL)
                return EXIT_FAILURE;
        for (int i = 1; i < argc; i++)
                readable = run_file(&run, argv[i]) && readable;
        printf("%zu passed, %zu failed\n", run.passed, run.failed);
        ox_context_free(run.context);
        arena_free(run.arena);
        return readable && run.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
