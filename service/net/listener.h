/* Sockets that listen. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LISTEN_MOST 16

struct listener {
        int socket[LISTEN_MOST];
        size_t count;
        const char *path;   /* of a Unix socket of our own, removed when it closes */
        char address[1024]; /* of all of them, with their real ports, separated by commas */
};

/* Opens the sockets handed over by systemd (LISTEN_FDS), else sockets for all addresses of ADDR:PORT, [ADDR]:PORT or
   :PORT, or for unix:PATH. False with the reason in `error`, and no socket open. `address` must stay valid. */
bool listener_open(struct listener *listener, const char *address, char *error, size_t size);
void listener_close(struct listener *listener);
