/* How a program uses libshape: `example MODEL.onnx` infers a node, a chain of nodes, what is wrong with others, and a
   model. It needs the installed shape.h and libshape and nothing else of this project. */
#include <stdio.h>
#include <stdlib.h>

#include <shape.h>

#define READ_BYTES 65536

static void print_value(struct ox_context *context, const char *name, const struct ox_value *value)
{
        const char *shape;

        if (ox_shape_text(context, value->shape, &shape) != OX_OK)
                shape = ox_context_error(context);
        printf("  %s: %s %s", name, value->type ? value->type : "?", shape);
        for (size_t i = 0; value->content && i < value->n_content; i++) {
                const struct ox_element *element = &value->content[i];

                printf(i ? ", " : " = ");
                if (element->kind == OX_ELEMENT_INT)
                        printf("%lld", (long long)element->i);
                else if (element->kind == OX_ELEMENT_FLOAT)
                        printf("%g", element->f);
                else
                        printf("%s", element->kind == OX_ELEMENT_TEXT ? element->text : "?");
        }
        printf("\n");
}

static enum ox_code infer_a_convolution(struct ox_context *context)
{
        const struct ox_value x = {.type = "tensor(float)",
                                   .shape = OX_SHAPE(OX_SYM("N"), OX_SIZE(3), OX_SYM("H"), OX_SYM("W"))};
        const struct ox_value w = {.type = "tensor(float)",
                                   .shape = OX_SHAPE(OX_SIZE(64), OX_SIZE(3), OX_SIZE(7), OX_SIZE(7))};
        const int64_t strides[] = {2, 2};
        const struct ox_result *result;
        struct ox_node *node;
        struct ox_value y;

        ox_context_set(context, "x", &x);
        ox_context_set(context, "w", &w);
        ox_node_new(context, "", "Conv", &node);
        ox_node_input(node, "x");
        ox_node_input(node, "w");
        ox_node_output(node, "y");
        ox_node_ints(node, "strides", strides, 2);
        ox_node_string(node, "auto_pad", "SAME_UPPER");
        enum ox_code code = ox_infer_node(context, node, NULL, &result);

        if (code == OX_OK && (code = ox_context_get(context, "y", &y)) == OX_OK)
                print_value(context, "y", &y);
        return code;
}

/* What one node leaves under a name the next one takes, elements included: twice the shape of x. */
static enum ox_code infer_a_chain(struct ox_context *context)
{
        const struct ox_result *result;
        struct ox_node *shape, *sum;
        struct ox_value twice;

        ox_node_new(context, "", "Shape", &shape);
        ox_node_input(shape, "x");
        ox_node_output(shape, "sizes");
        ox_node_new(context, "", "Add", &sum);
        ox_node_input(sum, "sizes");
        ox_node_input(sum, "sizes");
        ox_node_output(sum, "twice");
        enum ox_code code = ox_infer_node(context, shape, NULL, &result);

        if (code == OX_OK)
                code = ox_infer_node(context, sum, NULL, &result);
        if (code == OX_OK && (code = ox_context_get(context, "twice", &twice)) == OX_OK)
                print_value(context, "twice", &twice);
        return code;
}

static void say(struct ox_context *context, enum ox_code code)
{
        printf("  %s: %s\n", ox_code_name(code), ox_context_error(context));
}

/* Every call says what is wrong: the code for programs, the text for people. */
static void show_errors(struct ox_context *context)
{
        const struct ox_shape *shape;
        const struct ox_result *result;
        struct ox_node *node;

        say(context, ox_shape_broadcast(context, OX_SHAPE(OX_SYM("N"), OX_SIZE(2)), OX_SHAPE(OX_SIZE(3)), &shape));
        ox_node_new(context, "", "Relu", &node);
        ox_node_input(node, "nobody_knows_it");
        ox_node_output(node, "z");
        say(context, ox_infer_node(context, node, NULL, &result));
        ox_node_new(context, "", "Rleu", &node);
        say(context, ox_infer_node(context, node, NULL, &result));
}

/* A model may come in pieces of any size, and is never in memory as a whole: weights are dropped on the way. */
static enum ox_code feed(struct ox_context *context, FILE *file)
{
        char bytes[READ_BYTES];
        enum ox_code code = OX_OK;
        size_t size;

        while (code == OX_OK && (size = fread(bytes, 1, sizeof(bytes), file)) > 0)
                code = ox_model_feed(context, bytes, size);
        return code;
}

static enum ox_code infer_a_model(struct ox_context *context, FILE *file)
{
        const struct ox_binding sizes[] = {{"H", 224}, {"W", 224}};
        const struct ox_options options = {.binding = sizes, .n_binding = 2, .values = OX_VALUES_OUTPUTS};
        const struct ox_result *result;
        const struct ox_diag *diagnostics;
        struct ox_result_value value;
        size_t count;
        enum ox_code code = feed(context, file);

        if (code == OX_OK)
                code = ox_model_infer(context, &options, &result);
        if (code != OX_OK)
                return code;
        for (size_t i = 0; i < ox_result_count(result) && code == OX_OK; i++) {
                code = ox_result_value(context, result, i, &value);
                if (code == OX_OK)
                        print_value(context, value.name, &value.value);
        }
        diagnostics = ox_result_diagnostics(result, &count);
        for (size_t i = 0; i < count; i++)
                printf("  node %s: %s\n", diagnostics[i].node, diagnostics[i].message);
        printf("  %zu values, %zu of them unknown\n", ox_result_summary(result).values,
               ox_result_summary(result).unknown);
        return code;
}

int main(int argc, char **argv)
{
        struct ox_context *context = ox_context_new(NULL);
        FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
        enum ox_code code = OX_INVALID_ARGUMENT;

        if (context && file) {
                printf("a node\n");
                code = infer_a_convolution(context);
                if (code == OX_OK)
                        code = infer_a_chain(context);
                if (code != OX_OK)
                        say(context, code);
                printf("errors\n");
                show_errors(context);
                printf("a model\n");
                ox_context_reset(context, 0);
                code = infer_a_model(context, file);
                if (code != OX_OK)
                        say(context, code);
        } else {
                fprintf(stderr, "usage: example MODEL.onnx\n");
        }
        if (file)
                fclose(file);
        ox_context_free(context);
        return code == OX_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
