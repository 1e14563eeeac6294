/* The operator registry: one immutable row per (domain, operator, since_version), generated from the tables *.ops by
   gen_registry.py, sorted. It is constant: only the loader writes to it, once, to relocate its addresses. Any thread
   may read it at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"

struct node;
struct scalar;
struct type;

enum attr_type {
#define ATTR_TYPE(Name, number, text) ATTR_##Name = (number),
#include "ops/table/attr_types.def"
#undef ATTR_TYPE
};

/* "ints" and the like; "unknown" for any other number. */
const char *attr_type_name(int type);

/* The allowed values of an attribute; for a list, of each element. */
struct op_allowed {
        bool warns; /* another value is only a warning, because it decides no shape */
        /* Of integers: */
        int64_t least, most;  /* INT64_MIN, INT64_MAX: no bound */
        uint64_t elems;       /* with `variable`, bit e: the number of element type e, or 0 for undefined */
        const char *variable; /* the type variable or set whose element types the numbers stand for; NULL: none */
        /* Of floats: */
        double f_least, f_most; /* infinite: no bound */
        /* The allowed values, `count` of them in the array of the attribute's type. Texts have `spelled` entries: those
           past `count` are accepted too, but never advertised. */
        const int64_t *ints;
        const float *floats;
        const char *const *words;
        size_t count, spelled;
        size_t min_count, max_count; /* elements of a list */
};

struct op_attr {
        const char *name;
        enum attr_type type;
        bool required;
        const struct op_allowed *allowed; /* NULL: any value of the type */
        bool has_default;                 /* then the one of its type: */
        int64_t i;
        double f;
        const char *s;
        const int64_t *ints; /* count of them */
        const float *floats;
        const char *const *strings;
        size_t count;
};

enum param_option { PARAM_SINGLE, PARAM_OPTIONAL, PARAM_VARIADIC };

struct op_param {
        const char *name;
        const char *type;      /* the type constraint's name ("T"), or a type string ("tensor(int64)") */
        int set;               /* the type constraint's place in the row; -1: it is a type string, ... */
        const struct type *is; /* ... which stands for this type; else NULL */
        int like; /* the first input parameter that has the same type constraint, all of one type; -1: none */
        enum param_option option;
        bool homogeneous; /* variadic: all are of one type */
        int min_arity;
};

/* A named set of types: the strings, "tensor(float)" and the like. */
struct op_constraint {
        const char *name;
        const char *const *types;
        size_t count;
        uint64_t tensor_elems;   /* bit e: tensor(e) is among them */
        bool others;             /* sequences, optionals, maps or sparse tensors are among them */
        const struct type *only; /* the only one; NULL where there are more */
        int attr;                /* place in the row of the attribute that names the element type; -1: none does */
};

/* The inferring code: a rule of src/ops, or the walk for operators with subgraphs. */
enum op_control { CONTROL_NONE, CONTROL_IF, CONTROL_LOOP, CONTROL_SCAN, CONTROL_SEQUENCE_MAP };

#define OP_ATTRIBUTES_MOST 64 /* of a row: a bit for each */

struct op_row {
        const char *domain; /* "" is ai.onnx */
        const char *name;
        const char *description; /* a sentence; of all versions */
        int since;
        bool deprecated;
        bool open;                            /* nodes may have attributes that the row does not name */
        int min_in, max_in, min_out, max_out; /* max -1: any number */
        const struct op_param *in, *out;
        size_t n_in, n_out; /* declared parameters; a variadic one is last */
        const struct op_attr *attr;
        size_t n_attr;     /* at most OP_ATTRIBUTES_MOST */
        uint64_t required; /* bit a: attribute a */
        const struct op_constraint *constraint;
        size_t n_constraint;
        enum op_control control;
        /* Sets types and shapes of the outputs. NULL: no rule yet; outputs keep the types that the constraints
           determine. */
        enum ox_code (*rule)(struct node *n);
        /* Sets contents of the outputs after `rule` succeeded; NULL: none. */
        void (*contents)(struct node *n);
        /* Or: one element of output 0 from those of the inputs, which are broadcast; NULL: none. */
        struct scalar (*element)(struct node *n, const struct scalar *args, int count);
        bool custom; /* a caller declared it: it is no row of the registry, and its rule knows what more there is */
};

/* Every row, sorted by domain, name, since. */
extern const struct op_row op_rows[];
extern const size_t op_row_count;

/* Sets of element types that have a name: types.set. */
struct op_set {
        const char *name;
        uint64_t elems; /* bit e: element type e */
};
extern const struct op_set op_sets[];
extern const size_t op_set_count;

/* The row in force for an operator in a version of its operator set: the newest whose since is not above `opset`.
   "ai.onnx" is the same as "". NULL: no such operator, or none at that version (then *ret_exists, which may be NULL,
   tells whether any version has it). */
const struct op_row *op_find(const char *domain, const char *name, int64_t opset, bool *ret_exists);

/* The rows of one operator, oldest first; their number is stored, 0 for none. */
const struct op_row *op_versions(const char *domain, const char *name, size_t *ret_count);

/* "" for "ai.onnx", else the domain as it is. */
const char *op_canonical_domain(const char *domain);

/* The domain under which the tables list the operators of this one, since files use several names for some domains. */
const char *op_table_domain(const char *domain);

/* The name of a domain in messages: "ai.onnx" for "". */
static inline const char *op_domain_text(const char *domain)
{
        return domain[0] != '\0' ? domain : "ai.onnx";
}

/* The newest version of a domain's operator set that the registry knows; 0 for an unknown domain. */
int op_newest_opset(const char *domain);

/* Whether a domain has operators that the registry does not know: an unknown domain, or one known only in part. */
bool op_domain_open(const char *domain);

/* The declared parameter of input (output) `index`; the variadic one for all positions past it. NULL: none. */
const struct op_param *op_in_param(const struct op_row *row, int index);
const struct op_param *op_out_param(const struct op_row *row, int index);

/* The types that a parameter of the row takes; NULL: the single type that it names. */
static inline const struct op_constraint *op_param_set(const struct op_row *row, const struct op_param *param)
{
        return param->set >= 0 ? &row->constraint[param->set] : NULL;
}

const struct op_attr *op_find_attr(const struct op_row *row, const char *name);
