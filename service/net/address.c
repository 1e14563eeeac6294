#include "net/address.h"

#include <arpa/inet.h>
#include <string.h>

/* Does the work of inet_ntop() without printf(), because every line of the log has an address. */
static const char *write_v4(const unsigned char *bytes, char *ret)
{
        char *at = ret;

        for (int i = 0; i < 4; i++) {
                unsigned byte = bytes[i];

                if (i)
                        *at++ = '.';
                if (byte >= 100)
                        *at++ = (char)('0' + byte / 100);
                if (byte >= 10)
                        *at++ = (char)('0' + byte / 10 % 10);
                *at++ = (char)('0' + byte % 10);
        }
        *at = '\0';
        return ret;
}

const char *address_text(const struct sockaddr *address, char *ret)
{
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;

        if (!address)
                return NULL;
        if (address->sa_family == AF_INET) {
                memcpy(&v4, address, sizeof(v4));
                return write_v4((const unsigned char *)&v4.sin_addr, ret);
        }
        if (address->sa_family != AF_INET6)
                return strcpy(ret, "unix");
        memcpy(&v6, address, sizeof(v6));
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
                return write_v4(v6.sin6_addr.s6_addr + 12, ret);
        return inet_ntop(AF_INET6, &v6.sin6_addr, ret, ADDRESS_TEXT);
}
