/* Runs the rows of case files in process: `run_cases FILE...` prints ok or not ok for every row at every version of
   its operator set that it names. README.md has the format. */
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

static void report(struct run *run, const char *row, int opset, const char *error)
{
        if (error == NULL) {
                run->passed++;
                printf("ok - %s:%d %s @%d\n", run->file, run->line, row, opset);
                return;
        }
        run->failed++;
        printf("not ok - %s:%d %s @%d\n#  %s\n", run->file, run->line, row, opset, error);
}

static void run_at(struct run *run, const char *text, const struct case_row *row, int opset)
{
        struct infer_node_request request = {.node = NULL};
        struct infer_options options = {.check_types = row->check_types};
        const struct result *result = NULL;
        const char *error = NULL;
        enum ox_code code;

        ox_context_reset(run->context, ROW_KEEP);
        if (ox_node_begin(run->context, &request) != OX_OK)
                error = ox_context_error(run->context);
        else if (case_build(run->context, row, opset, &request, &error)) {
                code = ox_infer_node(run->context, &request, &options, &result);
                if (!case_check(run->context, row, code, result, &error) && code != OX_OK)
                        error = arena_printf(run->arena, "%s (%s)", error, ox_context_error(run->context));
        }
        report(run, text, opset, error);
}

/* A version with a plus stands for itself and every later one that changed the operator. */
static void run_row(struct run *run, const char *text, const struct case_row *row)
{
        for (size_t i = 0; i < row->n_opset; i++) {
                const struct op_row *versions;
                size_t count;

                run_at(run, text, row, row->opset[i].version);
                if (!row->opset[i].and_newer)
                        continue;
                versions = op_versions(row->domain, row->op, &count);
                for (size_t v = 0; v < count; v++)
                        if (versions[v].since > row->opset[i].version)
                                run_at(run, text, row, versions[v].since);
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
                        run_row(run, line, &row);
                else
                        report(run, line, 0, error);
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
