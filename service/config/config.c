#include "config/config.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

enum kind { KIND_TEXT, KIND_INT, KIND_BOOL };

struct flag {
        const char *name;
        enum kind kind;
        unsigned commands;
        size_t offset; /* of the field in struct config */
        const char *text;
        int64_t value, least, most;
        const char *unit;
        const char *help;
};

enum {
        SERVE = COMMAND_SERVE,
        INFER = COMMAND_INFER,
        OPERATORS = COMMAND_OPERATORS,
        HEALTH = COMMAND_HEALTH,
};

static const struct flag flags[] = {
#define TEXT(name, value, commands, help)                                                                              \
        {#name, KIND_TEXT, commands, offsetof(struct config, name), value, 0, 0, 0, "TEXT", help},
#define INT(name, value, least, most, commands, help)                                                                  \
        {#name, KIND_INT, commands, offsetof(struct config, name), NULL, value, least, most, "N", help},
#define BOOL(name, value, commands, help)                                                                              \
        {#name, KIND_BOOL, commands, offsetof(struct config, name), NULL, value, 0, 1, "BOOL", help},
#include "config/config.def"
#undef TEXT
#undef INT
#undef BOOL
#define LIMIT(name, value, unit, help)                                                                                 \
        {#name, KIND_INT, SERVE | INFER, offsetof(struct config, limits.name), NULL, value, 1, INT64_MAX, unit, help},
#include "base/limits.def"
#undef LIMIT
};

#define FLAG_COUNT (sizeof(flags) / sizeof(flags[0]))
#define NAME_MOST  64

/* Spells "upload_bytes" as "upload-bytes" or SHAPED_UPLOAD_BYTES. */
static void spell_flag(const struct flag *flag, char *ret)
{
        size_t i = 0;

        for (; flag->name[i] && i + 1 < NAME_MOST; i++)
                ret[i] = flag->name[i] == '_' ? '-' : flag->name[i];
        ret[i] = '\0';
}

static void spell_variable(const struct flag *flag, char *ret)
{
        size_t at = (size_t)snprintf(ret, NAME_MOST, "SHAPED_%s", flag->name);

        for (size_t i = 0; i < at && i < NAME_MOST; i++)
                ret[i] = (char)toupper((unsigned char)ret[i]);
}

/* An integer, possibly followed by K, M, G or T, or Ki, Mi, Gi or Ti, for powers of 1024. */
static bool read_int(const char *text, int64_t *ret)
{
        static const char powers[] = "KMGT";
        char *end;

        if (!isdigit((unsigned char)text[0]))
                return false;
        long long value = strtoll(text, &end, 10);
        const char *power = *end ? strchr(powers, toupper((unsigned char)*end)) : NULL;

        if (power) {
                if (__builtin_mul_overflow(value, INT64_C(1) << (10 * (power - powers + 1)), &value))
                        return false;
                end += end[1] == 'i' ? 2 : 1;
        }
        *ret = value;
        return *end == '\0' && value != INT64_MAX;
}

static bool read_bool(const char *text, bool *ret)
{
        *ret = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return *ret || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static bool store(struct config *config, const struct flag *flag, const char *text)
{
        char *field = (char *)config + flag->offset;
        int64_t number;
        bool truth;

        switch (flag->kind) {
        case KIND_TEXT:
                memcpy(field, &text, sizeof(text));
                return true;
        case KIND_INT:
                if (!read_int(text, &number) || number < flag->least || number > flag->most)
                        return false;
                memcpy(field, &number, sizeof(number));
                return true;
        case KIND_BOOL:
                if (!read_bool(text, &truth))
                        return false;
                memcpy(field, &truth, sizeof(truth));
                return true;
        }
        return false;
}

static bool refuse(const struct flag *flag, const char *given, const char *value)
{
        if (flag->kind == KIND_BOOL)
                fprintf(stderr, "shaped: %s must be true or false, got '%s'\n", given, value);
        else if (flag->most == INT64_MAX)
                fprintf(stderr, "shaped: %s must be an integer of %lld or more, got '%s'\n", given,
                        (long long)flag->least, value);
        else
                fprintf(stderr, "shaped: %s must be an integer from %lld to %lld, got '%s'\n", given,
                        (long long)flag->least, (long long)flag->most, value);
        return false;
}

bool config_begin(struct config *config, enum command command)
{
        *config = (struct config){
#define TEXT(name, value, commands, help)             .name = value,
#define INT(name, value, least, most, commands, help) .name = value,
#define BOOL(name, value, commands, help)             .name = value,
#include "config/config.def"
#undef TEXT
#undef INT
#undef BOOL
        };
        ox_limits_default(&config->limits);
        for (size_t i = 0; i < FLAG_COUNT; i++) {
                char name[NAME_MOST];

                spell_variable(&flags[i], name);
                const char *value = flags[i].commands & command ? getenv(name) : NULL;

                /* An empty variable counts as unset, because some environments can only set values. */
                if (value && *value && !store(config, &flags[i], value))
                        return refuse(&flags[i], name, value);
        }
        return true;
}

/* Kubernetes sets variables for every service in each container; these are those of a service named "shaped". */
static bool is_of_kubernetes(const char *name)
{
        static const char *const begins[] = {"SHAPED_SERVICE_", "SHAPED_PORT=", "SHAPED_PORT_"};

        for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
                if (strncmp(name, begins[i], strlen(begins[i])) == 0)
                        return true;
        return false;
}

static bool is_variable(const char *name, size_t length)
{
        char known[NAME_MOST];

        for (size_t i = 0; i < FLAG_COUNT; i++) {
                spell_variable(&flags[i], known);
                if (strlen(known) == length && strncmp(name, known, length) == 0)
                        return true;
        }
        return false;
}

void config_each_unknown(void (*each)(const char *name))
{
        static const char prefix[] = "SHAPED_";

        for (char *const *variable = environ; *variable; variable++) {
                size_t length = strcspn(*variable, "=");
                char name[NAME_MOST];

                if (strncmp(*variable, prefix, sizeof(prefix) - 1) != 0 || is_of_kubernetes(*variable) ||
                    is_variable(*variable, length))
                        continue;
                snprintf(name, sizeof(name), "%.*s", (int)(length < NAME_MOST ? length : NAME_MOST - 1), *variable);
                each(name);
        }
}

const char *config_flag_value(char *const *argv, int *at)
{
        const char *equals = strchr(argv[*at], '=');

        (*at)++;
        if (equals)
                return equals + 1;
        return argv[*at] ? argv[(*at)++] : NULL;
}

enum config_outcome config_flag(struct config *config, enum command command, char *const *argv, int *at)
{
        const char *given = argv[*at];
        size_t length = strcspn(given, "=");
        char name[NAME_MOST] = "--";

        if (strncmp(given, "--", 2) != 0)
                return CONFIG_UNKNOWN;
        for (size_t i = 0; i < FLAG_COUNT; i++) {
                char spelled[NAME_MOST];

                spell_flag(&flags[i], spelled);
                if (!(flags[i].commands & command) || length != strlen(spelled) + 2 ||
                    strncmp(given + 2, spelled, length - 2) != 0)
                        continue;
                snprintf(name, sizeof(name), "--%.61s", spelled);
                /* A boolean flag without a value means true. */
                bool truth, alone = flags[i].kind == KIND_BOOL && given[length] != '=' &&
                                    (!argv[*at + 1] || !read_bool(argv[*at + 1], &truth));
                const char *value = alone ? "true" : NULL;

                if (value)
                        (*at)++;
                else
                        value = config_flag_value(argv, at);
                if (!value) {
                        fprintf(stderr, "shaped: %s needs a value\n", name);
                        return CONFIG_FAULTY;
                }
                if (store(config, &flags[i], value))
                        return CONFIG_TAKEN;
                refuse(&flags[i], name, value);
                return CONFIG_FAULTY;
        }
        return CONFIG_UNKNOWN;
}

static bool is_bytes(const struct flag *flag)
{
        return strstr(flag->name, "_bytes") != NULL;
}

void config_complain(enum command command, const char *given)
{
        const char *name = given + strspn(given, "-");
        char spelled[NAME_MOST], best[NAME_MOST] = "";
        size_t edits = NAME_MOST;
        struct nearest near;

        nearest_begin(&near, name, strcspn(name, "="));
        for (size_t i = 0; i < FLAG_COUNT; i++) {
                if (!(flags[i].commands & command))
                        continue;
                spell_flag(&flags[i], spelled);
                near.best = NULL;
                nearest_try(&near, spelled);
                if (near.best && near.edits < edits) {
                        memcpy(best, spelled, sizeof(best));
                        edits = near.edits;
                }
        }
        if (best[0])
                fprintf(stderr, "shaped: unknown flag %s; did you mean --%s?\n", given, best);
        else
                fprintf(stderr, "shaped: unknown flag %s; --help lists the flags\n", given);
}

void config_help(enum command command, FILE *to)
{
        for (size_t i = 0; i < FLAG_COUNT; i++) {
                const struct flag *flag = &flags[i];
                char name[NAME_MOST], variable[NAME_MOST];

                if (!(flag->commands & command))
                        continue;
                spell_flag(flag, name);
                spell_variable(flag, variable);
                fprintf(to, "  --%s %s\n        %s\n        [%s, default ", name,
                        flag->kind == KIND_INT ? (is_bytes(flag) ? "N[K|M|G|T]" : "N") : flag->unit, flag->help,
                        variable);
                if (flag->kind == KIND_TEXT)
                        fprintf(to, "\"%s\"]\n", flag->text);
                else if (flag->kind == KIND_BOOL)
                        fprintf(to, "%s]\n", flag->value ? "true" : "false");
                else
                        fprintf(to, "%lld%s%s]\n", (long long)flag->value, flag->unit[0] == 'N' ? "" : " ",
                                flag->unit[0] == 'N' ? "" : flag->unit);
        }
}
