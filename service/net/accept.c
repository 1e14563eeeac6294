#include "net/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FIRST_HANDED_OVER 3 /* sd_listen_fds(3) */
#define PATIENCE_MS       10
#define PORT_MOST         65535

/* -- listening -- */

static bool take_handed_over(struct listener *listener)
{
        const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

        if (!count || (pid && strtol(pid, NULL, 10) != (long)getpid()))
                return false;
        long wanted = strtol(count, NULL, 10);

        for (long i = 0; i < wanted && listener->count < LISTEN_MOST; i++) {
                int socket = FIRST_HANDED_OVER + (int)i;
                int flags = fcntl(socket, F_GETFL);

                if (flags < 0)
                        continue;
                fcntl(socket, F_SETFL, flags | O_NONBLOCK);
                fcntl(socket, F_SETFD, FD_CLOEXEC);
                listener->socket[listener->count++] = socket;
        }
        return listener->count > 0;
}

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

static int bind_one(const struct addrinfo *info)
{
        int yes = 1;
        int fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, info->ai_protocol);

        if (fd < 0)
                return -1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
        if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
                return fd;
        int fault = errno;

        close(fd);
        errno = fault;
        return -1;
}

static bool open_address(struct listener *listener, const char *address, char *error, size_t size)
{
        struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
        struct addrinfo *found = NULL;
        const char *port;
        char host[256];

        if (!split_address(address, host, sizeof(host), &port)) {
                snprintf(error, size, "'%s' is not ADDR:PORT", address);
                return false;
        }
        int fault = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);

        if (fault != 0) {
                snprintf(error, size, "%s: %s", address, gai_strerror(fault));
                return false;
        }
        for (struct addrinfo *info = found; info && !listener->count; info = info->ai_next) {
                int fd = bind_one(info);

                if (fd >= 0)
                        listener->socket[listener->count++] = fd;
        }
        if (!listener->count)
                snprintf(error, size, "%s: %s", address, strerror(errno));
        freeaddrinfo(found);
        return listener->count > 0;
}

static void tell_address(struct listener *listener)
{
        struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
        socklen_t size = sizeof(address);
        char host[80], port[16];

        snprintf(listener->address, sizeof(listener->address), "socket");
        if (getsockname(listener->socket[0], (struct sockaddr *)&address, &size) != 0 || address.ss_family == AF_UNIX ||
            getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
                        NI_NUMERICHOST | NI_NUMERICSERV) != 0)
                return;
        snprintf(listener->address, sizeof(listener->address), address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
                 host, port);
}

bool listener_open(struct listener *listener, const char *address, char *error, size_t size)
{
        *listener = (struct listener){.count = 0};
        if (!take_handed_over(listener) && !open_address(listener, address, error, size))
                return false;
        tell_address(listener);
        return true;
}

void listener_close(struct listener *listener)
{
        for (size_t i = 0; i < listener->count; i++)
                close(listener->socket[i]);
        listener->count = 0;
}

/* -- accepting -- */

struct acceptor {
        const struct listener *listener;
        struct peers *peers;
        void (*take)(void *user, int socket, const struct sockaddr *address, socklen_t size);
        void *user;
        int wake;
        pthread_t thread;
};

/* Everything that waits on one socket. */
static void accept_all(struct acceptor *acceptor, int listening)
{
        for (;;) {
                struct sockaddr_storage address;
                socklen_t size = sizeof(address);
                int fd = accept4(listening, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

                if (fd >= 0) {
                        if (peers_admit(acceptor->peers, fd))
                                acceptor->take(acceptor->user, fd, (struct sockaddr *)&address, size);
                } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                        peers_starved(acceptor->peers);
                        poll(NULL, 0, PATIENCE_MS); /* until others close theirs */
                        return;
                } else if (errno != EINTR && errno != ECONNABORTED) {
                        return;
                }
        }
}

static void *accept_loop(void *user)
{
        struct acceptor *acceptor = user;
        size_t count = acceptor->listener->count;
        struct pollfd fds[LISTEN_MOST + 1];

        for (size_t i = 0; i < count; i++)
                fds[i] = (struct pollfd){.fd = acceptor->listener->socket[i], .events = POLLIN};
        fds[count] = (struct pollfd){.fd = acceptor->wake, .events = POLLIN};
        do {
                poll(fds, count + 1, -1);
                for (size_t i = 0; i < count; i++)
                        accept_all(acceptor, fds[i].fd);
        } while (!(fds[count].revents & POLLIN));
        return NULL;
}

struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              void (*take)(void *user, int socket, const struct sockaddr *address, socklen_t size),
                              void *user)
{
        struct acceptor *acceptor = malloc(sizeof(*acceptor));

        if (!acceptor)
                return NULL;
        *acceptor = (struct acceptor){.listener = listener, .peers = peers, .take = take, .user = user};
        acceptor->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (acceptor->wake < 0 || pthread_create(&acceptor->thread, NULL, accept_loop, acceptor) != 0) {
                if (acceptor->wake >= 0)
                        close(acceptor->wake);
                free(acceptor);
                return NULL;
        }
        return acceptor;
}

void acceptor_free(struct acceptor *acceptor)
{
        uint64_t one = 1;

        if (!acceptor)
                return;
        while (write(acceptor->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
        }
        pthread_join(acceptor->thread, NULL);
        close(acceptor->wake);
        free(acceptor);
}
