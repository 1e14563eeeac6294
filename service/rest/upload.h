/* Receives a request's body: checks its size, type and encoding, decodes it, and takes it out of a form. */
#pragma once

#include "net/call.h"
#include "net/multipart.h"
#include "rest/decoder.h"
#include "rest/media.h"

#define UPLOAD_FIRST 4

struct upload {
        struct call *call;
        enum media media;
        int64_t limit;
        const char *limit_name;
        struct decoder *decoder;     /* NULL: not encoded */
        struct multipart *multipart; /* NULL: no form */
        uint64_t decoded;
        uint64_t taken;                    /* bytes of the body so far, as they came */
        unsigned char first[UPLOAD_FIRST]; /* bytes of the model or request as it came */
        size_t n_first;
        /* Takes the next bytes. False: the call has its reply. */
        bool (*sink)(void *user, const char *bytes, size_t size);
        /* The same for the field `operators` of a form. */
        bool (*operators_sink)(void *user, const char *bytes, size_t size);
        void *user;
};

/* Reads the head. `medias` is a set of 1 << enum media. False: the call is refused and has its reply. */
bool upload_begin(struct upload *upload, struct call *call, unsigned medias, const char *wanted, int64_t limit,
                  const char *limit_name);
/* A sink that keeps all bytes in the body of the call, which is its `user`. */
bool upload_gather(void *user, const char *bytes, size_t size);
/* False: the call has its reply. */
bool upload_take(struct upload *upload, const char *bytes, size_t size);
bool upload_end(struct upload *upload);
void upload_done(struct upload *upload);
