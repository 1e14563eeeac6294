#include "net/multipart.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/call.h"

#define BUFFER_BYTES ((size_t)32 * 1024)

struct multipart {
        struct MHD_PostProcessor *processor;
        const char *field;
        bool (*sink)(void *user, const char *bytes, size_t size);
        void *user;
        bool seen;
        bool stopped;  /* by the sink */
        uint64_t next; /* offset at which the field goes on */
        char error[160];
};

static enum MHD_Result each_piece(void *user, enum MHD_ValueKind kind, const char *key, const char *filename,
                                  const char *content_type, const char *transfer_encoding, const char *data,
                                  uint64_t offset, size_t size)
{
        struct multipart *m = user;

        if (!key || strcmp(key, m->field) != 0) {
                snprintf(m->error, sizeof(m->error), "the form has a field '%.60s', only '%s' is known", key ? key : "",
                         m->field);
                return MHD_NO;
        }
        if (m->seen && offset != m->next) {
                snprintf(m->error, sizeof(m->error), "the form has the field '%s' twice", m->field);
                return MHD_NO;
        }
        m->seen = true;
        m->next = offset + size;
        if (size && !m->sink(m->user, data, size)) {
                m->stopped = true;
                return MHD_NO;
        }
        return MHD_YES;
}

struct multipart *multipart_new(struct call *call, const char *field,
                                bool (*sink)(void *user, const char *bytes, size_t size), void *user)
{
        struct multipart *m = calloc(1, sizeof(*m));

        if (!m)
                return NULL;
        *m = (struct multipart){.field = field, .sink = sink, .user = user};
        m->processor = MHD_create_post_processor(call->connection, BUFFER_BYTES, each_piece, m);
        if (m->processor)
                return m;
        free(m);
        return NULL;
}

bool multipart_feed(struct multipart *m, const char *bytes, size_t size)
{
        if (MHD_post_process(m->processor, bytes, size) == MHD_YES && !m->error[0] && !m->stopped)
                return true;
        if (!m->error[0] && !m->stopped)
                snprintf(m->error, sizeof(m->error), "the body is no valid multipart/form-data");
        return false;
}

const char *multipart_error(const struct multipart *m)
{
        return m->error;
}

bool multipart_end(struct multipart *m)
{
        enum MHD_Result result = MHD_destroy_post_processor(m->processor);

        m->processor = NULL;
        if (!m->seen)
                snprintf(m->error, sizeof(m->error), "the form has no field '%s'", m->field);
        else if (result != MHD_YES)
                snprintf(m->error, sizeof(m->error), "the form ends before its last boundary");
        return !m->error[0];
}

void multipart_free(struct multipart *m)
{
        if (!m)
                return;
        if (m->processor)
                MHD_destroy_post_processor(m->processor);
        free(m);
}
