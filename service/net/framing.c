#include "net/framing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH_DIGITS 18

struct head {
        size_t fields;
        size_t count[FIELD_COUNT + 1]; /* the last one: of others */
        const char **field;
        bool bad_name, bad_value;
};

static bool is_token_char(char c)
{
        static const char others[] = "!#$%&'*+.^`|~";

        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               (c && strchr(others, c));
}

/* Field names are tokens (RFC 9110, 5.6.2), which excludes a space before the colon. */
static bool is_token(const char *name, size_t size)
{
        size_t i = 0;

        while (i < size && is_token_char(name[i]))
                i++;
        return size > 0 && i == size;
}

/* Whether a value holds what no line of a head may: NUL, CR or LF. */
static bool is_broken(const char *value, size_t size)
{
        for (size_t i = 0; i < size; i++)
                if ((unsigned char)value[i] <= '\r' && (!value[i] || value[i] == '\r' || value[i] == '\n'))
                        return true;
        return false;
}

static enum MHD_Result each_field(void *user, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                  const char *value, size_t value_size)
{
        struct head *head = user;
        enum field field = field_find(name, name_size);

        head->fields++;
        if (field == FIELD_COUNT && !is_token(name, name_size))
                head->bad_name = true;
        if (!value || is_broken(value, value_size)) {
                head->bad_value = true;
                return MHD_YES;
        }
        if (field < FIELD_COUNT && head->count[field] == 0)
                head->field[field] = value;
        head->count[field]++;
        return MHD_YES;
}

/* Checks the lines of the head as received, to find faults that libmicrohttpd hides: it ends a value at a NUL, appends
   a folded line to the name, and takes a field without a name for the end of the head. In its buffer each CR, each LF
   and each first colon is replaced by a NUL. So each field is a name, a NUL, a value and two NULs, and two NULs end the
   head. False for anything else, and for more fields than the library has found. */
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

/* Where two of them would be read in two ways. */
static const char *check_single(const struct head *head)
{
        static const struct {
                enum field field;
                const char *fault;
        } rows[] = {
                {FIELD_HOST, "there is more than one Host"},
                {FIELD_CONTENT_LENGTH, "there is more than one Content-Length"},
                {FIELD_CONTENT_TYPE, "there is more than one Content-Type"},
                {FIELD_CONTENT_ENCODING, "there is more than one Content-Encoding"},
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (head->count[rows[i].field] > 1)
                        return rows[i].fault;
        return NULL;
}

static const char *check(const struct head *head, bool is_1_1)
{
        const char *encoding = head->field[FIELD_TRANSFER_ENCODING], *fault = check_single(head);

        if (head->bad_name)
                return "a header field's name is not a token";
        if (head->bad_value)
                return "a header field's value holds a control character";
        if (fault)
                return fault;
        if (!head->field[FIELD_HOST] && is_1_1)
                return "the Host field is missing";
        if (encoding && (head->count[FIELD_TRANSFER_ENCODING] > 1 || strcasecmp(encoding, "chunked") != 0))
                return "Transfer-Encoding is not chunked alone";
        if (encoding && head->field[FIELD_CONTENT_LENGTH])
                return "there are both Content-Length and Transfer-Encoding";
        if (encoding && !is_1_1)
                return "Transfer-Encoding stands in a request of HTTP/1.0";
        return NULL;
}

static bool read_length(const char *text, uint64_t *ret)
{
        const char *at = text;

        *ret = 0;
        while (*at >= '0' && *at <= '9' && at - text < LENGTH_DIGITS)
                *ret = *ret * 10 + (uint64_t)(*at++ - '0');
        return at > text && !*at;
}

const char *framing_read(struct MHD_Connection *connection, const char *method, const char *version,
                         const char *ret_field[FIELD_COUNT], struct framing *ret)
{
        struct head head = {.field = ret_field};
        const char *length, *expect;

        *ret = (struct framing){0};
        MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each_field, &head);
        if (!is_head_whole(connection, method, version, head.fields))
                return "a line of the head is folded, has no name, holds a NUL or does not end in CRLF";
        const char *fault = check(&head, strcmp(version, MHD_HTTP_VERSION_1_1) == 0);

        if (fault)
                return fault;
        length = ret_field[FIELD_CONTENT_LENGTH];
        expect = ret_field[FIELD_EXPECT];
        ret->has_length = length != NULL;
        if (length && !read_length(length, &ret->length))
                return "Content-Length must be a number";
        ret->has_body = ret_field[FIELD_TRANSFER_ENCODING] || ret->length > 0;
        ret->expects = expect && strcasecmp(expect, "100-continue") == 0;
        return NULL;
}
