#include "rest/upload.h"

#include <string.h>

#include "service.h"

#define GZIP_INLINE 4096 /* of a body that need not go to a worker */

static bool too_large(struct upload *upload, const char *what)
{
        call_reply_error_status(upload->call, HTTP_TOO_LARGE, "the body has more %s than the limit %s, %lld", what,
                                upload->limit_name, (long long)upload->limit);
        return false;
}

/* The encoding of a body that does not declare it; NULL: none. Neither a model nor JSON begins like that. */
static const char *undeclared_encoding(const struct upload *upload)
{
        static const struct {
                const char *name;
                unsigned char first[UPLOAD_FIRST];
                size_t length;
        } known[] = {
                {"gzip", {0x1f, 0x8b}, 2},             /* RFC 1952, 2.3.1 */
                {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4}, /* RFC 8878, 3.1.1 */
        };

        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !upload->decoder; i++)
                if (upload->n_first >= known[i].length && memcmp(upload->first, known[i].first, known[i].length) == 0)
                        return known[i].name;
        return NULL;
}

/* The last step: takes bytes after decoding, and out of a form. */
static bool hand_on(void *user, const char *bytes, size_t size)
{
        struct upload *upload = user;

        if (upload->n_first < UPLOAD_FIRST) {
                for (size_t i = 0; i < size && upload->n_first < UPLOAD_FIRST; i++)
                        upload->first[upload->n_first++] = (unsigned char)bytes[i];
                const char *encoding = undeclared_encoding(upload);

                if (encoding) {
                        call_reply_error(upload->call, OX_INVALID_ARGUMENT,
                                         "the body is %s, but no header says so: send Content-Encoding: %s%s", encoding,
                                         encoding,
                                         upload->multipart ? " with the whole form encoded, or unpack it" : "");
                        return false;
                }
        }
        return upload->sink(upload->user, bytes, size);
}

static bool hand_operators_on(void *user, const char *bytes, size_t size)
{
        struct upload *upload = user;

        return upload->operators_sink(upload->user, bytes, size);
}

static const struct multipart_field fields[] = {
        {"model", true, hand_on},
        {"operators", false, hand_operators_on},
};

/* Takes bytes after decoding, before they are taken out of a form. */
static bool take_decoded(void *user, const char *bytes, size_t size)
{
        struct upload *upload = user;

        upload->decoded += size;
        if (upload->decoded > (uint64_t)upload->limit)
                return too_large(upload, upload->decoder ? "bytes, decoded," : "bytes");
        if (!upload->multipart)
                return hand_on(upload, bytes, size);
        if (multipart_feed(upload->multipart, bytes, size))
                return true;
        if (multipart_error(upload->multipart)[0])
                call_reply_error(upload->call, OX_INVALID_ARGUMENT, "%s", multipart_error(upload->multipart));
        return false;
}

bool upload_begin(struct upload *upload, struct call *call, unsigned medias, const char *wanted, int64_t limit,
                  const char *limit_name)
{
        const char *type = call->field[FIELD_CONTENT_TYPE], *coding = call->field[FIELD_CONTENT_ENCODING];
        enum encoding encoding;

        upload->call = call;
        upload->limit = limit;
        upload->limit_name = limit_name;
        upload->media = media_read(type);
        if (call->has_length && call->length > (uint64_t)limit)
                return too_large(upload, "bytes");
        if (!(medias & 1U << upload->media)) {
                call_reply_error_status(call, HTTP_UNSUPPORTED, "the Content-Type is '%.100s', expected %s",
                                        type ? type : "", wanted);
                return false;
        }
        if (!encoding_read(coding, &encoding)) {
                call_reply_error_status(call, HTTP_UNSUPPORTED,
                                        "the Content-Encoding is '%.100s', expected gzip or zstd", coding);
                call_reply_header(call, "Accept-Encoding", "gzip, zstd"); /* RFC 9110, 12.5.3 */
                return false;
        }
        if (upload->media == MEDIA_FORM) {
                upload->multipart = multipart_new(type, fields, sizeof(fields) / sizeof(*fields), upload);
                if (!upload->multipart) {
                        call_reply_no_memory(call);
                        return false;
                }
                if (multipart_error(upload->multipart)[0]) {
                        call_reply_error(call, OX_INVALID_ARGUMENT, "%s", multipart_error(upload->multipart));
                        return false;
                }
        }
        if (encoding != ENCODING_IDENTITY) {
                upload->decoder = decoder_new(encoding, &call->service->config->limits, &call->service->budget);
                if (!upload->decoder) {
                        call_reply_no_memory(call);
                        return false;
                }
                /* Bytes of gzip decode to a thousand times as many, those of zstd to any number. */
                call->body_is_work = true;
                call->inline_bytes = encoding == ENCODING_GZIP ? GZIP_INLINE : 0;
        }
        return true;
}

bool upload_gather(void *user, const char *bytes, size_t size)
{
        struct call *call = user;

        text_append(&call->body, bytes, size);
        if (call->body.failed)
                call_reply_no_memory(call);
        return !call->body.failed;
}

bool upload_take(struct upload *upload, const char *bytes, size_t size)
{
        /* Counted here: more of the body may arrive on another thread meanwhile. */
        upload->taken += size;
        if (upload->taken > (uint64_t)upload->limit)
                return too_large(upload, "bytes");
        if (!upload->decoder)
                return take_decoded(upload, bytes, size);
        enum ox_code code = decoder_feed(upload->decoder, bytes, size, take_decoded, upload);

        if (code == OX_RESOURCE_EXHAUSTED)
                call_reply_error_status(upload->call, HTTP_TOO_LARGE, "%s", decoder_error(upload->decoder));
        else if (code == OX_UNAVAILABLE)
                call_reply_no_memory(upload->call);
        else if (code != OX_OK && code != OX_ABORTED)
                call_reply_error(upload->call, code, "%s", decoder_error(upload->decoder));
        return code == OX_OK;
}

bool upload_end(struct upload *upload)
{
        if (upload->decoder && !decoder_is_complete(upload->decoder)) {
                call_reply_error(upload->call, OX_INVALID_ARGUMENT, "the encoded body ends too early");
                return false;
        }
        if (upload->multipart && !multipart_end(upload->multipart)) {
                call_reply_error(upload->call, OX_INVALID_ARGUMENT, "%s", multipart_error(upload->multipart));
                return false;
        }
        return true;
}

void upload_done(struct upload *upload)
{
        decoder_free(upload->decoder);
        multipart_free(upload->multipart);
}
