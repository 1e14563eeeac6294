/* Lists the registry, and behind it what was declared when the program started: operators page by page, each in one
   version of its operator set. */
#pragma once

#include "engine.h"

#define CATALOG_PAGE_DEFAULT 100
#define CATALOG_PAGE_MOST    1000

struct catalog {
        const char *domain; /* as op_canonical_domain() has it; NULL: any */
        int64_t opset;      /* 0: the newest */
        const struct ox_operators *const *declared;
        size_t n_declared;
};

struct catalog_entry {
        const struct op_row *row; /* the version that is in force; its member `custom` tells whether it is declared */
        const struct op_row *versions;                /* oldest first; NULL: the operator is declared, ... */
        const struct op_row *const *declared_version; /* ... and these are its versions */
        size_t n_versions;
};

/* The version of the operator set that brought version `i` < n_versions. */
static inline int catalog_since(const struct catalog_entry *entry, size_t i)
{
        return entry->versions ? entry->versions[i].since : entry->declared_version[i]->since;
}

/* The number of rows. */
size_t catalog_rows(const struct catalog *catalog);

/* Finds the next operator from row *at on, and moves *at past it; false at the end. */
bool catalog_next(const struct catalog *catalog, size_t *at, struct catalog_entry *ret);

/* One operator; `domain` NULL is "". False: that version has no such operator. */
bool catalog_find(const struct catalog *catalog, const char *name, struct catalog_entry *ret);

/* "single", "optional" or "variadic". */
const char *catalog_option(enum param_option option);

/* Whether shapes of the outputs are inferred. */
bool catalog_infers_shape(const struct op_row *row);
