/* Texts that declare operators, from hostile bytes: whatever comes is read or refused with a line, and a node of each
   operator that was read is inferred. The rest behind a NUL says what the node looks like. */
#include <string.h>

#include "draw.h"
#include "engine.h"
#include "ops/custom/custom.h"

#define VALUES_MOST 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_input(struct ox_context *context, struct ox_node *node, struct draw *draw, int i)
{
        static const char *const names[] = {"a", "b", "c", "d"};
        static const char *const types[] = {"tensor(float)", "tensor(int64)", "seq(tensor(float))", "tensor(string)"};
        const struct ox_dim dims[] = {OX_SYM("N"), OX_SIZE((int64_t)draw_below(draw, 5)), OX_SYM("M"), OX_SIZE(3)};
        const struct ox_element element[] = {{.kind = OX_ELEMENT_INT, .i = (int64_t)draw_below(draw, 9) - 2}};
        struct ox_shape shape = {.rank = draw_below(draw, 5), .dims = dims};
        struct ox_value value = {.type = types[draw_below(draw, 4)]};

        if (strncmp(value.type, "seq", 3) != 0 && draw_below(draw, 5) > 0)
                value.shape = &shape;
        if (strcmp(value.type, "tensor(int64)") == 0 && draw_below(draw, 2)) {
                shape.rank = 0;
                value.shape = &shape;
                value.content = element;
                value.n_content = 1;
        }
        ox_context_set(context, names[i], &value);
        ox_node_input(node, draw_below(draw, 6) ? names[i] : "");
}

static void infer(const struct ox_operators *operators, const struct op_row *row, struct draw *draw)
{
        struct ox_context *context = ox_context_new(NULL);
        const struct ox_options options = {.operators = &operators, .n_operators = 1};
        const struct ox_result *result;
        struct ox_node *node;

        HOLD(context != NULL, "there is memory for a context");
        if (ox_node_new(context, row->domain, row->name, &node) == OX_OK) {
                int64_t n = (int64_t)draw_below(draw, 5) - 2;

                for (int i = 0, count = (int)draw_below(draw, VALUES_MOST + 1); i < count; i++)
                        give_input(context, node, draw, i);
                ox_node_output(node, "y");
                ox_node_output(node, "z");
                for (size_t a = 0; a < row->n_attr; a++)
                        if (row->attr[a].type == ATTR_INT)
                                ox_node_int(node, row->attr[a].name, n);
                        else if (row->attr[a].type == ATTR_INTS)
                                ox_node_ints(node, row->attr[a].name, &n, 1);
                ox_context_opset(context, row->domain, row->since);
                ox_infer_node(context, node, &options, &result);
        }
        ox_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        size_t length = size ? strnlen((const char *)data, size) : 0;
        struct ox_operators *operators = ox_operators_new((const char *)data, length);
        struct draw draw = {.state = bytes_hash(data, size) | 1};

        HOLD(operators != NULL, "there is memory for a text's operators");
        const char *error = ox_operators_error(operators);

        HOLD(!error[0] || strncmp(error, "line ", 5) == 0 || strstr(error, "UTF-8"), "what is refused has a line");
        HOLD(!error[0] || ox_operators_count(operators) == 0, "what is refused declares nothing");
        for (size_t i = 0; i < operators->n_row && i < 16; i++)
                infer(operators, operators->row[i], &draw);
        ox_operators_free(operators);
        return 0;
}
