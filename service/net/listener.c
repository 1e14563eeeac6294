#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_HANDED_OVER 3 /* sd_listen_fds(3) */
#define PORT_MOST         65535

struct fault {
        char *text;
        size_t size;
};

/* -- handed over -- */

static bool is_listening(int socket)
{
        int type = 0, listens = 0;
        socklen_t size = sizeof(int);

        return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
               getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

/* How many were handed over to this process. */
static long count_handed_over(void)
{
        const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

        return !count || (pid && strtol(pid, NULL, 10) != (long)getpid()) ? 0 : strtol(count, NULL, 10);
}

static bool take_handed_over(struct listener *listener, long count, const struct fault *fault)
{
        if (count > LISTEN_MOST) {
                snprintf(fault->text, fault->size, "LISTEN_FDS is %ld, at most %d sockets are taken", count,
                         LISTEN_MOST);
                return false;
        }
        for (int i = 0; i < (int)count; i++) {
                int socket = FIRST_HANDED_OVER + i;
                int flags = fcntl(socket, F_GETFL);

                if (flags < 0 || !is_listening(socket)) {
                        snprintf(fault->text, fault->size,
                                 "descriptor %d of LISTEN_FDS=%ld is not a stream socket that listens", socket, count);
                        return false;
                }
                fcntl(socket, F_SETFL, flags | O_NONBLOCK);
                fcntl(socket, F_SETFD, FD_CLOEXEC);
                listener->socket[listener->count++] = socket;
        }
        return true;
}

/* -- ADDR:PORT -- */

static bool split_address(const char *address, char *host, size_t size, const char **ret_port)
{
        const char *colon = strrchr(address, ':');
        size_t length = colon ? (size_t)(colon - address) : 0;

        if (!colon || length >= size || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] ||
            strtol(colon + 1, NULL, 10) > PORT_MOST)
                return false;
        if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
                address++;
                length -= 2;
        }
        memcpy(host, address, length);
        host[length] = '\0';
        *ret_port = colon + 1;
        return true;
}

/* A socket bound to the address, -1 with errno. `alone`: an IPv6 one leaves IPv4 to another. */
static int bind_to(const struct sockaddr *address, socklen_t size, bool alone)
{
        int yes = 1;
        int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        if (fd < 0)
                return -1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
        if (address->sa_family == AF_INET6 && alone)
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
        if (bind(fd, address, size) == 0 && listen(fd, SOMAXCONN) == 0)
                return fd;
        int reason = errno;

        close(fd);
        errno = reason;
        return -1;
}

static in_port_t *port_of(struct sockaddr *address)
{
        return address->sa_family == AF_INET6 ? &((struct sockaddr_in6 *)(void *)address)->sin6_port
                                              : &((struct sockaddr_in *)(void *)address)->sin_port;
}

/* A name may resolve to the same address twice. */
static bool is_repeated(const struct addrinfo *found, const struct addrinfo *info)
{
        for (; found != info; found = found->ai_next) {
                if (found->ai_addrlen == info->ai_addrlen &&
                    memcmp(found->ai_addr, info->ai_addr, info->ai_addrlen) == 0)
                        return true;
        }
        return false;
}

/* The port of the first socket, which the others use if a free one was requested. */
static in_port_t taken_port(const struct listener *listener)
{
        union {
                struct sockaddr any;
                struct sockaddr_in6 of_ip; /* the largest of those with a port */
        } address = {.of_ip = {.sin6_port = 0}};
        socklen_t size = sizeof(address);

        getsockname(listener->socket[0], &address.any, &size);
        return *port_of(&address.any);
}

/* False, with errno, if one of the addresses cannot be bound, unless the machine has no such kind of address. */
static bool bind_all(struct listener *listener, const struct addrinfo *found)
{
        int reason = EADDRNOTAVAIL;

        for (const struct addrinfo *info = found; info && listener->count < LISTEN_MOST; info = info->ai_next) {
                struct sockaddr_storage address = {.ss_family = AF_UNSPEC};

                if (is_repeated(found, info))
                        continue;
                memcpy(&address, info->ai_addr, info->ai_addrlen);
                if (listener->count)
                        *port_of((struct sockaddr *)&address) = taken_port(listener);
                int fd = bind_to((struct sockaddr *)&address, info->ai_addrlen, found->ai_next != NULL);

                if (fd >= 0)
                        listener->socket[listener->count++] = fd;
                else if (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL)
                        return false;
                else
                        reason = errno;
        }
        errno = reason;
        return listener->count > 0;
}

static bool open_address(struct listener *listener, const char *address, const struct fault *fault)
{
        struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
        struct addrinfo *found = NULL;
        const char *port;
        char host[256];

        if (!split_address(address, host, sizeof(host), &port)) {
                snprintf(fault->text, fault->size, "'%s' is neither ADDR:PORT nor unix:PATH", address);
                return false;
        }
        int result = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);

        if (result != 0) {
                snprintf(fault->text, fault->size, "%s: %s", address, gai_strerror(result));
                return false;
        }
        bool is_open = bind_all(listener, found);

        if (!is_open)
                snprintf(fault->text, fault->size, "%s: %s", address, strerror(errno));
        freeaddrinfo(found);
        return is_open;
}

/* -- unix:PATH -- */

/* Removes a socket that a daemon left behind when it crashed: nobody listens at it. */
static void remove_stale(const struct sockaddr_un *address)
{
        struct stat found;
        int fd = lstat(address->sun_path, &found) == 0 && S_ISSOCK(found.st_mode)
                         ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
                         : -1;

        if (fd < 0)
                return;
        if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 && errno == ECONNREFUSED)
                unlink(address->sun_path);
        close(fd);
}

static bool open_path(struct listener *listener, const char *path, const struct fault *fault)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        size_t length = strlen(path);

        if (length == 0 || length >= sizeof(address.sun_path)) {
                snprintf(fault->text, fault->size, "unix:%s: the path has %zu bytes, 1 to %zu are allowed", path,
                         length, sizeof(address.sun_path) - 1);
                return false;
        }
        memcpy(address.sun_path, path, length);
        remove_stale(&address);
        int fd = bind_to((struct sockaddr *)&address, sizeof(address), false);

        if (fd < 0) {
                snprintf(fault->text, fault->size, "unix:%s: %s", path, strerror(errno));
                return false;
        }
        listener->socket[listener->count++] = fd;
        listener->path = path;
        return true;
}

/* -- both -- */

static void spell_address(int socket, char *ret, size_t size)
{
        struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
        const struct sockaddr_un *local = (struct sockaddr_un *)&address;
        socklen_t length = sizeof(address);
        char host[80], port[16];

        snprintf(ret, size, "socket");
        if (getsockname(socket, (struct sockaddr *)&address, &length) != 0)
                return;
        if (address.ss_family == AF_UNIX)
                snprintf(ret, size, "unix:%s", length > sizeof(address.ss_family) ? local->sun_path : "");
        else if (getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port, sizeof(port),
                             NI_NUMERICHOST | NI_NUMERICSERV) == 0)
                snprintf(ret, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static void spell_addresses(struct listener *listener)
{
        size_t at = 0;

        for (size_t i = 0; i < listener->count && at + 2 < sizeof(listener->address); i++) {
                if (i)
                        listener->address[at++] = ',';
                spell_address(listener->socket[i], listener->address + at, sizeof(listener->address) - at);
                at += strlen(listener->address + at);
        }
}

bool listener_open(struct listener *listener, const char *address, char *error, size_t size)
{
        static const char local[] = "unix:";
        const struct fault fault = {error, size};
        long handed_over = count_handed_over();
        bool is_local = strncmp(address, local, sizeof(local) - 1) == 0;

        *listener = (struct listener){.count = 0};
        if (!(handed_over > 0 ? take_handed_over(listener, handed_over, &fault)
              : is_local      ? open_path(listener, address + sizeof(local) - 1, &fault)
                              : open_address(listener, address, &fault))) {
                listener_close(listener);
                return false;
        }
        spell_addresses(listener);
        return true;
}

void listener_close(struct listener *listener)
{
        if (listener->path)
                unlink(listener->path);
        listener->path = NULL;
        for (size_t i = 0; i < listener->count; i++)
                close(listener->socket[i]);
        listener->count = 0;
}
