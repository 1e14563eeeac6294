/* Who a request is for, as far as turns are concerned. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

/* A hash of an address without its port, of IPv6 of the 64 bits that one site has (RFC 4291, 2.5.4); 0 for NULL and for
   what has none. */
uint64_t client_of(const struct sockaddr *address, uint64_t seed);
