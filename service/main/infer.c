/* shaped infer: infers one model, without a daemon. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/options.h"
#include "main/main.h"
#include "shape.h"

#define READ_BYTES 65536

struct job {
        struct config config;
        struct options options;
        struct operator_tables operators;
        const char *model;
};

/* -- arguments -- */

static bool read_option(struct job *job, char **argv, int *at)
{
        const char *name = argv[*at] + 2;
        size_t length = strcspn(name, "=");
        bool alone = options_is_bool(name, length) && name[length] != '=';
        const char *value = "true";

        if (alone)
                (*at)++;
        else
                value = config_flag_value(argv, at);
        if (!value)
                fprintf(stderr, "shaped: --%s needs a value\n", name);
        else if (!options_set(&job->options, name, length, value))
                fprintf(stderr, "shaped: %s\n", job->options.error);
        else
                return true;
        return false;
}

static bool read_argument(struct job *job, char **argv, int *at)
{
        const char *given = argv[*at];

        if (given[0] != '-' || !given[1]) {
                if (job->model) {
                        fprintf(stderr, "shaped: '%s' is one argument too many\n", given);
                        return false;
                }
                job->model = given;
                (*at)++;
                return true;
        }
        if (given[1] == '-' && options_known(given + 2, strcspn(given + 2, "=")))
                return read_option(job, argv, at);
        enum config_outcome outcome = config_flag(&job->config, COMMAND_INFER, argv, at);

        if (outcome == CONFIG_UNKNOWN)
                config_complain(COMMAND_INFER, given);
        return outcome == CONFIG_TAKEN;
}

static void write_out(void *user, const char *bytes, size_t size)
{
        if (size)
                fwrite(bytes, 1, size, user);
}

typedef enum ox_code (*renderer)(struct ox_context *context, const struct job *job, const struct ox_result *result);

static enum ox_code render_table_out(struct ox_context *context, const struct job *job, const struct ox_result *result)
{
        return ox_render_table(context, result, write_out, stdout);
}

static enum ox_code render_json_out(struct ox_context *context, const struct job *job, const struct ox_result *result)
{
        return ox_render_json(context, result, job->options.pretty, write_out, stdout);
}

static enum ox_code render_proto_out(struct ox_context *context, const struct job *job, const struct ox_result *result)
{
        return ox_render_proto(context, result, write_out, stdout);
}

static enum ox_code render_patch_out(struct ox_context *context, const struct job *job, const struct ox_result *result)
{
        return ox_render_patch(context, result, write_out, stdout);
}

/* The function that writes an answer in a format; NULL: unknown format. */
static renderer render_of(const char *format)
{
        static const struct {
                const char *format;
                renderer render;
        } rows[] = {
                {"table", render_table_out},
                {"json", render_json_out},
                {"proto", render_proto_out},
                {"patch", render_patch_out},
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (strcmp(format, rows[i].format) == 0)
                        return rows[i].render;
        return NULL;
}

static bool read_arguments(struct job *job, char **argv)
{
        int at = 0;

        while (argv[at])
                if (!read_argument(job, argv, &at))
                        return false;
        if (!render_of(job->config.format)) {
                fprintf(stderr, "shaped: --format is table, json, proto or patch, not '%s'\n", job->config.format);
                return false;
        }
        if (!job->model)
                fprintf(stderr, "shaped: which model? (- is standard input)\n");
        return job->model != NULL;
}

/* -- the work -- */

static bool feed_file(struct ox_context *context, FILE *file, const char *name)
{
        char bytes[READ_BYTES];
        size_t size;

        while ((size = fread(bytes, 1, sizeof(bytes), file)) > 0) {
                if (ox_model_feed(context, bytes, size) != OX_OK) {
                        fprintf(stderr, "shaped: %s: %s\n", name, ox_context_error(context));
                        return false;
                }
        }
        if (ferror(file))
                fprintf(stderr, "shaped: %s: %s\n", name, strerror(errno));
        return !ferror(file);
}

/* A regular file in memory, of which only what is read is fetched: the graph, and not the weights. */
struct mapped {
        void *bytes;
        size_t size;
};

/* False: it must be read as others are, which also finds out what is wrong with it. */
static bool map_file(const char *name, struct mapped *ret)
{
        int file = open(name, O_RDONLY | O_CLOEXEC);
        struct stat is;

        ret->bytes = MAP_FAILED;
        if (file >= 0 && fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0 &&
            (uint64_t)is.st_size <= SIZE_MAX) {
                ret->size = (size_t)is.st_size;
                ret->bytes = mmap(NULL, ret->size, PROT_READ, MAP_PRIVATE, file, 0);
        }
        if (file >= 0)
                close(file);
        return ret->bytes != MAP_FAILED;
}

/* The system's answer when a part of a mapped file is read that is no longer there. */
static void file_was_cut(int number)
{
        static const char text[] = "shaped: the file was cut or could not be read while it was in use\n";

        ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

        (void)written;
        _exit(EXIT_FAULTY);
}

static bool feed(struct ox_context *context, const char *name)
{
        if (strcmp(name, "-") == 0)
                return feed_file(context, stdin, "standard input");
        FILE *file = fopen(name, "rb");

        if (!file) {
                fprintf(stderr, "shaped: %s: %s\n", name, strerror(errno));
                return false;
        }
        bool fed = feed_file(context, file, name);

        fclose(file);
        return fed;
}

static int print(struct ox_context *context, const struct job *job, const struct ox_result *result)
{
        enum ox_code code = render_of(job->config.format)(context, job, result);

        if (code != OX_OK)
                fprintf(stderr, "shaped: %s\n", ox_context_error(context));
        else if (output_end())
                return EXIT_GOOD;
        return EXIT_FAULTY;
}

static int infer(struct ox_context *context, const struct job *job)
{
        const struct ox_result *result = NULL;
        const struct ox_options *options = &job->options.infer;
        struct mapped mapped = {0};
        enum ox_code code;

        /* The result refers to small tensors where they stand in the file, which is mapped until the process ends. */
        if (strcmp(job->model, "-") != 0 && map_file(job->model, &mapped)) {
                signal(SIGBUS, file_was_cut);
                code = ox_infer_model(context, mapped.bytes, mapped.size, options, &result);
        } else if (feed(context, job->model)) {
                code = ox_model_infer(context, options, &result);
        } else {
                return EXIT_FAULTY;
        }

        if (code != OX_OK)
                fprintf(stderr, "shaped: %s: %s\n", job->model, ox_context_error(context));
        if (!result)
                return EXIT_FAULTY;
        int status = print(context, job, result);

        return code == OX_OK ? status : EXIT_FAULTY;
}

int infer_main(int argc, char **argv)
{
        struct job job = {.model = NULL};
        int status = EXIT_USAGE;

        for (int i = 0; i < argc; i++) {
                if (strcmp(argv[i], "--help") == 0) {
                        help_command(COMMAND_INFER, stdout);
                        return EXIT_GOOD;
                }
        }
        if (!config_begin(&job.config, COMMAND_INFER))
                return EXIT_USAGE;
        options_begin(&job.options, 0);
        job.options.last_counts = true;
        if (read_arguments(&job, argv) &&
            operator_tables_load(&job.operators, job.config.operators, job.config.limits.operators_bytes)) {
                struct ox_context *context = ox_context_new(&job.config.limits);

                job.options.infer.operators = (const struct ox_operators *const *)job.operators.table;
                job.options.infer.n_operators = job.operators.count;
                status = EXIT_FAULTY;
                if (context)
                        status = infer(context, &job);
                else
                        fprintf(stderr, "shaped: no memory\n");
                ox_context_free(context);
        }
        operator_tables_free(&job.operators);
        options_done(&job.options);
        return status;
}
