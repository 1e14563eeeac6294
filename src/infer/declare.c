/* Declared types of the model. */
#include <string.h>

#include "base/bounds.h"
#include "infer/internal.h"

/* -- names of dimensions -- */

struct dim_name *dim_name_entry(struct infer *f, str_id name)
{
        int64_t number = map_get(&f->names, name);

        if (number >= 0)
                return &f->dim_name[number];
        if (f->n_dim_name == f->dim_name_room) {
                size_t room = f->dim_name_room ? 2 * f->dim_name_room : 16;

                f->dim_name = arena_grow(f->arena, f->dim_name, f->dim_name_room * sizeof(*f->dim_name),
                                         room * sizeof(*f->dim_name));
                f->dim_name_room = room;
        }
        map_put(f, &f->names, name, (uint32_t)f->n_dim_name);
        f->dim_name[f->n_dim_name] = (struct dim_name){.name = name};
        return &f->dim_name[f->n_dim_name++];
}

static void collect_shape(struct infer *f, const OnnxShape *shape)
{
        for (size_t d = 0; shape && d < shape->n_dim; d++) {
                const OnnxDim *dim = shape->dim[d];

                if (dim->value_case != SHAPED__ONNX__V1__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM ||
                    !dim->dim_param[0])
                        continue;
                dim_name_entry(f, str_intern_z(f->strings, dim->dim_param));
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
        if (!f->options->ignore_declared) {
                collect_infos(f, graph->output, graph->n_output);
                collect_infos(f, graph->value_info, graph->n_value_info);
        }
        if (depth >= f->limits->graph_depth || !f->has_bodies)
                return;
        for (const struct model_node *node = graph_nodes(graph)->first; node; node = node->next)
                for (size_t a = 0; a < node->n_attribute; a++)
                        if (attribute_graph(node_attribute(node, a)))
                                collect_graph(f, attribute_graph(node_attribute(node, a)), depth + 1);
}

void declare_dimension_names(struct infer *f, const OnnxGraph *graph)
{
        if (!f->n_dim_name) {
                collect_infos(f, graph->input, graph->n_input);
                for (size_t i = 0; i < f->n_dim_name; i++)
                        f->dim_name[i].is_input = true;
                collect_graph(f, graph, 0);
        }
        for (size_t i = 0; i < f->n_dim_name; i++)
                dim_reserve(f->dims, f->dim_name[i].name);
}

bool declare_is_ignored(struct infer *f, str_id name)
{
        struct ox_options all = *f->options;
        struct infer look = {.arena = f->arena,
                             .limits = f->limits,
                             .options = &all,
                             .strings = f->strings,
                             .has_bodies = f->has_bodies};

        if (!all.ignore_declared)
                return false;
        all.ignore_declared = false;
        collect_graph(&look, f->model->graph, 0);
        return map_get(&look.names, name) >= 0;
}

/* -- reading -- */

static struct dim_origin origin_of(int axis, const struct declare_site *site)
{
        return (struct dim_origin){
                .value = site->value,
                .axis = axis,
                .op = site->node ? site->node->op->type : "",
                .node = site->node ? site->node->name : "",
                .scope = site->scope,
        };
}

/* An unnamed size of an input. Where values are declared with the name that it gets, and no input is, they were
   annotated with an answer of ours, and mean it. */
static struct dim open_input(struct infer *f, const char *name, const struct dim_origin *origin)
{
        str_id id = str_intern_z(f->strings, name);
        int64_t number = map_get(&f->names, id);

        if (number >= 0 && !f->dim_name[number].is_input)
                return dim_named(f->dims, id, origin, true);
        struct dim made = dim_fresh_input(f->dims, name, origin);
        uint32_t symbol;

        /* From now on it counts as a dimension by itself, for declared expressions. */
        if (dim_as_symbol(f->dims, made, &symbol))
                dim_name_entry(f, dim_symbol_at(f->dims, symbol)->name);
        return made;
}

static struct dim open_dim(struct infer *f, int axis, const struct declare_site *site)
{
        struct dim_origin origin = origin_of(axis, site);

        if (!site->open_dims)
                return dim_open();
        const char *name = arena_printf(f->arena, "%s_%d", site->value, axis);

        return site->is_input ? open_input(f, name, &origin) : dim_fresh(f->dims, name, &origin);
}

/* A name that no input has and that is split, or counts as split, is ignored. */
static bool is_split(struct infer *f, str_id name)
{
        int64_t number = map_get(&f->names, name);
        uint32_t symbol;
        struct dim d;

        if (number < 0 || !(f->mute_names || f->dim_name[number].is_split))
                return false;
        const char *text = str_text(f->strings, name);

        return !dim_find(f->dims, text, strlen(text), &d) || !dim_as_symbol(f->dims, d, &symbol) ||
               !dim_symbol_at(f->dims, symbol)->from_input;
}

/* Reads a declared expression. */
struct declared_text {
        struct infer *f;
        bool has_name;
};

static bool stands_alone(void *user, str_id name)
{
        struct declared_text *text = user;

        text->has_name = true;
        return map_get(&text->f->names, name) >= 0 && !is_split(text->f, name);
}

struct dim declare_dim_text(struct infer *f, const char *text, int axis, const struct declare_site *site)
{
        struct dim_origin origin = origin_of(axis, site);
        struct declared_text read = {.f = f};
        size_t length = strlen(text);
        struct dim d;

        if (!length)
                return open_dim(f, axis, site);
        /* A numeral is also a name, because sizes have a field of their own (onnx.proto, Dimension.dim_value). */
        if (!dim_is_identifier(text, length) &&
            dim_parse(f->dims, text, length, stands_alone, &read, &origin, site->is_input, &d) && read.has_name)
                return dim_is_int(d) && d.val < 0 ? open_dim(f, axis, site) : d;
        str_id name = str_intern(f->strings, text, length);

        if (!site->is_input && is_split(f, name))
                return open_dim(f, axis, site);
        return dim_named(f->dims, name, &origin, site->is_input);
}

/* ONNX's own inference writes unk__0, unk__1 ... for unknown sizes, counting anew for each model, so such a name is
   ignored unless the value is an input. */
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
                infer_note(f,
                           &(struct note){.severity = OX_WARNING,
                                          .reason = REASON_RANK_LIMIT,
                                          .scope = site->scope,
                                          .node = site->node,
                                          .value = site->value},
                           "it is declared with rank %zu, more than the limit rank, %lld", shape->n_dim,
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

struct type declare_close(struct infer *f, const struct type *type, const struct declare_site *site)
{
        struct type closed = *type, *at = &closed;
        struct declare_site open = *site;

        open.open_dims = true;
        while (type_within(at)) {
                struct type *of = arena_new_array(f->arena, struct type, 1);

                *of = *at->of;
                at->of = of;
                at = of;
        }
        if (!type_has_shape(at))
                return closed;
        struct dim *dims = arena_new_array(f->arena, struct dim, (size_t)at->rank);

        for (int d = 0; d < at->rank; d++)
                dims[d] = dim_is(at->dim[d], -1) ? open_dim(f, d, &open) : at->dim[d];
        at->dim = dims;
        return closed;
}
