/* Lists of integers as operands. */
#pragma once

#include "ops/node/node.h"

/* An operand that is an input in newer versions of an operator and an attribute in older ones. */
struct list {
        enum { LIST_ABSENT, LIST_UNKNOWN, LIST_KNOWN } state; /* UNKNOWN: given, but of unknown length */
        size_t count;
        const struct content *elements; /* NULL: none of them is known */
};

/* Element `k` of a list that is known; single ones may be SCALAR_UNKNOWN. */
static inline struct scalar list_at(const struct list *list, size_t k)
{
        return list->elements ? content_at(list->elements, k) : scalar_unknown();
}

/* The same as an integer; false if it is none, or unknown. */
static inline bool list_int(const struct list *list, size_t k, struct dim *ret)
{
        return list->elements && content_int(list->elements, k, ret);
}

/* The elements of a content that was read. */
static inline struct list list_of(const struct content *content)
{
        return (struct list){.state = LIST_KNOWN, .count = content->count, .elements = content};
}

/* Reads the attribute if the operator's version has it, else input `i`, which must be a vector (or, with `scalar_too`,
   a scalar): error RANK_MISMATCH. */
enum ox_code list_get(struct node *n, const char *attribute, int i, bool scalar_too, struct list *ret);

/* Converts integral floats to integers: in the first versions of Split and Tile, sizes have the type of the data. */
void list_whole(struct node *n, struct list *list);

/* Checks that no size is negative, even if the rank of the data is unknown: error NEGATIVE_SIZE. */
enum ox_code list_of_sizes(struct node *n, const struct list *list, int input);

/* The list as numbers; false if one is unknown. */
bool list_numbers(struct node *n, const struct list *list, const int64_t **ret);
