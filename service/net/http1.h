/* HTTP/1.1 by libmicrohttpd: its threads read requests into calls and send their replies. */
#pragma once

#include <sys/socket.h>

#include "net/peers.h"
#include "service.h"

struct http1;

/* NULL if it cannot start. The peers must outlive it. */
struct http1 *http1_new(struct service *service, struct peers *peers, const struct call_handler *handler);

/* Serves a connection that the peers have admitted. */
void http1_take(struct http1 *http1, int socket, const struct sockaddr *address, socklen_t size);

/* The number of requests in flight. */
int64_t http1_in_flight(const struct http1 *http1);

/* Closes every connection; no request may be in flight. Takes NULL. */
void http1_free(struct http1 *http1);
