#include "work/client.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#define SITE_BYTES  8
#define MAPPED_FROM 12 /* the prefix of an IPv4 address in an IPv6 one (RFC 4291, 2.5.5.2) */

uint64_t client_of(const struct sockaddr *address, uint64_t seed)
{
        if (address && address->sa_family == AF_INET) {
                struct sockaddr_in in;

                memcpy(&in, address, sizeof(in));
                return XXH3_64bits_withSeed(&in.sin_addr, sizeof(in.sin_addr), seed);
        }
        if (address && address->sa_family == AF_INET6) {
                struct sockaddr_in6 in;

                memcpy(&in, address, sizeof(in));
                if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr))
                        return XXH3_64bits_withSeed(&in.sin6_addr.s6_addr[MAPPED_FROM], sizeof(struct in_addr), seed);
                return XXH3_64bits_withSeed(&in.sin6_addr, SITE_BYTES, seed);
        }
        return 0;
}
