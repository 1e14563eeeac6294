/* Sets the outputs of a node. Calls for an output that the node does not name have no effect. */
#pragma once

#include "ops/node/node.h"

bool out_wanted(const struct node *n, int o);
/* The element type that the row gives output `o` before the rule runs; ELEM_UNDEFINED: none. */
enum elem out_row_elem(const struct node *n, int o);
/* Tensor of known rank; the dims are not copied. Error RANK_LIMIT past limits.rank; a negative integer size is an error
   NEGATIVE_SIZE. */
enum ox_code out_tensor(struct node *n, int o, enum elem elem, int rank, const struct dim *dims);
/* Tensor of unknown rank. */
enum ox_code out_elem(struct node *n, int o, enum elem elem);
/* Tensor of known rank, every dimension a fresh symbol. */
enum ox_code out_rank(struct node *n, int o, enum elem elem, int rank);
/* The shape of input i with another element type; unknown rank if that is unknown. */
enum ox_code out_like(struct node *n, int o, enum elem elem, int i);
/* The whole type of input i, of any kind. */
enum ox_code out_copy(struct node *n, int o, int i);
enum ox_code out_type(struct node *n, int o, const struct type *type);
/* Known elements of an output of known shape; ignored if their number does not fit the shape. */
void out_content(struct node *n, int o, const struct content *content);

/* A fresh symbol for axis `axis` of output `o`, called <Op>_<number>, which remembers its origin. */
struct dim out_fresh(struct node *n, int o, int axis);
/* The same, called <stem>_<number>. */
struct dim out_fresh_numbered(struct node *n, int o, int axis, const char *stem);
/* The same for a symbol that is to another one, given by its number, as an equal node's is to this node's: its name has
   the same stem, and it names the same operator. */
struct dim out_fresh_like(struct node *n, int o, int axis, uint32_t symbol);
/* The same with a name that the rule chooses. */
struct dim out_fresh_named(struct node *n, int o, int axis, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
