#include "net/framing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct head {
        size_t fields;
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

        head->fields++;
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

/* The lines of the head as they came, to see what libmicrohttpd makes nothing of: it takes a NUL for the end of a
   value, appends a folded line to the name, and takes a field without a name for the end of the head. In its buffer a
   NUL stands in the place of each CR, each LF and each first colon. So each field is a name, a NUL, a value and two
   NULs, and two NULs end the head. False where anything else stands, or more fields than the library has found. */
static bool is_whole(const char *lines, const char *end, size_t fields)
{
        const char *at = lines;

        for (; end - at > 2; fields--) {
                const char *name_end = memchr(at, '\0', (size_t)(end - at));
                const char *value_end = name_end ? memchr(name_end + 1, '\0', (size_t)(end - name_end - 1)) : NULL;

                if (fields == 0 || name_end == at || !value_end || end - value_end < 2 || value_end[1])
                        return false;
                at = value_end + 2;
        }
        return fields == 0 && end - at == 2 && !at[0] && !at[1];
}

static bool is_head_whole(struct MHD_Connection *connection, const char *method, const char *version, size_t fields)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        const char *end = info ? method + info->header_size : version;
        size_t length = strlen(version);

        return end > version && (size_t)(end - version) >= length + 2 && !version[length + 1] &&
               is_whole(version + length + 2, end, fields);
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
                return "the Host field is missing";
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

const char *framing_read(struct MHD_Connection *connection, const char *method, const char *version,
                         struct framing *ret)
{
        struct head head = {0};

        *ret = (struct framing){0};
        MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each_field, &head);
        if (!is_head_whole(connection, method, version, head.fields))
                return "a line of the head is folded, has no name, holds a NUL or does not end in CRLF";
        const char *fault = check(&head, strcmp(version, MHD_HTTP_VERSION_1_1) == 0);

        if (fault)
                return fault;
        if (head.length) {
                char *end;

                if (!*head.length || strspn(head.length, "0123456789") != strlen(head.length) ||
                    strlen(head.length) > 18)
                        return "Content-Length must be a number";
                ret->length = strtoull(head.length, &end, 10);
                ret->has_length = true;
        }
        ret->has_body = head.encodings == 1 || ret->length > 0;
        ret->expects = head.expect && strcasecmp(head.expect, "100-continue") == 0;
        return NULL;
}
