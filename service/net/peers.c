#include "net/peers.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h> /* what bytes were acknowledged is not in netinet/tcp.h */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "obs/log.h"

#define BODY_BYTES  1024        /* that must come in each period */
#define REPLY_BYTES (64 * 1024) /* that must be taken */
#define PHASE_BITS  3
#define SECOND_NS   INT64_C(1000000000)
#define SWEEP_NS    SECOND_NS /* between two looks at every connection */
#define LOOK_MS     100       /* between two looks at one whose client has sent its end */
#define LOOKS       3         /* that find nothing to read and nothing done until it is taken for gone */
#define EVENTS_MOST 256

struct peer {
        struct peer *next, **link;
        int socket;
        /* Since when, in ns, and in the last bits the phase: neither is ever seen without the other. */
        _Atomic uint64_t state;
        _Atomic uint64_t bytes;
        _Atomic uint64_t requests; /* begun */
        _Atomic(const char *) cut_off_by;
        /* of the thread that watches: */
        bool has_ended; /* the client sends nothing more; it may still wait for a reply */
        int looks;
        uint64_t looked_state, looked_bytes;
        uint64_t seen; /* what the next three are of: a request's number, or when its reply began */
        int64_t waited_ns, period_ns;
        uint64_t period_bytes;
};

/* What happens so often in a flood that a line each would be one too. */
enum tally { TALLY_TOO_MANY, TALLY_NO_MEMORY, TALLY_STARVED, TALLY_HEAD, TALLY_IDLE, TALLIES };

static const struct {
        enum metric metric;
        const char *level, *message, *reason;
} tallies[TALLIES] = {
        [TALLY_TOO_MANY] = {METRIC_connections_refused_total_connections, "warn", "connections refused",
                            "there were as many as --connections allows"},
        [TALLY_NO_MEMORY] = {METRIC_connections_refused_total_memory, "warn", "connections refused",
                             "there was no memory for them"},
        [TALLY_STARVED] = {METRIC_connections_starved_total, "warn", "connections not accepted",
                           "there was no descriptor or no memory for them"},
        [TALLY_HEAD] = {METRIC_connections_cut_off_total_header_s, "warn", "connections cut off",
                        "no whole head of a request came within --header-s"},
        [TALLY_IDLE] = {METRIC_connections_cut_off_total_idle_s, "info", "connections cut off",
                        "nothing came for --idle-s after a request"},
};

struct peers {
        const struct config *config;
        struct metrics *metrics;
        int epoll, wake;
        pthread_t thread;
        _Atomic int64_t tally[TALLIES];
        pthread_mutex_t lock;
        struct peer *first;
        struct peer **by_socket;
        size_t capacity; /* of by_socket */
        int64_t count;
        /* of the thread that watches: */
        bool some_ended;
        int64_t swept_ns;
};

/* -- what a connection is waited for -- */

static enum peer_phase phase_of(uint64_t state)
{
        return (enum peer_phase)(state & ((1U << PHASE_BITS) - 1));
}

static int64_t since_of(uint64_t state)
{
        return (int64_t)(state >> PHASE_BITS);
}

/* What the other side has acknowledged. Where that cannot be told, as of a Unix socket, every change in what waits to
   be read counts as enough. */
static uint64_t count_taken(const struct peer *peer)
{
        struct tcp_info info;
        socklen_t size = sizeof(info);
        int waiting = 0;

        if (getsockopt(peer->socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
            size >= offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(info.tcpi_bytes_acked))
                return info.tcpi_bytes_acked;
        ioctl(peer->socket, SIOCOUTQ, &waiting);
        return (uint64_t)waiting * REPLY_BYTES;
}

/* Adds the time that was waited since the last sweep. `seen` tells one body or reply from the next. */
static void wait_more(struct peer *peer, uint64_t seen, int64_t since, uint64_t bytes, uint64_t enough,
                      const struct peers *peers, int64_t now)
{
        int64_t from = since > peers->swept_ns ? since : peers->swept_ns;

        if (peer->seen != seen) {
                peer->seen = seen;
                peer->waited_ns = peer->period_ns = 0;
                peer->period_bytes = bytes;
        }
        peer->waited_ns += now - from;
        peer->period_ns += now - from;
        if (bytes - peer->period_bytes >= enough) {
                peer->period_ns = 0;
                peer->period_bytes = bytes;
        }
}

/* A body needs 1 KiB in every body_s, and in all no longer than body_s and what upload_rate gives it. Only the time
   counts in which we wait for it: not while a worker has a piece of it. */
static const char *body_is_late(struct peer *peer, int64_t since, const struct peers *peers, int64_t now)
{
        const struct config *config = peers->config;
        uint64_t bytes = atomic_load_explicit(&peer->bytes, memory_order_relaxed);

        wait_more(peer, atomic_load_explicit(&peer->requests, memory_order_relaxed), since, bytes, BODY_BYTES, peers,
                  now);
        if (peer->period_ns > config->body_s * SECOND_NS)
                return "body_s";
        if (config->upload_rate &&
            peer->waited_ns / SECOND_NS > config->body_s + (int64_t)(bytes / (uint64_t)config->upload_rate))
                return "upload_rate";
        return NULL;
}

/* NULL, or the setting whose time is over. */
static const char *is_late(struct peer *peer, uint64_t state, const struct peers *peers, int64_t now)
{
        const struct config *config = peers->config;
        int64_t since = since_of(state);

        switch (phase_of(state)) {
        case PEER_NEW:
        case PEER_HEAD:
                return now - since > config->header_s * SECOND_NS ? "header_s" : NULL;
        case PEER_IDLE:
                return now - since > config->idle_s * SECOND_NS ? "idle_s" : NULL;
        case PEER_BODY:
                return body_is_late(peer, since, peers, now);
        case PEER_SERVED:
                return NULL;
        case PEER_REPLY:
                wait_more(peer, (uint64_t)since, since, count_taken(peer), REPLY_BYTES, peers, now);
                return peer->period_ns > config->answer_s * SECOND_NS ? "answer_s" : NULL;
        }
        return NULL;
}

/* -- the thread that watches -- */

static void count(struct peers *peers, enum tally tally)
{
        metric_add(peers->metrics, tallies[tally].metric, 1);
        atomic_fetch_add(&peers->tally[tally], 1);
}

/* Hangs up, unless the connection has gone on meanwhile. Where it is in a request, that is counted and logged as cut
   off, and the connection is not. */
static void cut_off(struct peers *peers, struct peer *peer, uint64_t state, const char *by)
{
        uint64_t cut = (state & ~(uint64_t)((1U << PHASE_BITS) - 1)) | PEER_SERVED;

        if (!atomic_compare_exchange_strong(&peer->state, &state, cut))
                return;
        atomic_store_explicit(&peer->cut_off_by, by, memory_order_relaxed);
        shutdown(peer->socket, SHUT_RDWR);
        if (strcmp(by, "header_s") == 0)
                count(peers, TALLY_HEAD);
        else if (strcmp(by, "idle_s") == 0)
                count(peers, TALLY_IDLE);
}

/* Whether a client that sends nothing more has left in the middle of a request, or between two. An I/O thread may have
   read its last bytes a moment ago, and not have said so yet: nothing may have moved for several looks. */
static bool is_gone(struct peer *peer, uint64_t state)
{
        uint64_t bytes = atomic_load_explicit(&peer->bytes, memory_order_relaxed);
        char byte;

        if (phase_of(state) == PEER_SERVED || phase_of(state) == PEER_REPLY) {
                peer->looks = 0;
                return false;
        }
        ssize_t waiting = recv(peer->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

        if (waiting < 0 && (errno == EAGAIN || errno == EINTR))
                peer->has_ended = false; /* the end was that of a connection that had this descriptor before */
        if (waiting > 0 || !peer->has_ended || state != peer->looked_state || bytes != peer->looked_bytes)
                peer->looks = 0;
        peer->looked_state = state;
        peer->looked_bytes = bytes;
        return peer->has_ended && ++peer->looks > LOOKS;
}

static void look(struct peers *peers)
{
        int64_t now = clock_ns();
        bool sweeps = now - peers->swept_ns >= SWEEP_NS;

        peers->some_ended = false;
        for (struct peer *peer = peers->first; peer; peer = peer->next) {
                uint64_t state = atomic_load_explicit(&peer->state, memory_order_relaxed);

                if (peer_cut_off_by(peer))
                        continue;
                const char *by = peer->has_ended && is_gone(peer, state) ? "client" : NULL;

                if (!by && sweeps)
                        by = is_late(peer, state, peers, now);
                if (by)
                        cut_off(peers, peer, state, by);
                peers->some_ended |= peer->has_ended;
        }
        if (sweeps)
                peers->swept_ns = now;
}

static void log_tallies(struct peers *peers)
{
        for (int i = 0; i < TALLIES; i++) {
                int64_t count = atomic_exchange(&peers->tally[i], 0);
                const struct log_field fields[] = {
                        {LOG_NAME("count"), .kind = LOG_INT, .number = count},
                        {LOG_NAME("reason"), .text = tallies[i].reason},
                };

                if (count)
                        log_line(tallies[i].level, tallies[i].message, fields,
                                 (int)(sizeof(fields) / sizeof(fields[0])));
        }
}

/* False: the end. */
static bool take_events(struct peers *peers, const struct epoll_event *events, int count)
{
        bool goes_on = true;

        for (int i = 0; i < count; i++) {
                size_t socket = (size_t)events[i].data.fd;

                if (events[i].data.fd == peers->wake)
                        goes_on = false;
                else if (socket < peers->capacity && peers->by_socket[socket])
                        peers->by_socket[socket]->has_ended = peers->some_ended = true;
        }
        return goes_on;
}

/* Sleeps until a client ends, and at least LOOK_MS, so that a thousand ends are one look; or for a sweep. */
static void *watch(void *user)
{
        struct peers *peers = user;
        struct pollfd wake = {.fd = peers->wake, .events = POLLIN};
        struct epoll_event events[EVENTS_MOST];
        int64_t logged_ns = 0;
        bool goes_on = true;

        while (goes_on) {
                int count = epoll_wait(peers->epoll, events, EVENTS_MOST,
                                       peers->some_ended ? 0 : (int)(SWEEP_NS / 1000000));

                pthread_mutex_lock(&peers->lock);
                goes_on = take_events(peers, events, count);
                if (goes_on && count < EVENTS_MOST)
                        look(peers);
                pthread_mutex_unlock(&peers->lock);
                if (clock_ns() - logged_ns >= SWEEP_NS || !goes_on) {
                        log_tallies(peers);
                        logged_ns = clock_ns();
                }
                if (goes_on && count < EVENTS_MOST)
                        poll(&wake, 1, LOOK_MS);
        }
        return NULL;
}

/* -- the whole -- */

static bool start_watching(struct peers *peers)
{
        peers->epoll = epoll_create1(EPOLL_CLOEXEC);
        peers->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = peers->wake};

        return peers->epoll >= 0 && peers->wake >= 0 &&
               epoll_ctl(peers->epoll, EPOLL_CTL_ADD, peers->wake, &event) == 0 &&
               pthread_create(&peers->thread, NULL, watch, peers) == 0;
}

static void free_all(struct peers *peers)
{
        while (peers->first) {
                struct peer *peer = peers->first;

                peers->first = peer->next;
                free(peer);
        }
        if (peers->wake >= 0)
                close(peers->wake);
        if (peers->epoll >= 0)
                close(peers->epoll);
        pthread_mutex_destroy(&peers->lock);
        free(peers->by_socket);
        free(peers);
}

struct peers *peers_new(const struct config *config, struct metrics *metrics)
{
        struct peers *peers = calloc(1, sizeof(*peers));

        if (!peers)
                return NULL;
        peers->config = config;
        peers->metrics = metrics;
        peers->swept_ns = clock_ns();
        pthread_mutex_init(&peers->lock, NULL);
        if (!start_watching(peers)) {
                free_all(peers);
                return NULL;
        }
        return peers;
}

void peers_free(struct peers *peers)
{
        uint64_t one = 1;

        if (!peers)
                return;
        while (write(peers->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
        }
        pthread_join(peers->thread, NULL);
        free_all(peers);
}

/* -- connections come and go -- */

/* Under the lock. */
static void forget(struct peers *peers, struct peer *peer)
{
        *peer->link = peer->next;
        if (peer->next)
                peer->next->link = peer->link;
        if (peers->by_socket[peer->socket] == peer)
                peers->by_socket[peer->socket] = NULL;
        free(peer);
        peers->count--;
        metric_add(peers->metrics, METRIC_connections, -1);
}

/* Under the lock. Whoever had the descriptor before is gone: libmicrohttpd does not tell when it had no memory to begin
   with a connection. */
static bool make_room(struct peers *peers, size_t socket)
{
        if (socket >= peers->capacity) {
                size_t capacity = 2 * socket + 64;
                struct peer **grown = realloc(peers->by_socket, capacity * sizeof(*grown));

                if (!grown)
                        return false;
                memset(grown + peers->capacity, 0, (capacity - peers->capacity) * sizeof(*grown));
                peers->by_socket = grown;
                peers->capacity = capacity;
        }
        if (peers->by_socket[socket])
                forget(peers, peers->by_socket[socket]);
        return true;
}

/* Under the lock. */
static enum tally add(struct peers *peers, int socket)
{
        struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.fd = socket};
        struct peer *peer;

        if (!make_room(peers, (size_t)socket))
                return TALLY_NO_MEMORY;
        if (peers->count >= peers->config->connections)
                return TALLY_TOO_MANY;
        peer = calloc(1, sizeof(*peer));
        if (!peer || epoll_ctl(peers->epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
                free(peer);
                return TALLY_NO_MEMORY;
        }
        peer->socket = socket;
        peer_enter(peer, PEER_NEW);
        peer->next = peers->first;
        peer->link = &peers->first;
        if (peer->next)
                peer->next->link = &peer->next;
        peers->first = peers->by_socket[socket] = peer;
        peers->count++;
        metric_add(peers->metrics, METRIC_connections, 1);
        return TALLIES;
}

bool peers_admit(struct peers *peers, int socket)
{
        metric_add(peers->metrics, METRIC_connections_total, 1);
        pthread_mutex_lock(&peers->lock);
        enum tally fault = add(peers, socket);

        pthread_mutex_unlock(&peers->lock);
        if (fault == TALLIES)
                return true;
        close(socket);
        count(peers, fault);
        return false;
}

void peers_lost(struct peers *peers, int socket)
{
        peer_remove(peers, peers_find(peers, socket));
        count(peers, TALLY_NO_MEMORY);
}

void peers_starved(struct peers *peers)
{
        count(peers, TALLY_STARVED);
}

struct peer *peers_find(struct peers *peers, int socket)
{
        pthread_mutex_lock(&peers->lock);
        struct peer *peer = (size_t)socket < peers->capacity ? peers->by_socket[socket] : NULL;

        pthread_mutex_unlock(&peers->lock);
        return peer;
}

void peer_remove(struct peers *peers, struct peer *peer)
{
        if (!peer)
                return;
        pthread_mutex_lock(&peers->lock);
        forget(peers, peer);
        pthread_mutex_unlock(&peers->lock);
}

/* -- what a connection does -- */

void peer_enter(struct peer *peer, enum peer_phase phase)
{
        if (!peer)
                return;
        if (phase == PEER_HEAD)
                atomic_fetch_add_explicit(&peer->requests, 1, memory_order_relaxed);
        atomic_store_explicit(&peer->state, (uint64_t)clock_coarse_ns() << PHASE_BITS | phase, memory_order_relaxed);
}

void peer_progress(struct peer *peer, uint64_t body_bytes)
{
        if (peer)
                atomic_store_explicit(&peer->bytes, body_bytes, memory_order_relaxed);
}

const char *peer_cut_off_by(const struct peer *peer)
{
        return peer ? atomic_load_explicit(&peer->cut_off_by, memory_order_relaxed) : NULL;
}

/* The connection was idle, or it is ours to read from: so little always fits into its buffer. */
void peer_answer(struct peer *peer, const char *head, const char *body, size_t size)
{
        struct iovec parts[] = {{(void *)(uintptr_t)head, strlen(head)}, {(void *)(uintptr_t)body, size}};
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

        if (!peer)
                return;
        sendmsg(peer->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(peer->socket, SHUT_WR);
}

void peer_refuse(struct peer *peer, const char *reply)
{
        if (!peer)
                return;
        peer_answer(peer, reply, NULL, 0);
        shutdown(peer->socket, SHUT_RDWR);
}
