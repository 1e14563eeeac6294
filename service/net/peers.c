#include "net/peers.h"

#include <linux/tcp.h> /* what bytes were acknowledged is not in netinet/tcp.h */
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "obs/log.h"

#define BODY_BYTES  1024        /* that must come in each period */
#define REPLY_BYTES (64 * 1024) /* that must be taken */
#define PHASE_BITS  3

struct peer {
        struct peer *next, **link;
        int socket;
        /* Since when, in ns, and in the last bits the phase: neither is ever seen without the other. */
        _Atomic uint64_t state;
        _Atomic uint64_t bytes;
        /* of the thread that watches: */
        int64_t seen_since_ns, period_ns;
        uint64_t period_bytes;
};

struct peers {
        const struct config *config;
        struct metrics *metrics;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        struct peer *first;
        bool ending;
        pthread_t thread;
};

/* Whether it does not go on: a new period begins whenever enough has come. */
static bool is_stuck(struct peer *peer, int64_t since, uint64_t bytes, uint64_t enough, int64_t now, int64_t allowed)
{
        if (peer->seen_since_ns != since || bytes - peer->period_bytes >= enough) {
                peer->seen_since_ns = since;
                peer->period_ns = now;
                peer->period_bytes = bytes;
        }
        return now - peer->period_ns > allowed;
}

/* What the other side has acknowledged. False where that cannot be told, as of a Unix socket, whose other side is on
   this machine: there libmicrohttpd's own timeout must do. */
static bool count_taken(int socket, uint64_t *ret)
{
        struct tcp_info info;
        socklen_t size = sizeof(info);

        if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
            size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(info.tcpi_bytes_acked))
                return false;
        *ret = info.tcpi_bytes_acked;
        return true;
}

static bool is_late(struct peer *peer, const struct config *config, int64_t now)
{
        static const int64_t second = INT64_C(1000000000);
        uint64_t state = atomic_load_explicit(&peer->state, memory_order_relaxed);
        int64_t since = (int64_t)(state >> PHASE_BITS);
        uint64_t bytes;

        switch ((enum peer_phase)(state & ((1U << PHASE_BITS) - 1))) {
        case PEER_NEW:
        case PEER_HEAD:
                return now - since > config->header_s * second;
        case PEER_IDLE:
                return now - since > (config->idle_s + config->header_s) * second;
        case PEER_BODY:
                bytes = atomic_load_explicit(&peer->bytes, memory_order_relaxed);
                return is_stuck(peer, since, bytes, BODY_BYTES, now, config->body_s * second);
        case PEER_SERVED:
                return false;
        case PEER_REPLY:
                return count_taken(peer->socket, &bytes) &&
                       is_stuck(peer, since, bytes, REPLY_BYTES, now, config->answer_s * second);
        }
        return false;
}

static void *watch(void *user)
{
        struct peers *peers = user;

        pthread_mutex_lock(&peers->lock);
        while (!peers->ending) {
                struct timespec at;

                clock_gettime(CLOCK_MONOTONIC, &at);
                at.tv_sec++;
                pthread_cond_timedwait(&peers->wake, &peers->lock, &at);
                int64_t now = clock_ns();

                for (struct peer *peer = peers->first; peer; peer = peer->next) {
                        if (!is_late(peer, peers->config, now))
                                continue;
                        shutdown(peer->socket, SHUT_RDWR);
                        peer_enter(peer, PEER_SERVED);
                        metric_add(peers->metrics, METRIC_connections_slow_total, 1);
                }
        }
        pthread_mutex_unlock(&peers->lock);
        return NULL;
}

struct peers *peers_new(const struct config *config, struct metrics *metrics)
{
        struct peers *peers = calloc(1, sizeof(*peers));
        pthread_condattr_t attributes;

        if (!peers)
                return NULL;
        peers->config = config;
        peers->metrics = metrics;
        pthread_mutex_init(&peers->lock, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&peers->wake, &attributes);
        pthread_condattr_destroy(&attributes);
        if (pthread_create(&peers->thread, NULL, watch, peers) != 0) {
                free(peers);
                return NULL;
        }
        return peers;
}

void peers_free(struct peers *peers)
{
        if (!peers)
                return;
        pthread_mutex_lock(&peers->lock);
        peers->ending = true;
        pthread_cond_signal(&peers->wake);
        pthread_mutex_unlock(&peers->lock);
        pthread_join(peers->thread, NULL);
        pthread_cond_destroy(&peers->wake);
        pthread_mutex_destroy(&peers->lock);
        free(peers);
}

struct peer *peer_add(struct peers *peers, int socket)
{
        struct peer *peer = calloc(1, sizeof(*peer));

        if (!peer)
                return NULL;
        peer->socket = socket;
        peer_enter(peer, PEER_NEW);
        pthread_mutex_lock(&peers->lock);
        peer->next = peers->first;
        peer->link = &peers->first;
        if (peer->next)
                peer->next->link = &peer->next;
        peers->first = peer;
        pthread_mutex_unlock(&peers->lock);
        return peer;
}

void peer_remove(struct peers *peers, struct peer *peer)
{
        if (!peer)
                return;
        pthread_mutex_lock(&peers->lock);
        *peer->link = peer->next;
        if (peer->next)
                peer->next->link = peer->link;
        pthread_mutex_unlock(&peers->lock);
        free(peer);
}

void peer_enter(struct peer *peer, enum peer_phase phase)
{
        if (!peer)
                return;
        atomic_store_explicit(&peer->state, (uint64_t)clock_ns() << PHASE_BITS | phase, memory_order_relaxed);
}

void peer_progress(struct peer *peer, uint64_t body_bytes)
{
        if (peer)
                atomic_store_explicit(&peer->bytes, body_bytes, memory_order_relaxed);
}

void peer_refuse(struct peer *peer, const char *reply)
{
        if (!peer)
                return;
        /* The connection was idle or new: so little always fits into its buffer. */
        send(peer->socket, reply, strlen(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(peer->socket, SHUT_RDWR);
}
