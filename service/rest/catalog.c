#include "rest/catalog.h"

#include <string.h>

/* False: the operator is newer than the version asked for. */
static bool in_force(const struct catalog *catalog, struct catalog_entry *entry)
{
        size_t count = entry->n_versions;

        while (count > 0 && catalog->opset && entry->versions[count - 1].since > catalog->opset)
                count--;
        entry->row = count ? &entry->versions[count - 1] : NULL;
        return count > 0;
}

bool catalog_next(const struct catalog *catalog, size_t *at, struct catalog_entry *ret)
{
        while (*at < op_row_count) {
                const struct op_row *row = &op_rows[*at];

                ret->versions = op_versions(row->domain, row->name, &ret->n_versions);
                *at = (size_t)(ret->versions - op_rows) + ret->n_versions;
                if (in_force(catalog, ret) && (!catalog->domain || strcmp(row->domain, catalog->domain) == 0))
                        return true;
        }
        return false;
}

bool catalog_find(const struct catalog *catalog, const char *name, struct catalog_entry *ret)
{
        ret->versions = op_versions(catalog->domain ? catalog->domain : "", name, &ret->n_versions);
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
