#include "net/accept.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PATIENCE_MS 10
#define EVENTS_MOST 64

/* A connection whose protocol is not known yet. */
struct silent {
        struct silent *next, **link;
        int socket;
        struct sockaddr_storage address;
        socklen_t size;
};

struct acceptor {
        const struct listener *listener;
        struct peers *peers;
        struct acceptor_takers takers;
        int epoll, wake;
        pthread_t thread;
        struct silent *first;
        atomic_bool is_stopping, is_ending;
        sem_t stopped;
};

/* -- which protocol -- */

enum speech { SPEECH_NONE, SPEECH_HTTP1, SPEECH_HTTP2 };

/* HTTP/2 begins with a method that HTTP/1.1 does not have (RFC 9113, 3.4). A connection that has ended goes to
   HTTP/1.1. */
static enum speech hear(int socket)
{
        static const char preface[] = "PRI ";
        char bytes[sizeof(preface) - 1];
        ssize_t size = recv(socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

        if (size < 0 && (errno == EAGAIN || errno == EINTR))
                return SPEECH_NONE;
        if (size <= 0 || memcmp(bytes, preface, (size_t)size) != 0)
                return SPEECH_HTTP1;
        return size == sizeof(bytes) ? SPEECH_HTTP2 : SPEECH_NONE;
}

static void hand_on(const struct acceptor *acceptor, enum speech speech, int socket,
                    const struct sockaddr_storage *address, socklen_t size)
{
        const struct acceptor_takers *takers = &acceptor->takers;

        (speech == SPEECH_HTTP2 ? takers->http2 : takers->http1)(takers->user, socket, (const struct sockaddr *)address,
                                                                 size);
}

/* -- silent connections -- */

static void forget(struct silent *silent)
{
        *silent->link = silent->next;
        if (silent->next)
                silent->next->link = silent->link;
        free(silent);
}

/* Asks for events for new bytes and for the end. False if memory runs out. */
static bool listen_to(struct acceptor *acceptor, int socket, const struct sockaddr_storage *address, socklen_t size)
{
        struct silent *silent = malloc(sizeof(*silent));
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = silent};

        if (!silent || epoll_ctl(acceptor->epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
                free(silent);
                return false;
        }
        *silent = (struct silent){
                .next = acceptor->first, .link = &acceptor->first, .socket = socket, .address = *address, .size = size};
        if (silent->next)
                silent->next->link = &silent->next;
        acceptor->first = silent;
        return true;
}

static void hear_again(struct acceptor *acceptor, struct silent *silent, uint32_t events)
{
        enum speech speech = hear(silent->socket);

        if (speech == SPEECH_NONE && events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
                speech = SPEECH_HTTP1;
        if (speech == SPEECH_NONE)
                return;
        epoll_ctl(acceptor->epoll, EPOLL_CTL_DEL, silent->socket, NULL);
        hand_on(acceptor, speech, silent->socket, &silent->address, silent->size);
        forget(silent);
}

static void close_silent(struct acceptor *acceptor)
{
        for (struct silent *silent = acceptor->first, *next; silent; silent = next) {
                int socket = silent->socket;

                next = silent->next;
                forget(silent);
                peer_remove(acceptor->peers, peers_find(acceptor->peers, socket));
                close(socket);
        }
}

/* -- accepting -- */

static void take(struct acceptor *acceptor, int socket, const struct sockaddr_storage *address, socklen_t size)
{
        enum speech speech = hear(socket);

        if (speech != SPEECH_NONE) {
                hand_on(acceptor, speech, socket, address, size);
        } else if (!listen_to(acceptor, socket, address, size)) {
                close(socket);
                peers_lost(acceptor->peers, socket);
        }
}

/* Everything that waits on one socket. */
static void accept_all(struct acceptor *acceptor, int listening)
{
        for (;;) {
                struct sockaddr_storage address;
                socklen_t size = sizeof(address);
                int fd = accept4(listening, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

                if (fd >= 0) {
                        if (peers_admit(acceptor->peers, fd))
                                take(acceptor, fd, &address, size);
                } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                        peers_starved(acceptor->peers);
                        poll(NULL, 0, PATIENCE_MS); /* until others close theirs */
                        return;
                } else if (errno != EINTR && errno != ECONNABORTED) {
                        return;
                }
        }
}

/* The listening socket of an event; NULL: none. */
static const int *listening_of(const struct acceptor *acceptor, const void *user)
{
        for (size_t i = 0; i < acceptor->listener->count; i++)
                if (user == &acceptor->listener->socket[i])
                        return &acceptor->listener->socket[i];
        return NULL;
}

static void stop_accepting(struct acceptor *acceptor)
{
        for (size_t i = 0; i < acceptor->listener->count; i++) {
                accept_all(acceptor, acceptor->listener->socket[i]);
                epoll_ctl(acceptor->epoll, EPOLL_CTL_DEL, acceptor->listener->socket[i], NULL);
        }
}

static void *accept_loop(void *user)
{
        struct acceptor *acceptor = user;
        struct epoll_event events[EVENTS_MOST];
        bool is_stopped = false;

        while (!is_stopped || !atomic_load(&acceptor->is_ending)) {
                int count = epoll_wait(acceptor->epoll, events, EVENTS_MOST, -1);

                for (int i = 0; i < count; i++) {
                        const int *listening = is_stopped ? NULL : listening_of(acceptor, events[i].data.ptr);
                        uint64_t number;

                        if (listening)
                                accept_all(acceptor, *listening);
                        else if (events[i].data.ptr == acceptor)
                                (void)!read(acceptor->wake, &number, sizeof(number));
                        else
                                hear_again(acceptor, events[i].data.ptr, events[i].events);
                }
                if (!is_stopped && atomic_load(&acceptor->is_stopping)) {
                        stop_accepting(acceptor);
                        is_stopped = true;
                        sem_post(&acceptor->stopped);
                }
        }
        close_silent(acceptor);
        return NULL;
}

/* -- the whole -- */

static bool watch(struct acceptor *acceptor, int socket, const void *user)
{
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = (void *)(uintptr_t)user};

        return epoll_ctl(acceptor->epoll, EPOLL_CTL_ADD, socket, &event) == 0;
}

static bool start(struct acceptor *acceptor)
{
        bool is_well = acceptor->epoll >= 0 && acceptor->wake >= 0 && watch(acceptor, acceptor->wake, acceptor);

        for (size_t i = 0; i < acceptor->listener->count && is_well; i++)
                is_well = watch(acceptor, acceptor->listener->socket[i], &acceptor->listener->socket[i]);
        return is_well && pthread_create(&acceptor->thread, NULL, accept_loop, acceptor) == 0;
}

static void free_all(struct acceptor *acceptor)
{
        if (acceptor->wake >= 0)
                close(acceptor->wake);
        if (acceptor->epoll >= 0)
                close(acceptor->epoll);
        sem_destroy(&acceptor->stopped);
        free(acceptor);
}

struct acceptor *acceptor_new(const struct listener *listener, struct peers *peers,
                              const struct acceptor_takers *takers)
{
        struct acceptor *acceptor = calloc(1, sizeof(*acceptor));

        if (!acceptor)
                return NULL;
        acceptor->listener = listener;
        acceptor->peers = peers;
        acceptor->takers = *takers;
        sem_init(&acceptor->stopped, 0, 0);
        acceptor->epoll = epoll_create1(EPOLL_CLOEXEC);
        acceptor->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (start(acceptor))
                return acceptor;
        free_all(acceptor);
        return NULL;
}

static void wake(struct acceptor *acceptor)
{
        uint64_t one = 1;

        while (write(acceptor->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
        }
}

void acceptor_stop(struct acceptor *acceptor)
{
        if (atomic_exchange(&acceptor->is_stopping, true))
                return;
        wake(acceptor);
        while (sem_wait(&acceptor->stopped) != 0 && errno == EINTR) {
        }
}

void acceptor_free(struct acceptor *acceptor)
{
        if (!acceptor)
                return;
        acceptor_stop(acceptor);
        atomic_store(&acceptor->is_ending, true);
        wake(acceptor);
        pthread_join(acceptor->thread, NULL);
        free_all(acceptor);
}
