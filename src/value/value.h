/* Everything known about a value: its type, its shape, and the elements of small tensors. */
#pragma once

#include "base/bounds.h"
#include "dim/dim.h"
#include "value/elem.h"

/* Those from TYPE_SEQUENCE on are of another type. */
enum type_kind { TYPE_UNKNOWN, TYPE_TENSOR, TYPE_SPARSE_TENSOR, TYPE_SEQUENCE, TYPE_OPTIONAL, TYPE_MAP };

#define RANK_UNKNOWN (-1)

/* An immutable description, shared freely; everything it points to lives on the request's arena.
   TENSOR, SPARSE_TENSOR: elem (0: unknown), rank (RANK_UNKNOWN is a state of its own, never a scalar), dim[rank].
   SEQUENCE, OPTIONAL: of (never NULL; may be TYPE_UNKNOWN).  MAP: elem is the key's type, of the value's type. */
struct type {
        enum type_kind kind : 8; /* small, because every value has one */
        enum elem elem : 8;
        /* Data decides among several proven ranks (such as those of an If's branches), here or in a value from which
           this was computed: the rank is unknown, and a declared type cannot determine it. */
        bool undecided;
        int rank;
        union {
                const struct dim *dim;
                const struct type *of; /* read by type_within(), unless it is known to be there */
        };
};

extern const struct type type_unknown; /* nothing is known */

/* One element of a tensor. */
enum scalar_kind {
        SCALAR_UNKNOWN,
        SCALAR_INT,   /* of an integer or bool tensor: d */
        SCALAR_FLOAT, /* of a float tensor: f, a number, an infinity or NaN */
        SCALAR_RATIO  /* of a float tensor: the symbolic value d / den, den >= 1, which binary floats hold exactly where
                         den is a power of two; else the float next to it (scalar_is_rounded()) */
};

struct scalar {
        enum scalar_kind kind;
        struct dim d;
        int64_t den;
        double f;
};

/* Whether an element is no more than the float next to d / den. For sizes that occur it has the same integers on both
   sides, so that it is known how it rounds to one; nothing else is. */
static inline bool scalar_is_rounded(struct scalar s)
{
        return s.kind == SCALAR_RATIO && (s.den & (s.den - 1)) != 0;
}

/* The elements of a tensor, row-major; some may be SCALAR_UNKNOWN. Its shape is the value's, all of it integers whose
   product is count (at most limits.content_elements). They are read by content_at() alone: most are numbers of one
   kind, which take a fifth of the memory, or sizes, of which those of a shape are shared with its type. Once they are
   set nothing changes them. */
struct content {
        size_t count;
        enum content_form { CONTENT_EMPTY, CONTENT_INTS, CONTENT_FLOATS, CONTENT_SIZES, CONTENT_SCALARS } form;
        union {
                int64_t *ints;
                double *floats;
                const struct dim *sizes; /* each SCALAR_INT */
                struct dim *sizes_set;   /* the same, while they are set one by one */
                struct scalar *scalars;
        };
        struct arena *arena;
        struct unread *unread; /* NULL: the elements are here; else content_read() fetches them */
};

/* Elements that are not fetched yet: most tensors of a model are weights, which decide no shape. */
struct unread {
        const struct content *(*fetch)(struct unread *unread);
        struct arena *arena;
        const void *source;         /* of `fetch` */
        const struct content *read; /* after it was fetched */
};

/* The sum of the sizes of a sequence's elements on one axis, for any number of elements. */
struct along {
        int axis;
        struct dim total;
};

/* The types of a sequence's elements, in order. Sequences with the same first elements share a list; each has its own
   length. */
struct elements {
        const struct type **at;
        size_t count, room;

        /* What the first `joined_count` have in common, -1 for sizes that differ, as of `joined_at` of dim_facts(). */
        struct type joined;
        size_t joined_count;
        uint32_t joined_at;

        /* The cached map of the first `mapped_count`. */
        struct elements *mapped;
        size_t mapped_count;
        const void *mapper;
        uint32_t mapped_since;
};

/* What is known of a sequence or an optional beside its type. Immutable, shared freely. */
struct members {
        /* Sequences: while the length is a known integer, `elements` (when not NULL) has each element's type; type.of
           is the joined type of all of them. Optionals have no `elements`; their length is 0 (empty) or 1. */
        bool has_length;
        struct dim length;
        struct elements *elements;
        const struct along *along; /* of a sequence that was split from a tensor; NULL: unknown */
};

extern const struct members members_unknown; /* nothing is known */

/* A value during inference. Plain data, which may be copied; small, because a model has many. */
struct value {
        struct type type;
        const struct content *content; /* NULL: unknown; call content_read() before reading its elements */
        const struct members *members; /* NULL: nothing is known of it; read by value_members() */
};

static inline const struct members *value_members(const struct value *value)
{
        return value->members ? value->members : &members_unknown;
}

/* Whether two values hold the same, as far as it is known without comparing elements. */
bool members_same(const struct members *a, const struct members *b);

/* Sets what a value holds, of which the arena gets a copy. */
void value_hold(struct arena *arena, struct value *value, const struct members *members);

/* -- types -- */

static inline bool type_is_tensor(const struct type *type)
{
        return type->kind == TYPE_TENSOR || type->kind == TYPE_SPARSE_TENSOR;
}

/* The type within a sequence, an optional or a map; NULL: it is none of them. */
static inline const struct type *type_within(const struct type *type)
{
        return type->kind >= TYPE_SEQUENCE ? type->of : NULL;
}

/* Tensors of known rank have a shape. */
static inline bool type_has_shape(const struct type *type)
{
        return type_is_tensor(type) && type->rank != RANK_UNKNOWN;
}

/* The innermost type within sequences and optionals. */
static inline const struct type *type_innermost(const struct type *type)
{
        while ((type->kind == TYPE_SEQUENCE || type->kind == TYPE_OPTIONAL) && type->of)
                type = type->of;
        return type;
}

struct type type_tensor(enum elem elem, int rank, const struct dim *dim);
struct type type_sequence(const struct type *of);
struct type type_optional(const struct type *of);
/* A copy on the arena, for the types that hold it. */
const struct type *type_keep(struct arena *arena, struct type type);

/* Only the kind, the element type of tensors, and the key type of maps. */
struct type type_kind_alone(const struct type *type);

/* Whether two types are equal, with all shapes. */
bool type_same(const struct type *a, const struct type *b);

/* Whether kinds and element types (at every depth) are compatible: unknown is compatible with all. Shapes are
   ignored. */
bool type_kinds_agree(const struct type *a, const struct type *b);

/* The most specific type that holds for both, for values that may come from either (If, Loop). Dimensions that are not
   proven equal are replaced by `differ`: a fresh symbol named by the caller. */
struct type type_join(struct arena *arena, struct dim_table *dims, const struct type *a, const struct type *b,
                      struct dim (*differ)(void *user, int axis), void *user);

/* Appends ONNX's type string, tensor(float) or seq(tensor(int64)). False, and nothing appended, if an element type in
   it is unknown. */
bool type_print(const struct type *type, struct buf *buf);

/* Reads a type string ("tensor(float)", "seq(tensor(int64))", "optional(...)", "map(int64,tensor(float))",
   "sparse_tensor(float)"); ranks are unknown. False for anything else, and past TYPE_DEPTH levels. */
bool type_parse(struct arena *arena, const char *text, size_t length, struct type *ret);

/* The type of which `text` may be a misspelling: "tensor(float)" for "tensor(flaot)" and for "float". On the arena;
   NULL if none is near. */
const char *type_meant(struct arena *arena, const char *text);

/* The number of elements as an expression; false if the rank is unknown. A scalar has 1. */
bool type_elements(struct dim_table *dims, const struct type *type, struct dim *ret);

/* -- replacing dimensions that are not integers -- */

struct value_map {
        struct arena *arena;
        struct dim (*size)(void *user, struct dim d, int axis);
        bool (*number)(void *user, struct dim *d); /* an element or a sequence's length; false: it becomes unknown */
        void *user;
        uint32_t since; /* not 0: maps of the same `user` and `since` make the same of a size */
};

struct type type_map(const struct value_map *map, const struct type *type);

struct value value_map(const struct value_map *map, const struct value *value);

/* Replaces bound symbols (dim_resolve()) in the sizes, the fetched elements and the length. Cheap if there are none. */
void value_resolve(struct arena *arena, struct dim_table *dims, struct value *value);

/* -- elements of sequences -- */

struct elements *elements_new(struct arena *arena, size_t room);

/* A list of the first `count` of `elements` (NULL: empty) followed by `type`: the same list, extended, if that position
   is free. */
struct elements *elements_add(struct arena *arena, struct elements *elements, size_t count, const struct type *type);

/* The first `count` elements mapped; the same list if none changes. */
struct elements *elements_map(const struct value_map *map, struct elements *elements, size_t count);

/* -- contents -- */

static inline struct scalar scalar_unknown(void)
{
        return (struct scalar){.kind = SCALAR_UNKNOWN};
}

static inline struct scalar scalar_int(struct dim d)
{
        return (struct scalar){.kind = SCALAR_INT, .d = d, .den = 1};
}

static inline struct scalar scalar_float(double f)
{
        return (struct scalar){.kind = SCALAR_FLOAT, .f = f};
}

/* True for an integer that is known as a number. */
static inline bool scalar_is_number(struct scalar s, int64_t *ret)
{
        if (s.kind != SCALAR_INT || !dim_is_int(s.d))
                return false;
        *ret = s.d.val;
        return true;
}

/* A new content of `count` elements, each of which is to be set, in any order, and may be set again. */
struct content *content_new(struct arena *arena, size_t count);

/* That of one integer. */
const struct content *content_of_int(struct arena *arena, int64_t number);

/* That of one element. */
const struct content *content_single(struct arena *arena, struct scalar s);

/* That of integers, one or more, which stay where they are. */
const struct content *content_of_sizes(struct arena *arena, const struct dim *sizes, size_t count);

/* For content_set(): an element unlike those before it, or the first one. */
void content_set_other(struct content *content, size_t i, struct scalar s);

static inline void content_set(struct content *content, size_t i, struct scalar s)
{
        if (content->form == CONTENT_INTS && s.kind == SCALAR_INT && dim_is_int(s.d))
                content->ints[i] = s.d.val;
        else if (content->form == CONTENT_SIZES && s.kind == SCALAR_INT)
                content->sizes_set[i] = s.d;
        else if (content->form == CONTENT_FLOATS && s.kind == SCALAR_FLOAT)
                content->floats[i] = s.f;
        else
                content_set_other(content, i, s); /* NOLINT: each kind has its own members */
}

/* Whether an element of a content that was read may have symbols. */
static inline bool content_may_have_symbols(const struct content *content)
{
        return content->form == CONTENT_SIZES || content->form == CONTENT_SCALARS;
}

/* Element `i` < count of a content that was read. */
static inline struct scalar content_at(const struct content *content, size_t i)
{
        switch (content->form) {
        case CONTENT_INTS:
                return scalar_int(dim_int(content->ints[i]));
        case CONTENT_FLOATS:
                return scalar_float(content->floats[i]);
        case CONTENT_SIZES:
                return scalar_int(content->sizes[i]);
        case CONTENT_SCALARS:
                return content->scalars[i];
        case CONTENT_EMPTY:
                break;
        }
        return scalar_unknown();
}

/* Element `i` < count of a content that was read as an integer; false if it is none, or unknown. */
static inline bool content_int(const struct content *content, size_t i, struct dim *ret)
{
        switch (content->form) {
        case CONTENT_INTS:
                *ret = dim_int(content->ints[i]);
                return true;
        case CONTENT_SIZES:
                *ret = content->sizes[i];
                return true;
        case CONTENT_SCALARS:
                *ret = content->scalars[i].d;
                return content->scalars[i].kind == SCALAR_INT;
        case CONTENT_FLOATS:
        case CONTENT_EMPTY:
                break;
        }
        return false;
}

/* The elements at hand, fetched at the first call. NULL for NULL. */
const struct content *content_read(const struct content *content);

/* The elements, if all are known floats. */
bool content_floats(const struct content *content, const double **ret);

/* Whether no element is SCALAR_UNKNOWN. */
bool content_is_known(const struct content *content);

/* Rounds to the precision of the type: float32, float16 and bfloat16 as runtimes store them. */
double float_round(enum elem elem, double f);
