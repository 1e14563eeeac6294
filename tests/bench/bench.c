/* Measures the engine in process, bytes in: `bench SECONDS MODEL...` prints a line a model with tabs between

     model  bytes  nodes  ns for the result  ns for the result as JSON  bytes of memory for the result

   Times are medians of single runs on one thread; compare.py makes a table of them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shape.h"

#define RUNS_MAX 100000
#define RUNS_MIN 3
#define KEEP     ((size_t)1 << 30) /* of the memory, from one run to the next */

struct model {
        uint8_t *bytes;
        size_t size;
};

struct numbers {
        uint64_t median;
        size_t nodes, memory;
};

static uint64_t now_ns(void)
{
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static bool read_model(const char *path, struct model *ret)
{
        FILE *file = fopen(path, "rbe");
        long size;

        if (file == NULL)
                return false;
        ret->bytes = NULL;
        if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
                ret->size = (size_t)size;
                ret->bytes = malloc(ret->size + 1);
                if (ret->bytes != NULL && fread(ret->bytes, 1, ret->size, file) != ret->size) {
                        free(ret->bytes);
                        ret->bytes = NULL;
                }
        }
        fclose(file);
        return ret->bytes != NULL;
}

static void count_bytes(void *user, const char *bytes, size_t size)
{
        *(size_t *)user += size;
}

static enum ox_code run_once(struct ox_context *context, const struct model *model, bool render, struct numbers *ret)
{
        const struct infer_options options = {.values = OX_VALUES_INFERRED};
        const struct result *result;
        size_t written = 0;

        TRY(ox_infer_model(context, model->bytes, model->size, &options, &result));
        ret->nodes = result->model.nodes;
        ret->memory = arena_used(ox_context_arena(context));
        return render ? ox_render_json(context, result, false, count_bytes, &written) : OX_OK;
}

static enum ox_code measure(struct ox_context *context, const struct model *model, bool render, double seconds,
                            struct numbers *ret)
{
        uint64_t *taken = calloc(RUNS_MAX, sizeof(*taken)), begin = now_ns();
        enum ox_code code = taken == NULL ? OX_RESOURCE_EXHAUSTED : OX_OK;
        size_t runs = 0;

        while (code == OX_OK && runs < RUNS_MAX &&
               (runs < RUNS_MIN || (double)(now_ns() - begin) < seconds * 1000000000.0)) {
                uint64_t start = now_ns();

                ox_context_reset(context, KEEP);
                code = run_once(context, model, render, ret);
                taken[runs++] = now_ns() - start;
        }
        if (code == OX_OK) {
                qsort(taken, runs, sizeof(*taken), compare);
                ret->median = taken[runs / 2];
        }
        free(taken);
        return code;
}

static bool bench(struct ox_context *context, const char *path, double seconds)
{
        struct numbers result, json;
        struct model model;
        enum ox_code code;

        if (!read_model(path, &model)) {
                fprintf(stderr, "%s: %s\n", path, strerror(errno));
                return false;
        }
        code = measure(context, &model, false, seconds, &result);
        if (code == OX_OK)
                code = measure(context, &model, true, seconds, &json);
        if (code == OX_OK)
                printf("%s\t%zu\t%zu\t%llu\t%llu\t%zu\n", path, model.size, result.nodes,
                       (unsigned long long)result.median, (unsigned long long)json.median, result.memory);
        else
                fprintf(stderr, "%s: %s: %s\n", path, ox_code_name(code), ox_context_error(context));
        free(model.bytes);
        return code == OX_OK;
}

int main(int argc, char **argv)
{
        struct ox_context *context = ox_context_new(NULL);
        double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
        bool good = context != NULL && argc > 2;

        if (!good)
                fprintf(stderr, "usage: bench SECONDS MODEL...\n");
        for (int i = 2; i < argc; i++)
                good = bench(context, argv[i], seconds) && good;
        ox_context_free(context);
        return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
