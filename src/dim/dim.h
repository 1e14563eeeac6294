/* Dimensions: integers, or handles to canonical expressions over symbols. Two dimensions of one table are equal as
   expressions exactly when their handles are equal, so they are compared as numbers and never as text.

   An expression is a sum of monomials with checked int64 coefficients over atoms: symbols, floor divisions, modulos,
   max, min and broadcast. Canonicalisation holds wherever the original is defined (a divisor is not 0): x*y//y is x,
   while max(N, 1) stays, because a symbol is an integer >= 0 unless a fact says more.

   Sums that the meaning of y//n and y%n, of all (y + i)//n, of max and min of two makes equal have one handle, in
   whatever order and parts they were added up (normal.c). They are written as the first of them was, with those
   relations used to make it short. What is written reads as the same handle again, whatever its size, as long as no
   facts are added. Where a product of such operations comes to more than 64 terms without them, or a coefficient past
   int64, sums with it are one only if they are written alike: equal, they may have two handles. No size of a model is
   near that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/limits.h"
#include "base/str.h"

/* A plain value: compare with dim_same(). Contents of tensors are the same kind of thing and may be negative. */
struct dim {
        int64_t val;   /* the integer, when expr is 0; else 0 */
        uint32_t expr; /* a handle of the table */
};

static inline struct dim dim_int(int64_t value)
{
        return (struct dim){.val = value, .expr = 0};
}

static inline bool dim_is_int(struct dim d)
{
        return d.expr == 0;
}

static inline bool dim_is(struct dim d, int64_t value)
{
        return d.expr == 0 && d.val == value;
}

static inline bool dim_same(struct dim a, struct dim b)
{
        return a.expr == b.expr && a.val == b.val;
}

struct dim_table;

/* The origin of an anonymous symbol. Texts live as long as the table; NULL or "" where nothing applies. */
struct dim_origin {
        const char *value; /* the value to which the dimension belongs */
        int axis;          /* -1: none (for example a number of elements that depends on data) */
        const char *op;    /* the operator, "" for a graph input */
        const char *node;
        const char *scope;
        int64_t node_index; /* of what dim_set_origin() was given alone */
};

/* What only some symbols have. */
struct dim_symbol_facts {
        struct dim most;     /* an expression that it is at most, in so far as has_most */
        struct dim bound;    /* what it was found to be equal to, in so far as is_bound */
        struct dim resolved; /* the same, of what that is bound to by now, at resolve_generation */
        struct dim equal; /* in so far as is_equal, by a fact, whose origin is `because`; it contains no symbol that was
                             is_equal before */
        const struct dim_origin *because;
        const struct dim_origin *presumed_for; /* what was walked when it was presumed */
        uint32_t resolve_generation;
        bool is_equal;
};

/* Everything known about a symbol. */
struct dim_symbol {
        str_id name;
        bool anonymous : 1;             /* made by inference; not a name of the model */
        bool from_input : 1;            /* arose at a graph input: a named dimension or an unnamed one */
        bool joins : 1;                 /* one of several proven sizes, chosen by data */
        bool has_most : 1;              /* is at most some expression */
        bool is_bound : 1;              /* was found to be equal to another dimension */
        bool presumed : 1;              /* `lower` is 1, which is taken for granted */
        bool may_be_none : 1;           /* is 0 often enough that nothing is taken for granted */
        int64_t lower, upper;           /* inclusive bounds: facts; INT64_MIN, INT64_MAX where there is none */
        struct dim_symbol_facts *facts; /* NULL where none are known */
        struct dim_origin origin;
};

/* A table and its contents live on the arena. One table for each request, used by one thread. */
struct dim_table *dim_table_new(struct arena *arena, struct strings *strings, const struct ox_limits *limits,
                                uint64_t seed);

/* From now on `spend` is called with the number of terms that were worked on; it may end the request by arena_bail().
 * NULL: not any more. */
void dim_watch(struct dim_table *t, void (*spend)(void *user, size_t terms), void *user);

/* Where overflow, expressions past their limits and divisions by zero are noted; the walk reads and clears it around
   each node. A fault in integers alone (a concrete size that overflows) is distinguished, because it is the model's
   error. Every fault yields a fresh symbol. */
enum dim_fault {
        DIM_FAULT_NONE = 0,
        DIM_FAULT_OVERFLOW = 1,
        DIM_FAULT_ZERO_DIVISOR = 2,
        DIM_FAULT_LIMIT = 4,
        DIM_FAULT_CONCRETE_OVERFLOW = 8
};
unsigned dim_take_faults(struct dim_table *t);

/* The origin of fresh symbols for which the caller gives none (faults). Copied. */
void dim_set_origin(struct dim_table *t, const struct dim_origin *origin);

/* -- symbols -- */

/* The model's symbol of this name, an integer >= 0; created at its first use. */
struct dim dim_named(struct dim_table *t, str_id name, const struct dim_origin *origin, bool from_input);

/* A new anonymous symbol >= 0, called `hint` or, if that name is taken, `hint`_2, `hint`_3 ... */
struct dim dim_fresh(struct dim_table *t, const char *hint, const struct dim_origin *origin);

/* The same, called `stem`_1, `stem`_2 ...; the name can be short, because the symbol has an origin. */
struct dim dim_fresh_numbered(struct dim_table *t, const char *stem, const struct dim_origin *origin);

/* Looks up a symbol by its current name; never creates one. False if no symbol has the name. */
bool dim_find(struct dim_table *t, const char *text, size_t length, struct dim *ret);
bool dim_find_name(struct dim_table *t, str_id name, struct dim *ret);

/* dim_fresh() for an unnamed dimension of a graph input. */
struct dim dim_fresh_input(struct dim_table *t, const char *hint, const struct dim_origin *origin);

/* The same for an element of a graph input, which may be negative; INT64_MIN, INT64_MAX: no bound. */
struct dim dim_fresh_element(struct dim_table *t, const char *hint, int64_t lower, int64_t upper,
                             const struct dim_origin *origin);

/* Gives the symbol of this name, of any kind, a value >= 0 by the wish of the caller. dim_resolve() replaces an
   existing symbol; a later attempt to create it returns the number. */
void dim_define(struct dim_table *t, str_id name, int64_t value);
/* Whether a symbol has or had this name. */
bool dim_is_used(struct dim_table *t, str_id name);

/* Reserves a name, so that dim_fresh() does not use it: every dimension name of the model, before inference begins. */
void dim_reserve(struct dim_table *t, str_id name);
bool dim_is_reserved(struct dim_table *t, str_id name);

/* The number of symbols, and each by its number (0 ...), in order of creation. */
uint32_t dim_symbol_count(const struct dim_table *t);
const struct dim_symbol *dim_symbol_at(const struct dim_table *t, uint32_t index);

/* A symbol by its number, as a dimension. */
struct dim dim_symbol_lone(const struct dim_table *t, uint32_t index);

/* True if `d` is a single symbol, with its number. */
bool dim_as_symbol(const struct dim_table *t, struct dim d, uint32_t *ret_index);

/* Whether `d` is a single anonymous symbol that dim_unify() may still bind. */
bool dim_is_free(const struct dim_table *t, struct dim d);

/* Marks a symbol as one of several proven sizes. No effect unless the dimension is a single symbol. */
void dim_symbol_joins(struct dim_table *t, struct dim d);

/* Sets the axis and value of a symbol that has none yet: its first place in a shape. */
void dim_symbol_place(struct dim_table *t, uint32_t index, const char *value, int axis);

/* -- arithmetic: never fails, see dim_take_faults(). Integer division and modulo are Python's. -- */

struct dim dim_add(struct dim_table *t, struct dim a, struct dim b);
/* The sum of all, without storing partial sums; 0 if there are none. */
struct dim dim_sum(struct dim_table *t, const struct dim *d, size_t count);
struct dim dim_sub(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_mul(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_floordiv(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_ceildiv(struct dim_table *t, struct dim a, struct dim b); /* -(-a // b) */
struct dim dim_mod(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_max(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_min(struct dim_table *t, struct dim a, struct dim b);

/* a // b where the operator guarantees that b divides a (Reshape's -1): the remainder is 0, so a sum is divided term by
   term. */
struct dim dim_exactdiv(struct dim_table *t, struct dim a, struct dim b);

/* The broadcast of two sizes in a valid model: (1, d) gives d, equal sizes give that size, an integer other than 1 and
   a symbol give the integer, anything else broadcast(a, b). False, and nothing stored, for different integers, neither
   of them 1. */
bool dim_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);

/* -- facts -- */

/* Inclusive bounds that hold for every assignment allowed by the facts; INT64_MIN and INT64_MAX if there is none. */
void dim_range(struct dim_table *t, struct dim d, int64_t *ret_lower, int64_t *ret_upper);

/* A bound of a size in symbols of inputs alone, for one that depends on data: 2*u + 1 is at most 2*N + 1 if u is at
   most N. False if none is known. */
bool dim_extent(struct dim_table *t, struct dim d, bool upper, struct dim *ret);

/* Whether a >= b (a == b) is proven. */
bool dim_proves_ge(struct dim_table *t, struct dim a, struct dim b);
bool dim_proves_equal(struct dim_table *t, struct dim a, struct dim b);

/* Whether a != b is proven. */
bool dim_proves_unequal(struct dim_table *t, struct dim a, struct dim b);

enum dim_unify {
        DIM_UNIFY_SAME,     /* they were equal already */
        DIM_UNIFY_BOUND,    /* an anonymous symbol took the other's value */
        DIM_UNIFY_FACT,     /* two names of the model, or expressions: the equality is a fact to report */
        DIM_UNIFY_CONFLICT, /* they cannot be equal: different integers, or out of bounds */
};

/* Whether a size is certain not to be 1, so that what it broadcasts with becomes it: 2*N is even. */
bool dim_is_never_one(struct dim_table *t, struct dim d);

/* Makes two dimensions equal. *ret (may be NULL) is the preferred one: an integer, else a named expression, else an
   anonymous one. Named symbols and unnamed dimensions of inputs are never bound, so that inputs print as declared. */
enum dim_unify dim_unify(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);

/* Conditions on sizes that must hold for a model to run. */
enum dim_relation {
        DIM_EQUAL,
        DIM_AT_MOST,
        DIM_AT_LEAST,
        DIM_DIVIDES, /* left divides right */
        DIM_EITHER   /* left equals right, or one of the two is 1 */
};
struct dim_condition {
        struct dim left;
        enum dim_relation relation;
        struct dim right;
};
/* "==", "<=", ">=", "divides", "either" */
const char *dim_relation_text(enum dim_relation relation);

enum dim_require {
        DIM_HOLDS,    /* for all values of the symbols that the facts allow */
        DIM_REQUIRED, /* it must hold for the model to run: the condition, in its simplest form, is a fact from now
                         on */
        DIM_FAILS     /* it cannot hold */
};
/* Require that a >= b; that `divisor` divides d; that a and b broadcast. If both sizes are known not to be 1,
   broadcasting gives a condition DIM_EQUAL, which becomes a fact only by dim_unify(). */
enum dim_require dim_require_ge(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret);
/* A quick test whether a dimension is proven not to be negative; false means unknown. */
bool dim_is_known_size(const struct dim_table *t, struct dim d);
enum dim_require dim_require_divides(struct dim_table *t, struct dim divisor, struct dim d, struct dim_condition *ret);
enum dim_require dim_require_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret);

/* Puts a condition into its simplest form: 2*(N//2) == N becomes 2 divides N. */
void dim_write_condition(struct dim_table *t, struct dim_condition *c);

/* Puts an equality into its simplest equivalent form: the constant stands on the right, and common divisors (24*N ==
   240 is N == 10) and common factors that are not 0 are cancelled. */
void dim_equation(struct dim_table *t, struct dim *left, struct dim *right);

/* A fact of dim_unify() about a symbol: its equal, and the node that requires it. */
struct dim_fact {
        struct dim symbol, equal;
        struct dim_origin because;
};

/* The first fact about a symbol of `a` or `b`, if facts exclude that they are equal. */
bool dim_fact_against(struct dim_table *t, struct dim a, struct dim b, struct dim_fact *ret);

/* The dimension under all known equalities: resolved, and with every symbol replaced that equals an expression. */
struct dim dim_under_facts(struct dim_table *t, struct dim d);

/* From here on, symbols with numbers below `first` are neither bound nor bounded, because a condition in a branch or
   body that may not run is not a fact outside. Nests: returns the argument of the dim_release() that ends it. */
uint32_t dim_hold(struct dim_table *t, uint32_t first);
void dim_release(struct dim_table *t, uint32_t before);
/* Whether what is walked now may not run. */
bool dim_is_held(const struct dim_table *t);

/* Increases with every bound symbol: a dimension resolved at the same number is still resolved. */
uint32_t dim_bindings(const struct dim_table *t);
/* Whether any symbol is: else dim_resolve() changes nothing. */
bool dim_is_any_bound(const struct dim_table *t);
/* Increases with every fact, including bindings: a proof that failed at the same number still fails. */
uint32_t dim_facts(const struct dim_table *t);

/* The dimension with every bound symbol replaced, again in canonical form. Cheap while nothing is bound. */
struct dim dim_resolve(struct dim_table *t, struct dim d);

/* Replaces a symbol by `by`, which may contain that symbol, without binding it. Returns the dimension unchanged if the
   result exceeds the limits. */
struct dim dim_substitute(struct dim_table *t, struct dim d, struct dim symbol, struct dim by);

/* The dimension resolved, and built anew with all facts known now: min(D, 1) is 1 once D >= 1 is known. */
struct dim dim_settle(struct dim_table *t, struct dim d);

/* Raises the lower (lowers the upper) bound of a symbol, as a fact. No effect unless the dimension is a single
   symbol. */
void dim_assume_ge(struct dim_table *t, struct dim d, int64_t lower);
void dim_assume_le(struct dim_table *t, struct dim d, int64_t upper);
/* Adds the fact that a symbol is at most `most`, a number or an expression. */
void dim_assume_most(struct dim_table *t, struct dim d, struct dim most);
/* Adds the fact that an expression is a size, and so not negative; it says nothing about other expressions. */
void dim_assume_size(struct dim_table *t, struct dim d);

/* Adds the fact that the number `divisor` divides a size, and so what the size leaves by others. */
void dim_assume_multiple(struct dim_table *t, struct dim divisor, struct dim d);
/* Between these two calls no such fact is used: a condition about a remainder is not to vanish by itself. */
void dim_withdraw_multiples(struct dim_table *t);
void dim_restore_multiples(struct dim_table *t);

/* -- assumptions: a size of an input is at least 1, where only an empty tensor would have another shape -- An
   assumption counts as a bound from then on, except in dim_require_ge(), which reports a condition in any case. */

/* Before this call nothing is assumed. */
void dim_allow_presuming(struct dim_table *t);
/* Whether dim_presume_for() may find anything, of any dimension and of this one. */
bool dim_may_presume(const struct dim_table *t);
bool dim_may_presume_for(struct dim_table *t, struct dim d);

/* Excludes a size that is often 0, such as that of a cache to which others are added. */
void dim_may_be_none(struct dim_table *t, struct dim d);

/* Assumes whatever makes a sum of sizes at least 1; false if that is not allowed. */
bool dim_presume_some(struct dim_table *t, struct dim d);

/* The largest number of symbols with assumptions (dim_symbol.presumed). */
uint32_t dim_presumed_count(const struct dim_table *t);

/* Between these two calls nothing is assumed. */
void dim_withdraw_presumed(struct dim_table *t);
void dim_restore_presumed(struct dim_table *t);

/* Assumes about symbols of inputs whatever removes an argument of max and min within `d`: min(seq, 1) is 1. */
void dim_presume_for(struct dim_table *t, struct dim d);

/* -- text -- */

/* Reads an expression: + - * // % parentheses, calls of max min (any number of arguments), Max Min Mod FloorDiv floor
   ceiling (floor(a/b), ceiling(a/b), CeilToInt(a, b)) broadcast, names ([A-Za-z_][A-Za-z0-9_]*), backquoted names and
   integers. `name_ok` decides about every name (NULL: all are good). False, without a visible change, for a text that
   is not an expression, exceeds a limit or has a refused name. */
bool dim_parse(struct dim_table *t, const char *text, size_t length, bool (*name_ok)(void *user, str_id name),
               void *user, const struct dim_origin *origin, bool from_input, struct dim *ret);

/* Reads a caller's text for a size: an expression if every name in it is `known`, or if it can hardly be a name ("2*N",
   "seq + 1"); else ("batch-size") the name of a symbol. Not for empty texts. */
struct dim dim_read(struct dim_table *t, const char *text, size_t length, bool (*known)(void *user, str_id name),
                    void *user, const struct dim_origin *origin);

/* Whether a caller's text with unknown names is a name, rather than an expression with new names. */
bool dim_looks_like_name(const char *text, size_t length);

/* Whether a text is an identifier, which needs no backquotes inside an expression. Reserved function names are not. */
bool dim_is_identifier(const char *text, size_t length);

/* The interned text of a dimension that is not an integer: a single symbol as the model spells it, else an expression
   that is Python after names are replaced. Cached. */
const char *dim_text(struct dim_table *t, struct dim d);

/* -- numbers -- */

/* The value under an assignment of integers to symbols (by number). False if it is undefined: a zero divisor, an
   overflow, or a symbol for which `lookup` has no value. */
bool dim_eval(const struct dim_table *t, struct dim d, bool (*lookup)(void *user, uint32_t symbol, int64_t *ret),
              void *user, int64_t *ret);

/* True when every symbol in `d` satisfies `accept`. An integer does. */
bool dim_all_symbols(const struct dim_table *t, struct dim d, bool (*accept)(const struct dim_symbol *symbol));

/* Makes *period, initially 1, a multiple of the periods of floor divisions and remainders in `d`: they vanish if it is
   a factor of every symbol. False if a divisor is not a number, or past `most`. */
bool dim_period(const struct dim_table *t, struct dim d, int64_t most, int64_t *period);

/* Whether a symbol, by its number, is a factor of every term of `d`, so that `d` is a multiple of it. */
bool dim_has_factor(const struct dim_table *t, struct dim d, uint32_t symbol);

/* Whether a symbol in `d` has a number >= `first`, that is, was made since dim_symbol_count() was `first`. */
bool dim_names_since(const struct dim_table *t, struct dim d, uint32_t first);

/* Calls `visit` for every occurrence of a symbol in `d`. */
void dim_each_symbol(const struct dim_table *t, struct dim d, void (*visit)(void *user, uint32_t symbol), void *user);
/* The same for both sides of a condition. */
void dim_condition_each_symbol(const struct dim_table *t, const struct dim_condition *c,
                               void (*visit)(void *user, uint32_t symbol), void *user);
