/* The rule of operators that a caller declares: what the patterns say of the inputs, then the shapes of the outputs. */
#include "base/bounds.h"
#include "ops/custom/shape.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/sized.h"
#include "ops/kit/sizes.h"
#include "ops/node/attr.h"
#include "ops/node/input.h"
#include "ops/node/output.h"

/* Sizes that a pattern's *rest stands for. */
struct run {
        bool known;
        int count;
        const struct dim *dim;
};

struct evaluation {
        struct node *n;
        const struct custom_row *row;
        struct size *size; /* by name */
        struct run *run;
};

/* A shape while it is made. `open`: its rank is not known. A size that is not known has `known` false. */
struct made_shape {
        bool open;
        int rank;
        struct size *size; /* room for limits.rank of them */
};

static const struct size size_open;

/* -- numbers -- */

static struct size evaluate(struct evaluation *e, const struct custom_number *number);

static bool evaluate_integer(struct evaluation *e, const struct custom_number *number, int64_t *ret)
{
        struct size size = evaluate(e, number);

        if (!size.known || !dim_is_int(size.dim))
                return false;
        *ret = size.dim.val;
        return true;
}

static struct size axis_size(struct evaluation *e, const struct custom_number *number)
{
        int64_t axis;
        int rank = in_rank(e->n, number->at);

        if (rank == RANK_UNKNOWN || !evaluate_integer(e, number->right, &axis))
                return size_open;
        if (axis < 0)
                axis += rank;
        if (axis < 0 || axis >= rank)
                return size_open;
        return (struct size){.known = true, .dim = in_dim(e->n, number->at, (int)axis)};
}

static struct size list_size(struct evaluation *e, const struct custom_number *number)
{
        const int64_t *list;
        size_t count;
        int64_t index;

        if (!attr_ints(e->n, number->attr, &list, &count))
                return size_open;
        if (number->operation == CUSTOM_ATTR_LEN)
                return size_int((int64_t)count);
        if (!evaluate_integer(e, number->right, &index))
                return size_open;
        if (index < 0)
                index += (int64_t)count;
        return index >= 0 && (uint64_t)index < count ? size_int(list[index]) : size_open;
}

static struct size element_of(struct evaluation *e, const struct custom_number *number)
{
        const struct content *content = in_content(e->n, number->at);
        struct size ret = {0};
        int64_t index = 0;

        if (!content || (number->operation == CUSTOM_VALUE && content->count != 1) ||
            (number->operation == CUSTOM_VALUE_AT && !evaluate_integer(e, number->right, &index)))
                return size_open;
        if (index < 0)
                index += (int64_t)content->count;
        if (index < 0 || (uint64_t)index >= content->count || content_at(content, (size_t)index).kind != SCALAR_INT)
                return size_open;
        ret.known = element_size(e->n, content_at(content, (size_t)index), &ret.dim);
        return ret;
}

static struct size element_count(struct evaluation *e, const struct custom_number *number)
{
        struct size ret = {0};

        ret.known = type_elements(e->n->dims, in_type(e->n, number->at), &ret.dim);
        return ret;
}

/* How many values of the node stand for an input of the row. */
static struct size given_count(struct evaluation *e, const struct custom_number *number)
{
        const struct op_param *param = &e->row->row.in[number->at];
        int64_t count = 0;

        for (int i = number->at; i < e->n->n_in && (i == number->at || param->option == PARAM_VARIADIC); i++)
                count += in_given(e->n, i);
        return size_int(count);
}

static struct dim combine(struct dim_table *dims, enum custom_operation operation, struct dim a, struct dim b)
{
        switch (operation) {
        case CUSTOM_SUB:
                return dim_sub(dims, a, b);
        case CUSTOM_MUL:
                return dim_mul(dims, a, b);
        case CUSTOM_FLOORDIV:
                return dim_floordiv(dims, a, b);
        case CUSTOM_MOD:
                return dim_mod(dims, a, b);
        case CUSTOM_CEILDIV:
                return dim_ceildiv(dims, a, b);
        case CUSTOM_MAX:
                return dim_max(dims, a, b);
        case CUSTOM_MIN:
                return dim_min(dims, a, b);
        default:
                return dim_add(dims, a, b);
        }
}

static struct size evaluate(struct evaluation *e, const struct custom_number *number)
{
        int64_t integer;

        switch (number->operation) {
        case CUSTOM_INTEGER:
                return size_int(number->integer);
        case CUSTOM_NAMED:
                return e->size[number->at];
        case CUSTOM_AXIS:
                return axis_size(e, number);
        case CUSTOM_RANK:
                return in_has_rank(e->n, number->at) ? size_int(in_rank(e->n, number->at)) : size_open;
        case CUSTOM_SIZE:
                return element_count(e, number);
        case CUSTOM_GIVEN:
                return given_count(e, number);
        case CUSTOM_ATTR:
                return attr_int(e->n, number->attr, &integer) ? size_int(integer) : size_open;
        case CUSTOM_ATTR_AT:
        case CUSTOM_ATTR_LEN:
                return list_size(e, number);
        case CUSTOM_VALUE:
        case CUSTOM_VALUE_AT:
                return element_of(e, number);
        default:
                break;
        }
        struct size left = evaluate(e, number->left), right = evaluate(e, number->right);

        if (!left.known || !right.known)
                return size_open;
        return (struct size){.known = true, .dim = combine(e->n->dims, number->operation, left.dim, right.dim)};
}

/* -- patterns -- */

static enum ox_code match_item(struct evaluation *e, const struct custom_item *item, int input, int axis)
{
        struct dim expected = dim_int(item->number);

        if (item->kind == CUSTOM_NUMBER)
                return in_agree(e->n, &expected, input, axis);
        return item->kind == CUSTOM_NAME ? size_at(e->n, &e->size[item->at], input, axis) : OX_OK;
}

/* The axes that *rest stands for: the same sizes wherever it stands. */
static enum ox_code match_rest(struct evaluation *e, struct run *run, int input, int first, int count)
{
        if (!run->known) {
                *run = (struct run){.known = true, .count = count, .dim = in_shape(e->n, input) + first};
                return OX_OK;
        }
        if (run->count != count)
                return in_rank_fault(e->n, input,
                                     arena_printf(e->n->arena, "%d", in_rank(e->n, input) - count + run->count));
        for (int d = 0; d < count; d++) {
                struct dim expected = run->dim[d];

                TRY(in_agree(e->n, &expected, input, first + d));
        }
        return OX_OK;
}

static enum ox_code match(struct evaluation *e, const struct custom_pattern *pattern, int input)
{
        int rank, extra;

        TRY(in_expect_tensor(e->n, input));
        if (pattern->rest < 0)
                TRY(in_expect_rank(e->n, input, pattern->n_item));
        else
                TRY(in_expect_rank_least(e->n, input, pattern->n_item - 1));
        if (!in_has_rank(e->n, input))
                return OX_OK;
        rank = in_rank(e->n, input);
        extra = rank - pattern->n_item;
        for (int i = 0; i < pattern->n_item; i++) {
                if (i == pattern->rest)
                        TRY(match_rest(e, &e->run[pattern->item[i].at], input, i, extra + 1));
                else
                        TRY(match_item(e, &pattern->item[i], input,
                                       pattern->rest >= 0 && i > pattern->rest ? i + extra : i));
        }
        return OX_OK;
}

static enum ox_code match_inputs(struct evaluation *e)
{
        for (int i = 0; i < e->n->n_in; i++) {
                const struct op_param *param = op_in_param(&e->row->row, i);
                const struct custom_pattern *pattern = param ? e->row->pattern[param - e->row->row.in] : NULL;

                if (pattern && in_given(e->n, i))
                        TRY(match(e, pattern, i));
        }
        return OX_OK;
}

/* -- shapes -- */

static void put(struct evaluation *e, struct made_shape *shape, struct size size)
{
        /* Past the limit the rank is open, which out_shape() says. */
        if (shape->rank >= e->n->limits->rank)
                shape->open = true;
        else
                shape->size[shape->rank++] = size;
}

static void put_axes(struct evaluation *e, struct made_shape *shape, const struct custom_part *part)
{
        int rank = in_rank(e->n, part->at);
        int64_t from = 0, to = rank;

        if (rank == RANK_UNKNOWN || (part->from && !evaluate_integer(e, part->from, &from)) ||
            (part->to && !evaluate_integer(e, part->to, &to))) {
                shape->open = true;
                return;
        }
        from = from < 0 ? from + rank : from;
        to = to < 0 ? to + rank : to;
        for (int64_t axis = from < 0 ? 0 : from; axis < to && axis < rank; axis++)
                put(e, shape, (struct size){.known = true, .dim = in_dim(e->n, part->at, (int)axis)});
}

static void put_run(struct evaluation *e, struct made_shape *shape, const struct run *run)
{
        if (!run->known)
                shape->open = true;
        for (int d = 0; d < run->count && !shape->open; d++)
                put(e, shape, (struct size){.known = true, .dim = run->dim[d]});
}

static void put_list(struct evaluation *e, struct made_shape *shape, const char *attr)
{
        const int64_t *list;
        size_t count;

        if (!attr_ints(e->n, attr, &list, &count))
                shape->open = true;
        for (size_t i = 0; !shape->open && i < count; i++)
                put(e, shape, size_int(list[i]));
}

static void put_elements(struct evaluation *e, struct made_shape *shape, int input)
{
        const struct content *content = in_content(e->n, input);
        int64_t count;

        if (!in_length(e->n, input, true, &count)) {
                shape->open = true;
                return;
        }
        for (int64_t i = 0; !shape->open && i < count; i++) {
                struct size size = {0};

                if (content && content_at(content, (size_t)i).kind == SCALAR_INT)
                        size.known = element_size(e->n, content_at(content, (size_t)i), &size.dim);
                put(e, shape, size);
        }
}

static void put_part(struct evaluation *e, struct made_shape *shape, const struct custom_part *part)
{
        switch (part->kind) {
        case CUSTOM_ONE:
                put(e, shape, evaluate(e, part->number));
                break;
        case CUSTOM_OPEN:
                put(e, shape, size_open);
                break;
        case CUSTOM_RUN:
                put_run(e, shape, &e->run[part->at]);
                break;
        case CUSTOM_AXES:
                put_axes(e, shape, part);
                break;
        case CUSTOM_ATTRS:
                put_list(e, shape, part->attr);
                break;
        case CUSTOM_ELEMENTS:
                put_elements(e, shape, part->at);
                break;
        }
}

static struct made_shape new_shape(struct evaluation *e)
{
        return (struct made_shape){.size = arena_new_array(e->n->arena, struct size, (size_t)e->n->limits->rank)};
}

static void put_input(struct evaluation *e, struct made_shape *shape, int input)
{
        put_axes(e, shape, &(struct custom_part){.kind = CUSTOM_AXES, .at = input});
}

static enum ox_code make(struct evaluation *e, const struct custom_shape *stated, struct made_shape *shape);

/* Of two sizes of which one is not known: the other where it is a number that is not 1, which it must be then. */
static enum ox_code broadcast_sizes(struct evaluation *e, struct size a, struct size b, struct size *ret)
{
        *ret = size_open;
        if (a.known && b.known) {
                ret->known = true;
                if (!sizes_broadcast(e->n, a.dim, b.dim, 0, &ret->dim))
                        return sizes_differ(e->n, a.dim, PLACE_ANY, b.dim, PLACE_ANY, NULL);
        } else if ((a.known && dim_is_int(a.dim) && !dim_is(a.dim, 1)) ||
                   (b.known && dim_is_int(b.dim) && !dim_is(b.dim, 1))) {
                *ret = a.known ? a : b;
        }
        return OX_OK;
}

static enum ox_code join(struct evaluation *e, const struct made_shape *left, const struct made_shape *right,
                         struct made_shape *shape)
{
        *shape = new_shape(e);
        shape->open = left->open || right->open;
        shape->rank = left->rank > right->rank ? left->rank : right->rank;
        for (int d = 0; !shape->open && d < shape->rank; d++) {
                int l = d - (shape->rank - left->rank), r = d - (shape->rank - right->rank);

                if (l < 0 || r < 0)
                        shape->size[d] = l < 0 ? right->size[r] : left->size[l];
                else
                        TRY(broadcast_sizes(e, left->size[l], right->size[r], &shape->size[d]));
        }
        return OX_OK;
}

/* An input stands for all values that the node gives for it, which may be none. */
static enum ox_code make_broadcast(struct evaluation *e, const struct custom_shape *stated, struct made_shape *shape)
{
        const struct custom_shape *right = stated->right;
        struct made_shape before, other;

        TRY(make(e, stated->left, shape));
        before = *shape;
        if (right->kind != CUSTOM_LIKE) {
                TRY(make(e, right, &other));
                return join(e, &before, &other, shape);
        }
        for (int i = right->at; i < e->n->n_in; i++) {
                if (op_in_param(&e->row->row, i) != &e->row->row.in[right->at] || !in_given(e->n, i))
                        continue;
                other = new_shape(e);
                put_input(e, &other, i);
                before = *shape;
                TRY(join(e, &before, &other, shape));
        }
        return OX_OK;
}

/* What a condition comes to; false when it hangs on what is not known. */
static bool decide(struct evaluation *e, const struct custom_condition *condition, bool *ret)
{
        struct size left = evaluate(e, condition->left), right = evaluate(e, condition->right);
        int64_t least, most;

        if (!left.known || !right.known)
                return false;
        dim_range(e->n->dims, dim_sub(e->n->dims, left.dim, right.dim), &least, &most);
        switch (condition->relation) {
        case CUSTOM_EQ:
        case CUSTOM_NE:
                *ret = (condition->relation == CUSTOM_EQ) == (least == 0 && most == 0);
                return (least == 0 && most == 0) || least > 0 || most < 0;
        case CUSTOM_LT:
        case CUSTOM_GE:
                *ret = (condition->relation == CUSTOM_GE) == (least >= 0);
                return least >= 0 || most < 0;
        case CUSTOM_LE:
        case CUSTOM_GT:
                *ret = (condition->relation == CUSTOM_GT) == (least > 0);
                return least > 0 || most <= 0;
        }
        return false;
}

static enum ox_code make(struct evaluation *e, const struct custom_shape *stated, struct made_shape *shape)
{
        bool holds;

        switch (stated->kind) {
        case CUSTOM_LIKE:
                *shape = new_shape(e);
                put_input(e, shape, stated->at);
                return OX_OK;
        case CUSTOM_LIST:
                *shape = new_shape(e);
                for (int i = 0; !shape->open && i < stated->n_part; i++)
                        put_part(e, shape, &stated->part[i]);
                return OX_OK;
        case CUSTOM_BROADCAST:
                return make_broadcast(e, stated, shape);
        case CUSTOM_CHOICE:
                if (decide(e, stated->condition, &holds))
                        return make(e, holds ? stated->left : stated->right, shape);
                break;
        case CUSTOM_UNKNOWN:
                break;
        }
        *shape = (struct made_shape){.open = true};
        return OX_OK;
}

/* -- outputs -- */

/* Sizes that are made of others must not be negative: a condition where that is not proven. */
static enum ox_code out_shape(struct evaluation *e, int o, const struct made_shape *shape)
{
        struct dim *dims = arena_new_array(e->n->arena, struct dim, (size_t)shape->rank);

        if (shape->open)
                return out_elem(e->n, o, out_row_elem(e->n, o));
        for (int d = 0; d < shape->rank; d++) {
                struct size size = shape->size[d];

                dims[d] = size.known ? dim_resolve(e->n->dims, size.dim) : out_fresh(e->n, o, d);
                if (!dim_is_int(dims[d]) && !dim_proves_ge(e->n->dims, dims[d], dim_int(0)))
                        TRY(size_at_least(e->n, dims[d], dim_int(0), -1));
        }
        return out_tensor(e->n, o, out_row_elem(e->n, o), shape->rank, dims);
}

enum ox_code custom_infer(struct node *n)
{
        const struct custom_row *row = (const struct custom_row *)n->row;
        struct evaluation e = {
                .n = n,
                .row = row,
                .size = arena_zalloc(n->arena, (size_t)row->n_name * sizeof(*e.size)),
                .run = arena_zalloc(n->arena, (size_t)row->n_run * sizeof(*e.run)),
        };

        TRY(match_inputs(&e));
        for (int o = 0; o < n->n_out; o++) {
                const struct op_param *param = op_out_param(&row->row, o);
                const struct custom_shape *stated = param ? row->shape[param - row->row.out] : NULL;
                struct made_shape shape;

                if (!stated || !out_wanted(n, o))
                        continue;
                TRY(make(&e, stated, &shape));
                TRY(out_shape(&e, o, &shape));
        }
        return OX_OK;
}
