/* Shapes by the names of their sizes, as documentation writes them: (batch_size, sequence_length, hidden_size). A rule
   has a struct size for each name, and lists for every input and output the names of its axes. */
#pragma once

#include "ops/node/node.h"

/* A named size: unknown until an input determines it. Starts as {0}. */
struct size {
        bool known;
        struct dim dim;
};

struct size size_int(int64_t value);
/* Unknown unless both are known. */
struct size size_add(struct node *n, struct size a, struct size b);
struct size size_times(struct node *n, int64_t factor, struct size a);
struct size size_product(struct node *n, struct size a, struct size b);
/* One of `parts` equal parts of a size; an integer that is not divisible is an error DIM_MISMATCH of `input`. */
enum ox_code size_part(struct node *n, struct size a, int64_t parts, int input, struct size *ret);

/* Axis `axis` of input `i`, or a computed size, is the named size: it determines the size, or must agree with it, as in
   in_agree(). An input of unknown rank and an unknown size have no effect. */
enum ox_code size_at(struct node *n, struct size *size, int i, int axis);
enum ox_code size_is(struct node *n, struct size *size, struct size other, int i);
/* The same for an axis that broadcasts: it determines the size only if it is an integer other than 1. */
enum ox_code size_at_or_one(struct node *n, struct size *size, int i, int axis);

/* Input `i` is omitted, or is a tensor with these sizes; NULL: any size. Errors as in_expect_rank() and in_agree(). */
enum ox_code in_sized(struct node *n, int i, int rank, struct size *const *sizes);
#define IN_SIZED(n, i, ...)                                                                                            \
        in_sized((n), (i), (int)(sizeof((struct size *[]){__VA_ARGS__}) / sizeof(struct size *)),                      \
                 (struct size *const[]){__VA_ARGS__})

/* Output `o` has these sizes and the element type of the row. An unknown size becomes a fresh symbol of this output,
   which later outputs share; NULL: a symbol of its own. */
enum ox_code out_sized(struct node *n, int o, int rank, struct size *const *sizes);
#define OUT_SIZED(n, o, ...)                                                                                           \
        out_sized((n), (o), (int)(sizeof((struct size *[]){__VA_ARGS__}) / sizeof(struct size *)),                     \
                  (struct size *const[]){__VA_ARGS__})

/* The single element of input `i` as a size; unknown if the element is. Error NEGATIVE_SIZE. */
enum ox_code in_size(struct node *n, int i, struct size *ret);
