/* Nodes, of which there are many: read with a few bytes of code for each field, and their names a few nodes later. */
#include "base/plain.h"
#include "model/read_internal.h"

enum {
        NODE_INPUT = 1,
        NODE_OUTPUT = 2,
        NODE_NAME = 3,
        NODE_OP = 4,
        NODE_ATTRIBUTE = 5,
        NODE_DOMAIN = 7,
        NODE_OVERLOAD = 8
};

/* Nodes with more than this go the slower way. */
#define FEW_INPUTS     32
#define FEW_OUTPUTS    16
#define FEW_ATTRIBUTES 32

/* Names that nodes just read have, each at a place that some of its bytes tell. An input is nearly always a name that
   stood shortly before: then its characters need not be checked, hashed and looked up again. */
#define RECENT_BITS  5
#define RECENT_LEAST 16 /* bytes of a name: shorter ones cost less to hash, and have no place */
#define NO_PLACE     UINT8_MAX
#define NO_ID        UINT32_MAX

struct recent {
        struct str_expected name[1 << RECENT_BITS]; /* without a length: none */
        str_id id[1 << RECENT_BITS];                /* once it is interned; NO_ID */
};

/* What is read of a node before it is made. Names are interned in the end: by then the places that their hashes lead to
   are in the cache. */
struct node_parts {
        struct str_expected input[FEW_INPUTS], output[FEW_OUTPUTS];
        uint8_t input_place[FEW_INPUTS], output_place[FEW_OUTPUTS]; /* among the recent names */
        struct model_attribute attribute[FEW_ATTRIBUTES];
        size_t n_input, n_output, n_attribute;
        const char *name;          /* NULL: it has none */
        const struct model_op *op; /* that its type alone names, if it was seen; else `type` tells */
        char *type, *domain, *overload;
};

/* So many nodes are read before the names of the first of them are interned: until then memory has brought the places
   of a table that no cache holds. */
#define NODES_AHEAD 8

struct nodes_ahead {
        struct node_parts parts[NODES_AHEAD]; /* in turn */
        struct recent recent;
        size_t made, read; /* so far */
};

static inline uint8_t recent_place(const char *text, size_t length)
{
        const char *end = text + length;
        const uint64_t word = text_eight(end - 16) ^ text_eight(end - 8); /* names often end alike */

        return (uint8_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS));
}

/* `is_new`: it is not among the recent ones. */
static inline __attribute__((always_inline)) bool expect_value(struct reader *r, struct span span, bool is_new,
                                                               struct recent *recent, struct str_expected *ret,
                                                               uint8_t *ret_place)
{
        const char *text = (const char *)span.at;
        const size_t length = (size_t)(span.end - span.at);

        *ret_place = NO_PLACE;
        if (length > r->limits.name_most)
                return false;
        if (!recent || length < RECENT_LEAST)
                return str_expect(r->names->strings, text, length, ret);
        const uint8_t place = *ret_place = recent_place(text, length);
        struct str_expected *name = &recent->name[place];

        if (!is_new && name->form.length == length && text_same_of(name->text, text, length)) {
                *ret = *name;
                return true;
        }
        if (!str_expect(r->names->strings, text, length, ret))
                return false;
        *name = *ret;
        recent->id[place] = NO_ID;
        return true;
}

static inline str_id intern(struct strings *strings, struct recent *recent, const struct str_expected *name,
                            uint8_t place)
{
        if (!recent || place == NO_PLACE || recent->name[place].text != name->text)
                return str_intern_expected(strings, name);
        if (recent->id[place] == NO_ID)
                recent->id[place] = str_intern_expected(strings, name);
        return recent->id[place];
}

static inline __attribute__((always_inline)) bool keep_name(struct reader *r, struct span span, const char **ret)
{
        const char *text = (const char *)span.at;
        const size_t length = (size_t)(span.end - span.at);

        if (length > r->limits.name_most || length > INT32_MAX)
                return false;
        const struct text_form form = {.length = length & INT32_MAX, .is_plain = plain_is(text, length)};

        if (!form.is_plain && !utf8_is_clean(text, length))
                return false;
        *ret = str_keep(r->names->strings, text, form);
        return true;
}

static bool read_type(struct reader *r, struct span span, struct node_parts *parts)
{
        const size_t length = (size_t)(span.end - span.at);

        parts->op = length > r->limits.name_most ? NULL : model_op_seen(r->names, (const char *)span.at, length);
        return parts->op || read_name(r, span, &parts->type);
}

static bool read_attribute(struct reader *r, struct span span, uint32_t depth, struct node_parts *parts)
{
        return depth > 0 && parts->n_attribute < FEW_ATTRIBUTES &&
               read_attribute_within(r, span, depth - 1, &parts->attribute[parts->n_attribute++]);
}

/* A field's number and wire type as one number that is small for the fields of a node: these are all of WIRE_LENGTH. */
static inline uint32_t field_key(uint32_t tag)
{
        return (tag >> 3 | tag << 29) ^ (uint32_t)WIRE_LENGTH << 29;
}

static inline __attribute__((always_inline)) bool read_input(struct reader *r, struct span span, struct recent *recent,
                                                             struct node_parts *parts)
{
        const size_t i = parts->n_input++;

        return i < FEW_INPUTS && expect_value(r, span, false, recent, &parts->input[i], &parts->input_place[i]);
}

static inline __attribute__((always_inline)) bool read_output(struct reader *r, struct span span, struct recent *recent,
                                                              struct node_parts *parts)
{
        const size_t o = parts->n_output++;

        return o < FEW_OUTPUTS && expect_value(r, span, true, recent, &parts->output[o], &parts->output_place[o]);
}

/* READ_OTHER: it is no field of a node. */
enum part { READ_FAILED, READ_DONE, READ_OTHER };

static inline __attribute__((always_inline)) enum part read_part(struct reader *r, struct span span, uint32_t key,
                                                                 uint32_t depth, struct recent *recent,
                                                                 struct node_parts *parts)
{
        switch (key) {
        case NODE_INPUT:
                return read_input(r, span, recent, parts);
        case NODE_OUTPUT:
                return read_output(r, span, recent, parts);
        case NODE_NAME:
                return keep_name(r, span, &parts->name);
        case NODE_OP:
                return read_type(r, span, parts);
        case NODE_ATTRIBUTE:
                return read_attribute(r, span, depth, parts);
        case NODE_DOMAIN:
                return read_name(r, span, &parts->domain);
        case NODE_OVERLOAD:
                return read_name(r, span, &parts->overload);
        default:
                return READ_OTHER;
        }
}

static const struct model_op *find_op(struct model_names *names, const struct node_parts *parts)
{
        const char *none = str_text(names->strings, STR_EMPTY);
        const char *domain = parts->domain ? parts->domain : none;
        const char *overload = parts->overload ? parts->overload : none;

        if (parts->op && domain == none && overload == none)
                return parts->op;
        return model_op_of(names, domain, parts->op ? parts->op->type : parts->type ? parts->type : none, overload);
}

static struct model_node *make_node(struct model_names *names, struct recent *recent, const struct node_parts *parts)
{
        const struct model_op *op = find_op(names, parts);
        const char *name = parts->name ? parts->name : str_text(names->strings, STR_EMPTY);
        struct model_node *node =
                model_node_new(names->arena, op, name, parts->n_input, parts->n_output, parts->n_attribute);
        str_id *value = node->value;

        for (size_t i = 0; i < parts->n_input; i++)
                *value++ = intern(names->strings, recent, &parts->input[i], parts->input_place[i]);
        for (size_t o = 0; o < parts->n_output; o++)
                *value++ = intern(names->strings, recent, &parts->output[o], parts->output_place[o]);
        for (size_t a = 0; a < parts->n_attribute; a++)
                node_attributes(node)[a] = parts->attribute[a];
        return node;
}

/* Reads the field at `at`, whose tag or length is longer than a byte, or which nobody reads. Returns where the next one
   begins; NULL for what is unusual. */
static __attribute__((noinline)) const uint8_t *read_any(struct reader *r, const uint8_t *at, const uint8_t *end,
                                                         uint32_t depth, struct recent *recent,
                                                         struct node_parts *parts)
{
        struct wire_head head;

        if (!next_head((struct span){at, end}, &head))
                return NULL;
        const uint8_t *next = at + field_size(&head);
        const struct span content = {at + head.size, next};
        enum part part = is_long(at, &head)
                                 ? READ_FAILED
                                 : read_part(r, content, field_key(head.number << 3 | head.type), depth, recent, parts);

        if (part == READ_OTHER)
                part = drop_field(r, field_size(&head));
        return part == READ_DONE ? next : NULL;
}

/* Nearly all fields have a tag and a length of one byte each. `recent`: or NULL. */
static bool read_parts(struct reader *r, struct span span, uint32_t depth, struct recent *recent,
                       struct node_parts *parts)
{
        const uint8_t *at = span.at, *const end = span.end;

        parts->n_input = parts->n_output = parts->n_attribute = 0;
        parts->op = NULL;
        parts->name = parts->type = parts->domain = parts->overload = NULL;
        while (at < end) {
                const uint8_t *next = at;
                enum part part = READ_OTHER;

                if (end - at >= 2 && at[1] < 0x80 && at[1] <= end - at - 2) {
                        next = at + 2 + at[1];
                        part = read_part(r, (struct span){at + 2, next}, field_key(at[0]), depth, recent, parts);
                }
                if (part == READ_FAILED)
                        return false;
                at = part == READ_DONE ? next : read_any(r, at, end, depth, recent, parts);
                if (!at)
                        return false;
        }
        return true;
}

bool read_node_within(struct reader *r, struct span span, uint32_t depth, struct model_node **ret)
{
        struct node_parts parts;

        if (!read_parts(r, span, depth, NULL, &parts))
                return false;
        *ret = make_node(r->names, NULL, &parts);
        return true;
}

bool read_node(struct reader *r, const uint8_t *at, size_t size, struct model_node **ret)
{
        return read_node_within(r, (struct span){at, at + size}, r->limits.depth, ret);
}

/* -- ahead -- */

struct nodes_ahead *nodes_ahead_new(struct arena *arena)
{
        struct nodes_ahead *ahead = arena_new_array(arena, struct nodes_ahead, 1);

        ahead->made = ahead->read = 0;
        ahead->recent = (struct recent){0};
        return ahead;
}

static void make_first(struct nodes_ahead *ahead, struct model_names *names, struct node_list *list)
{
        node_list_add(list, make_node(names, &ahead->recent, &ahead->parts[ahead->made++ % NODES_AHEAD]));
}

bool read_node_ahead(struct reader *r, const uint8_t *at, size_t size, struct nodes_ahead *ahead,
                     struct node_list *list)
{
        struct node_parts *parts = &ahead->parts[ahead->read % NODES_AHEAD];

        if (ahead->read - ahead->made == NODES_AHEAD)
                make_first(ahead, r->names, list);
        arena_expect(r->names->arena);
        if (!read_parts(r, (struct span){at, at + size}, r->limits.depth, &ahead->recent, parts))
                return false;
        ahead->read++;
        return true;
}

void nodes_ahead_make(struct nodes_ahead *ahead, struct model_names *names, struct node_list *list)
{
        while (ahead->made < ahead->read)
                make_first(ahead, names, list);
        ahead->recent = (struct recent){0}; /* its texts may move now */
}
