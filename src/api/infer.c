/* Infers a node over the names of a context, and offers operations used by rules. */
#include <string.h>

#include "api/internal.h"
#include "base/bounds.h"
#include "ops/kit/broadcast.h"
#include "ops/rules/elementwise.h"

/* The parameters and the result of one call. */
struct call {
        struct ox_context *context;
        const struct ox_node *node;
        const struct ox_options *options;
        const struct ox_result *result;
        const char *input[2], *expected, *elem;
        enum ox_arithmetic operation;
};

/* -- a node of any operator -- */

static bool is_among(const struct infer_input *inputs, size_t count, const char *name)
{
        for (size_t i = 0; i < count; i++)
                if (strcmp(inputs[i].name, name) == 0)
                        return true;
        return false;
}

/* The values of the node's inputs, each once. Inference reports names that are not defined. */
static void take_inputs(struct ox_context *context, const OnnxNode *node, struct infer_node_request *request)
{
        struct infer_input *inputs = arena_new_array(context->arena, struct infer_input, node->n_input);
        bool *taken = NULL;

        if (node->n_input > FEW_INPUTS)
                taken = arena_zalloc(context->arena, context->value_room * sizeof(*taken));
        for (size_t i = 0; i < node->n_input; i++) {
                const struct named_value *value = context_find(context, node->input[i]);

                if (!value || (!taken && is_among(inputs, request->n_input, node->input[i])))
                        continue;
                str_id id = taken ? str_intern_z(context->strings, node->input[i]) : STR_EMPTY;

                if (taken && taken[id])
                        continue;
                if (taken)
                        taken[id] = true;
                inputs[request->n_input++] =
                        (struct infer_input){.name = node->input[i], .value = value->value, .dropped = value->dropped};
        }
        request->input = inputs;
}

static void store_value(struct ox_context *context, const char *name, const struct value *value)
{
        struct named_value *named = arena_new_array(context->arena, struct named_value, 1);

        *named = (struct named_value){.value = *value};
        context_put(context, name, named);
}

static void store_outputs(struct ox_context *context, const struct ox_result *result)
{
        for (size_t i = 0; i < result->n_value; i++)
                if (!result_scope(result_at(result, i))[0])
                        store_value(context, result_name(result, result_at(result, i)), &result_at(result, i)->value);
}

static enum ox_code run_infer(void *user)
{
        struct call *call = user;
        struct ox_context *context = call->context;
        const OnnxNode *node = &call->node->proto;
        struct infer_node_request request = {
                .node = node,
                .opset = context->opset,
                .n_opset = context->n_opset,
                .strings = context->strings,
                .dims = context->dims,
        };

        take_inputs(context, node, &request);
        TRY(infer_node(context->arena, &context->limits, &request, call->options, &call->result, &context->error));
        store_outputs(context, call->result);
        return OX_OK;
}

enum ox_code ox_infer_node(struct ox_context *context, const struct ox_node *node, const struct ox_options *options,
                           const struct ox_result **ret)
{
        struct call call = {.context = context, .node = node, .options = options_or_none(options)};

        *ret = NULL;
        TRY(node_fault(context, node));
        enum ox_code code = context_run_values(context, run_infer, &call);

        *ret = call.result;
        return code;
}

/* -- a node with its inputs, as the daemon asks -- */

struct node_work {
        struct ox_context *context;
        struct infer_node_request *begun;
        const struct infer_node_request *request;
        const struct ox_options *options;
        const struct ox_result *result;
};

static enum ox_code run_begin(void *user)
{
        struct node_work *work = user;
        struct ox_context *context = work->context;

        work->begun->strings = strings_new(context->arena, 0);
        work->begun->dims = dim_table_new(context->arena, work->begun->strings, &context->limits, 0);
        return OX_OK;
}

enum ox_code ox_request_begin(struct ox_context *context, struct infer_node_request *request)
{
        struct node_work work = {.context = context, .begun = request};

        return ox_context_run(context, run_begin, &work);
}

static enum ox_code run_node(void *user)
{
        struct node_work *work = user;
        struct ox_context *context = work->context;

        return infer_node(context->arena, &context->limits, work->request, work->options, &work->result,
                          &context->error);
}

enum ox_code ox_request_infer(struct ox_context *context, const struct infer_node_request *request,
                              const struct ox_options *options, const struct ox_result **ret)
{
        struct node_work work = {.context = context, .request = request, .options = options_or_none(options)};
        enum ox_code code = ox_context_run(context, run_node, &work);

        *ret = work.result;
        return code;
}

/* -- a node as rules see it, outside of any walk -- */

static void no_fact(void *user, const struct dim_condition *condition, const struct node *n, const char *value)
{
}

/* A text of ours for protobuf-c's structs. */
static char *context_copy(struct ox_context *context, const char *text)
{
        return arena_strndup(context->arena, text, strlen(text));
}

struct bare {
        struct node n;
        struct model_node *source; /* with the names of `in` for inputs */
        struct diags diags;
        const struct value *in[2];
        struct value out;
};

static void bare_begin(struct bare *bare, struct ox_context *context, const OnnxNode *proto)
{
        static const struct constraint_sink facts = {.add = no_fact};
        struct dim_origin origin = {
                .value = proto->n_output ? proto->output[0] : "",
                .axis = -1,
                .op = proto->op_type,
                .node = proto->name,
        };

        OnnxNode two = *proto;
        char *name[2] = {context_copy(context, ""), context_copy(context, "")};
        struct model_names names;

        two.input = name;
        two.n_input = 2;
        model_names_init(&names, context->arena, context->strings);
        *bare = (struct bare){.source = model_node_of(&names, &two), .out = {.type = type_unknown}};
        bare->n = (struct node){
                .arena = context->arena,
                .strings = context->strings,
                .dims = context->dims,
                .limits = &context->limits,
                .diags = &bare->diags,
                .source = bare->source,
                .opset = build_opset_of(context->opset, context->n_opset, proto->domain),
                .scope = "",
                .n_in = 2,
                .n_out = proto->n_output ? 1 : 0,
                .in = bare->in,
                .out = &bare->out,
                .facts = &facts,
        };
        dim_set_origin(context->dims, &origin);
        dim_take_faults(context->dims);
}

static void bare_input(struct bare *bare, struct ox_context *context, int i, const char *name,
                       const struct value *value)
{
        bare->source->value[i] = str_intern_z(context->strings, name);
        bare->in[i] = value;
}

/* The result of a rule's helper, with its message. */
static enum ox_code bare_end(struct bare *bare, struct ox_context *context, enum ox_code code)
{
        dim_take_faults(context->dims);
        if (code != OX_OK && bare->diags.count)
                context->error = bare->diags.at[bare->diags.count - 1].message;
        return code;
}

/* -- two shapes -- */

struct pair {
        struct ox_context *context;
        const struct ox_shape *a, *b;
        const struct ox_shape *ret;
        const char *text;
};

static enum ox_code run_broadcast(void *user)
{
        struct pair *pair = user;
        struct ox_context *context = pair->context;
        struct value a = {.type = type_unknown}, b = {.type = type_unknown};
        OnnxNode proto;
        struct bare bare;
        const struct dim *dims;
        int rank;

        if (pair->a)
                TRY(shape_import(context, "a", pair->a, &a.type));
        if (pair->b)
                TRY(shape_import(context, "b", pair->b, &b.type));
        shaped__onnx__v1__node_proto__init(&proto);
        proto.op_type = context_copy(context, "broadcast");
        proto.domain = proto.name = context_copy(context, "");
        bare_begin(&bare, context, &proto);
        a.type.kind = b.type.kind = TYPE_TENSOR;
        bare_input(&bare, context, 0, "a", &a);
        bare_input(&bare, context, 1, "b", &b);
        TRY(bare_end(&bare, context,
                     broadcast_shapes(&bare.n, &(struct broadcast_side){a.type.rank, a.type.dim, 0},
                                      &(struct broadcast_side){b.type.rank, b.type.dim, 1}, &rank, &dims)));
        pair->ret = shape_export(context->arena, context->dims, rank, dims);
        return OX_OK;
}

enum ox_code ox_shape_broadcast(struct ox_context *context, const struct ox_shape *a, const struct ox_shape *b,
                                const struct ox_shape **ret)
{
        struct pair pair = {.context = context, .a = a, .b = b};
        enum ox_code code = context_run_values(context, run_broadcast, &pair);

        *ret = pair.ret;
        return code;
}

static enum ox_code run_text(void *user)
{
        struct pair *pair = user;
        struct buf buf;

        buf_init(&buf, pair->context->arena);
        buf_puts(&buf, pair->a ? "[" : "?");
        for (size_t d = 0; pair->a && d < pair->a->rank; d++) {
                const struct ox_dim *dim = &pair->a->dims[d];

                buf_puts(&buf, d ? ", " : "");
                if (dim->text)
                        buf_puts(&buf, dim->text);
                else
                        buf_put_i64(&buf, dim->value);
        }
        buf_puts(&buf, pair->a ? "]" : "");
        pair->text = buf_text(&buf);
        return OX_OK;
}

enum ox_code ox_shape_text(struct ox_context *context, const struct ox_shape *shape, const char **ret)
{
        struct pair pair = {.context = context, .a = shape, .text = ""};
        enum ox_code code = ox_context_run(context, run_text, &pair);

        *ret = pair.text;
        return code;
}

/* -- two values -- */

/* Both inputs; error OX_OUT_OF_RANGE if one is not defined. */
static enum ox_code find_inputs(const struct call *call, struct bare *bare)
{
        for (int i = 0; i < 2; i++) {
                const struct named_value *value = context_find(call->context, call->input[i]);

                bare_input(bare, call->context, i, call->input[i], value ? &value->value : NULL);
                if (!value)
                        return context_fail(call->context, OX_OUT_OF_RANGE, "%s: nothing defines input %.100s",
                                            call->node->proto.op_type, call->input[i]);
        }
        return OX_OK;
}

static enum ox_code need_output(const struct call *call)
{
        const OnnxNode *proto = &call->node->proto;

        if (proto->n_output == 0 || !proto->output[0][0])
                return context_fail(call->context, OX_INVALID_ARGUMENT, "%s: the node has no output", proto->op_type);
        return OX_OK;
}

/* Copies the bare node's first output to that of the node. */
static void store_output(const struct call *call, const struct bare *bare)
{
        store_value(call->context, call->node->proto.output[0], &bare->out);
}

static enum ox_code run_binary(void *user)
{
        struct call *call = user;
        struct ox_context *context = call->context;
        const OnnxNode *proto = &call->node->proto;
        struct bare bare;
        const struct dim *dims;
        enum elem elem;
        int rank;

        if (strcmp(proto->op_type, call->expected) != 0)
                return context_fail(context, OX_INVALID_ARGUMENT, "the node's operator is %s, expected %.100s",
                                    proto->op_type, call->expected);
        TRY(need_output(call));
        if (!elem_by_name(call->elem, strlen(call->elem), &elem))
                return context_fail(context, OX_INVALID_ARGUMENT, "'%.100s' is not an element type", call->elem);
        bare_begin(&bare, context, proto);
        TRY(find_inputs(call, &bare));
        TRY(bare_end(&bare, context, broadcast_inputs(&bare.n, 0, 2, &rank, &dims)));
        if (rank == RANK_UNKNOWN)
                TRY(out_elem(&bare.n, 0, elem));
        else
                TRY(bare_end(&bare, context, out_tensor(&bare.n, 0, elem, rank, dims)));
        store_output(call, &bare);
        return OX_OK;
}

enum ox_code ox_infer_binary_broadcast(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                       const char *input_b, const char *expected_op_type, const char *output_elem)
{
        struct call call = {.context = context,
                            .node = node,
                            .input = {input_a, input_b},
                            .expected = expected_op_type,
                            .elem = output_elem};

        TRY(node_fault(context, node));
        return context_run_values(context, run_binary, &call);
}

static bool has_known_element(const struct content *content)
{
        for (size_t i = 0; i < content->count; i++)
                if (content_at(content, i).kind != SCALAR_UNKNOWN)
                        return true;
        return content->count == 0;
}

static enum ox_code run_arithmetic(void *user)
{
        struct call *call = user;
        struct ox_context *context = call->context;
        const struct named_value *output;
        struct bare bare;

        TRY(need_output(call));
        bare_begin(&bare, context, &call->node->proto);
        TRY(find_inputs(call, &bare));
        output = context_find(context, call->node->proto.output[0]);
        if (!output)
                return context_fail(context, OX_OUT_OF_RANGE, "%s: output %.100s has no value",
                                    call->node->proto.op_type, call->node->proto.output[0]);
        bare.out = output->value;
        switch (call->operation) {
        case OX_ADD:
                content_broadcast(&bare.n, element_Add);
                break;
        case OX_SUB:
                content_broadcast(&bare.n, element_Sub);
                break;
        default:
                return context_fail(context, OX_INVALID_ARGUMENT, "the operation is neither OX_ADD nor OX_SUB");
        }
        dim_take_faults(context->dims);
        if (bare.out.content && has_known_element(bare.out.content))
                store_output(call, &bare);
        return OX_OK;
}

enum ox_code ox_propagate_arithmetic(struct ox_context *context, const struct ox_node *node, const char *input_a,
                                     const char *input_b, enum ox_arithmetic operation)
{
        struct call call = {.context = context, .node = node, .input = {input_a, input_b}, .operation = operation};

        TRY(node_fault(context, node));
        return context_run_values(context, run_arithmetic, &call);
}
