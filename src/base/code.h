/* The outcome of an operation: the gRPC status codes, by their numbers. */
#pragma once

#include <stddef.h>

/* code, number, its spelling in JSON, the HTTP status that goes with it */
#define OX_CODES(X)                                                                                                    \
        X(OK, 0, "ok", 200)                                                                                            \
        X(CANCELED, 1, "canceled", 499)                                                                                \
        X(UNKNOWN, 2, "unknown", 500)                                                                                  \
        X(INVALID_ARGUMENT, 3, "invalid_argument", 400)                                                                \
        X(DEADLINE_EXCEEDED, 4, "deadline_exceeded", 504)                                                              \
        X(NOT_FOUND, 5, "not_found", 404)                                                                              \
        X(ALREADY_EXISTS, 6, "already_exists", 409)                                                                    \
        X(PERMISSION_DENIED, 7, "permission_denied", 403)                                                              \
        X(RESOURCE_EXHAUSTED, 8, "resource_exhausted", 429)                                                            \
        X(FAILED_PRECONDITION, 9, "failed_precondition", 400)                                                          \
        X(ABORTED, 10, "aborted", 409)                                                                                 \
        X(OUT_OF_RANGE, 11, "out_of_range", 400)                                                                       \
        X(UNIMPLEMENTED, 12, "unimplemented", 501)                                                                     \
        X(INTERNAL, 13, "internal", 500)                                                                               \
        X(UNAVAILABLE, 14, "unavailable", 503)                                                                         \
        X(DATA_LOSS, 15, "data_loss", 500)                                                                             \
        X(UNAUTHENTICATED, 16, "unauthenticated", 401)

enum ox_code {
#define X(name, number, text, http) OX_##name = number,
        OX_CODES(X)
#undef X
};

#pragma GCC visibility push(default)

/* "invalid_argument" and the like; a static string, never NULL. */
const char *ox_code_name(enum ox_code code);

/* The HTTP status of a code, where no more specific one applies. */
int ox_code_http(enum ox_code code);

#pragma GCC visibility pop
