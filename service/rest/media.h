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

enum format { FORMAT_JSON, FORMAT_TEXT, FORMAT_PROTO, FORMAT_PATCH, FORMAT_COUNT };

/* The value of the option `format`; false for an unknown one. */
bool format_read(const char *name, enum format *ret);

/* What a request's Accept fields say of each format (RFC 9110, 12.5.1): the weight, in thousandths, of the range that
   names it most closely. All zero before the first field. */
struct accept {
        int weight[FORMAT_COUNT], closeness[FORMAT_COUNT];
};
void accept_read(struct accept *accept, const char *field);

/* The best of all fields among JSON and the formats whose bits are set; JSON when the fields accept none of them. */
enum format accept_best(const struct accept *accept, unsigned wanted);

const char *format_type(enum format format);
