/* What the files of dim/ share. A dimension that is no integer is a handle of `expr`: a sum of terms, each an integer
   times a monomial; a monomial is a sorted multiset of atoms; an atom is a symbol or an operation on dimensions. All
   three are hash-consed, so that equal ones are one. Monomial 0 is the empty product, 1.

   Functions that return `unsigned` return the faults (enum dim_fault) that kept them from a result, 0 for none; the
   public functions turn a fault into a fresh symbol. */
#pragma once

#include <assert.h>

#include "base/bounds.h"
#include "base/checked.h"
#include "dim/dim.h"

/* ATOM_RING(y, n) stands for the sum of all (y + i)//n, i = 0 ... n-2, and only in normal forms (normal.c). */
enum atom_kind { ATOM_SYMBOL, ATOM_FLOORDIV, ATOM_MOD, ATOM_MAX, ATOM_MIN, ATOM_BROADCAST, ATOM_RING };

/* Terms are hashed and compared as bytes. */
struct term {
        int64_t coef;
        uint64_t mono;
};
static_assert(sizeof(struct term) == sizeof(int64_t) + sizeof(uint64_t), "a term has no padding");

/* Terms by monomial, so that the constant is the first, none of them 0. */
struct poly {
        const struct term *term;
        size_t n;
};

/* Bounds that hold while the table's facts are at `generation`. */
struct known_range {
        uint32_t generation;
        int64_t lower, upper;
};

#define NAMES_CHUNK   64
#define MAX_PRESUMED  64 /* symbols that are assumed not to be 0 */
#define MAX_MULTIPLES 64 /* sizes with facts about what they leave by a number */

/* mono leaves `rest` when divided by `by`. */
struct multiple {
        uint64_t mono;
        int64_t by, rest;
};

/* What is remembered of an operation. */
struct atom_memo {
        struct poly *relation; /* RELATIONS_MOST sums with this atom in them that are 0; empty where there is none. NULL
                                  until they are looked for */
        struct known_range range;
        uint32_t text_generation;
        const char *text;
};

/* Every symbol has an atom, a monomial and a sum of its own, so that they are kept small. */
struct atom {
        uint32_t hash;   /* of an operation */
        uint32_t symbol; /* its number, for ATOM_SYMBOL */
        uint32_t weight; /* terms of the arguments, nested ones counted too */
        uint32_t n;
        uint32_t lone; /* the monomial that is this atom alone; 0: there is none yet */
        uint16_t depth;
        enum atom_kind kind : 8;
        bool open : 1;          /* holds an anonymous symbol, which may be bound */
        bool extreme : 1;       /* is or holds an operation max or min */
        struct atom_memo *memo; /* NULL for a symbol, about which there is nothing to remember */
        struct dim arg[];
};

/* Whether a monomial's normal form is known (normal.c), and is the monomial itself or some other sum. */
enum normal { NORMAL_UNKNOWN, NORMAL_BUSY, NORMAL_ITSELF, NORMAL_OTHER };

struct mono {
        uint32_t hash; /* of several atoms, or none */
        uint32_t weight;
        uint32_t n;
        uint32_t lone; /* the sum whose normal form is once this monomial; 0: there is none yet */
        uint16_t depth;
        enum normal state : 8;
        bool open : 1, extreme : 1;
        bool relates : 1;          /* holds an atom that may have relations */
        bool ringed : 1;           /* holds an ATOM_RING */
        const struct poly *normal; /* for NORMAL_OTHER */
        uint32_t atom[];
};

/* What is remembered of a sum that is not a symbol. */
struct expr_memo {
        struct known_range range;
        uint32_t presume_generation; /* of facts, at which dim_presume_for() found no more */
        uint32_t settle_generation;
        struct dim settled;
        uint32_t text_generation;
        const char *text;
};

struct expr {
        uint32_t hash; /* of the normal form, unless that is one monomial */
        union {
                uint32_t written_hash; /* of the terms, where they are not the normal form */
                uint32_t symbol;       /* the number of a symbol alone */
        };
        uint32_t weight;
        uint32_t n;
        uint32_t resolve_generation;
        uint16_t depth;
        bool open : 1, extreme : 1;
        bool not_negative : 1; /* a fact, whatever its symbols allow */
        struct dim resolved;
        struct expr_memo *memo; /* NULL for a symbol alone */
        const struct poly *key; /* its normal form; NULL: its own terms, as in most */
        struct term term[];     /* in order, as those of a struct poly */
};

/* Open addressing; a slot holds a number + 1, 0 is free. */
struct slots {
        uint32_t *at;
        uint32_t mask, used;
};

struct name_entry {
        str_id name;
        uint32_t symbol;      /* its number + 1; 0 when there is none */
        uint32_t next_suffix; /* the next number to try for a fresh symbol of this name */
        uint32_t last_number; /* the last tried for a symbol that this name is the stem of */
        uint32_t defined;     /* the place + 1 of its symbol's value in the table's `defined`; 0: it has none */
        bool is_reserved;     /* no fresh symbol may have it */
};

struct symbol {
        struct dim_symbol info; /* what callers see */
        uint32_t lone;          /* the handle of the symbol as a dimension */
        uint32_t atom;
        uint32_t mark; /* the walk that saw it last */
};

struct scratch_chunk {
        struct scratch_chunk *next;
        size_t size, used;
        unsigned char *data;
};

struct dim_table {
        struct arena *arena;
        struct strings *strings;
        uint64_t seed;
        uint32_t max_terms, max_depth;
        unsigned faults;
        struct dim_origin origin;
        void (*spend)(void *user, size_t terms);
        void *spend_user;

        struct symbol **symbol;
        uint32_t symbols, symbol_room;
        struct name_entry **name; /* NAMES_CHUNK each */
        uint32_t names, name_chunks;
        int64_t *defined; /* values that callers gave to names */
        uint32_t n_defined;
        struct atom **atom;
        uint32_t atoms, atom_room;
        struct mono **mono;
        uint32_t monos, mono_room;
        struct expr **expr;
        uint32_t exprs, expr_room;
        struct slots name_slots, atom_slots, mono_slots;
        struct slots expr_slots,
                written_slots;         /* sums by their normal forms; by their terms, where that is not the same */
        struct remembered *remembered; /* results of operations (memo.c) */
        size_t remembered_room;        /* a power of 2; 0 at first */

        /* Each increases when results stored under it become invalid. */
        uint32_t fact_generation, bind_generation, text_generation;
        uint32_t held;       /* symbols before this one are not bound (dim_hold) */
        uint32_t holds;      /* that have not ended */
        uint32_t equalities; /* symbols that are equal to something by a fact */
        unsigned relate_level, divide_level, normal_level;
        bool may_presume;
        uint32_t extremes; /* operations max and min */
        uint32_t presumed[MAX_PRESUMED], n_presumed;
        struct multiple *multiple; /* NULL until there is one */
        uint32_t n_multiple;
        uint32_t multiples_withdrawn; /* > 0: no such fact is used */
        uint32_t *stack;              /* of symbols, for walks through what they are bound to */
        uint32_t stack_n, stack_room, mark;
        struct scratch_chunk *scratch, *scratch_first;
};

#define MONO_ONE 0

/* -- table.c: storage -- */

struct scratch_mark {
        struct scratch_chunk *chunk;
        size_t used;
};

/* Temporary memory of one operation: allocated between a mark and a release, which nest. */
struct scratch_mark scratch_mark(struct dim_table *t);
void *scratch_take(struct dim_table *t, size_t count, size_t size);
void scratch_release(struct dim_table *t, struct scratch_mark mark);

/* The atom of a new symbol. */
uint32_t atom_of_symbol(struct dim_table *t, uint32_t symbol);
uint32_t mono_intern(struct dim_table *t, const uint32_t *atom, uint32_t n);

/* A copy on the arena. */
const struct poly *poly_keep(struct dim_table *t, struct poly p);

/* The sum of a normal form, or of terms that are none; false when there is none yet. Storing one: past a limit it is a
   fault. */
bool expr_find(const struct dim_table *t, struct poly key, struct dim *ret);
bool expr_find_written(const struct dim_table *t, struct poly p, struct dim *ret);
unsigned expr_store(struct dim_table *t, struct poly p, struct poly key, struct dim *ret);

/* An operation that cannot be simplified, as a monomial, and as a dimension. */
unsigned atom_mono(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, uint64_t *ret);
unsigned atom_dim(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, struct dim *ret);

/* The atom, if a dimension is a single atom with the coefficient 1; else NULL. */
struct atom *lone_atom(const struct dim_table *t, struct dim d);
/* Whether a monomial is one atom alone. */
struct atom *mono_atom(const struct dim_table *t, uint64_t mono);

static inline struct poly expr_key(const struct expr *expr)
{
        return expr->key ? *expr->key : (struct poly){expr->term, expr->n};
}

/* -- symbols.c -- */

/* That of a symbol, made where there is none. */
struct dim_symbol_facts *symbol_facts(struct dim_table *t, struct symbol *symbol);
void symbol_bind(struct dim_table *t, struct symbol *symbol, struct dim value);
void symbol_set_most(struct dim_table *t, struct symbol *symbol, struct dim most);

static inline bool symbol_is_equal(const struct dim_table *t, uint32_t symbol)
{
        return t->symbol[symbol]->info.facts && t->symbol[symbol]->info.facts->is_equal;
}

static inline struct dim symbol_lone(const struct symbol *symbol)
{
        return (struct dim){.expr = symbol->lone};
}

/* A copy on the arena of the origin that is set. */
const struct dim_origin *origin_keep(struct dim_table *t);
/* The fresh symbol for a result that a fault prevented. */
struct dim symbol_for_faults(struct dim_table *t, unsigned faults, bool never_negative);

/* -- memo.c: results of the public operations -- */

/* Those from the first quotient on depend on facts. */
enum operation {
        OP_ADD,
        OP_SUB,
        OP_MUL,
        OP_FLOORDIV,
        OP_CEILDIV,
        OP_EXACTDIV,
        OP_MOD,
        OP_MAX,
        OP_MIN,
        OP_PROVE_GE,  /* 1 if a >= b is proven, else 0 */
        OP_PROVE_MORE /* the same of a > b */
};

/* The stored result, if there is one that is still valid. */
bool memo_find(const struct dim_table *t, enum operation op, struct dim a, struct dim b, struct dim *ret);
void memo_keep(struct dim_table *t, enum operation op, struct dim a, struct dim b, struct dim result);

/* -- poly.c: sums and products -- */

/* The terms of a dimension; `room` holds the one of an integer. */
static inline struct poly poly_of(const struct dim_table *t, struct dim d, struct term *room)
{
        if (d.expr)
                return (struct poly){.term = t->expr[d.expr]->term, .n = t->expr[d.expr]->n};
        *room = (struct term){.coef = d.val, .mono = MONO_ONE};
        return (struct poly){.term = room, .n = d.val != 0};
}

/* ka * a + kb * b into `out`, which has room for the terms of both. */
unsigned poly_combine(struct poly a, int64_t ka, struct poly b, int64_t kb, struct term *out, size_t *ret_n);
unsigned poly_scale_mono(struct dim_table *t, struct poly p, int64_t coef, uint64_t mono, struct term *out);
/* The greatest common divisor of all coefficients, >= 0; without the constant unless `constant`. */
uint64_t poly_content(struct poly p, bool constant);
int64_t poly_constant(struct poly p);
/* a * b, on scratch. */
unsigned poly_mul(struct dim_table *t, struct poly a, struct poly b, struct poly *ret);
/* The dimension of any terms, which are put in order and joined. */
unsigned poly_settle(struct dim_table *t, struct term *term, size_t n, struct dim *ret);

/* A sum under construction, on scratch: terms in any order, like terms not added up yet. Starts as all 0. */
struct gather {
        struct term *term;
        size_t n, room;
};
unsigned gather_poly(struct dim_table *t, struct gather *g, struct poly p, int64_t coef);
unsigned gather_dim(struct dim_table *t, struct gather *g, struct dim d, int64_t coef);
/* Puts the terms in order and joins them. */
unsigned gather_join(struct dim_table *t, struct gather *g, struct poly *ret);

unsigned mono_mul(struct dim_table *t, uint64_t a, uint64_t b, uint64_t *ret);
/* False if b does not divide a. */
bool mono_div(struct dim_table *t, uint64_t a, uint64_t b, uint64_t *ret);
/* Order by degree, then by atoms: one that multiplication keeps. */
int mono_compare(const struct dim_table *t, uint64_t a, uint64_t b);

unsigned expr_combine(struct dim_table *t, struct dim a, int64_t ka, struct dim b, int64_t kb, struct dim *ret);
unsigned expr_mul(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);
unsigned expr_negate(struct dim_table *t, struct dim a, struct dim *ret);
unsigned expr_add_int(struct dim_table *t, struct dim a, int64_t b, struct dim *ret);

/* -- normal.c: sums that relations make equal are one -- */
/* The dimension of a sum. */
unsigned poly_intern(struct dim_table *t, struct poly p, struct dim *ret);
/* Whether a sum is 0 by its normal form. */
bool poly_is_zero(struct dim_table *t, struct poly p);

/* -- relate.c: sums that are 0, by which another sum may get shorter -- */
/* Makes a sum shorter, on scratch, by relations of its atoms. False when there were none to try. */
bool relate_shorten(struct dim_table *t, struct poly *p);
/* The same by moving terms into a max or min beside them. False if none moved (absorb.c). */
bool absorb_terms(struct dim_table *t, struct poly *p);
enum relation {
        RELATION_RING,        /* of all (y + i)//n, i = 0 ... n-1 */
        RELATION_REST,        /* of y%n and y//n */
        RELATION_BOTH,        /* of max(a, b) and min(a, b) */
        RELATION_EXCESS,      /* of max or min and max(a - b, 0) */
        RELATION_OTHER_EXCESS /* and max(b - a, 0) */
};
/* Gathers (y + i)//n, where some other (y + j)//n is an atom, 0 <= i, j < n. */
unsigned gather_member(struct dim_table *t, struct dim y, int64_t i, int64_t n, struct gather *g);
/* Gathers a relation of the single atom of `mono`; nothing if there is none. */
unsigned gather_relation(struct dim_table *t, uint64_t mono, enum relation kind, struct gather *g);
/* The i of a (y + i)//n, 0 <= i < n, where y has no constant. */
int64_t ring_place(const struct dim_table *t, const struct atom *atom);
/* The coefficient of a monomial in a sum. */
int64_t poly_coefficient(struct poly p, uint64_t mono);

/* -- divide.c, longdiv.c -- */
/* Whether the facts allow only one number as the quotient by an integer > 0. */
bool quotient_by_range(struct dim_table *t, struct dim numerator, int64_t divisor, int64_t *ret);
unsigned expr_floordiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);
unsigned expr_ceildiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);
unsigned expr_mod(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);
unsigned expr_exactdiv(struct dim_table *t, struct dim a, struct dim b, struct dim *ret);

/* Cancels the common divisor of all terms of both, an integer > 0 times a monomial. False if it is 1. */
bool cancel_common(struct dim_table *t, struct dim *a, struct dim *b, int64_t *ret_coef, uint64_t *ret_mono);
/* a = quotient * b + rest, as polynomials; b is not an integer. False if it would take too long. */
bool poly_divide(struct dim_table *t, struct dim a, struct dim b, struct dim *ret_quotient, struct dim *ret_rest);

/* -- extreme.c -- */
unsigned expr_extreme(struct dim_table *t, enum atom_kind kind, const struct dim *arg, uint32_t n, struct dim *ret);
/* The arguments of a multiple of one min, times what it is multiplied with: a, b for 2*min(a/2, b/2); 0 if `d` is none.
   `arg` has room for MAX_ARGUMENTS. */
uint32_t min_arguments(struct dim_table *t, struct dim d, struct dim *arg);
bool expr_broadcast(struct dim_table *t, const struct dim *arg, uint32_t n, unsigned *ret_faults, struct dim *ret);

/* -- range.c, prove.c -- */
struct range {
        int64_t lower, upper;
};
struct range range_of(struct dim_table *t, struct dim d);
struct range range_of_mono(struct dim_table *t, uint64_t mono);
struct range range_of_poly(struct dim_table *t, struct poly p);
/* dim_proves_ge() for dimensions that are resolved, or whose bindings do not matter. */
bool proves_ge(struct dim_table *t, struct dim a, struct dim b);

/* -- multiple.c -- */
/* Whether facts say what a monomial leaves by n. */
bool leaves_known(struct dim_table *t, uint64_t mono, int64_t n, int64_t *ret_rest);
/* Replaces terms of `a` by what they are known to leave by n: a // n is then the new `a` // n + *outside, to which
   their quotients are added; NULL: only the rest matters. */
void take_known(struct dim_table *t, struct dim *a, int64_t n, struct dim *outside);
/* With multiples of quotients that leave nothing written without the quotient: 32*(H//32) is H. */
struct dim under_multiples(struct dim_table *t, struct dim d);

/* -- presume.c -- */
/* Whether it contains a symbol with an assumption. */
bool presumed_in(struct dim_table *t, struct dim d);

/* -- resolve.c -- */
/* Pushes onto the table's stack. */
void resolve_push(struct dim_table *t, uint32_t symbol);
/* Gives a symbol a number, even if other dimensions already contain it. */
void define_symbol(struct dim_table *t, uint32_t number, int64_t value);

/* -- parse.c -- */
bool is_function_name(const char *text, size_t length);
