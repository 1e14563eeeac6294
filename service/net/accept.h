/* Sockets that listen, and the thread that accepts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "net/peers.h"

#define LISTEN_MOST 16

struct listener {
        int socket[LISTEN_MOST];
        size_t count;
        char address[128]; /* of the first one, with its real port */
};

/* Sockets handed over by systemd (LISTEN_FDS), else one bound to ADDR:PORT, [ADDR]:PORT or :PORT. False with the reason
   in `error`. */
bool listener_open(struct listener *listener, const char *address, char *error, size_t size);
void listener_close(struct listener *listener);

struct acceptor;

/* Calls `take` for every connection that `peers` admits, from a thread of its own; `take` owns the socket then. NULL:
   no thread. */
struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              void (*take)(void *user, int socket, const struct sockaddr *address, socklen_t size),
                              void *user);

/* Takes what waits in the backlog, then ends the thread. The sockets stay open. Takes NULL. */
void acceptor_free(struct acceptor *acceptor);
