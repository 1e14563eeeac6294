/* The open connections of all protocols: their number, and what the daemon waits for on each. A thread cuts off
   connections that take too long, and those whose client has left in the middle of a request: libmicrohttpd only
   detects silence, not a byte now and then, and misses an end that arrives together with data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "obs/metrics.h"

struct peers;
struct peer;

enum peer_phase {
        PEER_NEW,    /* nothing was received yet */
        PEER_IDLE,   /* its last request is over */
        PEER_HEAD,   /* a request line has come */
        PEER_BODY,   /* a body comes */
        PEER_SERVED, /* it waits for us */
        PEER_REPLY,  /* a reply goes to it */
};

/* NULL if memory or threads run out. */
struct peers *peers_new(const struct config *config, struct metrics *metrics);

/* Takes NULL. Remaining connections are not closed. */
void peers_free(struct peers *peers);

/* Counts an accepted connection. False: the limit `connections` is reached, or memory ran out, and the socket was
   closed. Only one thread may accept. */
bool peers_admit(struct peers *peers, int socket);

/* Notes that an accepted connection could not be served and that its socket was closed. Only for the thread that
   accepts. */
void peers_lost(struct peers *peers, int socket);

/* Notes that a connection could not be accepted, because descriptors or memory ran out. */
void peers_starved(struct peers *peers);

/* The peer of an admitted socket, until peer_remove(). */
struct peer *peers_find(struct peers *peers, int socket);

/* Called when a connection ends, before its socket is closed. Takes NULL as a peer. */
void peer_remove(struct peers *peers, struct peer *peer);

/* These take NULL. */
void peer_enter(struct peer *peer, enum peer_phase phase);
void peer_progress(struct peer *peer, uint64_t body_bytes);

/* The reason why the connection was cut off: the name of the setting whose time was over, or "client" if the client had
   left; NULL if it was not cut off. Takes NULL. */
const char *peer_cut_off_by(const struct peer *peer);

/* Sends a reply, bypassing libmicrohttpd, which must not have sent any part of it. After peer_answer() the client's
   bytes can still be read; peer_refuse() closes the connection. They take NULL. */
void peer_answer(struct peer *peer, const char *head, const char *body, size_t size);
void peer_refuse(struct peer *peer, const char *reply);
