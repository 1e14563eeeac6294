/* What the files that read a node's JSON share: they turn JSON into what the engine's builder takes, which has the
   rules. All of it allocates on the builder's arena, and may end early. */
#pragma once

#include "engine.h"
#include "rest/json.h"

/* A value in the words of an error: "3", "'float'", "a list". */
const char *json_describe(struct builder *b, const struct json *json);

/* Error unless `json` is of that kind; `expected` is "a list" or the like. */
enum ox_code read_kind(struct builder *b, struct build_subject subject, const struct json *json, enum json_kind kind,
                       const char *expected);

/* The members of an object, by the place of their names in `names` (NULL ends them): *ret_member is an array of as
   many, NULL where there is none. Names are in camelCase; snake_case means the same. Others are an error. */
enum ox_code read_members(struct builder *b, struct build_subject subject, const struct json *object,
                          const char *const *names, const struct json **ret_member);

/* A text; "" for NULL, which is a member that was left out. */
enum ox_code read_text(struct builder *b, struct build_subject subject, const struct json *json, const char **ret);

/* rest/node_value.c: what is said of a value. Contents past `most` are counted and not read. */
enum ox_code read_value(struct builder *b, struct build_subject subject, const struct json *json, size_t most,
                        struct ox_value *ret);

/* rest/node_attr.c: the type is the schema's (`known`, may be NULL) where what is written can be of it, else that of
   what is written. */
enum ox_code read_attribute(struct builder *b, const struct json *json, const struct op_attr *known,
                            OnnxAttribute *ret);
