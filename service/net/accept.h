/* The thread that accepts connections, and detects their protocol by the first bytes. */
#pragma once

#include <sys/socket.h>

#include "net/listener.h"
#include "net/peers.h"

struct acceptor;

/* The receivers of connections, one for each protocol, which own the socket from then on. Called on the acceptor's
   thread. */
struct acceptor_takers {
        void (*http1)(void *user, int socket, const struct sockaddr *address, socklen_t size);
        void (*http2)(void *user, int socket, const struct sockaddr *address, socklen_t size);
        void *user;
};

/* Serves every connection that `peers` admits, from a thread of its own. NULL: no thread. */
struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              const struct acceptor_takers *takers);

/* Accepts the connections in the backlog, and no more. Still waits for the first bytes of accepted ones. The listening
   sockets stay open. */
void acceptor_stop(struct acceptor *acceptor);

/* Does the same if it was not done, and ends the thread. Closes connections that have sent nothing. Takes NULL. */
void acceptor_free(struct acceptor *acceptor);
