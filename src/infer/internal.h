/* Shared by the files of infer/: the state of one inference, and scopes of names. */
#pragma once

#include "infer/infer.h"
#include "ops/node/node.h"
#include "ops/node/prepare.h"

/* Maps names to numbers. The main graph defines most names, so its map is an array indexed by name; all others are
   small hash tables with open addressing. */
struct name_map {
        bool by_name;
        uint32_t *number; /* + 1; 0: free */
        uint32_t room;    /* of that array */
        struct name_slot {
                str_id name;
                uint32_t number; /* + 1; 0: free */
        } * slot;
        uint32_t mask, count;
};

struct opset {
        const char *domain;  /* "" for ai.onnx */
        const char *written; /* the same as it stands in the model */
        int64_t version;
};

/* An operator of nodes as these imports have it. */
struct op_use {
        int64_t opset;             /* the version of its domain; 0: none is imported */
        const struct op_row *row;  /* NULL: there is none for it */
        bool exists;               /* in some version, at least */
        struct function *function; /* of the model, which then takes the row's place; NULL */
        bool is_simple;            /* the row has a rule, which adds no entry */
        bool is_prepared;          /* `prepared` is set */
        bool is_plain;             /* of a node with so many tensors and one output only attributes need a check */
        uint32_t least, most;      /* inputs, at most FEW_VALUES */
        struct op_prepared prepared;
};

/* Operators of which the use is remembered, each in the place of its number. */
#define USES_SEEN 16
struct use_seen {
        const struct opsets *opsets;
        const struct model_op *op;
        const struct op_use *use;
};

/* The imports of a model or function: one version for each domain. */
struct opsets {
        const struct opset *at;
        size_t count;
        struct name_map by_domain;
        struct name_map use_of; /* from the number of a struct model_op to that of its use */
        const struct op_use **use;
        uint32_t n_use, use_room;
};

/* A function of the model, with data kept between calls. */
struct function {
        const OnnxFunction *proto;
        bool is_read; /* what follows is filled */
        struct opsets opsets;
        struct name_map declared; /* names of attributes without a default */
        struct name_map defaults; /* from an attribute's name to its place in attribute_proto */
        struct function_memo *memo;
};

/* A call in progress, in which references to attributes are looked up. */
struct frame {
        const struct frame *caller;
        const struct function *function;
        const struct model_node *call; /* its own references resolved */
        struct name_map given;         /* from an attribute's name to its place in `call` */
};

/* The names of one graph or function body. */
struct scope {
        const struct scope *parent;     /* the scope in which missing names are looked up; NULL: none */
        const char *path;               /* "" is the main graph */
        const struct result_more *more; /* of values of which no more is known than their scope */
        struct name_map entries;
        struct name_map declared; /* to value_info and outputs: number of `declaration` */
        uint64_t declared_some;   /* bit b: a name in it is b modulo 64, which most names of a model without value_info
                                     are not */
        const OnnxValueInfo **declaration;
        size_t n_declaration;
        size_t n_without_shape; /* of them, the first ones: only kinds and element types count */
        struct opsets *opsets;
        const struct frame *frame; /* NULL outside functions */
        bool repeats;              /* a body that runs for many iterations, or within one */
        int depth;                 /* of subgraphs and functions */
};

/* A name that is a dimension by itself somewhere in the model, and the size that it was found to name. */
struct dim_name {
        str_id name;
        bool is_input;     /* an input of the main graph has it */
        bool names_data;   /* anonymous symbols have taken it */
        bool names_size;   /* it is declared for a value proven to be `size` */
        bool names_others; /* and for `other`, which is not proven to be the same */
        struct dim size, other;
        struct dim_place {
                const char *scope, *value;
                int axis;
        } of_data, of_size, of_other, split_at; /* the first places that are so */
        bool is_split;                          /* it names several sizes, so declarations with it are ignored */
        const char *split_text;                 /* which, for the reader; NULL unless split */
};

struct constraint {
        struct dim_condition is;
        const char *node;
        int64_t node_index; /* -1: no node's */
        const char *op, *value;
        const char *scope;
        bool is_certain; /* it must hold whenever the model runs; else where a branch or body does */
        bool is_claim;   /* of a declaration: no shape is written under it */
        bool is_listed;  /* in the result: it does not follow from others */
};

/* This many inputs, outputs, attributes or initializers cost as much as one node. */
#define VALUES_A_NODE 16

/* Work between two looks at the clock, in nodes. */
#define CLOCK_EVERY 64

/* The time between two calls of the caller's `look`, in ns. */
#define LOOK_EVERY_NS UINT64_C(5000000)

/* The cost of walking a graph in addition to its nodes, in nodes. */
static inline size_t graph_cost(const OnnxGraph *graph)
{
        return 1 + (graph->n_input + graph->n_output + graph->n_value_info + graph_initializers(graph)->count +
                    graph->n_sparse_initializer) /
                           VALUES_A_NODE;
}

struct infer {
        struct arena *arena;
        const struct ox_limits *limits;
        const struct ox_options *options;
        struct strings *strings;
        struct dim_table *dims;
        struct diags diags;
        const OnnxModel *model; /* NULL: a single node */
        bool has_bodies;        /* some node of the model has a graph */
        struct infer_bytes bytes;
        int64_t ir_version;
        struct result_value **chunk; /* entries in order: values of the result in the making */
        size_t n_chunk, n_entry;
        struct constraint *constraint;
        size_t n_constraint, constraint_capacity, constraints_dropped;
        struct constraint_sink facts;
        struct name_map names; /* dimension names of the model that stand alone: number of `dim_name` */
        struct dim_name *dim_name;
        size_t n_dim_name, dim_name_room;
        bool mute_names; /* all names that no input has are taken for split */
        struct opsets *opsets;
        struct name_map functions; /* of the model, by "domain\1name\1overload": number of `function` */
        struct function *function;
        struct function_memo *memo; /* the last one made */
        uint64_t called, call_most; /* walked nodes of functions' bodies, and the number up to which all facts about
                                       arguments count */
        uint64_t called_bytes, called_bytes_most; /* likewise names and scopes of their values */
        bool call_limit_reported;
        int unreached;              /* enclosing graphs that never run */
        uint64_t depth_cuts;        /* subgraphs and calls nested past the limit */
        struct name_map capture_of; /* of a subgraph: what it takes from around it, in `captures` */
        struct captures *captures;
        size_t n_captures, captures_room;
        const struct twice **twice; /* nodes that made symbols, a list for each key */
        size_t n_twice, twice_room;
        struct name_map twice_by_key;
        const struct model_op **unknown; /* operators, in the order in which they were found */
        size_t n_unknown;
        struct use_seen use_seen[USES_SEEN];
        struct attr_seen attr_seen[ATTRS_SEEN];
        uint64_t nodes;                    /* walked so far */
        uint64_t nodes_free;               /* the number up to which no limit on them can be passed */
        uint64_t without_rule;             /* of them: what must hold for these to run nobody knows */
        uint64_t again;                    /* of them: in bodies that were walked once more */
        uint64_t unchecked;                /* nodes' worth of work since the clock was looked at */
        uint64_t unchecked_terms;          /* the same of terms of expressions */
        uint64_t unrolled;                 /* of them: in iterations that were walked one by one */
        uint64_t unroll_end;               /* the number of nodes at which that ends; 0: not within such an iteration */
        uint64_t deadline_ns, work_end_ns; /* the latter is 0 without options.work_ns */
        uint64_t look_ns;                  /* time of the next `look` */
};

/* -- names.c -- */

/* The number stored under a name, or -1; map_find() in a hash table. */
int64_t map_find(const struct name_map *map, str_id name);
static inline int64_t map_get(const struct name_map *map, str_id name)
{
        if (map->by_name)
                return name < map->room ? (int64_t)map->number[name] - 1 : -1;
        return map->slot ? map_find(map, name) : -1;
}
/* Stores a number unless the name has one; false then. map_add() where there may be too little room. */
bool map_add(struct infer *f, struct name_map *map, str_id name, uint32_t number);
static inline bool map_put(struct infer *f, struct name_map *map, str_id name, uint32_t number)
{
        if (!map->by_name || name >= map->room)
                return map_add(f, map, name, number);
        if (map->number[name])
                return false;
        map->number[name] = number + 1;
        return true;
}

static inline struct result_value *entry_at(const struct infer *f, size_t number)
{
        return &f->chunk[number / RESULT_CHUNK][number % RESULT_CHUNK];
}

/* The same where `before` is the entry before it, of which most stand side by side. */
static inline struct result_value *entry_after(const struct infer *f, struct result_value *before, size_t number)
{
        return number % RESULT_CHUNK ? before + 1 : f->chunk[number / RESULT_CHUNK];
}

static inline const char *entry_name(const struct infer *f, const struct result_value *entry)
{
        return str_text(f->strings, entry->name);
}

/* An entry for a value that no node computes, of unknown type. */
static inline struct result_value entry_given(enum ox_kind kind, const struct scope *scope, str_id name)
{
        return (struct result_value){.name = name, .kind = kind, .more = scope->more};
}

/* Sets the declared shape that is told beside the type; NULL: none. */
void entry_declare(struct infer *f, struct result_value *entry, const struct declared_shape *declared);

/* Where the next entry comes, made in place: it is not there until it is kept. Valid while no other is added. */
void entries_grow(struct infer *f);
static inline struct result_value *entry_room(struct infer *f)
{
        if (f->n_entry / RESULT_CHUNK == f->n_chunk)
                entries_grow(f);
        return entry_at(f, f->n_entry);
}
/* False, and it is not kept, when the scope has one of that name already. */
static inline bool entry_keep(struct infer *f, struct scope *scope, const struct result_value *entry)
{
        if (!map_put(f, &scope->entries, entry->name, (uint32_t)f->n_entry))
                return false;
        f->n_entry++;
        return true;
}
/* A new entry at the end; false when the scope has one of that name already. */
bool entry_add(struct infer *f, struct scope *scope, const struct result_value *entry);
/* What became known since the entry was looked at last takes its place in its value, for every rule at once. */
void entry_resolve_since(struct infer *f, struct result_value *entry);
static inline void entry_resolve(struct infer *f, struct result_value *entry)
{
        if (entry->bindings != dim_bindings(f->dims))
                entry_resolve_since(f, entry);
}
/* Remembers of anonymous symbols that they first stood in the shape of this value. */
void entry_place(struct infer *f, const struct type *type, const char *name);
/* The value of a name in the scope or an enclosing one; NULL: not defined. */
static inline struct result_value *scope_find(const struct infer *f, const struct scope *scope, str_id name)
{
        for (; scope; scope = scope->parent) {
                int64_t number = map_get(&scope->entries, name);

                if (number >= 0)
                        return entry_at(f, (size_t)number);
        }
        return NULL;
}

/* The description of a value's definition in messages ("an input", "an output of node 3 (r, Relu)"), and that of a
   node. */
const char *entry_party(const struct infer *f, const struct result_value *entry);
const char *node_party(struct arena *arena, int64_t index, const char *name, const char *op);

/* A diagnostic that does not come from a node's rule; members that do not apply are omitted. */
struct note {
        enum ox_severity severity;
        enum reason reason;
        const char *scope; /* NULL: the main graph */
        const struct model_node *node;
        int64_t node_index; /* of `node` */
        const char *value;
        bool has_input;
        int input;
        bool has_axis;
        int axis;
        const char *expected, *actual, *hint; /* as in struct ox_diag */
};
void infer_note(struct infer *f, const struct note *note, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* -- declare.c: declared types -- */

/* The entry of a name that is a dimension by itself, created at its first use. */
struct dim_name *dim_name_entry(struct infer *f, str_id name);

/* Collects the names that are dimensions by themselves, and reserves them against anonymous symbols. */
void declare_dimension_names(struct infer *f, const OnnxGraph *graph);

/* Whether a name stands alone in the model's declarations that the caller has ignored, and so nowhere else. */
bool declare_is_ignored(struct infer *f, str_id name);

/* The context of a declared dimension that is open or a name. */
struct declare_site {
        const char *scope;
        const char *value;
        const struct model_node *node; /* that makes the value; NULL: a graph input */
        bool is_input;                 /* of the main graph */
        bool in_function; /* its names of dimensions are its own, and another call's may be others: they say nothing */
        bool repeats;     /* in a body that runs for many iterations: its names are one iteration's */
        bool without_shape; /* use only the kind and element type */
        bool open_dims;     /* give open dimensions fresh symbols; else they come back as dim_open() */
};

/* An open declared dimension; used only within infer/. */
static inline struct dim dim_open(void)
{
        return dim_int(-1);
}

struct type declare_type(struct infer *f, const OnnxType *proto, const struct declare_site *site);
struct dim declare_dim_text(struct infer *f, const char *text, int axis, const struct declare_site *site);

/* Gives open dimensions of a declared type fresh symbols. */
struct type declare_close(struct infer *f, const struct type *type, const struct declare_site *site);

/* -- model.c -- */

/* One inference of the whole model, from a state that has begun, with options of its own. */
enum ox_code infer_whole(const struct infer *begun, const struct ox_options *options, struct ox_result **ret_result,
                         const char **ret_error);

/* -- bound.c -- */

/* Sets `bound` of the result and of its values, if the caller asks for it. */
enum ox_code bound_columns(struct infer *begun, struct ox_result *result, const char **ret_error);

/* -- given.c: sizes, shapes and contents given by the caller; a fault in them is an error of the request -- */

/* Gives symbols the sizes to which the caller binds them. */
enum ox_code given_bind(struct infer *f, const char **ret_error);
/* Checks that every bound name exists: in the model, or as a symbol of the answer. Called after the walk, when all
   symbols exist. */
enum ox_code given_check_bound(struct infer *f, const char **ret_error);

/* Maps an input's name to its place in the options. */
struct given {
        struct name_map shapes, contents;
};
/* Fills `ret`. Names that are dimensions by themselves in given shapes count as names of the model. */
enum ox_code given_inputs(struct infer *f, const OnnxGraph *graph, struct given *ret, const char **ret_error);
/* The given shape or content of an input; NULL: none. */
const struct ox_input_shape *given_shape(const struct infer *f, const struct given *given, str_id input);
const struct ox_input_content *given_content(const struct infer *f, const struct given *given, str_id input);
enum ox_code given_replace_shape(struct infer *f, struct type *type, const struct ox_input_shape *shape,
                                 const struct declare_site *site, const char **ret_error);
/* Sets the contents of an input, and with them the size that it leaves open. */
enum ox_code given_set_content(struct infer *f, struct result_value *entry, const struct ox_input_content *given,
                               const char **ret_error);
/* Gives the unknown elements of a small integer input symbols, so that shapes computed from them by several nodes
   agree. Elements of a vector are called <input>[0], <input>[1] ..., a scalar has the name of the input. */
void given_name_elements(struct infer *f, struct result_value *entry);

/* -- merge.c: declared types beside proven ones -- */

/* Merges a declared type into the inferred one. Unknown parts are filled in, and anonymous symbols get names. Proven
   parts stay: a declared name becomes their other name, a declared expression of inputs' sizes a condition, and a
   contradiction is an error DECLARED_CONFLICT. */
void merge_declared(struct infer *f, struct value *value, const struct type *declared, const struct declare_site *site,
                    int64_t node_index);

/* The declared shape to report beside the inferred type; NULL if both are the same. */
const struct declared_shape *merge_declared_shape(struct infer *f, const struct type *inferred,
                                                  const struct type *declared, const OnnxType *proto);

/* Splits every name that was found to be declared for several sizes, and forgets the sizes of names. Returns the number
   of newly split names; if it is not 0, the model is walked again. */
size_t merge_split_names(struct infer *f);
/* Warns of all names that are split. */
void merge_note_split(struct infer *f);

/* -- condition.c -- */

/* For struct constraint_sink, with a struct infer. */
void condition_add(void *f, const struct dim_condition *condition, const struct node *n, const char *value);
/* The same for what a declaration says of a size that is proven otherwise. */
void condition_claim(struct infer *f, const struct dim_condition *condition, const struct node *n, const char *value);
/* For struct constraint_sink. */
const char *condition_said_before(void *f, struct dim size, const struct node *n);
/* Makes the assumptions that the sizes of all values need, unless assumptions are off. */
void condition_presume(struct infer *f);
/* What conditions about remainders come to be by all facts, as facts about the sizes that appear. */
void condition_take_multiples(struct infer *f);
/* The constraints and assumptions of the result, once no more are added. `see` gets every size in them. */
void condition_finish(struct infer *f, struct dim (*see)(void *user, struct dim d), void *user,
                      struct ox_result *result);

/* -- opsets.c -- */

/* Reads imports. The first import of a domain counts; warns about others that differ, and about versions newer than the
   newest known one. */
void opsets_read(struct infer *f, OnnxOpsetId *const *ids, size_t count, const char *scope, struct opsets *ret);
/* Warns about a version newer than the newest known one. */
void opset_note_newer(struct infer *f, const char *scope, const struct opset *opset);
/* The version of a domain that is imported, by the model where these do not; 0: none. */
int64_t opsets_version(const struct infer *f, const struct opsets *opsets, const char *domain);
/* The meaning of an operator under these imports, looked up once for all its nodes. */
const struct op_use *opsets_find_use(struct infer *f, struct opsets *opsets, const struct model_op *op);
static inline const struct op_use *opsets_use(struct infer *f, struct opsets *opsets, const struct model_op *op)
{
        struct use_seen *seen = &f->use_seen[op->number % USES_SEEN];

        if (seen->op != op || seen->opsets != opsets)
                *seen = (struct use_seen){opsets, op, opsets_find_use(f, opsets, op)};
        return seen->use;
}

/* -- row.c -- */

/* A row for an operator that the imported version of its domain does not have but another one has, after a note or
   warning; NULL: none. */
const struct op_row *row_find_other(struct node *n);
/* Reports why there is no row for an operator, which some version of its domain has if it `exists`. */
void row_note_none(struct infer *f, struct node *n, bool exists);

/* -- sort.c -- */

/* Calls `visit` for every name that the subgraphs of a node take from around it. */
void sort_each_capture(struct infer *f, const struct model_node *node, void (*visit)(void *user, str_id name),
                       void *user);

/* A topological order of the nodes, including inputs of their subgraphs; otherwise they keep their order. Nodes in
   cycles come last, in their order; *ret_cyclic is their number. */
const uint32_t *sort_nodes(struct infer *f, const struct model_node *const *nodes, size_t count, size_t first,
                           size_t *ret_cyclic, const char **ret_cycle);

/* -- spend.c -- */

/* Bytes of the model that were kept, and not dropped as weights. */
static inline uint64_t infer_kept_bytes(const struct infer *f)
{
        return f->bytes.seen - f->bytes.skipped;
}

/* The time for limits, in ns. */
uint64_t infer_now_ns(void);
/* Called when options and limits are set. */
void spend_begin(struct infer *f);
/* Each of these ends the request when its time or work budget is used up: before a node is inferred, ... */
void spend_nodes(struct infer *f);
static inline void spend_node(struct infer *f, const struct model_node *node)
{
        f->unchecked += 1 + ((size_t)node->n_input + node->n_output + node->n_attribute) / VALUES_A_NODE;
        if (++f->nodes > f->nodes_free || f->unchecked >= CLOCK_EVERY)
                spend_nodes(f);
}
/* ... for work that costs as much as `cost` nodes, ... */
void spend_time(struct infer *f, size_t cost);
/* ... and for terms of expressions: for dim_watch(), with a struct infer. */
void spend_terms(void *f, size_t terms);

/* -- scope.c -- */

/* What values have whose scope has this path. */
const struct result_more *scope_more(struct infer *f, const char *path);
/* The path of a node's subgraph within a scope: "loop_1/body", or "Loop_7/body" for a node without a name. */
const char *scope_path(const struct scope *parent, const struct node *n, const char *part);
/* Of such a path, or "": the path of the scope around it; NULL: it is the main graph's. */
const char *scope_around(const char *path);
/* Adds types that a graph declares. */
void scope_declare(struct infer *f, struct scope *scope, OnnxValueInfo *const *infos, size_t count);
/* Adds a graph's initializers, except those that are defaults of its inputs. */
void scope_initializers(struct infer *f, struct scope *scope, const OnnxGraph *graph);

/* -- walk.c -- */

void walk_nodes(struct infer *f, struct scope *scope, const struct node_list *nodes);
void walk_node(struct infer *f, struct scope *scope, const struct model_node *node, int64_t index);

/* -- body.c -- */

/* A body of a control-flow operator: its inputs get `args` (NULL: the declared types), its outputs are returned in
   ret_outputs (type_unknown if it fails). False past the limit on nesting, which is reported. */
bool body_walk(struct infer *f, const struct scope *parent, struct node *n, const char *attribute,
               const OnnxGraph *graph, const struct value *args, size_t n_args, struct value *ret_outputs,
               size_t n_outputs);

/* State to restore before a body is walked again. */
struct body_mark {
        size_t n_entry, n_constraint;
        struct diags diags;
        struct function_memo *memo;
        uint64_t called_bytes;
};
struct body_mark body_mark(const struct infer *f);
void body_rewind(struct infer *f, const struct body_mark *mark);

/* -- control.c: If and SequenceMap, and functions shared by operators with subgraphs -- */

enum ox_code control_if(struct infer *f, const struct scope *scope, struct node *n);
enum ox_code control_sequence_map(struct infer *f, const struct scope *scope, struct node *n);

/* The graph in an attribute; NULL, after an error MISSING_ATTRIBUTE, if there is none. */
const OnnxGraph *control_graph(struct infer *f, const struct node *n, const char *name);
enum ox_code control_missing(struct node *n, const char *name);
/* Checks that a condition or trip count has one element, of any rank: error LENGTH_MISMATCH. */
enum ox_code control_single(struct node *n, int i);

/* Joins both values of output `output`. Sizes that differ become a fresh symbol, unless the size of `a` is already a
   symbol made since `free_since`. */
struct value control_join(struct node *n, int output, struct value *a, struct value *b, uint32_t free_since);

/* Replaces symbols made since `first`, which stand for other sizes in each iteration, by fresh symbols of output
   `o`. */
void control_forget(struct node *n, int o, struct value *value, uint32_t first);

/* Called around the walk of a branch that is never taken, or of a body without an iteration: its faults and conditions
   do not count. Nests; without `is_unreached` it does nothing. */
struct unreached {
        bool is_unreached;
        struct diags diags;
        size_t n_constraint;
};
struct unreached control_enter_unreached(struct infer *f, bool is_unreached);
void control_leave_unreached(struct infer *f, const struct unreached *mark, bool walked);

/* -- loop.c: Loop and Scan -- */

/* The inputs of a Loop's body that come before the carried ones. */
enum { LOOP_ITERATION, LOOP_CONDITION };

enum ox_code control_loop(struct infer *f, const struct scope *scope, struct node *n);
/* What one of them is, without its element. The text has scalars there. Where a body declares a vector, runtimes give
   it one of a single element, and so they do with the condition where the body declares no rank but the node's
   condition is such a vector. */
struct value loop_told(struct node *n, const OnnxGraph *body, size_t input);
enum ox_code control_scan(struct infer *f, const struct scope *scope, struct node *n);

/* -- unroll.c: iterations walked one by one -- */

/* Walks the iterations of a Loop one by one, if their number is known and small; false otherwise, and if one is faulty.
   `count` is the largest possible number, `cost` the nodes walked in one. Nothing is reported about them, except the
   faults of an iteration with `report`. `ret` gets a value for each output of the node: for carried ones that of the
   last iteration, for the others those of all iterations, with all contents. */
bool unroll_loop(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body, size_t n_state,
                 struct dim count, uint64_t cost, bool report, struct value *ret, int64_t *ret_count);

/* Walks the body of a SequenceMap for each element of sequences that know theirs, likewise. `ret` gets a sequence for
   each output of the node. */
bool unroll_map(struct infer *f, const struct scope *scope, struct node *n, const OnnxGraph *body, uint64_t cost,
                bool report, struct value *ret);

/* -- twice.c -- */

/* Called after a node of the main graph made symbols: if there is an equal earlier node, takes over its outputs and
   removes the constraints since `n_constraint`; otherwise remembers this node. */
void twice_share(struct infer *f, struct node *n, size_t n_constraint);

/* -- function.c -- */

void function_table(struct infer *f);
/* The model's function of this name; NULL: none. */
struct function *function_find(struct infer *f, const struct model_op *op);
enum ox_code function_call(struct infer *f, const struct scope *scope, struct node *n, struct function *function);
/* Counts a node of a function's body. */
void function_spend(struct infer *f, const struct scope *scope, const struct model_node *node);
/* Forgets all calls remembered after `until`. */
void function_forget(struct infer *f, struct function_memo *until);
/* The node with every reference to an attribute of the called function replaced; the node itself if it has none. NULL
   if the function has no such attribute, or if there is no function. */
const struct model_node *function_resolve(struct infer *f, const struct scope *scope, const struct model_node *node);

/* -- salvage.c -- */

/* Fills the prepared outputs of a node after its rule found a fault, as far as they would be the same with sizes that
   fit. */
void salvage_outputs(struct infer *f, struct node *n);

/* -- finish.c -- */

struct ox_result *finish_result(struct infer *f, const OnnxGraph *graph);
