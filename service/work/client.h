/* Identifies the client of a request, so that clients can take turns. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

/* A hash of an address without its port; for IPv6 of its first 64 bits, which belong to one site (RFC 4291, 2.5.4). 0
   for NULL and for other kinds of addresses. */
uint64_t client_of(const struct sockaddr *address, uint64_t seed);
