#include "work/heap.h"

#include <stddef.h>

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
        return a->key != b->key ? a->key < b->key : a->order < b->order;
}

/* One tree of two, either of which may be NULL; its root has no siblings. */
static struct heap_node *merge(struct heap_node *a, struct heap_node *b)
{
        if (!a || !b)
                return a ? a : b;
        if (is_before(b, a)) {
                struct heap_node *first = b;

                b = a;
                a = first;
        }
        b->next = a->child;
        if (b->next)
                b->next->link = &b->next;
        b->link = &a->child;
        a->child = b;
        return a;
}

/* One tree of a list of siblings: in pairs from the front, then the pairs from the back. */
static struct heap_node *merge_all(struct heap_node *siblings)
{
        struct heap_node *pairs = NULL, *whole = NULL;

        while (siblings) {
                struct heap_node *a = siblings, *b = a->next;

                siblings = b ? b->next : NULL;
                a->next = NULL;
                if (b)
                        b->next = NULL;
                a = merge(a, b);
                a->next = pairs;
                pairs = a;
        }
        while (pairs) {
                struct heap_node *next = pairs->next;

                pairs->next = NULL;
                whole = merge(whole, pairs);
                pairs = next;
        }
        return whole;
}

static void set_first(struct heap *heap, struct heap_node *root)
{
        heap->first = root;
        if (root)
                root->link = &heap->first;
}

void heap_add(struct heap *heap, struct heap_node *node)
{
        node->child = node->next = NULL;
        set_first(heap, merge(heap->first, node));
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
        *node->link = node->next;
        if (node->next)
                node->next->link = node->link;
        set_first(heap, merge(heap->first, merge_all(node->child)));
        node->child = node->next = NULL;
        node->link = NULL;
}
