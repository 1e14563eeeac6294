/* Shared by the files that read a node's JSON: they convert JSON into arguments of the engine's builder, which has the
   rules. Everything here allocates on the builder's arena, and may end early. */
#pragma once

#include "engine.h"
#include "rest/json.h"

/* A value as an error names it: "3", "'float'", "a list". */
const char *json_describe(struct builder *b, const struct json *json);

/* Error unless `json` is of that kind; `expected` is "a list" or the like. */
enum ox_code read_kind(struct builder *b, struct build_subject subject, const struct json *json, enum json_kind kind,
                       const char *expected);

/* The members of an object, in the order of `names` (ended by NULL): *ret_member is an array of the same length, with
   NULL for a missing member. Names are in camelCase; snake_case means the same. Any other name is an error. */
enum ox_code read_members(struct builder *b, struct build_subject subject, const struct json *object,
                          const char *const *names, const struct json **ret_member);

/* A text; "" for NULL, an omitted member. */
enum ox_code read_text(struct builder *b, struct build_subject subject, const struct json *json, const char **ret);

/* rest/node_value.c: the description of a value. Elements past `most` are counted but not read. */
enum ox_code read_value(struct builder *b, struct build_subject subject, const struct json *json, size_t most,
                        struct ox_value *ret);

/* rest/node_attr.c: uses the schema's attribute type (`known`, may be NULL) if the JSON value fits it, else the type of
   the value. */
enum ox_code read_attribute(struct builder *b, const struct json *json, const struct op_attr *known,
                            OnnxAttribute *ret);
