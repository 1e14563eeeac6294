/* The thread that accepts. */
#pragma once

#include <sys/socket.h>

#include "net/listener.h"
#include "net/peers.h"

struct acceptor;

/* Calls `take` for every connection that `peers` admits, from a thread of its own; `take` owns the socket then. NULL:
   no thread. */
struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              void (*take)(void *user, int socket, const struct sockaddr *address, socklen_t size),
                              void *user);

/* Takes what waits in the backlog, then ends the thread. The sockets stay open. Takes NULL. */
void acceptor_free(struct acceptor *acceptor);
