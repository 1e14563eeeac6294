/* The thread that accepts, and finds out by the first bytes which protocol a connection speaks. */
#pragma once

#include <sys/socket.h>

#include "net/listener.h"
#include "net/peers.h"

struct acceptor;

/* Who gets the connections; each owns the socket then. Called on the acceptor's thread. */
struct acceptor_takers {
        void (*http1)(void *user, int socket, const struct sockaddr *address, socklen_t size);
        void (*http2)(void *user, int socket, const struct sockaddr *address, socklen_t size);
        void *user;
};

/* Serves every connection that `peers` admits, from a thread of its own. NULL: no thread. */
struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              const struct acceptor_takers *takers);

/* Takes what waits in the backlog, and no more; connections that have said nothing yet are still listened to. The
   sockets that listen stay open. */
void acceptor_stop(struct acceptor *acceptor);

/* The same, if that has not been, and ends the thread. Closes connections that have said nothing. Takes NULL. */
void acceptor_free(struct acceptor *acceptor);
