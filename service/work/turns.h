/* Whose turn it is: jobs in an order that is fair to clients, and within a client to its requests.

   Self-clocked fair queueing (Golestani, 1994) on both levels: each job would end, if all shared the workers evenly, at
   the time when its client's turn comes plus what it costs, and the one that would end first is next. So short jobs go
   before long ones, who has had much waits longest, and nobody waits for ever, for that time goes on with each job.
   Clients are distinguished by a few bits of a number (stochastic fairness queueing, McKenney 1990), so that what is
   kept of them is bounded: two that share these share a turn. Not thread-safe; what is done here takes O(log n). */
#pragma once

#include <stddef.h>

#include "work/heap.h"
#include "work/job.h"

#define TURNS_CLIENTS 512

struct turns {
        struct heap clients; /* those who have jobs here */
        int64_t now;         /* of the clients' shared time, in ns of work */
        uint64_t order;
        size_t count; /* of jobs, and of those that are no parts of begun requests: */
        size_t new_count;
        struct turns_client {
                struct heap_node node;
                struct heap jobs;
                int64_t now;    /* of its requests' shared time */
                int64_t served; /* where it stands in the clients' */
                size_t new_count;
        } client[TURNS_CLIENTS];
};

/* Jobs of the client that wait here and are no parts of begun requests. */
size_t turns_of_client(const struct turns *turns, uint64_t client);

void turns_add(struct turns *turns, struct job *job);

/* The next job, which is taken out; NULL when there is none. Its cost is counted as its client's. */
struct job *turns_take(struct turns *turns);

void turns_remove(struct turns *turns, struct job *job);

/* Corrects the client's account: a job cost this many ns more (or less) than expected. */
void turns_charge(struct turns *turns, uint64_t client, int64_t ns);
