/* The target of a request as HTTP/2 sends it: a path and a query, both percent-encoded (RFC 3986). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Decodes %XX in place, and + as a space in a parameter of a query; malformed escapes are not changed. False if the
   result has a NUL. */
bool target_decode(char *text, bool is_parameter);

/* Calls `each` for every parameter of the query of `target`, decoded, until it returns false. `value` NULL: it has no
   `=`. False when `each` did, for a text with a NUL in it, and when there is no memory. */
bool target_each(const char *target, bool (*each)(void *user, const char *name, const char *value), void *user);
