/* Measures the engine in process: `bench SECONDS MODEL` prints a line with tabs between

     bytes  nodes  ns to the result, cold  ns to the result  ns to the result as JSON  bytes of JSON  bytes of memory
     ns to write JSON  ns to write protobuf  bytes of protobuf  ns to the result in a new context
     bytes of the arena that the result takes

   Times are those of the fastest of single runs from the model's bytes on, but those to write an answer, which are of
   the writing alone. A context is used again as the daemon does it. Two times are of what is not there yet: "cold" is
   the first run of the process, which also brings the program's own pages and all that a processor learns; in a new
   context it is memory alone. Memory is what the first run and the JSON of its result grew the process by. */
#include <errno.h>
#include <stdlib.h>

#include "engine.h"
#include "measure.h"

#define RUNS_MIN 5
#define RUNS_NEW 10

enum form { NONE, JSON, PROTO, FORMS };

struct bench {
        struct ox_context *context;
        uint8_t *bytes;
        size_t size, nodes, used; /* `used`: bytes of the arena */
        size_t answer[FORMS];     /* bytes */
        uint64_t write_ns[FORMS]; /* the least so far */
};

static bool read_model(const char *path, struct bench *b)
{
        FILE *file = fopen(path, "rbe");
        bool good = false;
        long size;

        if (file == NULL)
                return false;
        if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
                b->size = (size_t)size;
                b->bytes = malloc(b->size + 1);
                good = b->bytes != NULL && fread(b->bytes, 1, b->size, file) == b->size;
        }
        fclose(file);
        return good;
}

static void count_bytes(void *user, const char *bytes, size_t size)
{
        *(size_t *)user += size;
}

static enum ox_code write_answer(struct bench *b, const struct ox_result *result, enum form form)
{
        uint64_t begin = work_ns(), ns;

        b->answer[form] = 0;
        if (form == JSON)
                TRY(ox_render_json(b->context, result, false, count_bytes, &b->answer[form]));
        else if (form == PROTO)
                TRY(ox_render_proto(b->context, result, count_bytes, &b->answer[form]));
        ns = work_ns() - begin;
        if (b->write_ns[form] == 0 || ns < b->write_ns[form])
                b->write_ns[form] = ns;
        return OX_OK;
}

static enum ox_code run_once(struct bench *b, enum form form, uint64_t *ret_ns)
{
        const struct ox_options options = {.values = OX_VALUES_INFERRED};
        const struct ox_result *result;
        uint64_t begin = work_ns();

        ox_context_reset(b->context, SIZE_MAX); /* as it is kept where such requests come again and again */
        TRY(ox_infer_model(b->context, b->bytes, b->size, &options, &result));
        b->nodes = result->model.nodes;
        TRY(write_answer(b, result, form));
        *ret_ns = work_ns() - begin;
        return OX_OK;
}

static enum ox_code fastest(struct bench *b, enum form form, double seconds, uint64_t *ret_ns)
{
        uint64_t begin = work_ns(), ns;

        *ret_ns = UINT64_MAX;
        for (int runs = 0; runs < RUNS_MIN || (double)(work_ns() - begin) < seconds * 1e9; runs++) {
                TRY(run_once(b, form, &ns));
                if (ns < *ret_ns)
                        *ret_ns = ns;
        }
        return OX_OK;
}

/* With a context that is made for the run; to free it is not counted. */
static enum ox_code fastest_new(struct bench *b, uint64_t *ret_ns)
{
        struct ox_context *kept = b->context;
        enum ox_code code = OX_OK;
        uint64_t ns;

        *ret_ns = UINT64_MAX;
        for (int runs = 0; runs < RUNS_NEW && code == OX_OK; runs++) {
                uint64_t begin = work_ns();

                b->context = ox_context_new(NULL);
                if (b->context == NULL) {
                        code = OX_UNAVAILABLE;
                        break;
                }
                code = run_once(b, NONE, &ns);
                ns = work_ns() - begin;
                b->used = arena_used(ox_context_arena(b->context));
                ox_context_free(b->context);
                if (ns < *ret_ns)
                        *ret_ns = ns;
        }
        b->context = kept;
        return code;
}

static enum ox_code bench(struct bench *b, double seconds)
{
        uint64_t before = memory_bytes("VmRSS"), cold, result, json, proto, memory, renewed;

        TRY(run_once(b, NONE, &cold));
        TRY(run_once(b, JSON, &json));
        memory = memory_bytes("VmHWM") - before;
        TRY(fastest(b, NONE, seconds / 3, &result));
        TRY(fastest(b, JSON, seconds / 3, &json));
        TRY(fastest(b, PROTO, seconds / 3, &proto));
        TRY(fastest_new(b, &renewed));
        printf("%zu\t%zu\t%llu\t%llu\t%llu\t%zu\t%llu\t%llu\t%llu\t%zu\t%llu\t%zu\n", b->size, b->nodes,
               (unsigned long long)cold, (unsigned long long)result, (unsigned long long)json, b->answer[JSON],
               (unsigned long long)memory, (unsigned long long)b->write_ns[JSON],
               (unsigned long long)b->write_ns[PROTO], b->answer[PROTO], (unsigned long long)renewed, b->used);
        return OX_OK;
}

int main(int argc, char **argv)
{
        struct bench b = {.context = ox_context_new(NULL)};
        enum ox_code code = OX_INTERNAL;

        if (argc != 3 || b.context == NULL)
                fprintf(stderr, "usage: bench SECONDS MODEL\n");
        else if (!read_model(argv[2], &b))
                fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
        else if ((code = bench(&b, strtod(argv[1], NULL))) != OX_OK)
                fprintf(stderr, "%s: %s: %s\n", argv[2], ox_code_name(code), ox_context_error(b.context));
        ox_context_free(b.context);
        free(b.bytes);
        return code == OX_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
