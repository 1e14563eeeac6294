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

/* Sockets handed over by systemd (LISTEN_FDS), else those of all addresses that ADDR:PORT, [ADDR]:PORT or :PORT stands
   for, or of unix:PATH. False with the reason in `error`, and none open. `address` must stay. */
bool listener_open(struct listener *listener, const char *address, char *error, size_t size);
void listener_close(struct listener *listener);
