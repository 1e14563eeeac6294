#include "net/framing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct head {
        int hosts, lengths, encodings, types, codings;
        const char *length, *encoding, *expect;
        bool bad_name, bad_value;
};

/* Field names are tokens (RFC 9110, 5.6.2): a space before the colon is none. */
static bool is_token(const char *name, size_t size)
{
        static const char others[] = "!#$%&'*+-.^_`|~";

        for (size_t i = 0; i < size; i++) {
                char c = name[i];

                if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c && strchr(others, c))))
                        return false;
        }
        return size > 0;
}

static enum MHD_Result each_field(void *user, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
        struct head *head = user;

        if (!is_token(name, name_size))
                head->bad_name = true;
        if (!value || memchr(value, '\0', value_size) || memchr(value, '\r', value_size) ||
            memchr(value, '\n', value_size)) {
                head->bad_value = true;
                return MHD_YES;
        }
        if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
                head->hosts++;
        } else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
                head->lengths++;
                head->length = value;
        } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
                head->encodings++;
                head->encoding = value;
        } else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_TYPE) == 0) {
                head->types++;
        } else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_ENCODING) == 0) {
                head->codings++;
        } else if (strcasecmp(name, MHD_HTTP_HEADER_EXPECT) == 0) {
                head->expect = value;
        }
        return MHD_YES;
}

static const char *check(const struct head *head, bool is_1_1)
{
        if (head->bad_name)
                return "a header field's name is not a token";
        if (head->bad_value)
                return "a header field's value holds a control character";
        if (head->hosts > 1)
                return "there is more than one Host";
        if (head->hosts == 0 && is_1_1)
                return "there is no Host";
        if (head->lengths > 1)
                return "there is more than one Content-Length";
        if (head->types > 1)
                return "there is more than one Content-Type";
        if (head->codings > 1)
                return "there is more than one Content-Encoding";
        if (head->encodings > 1 || (head->encodings == 1 && strcasecmp(head->encoding, "chunked") != 0))
                return "Transfer-Encoding is not chunked alone";
        if (head->encodings == 1 && head->lengths == 1)
                return "there are both Content-Length and Transfer-Encoding";
        if (head->encodings == 1 && !is_1_1)
                return "Transfer-Encoding stands in a request of HTTP/1.0";
        return NULL;
}

const char *framing_read(struct MHD_Connection *connection, const char *version, struct framing *ret)
{
        struct head head = {0};

        *ret = (struct framing){0};
        MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each_field, &head);
        const char *fault = check(&head, strcmp(version, MHD_HTTP_VERSION_1_1) == 0);

        if (fault)
                return fault;
        if (head.length) {
                char *end;

                if (!*head.length || strspn(head.length, "0123456789") != strlen(head.length) ||
                    strlen(head.length) > 18)
                        return "Content-Length is no number";
                ret->length = strtoull(head.length, &end, 10);
                ret->has_length = true;
        }
        ret->has_body = head.encodings == 1 || ret->length > 0;
        ret->expects = head.expect && strcasecmp(head.expect, "100-continue") == 0;
        return NULL;
}
