#include "main/main.h"

#include <errno.h>
#include <string.h>

#include "config/options.h"
#include "version.h"

static const struct {
        const char *name;
        enum command command;
        const char *usage, *help;
} commands[] = {
        {"serve", COMMAND_SERVE, "[flags]", "run the daemon"},
        {"infer", COMMAND_INFER, "MODEL.onnx|- [flags]", "infer one model, without a daemon; - is standard input"},
        {"operators", COMMAND_OPERATORS, "[NAME] [flags]",
         "list the supported operators, or show one of them in detail"},
        {"health", COMMAND_HEALTH, "[flags]", "check a daemon; exit status 0 if it is ready"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void help_program(FILE *to)
{
        fprintf(to, "usage: shaped COMMAND ...\n\nInfers the type and shape of every value of an ONNX model.\n\n");
        for (size_t i = 0; i < COMMAND_COUNT; i++)
                fprintf(to, "  shaped %-10s %-22s %s\n", commands[i].name, commands[i].usage, commands[i].help);
        fprintf(to,
                "  shaped --version | --help | COMMAND --help\n\n"
                "COMMAND --help lists the flags with their environment variables; options of an inference have none.\n"
                "Exit status: 0: success; 1: a model that is unreadable or, with --strict, faulty; 2: wrong usage.\n");
}

void help_command(enum command command, FILE *to)
{
        for (size_t i = 0; i < COMMAND_COUNT; i++)
                if (commands[i].command == command)
                        fprintf(to, "usage: shaped %s %s\n\n%s\n\n", commands[i].name, commands[i].usage,
                                commands[i].help);
        if (command == COMMAND_INFER)
                options_help(to);
        config_help(command, to);
}

bool output_end(void)
{
        /* Checks both: after a failed write there is nothing left to flush, and flushing may fail. */
        bool flushed = fflush(stdout) == 0;

        if (flushed && !ferror(stdout))
                return true;
        fprintf(stderr, "shaped: standard output: %s\n", strerror(errno));
        return false;
}

/* Reads the flags of a command, and its operand if it takes one (*ret_operand, NULL: not given). False: *ret_status is
   set, and a message was printed. */
static bool read_flags(struct config *config, enum command command, char **argv, const char **ret_operand,
                       int *ret_status)
{
        int at = 0;

        *ret_operand = NULL;
        *ret_status = EXIT_USAGE;
        if (!config_begin(config, command))
                return false;
        while (argv[at]) {
                const char *given = argv[at];

                if (strcmp(given, "--help") == 0) {
                        help_command(command, stdout);
                        *ret_status = EXIT_GOOD;
                        return false;
                }
                if (command == COMMAND_OPERATORS && given[0] != '-' && !*ret_operand) {
                        *ret_operand = given;
                        at++;
                        continue;
                }
                switch (config_flag(config, command, argv, &at)) {
                case CONFIG_TAKEN:
                        break;
                case CONFIG_UNKNOWN:
                        config_complain(command, given);
                        return false;
                case CONFIG_FAULTY:
                        return false;
                }
        }
        return true;
}

static int run(enum command command, int argc, char **argv)
{
        struct config config;
        const char *operand;
        int status;

        if (command == COMMAND_INFER)
                return infer_main(argc, argv);
        if (!read_flags(&config, command, argv, &operand, &status))
                return status;
        return command == COMMAND_SERVE       ? serve_main(&config)
               : command == COMMAND_OPERATORS ? operators_main(&config, operand)
                                              : health_main(&config);
}

int main(int argc, char **argv)
{
        const char *name = argc > 1 ? argv[1] : "";

        if (strcmp(name, "--version") == 0) {
                printf("shaped %s\n", SHAPED_VERSION);
                return EXIT_GOOD;
        }
        if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
                help_program(stdout);
                return EXIT_GOOD;
        }
        for (size_t i = 0; i < COMMAND_COUNT; i++)
                if (strcmp(name, commands[i].name) == 0)
                        return run(commands[i].command, argc - 2, argv + 2);
        if (name[0])
                fprintf(stderr, "shaped: unknown command '%s'\n", name);
        help_program(stderr);
        return EXIT_USAGE;
}
