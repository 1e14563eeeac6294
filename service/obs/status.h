/* The HTTP statuses that the daemon answers with, or that libmicrohttpd answers with for it. */
#pragma once

#include "shape.h"

/* name, number, the code of an error that has this status, unless a code of its own led to it. A row is a column of the
   metric requests_total, too. */
#define HTTP_STATUSES(X)                                                                                               \
        X(OK, 200, OK)                                                                                                 \
        X(NO_CONTENT, 204, OK)                                                                                         \
        X(NOT_MODIFIED, 304, OK)                                                                                       \
        X(BAD_REQUEST, 400, INVALID_ARGUMENT)                                                                          \
        X(UNAUTHORIZED, 401, UNAUTHENTICATED)                                                                          \
        X(FORBIDDEN, 403, PERMISSION_DENIED)                                                                           \
        X(NOT_FOUND, 404, UNIMPLEMENTED) /* of a path; what it names may be NOT_FOUND */                               \
        X(NOT_ALLOWED, 405, UNIMPLEMENTED)                                                                             \
        X(CONFLICT, 409, ABORTED)                                                                                      \
        X(TOO_LARGE, 413, RESOURCE_EXHAUSTED)                                                                          \
        X(URI_TOO_LONG, 414, RESOURCE_EXHAUSTED)                                                                       \
        X(UNSUPPORTED, 415, INVALID_ARGUMENT)                                                                          \
        X(TOO_MANY, 429, RESOURCE_EXHAUSTED)                                                                           \
        X(HEAD_TOO_LARGE, 431, RESOURCE_EXHAUSTED)                                                                     \
        X(CLIENT_GONE, 499, CANCELED) /* nginx' number: nobody was left to answer to, and the log alone has it */      \
        X(INTERNAL, 500, INTERNAL)                                                                                     \
        X(NOT_IMPLEMENTED, 501, UNIMPLEMENTED)                                                                         \
        X(UNAVAILABLE, 503, UNAVAILABLE)                                                                               \
        X(TIMEOUT, 504, DEADLINE_EXCEEDED)                                                                             \
        X(VERSION_UNKNOWN, 505, UNIMPLEMENTED)

enum http_status {
#define X(name, number, code) HTTP_##name = number,
        HTTP_STATUSES(X)
#undef X
};

/* The code in a status's row; OX_UNKNOWN for one that has none. */
enum ox_code http_status_code(int status);
