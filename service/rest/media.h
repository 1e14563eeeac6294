/* Media types: what a body is, and which answer a client wants. */
#pragma once

#include <stdbool.h>

enum media {
        MEDIA_NONE, /* no Content-Type */
        MEDIA_OTHER,
        MEDIA_BYTES, /* a model as it is, however a client calls it */
        MEDIA_FORM,  /* multipart/form-data */
        MEDIA_JSON,
        MEDIA_PROTO,
};

/* `type` may have parameters, and may be NULL. */
enum media media_read(const char *type);

enum format { FORMAT_JSON, FORMAT_TEXT, FORMAT_PROTO, FORMAT_PATCH };

/* The value of the option `format`; false for what is none. */
bool format_read(const char *name, enum format *ret);

/* The best of an Accept field (RFC 9110, 12.5.1); JSON when it is absent or has nothing that we can give. */
enum format format_accepted(const char *accept);

const char *format_type(enum format format);
