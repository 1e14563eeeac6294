/* An intrusive ordered set: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, 1986). Adding and reading the first
   take constant time, removing O(log n) on average; it allocates nothing. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct heap_node {
        int64_t key;    /* the smallest one comes first */
        uint64_t order; /* among equal keys, the smallest order */
        /* the heap's own: */
        struct heap_node *child, *next, **link; /* link is NULL outside of a heap */
};

/* All zero: empty. */
struct heap {
        struct heap_node *first; /* NULL: the heap is empty */
};

static inline bool heap_has(const struct heap_node *node)
{
        return node->link;
}

/* The caller sets `key` and `order` of the node, and does not change them while it is in the heap. */
void heap_add(struct heap *heap, struct heap_node *node);
void heap_remove(struct heap *heap, struct heap_node *node);
