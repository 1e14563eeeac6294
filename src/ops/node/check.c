/* Checks a node against its operator's row: arity, attributes, types. */
#include "ops/node/check.h"

#include <assert.h>
#include <string.h>

#include "ops/node/allowed.h"
#include "ops/node/input.h"
#include "ops/node/output.h"
#include "ops/node/suggest.h"

static_assert(ELEM_COUNT <= 64, "op_constraint.tensor_elems has a bit for every element type");

/* Types that one message lists. */
#define LISTED_TYPES 8

static const char *param_name(const struct op_param *param)
{
        return param ? param->name : "?";
}

/* Trailing inputs named "" count as omitted. */
static int given_inputs(const struct node *n)
{
        int count = n->n_in;
        while (count > 0 && !in_given(n, count - 1))
                count--;
        return count;
}

static enum ox_code check_inputs(struct node *n)
{
        int count = given_inputs(n);

        if (n->row->max_in >= 0 && count > n->row->max_in) {
                struct fault fault = {
                        .reason = REASON_INPUT_COUNT, .input = n->row->max_in, .axis = -1, .hint = suggest_input(n)};

                return node_error_with(n, &fault, "the number of inputs must be %d or less, got %d", n->row->max_in,
                                       count);
        }
        for (size_t p = 0; p < n->row->n_in; p++) {
                const struct op_param *param = &n->row->in[p];
                int i = (int)p;
                if (param->option == PARAM_SINGLE && !in_given(n, i))
                        return node_error(n, REASON_MISSING_INPUT, i, "input %d (%s) is required", i, param->name);
                if (param->option == PARAM_VARIADIC && param->min_arity > 0 && count - i < param->min_arity)
                        return node_error(n, REASON_MISSING_INPUT, count, "needs at least %d inputs, got %d",
                                          i + param->min_arity, count);
        }
        return OX_OK;
}

static enum ox_code check_outputs(struct node *n)
{
        int count = n->n_out;

        if (count == 0 && n->row->min_out > 0)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be %d or more, got 0",
                                  n->row->min_out);
        if (count < n->row->min_out)
                node_warn(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be %d or more, got %d",
                          n->row->min_out, count);
        while (count > 0 && !out_wanted(n, count - 1))
                count--;
        if (n->row->max_out >= 0 && count > n->row->max_out)
                return node_error(n, REASON_OUTPUT_COUNT, -1, "the number of outputs must be %d or less, got %d",
                                  n->row->max_out, count);
        return OX_OK;
}

/* The type of an attribute's value, with preference for `wanted`: IR versions before 2 had no `type`. ATTR_UNDEFINED:
   it has none, which also stands for an empty list and for an omitted zero. */
static enum attr_type filled_type(const struct model_attribute *attr, enum attr_type wanted)
{
        if (attribute_value(attr, (enum attribute_held)wanted))
                return wanted;
        if (attr->held == HELD_SEVERAL)
                attr = attr->several;
        return attr->held < HELD_REFERENCE ? (enum attr_type)attr->held : ATTR_UNDEFINED;
}

static enum ox_code check_attr(struct node *n, const struct model_attribute *attr, const struct op_attr *wanted)
{
        int type = attr->type;

        if (type == (int)wanted->type)
                return OX_OK;
        if (type == ATTR_UNDEFINED)
                type = filled_type(attr, wanted->type);
        if (type == ATTR_UNDEFINED || type == (int)wanted->type)
                return OX_OK;
        return node_error(n, REASON_ATTRIBUTE_TYPE, -1, "attribute '%s' must be of type %s, got %s", wanted->name,
                          attr_type_name((int)wanted->type), attr_type_name(type));
}

/* Removes attributes that the row does not have: rules need not look for them. */
static void drop_unknown_attrs(struct node *n)
{
        struct model_node *known = model_node_with(n->arena, n->source, n->row->n_attr);

        known->n_attribute = 0;
        for (size_t i = 0; i < n->source->n_attribute; i++) {
                const struct model_attribute *attr = node_attribute(n->source, i);
                if (op_find_attr(n->row, attr->name))
                        node_attributes(known)[known->n_attribute++] = *attr;
        }
        n->source = known;
}

/* An attribute that the operator's version lacks (IR.md: attributes must satisfy the operator's signature). Before the
   operator's first version it is no error: a runtime that has the operator already may give it attributes of its own.
 */
static enum ox_code unknown_attr(struct node *n, const char *name)
{
        struct fault fault = {
                .reason = REASON_UNKNOWN_ATTRIBUTE, .input = -1, .axis = -1, .hint = suggest_attribute(n, name)};

        if (n->row->custom || n->opset >= n->row->since)
                return node_error_with(n, &fault, "version %lld of the operator has no attribute '%s'",
                                       (long long)n->opset, name);
        node_report(n, OX_WARNING, &fault, "version %d of the operator has no attribute '%s'", n->row->since, name);
        return OX_OK;
}

/* Names with this prefix belong to tools; ONNX's checker ignores them too. */
static bool is_internal_attr(const char *name)
{
        return strncmp(name, "__", 2) == 0;
}

static size_t first_attribute(const struct node *n, const char *name)
{
        size_t i = 0;

        while (i < n->source->n_attribute && strcmp(node_attribute(n->source, i)->name, name) != 0)
                i++;
        return i;
}

/* The row's attribute of a name, which mostly is that of a node before this one. Two have the same two places, so that
   they do not displace each other by turns. */
static const struct op_attr *find_attr(struct node *n, const char *name)
{
        const struct op_row *row = n->row;
        const uint64_t mixed = ((uintptr_t)name ^ (uintptr_t)row) * UINT64_C(0x9e3779b97f4a7c15);
        struct attr_seen *seen = &n->seen[(mixed >> 32) % (ATTRS_SEEN / 2) * 2];

        if (seen[0].name == name && seen[0].row == row)
                return seen[0].attr;
        if (seen[1].name != name || seen[1].row != row) {
                seen[1] = seen[0];
                seen[0] = (struct attr_seen){name, op_find_attr(row, name), row};
                return seen[0].attr;
        }
        return seen[1].attr;
}

enum ox_code op_check_attributes(struct node *n, bool check_types)
{
        const char *unknown = NULL; /* the first one that is a fault */
        bool has_others = false;
        uint64_t seen = 0; /* bit a: attribute a of the row */
        uint8_t known = 0; /* attributes that the row has */
        const struct model_attribute *attr = node_attributes(n->source);

        for (size_t i = 0; i < n->source->n_attribute; i++, attr++) {
                const char *name = attr->name;
                const struct op_attr *wanted = find_attr(n, name);

                if (!wanted) {
                        has_others = true;
                        unknown = !unknown && !is_internal_attr(name) ? name : unknown;
                        continue;
                }
                const size_t place = (size_t)(wanted - n->row->attr);
                uint64_t bit = UINT64_C(1) << place;
                if (seen & bit)
                        return node_error(n, REASON_DUPLICATE_NAME, -1,
                                          "attribute '%s' is given twice: as attributes %zu and %zu of the node", name,
                                          first_attribute(n, name), i);
                seen |= bit;
                n->given_at[place] = known++;
                TRY(check_attr(n, attr, wanted));
                if (wanted->allowed)
                        TRY(attr_check_allowed(n, attr, wanted, check_types));
        }
        /* A newer operator set than that of the table may have added attributes. */
        if (unknown && !n->row->open && (n->row->custom || n->opset <= op_newest_opset(n->row->domain)))
                TRY(unknown_attr(n, unknown));
        if (n->row->required & ~seen)
                return node_error(n, REASON_MISSING_ATTRIBUTE, -1, "attribute '%s' is required",
                                  n->row->attr[__builtin_ctzll(n->row->required & ~seen)].name);
        if (has_others)
                drop_unknown_attrs(n);
        n->has_given = true;
        n->given = seen;
        return OX_OK;
}

static const char *type_text(const struct node *n, const struct type *type)
{
        struct buf buf;

        buf_init(&buf, n->arena);
        if (!type_print(type, &buf))
                return NULL;
        return buf_text(&buf);
}

/* Unknown element types are in every set that has such kinds at all. */
static bool type_in_set(const struct node *n, const struct type *type, const struct op_constraint *set)
{
        if (type->kind == TYPE_TENSOR)
                return type->elem == ELEM_UNDEFINED || (set->tensor_elems >> (unsigned)type->elem & 1) != 0;
        const char *text = type_text(n, type);
        if (!text)
                return set->others;
        for (size_t t = 0; t < set->count; t++)
                if (strcmp(set->types[t], text) == 0)
                        return true;
        return false;
}

static enum ox_code type_error(struct node *n, int i, const char *const *types, size_t count)
{
        const char *got = type_text(n, in_type(n, i));
        struct buf wanted;

        buf_init(&wanted, n->arena);
        if (count > 1)
                buf_printf(&wanted, "one of ");
        for (size_t t = 0; t < count && t < LISTED_TYPES; t++)
                buf_printf(&wanted, "%s%s", t > 0 ? ", " : "", types[t]);
        if (count > LISTED_TYPES)
                buf_printf(&wanted, " or %zu more", count - LISTED_TYPES);
        return node_error(n, REASON_TYPE_MISMATCH, i, "input %d (%s) must be %s, got %s", i,
                          param_name(op_in_param(n->row, i)), buf_text(&wanted), got ? got : "another kind");
}

/* Checks input `i` against the type of its parameter, a single tensor type. */
static enum ox_code check_plain_type(struct node *n, int i, const struct op_param *param)
{
        if (!type_kinds_agree(param->is, in_type(n, i)))
                return type_error(n, i, &param->type, 1);
        return OX_OK;
}

static enum ox_code check_types_agree(struct node *n, int first, int i, const char *variable)
{
        if (type_kinds_agree(in_type(n, first), in_type(n, i)))
                return OX_OK;
        const char *a = type_text(n, in_type(n, first)), *b = type_text(n, in_type(n, i));
        return node_error(n, REASON_TYPE_MISMATCH, i,
                          "input %d (%s) must be of the type %s that input %d (%s) has, %s, got %s", i,
                          param_name(op_in_param(n->row, i)), variable, first, param_name(op_in_param(n->row, first)),
                          a ? a : "another kind", b ? b : "another kind");
}

/* Whether a parameter takes tensors of any element type, and nothing else. */
static bool takes_tensors_alone(const struct node *n, const struct op_param *param)
{
        const struct op_constraint *set = op_param_set(n->row, param);

        return set ? !set->others && set->tensor_elems != 0 : param->is->kind == TYPE_TENSOR;
}

/* A sequence, optional or map in the place of a tensor. It is checked even without `check_types`, because it has no
   shape to infer from. */
static enum ox_code check_input_kinds(struct node *n)
{
        for (int i = 0; i < n->n_in; i++) {
                const struct type *type = in_type(n, i);

                if (type->kind == TYPE_UNKNOWN || type_is_tensor(type))
                        continue;
                const struct op_param *param = op_in_param(n->row, i);
                if (param && takes_tensors_alone(n, param))
                        TRY(in_expect_tensor(n, i));
        }
        return OX_OK;
}

/* Whether kind and element type are known; shapes need not be. */
static bool type_is_complete(const struct type *type)
{
        while (type_within(type) && (type->kind != TYPE_MAP || type->elem != ELEM_UNDEFINED))
                type = type->of;
        return type->kind != TYPE_UNKNOWN && type->elem != ELEM_UNDEFINED;
}

static enum ox_code check_input_types(struct node *n)
{
        /* For each set: the first input of known type, or, if there is none, of partly known type; -1: none. */
        int *first = arena_new_array(n->arena, int, n->row->n_constraint);

        for (size_t c = 0; c < n->row->n_constraint; c++)
                first[c] = -1;
        for (int i = 0; i < n->n_in; i++) {
                const struct op_param *param = op_in_param(n->row, i);
                if (!param)
                        return OX_OK;
                if (!in_given(n, i) || in_type(n, i)->kind == TYPE_UNKNOWN)
                        continue;
                const struct op_constraint *set = op_param_set(n->row, param);
                if (!set) {
                        TRY(check_plain_type(n, i, param));
                        continue;
                }
                if (!type_in_set(n, in_type(n, i), set))
                        return type_error(n, i, set->types, set->count);
                int *leader = &first[set - n->row->constraint];
                if (param->homogeneous && *leader >= 0)
                        TRY(check_types_agree(n, *leader, i, set->name));
                if (param->homogeneous && (*leader < 0 || !type_is_complete(in_type(n, *leader))))
                        *leader = i;
        }
        return OX_OK;
}

static bool is_within(int count, int least, int most)
{
        return count >= least && (most < 0 || count <= most);
}

/* Whether a node has the right number of inputs and outputs, none omitted, and all inputs are tensors, as for nearly
   all nodes: then they need no further check. */
static bool is_plain(const struct node *n)
{
        if (!is_within(n->n_in, n->row->min_in, n->row->max_in) ||
            !is_within(n->n_out, n->row->min_out, n->row->max_out))
                return false;
        for (int i = 0; i < n->n_in; i++)
                if (!n->in[i] || (n->in[i]->type.kind != TYPE_UNKNOWN && !type_is_tensor(&n->in[i]->type)))
                        return false;
        return true;
}

enum ox_code op_check_node(struct node *n, bool check_types)
{
        bool plain = is_plain(n);

        /* If an attribute became an input, the attribute is reported, which explains more than the missing input
           does. */
        TRY(op_check_attributes(n, check_types));
        if (!plain) {
                TRY(check_inputs(n));
                TRY(check_outputs(n));
        }
        if (n->row->deprecated)
                node_warn(n, REASON_DEPRECATED, -1, "is deprecated since version %d", n->row->since);
        if (!plain)
                TRY(check_input_kinds(n));
        return check_types ? check_input_types(n) : OX_OK;
}
