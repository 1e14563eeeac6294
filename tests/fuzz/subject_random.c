/* A node of any operator and version: inputs and attributes mostly of the kinds that its row wants. */
#include <math.h>
#include <string.h>

#include "subject.h"

#define SHARED_SIZES 4
#define CONTENT_MOST 16

struct maker {
        struct subject *s;
        struct draw *d;
        const struct op_row *row;
        int64_t shared[SHARED_SIZES]; /* sizes that several inputs have */
        int rank;                     /* that most inputs have */
        struct type chosen[16];       /* by number of the row's constraint */
        bool is_chosen[16];
};

/* What most of the rules stand for comes up more often than the rest. */
static const char *const often[] = {
        "Abs",        "Neg",      "Add",
        "Sub",        "Mul",      "Pow",
        "PRelu",      "Div",      "Mod",
        "Mish",       "Acos",     "Exp",
        "Erf",        "Sign",     "Gemm",
        "MatMul",     "Det",      "MatMulInteger",
        "Log",        "Sigmoid",  "Swish",
        "Softmax",    "Hardmax",  "LogSoftmax",
        "Softplus",   "Softsign", "HardSigmoid",
        "HardSwish",  "Sin",      "SoftmaxCrossEntropyLoss",
        "Reciprocal", "Sinh",     "NegativeLogLikelihoodLoss",
        "Sqrt",       "Tan",      "Tanh",
        "Relu",       "Elu",      "ThresholdedRelu",
        "LeakyRelu",  "Celu",     "Gelu",
        "Selu",       "Shrink",   "Floor",
        "Ceil",       "Clip",     "Round",
        "Einsum",     "Sum",      "Max",
        "Min",        "Mean",     "CumSum",
        "CumProd",    "TopK",     "DFT",
        "STFT",       "Optional", "OptionalGetElement",
        "Einsum",     "Gemm",     "OptionalHasElement",
};

/* -- the operator -- */

static const struct op_row *choose_row(struct draw *d)
{
        const struct op_row *versions = NULL;
        size_t count = 0;

        if (draw_below(d, 2) == 0)
                versions = op_versions("", DRAW_FROM(d, often), &count);
        if (count == 0) {
                const struct op_row *any = &op_rows[draw_below(d, op_row_count)];

                versions = op_versions(any->domain, any->name, &count);
        }
        return &versions[draw_once_in(d, 3) ? draw_below(d, count) : count - 1];
}

/* -- values -- */

static int64_t choose_size(struct maker *b)
{
        static const int64_t sizes[] = {0,  1,   1,         2,         2,  3,  4,  5,   7,   8,  12, 16,
                                        64, 224, INT32_MAX, INT64_MAX, 48, 32, 24, 512, 100, 10, 6,  INT64_MAX / 2};

        return draw_below(b->d, 10) < 7 ? b->shared[draw_below(b->d, SHARED_SIZES)] : DRAW_FROM(b->d, sizes);
}

static int choose_rank(struct maker *b)
{
        size_t choice = draw_below(b->d, 32);

        if (choice < 14)
                return b->rank;
        if (choice == 31)
                return (int)draw_below(b->d, 71);
        return (int)(choice % 6);
}

static void choose_shape(struct maker *b, struct type *type)
{
        int rank = choose_rank(b);
        struct dim *dims = arena_new_array(b->s->arena, struct dim, (size_t)rank);

        for (int d = 0; d < rank; d++)
                dims[d] = dim_int(choose_size(b));
        type->rank = rank;
        type->dim = dims;
}

/* Shapes at every level. */
static void fill_type(struct maker *b, struct type *type)
{
        if (type_within(type) != NULL) {
                struct type *of = arena_new_zero(b->s->arena, struct type);

                *of = *type->of;
                fill_type(b, of);
                type->of = of;
        } else if (type_is_tensor(type)) {
                choose_shape(b, type);
        }
}

static struct type parse_type(struct maker *b, const char *text)
{
        struct type type = type_unknown;

        if (!type_parse(b->s->arena, text, strlen(text), &type))
                type = type_tensor(ELEM_FLOAT, RANK_UNKNOWN, NULL);
        return type;
}

/* A type of the parameter's, and mostly the one that the node's other inputs of the same constraint have. */
static struct type choose_type(struct maker *b, const struct op_param *param)
{
        static const char *const any[] = {
                "tensor(float)",           "tensor(int64)",
                "tensor(string)",          "tensor(bool)",
                "tensor(uint8)",           "seq(tensor(float))",
                "optional(tensor(float))", "map(int64,tensor(float))",
                "sparse_tensor(float)",    "optional(seq(tensor(int64)))",
                "tensor(complex64)",       "tensor(float16)",
        };
        const struct op_constraint *constraint = param != NULL ? op_param_set(b->row, param) : NULL;

        if (draw_once_in(b->d, 24))
                return parse_type(b, DRAW_FROM(b->d, any));
        if (constraint == NULL)
                return parse_type(b, param != NULL ? param->type : "tensor(float)");
        size_t number = (size_t)(constraint - b->row->constraint);

        if (number < 16 && b->is_chosen[number] && !draw_once_in(b->d, 16))
                return b->chosen[number];
        struct type type = parse_type(b, constraint->types[draw_below(b->d, constraint->count)]);

        if (number < 16) {
                b->chosen[number] = type;
                b->is_chosen[number] = true;
        }
        return type;
}

static struct scalar choose_scalar(struct maker *b, enum elem elem)
{
        static const double floats[] = {0, 0.5, 1, 1.5, 2, 3, -1, -0.5, 4, 1e30, 0.25, 100};
        static const int64_t ints[] = {0, 1, 2, 3, 4, -1, -2, 5, 7, 8, INT32_MAX, INT64_MAX, INT64_MIN, 1, 2, -3};
        int64_t lower, upper, number;

        if (elem_is_float(elem)) {
                size_t choice = draw_below(b->d, 32);
                double f = choice == 0   ? NAN
                           : choice == 1 ? INFINITY
                           : choice < 8  ? (double)b->shared[choice % SHARED_SIZES]
                                         : DRAW_FROM(b->d, floats);

                return scalar_float(float_round(elem, f));
        }
        number = draw_below(b->d, 3) == 0 ? b->shared[draw_below(b->d, SHARED_SIZES)] : DRAW_FROM(b->d, ints);
        if (elem_int_range(elem, &lower, &upper) && (number < lower || number > upper))
                number = number < lower ? 0 : number & 1;
        return scalar_int(dim_int(number));
}

static void choose_content(struct maker *b, struct value *value)
{
        enum elem elem = value->type.elem;
        int64_t count = 1;

        if (value->type.kind != TYPE_TENSOR || (!elem_is_float(elem) && !elem_is_integer(elem) && elem != ELEM_BOOL))
                return;
        for (int d = 0; d < value->type.rank; d++)
                if (__builtin_mul_overflow(count, value->type.dim[d].val, &count) || count > CONTENT_MOST)
                        return;
        struct content *content = content_new(b->s->arena, (size_t)count);

        for (int64_t i = 0; i < count; i++)
                content_set(content, (size_t)i, choose_scalar(b, elem));
        value->content = content;
}

static void choose_elements(struct maker *b, struct value *value)
{
        size_t count = draw_below(b->d, 4);
        struct elements *elements = elements_new(b->s->arena, count);
        const bool is_optional = value->type.kind == TYPE_OPTIONAL;
        struct members members = {.has_length = true, .length = dim_int((int64_t)(is_optional ? count & 1 : count))};

        if (draw_below(b->d, 2) == 0)
                return;
        value_hold(b->s->arena, value, &members);
        if (is_optional)
                return;
        /* All of one type, so that it is what they have in common. */
        for (size_t i = 0; i < count; i++)
                elements_add(b->s->arena, elements, i, value->type.of);
        if (draw_below(b->d, 2) != 0)
                return;
        members.elements = elements;
        value_hold(b->s->arena, value, &members);
}

static void choose_value(struct maker *b, const struct op_param *param, struct value *value)
{
        *value = (struct value){.type = choose_type(b, param)};
        fill_type(b, &value->type);
        /* Lists of axes, shapes and the like are vectors. */
        if (value->type.kind == TYPE_TENSOR && value->type.elem == ELEM_INT64 && draw_below(b->d, 4) > 0) {
                struct dim *dims = arena_new_array(b->s->arena, struct dim, 1);

                dims[0] = dim_int((int64_t)draw_below(b->d, 8));
                value->type.rank = draw_once_in(b->d, 4) ? 0 : 1;
                value->type.dim = dims;
        }
        if (value->type.kind == TYPE_SEQUENCE || value->type.kind == TYPE_OPTIONAL)
                choose_elements(b, value);
        else if (draw_below(b->d, 4) > 0)
                choose_content(b, value);
}

/* -- attributes -- */

static int64_t choose_int(struct maker *b)
{
        static const int64_t ints[] = {0, 1, -1, 2, 3, -2, 4, 5, 6, 7, 10, 11, 16, INT32_MAX, INT64_MAX, INT64_MIN};

        return DRAW_FROM(b->d, ints);
}

static ProtobufCBinaryData choose_text(struct maker *b)
{
        static const char *const texts[] = {
                "",
                "SAME_UPPER",
                "SAME_LOWER",
                "VALID",
                "NOTSET",
                "constant",
                "reflect",
                "edge",
                "wrap",
                "linear",
                "nearest",
                "cubic",
                "floor",
                "ceil",
                "round_prefer_floor",
                "asymmetric",
                "tf_crop_and_resize",
                "none",
                "sum",
                "mean",
                "add",
                "forward",
                "reverse",
                "bidirectional",
                "DCR",
                "CRD",
                "ij,jk->ik",
                "bij,bjk->bik",
                "...i,...i->...",
                "i->",
                "ii->i",
                "ij",
                "a...b->b...a",
                "i,j->ij",
                "stretch",
                "not_larger",
                "not_smaller",
                "tanh",
                "TFIDF",
                "MAX",
                "SPARSE",
                "\xff\xfe",
                "L2",
                "output_half_pixel",
                "avg",
                ",->",
                "ij,ij,ij->ij",
        };
        const char *text = DRAW_FROM(b->d, texts);

        return (ProtobufCBinaryData){.len = strlen(text), .data = (uint8_t *)(uintptr_t)text};
}

static OnnxTensor *choose_tensor(struct maker *b)
{
        OnnxTensor *t = arena_new_zero(b->s->arena, OnnxTensor);

        shaped__onnx__v1__tensor_proto__init(t);
        t->has_data_type = 1;
        t->data_type = draw_below(b->d, 2) ? (int32_t)draw_below(b->d, ELEM_COUNT + 2) : ELEM_INT64;
        t->n_dims = draw_below(b->d, 4);
        t->dims = arena_new_array(b->s->arena, int64_t, t->n_dims);
        for (size_t i = 0; i < t->n_dims; i++)
                t->dims[i] = draw_once_in(b->d, 8) ? choose_int(b) : (int64_t)draw_below(b->d, 3);
        if (t->data_type == ELEM_INT64) {
                t->n_int64_data = draw_below(b->d, 9);
                t->int64_data = arena_new_array(b->s->arena, int64_t, t->n_int64_data);
                for (size_t i = 0; i < t->n_int64_data; i++)
                        t->int64_data[i] = choose_int(b);
        } else {
                t->n_float_data = draw_below(b->d, 5);
                t->float_data = arena_new_array(b->s->arena, float, t->n_float_data);
                for (size_t i = 0; i < t->n_float_data; i++)
                        t->float_data[i] = (float)choose_int(b) / 4;
        }
        return t;
}

static OnnxValueInfo *named(struct maker *b, char *name)
{
        OnnxValueInfo *info = arena_new_zero(b->s->arena, OnnxValueInfo);

        shaped__onnx__v1__value_info_proto__init(info);
        info->name = name;
        return info;
}

/* A body that hands on its inputs, the first ones twice when there are more outputs. */
static OnnxGraph *choose_graph(struct maker *b)
{
        struct arena *arena = b->s->arena;
        OnnxGraph *g = arena_new_zero(arena, OnnxGraph);

        shaped__onnx__v1__graph_proto__init(g);
        g->name = arena_printf(arena, "body");
        g->n_input = draw_below(b->d, 5);
        g->input = arena_new_array(arena, OnnxValueInfo *, g->n_input);
        for (size_t i = 0; i < g->n_input; i++)
                g->input[i] = named(b, arena_printf(arena, "b%zu", i));
        g->n_node = g->n_output = draw_below(b->d, 5);
        g->output = arena_new_array(arena, OnnxValueInfo *, g->n_output);
        g->node = arena_new_array(arena, OnnxNode *, g->n_node);
        for (size_t o = 0; o < g->n_output; o++) {
                OnnxNode *node = g->node[o] = arena_new_zero(arena, OnnxNode);
                static const char *const operators[] = {"Identity", "Relu", "Shape", "NonZero", "Neg"};

                shaped__onnx__v1__node_proto__init(node);
                node->op_type = arena_printf(arena, "%s", DRAW_FROM(b->d, operators));
                node->n_input = node->n_output = 1;
                node->input = arena_new_array(arena, char *, 1);
                node->output = arena_new_array(arena, char *, 1);
                /* Past the body's own inputs, a name from around it. */
                node->input[0] = arena_printf(arena, draw_once_in(b->d, 6) ? "x%zu" : "b%zu",
                                              g->n_input > 0 ? o % g->n_input : o);
                node->output[0] = arena_printf(arena, "c%zu", o);
                g->output[o] = named(b, node->output[0]);
        }
        return g;
}

static void choose_lists(struct maker *b, OnnxAttribute *a)
{
        size_t count = draw_once_in(b->d, 32) ? 70 : draw_below(b->d, 7);

        if (a->type == ATTR_INTS) {
                a->n_ints = count;
                a->ints = arena_new_array(b->s->arena, int64_t, count);
                for (size_t i = 0; i < count; i++)
                        a->ints[i] = choose_int(b);
        } else if (a->type == ATTR_FLOATS) {
                a->n_floats = count;
                a->floats = arena_new_array(b->s->arena, float, count);
                for (size_t i = 0; i < count; i++)
                        a->floats[i] = (float)choose_int(b) / 2;
        } else if (a->type == ATTR_STRINGS) {
                a->n_strings = count;
                a->strings = arena_new_array(b->s->arena, ProtobufCBinaryData, count);
                for (size_t i = 0; i < count; i++)
                        a->strings[i] = choose_text(b);
        }
}

static void choose_attribute_value(struct maker *b, OnnxAttribute *a)
{
        switch ((enum attr_type)a->type) {
        case ATTR_INT:
                a->has_i = 1;
                a->i = choose_int(b);
                break;
        case ATTR_FLOAT:
                a->has_f = 1;
                a->f = draw_once_in(b->d, 16) ? NAN : (float)choose_int(b) / 2;
                break;
        case ATTR_STRING:
                a->has_s = 1;
                a->s = choose_text(b);
                break;
        case ATTR_TENSOR:
                a->t = choose_tensor(b);
                break;
        case ATTR_GRAPH:
                a->g = choose_graph(b);
                break;
        case ATTR_SPARSE_TENSOR:
                a->sparse_tensor = arena_new_zero(b->s->arena, OnnxSparseTensor);
                shaped__onnx__v1__sparse_tensor_proto__init(a->sparse_tensor);
                a->sparse_tensor->values = choose_tensor(b);
                break;
        case ATTR_TYPE_PROTO:
                a->tp = arena_new_zero(b->s->arena, OnnxType);
                shaped__onnx__v1__type_proto__init(a->tp);
                break;
        default:
                choose_lists(b, a);
                break;
        }
}

static void add_attribute(struct maker *b, const char *name, enum attr_type type)
{
        OnnxAttribute *a = arena_new_zero(b->s->arena, OnnxAttribute);

        shaped__onnx__v1__attribute_proto__init(a);
        a->name = (char *)(uintptr_t)name;
        a->has_type = 1;
        a->type = (int32_t)(draw_once_in(b->d, 40) ? draw_below(b->d, 16) : type);
        choose_attribute_value(b, a);
        b->s->proto->attribute[b->s->proto->n_attribute++] = a;
}

static void choose_attributes(struct maker *b)
{
        b->s->proto->attribute = arena_new_array(b->s->arena, OnnxAttribute *, b->row->n_attr + 1);
        for (size_t i = 0; i < b->row->n_attr; i++) {
                const struct op_attr *attr = &b->row->attr[i];

                if (attr->required ? !draw_once_in(b->d, 32) : draw_below(b->d, 3) == 0)
                        add_attribute(b, attr->name, attr->type);
        }
        if (draw_once_in(b->d, 32))
                add_attribute(b, "unheard_of", ATTR_INT);
}

/* -- the node -- */

static size_t choose_arity(struct maker *b, int least, int most)
{
        if (draw_once_in(b->d, 32))
                return draw_below(b->d, 9);
        if (most < 0)
                most = least + 4;
        return (size_t)least + draw_below(b->d, (size_t)(most - least) + 1);
}

static char **choose_names(struct maker *b, size_t count, char letter, size_t left_out)
{
        char **names = arena_new_array(b->s->arena, char *, count);

        for (size_t i = 0; i < count; i++)
                names[i] = draw_once_in(b->d, left_out) ? arena_printf(b->s->arena, "%s", "")
                                                        : arena_printf(b->s->arena, "%c%zu", letter, i);
        return names;
}

void subject_random(struct subject *s)
{
        struct maker b = {.s = s, .d = &s->draw, .row = choose_row(&s->draw)};
        OnnxNode *proto = arena_new_zero(s->arena, OnnxNode);
        static const int64_t shared[] = {2, 3, 4, 5, 1, 6, 8, 7, 0, 12, 16, 1};

        shaped__onnx__v1__node_proto__init(proto);
        s->proto = proto;
        proto->op_type = (char *)(uintptr_t)b.row->name;
        proto->domain = (char *)(uintptr_t)b.row->domain;
        proto->name = arena_printf(s->arena, "n");
        s->opset = b.row->since;
        s->check_types = draw_once_in(b.d, 4);
        b.rank = (int)draw_below(b.d, 5);
        for (size_t i = 0; i < SHARED_SIZES; i++)
                b.shared[i] = DRAW_FROM(b.d, shared);
        s->n_in = proto->n_input = choose_arity(&b, b.row->min_in, b.row->max_in);
        proto->input = choose_names(&b, proto->n_input, 'x', 12);
        for (size_t i = 0; i < s->n_in; i++)
                choose_value(&b, op_in_param(b.row, (int)i), &s->ground[i]);
        proto->n_output = choose_arity(&b, b.row->min_out, b.row->max_out);
        proto->output = choose_names(&b, proto->n_output, 'y', 16);
        choose_attributes(&b);
}
