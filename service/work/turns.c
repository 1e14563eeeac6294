#include "work/turns.h"

static struct job *job_of(struct heap_node *node)
{
        return (struct job *)((char *)node - offsetof(struct job, turn_node));
}

static int64_t later(int64_t a, int64_t b)
{
        return a > b ? a : b;
}

static struct turns_client *client_of(struct turns *turns, uint64_t client)
{
        return &turns->client[client % TURNS_CLIENTS];
}

/* Orders a client by its first job. */
static void place(struct turns *turns, struct turns_client *client)
{
        if (heap_has(&client->node))
                heap_remove(&turns->clients, &client->node);
        if (!client->jobs.first)
                return;
        client->node.key = client->served + job_of(client->jobs.first)->cost_ns;
        client->node.order = client->jobs.first->order;
        heap_add(&turns->clients, &client->node);
}

size_t turns_of_client(const struct turns *turns, uint64_t client)
{
        return turns->client[client % TURNS_CLIENTS].new_count;
}

void turns_add(struct turns *turns, struct job *job)
{
        struct turns_client *client = client_of(turns, job->client);

        /* A client that returns starts with the present ones: unused time is not saved up. */
        if (!client->jobs.first)
                client->served = later(client->served, turns->now);
        job->turn_node.key = later(client->now, job->turn ? job->turn->served : 0) + job->cost_ns;
        job->turn_node.order = turns->order++;
        heap_add(&client->jobs, &job->turn_node);
        turns->count++;
        turns->new_count += !job->is_begun;
        client->new_count += !job->is_begun;
        if (client->jobs.first == &job->turn_node)
                place(turns, client);
}

void turns_remove(struct turns *turns, struct job *job)
{
        struct turns_client *client = client_of(turns, job->client);
        bool was_first = client->jobs.first == &job->turn_node;

        heap_remove(&client->jobs, &job->turn_node);
        turns->count--;
        turns->new_count -= !job->is_begun;
        client->new_count -= !job->is_begun;
        if (was_first)
                place(turns, client);
}

struct job *turns_take(struct turns *turns)
{
        struct heap_node *node = turns->clients.first;

        if (!node)
                return NULL;
        struct turns_client *client = (struct turns_client *)((char *)node - offsetof(struct turns_client, node));
        struct job *job = job_of(client->jobs.first);

        turns->now = later(turns->now, node->key);
        client->now = later(client->now, job->turn_node.key);
        client->served += job->cost_ns;
        if (job->turn)
                job->turn->served = job->turn_node.key;
        turns_remove(turns, job);
        return job;
}

void turns_charge(struct turns *turns, uint64_t client_number, int64_t ns)
{
        struct turns_client *client = client_of(turns, client_number);

        client->served += ns;
        if (client->jobs.first)
                place(turns, client);
}
