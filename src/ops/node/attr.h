/* The attributes of a node: the given value, else the row's default; false if there is neither. */
#pragma once

#include "ops/node/node.h"

const struct model_attribute *attr_find(const struct node *n, const char *name); /* as given; NULL */
bool attr_given(const struct node *n, const char *name);
bool attr_int(const struct node *n, const char *name, int64_t *ret);
int64_t attr_int_or(const struct node *n, const char *name, int64_t otherwise);
bool attr_float(const struct node *n, const char *name, double *ret);
bool attr_ints(const struct node *n, const char *name, const int64_t **ret, size_t *ret_count);
bool attr_floats(const struct node *n, const char *name, const float **ret, size_t *ret_count);
/* NUL-terminated on the arena; bytes may be any. */
bool attr_string(const struct node *n, const char *name, const char **ret);
/* The element type whose number the int attribute holds, which the row declares (`of T`); `otherwise` for 0, or if
   there is neither value nor default. */
enum elem attr_elem(const struct node *n, const char *name, enum elem otherwise);
bool attr_is(const struct node *n, const char *name, const char *wanted);
const struct model_tensor *attr_tensor(const struct node *n, const char *name);
