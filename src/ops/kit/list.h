/* Lists of integers that an operator takes. */
#pragma once

#include "ops/node/node.h"

/* An operand that newer versions of an operator take as an input and older ones as an attribute. */
struct list {
        enum { LIST_ABSENT, LIST_UNKNOWN, LIST_KNOWN } state; /* UNKNOWN: given, but not even its length is known */
        size_t count;
        const struct content *elements; /* NULL: none of them is known */
};

/* Element `k` of a list that is known; single ones may be SCALAR_UNKNOWN. */
static inline struct scalar list_at(const struct list *list, size_t k)
{
        return list->elements ? content_at(list->elements, k) : scalar_unknown();
}

/* The elements of a content that was read. */
static inline struct list list_of(const struct content *content)
{
        return (struct list){.state = LIST_KNOWN, .count = content->count, .elements = content};
}

/* From the attribute when the operator's version has it, else from input `i`, which must be a vector (or, with
   `scalar_too`, a scalar): error RANK_MISMATCH. */
enum ox_code list_get(struct node *n, const char *attribute, int i, bool scalar_too, struct list *ret);

/* Floats that are whole numbers become integers: the first versions of Split and Tile take sizes of the data's type. */
void list_whole(struct node *n, struct list *list);

/* Sizes are not negative, whether or not the rank of the data is known: error NEGATIVE_SIZE. */
enum ox_code list_of_sizes(struct node *n, const struct list *list, int input);

/* The list as numbers; false when one is not known. */
bool list_numbers(struct node *n, const struct list *list, const int64_t **ret);
