/* multipart/form-data, read as it arrives. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct call;
struct multipart;

/* Hands the content of the one field called `field` on to `sink` until it returns false. NULL: the Content-Type has no
   boundary. Only for calls over HTTP/1.1. */
struct multipart *multipart_new(struct call *call, const char *field,
                                bool (*sink)(void *user, const char *bytes, size_t size), void *user);

/* False: malformed, another field or the same twice, or the sink said so. */
bool multipart_feed(struct multipart *multipart, const char *bytes, size_t size);

/* "" when the sink alone has ended it. */
const char *multipart_error(const struct multipart *multipart);

/* When all has come: false when the field, or the last boundary, is missing. */
bool multipart_end(struct multipart *multipart);

void multipart_free(struct multipart *multipart); /* takes NULL */
