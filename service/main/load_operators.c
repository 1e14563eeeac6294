/* Operators of one's own, read from files when the program starts. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "main/main.h"

static bool complain(const char *path, const char *fault)
{
        fprintf(stderr, "shaped: %s: %s\n", path, fault);
        return false;
}

/* The text of a file, malloc()ed; NULL with the reason on stderr. */
static char *read_file(const char *path, int64_t most, size_t *ret_size)
{
        FILE *file = fopen(path, "rb");
        char *text = file ? malloc((size_t)most + 1) : NULL;

        *ret_size = text ? fread(text, 1, (size_t)most + 1, file) : 0;
        if (!file || (text && ferror(file)))
                complain(path, strerror(errno));
        else if (!text)
                complain(path, "no memory");
        else if (*ret_size > (size_t)most)
                complain(path, "the file has more bytes than the limit operators_bytes");
        bool is_well = text && !ferror(file) && *ret_size <= (size_t)most;

        if (file)
                fclose(file);
        if (is_well)
                return text;
        free(text);
        return NULL;
}

static bool add(struct operator_tables *tables, const char *path, int64_t most)
{
        size_t size;
        char *text = read_file(path, most, &size);
        struct ox_operators **grown;

        if (!text)
                return false;
        struct ox_operators *operators = ox_operators_new(text, size);

        free(text);
        grown = realloc(tables->table, (tables->count + 1) * sizeof(*grown));
        if (grown)
                tables->table = grown;
        if (!operators || !grown) {
                ox_operators_free(operators);
                return complain(path, "no memory");
        }
        tables->table[tables->count++] = operators;
        return !ox_operators_error(operators)[0] || complain(path, ox_operators_error(operators));
}

static int is_table(const struct dirent *entry)
{
        const char *dot = strrchr(entry->d_name, '.');

        return entry->d_name[0] != '.' && dot && strcmp(dot, ".ops") == 0;
}

static bool add_named(struct operator_tables *tables, const char *folder, const char *name, int64_t most)
{
        size_t size = strlen(folder) + strlen(name) + 2;
        char *path = malloc(size);
        bool is_well = false;

        if (path) {
                snprintf(path, size, "%s/%s", folder, name);
                is_well = add(tables, path, most);
        }
        free(path);
        return is_well;
}

static bool add_folder(struct operator_tables *tables, const char *path, int64_t most)
{
        struct dirent **entry;
        int count = scandir(path, &entry, is_table, alphasort);
        bool is_well = true;

        if (count < 0)
                return complain(path, strerror(errno));
        for (int i = 0; i < count; i++) {
                is_well = is_well && add_named(tables, path, entry[i]->d_name, most);
                free(entry[i]);
        }
        free(entry);
        return is_well;
}

bool operator_tables_load(struct operator_tables *tables, const char *path, int64_t most_bytes)
{
        struct stat status;

        *tables = (struct operator_tables){.table = NULL};
        if (!path[0])
                return true;
        if (stat(path, &status) != 0)
                return complain(path, strerror(errno));
        return S_ISDIR(status.st_mode) ? add_folder(tables, path, most_bytes) : add(tables, path, most_bytes);
}

void operator_tables_free(struct operator_tables *tables)
{
        for (size_t i = 0; i < tables->count; i++)
                ox_operators_free(tables->table[i]);
        free(tables->table);
}
