#include "rest/cors.h"

#include <string.h>

#include "service.h"

#define SEPARATORS  ", \t"
#define REMEMBER_S  "7200" /* for which a browser need not ask again */
#define ORIGIN_MOST (sizeof(((struct call_header *)NULL)->value) - 1)

/* The next word of a list, with its length; NULL: there is none. */
static const char *next_word(const char *at, size_t *ret_length)
{
        at += strspn(at, SEPARATORS);
        *ret_length = strcspn(at, SEPARATORS);
        return *ret_length ? at : NULL;
}

static bool is_any(const char *word, size_t length)
{
        return length == 1 && *word == '*';
}

/* A scheme and a host, perhaps with a port, but no path: RFC 6454, 6.2. */
static bool is_origin(const char *word, size_t length)
{
        const char *colon = memchr(word, ':', length);
        size_t scheme = colon ? (size_t)(colon - word) : 0;

        return scheme > 0 && length > scheme + 3 && length <= ORIGIN_MOST && strncmp(colon, "://", 3) == 0 &&
               !memchr(colon + 3, '/', length - scheme - 3);
}

const char *cors_fault(const char *origins, size_t *ret_length)
{
        for (const char *word = origins; (word = next_word(word, ret_length)); word += *ret_length)
                if (!is_any(word, *ret_length) && !is_origin(word, *ret_length))
                        return word;
        return NULL;
}

/* The word of the list that allows an origin; NULL: it is not allowed. */
static const char *find(const char *origins, const char *origin, size_t *ret_length)
{
        size_t length = strlen(origin);

        for (const char *word = origins; (word = next_word(word, ret_length)); word += *ret_length)
                if (is_any(word, *ret_length) || (*ret_length == length && memcmp(word, origin, length) == 0))
                        return word;
        return NULL;
}

/* What a browser asks before a request that a plain form could not make. */
static bool is_preflight(const struct call *call)
{
        return call->field[FIELD_ACCESS_CONTROL_REQUEST_METHOD] && strcmp(call->method_name, "OPTIONS") == 0;
}

bool cors_begin(struct call *call)
{
        const char *origins = call->service->config->cors_origin, *origin = call->field[FIELD_ORIGIN];
        size_t length;

        if (!origins[0])
                return false;
        call_reply_header(call, "Vary", "Origin");
        const char *allowed = origin ? find(origins, origin, &length) : NULL;

        if (!allowed)
                return false;
        call_reply_header(call, "Access-Control-Allow-Origin", "%.*s", (int)length, allowed);
        if (!is_preflight(call)) {
                call_reply_header(call, "Access-Control-Expose-Headers",
                                  "Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, Retry-After, ETag");
                return false;
        }
        call_reply(call, HTTP_NO_CONTENT, NULL);
        call_reply_header(call, "Access-Control-Allow-Methods", "GET, HEAD, POST");
        call_reply_header(call, "Access-Control-Allow-Headers", "*");
        call_reply_header(call, "Access-Control-Max-Age", REMEMBER_S);
        return true;
}
