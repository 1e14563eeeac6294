/* multipart/form-data (RFC 7578, RFC 2046), read as it arrives. libmicrohttpd's own reader searches what stands before
   the first boundary byte by byte, for boundaries of any length, and knows neither names without quotes nor parameters
   after the boundary, which real clients send. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct multipart;

/* A field that a form may have. */
struct multipart_field {
        const char *name;
        bool required;
        bool (*sink)(void *user, const char *bytes, size_t size); /* takes its content, piece by piece */
};
#define MULTIPART_FIELDS_MOST 32

/* Hands the contents of the fields on to their sinks until one returns false. `type` is the value of the Content-Type;
   multipart_error() says what is wrong with its boundary. NULL: there is no memory. `fields` must outlive it. */
struct multipart *multipart_new(const char *type, const struct multipart_field *fields, size_t n_field, void *user);

/* False: malformed, another field or the same twice, or a sink said so. */
bool multipart_feed(struct multipart *multipart, const char *bytes, size_t size);

/* "" when nothing is wrong, or when the sink alone has ended it. */
const char *multipart_error(const struct multipart *multipart);

/* When all has come: false when a required field, or the last boundary, is missing. */
bool multipart_end(struct multipart *multipart);

void multipart_free(struct multipart *multipart); /* takes NULL */
