/* A client's address as text. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#define ADDRESS_TEXT INET6_ADDRSTRLEN

/* Writes into `ret`, ADDRESS_TEXT bytes, and returns it; an IPv4 address that an IPv6 socket has is written as what it
   is. "unix" for a socket of this machine, NULL for no address. */
const char *address_text(const struct sockaddr *address, char *ret);
