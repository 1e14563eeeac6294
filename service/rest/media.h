/* Media types of bodies, and of the answers that a client accepts. */
#pragma once

#include <stdbool.h>

enum media {
        MEDIA_NONE, /* no Content-Type */
        MEDIA_OTHER,
        MEDIA_BYTES, /* a plain model, under any of the types that clients send */
        MEDIA_FORM,  /* multipart/form-data */
        MEDIA_JSON,
        MEDIA_PROTO,
};

/* `type` may have parameters, and may be NULL. */
enum media media_read(const char *type);

enum format { FORMAT_JSON, FORMAT_TEXT, FORMAT_PROTO, FORMAT_PATCH, FORMAT_COUNT };

/* The value of the option `format`; false for an unknown one. */
bool format_read(const char *name, enum format *ret);

/* The weight of each format in a request's Accept fields (RFC 9110, 12.5.1): that of the range which names it most
   precisely, in thousandths. All zero before the first field. */
struct accept {
        int weight[FORMAT_COUNT], closeness[FORMAT_COUNT];
};
void accept_read(struct accept *accept, const char *field);

/* The best of the formats whose bits are set; `usual` where none is better, or the fields accept none of them. */
enum format accept_best(const struct accept *accept, unsigned wanted, enum format usual);

const char *format_type(enum format format);
