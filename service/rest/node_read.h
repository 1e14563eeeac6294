/* What the files that read a node's JSON share. All of it allocates on the arena and may bail out. */
#pragma once

#include <jansson.h>

#include "base/str.h"
#include "infer/infer.h"
#include "ops/table/registry.h"

struct reader {
        struct arena *arena;
        struct strings *strings;
        struct dim_table *dims;
        const struct ox_limits *limits;
        const char *error;
        bool *alone; /* by string handle: stands alone as a dimension of some input */
        uint32_t n_alone;
};

enum ox_code read_fail(struct reader *r, enum ox_code code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Error unless it is an object whose members are all among `names`. */
enum ox_code read_members(struct reader *r, const char *where, json_t *object, const char *const *names);

/* An integer, or a truth as 1 or 0, that the element type has. */
enum ox_code read_element_int(struct reader *r, const char *what, enum elem elem, json_t *json, int64_t *ret);

/* A text within the limit on names; "" when it is left out. */
enum ox_code read_text(struct reader *r, const char *what, json_t *json, const char **ret);

/* rest/node_attr.c: the type is the schema's where what is written can be of it, else that of what is written. */
enum ox_code read_attribute(struct reader *r, const char *name, json_t *json, const struct op_attr *known,
                            OnnxAttribute *ret);

/* rest/node_value.c */
void collect_symbols(struct reader *r, json_t *inputs);
enum ox_code read_value(struct reader *r, const char *name, json_t *json, struct value *ret);
