/* Shapes as the texts of operators write them, by the names of their sizes: (batch_size, sequence_length, hidden_size).
   A rule has a struct size for each name, and says of every input and output which names its axes have. */
#pragma once

#include "ops/node/node.h"

/* A size that has a name: not known until an input tells it. Starts as {0}. */
struct size {
        bool known;
        struct dim dim;
};

struct size size_int(int64_t value);
/* Not known unless both are. */
struct size size_add(struct node *n, struct size a, struct size b);
struct size size_times(struct node *n, int64_t factor, struct size a);
struct size size_product(struct node *n, struct size a, struct size b);
/* One of `parts` equal parts of a size; an integer that they do not divide is an error DIM_MISMATCH of `input`. */
enum ox_code size_part(struct node *n, struct size a, int64_t parts, int input, struct size *ret);

/* Axis `axis` of input `i`, or a size made of others, is the named size: it tells it, or must agree with it, as
   in_agree(). An input of unknown rank and a size that is not known tell nothing. */
enum ox_code size_at(struct node *n, struct size *size, int i, int axis);
enum ox_code size_is(struct node *n, struct size *size, struct size other, int i);
/* The same of an axis that broadcasts: it tells the size only where it is an integer other than 1. */
enum ox_code size_at_or_one(struct node *n, struct size *size, int i, int axis);

/* Input `i` is not given, or is a tensor of those sizes; NULL: one that has no name. Errors as in_expect_rank() and
   in_agree(). */
enum ox_code in_sized(struct node *n, int i, int rank, struct size *const *sizes);
#define IN_SIZED(n, i, ...)                                                                                            \
        in_sized((n), (i), (int)(sizeof((struct size *[]){__VA_ARGS__}) / sizeof(struct size *)),                      \
                 (struct size *const[]){__VA_ARGS__})

/* Output `o` has those sizes and the element type that the row gives. A size that is not known becomes a fresh symbol
   of this output, which later outputs share; NULL: a symbol of its own. */
enum ox_code out_sized(struct node *n, int o, int rank, struct size *const *sizes);
#define OUT_SIZED(n, o, ...)                                                                                           \
        out_sized((n), (o), (int)(sizeof((struct size *[]){__VA_ARGS__}) / sizeof(struct size *)),                     \
                  (struct size *const[]){__VA_ARGS__})

/* The one element of input `i` as a size; not known where it is not. Error NEGATIVE_SIZE. */
enum ox_code in_size(struct node *n, int i, struct size *ret);
