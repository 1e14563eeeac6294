/* The header fields that anything here asks for, so that each is found once, while the head is read. */
#pragma once

#include <stddef.h>

/* A number and a name in lower case; the shorter ones first. Those with a colon are HTTP/2's (RFC 9113, 8.3.1). */
#define FIELDS(X)                                                                                                      \
        X(HOST, "host")                                                                                                \
        X(PATH, ":path")                                                                                               \
        X(ACCEPT, "accept")                                                                                            \
        X(EXPECT, "expect")                                                                                            \
        X(ORIGIN, "origin")                                                                                            \
        X(METHOD, ":method")                                                                                           \
        X(AUTHORITY, ":authority")                                                                                     \
        X(CONTENT_TYPE, "content-type")                                                                                \
        X(GRPC_TIMEOUT, "grpc-timeout")                                                                                \
        X(GRPC_ENCODING, "grpc-encoding")                                                                              \
        X(IF_NONE_MATCH, "if-none-match")                                                                              \
        X(CONTENT_LENGTH, "content-length")                                                                            \
        X(ACCEPT_ENCODING, "accept-encoding")                                                                          \
        X(CONTENT_ENCODING, "content-encoding")                                                                        \
        X(TRANSFER_ENCODING, "transfer-encoding")                                                                      \
        X(CONNECT_TIMEOUT_MS, "connect-timeout-ms")                                                                    \
        X(GRPC_ACCEPT_ENCODING, "grpc-accept-encoding")                                                                \
        X(CONNECT_PROTOCOL_VERSION, "connect-protocol-version")                                                        \
        X(ACCESS_CONTROL_REQUEST_METHOD, "access-control-request-method")

enum field {
#define X(id, name) FIELD_##id,
        FIELDS(X)
#undef X
                FIELD_COUNT
};

/* The number of a field's name, in any case; FIELD_COUNT: it is none of these. */
enum field field_find(const char *name, size_t length);
