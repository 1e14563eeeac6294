/* The HTTP statuses of replies, by the daemon or by libmicrohttpd itself. */
#pragma once

#include "shape.h"

/* Name, number, and the code of an error with this status that has no code of its own. Each row is also a column of the
   metric requests_total. */
#define HTTP_STATUSES(X)                                                                                               \
        X(OK, 200, OK)                                                                                                 \
        X(NO_CONTENT, 204, OK)                                                                                         \
        X(NOT_MODIFIED, 304, OK)                                                                                       \
        X(BAD_REQUEST, 400, INVALID_ARGUMENT)                                                                          \
        X(UNAUTHORIZED, 401, UNAUTHENTICATED)                                                                          \
        X(FORBIDDEN, 403, PERMISSION_DENIED)                                                                           \
        X(NOT_FOUND, 404, UNIMPLEMENTED) /* of a path; a missing resource is NOT_FOUND */                              \
        X(NOT_ALLOWED, 405, UNIMPLEMENTED)                                                                             \
        X(CONFLICT, 409, ABORTED)                                                                                      \
        X(TOO_LARGE, 413, RESOURCE_EXHAUSTED)                                                                          \
        X(URI_TOO_LONG, 414, RESOURCE_EXHAUSTED)                                                                       \
        X(UNSUPPORTED, 415, INVALID_ARGUMENT)                                                                          \
        X(TOO_MANY, 429, RESOURCE_EXHAUSTED)                                                                           \
        X(HEAD_TOO_LARGE, 431, RESOURCE_EXHAUSTED)                                                                     \
        X(CLIENT_GONE, 499, CANCELED) /* nginx' number for a client that has gone; it appears only in the log and the  \
                                         metrics */                                                                    \
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

/* The code in the row of a status; OX_UNKNOWN if it has no row. */
enum ox_code http_status_code(int status);
