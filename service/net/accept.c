#include "net/accept.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PATIENCE_MS 10

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
