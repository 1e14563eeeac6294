#include "rest/catalog.h"

#include <string.h>

/* False: the operator is newer than the version asked for. */
static bool in_force(const struct catalog *catalog, struct catalog_entry *entry)
{
        size_t count = entry->n_versions;

        while (count > 0 && catalog->opset && catalog_since(entry, count - 1) > catalog->opset)
                count--;
        entry->row = NULL;
        if (count > 0)
                entry->row = entry->versions ? &entry->versions[count - 1] : entry->declared_version[count - 1];
        return count > 0;
}

size_t catalog_rows(const struct catalog *catalog)
{
        size_t count = op_row_count;

        for (size_t i = 0; i < catalog->n_declared; i++)
                count += catalog->declared[i]->n_row;
        return count;
}

/* The first table that declares an operator, which is the one that counts. */
static bool find_declared(const struct catalog *catalog, const char *domain, const char *name,
                          struct catalog_entry *ret)
{
        ret->versions = NULL;
        ret->n_versions = 0;
        for (size_t i = 0; i < catalog->n_declared && !ret->n_versions; i++)
                ret->declared_version = custom_versions(catalog->declared[i], domain, name, &ret->n_versions);
        return ret->n_versions > 0;
}

/* The operator of row `at` behind the registry; the number of rows up to the next one is stored. False: another table
   declares it before. */
static bool entry_declared(const struct catalog *catalog, size_t at, struct catalog_entry *ret, size_t *ret_rows)
{
        const struct ox_operators *const *table = catalog->declared;
        const struct op_row *const *row, *const *first;

        while (at >= (*table)->n_row)
                at -= (*table++)->n_row;
        row = &(*table)->row[at];
        first = custom_versions(*table, (*row)->domain, (*row)->name, ret_rows);
        *ret_rows -= (size_t)(row - first);
        return find_declared(catalog, (*row)->domain, (*row)->name, ret) && ret->declared_version == first;
}

static bool entry_at_row(const struct catalog *catalog, size_t at, struct catalog_entry *ret, size_t *ret_rows)
{
        const struct op_row *row = &op_rows[at];

        if (at >= op_row_count)
                return entry_declared(catalog, at - op_row_count, ret, ret_rows);
        ret->declared_version = NULL;
        ret->versions = op_versions(row->domain, row->name, &ret->n_versions);
        *ret_rows = ret->n_versions - (size_t)(row - ret->versions);
        return true;
}

bool catalog_next(const struct catalog *catalog, size_t *at, struct catalog_entry *ret)
{
        size_t end = catalog_rows(catalog);

        while (*at < end) {
                size_t rows;
                bool counts = entry_at_row(catalog, *at, ret, &rows);

                *at += rows;
                if (counts && in_force(catalog, ret) &&
                    (!catalog->domain || strcmp(ret->row->domain, catalog->domain) == 0))
                        return true;
        }
        return false;
}

bool catalog_find(const struct catalog *catalog, const char *name, struct catalog_entry *ret)
{
        const char *domain = catalog->domain ? catalog->domain : "";

        ret->declared_version = NULL;
        ret->versions = op_versions(domain, name, &ret->n_versions);
        if (!ret->n_versions && !find_declared(catalog, domain, name, ret))
                return false;
        return in_force(catalog, ret);
}

const char *catalog_option(enum param_option option)
{
        static const char *const options[] = {
                [PARAM_SINGLE] = "single", [PARAM_OPTIONAL] = "optional", [PARAM_VARIADIC] = "variadic"};

        return options[option];
}

bool catalog_infers_shape(const struct op_row *row)
{
        return row->rule || row->control != CONTROL_NONE;
}
