/* Types of a node's outputs as far as the schema determines them. */
#include "ops/node/prepare.h"

#include "ops/node/attr.h"
#include "ops/node/input.h"

/* Kind and element types of a type, at every depth, without its shapes. */
static struct type type_skeleton(struct arena *arena, const struct type *type)
{
        struct type ret = {.kind = type->kind, .elem = type->elem, .rank = RANK_UNKNOWN};
        struct type *link = &ret;

        /* A loop, because the depth of types comes from the model. */
        for (const struct type *of = type_within(type); of; of = type_within(of)) {
                struct type *copy = arena_new_array(arena, struct type, 1);
                *copy = (struct type){.kind = of->kind, .elem = of->elem, .rank = RANK_UNKNOWN};
                link->of = copy;
                link = copy;
        }
        return ret;
}

static bool is_known(const struct type *type)
{
        type = type_innermost(type);
        return type->kind != TYPE_UNKNOWN && type->elem != ELEM_UNDEFINED;
}

/* The type of an input with the type variable `set` of the row; NULL if none is known. */
static const struct type *variable_type(const struct node *n, int set)
{
        for (int i = 0; i < n->n_in; i++) {
                const struct op_param *param = op_in_param(n->row, i);
                if (!param)
                        return NULL;
                if (param->homogeneous && in_given(n, i) && param->set == set && is_known(in_type(n, i)))
                        return in_type(n, i);
        }
        return NULL;
}

/* The element type that an attribute names for a type variable; ELEM_UNDEFINED: none. */
static enum elem named_elem(const struct node *n, const struct op_constraint *set)
{
        int64_t number;

        if (set->attr < 0 || set->others || !attr_int(n, n->row->attr[set->attr].name, &number) ||
            !elem_is_valid(number))
                return ELEM_UNDEFINED;
        return (enum elem)number;
}

/* The type of a type variable, from the inputs that share it, mostly from the first; NULL: unknown. */
static const struct type *told_by_inputs(const struct node *n, const struct op_param *param)
{
        if (param->like < 0 || !param->homogeneous)
                return NULL;
        if (in_given(n, param->like) && is_known(&n->in[param->like]->type))
                return &n->in[param->like]->type;
        return variable_type(n, param->set);
}

static struct type output_type(const struct node *n, const struct op_param *param)
{
        const struct op_constraint *set = op_param_set(n->row, param);

        if (!set)
                return *param->is;
        enum elem named = named_elem(n, set);

        if (named != ELEM_UNDEFINED)
                return type_tensor(named, RANK_UNKNOWN, NULL);
        const struct type *bound = told_by_inputs(n, param);
        if (bound)
                return type_skeleton(n->arena, bound);
        if (set->only)
                return *set->only;
        return set->others ? type_unknown : type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
}

void op_prepare_outputs(struct node *n)
{
        for (int o = 0; o < n->n_out; o++) {
                const struct op_param *param = n->row ? op_out_param(n->row, o) : NULL;
                n->out[o] = (struct value){.type = param ? output_type(n, param) : type_unknown};
        }
}

bool op_prepared_of(const struct op_row *row, struct op_prepared *ret)
{
        const struct op_param *param = op_out_param(row, 0);
        const struct op_constraint *set = param ? op_param_set(row, param) : NULL;

        if (!param || (set && set->attr >= 0))
                return false;
        *ret = (struct op_prepared){.like = set && param->homogeneous ? param->like : -1};
        if (!set)
                ret->type = *param->is;
        else if (set->only)
                ret->type = *set->only;
        else
                ret->type = set->others ? type_unknown : type_tensor(ELEM_UNDEFINED, RANK_UNKNOWN, NULL);
        return true;
}

void op_prepare_output(struct node *n, const struct op_prepared *prepared)
{
        if (prepared->like < 0) {
                n->out[0] = (struct value){.type = prepared->type};
                return;
        }
        const struct type *like = in_type(n, prepared->like);

        if (like->kind == TYPE_TENSOR && like->elem != ELEM_UNDEFINED)
                n->out[0] = (struct value){.type = {.kind = TYPE_TENSOR, .elem = like->elem, .rank = RANK_UNKNOWN}};
        else
                op_prepare_outputs(n);
}
