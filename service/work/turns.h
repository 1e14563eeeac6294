/* Whose turn it is: jobs in an order that is fair to clients, and within a client to its requests.

   Self-clocked fair queueing (Golestani, 1994) on both levels: each job has the time at which it would end if all
   clients shared the workers evenly, its client's turn plus its cost, and the job that would end first is next. So
   short jobs go before long ones, clients that used much wait longest, and nobody waits forever, because this time
   advances with each job. Clients are distinguished by a few bits of their number (stochastic fairness queueing,
   McKenney 1990), so that memory is bounded: two clients with equal bits share a turn. Not thread-safe; operations take
   O(log n). */
#pragma once

#include <stddef.h>

#include "work/heap.h"
#include "work/job.h"

#define TURNS_CLIENTS 512

struct turns {
        struct heap clients; /* clients with jobs in this queue */
        int64_t now;         /* of the clients' shared time, in ns of work */
        uint64_t order;
        size_t count; /* of all jobs, and of jobs that begin a request: */
        size_t new_count;
        struct turns_client {
                struct heap_node node;
                struct heap jobs;
                int64_t now;    /* of its requests' shared time */
                int64_t served; /* in the heap of clients */
                size_t new_count;
        } client[TURNS_CLIENTS];
};

/* The number of the client's waiting jobs that begin a request. */
size_t turns_of_client(const struct turns *turns, uint64_t client);

void turns_add(struct turns *turns, struct job *job);

/* Removes and returns the next job, and charges its cost to its client; NULL if there is none. */
struct job *turns_take(struct turns *turns);

void turns_remove(struct turns *turns, struct job *job);

/* Corrects the client's account by the ns that a job took more (or less) than expected. */
void turns_charge(struct turns *turns, uint64_t client, int64_t ns);
