/* Types as the model declares them, and merging them into what was inferred. */
#include <string.h>

#include "infer/internal.h"

/* Nesting of sequences, optionals and maps in a type. */
#define TYPE_DEPTH 16

/* -- names of dimensions -- */

static void collect_shape(struct infer *f, const OnnxShape *shape)
{
        for (size_t d = 0; shape && d < shape->n_dim; d++) {
                const OnnxDim *dim = shape->dim[d];

                if (dim->value_case != SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM ||
                    !dim->dim_param[0])
                        continue;
                str_id name = str_intern_z(f->strings, dim->dim_param);

                if (map_put(f, &f->names, name, 0))
                        dim_reserve(f->dims, name);
        }
}

static void collect_type(struct infer *f, const OnnxType *type)
{
        for (int depth = 0; type && depth < TYPE_DEPTH; depth++) {
                switch (type->value_case) {
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE:
                        collect_shape(f, type->tensor_type->shape);
                        return;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
                        collect_shape(f, type->sparse_tensor_type->shape);
                        return;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
                        type = type->sequence_type->elem_type;
                        break;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
                        type = type->optional_type->elem_type;
                        break;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_MAP_TYPE:
                        type = type->map_type->value_type;
                        break;
                default:
                        return;
                }
        }
}

static void collect_infos(struct infer *f, OnnxValueInfo *const *infos, size_t count)
{
        for (size_t i = 0; i < count; i++)
                collect_type(f, infos[i]->type);
}

static void collect_graph(struct infer *f, const OnnxGraph *graph, int64_t depth)
{
        collect_infos(f, graph->input, graph->n_input);
        collect_infos(f, graph->output, graph->n_output);
        collect_infos(f, graph->value_info, graph->n_value_info);
        if (depth >= f->limits->graph_depth)
                return;
        for (size_t i = 0; i < graph->n_node; i++)
                for (size_t a = 0; a < graph->node[i]->n_attribute; a++)
                        if (graph->node[i]->attribute[a]->g)
                                collect_graph(f, graph->node[i]->attribute[a]->g, depth + 1);
}

void declare_dimension_names(struct infer *f, const OnnxGraph *graph)
{
        collect_graph(f, graph, 0);
}

/* -- reading -- */

static struct dim_origin origin_of(int axis, const struct declare_site *site)
{
        return (struct dim_origin){
                .value = site->value,
                .axis = axis,
                .op = site->node ? site->node->op_type : "",
                .node = site->node ? site->node->name : "",
                .scope = site->scope,
        };
}

static struct dim open_dim(struct infer *f, int axis, const struct declare_site *site)
{
        struct dim_origin origin = origin_of(axis, site);

        if (!site->open_dims)
                return dim_open();
        const char *name = arena_printf(f->arena, "%s_%d", site->value, axis);

        return site->is_input ? dim_fresh_input(f->dims, name, &origin) : dim_fresh(f->dims, name, &origin);
}

static bool stands_alone(void *user, str_id name)
{
        struct infer *f = user;

        return map_get(&f->names, name) >= 0;
}

struct dim declare_dim_text(struct infer *f, const char *text, int axis, const struct declare_site *site)
{
        struct dim_origin origin = origin_of(axis, site);
        size_t length = strlen(text);
        struct dim d;

        if (!length)
                return open_dim(f, axis, site);
        if (!dim_is_identifier(text, length) &&
            dim_parse(f->dims, text, length, stands_alone, f, &origin, site->is_input, &d)) {
                if (dim_is_int(d) && d.val < 0)
                        return open_dim(f, axis, site);
                return d;
        }
        return dim_named(f->dims, str_intern(f->strings, text, length), &origin, site->is_input);
}

/* ONNX's own inference writes unk__0, unk__1 ... for what it does not know, and counts anew for each model: where a
   value is not an input, such a name says nothing. */
static bool is_placeholder(const char *text)
{
        if (strncmp(text, "unk__", 5) != 0 || !text[5])
                return false;
        for (text += 5; *text; text++)
                if (*text < '0' || *text > '9')
                        return false;
        return true;
}

static struct type declare_tensor(struct infer *f, enum type_kind kind, int64_t elem, const OnnxShape *shape,
                                  const struct declare_site *site)
{
        struct type type = {.kind = kind, .rank = RANK_UNKNOWN};

        type.elem = elem_is_valid(elem) ? (enum elem)elem : ELEM_UNDEFINED;
        if (!shape || site->without_shape)
                return type;
        if ((int64_t)shape->n_dim > f->limits->rank) {
                infer_note(f, OX_WARNING, OX_RESOURCE_EXHAUSTED, "RANK_LIMIT", site->scope, site->node, -1, -1,
                           site->value, "declared with rank %zu, the limit rank is %lld", shape->n_dim,
                           (long long)f->limits->rank);
                return type;
        }
        struct dim *dims = arena_new_array(f->arena, struct dim, shape->n_dim);

        type.rank = (int)shape->n_dim;
        type.dim = dims;
        for (int d = 0; d < type.rank; d++) {
                const OnnxDim *dim = shape->dim[d];

                if (dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                    !site->in_function && (site->is_input || !is_placeholder(dim->dim_param)))
                        dims[d] = declare_dim_text(f, dim->dim_param, d, site);
                else if (dim->value_case == SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
                         dim->dim_value >= 0)
                        dims[d] = dim_int(dim->dim_value);
                else
                        dims[d] = open_dim(f, d, site);
        }
        return type;
}

struct type declare_type(struct infer *f, const OnnxType *proto, const struct declare_site *site)
{
        struct type root = type_unknown, *at = &root;

        for (int depth = 0; proto && depth < TYPE_DEPTH; depth++) {
                switch (proto->value_case) {
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_TENSOR_TYPE:
                        *at = declare_tensor(f, TYPE_TENSOR, proto->tensor_type->elem_type, proto->tensor_type->shape,
                                             site);
                        return root;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
                        *at = declare_tensor(f, TYPE_SPARSE_TENSOR, proto->sparse_tensor_type->elem_type,
                                             proto->sparse_tensor_type->shape, site);
                        return root;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
                        at->kind = TYPE_SEQUENCE;
                        proto = proto->sequence_type->elem_type;
                        break;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
                        at->kind = TYPE_OPTIONAL;
                        proto = proto->optional_type->elem_type;
                        break;
                case SHAPED__ONNX__V1__TYPE_PROTO__VALUE_MAP_TYPE:
                        at->kind = TYPE_MAP;
                        if (elem_is_valid(proto->map_type->key_type))
                                at->elem = (enum elem)proto->map_type->key_type;
                        proto = proto->map_type->value_type;
                        break;
                default:
                        return root;
                }
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = type_unknown;
                at->of = of;
                at = of;
        }
        return root;
}

/* -- merging -- */

static bool has_shape(const struct type *t)
{
        return type_is_tensor(t) && t->rank != RANK_UNKNOWN;
}

struct type declare_close(struct infer *f, const struct type *type, const struct declare_site *site)
{
        struct type closed = *type, *at = &closed;
        struct declare_site open = *site;

        open.open_dims = true;
        while (at->of) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = *at->of;
                at->of = of;
                at = of;
        }
        if (!has_shape(at))
                return closed;
        struct dim *dims = arena_new_array(f->arena, struct dim, (size_t)at->rank);

        for (int d = 0; d < at->rank; d++)
                dims[d] = dim_is(at->dim[d], -1) ? open_dim(f, d, &open) : at->dim[d];
        at->dim = dims;
        return closed;
}

static void conflict(struct infer *f, const struct declare_site *site, int64_t node_index, const char *what,
                     const char *inferred, const char *declared)
{
        const char *value = site->value;

        infer_note(f, OX_ERROR, OX_INVALID_ARGUMENT, "DECLARED_CONFLICT", site->scope, site->node, node_index, -1,
                   value, "%s: inferred %s %s, declared %s", value, what, inferred, declared);
}

/* One dimension; false when they contradict each other. */
static bool merge_dim(struct infer *f, struct dim *dim, struct dim declared, const struct declare_site *site)
{
        struct dim inferred = dim_resolve(f->dims, *dim);

        declared = dim_resolve(f->dims, declared);
        *dim = inferred;
        if (dim_is(inferred, -1)) {
                *dim = declared;
                return true;
        }
        if (dim_is(declared, -1) || dim_same(inferred, declared))
                return true;
        switch (dim_unify(f->dims, inferred, declared, NULL)) {
        case DIM_UNIFY_CONFLICT:
                return false;
        case DIM_UNIFY_FACT: {
                struct node at = {.proto = site->node, .scope = site->scope};

                f->facts.add(f->facts.user, inferred, "==", declared, &at);
                break;
        }
        case DIM_UNIFY_SAME:
        case DIM_UNIFY_BOUND:
                *dim = dim_resolve(f->dims, inferred);
                break;
        }
        return true;
}

static void merge_shape(struct infer *f, struct type *type, const struct type *declared,
                        const struct declare_site *site, int64_t node_index)
{
        if (type->rank != declared->rank) {
                conflict(f, site, node_index, "rank", arena_printf(f->arena, "%d", type->rank),
                         arena_printf(f->arena, "%d", declared->rank));
                return;
        }
        struct dim *dims = arena_new_array(f->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++) {
                dims[d] = type->dim[d];
                if (!merge_dim(f, &dims[d], declared->dim[d], site))
                        conflict(f, site, node_index, arena_printf(f->arena, "size on axis %d", d),
                                 dim_text(f->dims, dims[d]), dim_text(f->dims, declared->dim[d]));
        }
        type->dim = dims;
}

static const char *type_text(struct infer *f, const struct type *type)
{
        struct buf buf;

        buf_init(&buf, f->arena);
        return type_print(type, &buf) ? buf_text(&buf) : "unknown";
}

void declare_merge(struct infer *f, struct value *value, const struct type *declared, const struct declare_site *site,
                   int64_t node_index)
{
        struct type *type = &value->type;

        if (declared->kind == TYPE_UNKNOWN)
                return;
        if (type->kind == TYPE_UNKNOWN) {
                *type = declare_close(f, declared, site);
                return;
        }
        if (!type_kinds_agree(type, declared)) {
                conflict(f, site, node_index, "type", type_text(f, type), type_text(f, declared));
                return;
        }
        while (type->of && declared->of && type->of->kind != TYPE_UNKNOWN) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = *type->of;
                type->of = of;
                type = of;
                declared = declared->of;
        }
        if (type->of && declared->of) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = declare_close(f, declared->of, site);
                type->of = of;
                return;
        }
        if (type->elem == ELEM_UNDEFINED)
                type->elem = declared->elem;
        if (!has_shape(declared))
                return;
        if (!has_shape(type)) {
                struct type closed = declare_close(f, declared, site);

                type->rank = closed.rank;
                type->dim = closed.dim;
                return;
        }
        merge_shape(f, type, declared, site, node_index);
}

/* Whether a dimension is one name of the model's own, and no expression; its name. */
static bool is_own_name(const struct infer *f, struct dim d, const char **ret)
{
        uint32_t number;

        if (!dim_as_symbol(f->dims, d, &number))
                return false;
        const struct dim_symbol *symbol = dim_symbol_at(f->dims, number);

        *ret = str_text(f->strings, symbol->name);
        return !symbol->anonymous;
}

/* Exporters count their names of dimensions up, a new one for each tensor: Softmax_3, p2o.DynamicDimension.3. */
static bool is_counted(const char *name)
{
        size_t length = strlen(name);

        return length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
}

void declare_show_names(struct infer *f, struct type *type, const struct type *declared)
{
        if (!has_shape(type) || !has_shape(declared) || type->rank != declared->rank)
                return;
        struct dim *dims = arena_new_array(f->arena, struct dim, (size_t)type->rank);

        for (int d = 0; d < type->rank; d++) {
                const char *known, *name;

                dims[d] = dim_resolve(f->dims, type->dim[d]);
                if (is_own_name(f, dims[d], &known) && is_own_name(f, declared->dim[d], &name) && !is_counted(name))
                        dims[d] = declared->dim[d];
        }
        type->dim = dims;
}
