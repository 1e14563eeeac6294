/* The connections that are open, whatever protocol they speak: how many there are, and what each is waited for. A
   thread of its own cuts off those that take too long and those whose client has left in the middle of a request:
   libmicrohttpd knows only silence, not a byte now and then, and misses an end that comes together with data. */
#pragma once

#include <stdbool.h>
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

/* Takes NULL. What is left is forgotten, and not closed. */
void peers_free(struct peers *peers);

/* Counts an accepted connection. False: there are `connections` of them already, or there is no memory, and the socket
   has been closed. One thread accepts. */
bool peers_admit(struct peers *peers, int socket);

/* An accepted connection could not be served, and its socket has been closed. For the thread that accepts. */
void peers_lost(struct peers *peers, int socket);

/* A connection could not be accepted, because there was no descriptor or no memory for it. */
void peers_starved(struct peers *peers);

/* The peer of an admitted socket, until peer_remove(). */
struct peer *peers_find(struct peers *peers, int socket);

/* The connection ends: its socket is closed after this and not before. Takes NULL as a peer. */
void peer_remove(struct peers *peers, struct peer *peer);

/* These take NULL. */
void peer_enter(struct peer *peer, enum peer_phase phase);
void peer_progress(struct peer *peer, uint64_t body_bytes);

/* Why the connection was cut off: the name of the setting whose time was over, "client" when the client had left; NULL
   when it was not. Takes NULL. */
const char *peer_cut_off_by(const struct peer *peer);

/* Answers past libmicrohttpd, which must have sent nothing of the reply, and sends no more; what the client sends can
   still be read. peer_refuse() hangs up. They take NULL. */
void peer_answer(struct peer *peer, const char *head, const char *body, size_t size);
void peer_refuse(struct peer *peer, const char *reply);
