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

/* Where an anonymous symbol arose. Texts that live as long as the table; NULL or "" where nothing applies. */
struct dim_origin {
        const char *value; /* the value whose dimension it is */
        int axis;          /* -1: none (the number of elements that data decides, say) */
        const char *op;    /* the operator, "" for a graph input */
        const char *node;
        const char *scope;
        int64_t node_index; /* of what dim_set_origin() was given alone */
};

/* What is known of a symbol. */
struct dim_symbol {
        str_id name;
        bool anonymous;       /* made up here, not the model's own name */
        bool from_input;      /* arose at a graph input: a named dimension or an unnamed one */
        bool joins;           /* is one of several sizes that are proven each, and data decides which */
        int64_t lower, upper; /* inclusive bounds: facts; INT64_MIN, INT64_MAX where there is none */
        struct dim most;      /* an expression that it is at most, in so far as has_most */
        bool has_most;
        bool presumed;    /* `lower` is 1, which is taken for granted, for what is walked at `presumed_for` */
        bool may_be_none; /* is 0 often enough that nothing is taken for granted */
        const struct dim_origin *presumed_for;
        struct dim_origin origin;
        struct dim bound; /* what it was found to be equal to, in so far as is_bound */
        bool is_bound;
};

/* A table and all that it holds live on the arena. One table a request; one thread. */
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

/* What fresh symbols remember as their origin when the caller gives none (faults). Copied. */
void dim_set_origin(struct dim_table *t, const struct dim_origin *origin);

/* -- symbols -- */

/* The model's own symbol of that name, made at its first use: an integer >= 0. */
struct dim dim_named(struct dim_table *t, str_id name, const struct dim_origin *origin, bool from_input);

/* A new anonymous symbol >= 0, called `hint` or, when that name is taken, `hint`_2, `hint`_3 ... */
struct dim dim_fresh(struct dim_table *t, const char *hint, const struct dim_origin *origin);

/* The same, called `stem`_1, `stem`_2 ...: short, for its origin tells the rest. */
struct dim dim_fresh_numbered(struct dim_table *t, const char *stem, const struct dim_origin *origin);

/* Looks up a symbol by its current name; never creates one. False when no symbol has the name. */
bool dim_find(struct dim_table *t, const char *text, size_t length, struct dim *ret);

/* As dim_fresh(), for an unnamed dimension of a graph input. */
struct dim dim_fresh_input(struct dim_table *t, const char *hint, const struct dim_origin *origin);

/* The same for an element of a graph input, which may be negative; INT64_MIN, INT64_MAX: no bound. */
struct dim dim_fresh_element(struct dim_table *t, const char *hint, int64_t lower, int64_t upper,
                             const struct dim_origin *origin);

/* Gives the symbol of that name, of any kind, a value >= 0, as the caller of the inference asked. One that is there
   already is replaced by dim_resolve(); one that comes later is the number from its beginning: what makes it returns
   that. */
void dim_define(struct dim_table *t, str_id name, int64_t value);
/* Whether some symbol has, or had, that name. */
bool dim_is_used(struct dim_table *t, str_id name);

/* Takes a name out of the reach of dim_fresh(): every dimension name of the model, before anything is inferred. */
void dim_reserve(struct dim_table *t, str_id name);

/* The number of symbols, and each by its number (0 ...), in order of creation. */
uint32_t dim_symbol_count(const struct dim_table *t);
const struct dim_symbol *dim_symbol_at(const struct dim_table *t, uint32_t index);

/* A symbol by its number, as a dimension. */
struct dim dim_symbol_lone(const struct dim_table *t, uint32_t index);

/* True when `d` is one symbol alone; its number. */
bool dim_as_symbol(const struct dim_table *t, struct dim d, uint32_t *ret_index);

/* Whether `d` is one anonymous symbol that dim_unify() may still give another's value. */
bool dim_is_free(const struct dim_table *t, struct dim d);

/* Notes that a symbol is one of several sizes that are proven each. No effect on what is not a lone symbol. */
void dim_symbol_joins(struct dim_table *t, struct dim d);

/* Notes the axis and value of a symbol that has none yet: where it first appears in a shape. */
void dim_symbol_place(struct dim_table *t, uint32_t index, const char *value, int axis);

/* -- arithmetic: never fails, see dim_take_faults(). Integer division and modulo are Python's. -- */

struct dim dim_add(struct dim_table *t, struct dim a, struct dim b);
/* Of all of them, none of whose parts is kept: 0 for none. */
struct dim dim_sum(struct dim_table *t, const struct dim *d, size_t count);
struct dim dim_sub(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_mul(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_floordiv(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_ceildiv(struct dim_table *t, struct dim a, struct dim b); /* -(-a // b) */
struct dim dim_mod(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_max(struct dim_table *t, struct dim a, struct dim b);
struct dim dim_min(struct dim_table *t, struct dim a, struct dim b);

/* a // b where b divides a by the rules of the operator (Reshape's -1): the rest may be taken for 0, so that a sum
   divides term by term. */
struct dim dim_exactdiv(struct dim_table *t, struct dim a, struct dim b);

/* What two sizes give when they broadcast and the model is valid: of (1, d) it is d; of equal ones it; of an integer
   other than 1 and a symbol the integer; else broadcast(a, b). False, and nothing stored, for different integers of
   which none is 1. */
bool dim_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);

/* -- facts -- */

/* Inclusive bounds that hold for every assignment allowed by the facts; INT64_MIN and INT64_MAX where there is none. */
void dim_range(struct dim_table *t, struct dim d, int64_t *ret_lower, int64_t *ret_upper);

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

/* Makes two dimensions equal. `ret` (may be NULL) is the one to go on with: an integer before a named expression
   before an anonymous one. Neither a named symbol nor an input's unnamed dimension is ever bound: inputs print as they
   were declared. */
enum dim_unify dim_unify(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);

/* What must hold of sizes for a model to run. */
enum dim_relation {
        DIM_EQUAL,
        DIM_AT_MOST,
        DIM_AT_LEAST,
        DIM_DIVIDES, /* left divides right */
        DIM_EITHER   /* left is right, or one of the two is 1 */
};
struct dim_condition {
        struct dim left;
        enum dim_relation relation;
        struct dim right;
};
/* "==", "<=", ">=", "divides", "either" */
const char *dim_relation_text(enum dim_relation relation);

enum dim_require {
        DIM_HOLDS,    /* whatever the symbols are, by what is known of them */
        DIM_REQUIRED, /* it must hold for the model to run: the condition, as it reads best, is a fact from here on */
        DIM_FAILS     /* it cannot hold */
};
/* That a >= b; that `divisor` divides d; that a and b broadcast. Where both sizes are known not to be 1, broadcasting
   gives a condition of DIM_EQUAL, which is not a fact yet: that is dim_unify()'s. */
enum dim_require dim_require_ge(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret);
/* Whether dim_require_ge() would find at once that a dimension is not negative; false says nothing. */
bool dim_is_known_size(const struct dim_table *t, struct dim d);
enum dim_require dim_require_divides(struct dim_table *t, struct dim divisor, struct dim d, struct dim_condition *ret);
enum dim_require dim_require_broadcast(struct dim_table *t, struct dim a, struct dim b, struct dim_condition *ret);

/* Writes a condition as it reads best: 2*(N//2) == N as 2 divides N. */
void dim_write_condition(struct dim_table *t, struct dim_condition *c);

/* Writes an equality as it reads best, which changes nothing of what it says: a number stands right, with the sum's
   constant in it, and what divides both sides is gone (24*N == 240 is N == 10), as are factors that are not 0. */
void dim_equation(struct dim_table *t, struct dim *left, struct dim *right);

/* A fact that dim_unify() kept of a symbol: what it equals, and the node that says so. */
struct dim_fact {
        struct dim symbol, equal;
        struct dim_origin because;
};

/* What kept `a` and `b` from being equal, when that is facts: the first one about a symbol in them. */
bool dim_fact_against(struct dim_table *t, struct dim a, struct dim b, struct dim_fact *ret);

/* The dimension under all equalities that are facts: resolved, and every symbol replaced that equals something. */
struct dim dim_under_facts(struct dim_table *t, struct dim d);

/* From here on, symbols made before number `first` are neither bound nor bounded: what holds in a branch that may not
   be taken, or in a body that may not run, is no fact outside. Nests: returns what dim_release() takes to end it. */
uint32_t dim_hold(struct dim_table *t, uint32_t first);
void dim_release(struct dim_table *t, uint32_t before);

/* Counts up with every symbol that is bound: what was resolved at the same number is so still. */
uint32_t dim_bindings(const struct dim_table *t);
/* Whether any symbol is: else dim_resolve() changes nothing. */
bool dim_is_any_bound(const struct dim_table *t);
/* Counts up with every fact, that a symbol is bound among them: what was not proven at the same number is not yet. */
uint32_t dim_facts(const struct dim_table *t);

/* The dimension with every bound symbol replaced, again in canonical form. Cheap while nothing is bound. */
struct dim dim_resolve(struct dim_table *t, struct dim d);

/* The dimension with `by`, which may hold the symbol itself, in the place of a lone symbol; nothing is bound by it. It
   stays as it is where the result cannot be stated within the limits. */
struct dim dim_substitute(struct dim_table *t, struct dim d, struct dim symbol, struct dim by);

/* The dimension resolved, and as it would be if all facts had been known when it was made: min(D, 1) is 1 once D is
   known to be 1 or more. */
struct dim dim_settle(struct dim_table *t, struct dim d);

/* Raises the lower (lowers the upper) bound of a symbol: a fact. No effect on what is not a lone symbol. */
void dim_assume_ge(struct dim_table *t, struct dim d, int64_t lower);
void dim_assume_le(struct dim_table *t, struct dim d, int64_t upper);
/* That a symbol is at most `most`, a number or an expression: a fact. */
void dim_assume_most(struct dim_table *t, struct dim d, struct dim most);
/* That an expression is a size, and so not negative: a fact about itself, and about no other expression. */
void dim_assume_size(struct dim_table *t, struct dim d);

/* -- what is taken for granted: that a size of an input is 1 or more, where only the empty tensor would be otherwise --
   It counts as a bound from there on, but for dim_require_ge(): what must hold is reported in any case. */

/* Nothing is, before this is called. */
void dim_allow_presuming(struct dim_table *t);
/* Whether dim_presume_for() may find anything, of any dimension and of this one. */
bool dim_may_presume(const struct dim_table *t);
bool dim_may_presume_for(struct dim_table *t, struct dim d);

/* Of what is 0 in common use, the size of a cache that others are added to, nothing is taken for granted. */
void dim_may_be_none(struct dim_table *t, struct dim d);

/* Takes for granted what makes a sum of sizes 1 or more; false when that may not be. */
bool dim_presume_some(struct dim_table *t, struct dim d);

/* So many symbols at most, of which dim_symbol.presumed tells. */
uint32_t dim_presumed_count(const struct dim_table *t);

/* Between the two, nothing is taken for granted. */
void dim_withdraw_presumed(struct dim_table *t);
void dim_restore_presumed(struct dim_table *t);

/* Takes for granted of inputs' symbols what leaves max and min within `d` one argument less: min(seq, 1) is 1. */
void dim_presume_for(struct dim_table *t, struct dim d);

/* -- text -- */

/* Reads an expression: + - * // % parentheses, calls of max min (any number of arguments), Max Min Mod FloorDiv
   floor ceiling (floor(a/b), ceiling(a/b), CeilToInt(a, b)) broadcast, names ([A-Za-z_][A-Za-z0-9_]*), backquoted
   names and integers. `name_ok` decides about every name (NULL: all are good). False, with nothing changed that
   matters, for what is no expression, goes past a limit or has a name that is not ok. */
bool dim_parse(struct dim_table *t, const char *text, size_t length, bool (*name_ok)(void *user, str_id name),
               void *user, const struct dim_origin *origin, bool from_input, struct dim *ret);

/* What a caller writes for a size: an expression when every name in it is `known`, or when it can hardly be a name
   ("2*N", "seq + 1"); else ("batch-size") one symbol's name. Not for empty texts. */
struct dim dim_read(struct dim_table *t, const char *text, size_t length, bool (*known)(void *user, str_id name),
                    void *user, const struct dim_origin *origin);

/* Whether a caller's text that is no expression in known names is a name rather than an expression in new ones. */
bool dim_looks_like_name(const char *text, size_t length);

/* Whether a text is one identifier: it needs no backquotes inside an expression. Reserved function names are none. */
bool dim_is_identifier(const char *text, size_t length);

/* Interned text of a dimension that is no integer: a lone symbol as the model spells it, else an expression that is
   Python once names are replaced. Remembered, so that printing it again costs nothing. */
const char *dim_text(struct dim_table *t, struct dim d);

/* -- numbers -- */

/* The value under an assignment of symbols (by number) to integers. False when it is undefined: a zero divisor,
   overflow, or `lookup` says that a symbol has no value. */
bool dim_eval(const struct dim_table *t, struct dim d, bool (*lookup)(void *user, uint32_t symbol, int64_t *ret),
              void *user, int64_t *ret);

/* True when every symbol in `d` satisfies `accept`. An integer does. */
bool dim_all_symbols(const struct dim_table *t, struct dim d, bool (*accept)(const struct dim_symbol *symbol));

/* Makes *period, which begins as 1, a multiple of what the floor divisions and remainders in `d` repeat with: with it
   as a factor of every symbol they are gone. False where a divisor is no number, or past `most`. */
bool dim_period(const struct dim_table *t, struct dim d, int64_t most, int64_t *period);

/* Whether a symbol, by its number, is a factor of every term of `d`, which so is a multiple of it. */
bool dim_has_factor(const struct dim_table *t, struct dim d, uint32_t symbol);

/* Whether a symbol in `d` has the number `first` or a higher one: it was made since dim_symbol_count() said so. */
bool dim_names_since(const struct dim_table *t, struct dim d, uint32_t first);

/* Calls `visit` for every symbol in `d`, once for each place where it stands. */
void dim_each_symbol(const struct dim_table *t, struct dim d, void (*visit)(void *user, uint32_t symbol), void *user);
