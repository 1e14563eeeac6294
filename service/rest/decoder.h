/* Content encodings of uploads: gzip and zstd, decoded as the bytes arrive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shape.h"
#include "work/budget.h"

enum encoding { ENCODING_IDENTITY, ENCODING_GZIP, ENCODING_ZSTD };

/* Reads the value of Content-Encoding (NULL: none). False for an unknown encoding. */
bool encoding_read(const char *value, enum encoding *ret);

struct decoder;

/* NULL if memory runs out. Not for ENCODING_IDENTITY. */
struct decoder *decoder_new(enum encoding encoding, const struct ox_limits *limits, struct budget *budget);
void decoder_free(struct decoder *decoder); /* takes NULL */

/* Decodes the next bytes and passes the result to `sink`. If that returns false, returns OX_ABORTED. `error` is set for
   every other code. */
typedef bool (*decoder_sink)(void *user, const char *bytes, size_t size);
enum ox_code decoder_feed(struct decoder *decoder, const char *bytes, size_t size, decoder_sink sink, void *user);

const char *decoder_error(const struct decoder *decoder);

/* Whether the end of the encoded data was reached. */
bool decoder_is_complete(const struct decoder *decoder);
