/* Nodes, of which there are many: read with a few bytes of code for each field, and their names a few nodes later. */
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

/* What is read of a node before it is made. Names are interned in the end: by then the places that their hashes lead to
   are in the cache. */
struct node_parts {
        struct str_expected input[FEW_INPUTS], output[FEW_OUTPUTS];
        OnnxAttribute *attribute[FEW_ATTRIBUTES];
        size_t n_input, n_output, n_attribute;
        const char *name;
        char *op, *domain, *overload;
};

/* So many nodes are read before the names of the first of them are interned: until then memory has brought the places
   of a table that no cache holds. */
#define NODES_AHEAD 8

struct nodes_ahead {
        struct node_parts parts[NODES_AHEAD]; /* in turn */
        size_t made, read;                    /* so far */
};

static bool expect_value(struct reader *r, struct span span, struct str_expected *list, size_t *count, size_t most)
{
        const size_t length = (size_t)(span.end - span.at);

        if (*count == most || length > r->limits.name_most)
                return false;
        return str_expect(r->names->strings, (const char *)span.at, length, &list[(*count)++]);
}

static bool keep_name(struct reader *r, struct span span, const char **ret)
{
        const size_t length = (size_t)(span.end - span.at);

        if (length > r->limits.name_most || !utf8_is_clean((const char *)span.at, length))
                return false;
        *ret = str_keep(r->names->strings, (const char *)span.at, length);
        return true;
}

static inline bool read_part(struct reader *r, struct span span, uint32_t number, uint32_t depth,
                             struct node_parts *parts)
{
        void *child;

        switch (number) {
        case NODE_INPUT:
                return expect_value(r, span, parts->input, &parts->n_input, FEW_INPUTS);
        case NODE_OUTPUT:
                return expect_value(r, span, parts->output, &parts->n_output, FEW_OUTPUTS);
        case NODE_NAME:
                return keep_name(r, span, &parts->name);
        case NODE_OP:
                return read_name(r, span, &parts->op);
        case NODE_ATTRIBUTE:
                if (parts->n_attribute == FEW_ATTRIBUTES || !read_child(r, SCHEMA_ATTRIBUTE, span, depth, &child))
                        return false;
                parts->attribute[parts->n_attribute++] = child;
                r->names->has_bodies |= parts->attribute[parts->n_attribute - 1]->g != NULL;
                return true;
        case NODE_DOMAIN:
                return read_name(r, span, &parts->domain);
        case NODE_OVERLOAD:
                return read_name(r, span, &parts->overload);
        default:
                return false;
        }
}

static struct model_node *make_node(struct model_names *names, const struct node_parts *parts)
{
        const char *none = str_text(names->strings, STR_EMPTY);
        const struct model_op *op = model_op_of(names, parts->domain ? parts->domain : none,
                                                parts->op ? parts->op : none, parts->overload ? parts->overload : none);
        struct model_node *node =
                model_node_new(names->arena, op, parts->name, parts->n_input, parts->n_output, parts->n_attribute);
        str_id *value = node->value;

        for (size_t i = 0; i < parts->n_input; i++)
                *value++ = str_intern_expected(names->strings, &parts->input[i]);
        for (size_t o = 0; o < parts->n_output; o++)
                *value++ = str_intern_expected(names->strings, &parts->output[o]);
        for (size_t a = 0; a < parts->n_attribute; a++)
                node_attributes(node)[a] = parts->attribute[a];
        return node;
}

/* The number of a field with a tag and a length of one byte each, as nearly all are, and what it holds; else 0. */
static inline uint32_t short_field(struct span span, struct span *ret)
{
        if (span.end - span.at < 2 || (span.at[0] & 0x87) != WIRE_LENGTH || span.at[1] >= 0x80 ||
            span.at[1] > span.end - span.at - 2)
                return 0;
        *ret = (struct span){span.at + 2, span.at + 2 + span.at[1]};
        return span.at[0] >> 3;
}

/* The same of any field: 0 for one that nobody reads; false for what is unusual. */
static bool any_field(struct reader *r, struct span span, struct span *ret, uint32_t *ret_number)
{
        struct wire_head head;

        if (!next_head(span, &head))
                return false;
        ret->end = span.at + field_size(&head);
        ret->at = span.at + head.size;
        *ret_number = head.number;
        if (head.number < SCHEMA_NUMBERS && schema_takes(&schema_of[SCHEMA_NODE].field[head.number], head.type))
                return !is_long(span.at, &head);
        *ret_number = 0;
        return drop_field(r, field_size(&head));
}

static bool read_parts(struct reader *r, struct span span, uint32_t depth, struct node_parts *parts)
{
        struct span content;

        parts->n_input = parts->n_output = parts->n_attribute = 0;
        parts->name = "";
        parts->op = parts->domain = parts->overload = NULL;
        for (; span.at < span.end; span.at = content.end) {
                uint32_t number = short_field(span, &content);

                if (!number || schema_of[SCHEMA_NODE].field[number].kind == SCHEMA_DROP)
                        if (!any_field(r, span, &content, &number))
                                return false;
                if (number && !read_part(r, content, number, depth, parts))
                        return false;
        }
        return true;
}

bool read_node_within(struct reader *r, struct span span, uint32_t depth, struct model_node **ret)
{
        struct node_parts parts;

        if (!read_parts(r, span, depth, &parts))
                return false;
        *ret = make_node(r->names, &parts);
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
        return ahead;
}

static void make_first(struct nodes_ahead *ahead, struct model_names *names, struct node_list *list)
{
        node_list_add(list, make_node(names, &ahead->parts[ahead->made++ % NODES_AHEAD]));
}

bool read_node_ahead(struct reader *r, const uint8_t *at, size_t size, struct nodes_ahead *ahead,
                     struct node_list *list)
{
        struct node_parts *parts = &ahead->parts[ahead->read % NODES_AHEAD];

        if (ahead->read - ahead->made == NODES_AHEAD)
                make_first(ahead, r->names, list);
        if (!read_parts(r, (struct span){at, at + size}, r->limits.depth, parts))
                return false;
        ahead->read++;
        return true;
}

void nodes_ahead_make(struct nodes_ahead *ahead, struct model_names *names, struct node_list *list)
{
        while (ahead->made < ahead->read)
                make_first(ahead, names, list);
}
