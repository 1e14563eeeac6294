/* A client's address as text. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#define ADDRESS_TEXT INET6_ADDRSTRLEN

/* Writes into `ret`, ADDRESS_TEXT bytes, and returns it; an IPv4 address of an IPv6 socket is written as IPv4. "unix"
   for a socket of this machine, NULL for no address. */
const char *address_text(const struct sockaddr *address, char *ret);
