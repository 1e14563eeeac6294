/* multipart/form-data (RFC 7578, RFC 2046), read as it arrives. libmicrohttpd's own reader is slow before the first
   boundary, accepts boundaries of any length, and does not accept names without quotes or parameters after the
   boundary, which real clients send. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct multipart;

/* A field that a form may contain. */
struct multipart_field {
        const char *name;
        bool required;
        bool (*sink)(void *user, const char *bytes, size_t size); /* takes its content, piece by piece */
};
#define MULTIPART_FIELDS_MOST 32

/* Passes the contents of the fields to their sinks until one returns false. `type` is the value of the Content-Type;
   multipart_error() reports a fault of its boundary. NULL if memory runs out. `fields` must outlive it. */
struct multipart *multipart_new(const char *type, const struct multipart_field *fields, size_t n_field, void *user);

/* False if the form is malformed, has an unknown or repeated field, or if a sink returned false. */
bool multipart_feed(struct multipart *multipart, const char *bytes, size_t size);

/* "" if there is no error, or if only a sink ended it. */
const char *multipart_error(const struct multipart *multipart);

/* Called at the end of the body: false if a required field or the last boundary is missing. */
bool multipart_end(struct multipart *multipart);

void multipart_free(struct multipart *multipart); /* takes NULL */
