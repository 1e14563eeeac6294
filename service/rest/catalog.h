/* The registry as it is listed: operators page by page, each as it stands in a version of its operator set. */
#pragma once

#include "engine.h"

#define CATALOG_PAGE_DEFAULT 100
#define CATALOG_PAGE_MOST    1000

struct catalog {
        const char *domain; /* as op_canonical_domain() has it; NULL: any */
        int64_t opset;      /* 0: the newest */
};

struct catalog_entry {
        const struct op_row *row; /* the version that is in force */
        const struct op_row *versions;
        size_t n_versions;
};

/* The next operator from row *at on; false at the end. *at becomes the row behind it. */
bool catalog_next(const struct catalog *catalog, size_t *at, struct catalog_entry *ret);

/* One operator; `domain` NULL is "". False: that version has no such operator. */
bool catalog_find(const struct catalog *catalog, const char *name, struct catalog_entry *ret);

/* "single", "optional" or "variadic". */
const char *catalog_option(enum param_option option);

/* Whether inference knows shapes of the outputs. */
bool catalog_infers_shape(const struct op_row *row);
