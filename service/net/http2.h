/* HTTP/2 over cleartext TCP by libnghttp2 (RFC 9113): threads of its own read requests into calls and send replies. */
#pragma once

#include <sys/socket.h>

#include "net/peers.h"
#include "service.h"

struct http2;

/* NULL if it cannot start. The peers must outlive it. */
struct http2 *http2_new(struct service *service, struct peers *peers, const struct call_handler *handler);

/* Serves a connection that the peers have admitted and whose first bytes are those of HTTP/2. Any thread may call it.
 */
void http2_take(struct http2 *http2, int socket, const struct sockaddr *address, socklen_t size);

/* Drains: tells every client that its connection takes no more requests. Requests in flight are answered. To be called
   again if connections may have arrived since. */
void http2_drain(struct http2 *http2);

/* Closes every connection; no worker may have a call. Takes NULL. */
void http2_free(struct http2 *http2);
