#define ZLIB_CONST /* zlib's input is const then */
#include "rest/decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "engine.h"

#define OUT_BYTES   ((size_t)64 * 1024)
#define STATE_BYTES ((size_t)112 * 1024) /* of zlib, and of a waiting piece of the body; zstd has its own */

struct decoder {
        enum encoding encoding;
        const struct ox_limits *limits;
        struct budget *budget;
        size_t held; /* of it */
        z_stream gzip;
        ZSTD_DCtx *zstd;
        bool begun, complete;
        char error[160];
        char out[OUT_BYTES];
};

bool encoding_read(const char *value, enum encoding *ret)
{
        static const struct {
                const char *name;
                enum encoding encoding;
        } known[] = {
                {"identity", ENCODING_IDENTITY},
                {"gzip", ENCODING_GZIP},
                {"x-gzip", ENCODING_GZIP}, /* RFC 9110, 8.4.1.3 */
                {"zstd", ENCODING_ZSTD},
        };

        size_t length = value ? strlen(value) : 0;

        *ret = ENCODING_IDENTITY;
        if (!value)
                return true;
        while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
                length--;
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
                if (length == strlen(known[i].name) && strncasecmp(value, known[i].name, length) == 0) {
                        *ret = known[i].encoding;
                        return true;
                }
        }
        return false;
}

/* The logarithm of the largest allowed window. */
static int window_log(int64_t bytes)
{
        int log = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).lowerBound;

        while (log < 30 && (INT64_C(2) << log) <= bytes)
                log++;
        return log;
}

/* Has taken `bytes` in all. */
static bool hold(struct decoder *decoder, size_t bytes)
{
        if (bytes <= decoder->held)
                return true;
        if (!budget_take(decoder->budget, bytes - decoder->held))
                return false;
        decoder->held = bytes;
        return true;
}

struct decoder *decoder_new(enum encoding encoding, const struct ox_limits *limits, struct budget *budget)
{
        struct decoder *decoder = malloc(sizeof(*decoder));

        if (!decoder)
                return NULL;
        decoder->encoding = encoding;
        decoder->limits = limits;
        decoder->budget = budget;
        decoder->held = 0;
        decoder->gzip = (z_stream){.zalloc = NULL};
        decoder->zstd = NULL;
        decoder->begun = decoder->complete = false;
        decoder->error[0] = '\0';
        if (!hold(decoder, sizeof(*decoder) + STATE_BYTES)) {
                decoder_free(decoder);
                return NULL;
        }
        if (encoding == ENCODING_GZIP && inflateInit2(&decoder->gzip, 16 + MAX_WBITS) == Z_OK)
                return decoder;
        if (encoding == ENCODING_ZSTD && (decoder->zstd = ZSTD_createDCtx()) != NULL) {
                ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, window_log(limits->zstd_window_bytes));
                return decoder;
        }
        decoder_free(decoder);
        return NULL;
}

void decoder_free(struct decoder *decoder)
{
        if (!decoder)
                return;
        if (decoder->encoding == ENCODING_GZIP)
                inflateEnd(&decoder->gzip);
        else
                ZSTD_freeDCtx(decoder->zstd);
        budget_give(decoder->budget, decoder->held);
        free(decoder);
}

const char *decoder_error(const struct decoder *decoder)
{
        return decoder->error;
}

bool decoder_is_complete(const struct decoder *decoder)
{
        return decoder->begun && decoder->complete;
}

/* A gzip file may be several members, one after the other (RFC 1952, 2.2). */
static enum ox_code feed_gzip(struct decoder *decoder, const char *bytes, size_t size, decoder_sink sink, void *user)
{
        z_stream *z = &decoder->gzip;

        z->next_in = (const Bytef *)bytes;
        z->avail_in = (uInt)size;
        do {
                if (decoder->complete && z->avail_in) {
                        inflateReset(z);
                        decoder->complete = false;
                }
                z->next_out = (Bytef *)decoder->out;
                z->avail_out = (uInt)sizeof(decoder->out);
                int result = inflate(z, Z_NO_FLUSH);

                if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
                        snprintf(decoder->error, sizeof(decoder->error), "the body is not valid gzip: %s",
                                 z->msg ? z->msg : "it needs a dictionary or memory");
                        return OX_INVALID_ARGUMENT;
                }
                decoder->complete = result == Z_STREAM_END;
                size_t made = sizeof(decoder->out) - z->avail_out;

                if (made && !sink(user, decoder->out, made))
                        return OX_ABORTED;
        } while (z->avail_in || (z->avail_out == 0 && !decoder->complete));
        return OX_OK;
}

static enum ox_code feed_zstd(struct decoder *decoder, const char *bytes, size_t size, decoder_sink sink, void *user)
{
        ZSTD_inBuffer in = {.src = bytes, .size = size};
        bool full;

        do {
                ZSTD_outBuffer out = {.dst = decoder->out, .size = sizeof(decoder->out)};
                size_t result = ZSTD_decompressStream(decoder->zstd, &out, &in);

                if (ZSTD_isError(result)) {
                        bool window = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge;

                        if (window)
                                snprintf(decoder->error, sizeof(decoder->error),
                                         "the zstd window is larger than the limit zstd_window_bytes, %lld",
                                         (long long)decoder->limits->zstd_window_bytes);
                        else
                                snprintf(decoder->error, sizeof(decoder->error), "the body is not valid zstd: %s",
                                         ZSTD_getErrorName(result));
                        return window ? OX_RESOURCE_EXHAUSTED : OX_INVALID_ARGUMENT;
                }
                /* The window has the size that the frame gives, and is allocated by now. */
                if (!hold(decoder, sizeof(*decoder) + STATE_BYTES + ZSTD_sizeof_DCtx(decoder->zstd))) {
                        snprintf(decoder->error, sizeof(decoder->error), "%s", decoder->budget->text);
                        return OX_UNAVAILABLE;
                }
                decoder->complete = result == 0;
                if (out.pos && !sink(user, decoder->out, out.pos))
                        return OX_ABORTED;
                full = out.pos == out.size;
        } while (in.pos < in.size || (full && !decoder->complete));
        return OX_OK;
}

enum ox_code decoder_feed(struct decoder *decoder, const char *bytes, size_t size, decoder_sink sink, void *user)
{
        /* zlib counts in 32 bits. */
        while (size) {
                size_t piece = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;

                decoder->begun = true;
                TRY(decoder->encoding == ENCODING_GZIP ? feed_gzip(decoder, bytes, piece, sink, user)
                                                       : feed_zstd(decoder, bytes, piece, sink, user));
                bytes += piece;
                size -= piece;
        }
        return OX_OK;
}
