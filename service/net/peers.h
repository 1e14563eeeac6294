/* The connections that are open, and what each is waited for. A thread of its own cuts off those that take too long:
   libmicrohttpd alone knows only silence, not a byte now and then. */
#pragma once

#include <stdint.h>

#include "config/config.h"
#include "obs/metrics.h"

struct peers;
struct peer;

enum peer_phase {
        PEER_NEW,    /* has said nothing yet */
        PEER_IDLE,   /* its last request is over */
        PEER_HEAD,   /* a request line has come */
        PEER_BODY,   /* a body comes */
        PEER_SERVED, /* it waits for us */
        PEER_REPLY,  /* a reply goes to it */
};

/* NULL when there is no memory or no thread. */
struct peers *peers_new(const struct config *config, struct metrics *metrics);

/* Takes NULL; no peer may be left. */
void peers_free(struct peers *peers);

/* A connection begins and ends. peer_remove() must be called before its socket is closed. */
struct peer *peer_add(struct peers *peers, int socket);
void peer_remove(struct peers *peers, struct peer *peer);

/* These take NULL. */
void peer_enter(struct peer *peer, enum peer_phase phase);
void peer_progress(struct peer *peer, uint64_t body_bytes);

/* Answers with bytes that stand ready, past libmicrohttpd, and hangs up. */
void peer_refuse(struct peer *peer, const char *reply);
