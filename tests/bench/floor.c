/* `floor SECONDS MODEL`: what nobody who reads nodes, gives numbers to their names and tells each of them in JSON can
   do in less. It walks over the nodes of a model's graph, trusts every length, knows all types beforehand and infers
   nothing, and prints ns a node of the fastest run: for reading, and for all. Not for models that are not known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/digits.h"
#include "base/str.h"
#include "measure.h"

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP };
enum { WIRE_BYTES = 2, TAG_BYTES_MOST = 10 };

struct piece {
        const uint8_t *at;
        size_t size;
};

struct small_node {
        uint32_t output, op;
        struct piece name;
};

struct names {
        struct piece *text; /* by number */
        uint32_t *slot, mask, count;
};

static uint64_t varint(const uint8_t **at)
{
        uint64_t value = 0;

        for (int shift = 0;; shift += 7) {
                uint8_t byte = *(*at)++;

                value |= (uint64_t)(byte & 0x7f) << shift;
                if (byte < 0x80 || shift > 56)
                        return value;
        }
}

/* The next field of a message that has bytes as its value; its number, or 0 at the end. */
static unsigned next_field(const uint8_t **at, const uint8_t *end, struct piece *ret)
{
        while (*at < end) {
                uint64_t tag = varint(at), size = varint(at);

                if ((tag & 7) != WIRE_BYTES)
                        continue;
                *ret = (struct piece){*at, size};
                *at += size;
                return (unsigned)(tag >> 3);
        }
        return 0;
}

static uint32_t number_of(struct names *names, struct piece text)
{
        for (uint32_t at = (uint32_t)XXH3_64bits(text.at, text.size);; at++) {
                uint32_t *slot = &names->slot[at & names->mask];

                if (!*slot) {
                        names->text[names->count] = text;
                        *slot = ++names->count;
                        return names->count - 1;
                }
                if (names->text[*slot - 1].size == text.size &&
                    memcmp(names->text[*slot - 1].at, text.at, text.size) == 0)
                        return *slot - 1;
        }
}

static void read_node(struct names *names, struct piece message, struct small_node *node)
{
        const uint8_t *at = message.at;
        struct piece field;

        for (unsigned number; (number = next_field(&at, message.at + message.size, &field)) != 0;)
                if (number == NODE_INPUT)
                        number_of(names, field);
                else if (number == NODE_OUTPUT)
                        node->output = number_of(names, field);
                else if (number == NODE_OP)
                        node->op = number_of(names, field);
                else if (number == NODE_NAME)
                        node->name = field;
}

static size_t read_nodes(struct names *names, struct piece graph, struct small_node *node)
{
        const uint8_t *at = graph.at;
        struct piece field;
        size_t count = 0;

        for (unsigned number; (number = next_field(&at, graph.at + graph.size, &field)) != 0;)
                if (number == GRAPH_NODE)
                        read_node(names, field, &node[count++]);
        return count;
}

static char *put(char *at, const char *text)
{
        return text_copy(at, text, strlen(text));
}

static char *put_piece(char *at, struct piece text)
{
        return text_copy(at, (const char *)text.at, text.size);
}

static size_t write_nodes(const struct names *names, const struct small_node *node, size_t count, char *block)
{
        size_t written = 0;

        for (size_t i = 0; i < count; i++) {
                char *at = put(block, "{\"name\":\"");

                at = put(put_piece(at, names->text[node[i].output]), "\",\"kind\":\"intermediate\",\"node\":\"");
                at = put(put_piece(at, node[i].name), "\",\"nodeIndex\":");
                at = put(digits_put(at, i), ",\"op\":\"");
                at = put(put_piece(at, names->text[node[i].op]),
                         "\",\"type\":\"tensor(float)\",\"shape\":[\"batch\",64]},");
                written += (size_t)(at - block);
        }
        return written;
}

static bool read_file(const char *path, struct piece *ret)
{
        FILE *file = fopen(path, "rbe");
        uint8_t *bytes = NULL;
        long size = -1;

        if (!file)
                return false;
        if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
                bytes = malloc((size_t)size + TAG_BYTES_MOST);
        if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
                free(bytes);
                bytes = NULL;
        }
        fclose(file);
        *ret = (struct piece){bytes, (size_t)size};
        return bytes != NULL;
}

static struct piece graph_of(struct piece model)
{
        const uint8_t *at = model.at;
        struct piece field = {0};

        for (unsigned number; (number = next_field(&at, model.at + model.size, &field)) != 0;)
                if (number == MODEL_GRAPH)
                        return field;
        return (struct piece){model.at, 0};
}

/* Every node takes at least four bytes, and every name two. */
static bool measure(struct piece graph, double seconds)
{
        size_t slots = 1024, count = 0, written = 0;
        uint64_t begin = work_ns(), read_ns = UINT64_MAX, all_ns = UINT64_MAX;

        while (slots < graph.size / 2)
                slots *= 2;
        struct names names = {malloc(graph.size / 2 * sizeof(struct piece) + 1), malloc(slots * sizeof(uint32_t)),
                              (uint32_t)(slots - 1), 0};
        struct small_node *node = malloc(graph.size / 4 * sizeof(*node) + 1);
        char *block = malloc(graph.size + 1024);
        bool good = names.text && names.slot && node && block;

        while (good && (double)(work_ns() - begin) < seconds * 1e9) {
                uint64_t run = work_ns(), read;

                memset(names.slot, 0, slots * sizeof(uint32_t));
                names.count = 0;
                count = read_nodes(&names, graph, node);
                read = work_ns() - run;
                written = write_nodes(&names, node, count, block);
                run = work_ns() - run;
                read_ns = read < read_ns ? read : read_ns;
                all_ns = run < all_ns ? run : all_ns;
        }
        if (good && count)
                printf("%zu nodes\t%zu bytes of JSON\t%.1f ns a node read\t%.1f ns in all\n", count, written,
                       (double)read_ns / (double)count, (double)all_ns / (double)count);
        free(names.text);
        free(names.slot);
        free(node);
        free(block);
        return good && count;
}

int main(int argc, char **argv)
{
        struct piece model = {0};
        bool good;

        if (argc != 3 || !read_file(argv[2], &model)) {
                fprintf(stderr, "usage: floor SECONDS MODEL\n");
                return EXIT_FAILURE;
        }
        good = measure(graph_of(model), strtod(argv[1], NULL));
        free((void *)(uintptr_t)model.at);
        return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
